/* SPDX-License-Identifier: GPL-2.0-only */
/* A picture with its figures below, as a page. */
#include "render/page/sweep_page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/escape.h"
#include "render/draw/backend.h"
#include "render/draw/text.h"

/* The policy forbids loading anything and running scripts. */
static const char head[] =
	"<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<meta name=\"color-scheme\" content=\"light dark\">\n";
static const char style[] =
	"<style>\n"
	"body { margin: 0 auto; max-width: 1280px; padding: 8px; background: #fff; color: #1c2126;\n"
	"\tfont: 14px/1.5 system-ui, -apple-system, 'Segoe UI', 'Noto Sans', 'DejaVu Sans', sans-serif }\n"
	"svg { width: 100%; height: auto; display: block }\n"
	".dark { display: none }\n"
	".wide { overflow-x: auto }\n"
	"table { border-collapse: collapse; font-variant-numeric: tabular-nums; margin: 8px 16px }\n"
	"th, td { padding: 2px 12px; border-bottom: 1px solid #e1e5e8; white-space: nowrap; text-align: right }\n"
	"th { font-weight: 600 }\n"
	".name { text-align: left }\n"
	"p { margin: 8px 28px; color: #5b6570; overflow-wrap: anywhere }\n"
	"@media screen and (prefers-color-scheme: dark) {\n"
	"\tbody { background: #16191d; color: #e6e9ec }\n"
	"\tth, td { border-color: #31373d }\n"
	"\tp { color: #a4adb6 }\n"
	"\t.light { display: none }\n"
	"\t.dark { display: block }\n"
	"}\n"
	"</style>\n</head>\n<body>\n";

/* Writes the marks in one theme; the page has both and shows the one that the reader prefers. */
static int put_picture(const struct sweep_page *p, enum palette_theme theme, struct sink *out,
		       struct cdict_error *err)
{
	bool light = theme == PALETTE_LIGHT;
	struct backend_options how = { .theme = theme, .hatch = light ? NULL : "loss-dark" };
	struct sink s;
	char *svg, *from;
	int rc;

	sink_to_memory(&s);
	rc = backend_svg.draw(p->marks, &how, &s, err);
	svg = sink_take(&s, NULL);
	from = svg ? strstr(svg, "<svg") : NULL; /* text before it belongs to a separate SVG file */
	if (!rc && !from)
		rc = cdict_fail_nomem(err);
	if (!rc)
		sink_printf(out, "<div class=\"%s\">\n%s</div>\n", light ? "light" : "dark", from);
	free(svg);
	return rc;
}

static void put_table(const struct sweep_page *p, struct sink *out)
{
	sink_puts(out, "<div class=\"wide\"><table>\n");
	for (size_t r = 0; r < p->rows; r++) {
		const char *tag = r ? "td" : "th";

		sink_puts(out, "<tr>");
		for (size_t c = 0; c < p->columns; c++) {
			sink_printf(out, "<%s%s>", tag, c < p->names ? " class=\"name\"" : "");
			text_xml(out, p->cells[r * p->columns + c]);
			sink_printf(out, "</%s>", tag);
		}
		sink_puts(out, "</tr>\n");
	}
	sink_puts(out, "</table></div>\n");
}

int sweep_page_write(const struct sweep_page *p, struct sink *out, struct cdict_error *err)
{
	int rc;

	sink_puts(out, head);
	sink_puts(out, "<title>");
	text_xml(out, p->title);
	sink_puts(out, "</title>\n");
	sink_puts(out, style);
	rc = put_picture(p, PALETTE_LIGHT, out, err);
	if (!rc)
		rc = put_picture(p, PALETTE_DARK, out, err);
	if (rc)
		return rc;
	put_table(p, out);
	for (size_t i = 0; i < p->n_lines; i++) {
		sink_puts(out, "<p>");
		text_xml(out, p->lines[i]);
		sink_puts(out, "</p>\n");
	}
	sink_puts(out, "</body>\n</html>\n");
	return 0;
}
