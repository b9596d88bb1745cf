/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * top.h - the rows of cdict top: figures of VMs and tasks in the last second.
 *
 * Failure    negative code with *err filled
 * Ownership  top_rows_fini() empties what top_rows_fill() filled
 */
#ifndef CMD_TOP_TOP_H
#define CMD_TOP_TOP_H

#include "base/memory/array.h"
#include "base/text/sink.h"
#include "cdict/error.h"

enum top_by { TOP_BY_WAITING = 0, TOP_BY_EXITS, TOP_BY_CPU };
/* top_by_key - whether @key selects a sort order. */
bool top_by_key(char key, enum top_by *by);

struct top_row {
	char *name;
	uint32_t threads;   /* of a folded VM */
	uint64_t window_ns; /* base of its percentages; 0: that of all rows */
	uint64_t waiting_ns, exits, cpu_ns, guest_ns, halted_ns, exit_ns;
};

struct top_rows {
	ARRAY(struct top_row) rows;
	uint64_t window_ns, events, lost;
	char host[128];
	const char *what; /* the unit of a row; NULL: tasks or VMs of this host */
};

/* top_rows_fill - makes rows from the last @ns of the cdict in memory; @fold: a row per VM, and one
 * for the rest. */
int top_rows_fill(struct top_rows *t, const void *cdict, size_t size, uint64_t ns, bool fold,
		  struct cdict_error *err);
void top_rows_sort(struct top_rows *t, enum top_by by);
/* top_rows_head - prints a line: host, length, number of events; top_rows_print - prints it, and
 * the rows: at most @lines lines of @columns columns each, ended by @eol. */
void top_rows_head(const struct top_rows *t, struct sink *s, enum top_by by, size_t columns,
		   const char *eol);
void top_rows_print(const struct top_rows *t, struct sink *s, enum top_by by, size_t lines,
		    size_t columns, const char *eol);
/* top_rows_list - prints the rows, with a line of column names above. */
void top_rows_list(const struct top_rows *t, struct sink *s, size_t lines, size_t columns,
		   const char *eol);
void top_rows_fini(struct top_rows *t);

#endif
