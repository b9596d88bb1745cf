/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * flame.h - flame graphs: a frame is below its caller, so that a picture of any height begins with the
 * whole, and as wide as the sum of its stacks; the largest callee comes first.
 *
 * Two inputs make one picture: widths are those of the new one, colours show the change of a frame's share.
 *
 * Failure    0 or a negative code with *err filled; the sink keeps write errors
 */
#ifndef RENDER_VIEWS_FLAME_H
#define RENDER_VIEWS_FLAME_H

#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "base/text/sink.h"
#include "render/draw/marks.h"
#include "tables/stacks/folded.h"

struct flame {
	const struct folded *tree; /* after folded_done() */
	const struct folded *base; /* the input to compare with, or NULL */
	const char *title;
	const char *subtitle; /* or NULL */
	const char *count;    /* unit of the values: "ns", "wake-ups" */
	bool is_time;         /* values are ns */
	const char *foot;     /* losses and omissions, or NULL */
	unsigned width;       /* pixels, 0: 1280 */
	uint64_t made_at_s;   /* of the data, for documents that have a date */
};

/* flame_svg - writes a picture with zoom and search where scripts may run; flame_html - the same as a page. */
int flame_svg(const struct flame *fl, struct sink *s, struct cdict_error *err);
int flame_html(const struct flame *fl, struct sink *s, struct cdict_error *err);
/* flame_marks - the same for other back-ends, without zoom and search; 0 or -ENOMEM. */
int flame_marks(struct marks *m, const struct flame *fl);

/* The layout of all of them. */
enum { FLAME_LEFT = 12, FLAME_ROW = 18, FLAME_TOP = 78, FLAME_FOOT = 34 };
struct flame_box {
	uint32_t node;
	uint64_t start; /* in the tree's values */
	double x, w;    /* pixels */
	double y;
};
struct flame_layout {
	ARRAY(struct flame_box) boxes;
	uint64_t left_out; /* frames too narrow to see */
	uint64_t deeper;   /* frames below the last drawn level: the picture would be too large */
	uint64_t *base;    /* by node: its total in the other input; NULL: no other input */
	unsigned depth;    /* of the drawn frames */
	double width, height; /* of the picture */
	struct stringset texts;
	struct map taken; /* by address in texts: the name that this text is short for */
};
int flame_layout_init(struct flame_layout *l, const struct flame *fl); /* 0 or -ENOMEM */
void flame_layout_fini(struct flame_layout *l);

/* flame_text - the name @clean of @b, shortened to its width, given: different names stay different, "" where that
 * needs more room; NULL: out of memory. */
char *flame_text(struct flame_layout *l, const struct flame_box *b, const char *clean);
/* flame_ink - the ink of a frame: by its kind and name, or by the change of its share. */
struct ink flame_ink(const struct flame *fl, const struct flame_layout *l, uint32_t node);
/* flame_foot - @fl->foot and the number of frames not drawn, given; "": nothing to say, NULL: out of memory. */
char *flame_foot(const struct flame *fl, const struct flame_layout *l);
/* flame_tooltip - a frame's tooltip: "read: 1.23 ms, 12.3 %", clean, given; NULL: out of memory. */
char *flame_tooltip(const struct flame *fl, const struct flame_layout *l, uint32_t node);

#endif
