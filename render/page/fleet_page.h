/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fleet_page.h - the HTML file of cdict report --job: pictures of hosts by time, one per figure, and tables.
 *
 *	cdict-fleet     JSON: title and facts, palette, figures, columns of the tables
 *	fleet-tables    deflated JSON: their rows, by column
 *	fleet-values    deflated JSON: {figure: values of the cells}, "seen": buckets of each
 *	picture-FIGURE  deflated SVG, with the page's variables as colours
 *
 * Everything in it is counted and drawn here; its script (render/web/fleet/) chooses what to show.
 *
 * Ownership  all borrowed
 */
#ifndef RENDER_PAGE_FLEET_PAGE_H
#define RENDER_PAGE_FLEET_PAGE_H

#include "cdict/error.h"
#include "base/text/sink.h"
#include "tables/columns/table.h"

struct fleet_page_figure {
	const char *key, *title, *about;
	const double *values; /* [row * columns + column], NAN: not known */
};

/* Hosts by time. */
struct fleet_page_map {
	const char *const *names; /* of the rows, foreign */
	size_t rows, columns;
	uint64_t column_ns;
	uint64_t from_ns; /* wall clock; 0: each host's own time */
	const char *each; /* meaning of a cell: "a cell is a second of a host" */
	const uint32_t *seen;
	const struct fleet_page_figure *figures;
	size_t n;
};

enum fleet_page_bars {
	FLEET_BARS_NONE = 0,
	FLEET_BARS_COLUMNS, /* each figure has a bar, in proportion to the largest of its column */
	FLEET_BARS_QUARTILES, /* min, q1, median, q3 and max of a row are drawn on one scale */
};

struct fleet_page_table {
	const char *key, *title, *about;
	struct table *table;
	enum fleet_page_bars bars;
};

struct fleet_page_link {
	const char *host; /* as in the rows of table "hosts" */
	const char *file; /* of letters, digits and ._- only */
};

/* A sentence that leads to a table, and there to rows. */
struct fleet_page_finding {
	const char *text;  /* with foreign names */
	const char *table; /* its key */
	const char *about; /* a name in these rows; NULL: all */
};

struct fleet_page {
	const char *title;        /* "job 2001", foreign */
	const char *const *facts; /* next to the title */
	size_t n_facts;
	const struct fleet_page_finding *findings; /* worst first */
	size_t n_findings;
	const char *const *lines; /* notes: missing data, how it was folded */
	size_t n_lines;
	const struct fleet_page_map *map; /* NULL: none */
	const struct fleet_page_table *tables;
	size_t n_tables;
	/* The hosts' own pages, in the same folder. */
	const struct fleet_page_link *links;
	size_t n_links;
};

/* fleet_page_write - writes the page; 0 or a code with *err filled; the sink keeps write errors. */
int fleet_page_write(const struct fleet_page *p, struct sink *out, struct cdict_error *err);

#endif
