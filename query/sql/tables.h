/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tables.h - virtual tables: columns, and a source of rows that reads one file.
 *
 * vtab.c is the interface to SQLite for all of them; a table is one struct query_table, listed in registry.c, and its
 * source.
 *
 * Threads    one at a time per database connection
 * Failure    0 or a negative code with *err filled
 */
#ifndef QUERY_SQL_TABLES_H
#define QUERY_SQL_TABLES_H

#include <string.h>

#include "analyze/walk/ops.h"
#include "base/memory/array.h"
#include "base/text/sink.h"
#include "query/sql/query.h"
#include "query/sql/sqlite.h"
#include "tables/columns/walk.h"

struct query_db;
struct query_run_of;

/* A column's role in the plan: constraints on it reduce reading. */
enum query_role {
	QUERY_PLAIN = 0,
	QUERY_TS,     /* a row's start */
	QUERY_TS_END, /* its end */
	QUERY_CPU,
	QUERY_UTID,
	QUERY_KEY,    /* an identity: few rows have the same */
	QUERY_DUR,    /* for walk_result(): the row's length; the plan does not use it */
	QUERY_TID,    /* of an event; the plan does not use it, */
	QUERY_EVENT,  /* nor its name */
	QUERY_SYSTEM, /* nor its system */
	QUERY_RUN,    /* which file */
	QUERY_FROM,   /* hidden: the window to which rows are clipped */
	QUERY_TO,
	QUERY_ARG, /* hidden: the first argument of a call, of any kind */
	QUERY_ARG_2,
	QUERY_ARG_3,
	QUERY_ARG_4,
	QUERY_ROLES,
};
enum { QUERY_ARGS = QUERY_ROLES - QUERY_ARG };

struct query_column {
	const char *name;
	const char *type; /* "INTEGER", "TEXT"... */
	enum query_role role;
	bool hidden; /* SELECT * does not give it */
};

/* A walk and a pass over the events that several sources share: the caller steps both. */
struct query_shared {
	struct analyze_engine
		*eng; /* made by the first source with a walk; NULL: no walk is needed */
};

/* The part of a table that a statement reads. */
struct query_scan {
	uint64_t from_ns, to_ns;           /* of ts, inclusive */
	uint64_t end_from_ns, end_to_ns;   /* of ts + dur */
	uint64_t clip_from_ns, clip_to_ns; /* the window, both 0: none */
	bool has_cpu;
	uint32_t cpu;
	bool has_utid;
	int64_t utid;
	bool has_key;
	int64_t key;
	sqlite3_value *args[QUERY_ARGS]; /* NULL: not given */
	bool nothing;                    /* no row can match */
	struct query_shared *shared;     /* NULL: the source reads the file itself */
	uint64_t used; /* columns that are read: a bit for each of the first 63, bit 63 for all others */
};

/* query_clip - intersects @scan's window with that of @run. */
void query_clip(const struct query_run_of *run, struct query_scan *scan);

static inline bool query_uses(const struct query_scan *scan, int column)
{
	return scan->used >> (column < 63 ? column : 63) & 1;
}

/* The rows of one file. */
struct query_source {
	/* 1: there is a row; 0: no more. */
	int (*next)(struct query_source *src, struct cdict_error *err);
	/* Sets *out, which is NULL before, to the row's value. */
	void (*column)(struct query_source *src, struct query_value *out, int column);
	void (*close)(struct query_source *src);
};

enum query_table_flags {
	QUERY_SMALL = 1,   /* a table of tasks, CPUs...: cheap to read */
	QUERY_ORDERED = 2, /* rows of a file are ordered by ts */
	QUERY_NARROWS = 4, /* a CPU's rows are read from its own blocks */
	QUERY_ONCE = 8,    /* independent of files: opened once, without one */
	QUERY_WALK = 16,   /* query/sql/walk.h: the source can share a walk */
	QUERY_EVENTS = 32, /* query/sql/stream.h: the source can share a pass over the events */
};

