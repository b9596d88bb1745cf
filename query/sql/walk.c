// SPDX-License-Identifier: GPL-2.0-only
/* walk.c - see walk.h. */
#include "query/sql/walk.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/printing/reasons.h"
#include "analyze/walk/digest.h"
#include "base/fail.h"

/* Events between two checks for rows: few enough for LIMIT, enough that the check costs nothing. */
enum { STEP = 4096 };

static int walk_next(struct query_source *src, struct cdict_error *err)
{
	struct walk_source *w = (struct walk_source *)(void *)src;

	if (w->at < w->rows.n) {
		w->at++;
		return 1;
	}
	w->rows.n = w->at = 0;
	if (w->scan.shared)
		return 0;
	while (!w->done && !w->rows.n) {
		int rc = analyze_engine_step(w->eng, STEP, err);

		if (rc < 0)
			return rc;
		w->done = rc == 0;
		w->run->db->read += STEP;
	}
	w->at = w->rows.n ? 1 : 0;
	return w->rows.n ? 1 : 0;
}

static void walk_close(struct query_source *src)
{
	struct walk_source *w = (struct walk_source *)(void *)src;

	if (!w->scan.shared)
		analyze_engine_free(w->eng);
	analyze_reasons_free(w->reasons);
	array_fini(&w->rows);
	array_fini(&w->utids);
	array_fini(&w->tasks);
	free(w->last_block_ns);
	free(w->cpus);
	free(w);
}

/* Sets the walk's window. Rows are selected by their start: those open at the window's end are followed (pending). */
static void set_window(struct walk_source *w, struct analyze_options *opts)
{
	const struct query_scan *s = &w->scan;
	uint64_t first = w->run->first_ns, last = w->run->last_ns;
	uint64_t from = s->from_ns, to = s->to_ns < s->end_to_ns ? s->to_ns : s->end_to_ns;

	w->from_ns = s->from_ns;
	w->to_ns = to;
	w->clipped = s->clip_from_ns || s->clip_to_ns;
	if (s->end_from_ns > from)
		from = s->end_from_ns;
	if (w->clipped) {
		/* SQLite filters the rest */
		opts->from_ns = s->clip_from_ns;
		opts->to_ns = s->clip_to_ns;
	} else if (from > first || to < last) {
		opts->from_ns = from;
		opts->to_ns = to < last ? to : last;
		w->windowed = true;
	}
	w->done = (w->clipped ? s->clip_from_ns : from) > last ||
		  (w->clipped ? s->clip_to_ns && s->clip_to_ns < first : to < first);
	/* a task has no rows before its birth */
	if (s->has_utid && !w->clipped && w->run->has_threads) {
		const struct query_thread *t = query_thread_find(w->run, s->utid);

		if (!t)
			w->done = true;
		else if (t->tid && t->born_ns != ANALYZE_NO_TIME && t->born_ns > from &&
			 t->born_ns > first && t->born_ns <= last && t->born_ns <= to) {
			opts->from_ns = t->born_ns;
			opts->to_ns = to < last ? to : last;
			w->windowed = true;
		}
	}
}

static int set_cpus(struct walk_source *w, const struct query_table *table,
		    struct analyze_options *opts)
{
	uint32_t n = cdict_reader_cpus(w->run->reader);

	w->n_cpus = n;
	w->last_block_ns = calloc((size_t)n + 1, sizeof(*w->last_block_ns));
	if (!w->last_block_ns)
		return -ENOMEM;
	for (size_t i = 0; i < cdict_reader_block_count(w->run->reader); i++) {
		const struct cdict_block_info *b = cdict_reader_block_at(w->run->reader, i);

		if (b->cpu < n && b->last_ns > w->last_block_ns[b->cpu])
			w->last_block_ns[b->cpu] = b->last_ns;
	}
	if (!w->scan.has_cpu || !(table->flags & QUERY_NARROWS) || !w->run->whole)
		return 0;
	w->cpus = calloc((size_t)n / 64 + 1, sizeof(*w->cpus));
	if (!w->cpus)
		return -ENOMEM;
	if (w->scan.cpu < n)
		w->cpus[w->scan.cpu / 64] |= UINT64_C(1) << w->scan.cpu % 64;
	else
		w->done = true;
	opts->cpus = w->cpus;
	opts->n_cpus = n;
	opts->narrow = true;
	return 0;
}

static int begin_walk(struct walk_source *w, const struct query_table *table,
		      struct cdict_error *err)
{
	struct analyze_options opts = { .jobs = w->run->db->opts.jobs };
	int rc = 0;

