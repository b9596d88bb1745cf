// SPDX-License-Identifier: GPL-2.0-only
/* sched.c - sched_slice, thread_state, wakeup: where tasks ran, why they did not, what woke them. */
#include <string.h>

#include "query/sql/walk.h"

/* Whether a slice of the window is still open: the walk must not end before it does. */
static bool on_cpu_pending(void *self)
{
	const struct walk_source *w = self;

	for (uint32_t c = 0; c < analyze_engine_cpus(w->eng) && !w->clipped; c++) {
		uint64_t since_ns;
		uint32_t task = analyze_engine_running(w->eng, c, &since_ns);

		if (task != ANALYZE_NO_TASK && since_ns >= w->from_ns && since_ns <= w->to_ns &&
		    (!w->cpus || c == w->scan.cpu) && walk_goes_on(w, c))
			return true;
	}
	return false;
}

/* ---- sched_slice ---- */

enum { SLICE_END_STATE = WALK_OWN, SLICE_PRIORITY };

static const struct query_column slice_columns[] = {
	{ "ts", "INTEGER", QUERY_TS, false },
	{ "dur", "INTEGER", QUERY_DUR, false },
	{ "cpu", "INTEGER", QUERY_CPU, false },
	{ "utid", "INTEGER", QUERY_UTID, false },
	{ "end_state", "TEXT", QUERY_PLAIN, false },
	{ "priority", "INTEGER", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	QUERY_COLUMNS_WINDOW,
	{ "ts_end", "INTEGER", QUERY_TS_END, true },
	QUERY_COLUMNS_END,
};

static void on_run(void *self, const struct analyze_run *run)
{
	struct walk_source *w = self;
	uint64_t end = run->end_seen ? run->end_ns : walk_ended(w, run->end_ns);
	struct walk_row *row;

	if (run->task == ANALYZE_NO_TASK || (run->start_ns == end && !run->end_seen))
		return;
	if (w->clipped && run->from_ns == run->to_ns)
		return;
	row = w->clipped ? walk_add(w, run->from_ns, run->to_ns, run->task)
			 : walk_add(w, run->start_ns, end, run->task);
	if (row)
		row->cpu = run->cpu;
}

/* Adds to the latest slice why it ended. */
static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct walk_source *w = self;
	struct walk_row *row = w->rows.n ? &w->rows.at[w->rows.n - 1] : NULL;

	if (!row || row->cpu != sw->cpu || row->task != sw->prev || row->end != sw->t_ns)
		return;
	row->value = sw->prev_state;
	row->known = true;
	row->number = sw->prev_prio;
}

static void result_state(struct walk_source *w, struct query_value *out, const struct walk_row *row)
{
	struct walk_state *s = &w->states[row->value * UINT64_C(0x9e3779b97f4a7c15) >> 58];

	if (!row->known || !analyze_engine_summary(w->eng)->has_state)
		return;
	if (!*s->text) {
		s->value = row->value;
		analyze_engine_state(w->eng, row->value, s->text);
	}
	if (s->value == row->value)
		query_result_fixed(out, s->text);
	else
		query_result_text(out, analyze_engine_state(w->eng, row->value, out->room));
}

static void slice_column(struct query_source *src, struct query_value *out, int column)
{
	struct walk_source *w = (struct walk_source *)(void *)src;
	const struct walk_row *row = walk_row_now(w);

	switch (column) {
	case SLICE_END_STATE:
		result_state(w, out, row);
		break;
	case SLICE_PRIORITY:
		if (row->number >= 0)
			query_result_int(out, row->number);
		break;
	default:
		walk_result(w, out, row, &slice_columns[column]);
		break;
	}
}

static int slice_open(struct query_source **out, struct query_run_of *run,
		      const struct query_table *table, const struct query_scan *scan,
		      struct cdict_error *err)
{
	struct analyze_ops ops = { .run = on_run, .pending = on_cpu_pending };

	if (query_uses(scan, SLICE_END_STATE) || query_uses(scan, SLICE_PRIORITY))
		ops.sw = on_switch;
	if (query_uses(scan, SLICE_PRIORITY))
		ops.needs = ANALYZE_NEED_PRIORITIES;
	return walk_open(out, run, table, scan, &ops, slice_column, err);
}

const struct query_table query_sched_slice = { .name = "sched_slice",
					       .columns = slice_columns,
					       .flags = QUERY_NARROWS | QUERY_WALK,
					       .open = slice_open };
/* The same table under its older name. */
const struct query_table query_sched = { .name = "sched",
					 .columns = slice_columns,
					 .flags = QUERY_NARROWS | QUERY_WALK,
					 .open = slice_open };

/* ---- thread_state ---- */

enum { STATE_STATE = WALK_OWN, STATE_IO_WAIT, STATE_WAKER };

