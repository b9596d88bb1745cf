/* SPDX-License-Identifier: GPL-2.0-only */
/* The HTML file of cdict report. */
#include "render/page/page.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/text/escape.h"
#include "render/page/assets.h"
#include "render/page/page_policy.h" /* made by the build: PAGE_POLICY */

void page_put(struct sink *s, const struct page_asset *asset)
{
	sink_add(s, asset->start, (size_t)(asset->end - asset->start));
}

void page_begin(struct sink *s, const char *policy, const char *title,
		const struct page_asset *style)
{
	sink_puts(s, "<!DOCTYPE html>\n"
		     "<html lang=\"en\">\n"
		     "<head>\n"
		     "<meta charset=\"utf-8\">\n"
		     "<meta http-equiv=\"Content-Security-Policy\" content=\"");
	sink_puts(s, policy);
	sink_puts(s, "\">\n"
		     "<meta name=\"viewport\" content=\"width=device-width\">\n"
		     "<meta name=\"referrer\" content=\"no-referrer\">\n"
		     "<title>");
	escape_xml_text(s, title, strlen(title));
	/* without it a browser requests /favicon.ico from a server */
	sink_puts(s, "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>");
	page_put(s, style);
	sink_puts(s, "</style>\n"
		     "</head>\n"
		     "<body>\n"
		     "<div id=\"app\"><noscript>This page needs JavaScript and a browser of "
		     "the last three years. It makes no network requests."
		     "</noscript></div>\n");
}

void page_head(struct sink *s, const char *title)
{
	page_begin(s, PAGE_POLICY, title, &page_style);
}

static void open_data(struct sink *s, const char *type, const char *id)
{
	sink_printf(s, "<script type=\"%s\" id=\"%s\">", type, id);
}

static void close_data(struct sink *s)
{
	sink_puts(s, "</script>\n");
}

void page_json(struct sink *s, const char *id, const char *json, size_t len)
{
	open_data(s, "application/json", id);
	sink_add(s, json, len);
	close_data(s);
}

/* ---- base64 ---- */

/* Makes a table of two letters for each 12 bits. */
static void make_pairs(uint8_t table[4096][2])
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (unsigned i = 0; i < 4096; i++) {
		table[i][0] = (uint8_t)letters[i >> 6];
		table[i][1] = (uint8_t)letters[i & 63];
	}
}

/* Encodes @n bytes, a multiple of 3, to @out. */
static void encode(uint8_t *out, const uint8_t *in, size_t n, uint8_t table[4096][2])
{
	for (size_t i = 0; i < n; i += 3, in += 3, out += 4) {
		uint32_t v = (uint32_t)in[0] << 16 | (uint32_t)in[1] << 8 | in[2];

		memcpy(out, table[v >> 12], 2);
		memcpy(out + 2, table[v & 4095], 2);
	}
}

static void base64(struct sink *s, const uint8_t *data, size_t size)
{
	enum { STEP = 3 * 8192 };
	uint8_t table[4096][2], out[STEP / 3 * 4], last[3] = { 0 };
	size_t rest = size % 3, whole = size - rest;

	make_pairs(table);
	for (size_t at = 0; at < whole; at += STEP) {
		size_t n = whole - at < STEP ? whole - at : STEP;

		encode(out, data + at, n, table);
		sink_add(s, out, n / 3 * 4);
	}
	if (!rest)
		return;
	memcpy(last, data + whole, rest);
	encode(out, last, 3, table);
	memset(out + 1 + rest, '=', 3 - rest);
	sink_add(s, out, 4);
}

void page_base64(struct sink *s, const char *id, const void *data, size_t size)
{
	open_data(s, "application/octet-stream", id);
	base64(s, data, size);
	close_data(s);
}

void page_base64_parts(struct sink *s, const char *id, const void *data, size_t size)
{
	enum { PART = 3 << 18 };
	char name[64];

	page_base64(s, id, data, size < PART ? size : PART);
	for (size_t at = PART, i = 1; at < size; at += PART, i++) {
		snprintf(name, sizeof(name), "%s-%zu", id, i);
		page_base64(s, name, (const uint8_t *)data + at,
			    size - at < PART ? size - at : PART);
	}
}

int page_deflated(struct sink *s, const char *id, const void *data, size_t size, int level)
{
	uLongf len = compressBound(size);
	uint8_t *out = malloc(len);

	if (!out || compress2(out, &len, data, size, level) != Z_OK) {
		free(out);
		return -ENOMEM;
	}
	page_base64(s, id, out, len);
	free(out);
	return 0;
}

/* ---- the program ---- */

bool page_has_engine(void)
{
	return page_engine_gz.end > page_engine_gz.start;
}

void page_program(struct sink *s)
{
	open_data(s, "text/plain", "cdict-worker");
	page_put(s, &page_worker);
	close_data(s);
	if (page_has_engine())
		page_base64(s, "cdict-engine", page_engine_gz.start,
			    (size_t)(page_engine_gz.end - page_engine_gz.start));
	sink_puts(s, "<script>");
	page_put(s, &page_d3);
	sink_puts(s, "</script>\n<script>");
	page_put(s, &page_script);
	close_data(s);
}

void page_foot(struct sink *s)
{
	sink_puts(s, "</body>\n</html>\n");
}
