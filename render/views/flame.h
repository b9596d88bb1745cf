/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame.h - flame graphs: a frame stands on the one that called it and is as wide as what its stacks add up to.
 *
 * Two inputs are one picture: as wide as in the new one, the colour says what its share was in the other.
 *
 * Failure    0 or a negative code with *err filled; what failed to be written is remembered by the sink
 */
#ifndef RENDER_FLAME_H
#define RENDER_FLAME_H

#include "base/text/sink.h"
#include "render/draw/marks.h"
#include "tables/stacks/folded.h"

struct flame {
	const struct folded *tree; /* after folded_done() */
	const struct folded *base; /* what it is compared with, or NULL */
	const char *title;
	const char *subtitle; /* or NULL */
	const char *count;    /* what is counted: "ns", "wake-ups" */
	bool is_time;         /* values are ns */
	const char *foot;     /* what was lost or left out, or NULL */
	unsigned width;       /* pixels, 0: 1280 */
	uint64_t made_at_s;   /* of the data, for documents that have a date */
};

/* flame_svg - a picture that answers to clicks and searches where scripts may run; flame_html - the same as a page. */
int flame_svg(const struct flame *fl, struct sink *s, struct cdict_error *err);
int flame_html(const struct flame *fl, struct sink *s, struct cdict_error *err);
/* flame_marks - the same for other back-ends, without that; 0 or -ENOMEM. */
int flame_marks(struct marks *m, const struct flame *fl);

/* The layout, shared by these. */
enum { FLAME_LEFT = 12, FLAME_ROW = 18, FLAME_TOP = 62, FLAME_FOOT = 50 };
struct flame_box {
	uint32_t node;
	uint64_t start; /* in the tree's values */
	double x, w;    /* pixels */
	double y;
};
struct flame_layout {
	ARRAY(struct flame_box) boxes;
	uint64_t left_out;    /* frames too narrow to be seen */
	uint64_t *base;       /* by node: its total in the other input; NULL: there is none */
	unsigned depth;       /* of what is drawn */
	double width, height; /* of the picture */
};
int flame_layout_init(struct flame_layout *l, const struct flame *fl); /* 0 or -ENOMEM */
void flame_layout_fini(struct flame_layout *l);

/* flame_ink - of a frame: by what it is and is called, or by how its share changed. */
struct ink flame_ink(const struct flame *fl, const struct flame_layout *l, uint32_t node);
/* flame_foot - @fl->foot and what is not drawn, given; "": nothing is to be said, NULL: out of memory. */
char *flame_foot(const struct flame *fl, const struct flame_layout *l);
/* flame_says - "read: 1.23 ms, 12.3 %", clean, given; NULL: out of memory. */
char *flame_says(const struct flame *fl, const struct flame_layout *l, uint32_t node);

#endif