	if (w->scan.has_utid || query_uses(&w->scan, WALK_UTID))
		rc = query_threads(w->run, err);
	if (rc)
		return rc;
	set_window(w, &opts);
	w->done |= w->scan.nothing;
	if (set_cpus(w, table, &opts))
		return cdict_fail_nomem(err);
	if (w->done)
		return 0;
	if (opts.from_ns || opts.to_ns)
		rc = query_digests(w->run, err);
	opts.digests = opts.from_ns || opts.to_ns ? w->run->digests : NULL;
	if (!rc && w->scan.shared)
		w->eng = w->scan.shared->eng;
	if (!rc && !w->eng)
		rc = analyze_engine_new(&w->eng, &opts, err);
	if (!rc && w->scan.shared)
		w->scan.shared->eng = w->eng;
	if (!rc)
		rc = analyze_engine_add(w->eng, &w->ops, w, err);
	return rc || w->scan.shared ? rc : analyze_engine_begin(w->eng, w->run->reader, err);
}

int walk_open(struct query_source **out, struct query_run_of *run, const struct query_table *table,
	      const struct query_scan *scan, const struct analyze_ops *ops,
	      void (*column)(struct query_source *src, struct query_value *out, int column),
	      struct cdict_error *err)
{
	struct walk_source *w = calloc(1, sizeof(*w));
	int rc;

	if (!w)
		return cdict_fail_nomem(err);
	w->base = (struct query_source){ walk_next, column, walk_close };
	w->run = run;
	w->scan = *scan;
	query_clip(run, &w->scan);
	w->ops = *ops;
	w->ops.resumes = true;
	rc = begin_walk(w, table, err);
	if (rc) {
		walk_close(&w->base);
		return rc;
	}
	*out = &w->base;
	return 0;
}

struct walk_row *walk_add(struct walk_source *w, uint64_t ts, uint64_t end, uint32_t task)
{
	struct walk_row *row;

	if (!w->clipped && (ts < w->from_ns || ts > w->to_ns))
		return NULL;
	row = array_add(&w->rows);
	if (!row) {
		analyze_engine_out_of_memory(w->eng);
		return NULL;
	}
	row->ts = ts;
	row->end = end;
	row->task = task;
	row->other = ANALYZE_NO_TASK;
	row->cpu = CDICT_CPU_UNKNOWN;
	row->number = -1;
	return row;
}

struct walk_task *walk_task(struct walk_source *w, uint32_t task)
{
	if (task >= w->tasks.n && array_resize(&w->tasks, (size_t)task + 1)) {
		analyze_engine_out_of_memory(w->eng);
		return NULL;
	}
	return &w->tasks.at[task];
}

/* Number of earlier tasks with the same tid: the engine numbers tasks in order. */
static size_t generation(const struct walk_source *w, uint32_t task, int32_t tid)
{
	size_t n = 0;

	for (uint32_t i = 0; i < task; i++)
		n += analyze_engine_task(w->eng, i)->tid == tid;
	return n;
}

static int64_t look_up(const struct walk_source *w, uint32_t task, uint64_t t_ns)
{
	int32_t tid = analyze_engine_task(w->eng, task)->tid;
	const struct query_thread *t;

	if (!tid)
		return 0;
	if (!query_thread_nth(w->run, tid, 1))
		t = query_thread_nth(w->run, tid, 0);
	else if (w->cpus)
		t = query_thread_at(w->run, tid, t_ns);
	else
		t = query_thread_nth(w->run, tid, generation(w, task, tid));
	return t ? t->utid : -2;
}

void walk_result_utid(struct walk_source *w, struct query_value *out, uint32_t task, uint64_t t_ns)
{
	int64_t utid;

	if (task == ANALYZE_NO_TASK)
		return;
	if (task >= w->utids.n && array_resize(&w->utids, analyze_engine_task_count(w->eng))) {
		query_result_failed(out, -ENOMEM);
		return;
	}
	if (!w->utids.at[task])
		w->utids.at[task] = look_up(w, task, t_ns) + 1;
	utid = w->utids.at[task] - 1;
	if (w->cpus && query_thread_nth(w->run, analyze_engine_task(w->eng, task)->tid, 1))
		utid = look_up(w, task, t_ns); /* a walk of one CPU has one task per tid */
	if (utid >= 0)
		query_result_int(out, utid);
}

void walk_result(struct walk_source *w, struct query_value *out, const struct walk_row *row,
		 const struct query_column *column)
{
	switch (column->role) {
	case QUERY_TS:
		query_result_time(out, row->ts);
		break;
	case QUERY_TS_END:
		query_result_time(out, row->end);
		break;
	case QUERY_CPU:
		query_result_cpu(out, row->cpu);
		break;
	case QUERY_UTID:
		walk_result_utid(w, out, row->task, row->ts);
		break;
	case QUERY_DUR:
		query_result_time(out, walk_row_dur(row));
		break;
	default: /* the window's columns stay NULL */
		break;
	}
}

bool walk_goes_on(const struct walk_source *w, uint32_t cpu)
{
	if (cpu >= w->n_cpus)
		return false;
	return w->last_block_ns[cpu] > analyze_engine_now(w->eng) ||
	       cdict_reader_loss_count(w->run->reader);
}

uint64_t walk_ended(const struct walk_source *w, uint64_t end_ns)
{
	uint64_t from, to;

	analyze_engine_walk(w->eng, &from, &to);
	return w->windowed && end_ns == to ? w->run->last_ns : end_ns;
}
