/* SPDX-License-Identifier: GPL-2.0-only */
/* Exit reasons as stacked bars. */
#include "render/views/exits.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/sink.h"
#include "render/draw/rows.h"
#include "render/draw/text.h"

#define SHOWN 8 /* reasons with a colour */

/* --- the numbers --- */

void exit_mix_fini(struct exit_mix *mix)
{
	for (size_t i = 0; i < mix->reasons.n; i++)
		free(mix->reasons.at[i].name);
	for (size_t i = 0; i < mix->bars.n; i++) {
		free(mix->bars.at[i].name);
		array_fini(&mix->bars.at[i].parts);
	}
	array_fini(&mix->reasons);
	array_fini(&mix->bars);
}

/* The index of the reason, SIZE_MAX: out of memory. */
static size_t reason_of(struct exit_mix *mix, const char *raw, bool idle)
{
	char *name = text_clean(raw, strlen(raw));

	for (size_t i = 0; name && i < mix->reasons.n; i++) {
		if (!strcmp(mix->reasons.at[i].name, name)) {
			free(name);
			return i;
		}
	}
	if (name && !array_push(&mix->reasons, (struct exit_reason){ .name = name, .idle = idle }))
		return mix->reasons.n - 1;
	free(name);
	return SIZE_MAX;
}

static struct exit_bar *bar_of(struct exit_mix *mix, uint32_t task, const char *name)
{
	struct exit_bar *bar = mix->bars.n ? &mix->bars.at[mix->bars.n - 1] : NULL;

	if (bar && bar->task == task)
		return bar;
	bar = array_add(&mix->bars);
	if (!bar)
		return NULL;
	bar->task = task;
	bar->name = text_clean(name, strlen(name));
	return bar->name ? bar : NULL;
}

int exit_mix_add(struct exit_mix *mix, uint32_t task, const char *task_name, const char *reason,
		 bool idle, uint64_t count, uint64_t timed, uint64_t time_ns)
{
	struct exit_bar *bar = bar_of(mix, task, task_name);
	size_t i = reason_of(mix, reason, idle);

	if (!bar || i == SIZE_MAX || (bar->parts.n <= i && array_resize(&bar->parts, i + 1)))
		return -ENOMEM;
	bar->parts.at[i].count += count;
	bar->parts.at[i].time_ns += time_ns;
	mix->reasons.at[i].count += count;
	mix->reasons.at[i].timed += timed;
	mix->reasons.at[i].time_ns += time_ns;
	return 0;
}

/* --- the picture --- */

/* A drawn reason; the last may be "other". */
struct slot {
	const char *name;
	struct ink ink;
	uint64_t total;
};

struct plan {
	const struct exit_mix *mix;
	bool by_time;
	struct slot slots[SHOWN + 1];
	size_t n_slots;
	uint8_t *slot_of;    /* by reason; SHOWN + 1: not in the bars */
	uint64_t work, idle; /* totals in the bars, and of idle reasons, which are not */
	uint64_t idle_exits, exits;
	uint64_t open; /* exits without a known end */
};

static uint64_t value(const struct plan *p, const struct exit_bar *bar, size_t reason)
{
	return p->by_time ? bar->parts.at[reason].time_ns : bar->parts.at[reason].count;
}

static uint64_t total(const struct plan *p, size_t reason)
{
	const struct exit_reason *r = &p->mix->reasons.at[reason];

	return p->by_time ? r->time_ns : r->count;
}

/* As in the table of exits: the guest had nothing to do. */
static bool left_out(const struct plan *p, size_t reason)
{
	return p->mix->reasons.at[reason].idle;
}

static bool ink_taken(const struct plan *p, struct ink ink)
{
	for (size_t i = 0; i < p->n_slots; i++) {
		if (p->slots[i].ink.level == ink.level)
			return true;
	}
	return false;
}

static struct ink ink_for(const struct plan *p, const char *name)
{
	struct ink ink = palette_reason(name);

	/* two names of one cause in one picture: the smaller one takes a spare colour */
	for (unsigned n = 0; n < 4 && ink_taken(p, ink); n++)
		ink = palette_reason_spare(name, n);
	return ink;
}

