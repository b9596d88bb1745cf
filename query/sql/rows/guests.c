// SPDX-License-Identifier: GPL-2.0-only
/* guests.c - guest_thread, guest_thread_state: the tasks of joined guests, as cdict tasks --guest; times are the host's. */
#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "format/file/guests.h"
#include "query/sql/tables.h"
#include "tables/columns/tables.h"
#include "tables/guest/guests.h"

struct row {
	uint32_t guest, number; /* its rows' number; of a state: its task */
	struct guest_task_piece piece;
};

/* What a walk over the host and all guests found. */
struct query_guests {
	struct guests *g; /* NULL: no guest is joined */
	ARRAY(struct row) rows;
	uint64_t from_ns, to_ns; /* the window asked for */
	bool failed;
};

struct guest_source {
	struct query_source base;
	struct query_run_of *run;
	struct query_guests *of, *own; /* own: NULL if the run keeps it */
	size_t at;                     /* + 1 */
};

static void free_guests(struct query_guests *q)
{
	if (!q)
		return;
	guests_free(q->g);
	array_fini(&q->rows);
	free(q);
}

void query_guests_fini(struct query_run_of *run)
{
	free_guests(run->guests[0]);
	free_guests(run->guests[1]);
}

static const struct row *row_of(const struct query_source *src, const struct guest **one)
{
	const struct guest_source *s = (const struct guest_source *)(const void *)src;
	const struct row *row = &s->of->rows.at[s->at - 1];

	*one = &s->of->g->all[row->guest];
	return row;
}

static int guest_next(struct query_source *src, struct cdict_error *err)
{
	struct guest_source *s = (struct guest_source *)(void *)src;

	(void)err;
	return s->at++ < s->of->rows.n;
}

static void guest_close(struct query_source *src)
{
	struct guest_source *s = (struct guest_source *)(void *)src;

	free_guests(s->own);
	free(s);
}

/* A text that the row is given. */
static void result_given(struct query_value *out, char *text)
{
	if (text)
		tables_plain(text);
	query_result_text(out, text);
	out->given = text;
	if (!text)
		query_result_failed(out, -ENOMEM);
}

/* The columns that both tables begin with. */
static bool identity(struct query_value *out, const struct guest *one, uint32_t number, int column)
{
	const struct analyze_task *task = analyze_engine_task(one->walk.eng, number);

	switch (column) {
	case 0:
		query_result_text(out, one->vm);
		return true;
	case 1:
		query_result_fixed(out, "guest");
		return true;
	case 2:
		query_result_int(out, number + 1);
		return true;
	case 3:
		query_result_int(out, task->tid);
		return true;
	case 4:
		result_given(out, names_display(&one->walk.names, task));
		return true;
	default:
		return false;
	}
}

#define IDENTITY                                                                                   \
	{ "vm", "TEXT", QUERY_PLAIN, false }, { "side", "TEXT", QUERY_PLAIN, false },              \
		{ "task", "INTEGER", QUERY_PLAIN, false },                                         \
		{ "tid", "INTEGER", QUERY_PLAIN, false },                                          \
	{                                                                                          \
		"name", "TEXT", QUERY_PLAIN, false                                                 \
	}
enum { OWN = 5 };

/* ---- walking ---- */

static void on_piece(void *ctx, const struct guest_task_piece *piece)
{
	struct query_guests *q = ctx;

	q->failed |= array_push(&q->rows, ((struct row){ q->g->walking, piece->task, *piece })) !=
		     0;
}

static int add_threads(struct query_guests *q)
{
	for (uint32_t i = 0; i < q->g->n; i++)
		for (uint32_t k = 0; k < guest_inside_row_count(q->g->all[i].inside); k++)
			if (array_push(&q->rows, ((struct row){ .guest = i, .number = k })))
				return -ENOMEM;
	return 0;
}

static int walk(struct query_guests *q, struct query_run_of *run, bool states,
		struct cdict_error *err)
{
	struct tables_options opts = { .jobs = run->db->opts.jobs,
				       .from_ns = q->from_ns,
				       .to_ns = q->to_ns,
				       .names.labels = run->labels };
	int rc = states ? query_threads(run, err) : 0;