static const struct query_column state_columns[] = {
	{ "ts", "INTEGER", QUERY_TS, false },
	{ "dur", "INTEGER", QUERY_DUR, false },
	{ "cpu", "INTEGER", QUERY_CPU, false },
	{ "utid", "INTEGER", QUERY_UTID, false },
	{ "state", "TEXT", QUERY_PLAIN, false },
	{ "io_wait", "INTEGER", QUERY_PLAIN, false },
	{ "waker_utid", "INTEGER", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	QUERY_COLUMNS_WINDOW,
	{ "ts_end", "INTEGER", QUERY_TS_END, true },
	QUERY_COLUMNS_END,
};

enum state_kind { STATE_RUNNING, STATE_OFF, STATE_WOKEN };

/* A task's pieces that began in the window and are open: bits of walk_task.kind. */
enum { OPEN_RUN = 1, OPEN_OFF = 2, OPEN_WOKEN = 4 };

static void begun(struct walk_source *w, struct walk_task *t, unsigned what, uint64_t t_ns)
{
	if (!walk_in_window(w, t_ns) || t->kind & what)
		return;
	t->kind |= (uint8_t)what;
	w->open++;
}

static void ended(struct walk_source *w, struct walk_task *t, unsigned what)
{
	for (unsigned bit = OPEN_RUN; bit <= OPEN_WOKEN; bit <<= 1)
		w->open -= t->kind & what & bit ? 1 : 0;
	t->kind &= (uint8_t)~what;
}

/* In walk_task: known, value: prev_state of the last switch-out; t_ns - 1, other: the wake-up since, and the waker. */
static void on_state_switch(void *self, const struct analyze_switch *sw)
{
	struct walk_source *w = self;
	struct walk_task *t = walk_task(w, sw->prev);

	if (!t)
		return;
	t->value = sw->prev_state;
	t->known = true;
	t->t_ns = 0;
	if (analyze_engine_task(w->eng, sw->prev)->tid)
		begun(w, t, OPEN_OFF, sw->t_ns);
	t = walk_task(w, sw->next);
	if (!t)
		return;
	t->t_ns = 0;
	ended(w, t, OPEN_OFF | OPEN_WOKEN); /* no row ended them if the task was unknown */
	begun(w, t, OPEN_RUN, sw->t_ns);
}

static void on_state_wake(void *self, const struct analyze_wake *wake)
{
	struct walk_source *w = self;
	struct walk_task *t = wake->first ? walk_task(w, wake->task) : NULL;

	if (!t)
		return;
	t->t_ns = wake->t_ns + 1;
	t->other = wake->late ? wake->waker : analyze_engine_sampled(w->eng, wake->cpu);
	begun(w, t, OPEN_WOKEN, wake->t_ns);
}

static void on_state_resume(void *self, const struct analyze_resume *r)
{
	struct walk_source *w = self;
	struct walk_task *t = r->ready_ns != ANALYZE_NO_TIME ? walk_task(w, r->task) : NULL;

	if (!t)
		return;
	t->t_ns = r->ready_ns + 1;
	t->other = ANALYZE_NO_TASK;
}

static void on_state_run(void *self, const struct analyze_run *run)
{
	struct walk_source *w = self;
	struct walk_task *t = run->task != ANALYZE_NO_TASK ? walk_task(w, run->task) : NULL;
	size_t n = w->rows.n;

	on_run(self, run);
	if (w->rows.n > n)
		w->rows.at[n].kind = STATE_RUNNING;
	if (t)
		ended(w, t, OPEN_RUN);
}

/* Adds the piece of @away from @from_ns to @to_ns, clipped to the window. */
static struct walk_row *add_piece(struct walk_source *w, const struct analyze_away *away,
				  uint64_t from_ns, uint64_t to_ns)
{
	struct walk_row *row;

	if (w->clipped) {
		from_ns = from_ns > away->from_ns ? from_ns : away->from_ns;
		to_ns = to_ns < away->to_ns ? to_ns : away->to_ns;
	}
	if (from_ns >= to_ns)
		return NULL;
	row = walk_add(w, from_ns, to_ns, away->task);
	if (row)
		row->number = (int32_t)away->off;
	return row;
}

static void on_state_away(void *self, const struct analyze_away *away)
{
	struct walk_source *w = self;
	uint64_t end = away->ended ? away->end_ns : walk_ended(w, away->end_ns), ready = end;
	struct walk_task *t = walk_task(w, away->task);
	struct walk_row *row;

	if (!t)
		return;
	ended(w, t, OPEN_OFF | OPEN_WOKEN);
	/* A wake-up may be the only event of the task. */
	if ((away->off == ANALYZE_OFF_UNKNOWN && !away->waits) ||
	    !analyze_engine_task(w->eng, away->task)->tid)
		return;
	if (away->ready_ns != ANALYZE_NO_TIME && away->ready_ns <= end)
		ready = away->ready_ns;
	row = add_piece(w, away, away->start_ns, ready);
	if (row) {
		row->kind = STATE_OFF;
		row->value = t->value;
		row->known = t->known;
		if (analyze_engine_summary(w->eng)->has_iowait && away->off == ANALYZE_OFF_DISK)
			row->other = away->io;
	}
	row = add_piece(w, away, ready, end);
	if (row) {
		row->kind = STATE_WOKEN;
		row->other = t->t_ns == ready + 1 ? t->other : ANALYZE_NO_TASK;
	}
}

static bool states_pending(void *self)
{
	const struct walk_source *w = self;

	return !w->clipped && (w->open || on_cpu_pending(self));
}

static const char *class_letter(int off)
{
	static const char *const letters[] = { "R", "R+", "S", "D", "T", "X" };

	return off >= 0 && off < ANALYZE_OFF_N ? letters[off] : NULL;
}

static void result_thread_state(struct walk_source *w, struct query_value *out,
				const struct walk_row *row)
{
	if (row->kind == STATE_OFF && row->known)
		result_state(w, out, row);
	else
		query_result_fixed(out, row->kind == STATE_RUNNING ? "Running"
					: row->kind == STATE_WOKEN ? "R"
								   : class_letter(row->number));
}

static void state_column(struct query_source *src, struct query_value *out, int column)
{
	struct walk_source *w = (struct walk_source *)(void *)src;
	const struct walk_row *row = walk_row_now(w);

	switch (column) {
	case STATE_STATE:
		result_thread_state(w, out, row);
		break;
	case STATE_IO_WAIT:
		if (row->kind == STATE_OFF && row->other != ANALYZE_NO_TASK)
			query_result_int(out, (int)row->other);
		break;
	case STATE_WAKER:
		if (row->kind == STATE_WOKEN)
			walk_result_utid(w, out, row->other, row->ts);
		break;
	default:
		walk_result(w, out, row, &state_columns[column]);
		break;
	}
}

static int state_open(struct query_source **out, struct query_run_of *run,
		      const struct query_table *table, const struct query_scan *scan,
		      struct cdict_error *err)
{
	struct query_scan with = *scan;
	const struct analyze_ops ops = { .needs = ANALYZE_NEED_WAKES | ANALYZE_NEED(IOWAIT),
					 .all_cpus = true,
					 .run = on_state_run,
					 .away = on_state_away,
					 .sw = on_state_switch,
					 .wake = on_state_wake,
					 .late_wakes = true,
					 .resume = on_state_resume,
					 .pending = states_pending };

	if (query_uses(scan, STATE_WAKER))
		with.used |= 1u << WALK_UTID;
	/* a piece that began before the walk has a known class, but no letter and no waker: walk from the start */
	if (query_uses(scan, STATE_WAKER) || query_uses(scan, STATE_STATE))
		with.end_from_ns = 0;
	return walk_open(out, run, table, &with, &ops, state_column, err);
}

const struct query_table query_thread_state = {
	.name = "thread_state", .columns = state_columns, .flags = QUERY_WALK, .open = state_open
};

/* ---- wakeup ---- */

enum { WAKE_TARGET = 2, WAKE_WAKER = 4, WAKE_KIND };

static const struct query_column wake_columns[] = {
	{ "ts", "INTEGER", QUERY_TS, false },
	{ "cpu", "INTEGER", QUERY_CPU, false },
	{ "target_cpu", "INTEGER", QUERY_PLAIN, false },
	{ "utid", "INTEGER", QUERY_UTID, false },
	{ "waker_utid", "INTEGER", QUERY_PLAIN, false },
	{ "kind", "TEXT", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	QUERY_COLUMNS_WINDOW,
	QUERY_COLUMNS_END,
};

static void on_wake(void *self, const struct analyze_wake *wake)
{
	struct walk_source *w = self;
	struct walk_row *row;

	if (w->clipped && !wake->in)
		return;
	row = walk_add(w, wake->t_ns, wake->t_ns, wake->task);
	if (!row)
		return;
	row->cpu = wake->cpu;
	row->other = analyze_engine_sampled(w->eng, wake->cpu);
	row->kind = (uint8_t)wake->kind;
	row->value = wake->target_cpu;
}

static void wake_column(struct query_source *src, struct query_value *out, int column)
{
	struct walk_source *w = (struct walk_source *)(void *)src;
	const struct walk_row *row = walk_row_now(w);

	switch (column) {
	case WAKE_TARGET:
		query_result_cpu(out, (uint32_t)row->value);
		break;
	case WAKE_WAKER:
		walk_result_utid(w, out, row->other, row->ts);
		break;
	case WAKE_KIND:
		query_result_fixed(out, row->kind == ANALYZE_KIND_WAKING   ? "waking"
					: row->kind == ANALYZE_KIND_WAKEUP ? "wakeup"
									   : "wakeup_new");
		break;
	default:
		walk_result(w, out, row, &wake_columns[column]);
		break;
	}
}

static int wake_open(struct query_source **out, struct query_run_of *run,
		     const struct query_table *table, const struct query_scan *scan,
		     struct cdict_error *err)
{
	struct query_scan with = *scan;
	const struct analyze_ops ops = { .needs = ANALYZE_NEED_WAKES, .wake = on_wake };

	if (query_uses(scan, WAKE_WAKER))
		with.used |= 1u << WALK_UTID;
	return walk_open(out, run, table, &with, &ops, wake_column, err);
}

const struct query_table query_wakeup = { .name = "wakeup",
					  .columns = wake_columns,
					  .flags = QUERY_ORDERED | QUERY_WALK,
					  .open = wake_open };
