/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * walk.h - a source whose rows come from an analysis: the engine walks a few thousand events at a time, and the rows that
 * the analysis adds meanwhile are the next rows.
 */
#ifndef QUERY_SQL_WALK_H
#define QUERY_SQL_WALK_H

#include "query/sql/tables.h"

/* The column utid of all tables, and the first own column of tables with ts, dur, cpu, utid. */
enum { WALK_UTID = 3, WALK_OWN };

enum { WALK_STATES = 64 };

struct walk_row {
	uint64_t ts, end; /* end: ANALYZE_NO_TIME, not known */
	uint64_t value;   /* prev_state, exit reason */
	uint32_t cpu, task, other;
	int32_t number; /* priority, ISA, target CPU */
	uint8_t kind;
	bool known; /* @value is */
};

struct walk_source {
	struct query_source base;
	struct query_run_of *run;
	struct query_scan scan;
	struct analyze_engine *eng;
	struct analyze_ops ops;
	uint64_t *cpus; /* bitmap of the only CPU that is read, or NULL */
	bool clipped;   /* rows are clipped to a window */
	bool windowed;  /* the walk ends before the capture does */
	bool done;
	uint64_t from_ns, to_ns; /* rows that begin in this range are wanted */
	ARRAY(struct walk_row) rows;
	size_t at;               /* the row + 1 */
	ARRAY(int64_t) utids;    /* by the engine's numbers, + 1; 0: not looked up yet, -1: none */
	uint64_t *last_block_ns; /* by CPU: end of its last block */
	uint32_t n_cpus;
	ARRAY(struct walk_task) tasks; /* a table's state of each task */
	struct analyze_reasons *reasons;
	/* Texts of the first states that have each hash: texts that stay. */
	struct walk_state {
		uint64_t value;
		char text[ANALYZE_STATE_ROOM]; /* empty: none yet */
	} states[WALK_STATES];
	unsigned open; /* pieces that began in the window and have not ended */
};

struct walk_task {
	uint64_t t_ns; /* 1 + start of the open piece, 0: none (ANALYZE_NO_TIME + 1) */
	uint64_t value;
	uint32_t cpu, other;
	int32_t number;
	uint8_t kind;
	bool known;
};

/* The rows of a shared walk, after each step of it: next() returns 0 when there are no more yet. */
/* walk_open - @ops are copied, self is the source; taken rows come from array_add(&rows). */
int walk_open(struct query_source **out, struct query_run_of *run, const struct query_table *table,
	      const struct query_scan *scan, const struct analyze_ops *ops,
	      void (*column)(struct query_source *src, struct query_value *out, int column),
	      struct cdict_error *err);
/* walk_add - adds a row if its start is wanted; NULL: it is not, or out of memory. */
struct walk_row *walk_add(struct walk_source *w, uint64_t ts, uint64_t end, uint32_t task);
/* walk_task - the state of @task; NULL: out of memory. */
struct walk_task *walk_task(struct walk_source *w, uint32_t task);
/* walk_result_utid - returns the utid of the engine's @task to SQLite. */
void walk_result_utid(struct walk_source *w, struct query_value *out, uint32_t task, uint64_t t_ns);
/* walk_result - returns a column that all these tables have, by its role. */
void walk_result(struct walk_source *w, struct query_value *out, const struct walk_row *row,
		 const struct query_column *column);
/* walk_ended - the end of a piece without a recorded end: the end of the capture if the walk's window cut it. */
uint64_t walk_ended(const struct walk_source *w, uint64_t end_ns);
/* walk_goes_on - whether later events of @cpu may end its open piece. */
bool walk_goes_on(const struct walk_source *w, uint32_t cpu);

/* walk_in_window - whether a row that begins at @t_ns is wanted. */
static inline bool walk_in_window(const struct walk_source *w, uint64_t t_ns)
{
	return t_ns >= w->from_ns && t_ns <= w->to_ns;
}

/* walk_row_dur - or ANALYZE_NO_TIME. */
static inline uint64_t walk_row_dur(const struct walk_row *row)
{
	return row->end == ANALYZE_NO_TIME ? row->end : row->end - row->ts;
}

/* walk_known_utid - the utid of the engine's @task if it was looked up before, or less than 0. */
static inline int64_t walk_known_utid(const struct walk_source *w, uint32_t task)
{
	return task < w->utids.n && !w->cpus ? w->utids.at[task] - 1 : -1;
}

static inline const struct walk_row *walk_row_now(const struct walk_source *w)
{
	return &w->rows.at[w->at - 1];
}

#endif
