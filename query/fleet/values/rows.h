/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rows.h - figures of many hosts, added up by display name.
 *
 * A row is the row of an analysis (struct analyze_task_row and others), reduced to members that can be
 * added up: counters, histograms, the worst wait.  fleet_shapes[] lists these members once;
 * encoding, decoding and adding use it.
 *
 * Units      *_ns durations
 * Failure    0 or a negative code with *err filled
 * Ownership  caller's storage, zeroed; fleet_rows_fini() empties it.  Texts of rows are borrowed
 *            and die with the set
 */
#ifndef QUERY_FLEET_VALUES_ROWS_H
#define QUERY_FLEET_VALUES_ROWS_H

#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "tables/compare/merged.h"

enum fleet_kind {
	FLEET_TASKS = 0,
	FLEET_LATENCY,
	FLEET_EXITS,
	FLEET_GUEST,
	FLEET_VCPUS,
	FLEET_BEHIND, /* no row of an analysis: has no decl */
	/* From no capture (figures.h). */
	FLEET_COUNTS,
	FLEET_BENCH,
	FLEET_TEXTS,
	FLEET_DOCUMENTS,
	FLEET_FUNCTIONS,
	FLEET_KINDS,
	FLEET_OF_CAPTURES = FLEET_COUNTS,
};

enum fleet_type {
	FLEET_COUNTER = 0, /* uint64_t, added */
	FLEET_HISTOGRAM,   /* struct histogram, merged */
	FLEET_WORST,       /* struct analyze_wait, the longest */
	FLEET_SPREAD,      /* struct fleet_spread, merged */
	FLEET_TYPES,
};

struct fleet_field {
	const char *key; /* NULL after the last */
	enum fleet_type type;
	size_t at; /* offset in the row */
};

struct fleet_shape {
	const char *name;
	const struct tables_decl *decl; /* the table of its rows; NULL: figures.h makes it */
	size_t size;
	const struct fleet_field *fields;
};
extern const struct fleet_shape fleet_shapes[FLEET_KINDS];

/* Values of a figure, summed. */
struct fleet_spread {
	uint64_t runs;
	double sum, min, max;
};
/* Limit for figures of cdict and of benchmarks. */
#define FLEET_NUMBER_MOST 1e100

/* What a culprit of a VM is, as in "vcpu --by vm": the kinds of culprits_name(). */
enum fleet_culprit {
	FLEET_SELF = 0, /* tasks of the VM itself */
	FLEET_VM,
	FLEET_UNIT,
	FLEET_TASK,
	FLEET_KERNEL,
	FLEET_IDLE,
	FLEET_UNKNOWN,
	FLEET_CULPRITS,
};

/* as behind_kind of "vcpu --by vm" */
extern const char *const fleet_culprits[FLEET_CULPRITS];

/* How long vCPUs of a VM, the key's vm, waited behind a culprit, which is the key's name. */
struct fleet_behind_row {
	uint64_t ns[FLEET_CULPRITS];
};

/* Events that the kernel counted while a program ran, on all CPUs; named by its comm. */
struct fleet_count_row {
	uint64_t value; /* scaled when counters were multiplexed, as perf stat does */
	uint64_t count; /* as counted */
	uint64_t runs;
	uint64_t enabled_ns, running_ns; /* of the event, over all CPUs */
};

/* Samples of an event in a function of a program, which is the key's vm. */
struct fleet_function_row {
	uint64_t value; /* events that they stand for */
	uint64_t samples;
	uint64_t runs;
};

/* A figure of a benchmark. */
struct fleet_bench_row {
	struct fleet_spread spread;
};

/* A text in a benchmark's document, or the document itself, which is the key's vm. */
struct fleet_text_row {
	uint64_t runs;
};

union fleet_any {
	struct analyze_task_row task;
	struct analyze_latency_row latency;
	struct analyze_exit_row exit;
	struct analyze_guest_row guest;
	struct analyze_vcpu_row vcpu;
	struct fleet_behind_row behind;
	struct fleet_count_row count;
	struct fleet_function_row function;
	struct fleet_bench_row bench;
	struct fleet_text_row text;
};

/* The key of a row: equal keys share a row. */
struct fleet_key {
	const char *name, *vm; /* or NULL */
	int32_t vcpu;          /* -1: none */
	bool idle;
	/* Exits: the reason; counts: the event is the reason; benchmarks: the figure's path is, and vm
	 * is the text at that path; functions: isa is in what they are. */
	uint32_t isa;
	uint64_t code;
	const char *reason;
};

struct fleet_row {
	struct fleet_key key;
	bool lossy;
	unsigned lacks; /* TABLE_OF_* that no added row had */
	union fleet_any *any;
};

/* Sanity limit: a hostile store must not exhaust memory. */
#define FLEET_ROWS_MOST (1u << 20)

struct fleet_rows {
	ARRAY(struct fleet_row) of[FLEET_KINDS];
	struct stringset texts, keys;
	struct map by_key;
	struct buf key; /* of the row that is looked up */
	size_t n;
	/* Totals. */
	uint64_t values;    /* buckets */
	uint64_t window_ns; /* sum of their lengths */
	uint64_t events, lost, unknown_ns;
	uint64_t first_ns, last_ns; /* wall clock, if clocked */
	bool clocked;
	uint32_t cpus; /* most CPUs in one bucket */
	/* Called for each row before it is added; or NULL. */
	void (*on_row)(void *ctx, enum fleet_kind kind, const struct fleet_key *key,
		       const union fleet_any *any, unsigned lacks);
	void *on_row_ctx;
};

/* fleet_rows_add - adds @any to the row of @key. */
int fleet_rows_add(struct fleet_rows *rows, enum fleet_kind kind, const struct fleet_key *key,
		   const union fleet_any *any, bool lossy, unsigned lacks, struct cdict_error *err);
/* fleet_rows_window - adds the totals of a bucket. @from_ns: wall clock, 0: unknown. */
struct fleet_window {
	uint64_t from_ns, window_ns, events, lost, unknown_ns;
	uint32_t cpus;
	bool clocked;
};
void fleet_rows_window(struct fleet_rows *rows, const struct fleet_window *w);
void fleet_rows_fini(struct fleet_rows *rows);

/* fleet_any_fini - empties the histograms of a row. */
void fleet_any_fini(enum fleet_kind kind, union fleet_any *any);

/* Selects the rows of a table. The zero value: all, each by itself. */
struct fleet_table_options {
	unsigned hidden; /* HIDE_*: merge rows that differ only in these */
	const char *vm;  /* only this VM; NULL: all */
	bool (*matches)(void *ctx, const char *name); /* NULL: matches all */
	void *ctx;
};

/* The rows of a table. */
struct fleet_picked {
	struct fleet_rows rows;
	struct tables_merged_row *list; /* one per row of its kind */
	size_t n;
};
/* fleet_pick - 0 or -ENOMEM; call fleet_picked_fini() in either case. */
int fleet_pick(struct fleet_picked *out, const struct fleet_rows *rows, enum fleet_kind kind,
	       const struct fleet_table_options *how);
void fleet_picked_fini(struct fleet_picked *p);

/* fleet_table - the command's table (of FLEET_BEHIND, fleet_behind_table()); given, NULL: out of memory. */
struct table *fleet_table(const struct fleet_rows *rows, enum fleet_kind kind,
			  const struct fleet_table_options *how);
/* fleet_behind_table - the table "delays" of "vcpu --by vm", as far as it can be added up; given,
 * NULL: out of memory. @vm NULL: all. */
struct table *fleet_behind_table(const struct fleet_rows *rows, const char *vm);

#endif
