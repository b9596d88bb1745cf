/* SPDX-License-Identifier: LGPL-2.1-only */
/* The stacks of a capture as a tree. */
#include "tables/stacks/flame.h"

#include <stdio.h>

#include "base/fail.h"

const char *const flame_bys[] = { "off-cpu", "exits", "wakeups", "switches", "samples", NULL };
const char *const flame_titles[] = {
	"Time off the CPU by stack", "Time for exits by stack", "Wake-ups by the waker's stack",
	"Switches away by stack",    "Samples by stack",        NULL
};

bool flame_is_time(enum analyze_stacks_by by)
{
	return by == ANALYZE_STACKS_OFF_CPU || by == ANALYZE_STACKS_EXITS;
}

/* The node of the task under @parent. */
static uint32_t of_task(struct folded *f, const struct tables_walk *w, uint32_t parent,
			const char *before, uint32_t task)
{
	uint32_t node = FOLDED_NONE;
	struct sink s;
	char *name, *text;
	size_t len;

	sink_to_memory(&s);
	sink_puts(&s, before);
	name = names_display(&w->names, analyze_engine_task(w->eng, task));
	if (name)
		sink_puts(&s, name);
	text = sink_take(&s, &len);
	if (name && text)
		node = folded_child(f, parent, text, len, FOLDED_TASK);
	free(name);
	free(text);
	return node;
}

static enum folded_kind kind_of(const struct cdict_frame *frame)
{
	switch ((enum cdict_mode)frame->mode) {
	case CDICT_MODE_KERNEL:
	case CDICT_MODE_HYPERVISOR:
	case CDICT_MODE_GUEST_KERNEL:
		return FOLDED_KERNEL;
	case CDICT_MODE_USER:
	case CDICT_MODE_GUEST_USER:
		return FOLDED_USER;
	case CDICT_MODE_UNKNOWN:
		break;
	}
	return FOLDED_PLAIN;
}

/* Like perf's stackcollapse scripts: a frame without a symbol is named by its object file. */
static uint32_t of_frame(struct folded *f, uint32_t parent, const struct cdict_frame *frame)
{
	const char *slash = strrchr(frame->object, '/'), *object = frame->object;
	char text[300];
	int n;

	if (*frame->symbol)
		return folded_child(f, parent, frame->symbol, strlen(frame->symbol),
				    kind_of(frame));
	if (*object != '[' && slash && slash[1])
		object = slash + 1;
	if (*object == '[')
		n = snprintf(text, sizeof(text), "%.280s", object);
	else
		n = snprintf(text, sizeof(text), "[%.280s]", *object ? object : "unknown");
	return folded_child(f, parent, text, (size_t)n, kind_of(frame));
}

/* The limit of frames in a tree, which take some 400 bytes each in a picture. Stacks of usual depth, those that
 * perf records by default, have fewer different frames than a quarter of the bytes of their file. */
#define TREE_FRAMES (96u << 10)
#define USUAL_DEPTH 130u

static bool is_full(const struct folded *f, uint32_t node, const struct cdict_reader *r)
{
	uint64_t more = cdict_reader_size(r);

	return f->nodes.n >=
	       TREE_FRAMES + (f->nodes.at[node].depth <= USUAL_DEPTH ? more / 4 : more / 64);
}

static uint32_t of_stack(struct folded *f, uint32_t node, const struct tables_walk *w,
			 uint32_t stack)
{
	const uint32_t *frames;
	size_t n = stack == CDICT_NO_STACK ? 0 : cdict_reader_stack_at(w->reader, stack, &frames);

	if (!n)
		return folded_child(f, node, FLAME_NO_STACK, strlen(FLAME_NO_STACK), FOLDED_NOTE);
	/* at most a task and a waker come before it, a reason after it */
	if (n > FOLDED_DEPTH - 3)
		n = FOLDED_DEPTH - 3;
	while (n-- && node != FOLDED_NONE) {
		if (is_full(f, node, w->reader)) {
			f->cut++;
			break;
		}
		node = of_frame(f, node, cdict_reader_frame_at(w->reader, frames[n]));
	}
	return node;
}

static uint32_t of_reason(struct folded *f, uint32_t node, const struct analyze_stacks *stacks,
			  const struct analyze_stack_row *row)
{
	char text[120];
	bool idle;
	const char *name = analyze_stacks_reason(stacks, row, &idle);
	int n = snprintf(text, sizeof(text), "%.100s%s", name, idle ? " (idle)" : "");

	return folded_child(f, node, text, (size_t)n, FOLDED_NOTE);
}