struct query_table {
	const char *name;
	const struct query_column *columns; /* the last has no name */
	unsigned flags;
	int (*open)(struct query_source **out, struct query_run_of *run,
		    const struct query_table *table, const struct query_scan *scan,
		    struct cdict_error *err);
	const void *ctx;     /* of open */
	const char *without; /* the error when QUERY_ARG is not given; NULL: none */
};

/* ---- the database: the files of one connection ---- */

/* A task of a file, as in the table `thread`. */
struct query_thread {
	int64_t utid, upid; /* upid 0: not known */
	int32_t tid, pid;
	uint64_t born_ns, exit_ns, first_ns; /* ANALYZE_NO_TIME */
	uint32_t task;                       /* of the walk's engine */
};

/* A process of a file. */
struct query_process {
	int32_t pid;
	uint32_t first, threads; /* the first of its threads, and how many there are */
};

/* One file. */
struct query_run_of {
	struct query_db *db;
	size_t number;
	const char *name;
	char *own_name;
	struct cdict_reader *reader, *own_reader;
	struct label_index *labels, *own_labels;
	struct digests *digests; /* NULL: the file has none, or not read yet */
	bool asked_digests;
	uint64_t first_ns, last_ns;
	uint64_t from_ns, to_ns; /* the window, both 0: the whole */
	bool sparse;  /* an I/O trace: a value that an event lacks is INT64_MIN or an empty text */
	bool whole;   /* a system's recording without losses */
	bool foreign; /* samples have the recorder's tids, payloads the host's */
	/* Set on demand (threads.c): */
	bool has_threads;
	struct tables_walk walk;               /* of the end only when the file has digests */
	ARRAY(struct query_thread) threads;    /* by utid */
	uint32_t *by_tid;                      /* of the threads, by tid and then utid */
	ARRAY(struct query_process) processes; /* in the order of upid */
	struct query_guests *guests[2];        /* guests.c */
};

/* A tracepoint of some file, events.c. */
struct query_event_field {
	char *name, *column; /* column differs when the name is taken */
	const char *type;
	bool common;
	int at; /* its column */
};
struct query_event_table {
	char *full_name, *name; /* "sched:sched_switch", "sched_switch" */
	ARRAY(struct query_event_field) fields;
	struct query_column *columns; /* once registered */
	int *field_of;                /* by column: index into fields, or -1 */
	struct query_table full, bare;
	bool has_bare;
};

struct query_db {
	unsigned refs;
	sqlite3 *db;
	struct query_options opts;
	ARRAY(struct query_run_of *) runs;
	ARRAY(struct query_event_table *) events;
	uint64_t read; /* events that sources read */
};

/* --- registry.c --- */

struct query_db *query_db_new(sqlite3 *db, const struct query_options *opts);
void query_db_unref(struct query_db *qdb);
/* query_db_add - adds @file, whose reader and labels are borrowed; with only a name the file is opened. */
int query_db_add(struct query_db *qdb, const struct query_file *file, struct cdict_error *err);
/* query_db_register - registers modules for all tables that have none yet. */
int query_db_register(struct query_db *qdb, struct cdict_error *err);
/* query_tables - the fixed tables, NULL after the last. */
const struct query_table *const *query_tables(void);
uint64_t query_db_blocks(const struct query_db *qdb);
uint64_t query_db_events(const struct query_db *qdb);

/* --- vtab.c --- */

int query_vtab_register(struct query_db *qdb, const struct query_table *table);
/* query_add_name - appends @name as an SQL name. */
void query_add_name(struct sink *s, const char *name);

/* --- threads.c --- */

/* query_threads - fills run->threads. */
int query_threads(struct query_run_of *run, struct cdict_error *err);
void query_threads_fini(struct query_run_of *run);
/* query_thread_at - the thread that @tid is at @t_ns, or NULL; after query_threads(). */
const struct query_thread *query_thread_at(const struct query_run_of *run, int32_t tid,
					   uint64_t t_ns);
/* query_thread_nth - the @nth thread that had @tid, or NULL. */
const struct query_thread *query_thread_nth(const struct query_run_of *run, int32_t tid,
					    size_t nth);
const struct query_thread *query_thread_find(const struct query_run_of *run, int64_t utid);
/* query_digests - reads the file's digests, once. */
int query_digests(struct query_run_of *run, struct cdict_error *err);