	if (!rc)
		rc = guests_begin(&q->g, run->reader, &opts, err);
	if (rc)
		return rc;
	if (states) {
		q->g->on_piece = on_piece;
		q->g->ctx = q;
	}
	rc = guests_finish(q->g, err);
	if (!rc && (q->failed || (!states && add_threads(q))))
		rc = cdict_fail_nomem(err);
	return rc;
}

/* A join opens a table once for each row of the other: the run keeps the first window's rows. */
static int open_rows(struct query_source **out, struct query_run_of *run,
		     const struct query_scan *asked, bool states,
		     void (*column)(struct query_source *src, struct query_value *out, int column),
		     struct cdict_error *err)
{
	struct guest_source *s = calloc(1, sizeof(*s));
	struct query_guests *q = run->guests[states];
	struct query_scan scan = *asked;
	int rc = 0;

	if (!s)
		return cdict_fail_nomem(err);
	s->base = (struct query_source){ guest_next, column, guest_close };
	s->run = run;
	query_clip(run, &scan);
	if (!q || q->from_ns != scan.clip_from_ns || q->to_ns != scan.clip_to_ns) {
		q = s->own = calloc(1, sizeof(*q));
		if (!q)
			rc = cdict_fail_nomem(err);
		if (q) {
			q->from_ns = scan.clip_from_ns;
			q->to_ns = scan.clip_to_ns;
		}
		if (q && reader_guest_count(run->reader) && !scan.nothing)
			rc = walk(q, run, states, err);
		if (!rc && !run->guests[states] && !scan.nothing) {
			run->guests[states] = q;
			s->own = NULL;
		}
	}
	s->of = q;
	if (rc)
		guest_close(&s->base);
	else
		*out = &s->base;
	return rc;
}

/* ---- guest_thread ---- */

