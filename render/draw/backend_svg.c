/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * SVG: text stays text, consecutive rectangles of one ink are one path.
 *
 * Names pass escape_xml_text() here; numbers are our own.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/escape.h"
#include "render/draw/backend.h"

struct svg {
	const struct marks *m;
	enum palette_theme theme;
	const char *hatch;
	bool variables;
	struct sink *out;
};

/* A coordinate: at most two decimals, without trailing zeros. */
static void number(struct sink *s, double v)
{
	double r = nearbyint(v * 100);
	long long whole = (long long)fabs(r) / 100, part = (long long)fabs(r) % 100;

	if (r < 0)
		sink_putc(s, '-');
	sink_printf(s, "%lld", whole);
	if (part)
		sink_printf(s, part % 10 ? ".%02lld" : ".%lld", part % 10 ? part : part / 10);
}

static void attribute(struct sink *s, const char *name, double v)
{
	sink_printf(s, " %s=\"", name);
	number(s, v);
	sink_putc(s, '"');
}

static void colour(struct svg *svg, const char *name, struct ink ink)
{
	char hex[8];

	if (svg->variables && ink.kind == INK_RAMP) {
		sink_printf(svg->out, " %s=\"var(--ramp-%u)\"", name, ink.level);
		return;
	}
	if (svg->variables && ink.kind < PALETTE_PLAIN) {
		sink_printf(svg->out, " %s=\"var(--%s)\"", name, palette_names[ink.kind]);
		return;
	}
	sink_printf(svg->out, " %s=\"%s\"", name, palette_hex(hex, svg->theme, ink));
}

static void put_title(struct svg *svg, const char *text)
{
	sink_puts(svg->out, "><title>");
	escape_xml_text(svg->out, text, strlen(text));
	sink_puts(svg->out, "</title></rect>\n");
}

static void rect(struct svg *svg, const struct mark *r)
{
	struct sink *s = svg->out;

	sink_puts(s, "<rect");
	attribute(s, "x", r->x);
	attribute(s, "y", r->y);
	attribute(s, "width", r->w);
	attribute(s, "height", r->h);
	if (r->kind == MARK_HATCH)
		sink_printf(s, " fill=\"url(#%s)\"", svg->hatch);
	else
		colour(svg, "fill", r->ink);
	if (r->text)
		put_title(svg, r->text);
	else
		sink_puts(s, "/>\n");
}

static bool same_ink(const struct mark *a, const struct mark *b)
{
	return a->kind == b->kind && a->ink.kind == b->ink.kind && a->ink.level == b->ink.level &&
	       !a->text && !b->text;
}

/* Writes the marks from @i on that can be one path; returns their number. */
static size_t path(struct svg *svg, size_t i)
{
	const struct mark *first = &svg->m->all.at[i];
	struct sink *s = svg->out;
	size_t n = 0;

	sink_puts(s, "<path");
	if (first->kind == MARK_LINE) {
		sink_puts(s, " fill=\"none\"");
		colour(svg, "stroke", first->ink);
	} else {
		colour(svg, "fill", first->ink);
	}
	sink_puts(s, " d=\"");
	for (; i + n < svg->m->all.n && same_ink(first, &svg->m->all.at[i + n]); n++) {
		const struct mark *r = &svg->m->all.at[i + n];

		sink_putc(s, 'M');
		number(s, r->x);
		sink_putc(s, ' ');
		number(s, r->y);
		if (r->kind == MARK_LINE) {
			sink_putc(s, 'l');
			number(s, r->w);
			sink_putc(s, ' ');
			number(s, r->h);
			continue;
		}
		sink_putc(s, 'h');
		number(s, r->w);
		sink_putc(s, 'v');
		number(s, r->h);
		sink_putc(s, 'h');
		number(s, -r->w);
		sink_putc(s, 'z');
	}
	sink_puts(s, "\"/>\n");
	return n;
}

static void text(struct svg *svg, const struct mark *t)
{
	static const char *const anchors[] = {
		[MARK_START] = "",
		[MARK_MIDDLE] = " text-anchor=\"middle\"",
		[MARK_END] = " text-anchor=\"end\"",
	};
	static const char *const sizes[] = {
		[MARK_NORMAL] = "",
		[MARK_SMALL] = " font-size=\"12\"",
		[MARK_TITLE] = " font-size=\"18\" font-weight=\"600\"",
		[MARK_STRONG] = " font-weight=\"600\"",
	};
	struct canvas c = canvas_pixels(0, 0);
	struct sink *s = svg->out;

	sink_puts(s, "<text");
	attribute(s, "x", t->x);
	/* from the line's middle to the baseline; viewers differ in dominant-baseline */
	attribute(s, "y", t->y + 0.36 * canvas_font(&c, t->size));
	colour(svg, "fill", t->ink);
	sink_puts(s, anchors[t->anchor]);
	sink_puts(s, sizes[t->size]);
	sink_putc(s, '>');
	escape_xml_text(s, t->text, strlen(t->text));
	sink_puts(s, "</text>\n");
}

static void head(struct svg *svg)
{
	struct sink *s = svg->out;

	if (!svg->variables)
		sink_puts(s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
	sink_puts(s, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
	attribute(s, "width", svg->m->width);
	attribute(s, "height", svg->m->height);
	sink_puts(s, " viewBox=\"0 0 ");
	number(s, svg->m->width);
	sink_putc(s, ' ');
	number(s, svg->m->height);
	sink_puts(s, "\" role=\"img\" font-family=\"system-ui, -apple-system, 'Segoe UI', "
		     "'Noto Sans', 'DejaVu Sans', sans-serif\" font-size=\"13\"");
	if (!svg->variables)
		sink_puts(s, " style=\"font-variant-numeric: tabular-nums\"");
	sink_puts(s, ">\n<title>");
	if (svg->m->title)
		escape_xml_text(s, svg->m->title, strlen(svg->m->title));
	sink_printf(s, "</title>\n<defs><pattern id=\"%s\"", svg->hatch);
	sink_puts(s, " width=\"7\" height=\"7\" "
		     "patternUnits=\"userSpaceOnUse\" patternTransform=\"rotate(45)\">"
		     "<path d=\"M0 0v7\" stroke-width=\"3\"");
	colour(svg, "stroke", (struct ink){ INK_LOSS, 0 });
	sink_puts(s, " stroke-opacity=\".55\"/></pattern></defs>\n<rect width=\"100%\" "
		     "height=\"100%\"");
	colour(svg, "fill", (struct ink){ INK_PAPER, 0 });
	sink_puts(s, "/>\n");
}

static int draw(const struct marks *m, const struct backend_options *opts, struct sink *out,
		struct cdict_error *err)
{
	struct svg svg = { .m = m,
			   .theme = opts->theme,
			   .hatch = opts->hatch ? opts->hatch : "loss",
			   .variables = opts->variables,
			   .out = out };

	(void)err;
	head(&svg);
	for (size_t i = 0; i < m->all.n;) {
		const struct mark *mark = &m->all.at[i];

		if (mark->kind == MARK_TEXT)
			text(&svg, mark);
		else if (mark->kind == MARK_HATCH || mark->text)
			rect(&svg, mark);
		else {
			i += path(&svg, i);
			continue;
		}
		i++;
	}
	sink_puts(out, "</svg>\n");
	return 0;
}

const struct backend backend_svg = { .name = "svg", .ending = ".svg", .draw = draw };
