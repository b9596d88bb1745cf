/* SPDX-License-Identifier: GPL-2.0-only */
/* heatmap.h - the parts of cdict heatmap (heatmap.c: options, output; heatmap_views.c: from
 * the capture to marks). */
#ifndef CMD_HEATMAP_H
#define CMD_HEATMAP_H

#include "cmd/figures.h"
#include "render/marks.h"

struct heatmap_opts {
	struct options_shared shared;
	int view; /* index of heatmap_views */
	const char *what, *by;
	const char *format_out;
	const char *label;
	uint64_t width, height; /* 0: not given */
	int theme;              /* enum palette_theme */
};

/* A view: its name, what --what and --by may be (the first is the default). */
struct heatmap_view {
	const char *name;
	const char *const *whats, *const *bys; /* NULL: the option makes no sense */
	bool by_rows;                          /* rows decide the height */
	/* Everything between opening the capture and drawing: analyses, walk, marks. */
	int (*run)(struct figures *f, const struct heatmap_opts *opts, unsigned what, unsigned by,
		   const struct canvas *c, struct marks *m);
};

extern const char *const heatmap_view_names[]; /* NULL-terminated, as heatmap_views */
extern const struct heatmap_view heatmap_views[];

#endif
