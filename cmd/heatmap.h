/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * heatmap.h - the parts of cdict heatmap: options and output (heatmap.c), what all pictures
 * say (heatmap_caption.c), from the capture to marks (heatmap_slices.c, heatmap_rows.c).
 */
#ifndef CMD_HEATMAP_H
#define CMD_HEATMAP_H

#include "cmd/figures.h"
#include "render/frame.h"
#include "render/marks.h"

struct heatmap_opts {
	struct options_shared shared;
	int view; /* index of heatmap_views */
	const char *what, *by;
	const char *format_out;
	const char *label;
	uint64_t width, height; /* 0: not given */
	uint64_t top;           /* rows; 0: all */
	int theme;              /* 0: as fits */
};

/* Everything between opening the capture and drawing: analyses, walk, marks.  @what and
 * @by are indexes into what the view takes. */
typedef int heatmap_fn(struct figures *f, const struct heatmap_opts *opts, unsigned what,
		       unsigned by, const struct canvas *c, struct marks *m);

heatmap_fn heatmap_switches, heatmap_kvm, heatmap_cores;
heatmap_fn heatmap_exits, heatmap_vcpu, heatmap_cpu, heatmap_coremap;

/* heatmap_page - writes the view to -o as a page of cdict report; @what and @by as chosen, or
 * NULL.  A status. */
int heatmap_page(const struct cmd_call *call, const char *view, const char *what, const char *by);

/* A caption with what it points to. */
struct heatmap_caption {
	struct frame_caption frame;
	char *label, *host, *selection, *loss;
	struct cdict_loss *losses;
};

/* heatmap_caption_init - after the walk; @all is what no task filter stands for.  CMD_DONE
 * or a failure that was reported; heatmap_caption_fini() in either case. */
int heatmap_caption_init(struct heatmap_caption *cap, const struct figures *f,
			 const struct heatmap_opts *opts, const char *title, const char *all);
void heatmap_caption_fini(struct heatmap_caption *cap);

/* Which tasks are wanted, asked once a task; free @tasks. */
struct heatmap_wanted {
	bool *tasks;
	size_t n;
};

int heatmap_wanted_init(struct heatmap_wanted *w, const struct figures *f);
bool heatmap_is_wanted(void *wanted, uint32_t task); /* as the views ask */
bool heatmap_wanted_cpu(const struct cmd_cpus *cpus, uint32_t cpu);

/* heatmap_task_name - "CPU 0/KVM  4711", clean, given: names of threads repeat between
 * VMs.  NULL when out of memory. */
char *heatmap_task_name(const struct figures *f, const struct analyze_task *task);

#endif