int flame_fold(struct folded *f, const struct tables_walk *w, const struct analyze_stacks *stacks,
	       uint64_t *lacking, struct cdict_error *err)
{
	enum analyze_stacks_by by = analyze_stacks_by(stacks);
	uint64_t none = 0;

	if (folded_init(f))
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < analyze_stacks_count(stacks); i++) {
		const struct analyze_stack_row *row = analyze_stacks_at(stacks, i);
		uint64_t value;
		uint32_t node;
		int rc;

		if (!names_wanted(&w->names, analyze_engine_task(w->eng, row->task)))
			continue;
		node = of_task(f, w, FOLDED_ROOT, "", row->task);
		if (node != FOLDED_NONE && row->waker != ANALYZE_NO_TASK)
			node = of_task(f, w, node, "by ", row->waker);
		if (node != FOLDED_NONE)
			node = of_stack(f, node, w, row->stack);
		if (node != FOLDED_NONE && by == ANALYZE_STACKS_EXITS)
			node = of_reason(f, node, stacks, row);
		if (node == FOLDED_NONE)
			return cdict_fail_nomem(err);
		value = flame_is_time(by)              ? row->ns
			: by == ANALYZE_STACKS_SAMPLES ? row->period
						       : row->count;
		rc = folded_add(f, node, value, row->count, err);
		if (rc)
			return rc;
		none += row->stack == CDICT_NO_STACK ? row->count : 0;
	}
	if (lacking)
		*lacking = none;
	return folded_done(f) ? cdict_fail_nomem(err) : 0;
}

#define STACK_COLUMN                                                                               \
	{                                                                                          \
		.key = "stack", .title = "stack", .kind = TABLE_TEXT                               \
	}
#define SHARE_COLUMN                                                                               \
	{                                                                                          \
		.key = "percent", .title = "%", .kind = TABLE_PERCENT                              \
	}
#define COUNT_COLUMN                                                                               \
	{                                                                                          \
		.key = "count", .title = "count", .kind = TABLE_COUNT, .flags = TABLE_KEEP         \
	}

static const struct table_column times[] = {
	STACK_COLUMN,
	COUNT_COLUMN,
	{ .key = "time_ns", .title = "time ms", .kind = TABLE_MS, .flags = TABLE_KEEP },
	SHARE_COLUMN,
	TABLE_COLUMNS_END,
};
static const struct table_column counts[] = { STACK_COLUMN, COUNT_COLUMN, SHARE_COLUMN,
					      TABLE_COLUMNS_END };
static const struct table_column periods[] = {
	STACK_COLUMN,
	{ .key = "samples", .title = "samples", .kind = TABLE_COUNT, .flags = TABLE_KEEP },
	{ .key = "period", .title = "events", .kind = TABLE_COUNT, .flags = TABLE_KEEP },
	SHARE_COLUMN,
	TABLE_COLUMNS_END,
};
static const struct table_column compared[] = {
	STACK_COLUMN,
	{ .key = "value_before", .title = "before", .kind = TABLE_PERCENT, .flags = TABLE_KEEP },
	{ .key = "value", .title = "value", .kind = TABLE_PERCENT, .flags = TABLE_KEEP },
	SHARE_COLUMN,
	TABLE_COLUMNS_END,
};
static const struct table_column values[] = {
	STACK_COLUMN,
	{ .key = "value", .title = "value", .kind = TABLE_PERCENT, .flags = TABLE_KEEP },
	SHARE_COLUMN,
	TABLE_COLUMNS_END,
};

struct table *flame_table(const struct folded *f, const struct folded *before, int by)
{
	bool is_time = by >= 0 && flame_is_time((enum analyze_stacks_by)by);
	bool counted = is_time || by == ANALYZE_STACKS_SAMPLES; /* besides the value */
	struct table *t = table_new("stacks", before    ? compared
					      : by < 0  ? values
					      : is_time ? times
					      : counted ? periods
							: counts);
	size_t figure = counted || before ? 2 : 1;

	if (!t)
		return NULL;
	t->certain = true;
	t->order = t->columns[figure].key;
	for (size_t i = 0; i < f->nodes.n; i++) {
		const struct folded_node *n = &f->nodes.at[f->order[i]];
		struct sink s;
		char *path;

		if (!n->stack)
			continue;
		sink_to_memory(&s);
		folded_path(f, f->order[i], &s);
		path = sink_take(&s, NULL);
		table_row(t);
		t->failed |= !path;
		table_text(t, 0, path);
		free(path);
		if (counted)
			table_u64(t, 1, n->count);
		if (before)
			table_percent(t, 1,
				      (double)before->nodes.at[f->order[i]].value / before->parts);
		if (by < 0)
			table_percent(t, figure, (double)n->value / f->parts);
		else
			table_u64(t, figure, n->value);
		if (f->sum)
			table_percent(t, figure + 1, 100.0 * (double)n->value / (double)f->sum);
	}
	return table_done(t);
}
