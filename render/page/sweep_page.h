/* SPDX-License-Identifier: GPL-2.0-only */
/* sweep_page.h - a picture with the figures below it, as a page that needs nothing else: no network, no script. */
#ifndef RENDER_SWEEP_PAGE_H
#define RENDER_SWEEP_PAGE_H

#include "base/text/sink.h"
#include "cdict/error.h"
#include "render/draw/marks.h"

struct sweep_page {
	const struct marks *marks;
	const char *title;
	/* Rows of cells as they are, escaped here; the first one names them. @names: columns with text to the left. */
	const char *const *cells;
	size_t rows, columns, names;
	/* Lines below the table, or none. */
	const char *const *lines;
	size_t n_lines;
};

/* sweep_page_write - 0 or a code with *err filled; what failed to be written is remembered by the sink. */
int sweep_page_write(const struct sweep_page *p, struct sink *out, struct cdict_error *err);

#endif