/* The largest reasons get a slot each, the rest shares one. */
static int make_plan(struct plan *p)
{
	size_t n = p->mix->reasons.n, rest = 0;

	p->slot_of = malloc(n + 1);
	if (!p->slot_of)
		return -ENOMEM;
	memset(p->slot_of, 0xff, n + 1);
	for (size_t i = 0; i < n; i++) {
		p->exits += p->mix->reasons.at[i].count;
		p->open += p->mix->reasons.at[i].count - p->mix->reasons.at[i].timed;
		if (left_out(p, i)) {
			p->slot_of[i] = SHOWN + 1;
			p->idle += total(p, i);
			p->idle_exits += p->mix->reasons.at[i].count;
			continue;
		}
		p->work += total(p, i);
		rest += total(p, i) > 0;
	}
	while (rest && p->n_slots < SHOWN) {
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < n; i++) {
			if (p->slot_of[i] == 0xff && total(p, i) &&
			    (best == SIZE_MAX || total(p, i) > total(p, best)))
				best = i;
		}
		p->slot_of[best] = (uint8_t)p->n_slots;
		p->slots[p->n_slots] = (struct slot){
			.name = p->mix->reasons.at[best].name,
			.ink = ink_for(p, p->mix->reasons.at[best].name),
			.total = total(p, best),
		};
		p->n_slots++;
		rest--;
	}
	if (!rest) {
		/* the remaining reasons took no time */
		for (size_t i = 0; i < n; i++)
			p->slot_of[i] = p->slot_of[i] == 0xff ? SHOWN + 1 : p->slot_of[i];
		return 0;
	}
	p->slots[p->n_slots] = (struct slot){ .name = "other", .ink = palette_reason("other") };
	for (size_t i = 0; i < n; i++) {
		if (p->slot_of[i] != 0xff)
			continue;
		p->slot_of[i] = (uint8_t)p->n_slots;
		p->slots[p->n_slots].total += total(p, i);
	}
	p->n_slots++;
	return 0;
}

