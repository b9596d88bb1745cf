/* SPDX-License-Identifier: LGPL-2.1-only */
/* Wraps prose to a terminal's width. */
#include "base/text/wrap.h"

#include <ctype.h>
#include <string.h>

#include "base/text/escape.h"

/* Where to break a word that is wider than @room: after the last comma that fits, @hard: after what fits;
 * 0: nowhere. */
static size_t break_word(const char *word, size_t len, size_t room, bool hard)
{
	size_t comma = 0, at = 0, used = 0;

	while (at < len) {
		uint32_t cp;
		size_t n = escape_decode(word + at, len - at, &cp);

		n = n ? n : 1;
		used += escape_width(word + at, n);
		if (used > room)
			break;
		at += n;
		if (word[at - 1] == ',')
			comma = at;
	}
	return comma ? comma : hard ? at : 0;
}

size_t wrap_unit(const char *line, size_t len, size_t at)
{
	static const char *const units[] = { " s", " ms", " us", " \302\265s", " ns", " %" };

	if (!at || line[at - 1] < '0' || line[at - 1] > '9')
		return 0;
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++) {
		size_t n = strlen(units[i]);

		if (n <= len - at && !memcmp(line + at, units[i], n) &&
		    (n == len - at || !isalnum((unsigned char)line[at + n])))
			return n;
	}
	return 0;
}

/* The blank at which to break the line: the last one before which it fits, else the first, or inside its
 * first word. @len: none. */
static size_t break_at(const char *line, size_t len, size_t room, bool hard)
{
	size_t at = 0, width = 0;

	for (size_t i = 0, word; i < len; i = word) {
		size_t begin = i;

		while (i < len && line[i] == ' ')
			i++;
		word = i;
		while (word < len && line[word] != ' ')
			word++;
		word += wrap_unit(line, len, word);
		while (word < len && line[word] != ' ')
			word++;
		width += i - begin + escape_width(line + i, word - i);
		if (width > room && at)
			return at;
		if (width > room && room > i - begin) {
			size_t inside = break_word(line + i, word - i, room - (i - begin), hard);

			if (inside)
				return i + inside;
		}
		/* never break inside the indentation */
		if (word > i)
			at = word;
		if (width > room)
			return at ? at : len;
	}
	return len;
}

static void wrap_line(struct sink *s, const char *line, size_t len, size_t at,
		      const struct wrap *how)
{
	while (how->columns) {
		size_t n =
			break_at(line, len, how->columns > at ? how->columns - at : 0, how->hard);

		if (n == len)
			break;
		sink_add(s, line, n);
		while (n < len && line[n] == ' ')
			n++;
		line += n;
		len -= n;
		if (!len)
			return;
		sink_putc(s, '\n');
		sink_repeat(s, ' ', how->indent);
		at = how->indent;
	}
	sink_add(s, line, len);
}

void wrap_text(struct sink *s, const char *text, size_t len, const struct wrap *how)
{
	size_t at = how->at;

	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t n = end ? (size_t)(end - text) : len;

		wrap_line(s, text, n, at, how);
		if (!end)
			return;
		sink_putc(s, '\n');
		text += n + 1;
		len -= n + 1;
		at = 0;
	}
}
