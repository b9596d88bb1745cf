/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Interactive flame graphs: the whole picture, with the data that its script (web/flame/) needs to draw a part of it:
 * data-s, a frame's start, and data-t, its total, in the values of the stacks.
 *
 * Names pass escape_xml_text() here, once; the script reads them as text and writes them as text.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/escape.h"
#include "render/draw/text.h"
#include "render/page/assets.h"
#include "render/page/page.h"
#include "render/views/flame.h"

#include "render/page/flame_policy.h"

static void variables(struct sink *s, enum palette_theme theme)
{
	static const uint8_t plain[] = { INK_PAPER, INK_TEXT, INK_DIM, INK_GRID, INK_ACCENT };
	char hex[8];

	for (size_t i = 0; i < sizeof(plain); i++)
		sink_printf(s, "--%s:%s;", palette_names[plain[i]],
			    palette_hex(hex, theme, (struct ink){ plain[i], 0 }));
	for (uint8_t i = 0; i < FOLDED_KINDS * PALETTE_SHADES; i++)
		sink_printf(s, "--f%u:%s;", i,
			    palette_hex(hex, theme, (struct ink){ INK_FRAME, i }));
	for (uint8_t i = 0; i <= 2 * PALETTE_CHANGES; i++)
		sink_printf(s, "--c%u:%s;", i,
			    palette_hex(hex, theme, (struct ink){ INK_CHANGE, i }));
}

static void style(struct sink *s)
{
	sink_puts(s, "<style>body{margin:0}:root{color-scheme:light dark;background:var(--paper);");
	variables(s, PALETTE_LIGHT);
	sink_puts(s, "}@media (prefers-color-scheme:dark){:root{");
	variables(s, PALETTE_DARK);
	sink_puts(s, "}}\n");
	for (unsigned i = 0; i < FOLDED_KINDS * PALETTE_SHADES; i++)
		sink_printf(s, ".f%u{fill:var(--f%u)}", i, i);
	for (unsigned i = 0; i <= 2 * PALETTE_CHANGES; i++)
		sink_printf(s, ".c%u{fill:var(--c%u)}", i, i);
	sink_putc(s, '\n');
	page_put(s, &page_flame_style);
	sink_puts(s, "</style>\n");
}

static void text(struct sink *s, const char *class, double x, double y, const char *raw)
{
	sink_printf(s, "<text class=\"%s\" x=\"%g\" y=\"%g\">", class, x, y);
	text_xml(s, raw);
	sink_puts(s, "</text>\n");
}

static int box(struct sink *s, const struct flame *fl, struct flame_layout *l,
	       const struct flame_box *b)
{
	const struct folded_node *n = &fl->tree->nodes.at[b->node];
	const char *name = b->node == FOLDED_ROOT ? "all" : n->name;
	struct ink ink = flame_ink(fl, l, b->node);
	char *clean = text_clean(name, strlen(name)), *says = flame_tooltip(fl, l, b->node);
	char *fit = clean ? flame_text(l, b, clean) : NULL;
	int rc = says && fit ? 0 : -ENOMEM;
	char hex[8];

	if (!rc) {
		sink_printf(s,
			    "<g class=\"f\" data-s=\"%" PRIu64 "\" data-t=\"%" PRIu64
			    "\" data-d=\"%u\"",
			    b->start, n->total, n->depth);
		if (strcmp(fit, clean)) {
			sink_puts(s, " data-n=\"");
			escape_xml_attr(s, clean, strlen(clean));
			sink_putc(s, '"');
		}
		sink_puts(s, "><title>");
		escape_xml_text(s, says, strlen(says));
		sink_printf(
			s,
			"</title><rect class=\"%c%u\" x=\"%.2f\" y=\"%g\" width=\"%.2f\" height=\"%d\" fill=\"%s\"/>",
			ink.kind == INK_CHANGE ? 'c' : 'f', ink.level, b->x, b->y, b->w,
			FLAME_ROW - 1, palette_hex(hex, PALETTE_LIGHT, ink));
		sink_printf(s, "<text x=\"%.2f\" y=\"%g\">", b->x + 4, b->y + 12.5);
		escape_xml_text(s, fit, strlen(fit));
		sink_puts(s, "</text></g>\n");
	}
	free(clean);
	free(says);
	free(fit);
	return rc;
}

static int picture(struct sink *s, const struct flame *fl, struct flame_layout *l)
{
	int rc = 0;
	char *foot;

	sink_printf(
		s,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"flame\" width=\"%g\" height=\"%g\" "
		"viewBox=\"0 0 %g %g\" data-sum=\"%" PRIu64 "\" data-left=\"%d\" "
		"font-family=\"system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif\" "
		"font-size=\"12\">\n<title>",
		l->width, l->height, l->width, l->height, fl->tree->nodes.at[FOLDED_ROOT].total,
		FLAME_LEFT);
	escape_xml_text(s, fl->title, strlen(fl->title));
	sink_puts(s, "</title>\n");
	style(s);
	sink_puts(s, "<rect class=\"paper\" width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
	text(s, "head", FLAME_LEFT, 28, fl->title);
	if (fl->subtitle)
		text(s, "dim sub", FLAME_LEFT, 48, fl->subtitle);
	for (size_t i = 0; i < l->boxes.n && !rc; i++)
		rc = box(s, fl, l, &l->boxes.at[i]);
	text(s, "says", FLAME_LEFT, FLAME_TOP - 10, "");
	foot = flame_foot(fl, l);
	if (foot)
		text(s, "dim foot", FLAME_LEFT, l->height - 12, foot);
	else
		rc = -ENOMEM;
	free(foot);
	return rc;
}

int flame_svg(const struct flame *fl, struct sink *s, struct cdict_error *err)
{
	struct flame_layout l;
	int rc = flame_layout_init(&l, fl);

	if (!rc) {
		sink_puts(s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
		rc = picture(s, fl, &l);
		sink_puts(s, "<script><![CDATA[\n");
		page_put(s, &page_flame_script);
		sink_puts(s, "]]></script>\n</svg>\n");
	}
	flame_layout_fini(&l);
	return rc ? cdict_fail_nomem(err) : 0;
}

int flame_html(const struct flame *fl, struct sink *s, struct cdict_error *err)
{
	struct flame_layout l;
	int rc = flame_layout_init(&l, fl);

	if (!rc) {
		sink_puts(s,
			  "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
			  "<meta http-equiv=\"Content-Security-Policy\" content=\"" FLAME_POLICY
			  "\">\n"
			  "<meta name=\"viewport\" content=\"width=device-width\">\n"
			  "<meta name=\"referrer\" content=\"no-referrer\">\n<title>");
		escape_xml_text(s, fl->title, strlen(fl->title));
		sink_puts(s, "</title>\n</head>\n<body>\n");
		rc = picture(s, fl, &l);
		sink_puts(s, "</svg>\n<script>");
		page_put(s, &page_flame_script);
		sink_puts(s, "</script>\n</body>\n</html>\n");
	}
	flame_layout_fini(&l);
	return rc ? cdict_fail_nomem(err) : 0;
}
