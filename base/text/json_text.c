/* SPDX-License-Identifier: LGPL-2.1-only */
/* See json_text.h; the grammar is RFC 8259's. */
#include "base/text/json_text.h"

#include <string.h>

#include "base/text/escape.h"

enum { DEEPEST = 64 };

struct text {
	const char *at, *end;
	bool of_line; /* see json_text_is_value() */
};

static bool take_char(struct text *t, char c)
{
	if (t->at == t->end || *t->at != c)
		return false;
	t->at++;
	return true;
}

static void blanks(struct text *t)
{
	while (t->at < t->end &&
	       (*t->at == ' ' || *t->at == '\t' || (*t->at == '\r' && t->of_line)))
		t->at++;
}

static bool word(struct text *t, const char *text)
{
	size_t n = strlen(text);

	if ((size_t)(t->end - t->at) < n || memcmp(t->at, text, n) != 0)
		return false;
	t->at += n;
	return true;
}

static bool digits(struct text *t)
{
	const char *from = t->at;

	while (t->at < t->end && *t->at >= '0' && *t->at <= '9')
		t->at++;
	return t->at > from;
}

static bool number(struct text *t)
{
	take_char(t, '-');
	if (!take_char(t, '0') && !digits(t))
		return false;
	if (take_char(t, '.') && !digits(t))
		return false;
	if (!take_char(t, 'e') && !take_char(t, 'E'))
		return true;
	if (!take_char(t, '+'))
		take_char(t, '-');
	return digits(t);
}

static bool escaped(struct text *t)
{
	if (t->at == t->end)
		return false;
	if (*t->at != 'u')
		return *t->at && strchr("\"\\/bfnrt", *t->at++);
	t->at++;
	for (unsigned i = 0; i < 4; i++, t->at++)
		if (t->at == t->end || !*t->at || !strchr("0123456789abcdefABCDEF", *t->at))
			return false;
	return true;
}

/* Of a string: its length, or 0 when it may not stand there. */
static size_t character(const struct text *t)
{
	uint32_t cp;
	size_t n;

	if (t->of_line)
		return t->at < t->end && (unsigned char)*t->at >= ' ';
	n = escape_decode(t->at, (size_t)(t->end - t->at), &cp);
	return n && cp >= 0x20 && cp != 0x7f ? n : 0;
}

static bool string(struct text *t)
{
	size_t n;

	if (!take_char(t, '"'))
		return false;
	while (!take_char(t, '"')) {
		if (take_char(t, '\\')) {
			if (!escaped(t))
				return false;
			continue;
		}
		n = character(t);
		if (!n)
			return false;
		t->at += n;
	}
	return true;
}

static bool key(struct text *t)
{
	blanks(t);
	if (!string(t))
		return false;
	blanks(t);
	return take_char(t, ':');
}

/* What stands where a value can begin; *opened: a bracket was opened. */
static bool value(struct text *t, bool *opened)
{
	*opened = false;
	if (t->at == t->end)
		return false;
	switch (*t->at) {
	case '"':
		return string(t);
	case 't':
		return word(t, "true");
	case 'f':
		return word(t, "false");
	case 'n':
		return word(t, "null");
	case '{':
	case '[':
		*opened = true;
		return true;
	default:
		return number(t);
	}
}

static bool is_value(struct text t)
{
	char close[DEEPEST];
	unsigned depth = 0;
	bool opened;

	do {
		blanks(&t);
		if (!value(&t, &opened))
			return false;
		if (opened) {
			if (depth == DEEPEST)
				return false;
			close[depth++] = *t.at++ == '{' ? '}' : ']';
			blanks(&t);
			/* with something in it */
			if (t.at < t.end && *t.at != close[depth - 1]) {
				if (close[depth - 1] == '}' && !key(&t))
					return false;
				continue;
			}
		}
		for (blanks(&t); depth && take_char(&t, close[depth - 1]); blanks(&t))
			depth--;
		if (!depth)
			break;
		if (!take_char(&t, ',') || (close[depth - 1] == '}' && !key(&t)))
			return false;
	} while (true);
	return t.at == t.end;
}

bool json_text_is_object(const char *text, size_t len)
{
	return len && *text == '{' && is_value((struct text){ text, text + len, false });
}

bool json_text_is_value(const char *text, size_t len)
{
	return is_value((struct text){ text, text + len, true });
}
