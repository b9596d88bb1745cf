/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * decl.h - the declaration of a table: its columns, the source of its rows, how they add up.
 * Printing, sorting, totals, comparison and the page use it.
 */
#ifndef TABLES_COLUMNS_DECL_H
#define TABLES_COLUMNS_DECL_H

#include "tables/columns/cells.h"

/* A column that is compared between captures: a duration in ns as it is, or in percent of the window;
 * a count per second. */
struct tables_change {
	const char *column; /* its key; NULL: the end */
	enum tables_change_unit {
		TABLES_CHANGE_NS,
		TABLES_CHANGE_PER_S,
		TABLES_CHANGE_PERCENT
	} unit;
	const char *name;  /* in rules and in the list of changes, of tasks; others: "exits.rate" */
	const char *key;   /* CSV and JSON: "latency_p99_ns" */
	const char *title; /* text and Markdown: "lat p99 ms" */
	bool wide;         /* shown only with -v */
};
/* Of a column @of: count -> count_per_s, run_ns -> run_percent, worst_ns. */
#define TABLES_PER_S(of, name, title, wide)                                                        \
	{                                                                                          \
		of, TABLES_CHANGE_PER_S, name, of "_per_s", title, wide                            \
	}
#define TABLES_SHARE(of, name, title, wide)                                                        \
	{                                                                                          \
		of "_ns", TABLES_CHANGE_PERCENT, name, of "_percent", title, wide                  \
	}
#define TABLES_NS(of, name, title, wide)                                                           \
	{                                                                                          \
		of "_ns", TABLES_CHANGE_NS, name, of "_ns", title, wide                            \
	}
#define TABLES_CHANGES_END                                                                         \
	{                                                                                          \
		.column = NULL                                                                     \
	}

/* A table with rows of tasks. */
struct tables_decl {
	const char *name; /* the JSON member */
	const struct table_column *columns;
	const char *order; /* of the rows; NULL: that of the analysis */
	/* The rows of the analysis; each begins with the number of its task. */
	size_t (*count)(const struct tables_walk *w);
	const void *(*at)(const struct tables_walk *w, size_t i);
	/* Adds up several rows in one of @row_size bytes, zeroed at first. NULL: rows are never
	 * added up. */
	size_t row_size;
	int (*merge)(void *to, const void *from); /* 0 or -ENOMEM */
	void (*fini)(void *row);
	const char *total; /* name of the total row; NULL: none */
	bool no_idle;      /* IDLE has no row */
	/* The base of shares, of a row or a sum of rows; NULL: the window. */
	uint64_t (*life_ns)(const void *row);
	bool merged; /* tasks with a merged name are one row */
	/* Whether the row lacks events for another reason than its task; or NULL. */
	bool (*lossy)(const void *row);
	bool (*unknown)(
		const void *row); /* more of the row or sum is unknown than known; NULL: no */
	size_t cpu_at, reason_at; /* offsets of a uint32_t and of a const char *, if any */
	bool folded;              /* compared by groups (fold.h) */
	bool key_cpu, key_reason; /* part of the key when captures are compared */
	const struct tables_change *changes; /* the first decides how much a row changed */
};

extern const struct tables_decl tables_decl_tasks, tables_decl_exits, tables_decl_vcpu,
	tables_decl_coremap, tables_decl_groups, tables_decl_latency, tables_decl_guest;

/* The base of shares of exits: HLT and similar exits, in which the guest is idle, are kept
 * apart. */
struct tables_exits_totals {
	struct analyze_exit_row work, idle;
};

/* tables_life_ns - the base of shares, by life_ns or the window. */
uint64_t tables_life_ns(const struct tables_decl *decl, const struct tables_walk *w,
			const void *row);

/* tables_make - makes the table; with @per_cpu merged rows are separate per CPU (cpu_at). NULL: out
 * of memory. */
struct table *tables_make(const struct tables_walk *w, const struct tables_decl *decl,
			  bool per_cpu);

/* Define a declaration's functions as wrappers of an analysis's functions. */
#define TABLES_ROWS(prefix, member, count_, at_)                                                   \
	static size_t prefix##_count(const struct tables_walk *w)                                  \
	{                                                                                          \
		return count_(w->member);                                                          \
	}                                                                                          \
	static const void *prefix##_at(const struct tables_walk *w, size_t i)                      \
	{                                                                                          \
		return at_(w->member, i);                                                          \
	}
#define TABLES_SUMS(prefix, merge_, fini_)                                                         \
	static int prefix##_merge(void *to, const void *from)                                      \
	{                                                                                          \
		return merge_(to, from);                                                           \
	}                                                                                          \
	static void prefix##_fini(void *row)                                                       \
	{                                                                                          \
		fini_(row);                                                                        \
	}

#endif