static const struct query_column thread_columns[] = {
	IDENTITY,
	{ "pid", "INTEGER", QUERY_PLAIN, false },
	{ "comm", "TEXT", QUERY_PLAIN, false },
	{ "cpu", "INTEGER", QUERY_PLAIN, false },
	{ "run_ns", "INTEGER", QUERY_PLAIN, false },
	{ "stolen_ns", "INTEGER", QUERY_PLAIN, false },
	{ "busy_ns", "INTEGER", QUERY_PLAIN, false },
	{ "away_ns", "INTEGER", QUERY_PLAIN, false },
	{ "sleep_ns", "INTEGER", QUERY_PLAIN, false },
	{ "block_ns", "INTEGER", QUERY_PLAIN, false },
	{ "unknown_ns", "INTEGER", QUERY_PLAIN, false },
	{ "absent_ns", "INTEGER", QUERY_PLAIN, false },
	{ "vcpu_wait_ns", "INTEGER", QUERY_PLAIN, false },
	{ "clock_error_ns", "INTEGER", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	QUERY_COLUMNS_WINDOW,
	QUERY_COLUMNS_END,
};

static void thread_column(struct query_source *src, struct query_value *out, int column)
{
	const struct guest *one;
	const struct row *at = row_of(src, &one);
	const struct guest_task_row *row = guest_inside_row_at(one->inside, at->number);
	const struct analyze_task *task = analyze_engine_task(one->walk.eng, row->task);
	const uint64_t sums[] = { row->run_ns,
				  guest_task_stolen_ns(row),
				  row->busy_ns,
				  guest_task_away_ns(row),
				  row->sleep_ns,
				  row->block_ns,
				  row->unknown_ns,
				  row->absent_ns,
				  guest_task_vcpu_wait_ns(row),
				  one->clock.error_ns };

	if (identity(out, one, row->task, column))
		return;
	column -= OWN;
	if (column == 0 && task->pid >= 0)
		query_result_int(out, task->pid);
	else if (column == 1)
		query_result_text(out, task->comm);
	else if (column == 2)
		query_result_cpu(out, row->cpu);
	else if (column > 2 && (size_t)column - 3 < sizeof(sums) / sizeof(*sums))
		query_result_int(out, (int64_t)sums[column - 3]);
}

static int thread_open(struct query_source **out, struct query_run_of *run,
		       const struct query_table *table, const struct query_scan *scan,
		       struct cdict_error *err)
{
	(void)table;
	return open_rows(out, run, scan, false, thread_column, err);
}

const struct query_table query_guest_thread = {
	.name = "guest_thread", .columns = thread_columns, .flags = QUERY_SMALL, .open = thread_open
};

/* ---- guest_thread_state ---- */

static const struct query_column state_columns[] = {
	IDENTITY,
	{ "ts", "INTEGER", QUERY_TS, false },
	{ "dur", "INTEGER", QUERY_DUR, false },
	{ "state", "TEXT", QUERY_PLAIN, false },
	{ "vcpu_utid", "INTEGER", QUERY_PLAIN, false },
	{ "vcpu_state", "TEXT", QUERY_PLAIN, false },
	{ "reason", "TEXT", QUERY_PLAIN, false },
	{ "behind", "TEXT", QUERY_PLAIN, false },
	{ "behind_utid", "INTEGER", QUERY_PLAIN, false },
	{ "behind_vm", "TEXT", QUERY_PLAIN, false },
	{ "behind_task", "INTEGER", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	QUERY_COLUMNS_WINDOW,
	QUERY_COLUMNS_END,
};

static const char *const states[] = {
	[GUEST_RUNNING] = "running", [GUEST_STOLEN] = "stolen", [GUEST_BUSY] = "busy",
	[GUEST_AWAY] = "away",       [GUEST_ASLEEP] = "asleep", [GUEST_BLOCKED] = "blocked",
};

/* The utid of the host's @task. */
static void result_utid(const struct guest_source *s, struct query_value *out, uint32_t number)
{
	const struct analyze_task *task;
	const struct query_thread *t;

	if (number == ANALYZE_NO_TASK)
		return;
	task = analyze_engine_task(s->of->g->walk.eng, number);
	t = query_thread_at(s->run, task->tid,
			    task->first_ns != ANALYZE_NO_TIME ? task->first_ns : s->run->last_ns);
	if (t)
		query_result_int(out, t->utid);
}

static void state_column(struct query_source *src, struct query_value *out, int column)
{
	const struct guest_source *s = (const struct guest_source *)(const void *)src;
	const struct guest *one;
	const struct row *row = row_of(src, &one);
	const struct guest_task_piece *p = &row->piece;
	bool out_of_guest = p->doing == GUEST_STOLEN || p->doing == GUEST_AWAY,
	     waits = out_of_guest &&
		     (p->state == ANALYZE_VCPU_PREEMPTED || p->state == ANALYZE_VCPU_WAITING);
	struct guest_culprit who = p->who;
	struct sink text;

	if (identity(out, one, row->number, column))
		return;
	if (p->doing == GUEST_BUSY)
		who.guest = row->guest + 1;
	switch (column - OWN) {
	case 0:
		query_result_time(out, p->from_ns);
		break;
	case 1:
		query_result_time(out, p->to_ns - p->from_ns);
		break;
	case 2:
		query_result_fixed(out, states[p->doing]);
		break;
	case 3:
		result_utid(s, out, p->vcpu);
		break;
	case 4:
		if (p->vcpu != ANALYZE_NO_TASK)
			query_result_fixed(out,
					   analyze_vcpu_state_name(
						   out_of_guest ? p->state : ANALYZE_VCPU_GUEST));
		break;
	case 5:
		if (out_of_guest &&
		    (p->state == ANALYZE_VCPU_EXIT || p->state == ANALYZE_VCPU_QEMU))
			query_result_text(out, guest_vcpu_track_reason(s->of->g->track, p->reason));
		break;
	case 6:
		if (!waits && p->doing != GUEST_BUSY)
			break;
		sink_to_memory(&text);
		guests_put_culprit(&text, s->of->g, &who);
		result_given(out, sink_take(&text, NULL));
		break;
	case 7:
		if (waits)
			result_utid(s, out, who.task);
		break;
	case 8:
		if (who.guest)
			query_result_text(out, s->of->g->all[who.guest - 1].vm);
		break;
	case 9:
		if (who.guest && who.guest_task != ANALYZE_NO_TASK)
			query_result_int(out, who.guest_task + 1);
		break;
	default:
		break;
	}
}

static int state_open(struct query_source **out, struct query_run_of *run,
		      const struct query_table *table, const struct query_scan *scan,
		      struct cdict_error *err)
{
	(void)table;
	return open_rows(out, run, scan, true, state_column, err);
}

const struct query_table query_guest_thread_state = { .name = "guest_thread_state",
						      .columns = state_columns,
						      .open = state_open };
