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
	char *name, *behind; /* @behind: whom it waited for, or NULL */
	int32_t tid, pid;    /* -1: none in particular */
	int32_t cpu;         /* where it ran last, or -1 */
	uint32_t threads;    /* of a folded row; 0: it is one thread */
	bool guests;         /* it has figures of guests */
	uint64_t window_ns;  /* base of its percentages; 0: that of all rows */
	uint64_t waiting_ns, worst_ns, exits, cpu_ns, guest_ns, halted_ns, exit_ns;
	uint64_t switches, involuntary, wakeups, migrations, latency_ns; /* without window_ns */
};

struct top_rows {
	ARRAY(struct top_row) rows;
	uint64_t window_ns, events, lost;
	char host[128];
	const char *what, *each; /* the unit of a row, and of its threads; NULL: VM or task */
	bool folded;
};

/* Which rows top_rows_fill() makes; the zero value: a row per thread. */
struct top_choice {
	uint64_t window_ns;         /* the last part of the cdict */
	bool fold;                  /* a row per VM, and one for the rest */
	const int32_t *pids, *tids; /* only tasks of these processes, and these; ascending */
	size_t n_pids, n_tids;
};

struct top_view {
	size_t lines, rows; /* at most */
	size_t columns;     /* 0: no limit */
	bool wide;          /* without a limit: all columns; with one, those that fit are shown */
	const char *eol;
};

/* top_rows_fill - makes rows from the cdict in memory. */
int top_rows_fill(struct top_rows *t, const void *cdict, size_t size,
		  const struct top_choice *choice, struct cdict_error *err);
void top_rows_sort(struct top_rows *t, enum top_by by);
/* top_rows_head - prints a line: host, length, number of events; top_rows_list - prints the rows, with
 * lines of column names above; 0 or -ENOMEM. */
void top_rows_head(const struct top_rows *t, struct sink *s, enum top_by by,
		   const struct top_view *view);
int top_rows_list(const struct top_rows *t, struct sink *s, const struct top_view *view);
void top_rows_fini(struct top_rows *t);
/* top_print_lines - prints at most @view->lines lines of the text, cut to its width. */
void top_print_lines(struct sink *s, const char *text, const struct top_view *view);

#endif
