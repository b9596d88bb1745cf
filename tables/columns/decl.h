/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * decl.h - what a table is, said once: its columns, where its rows are from, how they add up.
 * Printing, sorting, totals, comparison and the page go by it.
 */
#ifndef TABLES_DECL_H
#define TABLES_DECL_H

#include "tables/columns/cells.h"

/* A table with rows of tasks. */
struct tables_decl {
	const char *name; /* the JSON member */
	const struct table_column *columns;
	const char *order; /* of the rows; NULL: as the analysis has them */
	/* The rows of the analysis; each begins with the number of its task. */
	size_t (*count)(const struct tables_walk *w);
	const void *(*at)(const struct tables_walk *w, size_t i);
	/* How several make one; @row_size bytes, zeroed at first.  NULL: they never do. */
	size_t row_size;
	int (*merge)(void *to, const void *from); /* 0 or -ENOMEM */
	void (*fini)(void *row);
	const char *total; /* what its row is called; NULL: there is none */
	bool no_idle;      /* IDLE has no row */
	/* Of what a row's shares are, or those of a sum of several; NULL: of the window. */
	uint64_t (*life_ns)(const void *row);
	bool merged; /* tasks whose names were merged are one row */
	/* Whether the row lacks events for another reason than its task does; or NULL. */
	bool (*lossy)(const void *row);
	bool (*unknown)(
		const void *row); /* more of a row, or of a sum, is unknown than known; NULL: no */
	size_t cpu_at, reason_at; /* offsets of a uint32_t and of a const char *, where there are */
	bool folded;              /* compared by groups (fold.h) */
	bool key_cpu, key_reason; /* it tells rows of a task apart, when captures are compared */
};

extern const struct tables_decl tables_decl_tasks, tables_decl_exits, tables_decl_vcpu,
	tables_decl_coremap, tables_decl_groups, tables_decl_latency, tables_decl_guest;

/* What shares of exits are of: HLT and its kin are the guest being idle, not work, and kept apart. */
struct tables_exits_totals {
	struct analyze_exit_row work, idle;
};

/* tables_life_ns - by life_ns. */
uint64_t tables_life_ns(const struct tables_decl *decl, const struct tables_walk *w,
			const void *row);

/* tables_make - the table; with @per_cpu merged rows stay apart by cpu_at.  NULL: no memory. */
struct table *tables_make(const struct tables_walk *w, const struct tables_decl *decl,
			  bool per_cpu);

/* The functions of a declaration around those of an analysis. */
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
