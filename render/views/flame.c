/* SPDX-License-Identifier: GPL-2.0-only */
/* Flame graphs: each frame's place, text and colour. */
#include "render/views/flame.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/plural.h"
#include "render/draw/text.h"

#define WIDTH 1280
/* Narrower frames, in pixels, are not drawn, and zoom does not show them: less than a twelve-thousandth. */
#define NARROWEST 0.1
#define LEAST_TEXT 20 /* pixels: less tells nothing about a name */

/* ---- the other input ---- */

/* Finds each node of the tree in @fl->base, by the same names from the first frame on. */
static int find_base(struct flame_layout *l, const struct flame *fl)
{
	const struct folded *a = fl->tree, *b = fl->base;
	uint32_t *same = calloc(a->nodes.n, sizeof(*same));
	struct stringset names = { 0 };
	struct map in_base = { 0 };
	int rc = -ENOMEM;

	l->base = calloc(a->nodes.n, sizeof(*l->base));
	if (!same || !l->base)
		goto out;
	for (uint32_t i = 1; i < b->nodes.n; i++) {
		const struct folded_node *n = &b->nodes.at[i];
		const char *name = stringset_add(&names, n->name, strlen(n->name));
		uint32_t *at = name ? map_add(&in_base, n->parent, (uintptr_t)name) : NULL;

		if (!at)
			goto out;
		*at = i;
	}
	l->base[FOLDED_ROOT] = b->nodes.at[FOLDED_ROOT].total;
	for (uint32_t i = 1; i < a->nodes.n; i++) {
		const struct folded_node *n = &a->nodes.at[i];
		const char *name = stringset_add(&names, n->name, strlen(n->name));
		const uint32_t *at;

		if (!name)
			goto out;
		at = same[n->parent] == FOLDED_NONE
			     ? NULL
			     : map_find(&in_base, same[n->parent], (uintptr_t)name);
		same[i] = at ? *at : FOLDED_NONE;
		l->base[i] = at ? b->nodes.at[*at].total : 0;
	}
	rc = 0;
out:
	stringset_fini(&names);
	map_fini(&in_base);
	free(same);
	return rc;
}

/* ---- places ---- */

/* Bytes of a picture, approximately; a frame's are its numbers and three times its name. */
#define PICTURE_BYTES 18000000u
#define BOX_BYTES 420u

/* Leaves out the lowest levels if the picture would be too large. */
static int cut_levels(struct flame_layout *l, const struct folded *f)
{
	uint64_t *bytes = calloc((size_t)l->depth + 1, sizeof(*bytes)), sum = 0;
	unsigned last = 0;
	size_t kept = 0;

	if (!bytes)
		return -ENOMEM;
	for (size_t i = 0; i < l->boxes.n; i++) {
		const struct folded_node *n = &f->nodes.at[l->boxes.at[i].node];

		bytes[n->depth] += BOX_BYTES + 3 * strlen(n->name);
	}
	for (sum = bytes[0]; last < l->depth && sum + bytes[last + 1] <= PICTURE_BYTES; last++)
		sum += bytes[last + 1];
	for (size_t i = 0; i < l->boxes.n; i++)
		if (f->nodes.at[l->boxes.at[i].node].depth <= last)
			l->boxes.at[kept++] = l->boxes.at[i];
	l->deeper = l->boxes.n - kept;
	l->boxes.n = kept;
	l->depth = last;
	free(bytes);
	return 0;
}

int flame_layout_init(struct flame_layout *l, const struct flame *fl)
{
	const struct folded *f = fl->tree;
	uint64_t *next = calloc(f->nodes.n, sizeof(*next)), sum = f->nodes.at[FOLDED_ROOT].total;
	double room;
	int rc = next ? 0 : -ENOMEM;

	*l = (struct flame_layout){ .width = fl->width ? fl->width : WIDTH };
	room = l->width - 2 * FLAME_LEFT;
	if (!rc && fl->base)
		rc = find_base(l, fl);
	for (size_t i = 0; i < f->nodes.n && !rc; i++) {
		uint32_t node = f->by_size[i];
		const struct folded_node *n = &f->nodes.at[node];
		struct flame_box box = { .node = node };

		if (node != FOLDED_ROOT) {
			box.start = next[n->parent];
			next[n->parent] += n->total;
		}
		next[node] = box.start;
		box.x = FLAME_LEFT + (sum ? room * ((double)box.start / (double)sum) : 0);
		box.w = node == FOLDED_ROOT ? room
			: sum               ? room * ((double)n->total / (double)sum)
					    : 0;
		if (box.w < NARROWEST) {
			l->left_out++;
			continue;
		}
		if (n->depth > l->depth)
			l->depth = n->depth;
		rc = array_push(&l->boxes, box);
	}
	rc = rc ? rc : cut_levels(l, f);
	l->height = FLAME_TOP + (l->depth + 1.0) * FLAME_ROW + FLAME_FOOT;
	for (size_t i = 0; i < l->boxes.n; i++)
		l->boxes.at[i].y =
			FLAME_TOP + (double)f->nodes.at[l->boxes.at[i].node].depth * FLAME_ROW;
	free(next);
	return rc;
}

