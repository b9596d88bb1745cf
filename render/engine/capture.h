/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * capture.h - a capture in the page of cdict report: the figures, tables and bins of one
 * walk, and the JSON made from them (doc/page.md).
 *
 *	struct page_capture c = { .walk = &walk, .label = "run", .file = "run.cdict" };
 *
 *	page_capture_add(&c, err);	// between tables_walk_init() and tables_walk_run()
 *	page_capture_fill(&c);		// after it
 *	page_tables_json(&json, &c, &arrays);
 *	page_capture_fini(&c);		// before tables_walk_fini()
 *
 * Failure    0 or a negative code, with *err filled if there is one
 * Ownership  the struct is the caller's, walk and texts borrowed
 */
#ifndef RENDER_ENGINE_CAPTURE_H
#define RENDER_ENGINE_CAPTURE_H

#include "base/text/json.h"
#include "base/text/sink.h"
#include "render/engine/bins.h"
#include "tables/columns/tables.h"
#include "tables/compare/changes.h"

/* In the order of writing. */
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
	PAGE_EXITS_SUMS,    /* of all reasons; without idle ones; of the idle ones */
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
		PAGE_ONLY_VCPUS, /* tables of the vCPUs of each VM together */
		PAGE_ONLY_FINDINGS,
	} part;
	const char *const *reasons; /* in the sums of exits, NULL: all */
	size_t n_reasons;
	const char *label, *file;
	const void *data; /* the file's bytes, if the page is to contain them, or NULL; borrowed */
	size_t size;
	const uint32_t *numbers; /* the page's, by task; UINT32_MAX: none; NULL: the same */
	/* Set by the functions. */
	uint32_t *kept;          /* @numbers when the page lists only some tasks, else NULL */
	size_t n_kept, n_tasks;  /* tasks in the page, in the capture */
	uint64_t t0_ns, last_ns; /* the window of the whole file */
	struct page_bins *bins;
	struct table *tables[PAGE_TABLES];
};

/* page_capture_add - registers the page's analyses; CDICT_ENOEVENTS when there is nothing to show. */
int page_capture_add(struct page_capture *c, struct cdict_error *err);
/* page_capture_fill - makes the tables, each as its command prints it without -s; 0 or -ENOMEM. */
int page_capture_fill(struct page_capture *c);
void page_capture_fini(struct page_capture *c);

/* The results of cdict diff for two sides, each of one or several of the page's captures, those of the base first. */
struct page_diff {
	const struct changes *all;    /* by enum compare_what */
	const struct changes *groups; /* of tasks */
	const char *sides[2];         /* their names */
	size_t n_base;
	double alpha; /* significant: p is less than this */
	const struct table *broken, *rules;
};

/* The content of a page: everything, or one view. */
struct page_view {
	const char *only;             /* "exits"; NULL: everything */
	const char *what, *by;        /* initial settings of the view, or NULL */
	const char *fold;             /* "groups", "tasks": its rows; NULL: by their number */
	const struct page_diff *diff; /* NULL: captures are compared with the first */
};

/* page_write - writes the page of @n captures; 0 or -ENOMEM, the sink keeps write errors. */
int page_write(struct sink *s, struct page_capture *const *captures, size_t n,
	       const struct page_view *view);

/* The parts of the page; each 0 or -ENOMEM. */
/* page_head_json - writes the page's head, with j->script set. */
int page_head_json(struct json *j, struct page_capture *const *captures, size_t n,
		   const struct page_view *view);
/* page_tables_json - writes tasks, tables and bins of one capture; the bins' numbers go to @arrays.  For a late table it
 * writes only the number of rows. */
int page_tables_json(struct json *j, const struct page_capture *c, struct sink *arrays);
/* page_table_late - the name of a large table that no view needs at first, so that it has an element of its own.
 * NULL: it has none. */
const char *page_table_late(const struct page_capture *c, enum page_table which);
/* page_table_json - writes a table as a member of the open object; nothing when the capture has none. */
void page_table_json(struct json *j, const struct page_capture *c, enum page_table which);
/* page_figures_json - writes tables and bins alone, as members of the open object. */
int page_figures_json(struct json *j, const struct page_capture *c, struct sink *arrays);
/* page_palette_json, page_compare_json - write members of the head. */
void page_palette_json(struct json *j, struct page_capture *const *captures, size_t n);
int page_compare_json(struct json *j, struct page_capture *const *captures, size_t n,
		      const struct page_diff *diff);

#endif
