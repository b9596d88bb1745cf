/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The terminal: 24-bit colours with two rectangles per cell, one above the other, or plain
 * ASCII.  Lines are omitted: there is no room for them.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/escape.h"
#include "render/draw/backend.h"

#define UPPER_HALF "\xe2\x96\x80"
#define LOWER_HALF "\xe2\x96\x84"

struct half {
	bool filled, hatched;
	struct ink ink;
};

struct cell {
	struct half half[2];
	char text[5];   /* a character of a text, "" none */
	bool covered;   /* by the wide character before it */
	struct ink ink; /* of the text */
	bool strong;
};

struct term {
	unsigned columns, lines;
	struct cell *cells;
	const struct backend_options *opts;
	struct sink *out;
};

static struct cell *cell_at(struct term *t, unsigned x, unsigned y)
{
	return &t->cells[(size_t)y * t->columns + x];
}

/* The cells or half cells [from, to) that [a, b) fills; at least one. */
static void span(double a, double b, double per, unsigned limit, unsigned *from, unsigned *to)
{
	double lo = nearbyint(a * per), hi = nearbyint(b * per);

	if (hi <= lo) {
		lo = floor(a * per + 1e-9);
		hi = lo + 1;
	}
	*from = lo < 0 ? 0 : lo > limit ? limit : (unsigned)lo;
	*to = hi < 0 ? 0 : hi > limit ? limit : (unsigned)hi;
}

static void fill_cells(struct term *t, const struct mark *m)
{
	unsigned x0, x1, y0, y1;

	if (m->ink.kind == INK_PLOT || m->ink.kind == INK_PAPER)
		return;
	span(m->x, m->x + m->w, 1, t->columns, &x0, &x1);
	span(m->y, m->y + m->h, 2, t->lines * 2, &y0, &y1);
	for (unsigned y = y0; y < y1; y++) {
		for (unsigned x = x0; x < x1; x++) {
			struct half *h = &cell_at(t, x, y / 2)->half[y % 2];

			if (m->kind == MARK_HATCH) {
				h->hatched = true;
			} else {
				h->filled = true;
				h->ink = m->ink;
			}
		}
	}
}

/* The nearest ASCII of a character that our texts use; '?' for any other. */
static char ascii(uint32_t cp)
{
	switch (cp) {
	case 0xb5: /* µ */
		return 'u';
	case 0xd7: /* × */
		return 'x';
	case 0xb7: /* · */
		return '-';
	case 0x2013: /* – */
		return '-';
	case 0x2026: /* … */
		return '~';
	default:
		return cp < 0x80 ? (char)cp : '?';
	}
}

static void text(struct term *t, const struct mark *m)
{
	size_t left = strlen(m->text), width = escape_width(m->text, left);
	double start = m->x;
	const char *p = m->text;
	long x;

	if (m->anchor == MARK_END)
		start -= (double)width;
	else if (m->anchor == MARK_MIDDLE)
		start -= (double)width / 2;
	x = lround(start);
	if (m->y < 0 || m->y >= t->lines)
		return;
	while (left) {
		uint32_t cp = '?';
		size_t n = escape_decode(p, left, &cp);
		size_t w = n ? escape_width(p, n) : 1;
		struct cell *c;

		n = n ? n : 1;
		if (x >= 0 && x + (long)w <= (long)t->columns && w) {
			c = cell_at(t, (unsigned)x, (unsigned)m->y);
			if (t->opts->colour) {
				memcpy(c->text, p, n);
				c->text[n] = '\0';
			} else {
				c->text[0] = ascii(cp);
				c->text[1] = '\0';
			}
			c->ink = m->ink;
			c->strong = m->size == MARK_TITLE || m->size == MARK_STRONG;
			if (w == 2) {
				cell_at(t, (unsigned)x + 1, (unsigned)m->y)->covered = true;
				if (!t->opts->colour)
					cell_at(t, (unsigned)x + 1, (unsigned)m->y)->covered =
						false;
			}
		}
		x += (long)w;
		p += n;
		left -= n;
	}
}

static bool blank(const struct cell *c)
{
	return !c->text[0] && !c->half[0].filled && !c->half[1].filled && !c->half[0].hatched &&
	       !c->half[1].hatched;
}

/* The escape sequence for the style of a cell. */
struct style {
	char code[96];
	size_t len;
};

static void add_code(struct style *st, const char *code)
{
	size_t n = strlen(code);

	if (st->len + n < sizeof(st->code)) {
		memcpy(st->code + st->len, code, n + 1);
		st->len += n;
	}
}

