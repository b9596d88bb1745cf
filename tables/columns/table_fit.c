/* SPDX-License-Identifier: LGPL-2.1-only */
/* Columns of text that fit a terminal. */
#include "tables/columns/table_fit.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/escape.h"

#define LEAST_TEXT 8 /* minimum width of a name that is cut */

static size_t fit_text(struct sink *s, const char *text, size_t width,
		       void (*put)(struct sink *s, const char *text, size_t len))
{
	size_t len = strlen(text), all = escape_width(text, len);

	if (all <= width) {
		put(s, text, len);
		return all;
	}
	do {
		len--;
		/* not inside a UTF-8 character */
		while (len && ((unsigned char)text[len] & 0xc0) == 0x80)
			len--;
	} while (len && escape_width(text, len) + 2 > width);
	put(s, text, len);
	sink_puts(s, "..");
	return escape_width(text, len) + 2;
}

size_t table_fit_text(struct sink *s, const char *text, size_t width)
{
	return fit_text(s, text, width, escape_terminal);
}

static void put_safe(struct sink *s, const char *text, size_t len)
{
	sink_add(s, text, len);
}

size_t table_fit_safe(struct sink *s, const char *text, size_t width)
{
	return fit_text(s, text, width, put_safe);
}

size_t table_fit_width(const struct table_room *rooms, size_t n)
{
	size_t width = 0;

	for (size_t c = 0; c < n; c++) {
		if (!rooms[c].hidden)
			width += rooms[c].width + (width ? 2 : 0);
	}
	return width;
}

/* The least important column, @n: none may be dropped. */
static size_t least_important(const struct table_room *rooms, size_t n)
{
	size_t least = n;
	unsigned char rank = 1;

	for (size_t c = 1; c < n; c++) {
		if (!rooms[c].hidden && rooms[c].rank >= rank) {
			least = c;
			rank = rooms[c].rank;
		}
	}
	return least;
}

/* Cuts texts, the widest first, down to @least. */
static void cut_texts(struct table_room *rooms, size_t n, size_t columns, size_t least)
{
	while (table_fit_width(rooms, n) > columns) {
		size_t widest = n;

		for (size_t c = 0; c < n; c++) {
			if (!rooms[c].hidden && rooms[c].text && rooms[c].width > least &&
			    rooms[c].width > rooms[c].least &&
			    (widest == n || rooms[c].width > rooms[widest].width))
				widest = c;
		}
		if (widest == n)
			return;
		rooms[widest].width--;
	}
}

/* Gives back to texts that were cut what the columns that went leave, the narrowest first. */
static void grow_texts(struct table_room *rooms, size_t n, size_t columns)
{
	while (table_fit_width(rooms, n) < columns) {
		size_t narrowest = n;

		for (size_t c = 0; c < n; c++) {
			if (!rooms[c].hidden && rooms[c].text && rooms[c].width < rooms[c].full &&
			    (narrowest == n || rooms[c].width < rooms[narrowest].width))
				narrowest = c;
		}
		if (narrowest == n)
			return;
		rooms[narrowest].width++;
	}
}

size_t table_fit(struct table_room *rooms, size_t n, size_t columns, size_t readable)
{
	size_t gone = 0, c;

	for (c = 0; c < n; c++)
		rooms[c].full = rooms[c].width;
	cut_texts(rooms, n, columns, readable);
	for (; table_fit_width(rooms, n) > columns; gone++) {
		c = least_important(rooms, n);
		if (c == n)
			break;
		rooms[c].hidden = true;
	}
	grow_texts(rooms, n, columns);
	cut_texts(rooms, n, columns, LEAST_TEXT);
	/* on a very narrow terminal only the first column stays */
	for (c = n; c && --c && table_fit_width(rooms, n) > columns;) {
		gone += !rooms[c].hidden;
		rooms[c].hidden = true;
	}
	return gone;
}

static bool is_cut(const struct table_room *room)
{
	return !room->hidden && room->text && room->width < room->full;
}

int table_fit_add(struct table_names *names, const struct table_room *room, const char *text)
{
	if (!is_cut(room))
		return 0;
	if (!names->width || room->width < names->width)
		names->width = room->width;
	shorten_add(&names->texts, text);
	return names->texts.failed ? -ENOMEM : 0;
}

const char *table_fit_name(struct table_names *names, const struct table_room *room,
			   const char *text)
{
	if (!is_cut(room) || !names->width)
		return text;
	if (!names->fitted)
		shorten_fit(&names->texts, names->width);
	names->fitted = true;
	return shorten_find(&names->texts, text);
}

const char *table_fit_title(struct shorten *titles, const struct table_room *room, const char *text)
{
	if (!is_cut(room) || escape_width(text, strlen(text)) <= room->width)
		return text;
	titles->width = room->width;
	return shorten_find(titles, text);
}

void table_names_fini(struct table_names *names)
{
	shorten_fini(&names->texts);
	*names = (struct table_names){ 0 };
}

void table_fit_note(struct sink *s, size_t gone)
{
	if (gone)
		sink_printf(s, "(%zu more column%s: -v)\n", gone, gone == 1 ? "" : "s");
}
