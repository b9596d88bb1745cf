/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * compare.h - several captures side by side, aligned by names: for the page of cdict report and for
 * cdict diff.
 *
 * Compares the columns marked for it, in units that do not depend on the windows' lengths: percent
 * of the window, per second, durations. Tasks of one capture with the same name are one row, those
 * without a name, too, but for a VM's.
 *
 * Ownership  compare_init() fills the caller's struct, compare_fini() empties it, also after
 *            a failure; names are borrowed from it
 */
#ifndef TABLES_COMPARE_COMPARE_H
#define TABLES_COMPARE_COMPARE_H

#include "base/memory/array.h"
#include "base/memory/stringset.h"
#include "tables/columns/decl.h"

enum compare_what {
	COMPARE_TASKS = 0,
	COMPARE_EXITS, /* by task and reason */
	COMPARE_VCPU,
	COMPARE_COREMAP, /* by task and CPU */
	COMPARE_N,
	COMPARE_GROUPS = COMPARE_N, /* tasks, folded (fold.h) */
	COMPARE_ALL,
};

#define COMPARE_FIGURES_MAX 12

/* A compared column; the first one decides how much a row changed. */
struct compare_figure {
	size_t column;
	const char *name; /* as declared: struct tables_change */
	const char *key, *title;
	bool ns, counts; /* a duration; per second; else percent of the window */
	bool wide;       /* only shown with -v */
};

/* A task of a row. */
struct compare_task {
	uint32_t task, capture;
};

/* A row in one capture: few figures of a task that does little are known and not 0, and only those are kept. */
struct compare_part {
	uint32_t at;    /* of the first in the comparison's numbers */
	uint16_t known; /* bits of figures; the others are missing */
	uint16_t kept;  /* bits of figures, and of the unknown time; the others are 0 */
};

struct compare_row {
	const char *name, *reason; /* reason: NULL if not part of the key */
	uint32_t cpu;              /* CDICT_CPU_UNKNOWN if not part of the key */
	uint32_t n_tasks;
	const struct compare_task *tasks; /* of all captures; borrowed, like @parts */
	const struct compare_part *parts; /* [capture] */
	bool nameless; /* of one of several VMs without names: in one capture only */
	bool of_vm;    /* of a VM, with or without a name */
	double change; /* of the first figure, in the capture that differs most from the first one */
};

struct compare {
	const struct tables_decl *decl; /* of the compared table */
	struct compare_figure figures[COMPARE_FIGURES_MAX];
	size_t n_captures, n_figures;
	bool nameless; /* some rows are nameless */
	/* Only some of the captures have wake-ups: figures with TABLE_AND_WAKEUPS are not compared. */
	bool waits_differ;
	bool *anonymous; /* [capture]: it has nameless rows, so that a named VM that it seems to
			  * lack may be one of them */
	struct stringset names;
	ARRAY(struct compare_row) rows; /* most changed first */
	/* Of all rows. */
	ARRAY(double) numbers;
	ARRAY(struct compare_part) parts;
	ARRAY(struct compare_task) tasks;
};

/* compare_declare - fills the declaration and figures without captures; compare_init() includes
 * it. */
void compare_declare(struct compare *c, enum compare_what what);
/* compare_value - the figure of a cell; NAN if missing. */
double compare_value(const struct compare_figure *f, const struct table_cell *cell,
		     uint64_t window_ns);
/* compare_init - compares the @n finished @walks, each with tasks, exits, vcpus and coremap;
 * 0 or -ENOMEM. */
int compare_init(struct compare *c, enum compare_what what, const struct tables_walk *const *walks,
		 size_t n);
void compare_fini(struct compare *c);

/* compare_row_has - whether @capture has the row. compare_row_value - its figure @i there; NAN if missing.
 * compare_row_unknown - percent of its tasks' time there that is unknown. */
bool compare_row_has(const struct compare_row *row, size_t capture);
double compare_row_value(const struct compare *c, const struct compare_row *row, size_t capture,
			 size_t i);
double compare_row_unknown(const struct compare *c, const struct compare_row *row, size_t capture);

/* compare_row_stands - whether the row's first capture can be compared with @capture: neither has
 * too much unknown time, and the row's task is identified. compare_row_hidden - whether @capture
 * lacks the row but may have its VM without a name. */
enum { COMPARE_UNKNOWN_MAX = 10 }; /* percent */
bool compare_row_stands(const struct compare *c, const struct compare_row *row, size_t capture);
bool compare_row_hidden(const struct compare *c, const struct compare_row *row, size_t capture);
#define COMPARE_IDLE "IDLE" /* the row of IDLE of all CPUs */
#define COMPARE_NAMELESS                                                                           \
	"several VMs have no names: they are listed separately, not compared; "                    \
	"cdict identify names them"

#define COMPARE_WAITS                                                                              \
	"only some of the captures have wake-ups (sched:sched_waking, sched:sched_wakeup): what "  \
	"depends on them is not compared: waited, waits, worst, halted and blocked"

/* compare_difference - figure @i in @capture minus that in the first one; if only one has it, the
 * other counts as 0; NAN when neither has. */
double compare_difference(const struct compare *c, const struct compare_row *row, size_t capture,
			  size_t i);

#endif
