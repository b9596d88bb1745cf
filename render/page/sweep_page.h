/* SPDX-License-Identifier: GPL-2.0-only */
/* sweep_page.h - a picture with its figures below, as a self-contained page: no network, no script. */
#ifndef RENDER_PAGE_SWEEP_PAGE_H
#define RENDER_PAGE_SWEEP_PAGE_H

#include "base/text/sink.h"
#include "cdict/error.h"
#include "render/draw/marks.h"

struct sweep_page {
	const struct marks *marks;
	const char *title;
	/* Rows of raw cells, escaped here; the first row is the header. @names: number of left-aligned text columns. */
	const char *const *cells;
	size_t rows, columns, names;
	/* Lines below the table, or none. */
	const char *const *lines;
	size_t n_lines;
};

/* sweep_page_write - writes the page; 0 or a code with *err filled; the sink keeps write errors. */
int sweep_page_write(const struct sweep_page *p, struct sink *out, struct cdict_error *err);

#endif
