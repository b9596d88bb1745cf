/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heatmap.h - shared by the files of cdict heatmap: options, the steps from the capture to the
 * picture and output (heatmap.c), captions (caption.c), the views (slices.c, cores.c, rows.c,
 * bars.c, delays.c, vm.c), groups of tasks (groups.c).
 */
#ifndef CMD_HEATMAP_HEATMAP_H
#define CMD_HEATMAP_HEATMAP_H

#include "analyze/sched/slices.h"
#include "base/memory/map.h"
#include "cmd/tables/figures.h"
#include "render/bins/bins.h"
#include "render/bins/lanes.h"
#include "render/draw/frame.h"
#include "render/draw/marks.h"
#include "tables/findings/fold.h"

/* The unit of a row: values of --rows. */
enum { HEATMAP_ROWS_TASK = 0, HEATMAP_ROWS_GROUP, HEATMAP_ROWS_ROLE };
/* The unit of a colour in the view cores: these, by --by, or a state. */
enum { HEATMAP_BY_STATE = HEATMAP_ROWS_ROLE + 1 };

struct heatmap_opts {
	struct options_shared shared;
	int view; /* index of heatmap_views */
	const char *what, *by;
	const char *format_out;
	const char *label;
	uint64_t width, height; /* 0: not given */
	uint64_t top;           /* number of rows; 0: all */
	int rows;               /* HEATMAP_ROWS_* */
	int theme;              /* 0: automatic */
};

/* A caption and the memory it refers to. */
struct heatmap_caption {
	struct frame_caption frame;
	char *label, *host, *selection, *loss;
	struct cdict_loss *losses;
};

/* A row for several tasks. */
struct heatmap_group {
	struct fold_place place;
	uint32_t tasks, last; /* number of tasks, the newest of them */
};

struct heatmap_groups {
	struct fold fold;
	struct map numbers; /* (group, role) -> index in all */
	ARRAY(struct heatmap_group) all;
};

/* The state of a picture. */
struct heatmap {
	struct figures f;
	const struct heatmap_opts *opts;
	unsigned what, by;            /* indexes in the view's values of --what and --by */
	int rows;                     /* HEATMAP_ROWS_*: the unit that heatmap_row_of() numbers */
	enum analyze_slice_kind kind; /* of the intervals to draw */
	struct canvas c;
	struct marks m;
	struct heatmap_caption cap;
	/* Filled by the walk, in addition to f.walk. */
	struct analyze_slices *slices;
	struct bins *bins;
	struct lanes *lanes;
	ARRAY(struct lanes *) states; /* by task, for vCPUs; NULL: no states */
	bool *wanted;                 /* by task: selected */
	struct heatmap_groups groups;
	struct heatmap_vm *vm; /* of the view vm */
};

/* The steps of a view: add, before the walk, registers its analyses, and walk, if it has that, walks
 * again: 0 or a negative code with *err filled; draw, after it, makes marks: 0 or -ENOMEM. */
typedef int heatmap_add_fn(struct heatmap *h, struct cdict_error *err);
typedef int heatmap_draw_fn(struct heatmap *h);

heatmap_add_fn heatmap_add_slices, heatmap_add_cores, heatmap_add_exits, heatmap_add_vcpu,
	heatmap_add_coremap, heatmap_add_vm, heatmap_walk_vm;
heatmap_draw_fn heatmap_draw_slices, heatmap_draw_cores, heatmap_draw_exits, heatmap_draw_vcpu,
	heatmap_draw_cpu, heatmap_draw_coremap, heatmap_draw_delays, heatmap_draw_vm;

void heatmap_vm_free(struct heatmap_vm *vm);

/* heatmap_page - writes the view to -o as a page of cdict report; @what and @by as given, or NULL.
 * A status. */
int heatmap_page(const struct cmd_call *call, const char *view, const char *what, const char *by);

/* heatmap_caption_init - makes the caption after the walk; @all is the text when no task filter is
 * given. 0 or -ENOMEM; heatmap_caption_fini() in either case. */
int heatmap_caption_init(struct heatmap *h, const char *title, const char *all);
void heatmap_caption_fini(struct heatmap_caption *cap);

/* heatmap_find_wanted - fills h->wanted, checking each task once. 0 or -ENOMEM. */
int heatmap_find_wanted(struct heatmap *h);
bool heatmap_is_wanted(void *heatmap, uint32_t task); /* callback of the views */

/* heatmap_is_shown - whether the task is selected: checks its name on each call. */
bool heatmap_is_shown(const struct heatmap *h, uint32_t task);

/* heatmap_task_name - "CPU 0/KVM  4711", printable, given: thread names repeat between VMs. NULL
 * when out of memory. */
char *heatmap_task_name(const struct heatmap *h, uint32_t task);

/* heatmap_row_of - the number of the row of the task (not IDLE): its own, or its group's; to be
 * called in the order of tasks. 0 or -ENOMEM. */
int heatmap_row_of(struct heatmap *h, uint32_t task, uint32_t *row);
/* heatmap_find_row - the same, without counting the task to its group. */
int heatmap_find_row(struct heatmap *h, uint32_t task, uint32_t *row);
/* heatmap_row_name - "Firewall.05 vcpu (2)", printable, given; a group of one task has the task's
 * name. NULL when out of memory. */
char *heatmap_row_name(const struct heatmap *h, uint32_t row);
void heatmap_groups_fini(struct heatmap_groups *g);

#endif