void flame_layout_fini(struct flame_layout *l)
{
	array_fini(&l->boxes);
	free(l->base);
	stringset_fini(&l->texts);
	map_fini(&l->taken);
	*l = (struct flame_layout){ 0 };
}

/* ---- colours and texts ---- */

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / (double)whole : 0;
}

struct ink flame_ink(const struct flame *fl, const struct flame_layout *l, uint32_t node)
{
	const struct folded_node *n = &fl->tree->nodes.at[node];
	double now, was;

	if (!l->base)
		return palette_frame(node == FOLDED_ROOT ? FOLDED_TASK : n->kind, n->name);
	now = share(n->total, fl->tree->nodes.at[FOLDED_ROOT].total);
	was = share(l->base[node], l->base[FOLDED_ROOT]);
	/* Twice the share gets the full colour, and so does half of it. */
	return palette_change(now == was           ? 0
			      : was > 0 && now > 0 ? log2(now / was)
			      : now > was          ? 1
						   : -1);
}

static char *value_text(char out[TEXT_ROOM], const struct flame *fl, uint64_t value)
{
	if (fl->is_time)
		return text_duration(out, (double)value);
	return folded_number(out, fl->tree->parts, value);
}

char *flame_tooltip(const struct flame *fl, const struct flame_layout *l, uint32_t node)
{
	const struct folded_node *n = &fl->tree->nodes.at[node];
	uint64_t sum = fl->tree->nodes.at[FOLDED_ROOT].total;
	const char *name = node == FOLDED_ROOT ? "all" : n->name;
	char *clean = text_clean(name, strlen(name)), *out = NULL;
	char value[TEXT_ROOM], percent[TEXT_ROOM], before[120] = "";

	if (!clean)
		return NULL;
	if (l->base) {
		char was[TEXT_ROOM], was_percent[TEXT_ROOM];

		snprintf(before, sizeof(before), "; before %s%s%s, %s",
			 value_text(was, fl, l->base[node]), fl->is_time ? "" : " ",
			 fl->is_time ? "" : fl->count,
			 text_percent(was_percent, (double)l->base[node],
				      (double)l->base[FOLDED_ROOT]));
	}
	if (asprintf(&out, "%s: %s%s%s, %s%s", clean, value_text(value, fl, n->total),
		     fl->is_time ? "" : " ", fl->is_time ? "" : fl->count,
		     text_percent(percent, (double)n->total, (double)sum), before) < 0)
		out = NULL;
	free(clean);
	return out;
}

/* The colours that occur, as "green: user space, grey: tasks". */
static void add_legend(struct sink *s, const struct flame *fl, const struct flame_layout *l)
{
	static const struct {
		enum folded_kind kind;
		const char *text;
	} kinds[] = { { FOLDED_USER, "green: user space" },
		      { FOLDED_KERNEL, "orange: the kernel" },
		      { FOLDED_PLAIN, "orange: functions" },
		      { FOLDED_TASK, "grey: tasks" } };
	bool there[FOLDED_KINDS] = { false };
	const char *before = "; ";

	for (size_t i = 0; i < l->boxes.n; i++)
		if (l->boxes.at[i].node != FOLDED_ROOT)
			there[fl->tree->nodes.at[l->boxes.at[i].node].kind] = true;
	/* in a capture, orange is the kernel's or unknown */
	there[FOLDED_PLAIN] &= !there[FOLDED_KERNEL];
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!there[kinds[i].kind])
			continue;
		sink_puts(s, before);
		sink_puts(s, kinds[i].text);
		before = ", ";
	}
}