/* The nearest of the 6 steps that each part of a colour has in the cube of xterm's 256. */
static unsigned step_of(unsigned part)
{
	return part < 48 ? 0 : part < 115 ? 1 : (part - 35) / 40;
}

/* 16 to 231: the cube; 232 to 255: greys. */
static unsigned of_256(struct palette_rgb c)
{
	unsigned high = c.r > c.g ? c.r : c.g, low = c.r < c.g ? c.r : c.g;

	high = c.b > high ? c.b : high;
	low = c.b < low ? c.b : low;
	if (high - low < 12 && low >= 8 && high < 238)
		return 232 + ((high + low) / 2 - 8 + 5) / 10;
	return 16 + 36 * step_of(c.r) + 6 * step_of(c.g) + step_of(c.b);
}

static void add_colour(struct style *st, const struct term *t, int which, struct ink ink)
{
	struct palette_rgb c = palette_colour(t->opts->theme, ink);
	char code[32];

	if (t->opts->few)
		snprintf(code, sizeof(code), "\033[%d;5;%um", which, of_256(c));
	else
		snprintf(code, sizeof(code), "\033[%d;2;%u;%u;%um", which, c.r, c.g, c.b);
	add_code(st, code);
}

/* A text's own colour, except for plain text, as the terminal's background is unknown. */
static void text_style(struct style *st, const struct term *t, const struct cell *c)
{
	if (c->half[1].filled)
		add_colour(st, t, 48, c->half[1].ink);
	if (c->ink.kind == INK_DIM)
		add_code(st, "\033[2m");
	else if (c->ink.kind != INK_TEXT)
		add_colour(st, t, 38, c->ink);
	if (c->strong)
		add_code(st, "\033[1m");
}

/* The characters of @c; fills its style. */
static const char *coloured(const struct term *t, const struct cell *c, struct style *st)
{
	const struct half *up = &c->half[0], *low = &c->half[1];

	if (c->text[0]) {
		text_style(st, t, c);
		return c->text;
	}
	if (up->filled || low->filled) {
		add_colour(st, t, 38, up->filled ? up->ink : low->ink);
		if (up->filled && low->filled)
			add_colour(st, t, 48, low->ink);
		return up->filled ? UPPER_HALF : LOWER_HALF;
	}
	if (up->hatched || low->hatched) {
		add_colour(st, t, 38, (struct ink){ INK_LOSS, 0 });
		return "/";
	}
	return " ";
}

static void plain_cell(struct term *t, const struct cell *c)
{
	const struct half *h = c->half[0].filled ? &c->half[0] : &c->half[1];

	if (c->text[0])
		sink_puts(t->out, c->text);
	else if (h->filled)
		sink_putc(t->out, palette_letter(h->ink));
	else
		sink_putc(t->out, h->hatched || c->half[0].hatched ? '/' : ' ');
}

static void write_line(struct term *t, unsigned y)
{
	struct style now = { .len = 0 };
	unsigned end = t->columns;

	while (end && blank(cell_at(t, end - 1, y)))
		end--;
	for (unsigned x = 0; x < end; x++) {
		const struct cell *c = cell_at(t, x, y);
		struct style st = { .len = 0 };
		const char *shown;

		if (c->covered && !c->text[0])
			continue;
		if (!t->opts->colour) {
			plain_cell(t, c);
			continue;
		}
		shown = coloured(t, c, &st);
		if (strcmp(st.code, now.code)) {
			if (now.len)
				sink_puts(t->out, "\033[0m");
			sink_puts(t->out, st.code);
			now = st;
		}
		sink_puts(t->out, shown);
	}
	sink_puts(t->out, now.len ? "\033[0m\n" : "\n");
}

static int draw(const struct marks *m, const struct backend_options *opts, struct sink *out,
		struct cdict_error *err)
{
	struct term t = { .columns = (unsigned)ceil(m->width),
			  .lines = (unsigned)ceil(m->height),
			  .opts = opts,
			  .out = out };

	t.cells = calloc((size_t)t.columns * t.lines + 1, sizeof(*t.cells));
	if (!t.cells)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < m->all.n; i++) {
		if (m->all.at[i].kind == MARK_TEXT)
			text(&t, &m->all.at[i]);
		else if (m->all.at[i].kind != MARK_LINE)
			fill_cells(&t, &m->all.at[i]);
	}
	for (unsigned y = 0; y < t.lines; y++)
		write_line(&t, y);
	free(t.cells);
	return 0;
}

const struct backend backend_term = { .name = "terminal", .cells = true, .draw = draw };
