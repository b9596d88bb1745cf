/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture.h - a capture as the page of cdict report has it: the figures, tables and bins
 * of one walk, and the JSON that is made of them (doc/page.md).
 *
 *	struct page_capture c = { .walk = &walk, .label = "run", .file = "run.cdict" };
 *
 *	page_capture_add(&c, err);	// between tables_walk_init() and tables_walk_run()
 *	page_capture_fill(&c);		// after it
 *	page_tables_json(&json, &c, &arrays);
 *	page_capture_fini(&c);		// before tables_walk_fini()
 *
 * Failure    0 or a negative code, with *err filled where there is one
 * Ownership  the struct is the caller's, walk and texts borrowed
 */
#ifndef RENDER_PAGE_CAPTURE_H
#define RENDER_PAGE_CAPTURE_H

#include "base/text/json.h"
#include "base/text/sink.h"
#include "render/engine/bins.h"
#include "tables/columns/tables.h"
#include "tables/compare/changes.h"

/* In the order in which they are written. */
enum page_table {
	PAGE_TASKS = 0,
	PAGE_EXITS,
	PAGE_EXIT_REASONS,
	PAGE_GUEST,
	PAGE_VCPU,
	PAGE_VCPU_REASONS,
	PAGE_ANTAGONISTS,
	PAGE_LATENCY,
	PAGE_COREMAP,
	PAGE_CPUS,
	PAGE_EXITS_VM,      /* by VM and reason */
	PAGE_EXITS_SUMS,    /* of all reasons; without idle ones; of those */
	PAGE_EXITS_VM_SUMS, /* the same */
	PAGE_COREMAP_SUMS,  /* by CPU, by task, and of all */
	PAGE_VCPU_SHARES,   /* states in percent */
	PAGE_DELAYS,
	PAGE_BESIDE,
	PAGE_HALTS_VMS,
	PAGE_CAPACITY,
	PAGE_TASKS_GROUPS, /* many tasks as few rows: tables/findings/fold.h */
	PAGE_TASKS_ROLES,
	PAGE_COREMAP_GROUPS,
	PAGE_COREMAP_ROLES,
	PAGE_VCPU_GROUPS,
	PAGE_SUCCESSORS, /* only of chosen tasks: PAGE_ONLY_TASKS */
	PAGE_TABLES,
};

struct page_capture {
	struct tables_walk *walk;
	enum {
		PAGE_EVERYTHING = 0,
		PAGE_ONLY_EXITS,
		PAGE_ONLY_COREMAP,
		PAGE_ONLY_TASKS,
		PAGE_ONLY_VCPUS, /* what is of the vCPUs of each VM together */
	} part;
	const char *const *reasons; /* that the sums of exits are of, NULL: all */
	size_t n_reasons;
	const char *label, *file;
	const void *data; /* the file itself, when the page is to hold it, or NULL; borrowed */
	size_t size;
	const uint32_t *numbers; /* the page's of each task, UINT32_MAX: none; NULL: as they are */
	/* What the functions fill. */
	uint64_t t0_ns, last_ns; /* the window of the whole file */
	struct page_bins *bins;
	struct table *tables[PAGE_TABLES];
};

/* page_capture_add - registers what the page needs; CDICT_ENOEVENTS when there is nothing. */
int page_capture_add(struct page_capture *c, struct cdict_error *err);
/* page_capture_fill - the tables, each as its command prints it without -s; 0 or -ENOMEM. */
int page_capture_fill(struct page_capture *c);
void page_capture_fini(struct page_capture *c);

/* Two sides, each of one or several of the page's captures, those of the base first: what cdict diff knows of them. */
struct page_diff {
	const struct changes *all;    /* by enum compare_what */
	const struct changes *groups; /* of tasks */
	const char *sides[2];         /* what they are called */
	size_t n_base;
	double alpha; /* of less than that p is no chance */
	const struct table *broken, *rules;
};

/* What a page shows: everything, or one view. */
struct page_view {
	const char *only;             /* "exits"; NULL: everything */
	const char *what, *by;        /* with which the view starts, or NULL */
	const char *fold;             /* "groups", "tasks": its rows; NULL: as fits */
	const struct page_diff *diff; /* NULL: captures are compared with the first */
};

/* page_write - the page of @n captures; 0 or -ENOMEM, failed writes stay in the sink. */
int page_write(struct sink *s, struct page_capture *const *captures, size_t n,
	       const struct page_view *view);

/* The parts of it; each 0 or -ENOMEM. */
/* page_head_json - the page's head, with j->script set. */
int page_head_json(struct json *j, struct page_capture *const *captures, size_t n,
		   const struct page_view *view);
/* page_tables_json - tasks, tables and bins of one capture; the bins' numbers go to @arrays.  Of a late table there is
 * how many rows it has. */
int page_tables_json(struct json *j, const struct page_capture *c, struct sink *arrays);
/* page_table_late - the name of a table that is large, and that no view opens with: it has an element of its own.
 * NULL: it has not. */
const char *page_table_late(const struct page_capture *c, enum page_table which);
/* page_table_json - a table as a member of what is open; nothing when the capture has none. */
void page_table_json(struct json *j, const struct page_capture *c, enum page_table which);
/* page_figures_json - tables and bins alone, as members of what is open. */
int page_figures_json(struct json *j, const struct page_capture *c, struct sink *arrays);
/* page_palette_json, page_compare_json - members of the head. */
void page_palette_json(struct json *j, struct page_capture *const *captures, size_t n);
int page_compare_json(struct json *j, struct page_capture *const *captures, size_t n,
		      const struct page_diff *diff);

#endif