char *flame_foot(const struct flame *fl, const struct flame_layout *l)
{
	uint64_t all = fl->tree->nodes.at[FOLDED_ROOT].total;
	char value[TEXT_ROOM];
	struct sink s;

	sink_to_memory(&s);
	sink_printf(&s, "%s%s%s in all", value_text(value, fl, all), fl->is_time ? "" : " ",
		    fl->is_time ? "" : fl->count);
	if (l->base)
		sink_puts(&s, "; orange: more than before, blue: less");
	else
		add_legend(&s, fl, l);
	if (fl->foot && *fl->foot)
		sink_printf(&s, "; %s", fl->foot);
	if (l->left_out)
		sink_printf(&s, "; %s frame%s of less than a tenth of a pixel: not drawn",
			    GROUPED(l->left_out), l->left_out == 1 ? "" : "s");
	if (l->deeper)
		sink_printf(&s, "; ... and %s more frame%s below level %u", GROUPED(l->deeper),
			    plural(l->deeper), l->depth);
	if (fl->tree->cut)
		sink_printf(&s, "; %s deep stack%s without the last frames", GROUPED(fl->tree->cut),
			    fl->tree->cut == 1 ? "" : "s");
	return sink_take(&s, NULL);
}

/* ---- as marks ---- */

static void text_at(struct marks *m, enum ink_kind ink, enum mark_size size,
		    enum mark_anchor anchor, double x, double y, const char *text)
{
	char *clean = text_clean(text, strlen(text));

	m->failed |= !clean;
	if (clean)
		marks_text(m, (struct ink){ (uint8_t)ink, 0 }, size, anchor, x, y, clean);
	free(clean);
}

/* Whether no other name has the text @is; then @name has it. */
static int take(struct flame_layout *l, const char *name, const char *is)
{
	const char *text = stringset_add(&l->texts, is, strlen(is));
	const char *full = stringset_add(&l->texts, name, strlen(name));
	uint32_t *number = full ? map_add(&l->taken, (uintptr_t)full, 1) : NULL, n, *whose;

	if (!text || !number)
		return -ENOMEM;
	if (*number == MAP_NEW)
		*number = (uint32_t)l->taken.n;
	n = *number;
	whose = map_add(&l->taken, (uintptr_t)text, 0);
	if (!whose)
		return -ENOMEM;
	if (*whose == MAP_NEW)
		*whose = n;
	return *whose == n;
}

char *flame_text(struct flame_layout *l, const struct flame_box *b, const char *clean)
{
	static const double ends[] = { 0.25, 0.5, 0.75, 1, 0 };
	double room = b->w - 8;
	bool shows = room >= LEAST_TEXT || text_width(clean, 12) <= room;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]) && shows; i++) {
		char *fit = text_fit_end(clean, 12, room, ends[i]);
		int rc = fit && *fit ? take(l, clean, fit) : fit ? 0 : -ENOMEM;

		if (rc > 0)
			return fit;
		free(fit);
		if (rc < 0)
			return NULL;
	}
	return strdup("");
}

int flame_marks(struct marks *m, const struct flame *fl)
{
	struct flame_layout l;
	int rc = flame_layout_init(&l, fl);
	char *foot;

	m->width = l.width;
	m->height = l.height;
	m->title = marks_keep(m, fl->title);
	m->made_at_s = fl->made_at_s;
	text_at(m, INK_TEXT, MARK_TITLE, MARK_START, FLAME_LEFT, 22, fl->title);
	if (fl->subtitle)
		text_at(m, INK_DIM, MARK_NORMAL, MARK_START, FLAME_LEFT, 45, fl->subtitle);
	for (size_t i = 0; i < l.boxes.n && !rc; i++) {
		const struct flame_box *b = &l.boxes.at[i];
		const char *name = b->node == FOLDED_ROOT ? "all"
							  : fl->tree->nodes.at[b->node].name;
		char *clean = text_clean(name, strlen(name));
		char *fit = clean ? flame_text(&l, b, clean) : NULL;

		marks_rect(m, flame_ink(fl, &l, b->node), b->x, b->y,
			   b->w > 1.5 ? b->w - 0.6 : b->w, FLAME_ROW - 1, NULL);
		if (fit && *fit)
			marks_text(m, (struct ink){ INK_TEXT, 0 }, MARK_SMALL, MARK_START, b->x + 4,
				   b->y + (FLAME_ROW - 1) / 2.0, fit);
		rc = clean && fit ? 0 : -ENOMEM;
		free(clean);
		free(fit);
	}
	foot = flame_foot(fl, &l);
	if (foot)
		text_at(m, INK_DIM, MARK_SMALL, MARK_START, FLAME_LEFT, l.height - 16, foot);
	m->failed |= !foot;
	free(foot);
	flame_layout_fini(&l);
	return rc || m->failed ? -ENOMEM : 0;
}
