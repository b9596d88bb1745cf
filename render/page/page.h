/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * page.h - the HTML file of cdict report: policy, style, data, scripts, in one piece.
 * doc/page.md, "The file", lists its elements.
 *
 *	page_head(s, title);
 *	page_json(s, "cdict-page", json, len);
 *	page_deflated(s, "tables-0", json, len);
 *	page_program(s);
 *	page_base64_parts(s, "capture-0", bytes, size);
 *	page_foot(s);
 *
 * Failure    the sink keeps write errors; page_deflated() 0 or -ENOMEM
 */
#ifndef RENDER_PAGE_PAGE_H
#define RENDER_PAGE_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text/sink.h"

/* page_begin - begins a page with @policy and @style; page_head - that of cdict report. @title is foreign text. */
struct page_asset;
void page_put(struct sink *s, const struct page_asset *asset);
void page_begin(struct sink *s, const char *policy, const char *title,
		const struct page_asset *style);
void page_head(struct sink *s, const char *title);
/* page_json - embeds @json, made with json.script set, so that it cannot end its element. */
void page_json(struct sink *s, const char *id, const char *json, size_t len);
void page_base64(struct sink *s, const char *id, const void *data, size_t size);
/* page_deflated - embeds base64 of zlib's format, compressed with @level (1: fast ... 9: small). */
int page_deflated(struct sink *s, const char *id, const void *data, size_t size, int level);
/* page_base64_parts - in elements of 1 MiB each, @id, @id-1, @id-2, ...: a browser rebuilds a script's text with each
 * piece that it reads. */
void page_base64_parts(struct sink *s, const char *id, const void *data, size_t size);
/* page_program - the script, which runs as soon as it is read: data of the first view are before it, large data after. */
void page_program(struct sink *s);
void page_foot(struct sink *s);
/* page_has_engine - whether the page can read the captures in it: not in a build without
 * WebAssembly. */
bool page_has_engine(void);

#endif
