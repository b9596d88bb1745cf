/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * backend.h - draws marks as SVG, PNG, PDF or terminal text.
 *
 * SVG is written here and not by cairo, which turns every text into outlines: text
 * stays text.  PNG and PDF are cairo's.  The same marks give the same bytes (PNG and
 * PDF: with the same fonts installed).
 *
 * Failure    0 or a negative code with *err filled; the sink keeps write errors
 */
#ifndef RENDER_DRAW_BACKEND_H
#define RENDER_DRAW_BACKEND_H

#include "base/text/sink.h"
#include "cdict/error.h"
#include "render/draw/marks.h"

struct backend_options {
	enum palette_theme theme;
	bool colour;       /* terminal: 24-bit colours and half blocks; else plain ASCII */
	bool few;          /* 256 colours only, which most terminals have */
	const char *hatch; /* SVG: name of its pattern; NULL: "loss" */
	bool variables; /* SVG in a page: colours are the page's variables, no style attributes */
};

struct backend {
	const char *name;   /* "svg" */
	const char *ending; /* ".svg", NULL: none */
	bool cells;         /* draws in cells, not in pixels */
	int (*draw)(const struct marks *m, const struct backend_options *opts, struct sink *out,
		    struct cdict_error *err);
};

extern const struct backend backend_svg, backend_png, backend_pdf, backend_term;

/* backend_find - by name; backend_for - by a path's ending; NULL if there is none. */
const struct backend *backend_find(const char *name);
const struct backend *backend_for(const char *path);

#endif