static int largest_first(const void *a, const void *b)
{
	const struct exit_bar *x = a, *y = b;

	if (x->work != y->work)
		return x->work > y->work ? -1 : 1;
	if (x->idle != y->idle)
		return x->idle > y->idle ? -1 : 1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static void sum_bars(const struct plan *p, struct exit_mix *mix)
{
	for (size_t i = 0; i < mix->bars.n; i++) {
		struct exit_bar *bar = &mix->bars.at[i];

		bar->work = bar->idle = 0;
		for (size_t r = 0; r < bar->parts.n; r++) {
			if (left_out(p, r))
				bar->idle += value(p, bar, r);
			else
				bar->work += value(p, bar, r);
		}
	}
	if (mix->bars.n)
		qsort(mix->bars.at, mix->bars.n, sizeof(*mix->bars.at), largest_first);
}

static char *amount(const struct plan *p, char out[TEXT_ROOM], uint64_t v)
{
	return p->by_time ? text_duration(out, (double)v) : number_grouped(out, v);
}

static char *swatch_text(const struct plan *p, const struct slot *s)
{
	char n[TEXT_ROOM], share[TEXT_ROOM], *text;

	if (asprintf(&text, "%s  %s, %s", s->name, amount(p, n, s->total),
		     text_percent(share, (double)s->total, (double)p->work)) < 0)
		return NULL;
	return text;
}

static char *foot(const struct plan *p)
{
	char n[TEXT_ROOM], t[TEXT_ROOM], bars[TEXT_ROOM];
	struct sink s;

	sink_to_memory(&s);
	sink_printf(&s, "%s exit%s of %s %s%s", number_grouped(n, p->exits),
		    p->exits == 1 ? "" : "s", number_grouped(bars, p->mix->bars.n),
		    p->mix->grouped ? "group" : "vCPU", p->mix->bars.n == 1 ? "" : "s");
	if (p->by_time && p->open)
		sink_printf(&s, " (the end of %s not seen)", number_grouped(n, p->open));
	if (p->by_time && p->mix->on_cpu)
		sink_printf(&s, ", %s on a CPU and %s off it from kvm_exit to kvm_entry",
			    text_duration(t, (double)p->work),
			    text_duration(n, (double)p->mix->off_ns));
	else if (p->by_time)
		sink_printf(&s, ", %s from kvm_exit to kvm_entry",
			    text_duration(t, (double)p->work));
	if (p->idle_exits && p->by_time)
		sink_printf(&s, ", and %s in %s exit%s of idle guests, not in the bars",
			    text_duration(t, (double)p->idle), number_grouped(n, p->idle_exits),
			    p->idle_exits == 1 ? "" : "s");
	else if (p->idle_exits)
		sink_printf(&s, ", of which %s of idle guests %s not in the bars",
			    number_grouped(n, p->idle_exits), p->idle_exits == 1 ? "is" : "are");
	return sink_take(&s, NULL);
}

/* The text at a bar's end. */
static char *bar_text(const struct plan *p, const struct exit_bar *bar)
{
	char n[TEXT_ROOM], idle[TEXT_ROOM], *text;

	if (asprintf(&text, "%s%s%s", amount(p, n, bar->work), bar->idle ? ", halted " : "",
		     bar->idle ? amount(p, idle, bar->idle) : "") < 0)
		return NULL;
	return text;
}

static void draw_bar(struct marks *m, const struct canvas *c, const struct plan *p,
		     const struct scale *s, const struct exit_bar *bar, double y)
{
	uint64_t values[SHOWN + 2] = { 0 }, sum = 0;
	double from = s->from;

	for (size_t r = 0; r < bar->parts.n; r++)
		values[p->slot_of[r]] += value(p, bar, r);
	for (size_t i = 0; i < p->n_slots; i++) {
		char n[TEXT_ROOM], share[TEXT_ROOM], note[3 * TEXT_ROOM];
		double to;

		if (!values[i])
			continue;
		sum += values[i];
		to = scale_at(s, (double)sum);
		snprintf(note, sizeof(note), "%.60s: %s, %s", p->slots[i].name,
			 amount(p, n, values[i]),
			 text_percent(share, (double)values[i], (double)bar->work));
		marks_rect(m, p->slots[i].ink, from, y - c->bar / 2, to - from, c->bar, note);
		from = to;
	}
}

/* The texts of rows and of the legend. */
struct texts {
	struct row_label *rows;
	struct row_swatch swatches[SHOWN + 1];
};

static int make_texts(struct texts *t, const struct plan *p)
{
	t->rows = calloc(p->mix->bars.n + 1, sizeof(*t->rows));
	if (!t->rows)
		return -ENOMEM;
	for (size_t i = 0; i < p->mix->bars.n; i++) {
		t->rows[i].name = p->mix->bars.at[i].name;
		t->rows[i].note = bar_text(p, &p->mix->bars.at[i]);
		if (!t->rows[i].note)
			return -ENOMEM;
	}
	for (size_t i = 0; i < p->n_slots; i++) {
		t->swatches[i].ink = p->slots[i].ink;
		t->swatches[i].text = swatch_text(p, &p->slots[i]);
		if (!t->swatches[i].text)
			return -ENOMEM;
	}
	return 0;
}

static void free_texts(struct texts *t, const struct plan *p)
{
	for (size_t i = 0; t->rows && i < p->mix->bars.n; i++)
		free(t->rows[i].note);
	free(t->rows);
	for (size_t i = 0; i < p->n_slots; i++)
		free((char *)t->swatches[i].text);
}

static int draw(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
		const struct plan *p, struct texts *t)
{
	struct frame_shape shape = { .axis = true };
	struct scale_tick ticks[SCALE_TICKS];
	struct scale s = { .lo = 0 };
	size_t n, n_bars = p->mix->bars.n;
	char *text = foot(p);
	struct frame f;
	unsigned most;

	if (!text)
		return -ENOMEM;
	shape.foot = text;
	shape.above = rows_legend(NULL, c, t->swatches, p->n_slots, 0);
	rows_margins(c, t->rows, n_bars, &shape);
	f = frame_begin(m, c, caption, &shape);
	free(text);
	s.hi = n_bars && p->mix->bars.at[0].work ? (double)p->mix->bars.at[0].work : 1;
	s.from = f.plot.x;
	s.to = f.plot.x + f.plot.w;
	most = (unsigned)(f.plot.w / (c->cells ? 12 : 100));
	if (p->by_time)
		n = scale_ticks_time(ticks, 0, s.hi, most);
	else
		n = scale_ticks_count(ticks, 0, s.hi, s.hi < most ? (unsigned)s.hi : most, "");
	rows_legend(m, c, t->swatches, p->n_slots, f.above);
	frame_axis_x(m, c, &f, &s, ticks, n_bars ? n : 0,
		     !p->by_time      ? "exits"
		     : p->mix->on_cpu ? "time on a CPU from kvm_exit to kvm_entry"
				      : "time from kvm_exit to kvm_entry");
	for (size_t i = 0; i < n_bars; i++) {
		draw_bar(m, c, p, &s, &p->mix->bars.at[i], rows_middle(c, &f, i));
		t->rows[i].end = scale_at(&s, (double)p->mix->bars.at[i].work);
	}
	rows_labels(m, c, &f, t->rows, n_bars);
	if (!n_bars)
		rows_nothing(m, &f, "no exits in this window for these tasks");
	return m->failed ? -ENOMEM : 0;
}

int view_exits(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
	       struct exit_mix *mix, bool by_time)
{
	struct plan p = { .mix = mix, .by_time = by_time };
	struct texts texts = { 0 };
	int rc = make_plan(&p);

	if (!rc) {
		sum_bars(&p, mix);
		rc = make_texts(&texts, &p);
	}
	if (!rc)
		rc = draw(m, c, caption, &p, &texts);
	free_texts(&texts, &p);
	free(p.slot_of);
	return rc;
}