/* --- functions.c, interval.c: SQL functions --- */

int query_functions_register(struct query_db *qdb);
int query_intervals_register(struct query_db *qdb);
int query_histograms_register(struct query_db *qdb); /* histograms.c */
int query_span_join_register(sqlite3 *db);           /* span_join.c */

/* A set of intervals, borrowed from a value; interval.c. */
struct query_set {
	const unsigned char *data; /* of the first pair */
	size_t n;
};
struct query_pair {
	int64_t from, to; /* exclusive */
};

/* query_set_of - false: @v is not a set; NULL is the empty set. */
bool query_set_of(sqlite3_value *v, struct query_set *out);
struct query_pair query_set_at(const struct query_set *s, size_t i);

/* query_result_histogram - as the value that histogram() returns; histograms.c. */
struct histogram;
void query_result_histogram(struct query_value *out, const struct histogram *h);

/* --- active_table.c --- */

/* Calls, not among the fixed tables. */
extern const struct query_table query_active_sums, query_active_intervals, query_slice_sums;

/* --- the tables --- */

extern const struct query_table query_sched_slice, query_sched, query_thread_state, query_wakeup;
extern const struct query_table query_kvm_exit;
extern const struct query_table query_thread_table, query_process_table, query_thread_track;
extern const struct query_table query_loss, query_cpu, query_metadata, query_trace_bounds;
extern const struct query_table query_ftrace_event, query_slice;
extern const struct query_table query_guest_thread, query_guest_thread_state;

/* query_guests_fini - drops what the two keep. */
void query_guests_fini(struct query_run_of *run);

/* --- events.c: a table for each tracepoint --- */

/* query_events_add - adds the event types of @run's schema, or their columns, to db->events. */
int query_events_add(struct query_run_of *run, struct cdict_error *err);
int query_events_register(struct query_db *qdb);
void query_events_free(struct query_db *qdb);

/* ---- shared by sources ---- */

/* A column's value starts as NULL; texts are borrowed until the source's next call. */
static inline void query_result_int(struct query_value *out, int64_t v)
{
	out->kind = QUERY_INTEGER;
	out->integer = v;
}

static inline void query_result_real(struct query_value *out, double v)
{
	out->kind = QUERY_REAL;
	out->real = v;
}

static inline void query_result_bytes(struct query_value *out, enum query_kind kind,
				      const void *data, size_t len)
{
	out->kind = kind;
	out->data = len ? data : "";
	out->len = len;
}

static inline void query_result_failed(struct query_value *out, int code)
{
	out->kind = QUERY_FAILED;
	out->integer = code;
}

static inline void query_result_time(struct query_value *out, uint64_t t_ns)
{
	if (t_ns != ANALYZE_NO_TIME)
		query_result_int(out, (int64_t)t_ns);
}

static inline void query_result_text(struct query_value *out, const char *text)
{
	if (text)
		query_result_bytes(out, QUERY_TEXT, text, strlen(text));
}

/* query_result_fixed - a text that neither moves nor changes before the source is closed. */
static inline void query_result_fixed(struct query_value *out, const char *text)
{
	query_result_text(out, text);
	out->fixed = text;
}

static inline void query_result_cpu(struct query_value *out, uint32_t cpu)
{
	if (cpu != CDICT_CPU_UNKNOWN)
		query_result_int(out, cpu);
}

#define QUERY_COLUMNS_END                                                                          \
	{                                                                                          \
		.name = NULL                                                                       \
	}
/* The last column of every table, before the hidden ones: the file. */
#define QUERY_COLUMN_RUN                                                                           \
	{                                                                                          \
		"run", "TEXT", QUERY_RUN, false                                                    \
	}

/* After it, the first hidden ones: the arguments of a call, sched_slice(from, to). */
#define QUERY_COLUMNS_WINDOW                                                                       \
	{ "from_ts", "INTEGER", QUERY_FROM, true },                                                \
	{                                                                                          \
		"to_ts", "INTEGER", QUERY_TO, true                                                 \
	}

#endif
