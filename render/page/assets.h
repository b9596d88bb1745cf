/* SPDX-License-Identifier: GPL-2.0-only */
/* assets.h - the page's own style and scripts, as the build bundled them. */
#ifndef RENDER_PAGE_ASSETS_H
#define RENDER_PAGE_ASSETS_H

struct page_asset {
	const char *start, *end;
};

/* The engine is empty in a build without WebAssembly. */
extern const struct page_asset page_style, page_script, page_worker, page_d3, page_engine_gz;
/* For a flame graph alone. */
extern const struct page_asset page_flame_style, page_flame_script;

/* For a job's page. */
extern const struct page_asset page_fleet_style, page_fleet_script;

#endif
