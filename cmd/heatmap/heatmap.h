/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heatmap.h - the parts of cdict heatmap: options, the way from the capture to the picture and
 * output (heatmap.c), what all pictures say (heatmap_caption.c), what is drawn (heatmap_slices.c,
 * heatmap_cores.c, heatmap_rows.c, heatmap_bars.c, heatmap_delays.c), tasks in groups (heatmap_groups.c).
 */
#ifndef CMD_HEATMAP_H
#define CMD_HEATMAP_H

#include "analyze/sched/slices.h"
#include "base/memory/map.h"
#include "cmd/tables/figures.h"
#include "render/bins/bins.h"
#include "render/bins/lanes.h"
#include "render/draw/frame.h"
#include "render/draw/marks.h"
#include "tables/findings/fold.h"

/* What has a row of its own, as --rows says. */
enum { HEATMAP_ROWS_TASK = 0, HEATMAP_ROWS_GROUP, HEATMAP_ROWS_ROLE };
/* What has a colour of its own among cores: these, as --by says, or a state. */
enum { HEATMAP_BY_STATE = HEATMAP_ROWS_ROLE + 1 };

struct heatmap_opts {
	struct options_shared shared;
	int view; /* index of heatmap_views */
	const char *what, *by;
	const char *format_out;
	const char *label;
	uint64_t width, height; /* 0: not given */
	uint64_t top;           /* rows; 0: all */
	int rows;               /* HEATMAP_ROWS_* */
	int theme;              /* 0: as fits */
};

/* A caption with what it points to. */
struct heatmap_caption {
	struct frame_caption frame;
	char *label, *host, *selection, *loss;
	struct cdict_loss *losses;
};

/* A row of several tasks. */
struct heatmap_group {
	struct fold_place place;
	uint32_t tasks, last; /* how many, the newest of them */
};

struct heatmap_groups {
	struct fold fold;
	struct map numbers; /* (group, role) -> place in all */
	ARRAY(struct heatmap_group) all;
};

/* One picture in the making. */
struct heatmap {
	struct figures f;
	const struct heatmap_opts *opts;
	unsigned what, by;            /* indexes into what the view takes */
	int rows;                     /* HEATMAP_ROWS_*: what heatmap_row_of() numbers */
	enum analyze_slice_kind kind; /* of the intervals that are drawn */
	struct canvas c;
	struct marks m;
	struct heatmap_caption cap;
	/* What the walk fills beside f.walk. */
	struct analyze_slices *slices;
	struct bins *bins;
	struct lanes *lanes;
	ARRAY(struct lanes *) states; /* by task, of vCPUs: NULL where it had none */
	bool *wanted;                 /* by task: asked for */
	struct heatmap_groups groups;
};

/* What a view does before the walk: registers its analyses, 0 or a negative code with *err filled; and
 * after it: marks, 0 or -ENOMEM. */
typedef int heatmap_add_fn(struct heatmap *h, struct cdict_error *err);
typedef int heatmap_draw_fn(struct heatmap *h);

heatmap_add_fn heatmap_add_slices, heatmap_add_cores, heatmap_add_exits, heatmap_add_vcpu,
	heatmap_add_coremap;
heatmap_draw_fn heatmap_draw_slices, heatmap_draw_cores, heatmap_draw_exits, heatmap_draw_vcpu,
	heatmap_draw_cpu, heatmap_draw_coremap, heatmap_draw_delays;

/* heatmap_page - writes the view to -o as a page of cdict report; @what and @by as chosen, or
 * NULL.  A status. */
int heatmap_page(const struct cmd_call *call, const char *view, const char *what, const char *by);

/* heatmap_caption_init - after the walk; @all is what no task filter stands for.  0 or -ENOMEM;
 * heatmap_caption_fini() in either case. */
int heatmap_caption_init(struct heatmap *h, const char *title, const char *all);
void heatmap_caption_fini(struct heatmap_caption *cap);

/* heatmap_find_wanted - fills h->wanted: each task is asked about once.  0 or -ENOMEM. */
int heatmap_find_wanted(struct heatmap *h);
bool heatmap_is_wanted(void *heatmap, uint32_t task); /* as the views ask */

/* heatmap_is_shown - whether the task was asked for: by its name, each time anew. */
bool heatmap_is_shown(const struct heatmap *h, uint32_t task);

/* heatmap_task_name - "CPU 0/KVM  4711", clean, given: names of threads repeat between
 * VMs.  NULL when out of memory. */
char *heatmap_task_name(const struct heatmap *h, uint32_t task);

/* heatmap_row_of - the number of the row that the task, not IDLE, is part of: its own, or its group's; tasks come in order.
 * 0 or -ENOMEM. */
int heatmap_row_of(struct heatmap *h, uint32_t task, uint32_t *row);
/* heatmap_row_name - "Firewall.05 vcpu (2)", clean, given; a group of one task is called as the task. NULL when out of memory. */
char *heatmap_row_name(const struct heatmap *h, uint32_t row);
void heatmap_groups_fini(struct heatmap_groups *g);

#endif
