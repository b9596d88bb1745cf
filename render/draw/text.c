/* SPDX-License-Identifier: GPL-2.0-only */
/* Numbers and names in pictures. */
#include "render/draw/text.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/escape.h"

#define ELLIPSIS "\xe2\x80\xa6"

/* Three significant digits of a value below 1000, and its unit. */
static char *scaled(char out[TEXT_ROOM], double v, const char *const *units, unsigned n,
		    const char *gap)
{
	char grouped[NUMBER_ROOM];
	unsigned unit = 0;

	while (v >= 999.5 && unit + 1 < n) {
		v /= 1000;
		unit++;
	}
	gap = *units[unit] ? gap : "";
	if (v >= 999.5 && v < 1e18)
		snprintf(out, TEXT_ROOM, "%s%s%s", number_grouped(grouped, (uint64_t)(v + 0.5)),
			 gap, units[unit]);
	else
		snprintf(out, TEXT_ROOM, "%.*f%s%s",
			 v == (double)(int64_t)v && v < 1000 ? 0
			 : v < 9.995                         ? 2
			 : v < 99.95                         ? 1
							     : 0,
			 v, gap, units[unit]);
	return out;
}

char *text_short(char out[TEXT_ROOM], double v)
{
	static const char *const units[] = { "", "k", "M", "G", "T" };

	return scaled(out, v, units, 5, "");
}

char *text_duration(char out[TEXT_ROOM], double ns)
{
	static const char *const units[] = { "ns", "µs", "ms", "s" };

	return scaled(out, ns, units, 4, " ");
}

char *text_percent(char out[TEXT_ROOM], double part, double whole)
{
	double v = whole > 0 ? 100 * part / whole : 0;

	if (v > 0 && v < 0.05)
		snprintf(out, TEXT_ROOM, "< 0.1 %%");
	else
		snprintf(out, TEXT_ROOM, "%.*f %%", v < 99.95 ? 1 : 0, v);
	return out;
}

char *text_clean(const char *raw, size_t len)
{
	struct sink s;

	sink_to_memory(&s);
	escape_terminal(&s, raw, len);
	return sink_take(&s, NULL);
}

void text_xml(struct sink *s, const char *raw)
{
	char *clean = text_clean(raw, strlen(raw));

	if (clean)
		escape_xml_text(s, clean, strlen(clean));
	else if (!s->error)
		s->error = -ENOMEM;
	free(clean);
}

/* Advance widths of DejaVu Sans in 1/100 em, from the blank to the tilde. */
static const uint8_t advance[] = {
	32, 40, 46, 84, 64, 95, 78, 28, 39, 39, 50, 84, 32, 36,  32, 34, 64, 64, 64,
	64, 64, 64, 64, 64, 64, 64, 34, 34, 84, 84, 84, 53, 100, 69, 69, 70, 77, 63,
	58, 78, 75, 30, 30, 66, 56, 87, 75, 79, 60, 79, 70, 64,  61, 73, 69, 99, 69,
	61, 69, 39, 34, 39, 84, 50, 50, 62, 64, 55, 64, 62, 35,  64, 64, 28, 28, 58,
	28, 98, 64, 62, 64, 64, 41, 52, 39, 64, 59, 82, 59, 59,  53, 64, 34, 64, 84,
};

/* Width of the character at @text, *len bytes long. */
static double char_width(const char *text, size_t left, double size, size_t *len)
{
	uint32_t cp = 0;
	size_t n = escape_decode(text, left, &cp);

	*len = n ? n : 1;
	if (size <= 0)
		return (double)escape_width(text, *len);
	if (cp >= 0x20 && cp < 0x7f)
		return advance[cp - 0x20] * size / 100;
	return (double)escape_width(text, *len) * 0.65 * size;
}

double text_width(const char *text, double size)
{
	size_t left = strlen(text), len;
	double width = 0;

	for (; left; text += len, left -= len)
		width += char_width(text, left, size, &len);
	return width;
}

/* Bytes of @text from its start that fit into @room. */
static size_t head(const char *text, size_t left, double size, double room)
{
	size_t at = 0, len;

	while (at < left) {
		room -= char_width(text + at, left - at, size, &len);
		if (room < 0)
			break;
		at += len;
	}
	return at;
}

char *text_fit(const char *text, double size, double room)
{
	return text_fit_end(text, size, room, 0.25);
}

char *text_fit_end(const char *text, double size, double room, double end)
{
	size_t len = strlen(text), keep, tail;
	double full = text_width(text, size);
	char *out;

	if (full <= room)
		return strdup(text);
	room -= text_width(ELLIPSIS, size);
	if (room <= 0)
		return strdup("");
	tail = head(text, len, size, full - room * end);
	while (tail < len && ((uint8_t)text[tail] & 0xc0) == 0x80)
		tail++;
	keep = head(text, len, size, room - text_width(text + tail, size));
	if (asprintf(&out, "%.*s" ELLIPSIS "%s", (int)keep, text, text + tail) < 0)
		return NULL;
	return out;
}
