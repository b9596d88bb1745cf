/* SPDX-License-Identifier: LGPL-2.1-only */
/* Escapes foreign text, one function per context. */
#include "base/text/escape.h"

#include <stdbool.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

struct range {
	uint32_t from, to;
};

static bool in_ranges(uint32_t cp, const struct range *ranges, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (cp >= ranges[i].from && cp <= ranges[i].to)
			return true;
	}
	return false;
}

/* Characters that a terminal or viewer interprets instead of showing: bidi controls, zero
 * widths, line separators, invisible fillers, interlinear and tag characters. */
static bool is_deceptive(uint32_t cp)
{
	static const struct range ranges[] = {
		{ 0x00ad, 0x00ad }, { 0x034f, 0x034f }, { 0x061c, 0x061c },   { 0x115f, 0x1160 },
		{ 0x17b4, 0x17b5 }, { 0x180b, 0x180f }, { 0x200b, 0x200f },   { 0x2028, 0x202e },
		{ 0x2060, 0x206f }, { 0x3164, 0x3164 }, { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
		{ 0xffa0, 0xffa0 }, { 0xfff0, 0xfffb }, { 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};

	return cp >= 0xad && in_ranges(cp, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

static bool is_control(uint32_t cp)
{
	return cp < 0x20 || (cp >= 0x7f && cp < 0xa0);
}

static bool is_wide(uint32_t cp)
{
	static const struct range ranges[] = {
		{ 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0x33ff },
		{ 0x3400, 0x4dbf },   { 0x4e00, 0x9fff },   { 0xa000, 0xa4cf },
		{ 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },
		{ 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f },
		{ 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd },
	};

	return cp >= 0x1100 && in_ranges(cp, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

/* Combining marks. */
static bool is_combining(uint32_t cp)
{
	static const struct range ranges[] = {
		{ 0x0300, 0x036f }, { 0x0483, 0x0489 }, { 0x0591, 0x05bd }, { 0x1ab0, 0x1aff },
		{ 0x1dc0, 0x1dff }, { 0x20d0, 0x20ff }, { 0xfe20, 0xfe2f },
	};

	return cp >= 0x300 && in_ranges(cp, ranges, sizeof(ranges) / sizeof(ranges[0]));
}

size_t escape_decode(const char *text, size_t len, uint32_t *cp)
{
	const uint8_t *p = (const uint8_t *)text;
	static const uint32_t smallest[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t n;
	uint32_t v;

	if (!len)
		return 0;
	if (p[0] < 0x80) {
		*cp = p[0];
		return 1;
	}
	if ((p[0] & 0xe0) == 0xc0)
		n = 2;
	else if ((p[0] & 0xf0) == 0xe0)
		n = 3;
	else if ((p[0] & 0xf8) == 0xf0)
		n = 4;
	else
		return 0;
	if (n > len)
		return 0;
	v = p[0] & (0x7fu >> n);
	for (size_t i = 1; i < n; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 0;
		v = v << 6 | (p[i] & 0x3f);
	}
	if (v < smallest[n] || v > 0x10ffff || (v >= 0xd800 && v <= 0xdfff))
		return 0;
	*cp = v;
	return n;
}

static void add_hex(struct sink *s, uint8_t byte)
{
	sink_printf(s, "\\x%02x", byte);
}

/* Writes the next character as terminal text; returns its length in bytes. */
static size_t add_visible(struct sink *s, const char *text, size_t len)
{
	uint32_t cp = 0;
	size_t n = escape_decode(text, len, &cp);

	if (!n) {
		add_hex(s, (uint8_t)*text);
		return 1;
	}
	if (is_control(cp)) {
		for (size_t i = 0; i < n; i++)
			add_hex(s, (uint8_t)text[i]);
	} else if (is_deceptive(cp)) {
		sink_printf(s, "<U+%04X>", cp);
	} else {
		sink_add(s, text, n);
	}
	return n;
}

void escape_terminal(struct sink *s, const char *text, size_t len)
{
	while (len) {
		size_t n = add_visible(s, text, len);

		text += n;
		len -= n;
	}
}

size_t escape_width(const char *text, size_t len)
{
	size_t width = 0;

	while (len) {
		uint32_t cp = 0;
		size_t n;

		if (*text >= ' ' && *text <= '~') { /* the common case */
			width++;
			text++;
			len--;
			continue;
		}
		n = escape_decode(text, len, &cp);
		if (!n)
			width += 4; /* \xNN */
		else if (is_control(cp))
			width += 4 * n;
		else if (is_deceptive(cp))
			width += cp > 0xfffff ? 10 : cp > 0xffff ? 9 : 8;
		else if (!is_combining(cp))
			width += is_wide(cp) ? 2 : 1;
		if (!n)
			n = 1;
		text += n;
		len -= n;
	}
	return width;
}

/* How JSON represents invisible characters. */
enum json_as {
	JSON_SHOWN = 0, /* as in tables */
	JSON_SCRIPT,    /* the page shows them like that */
	JSON_EXACT,     /* unchanged after parsing */
};

static void json_code(struct sink *s, uint32_t cp)
{
	if (cp > 0xffff)
		sink_printf(s, "\\u%04x\\u%04x", 0xd800 + ((cp - 0x10000) >> 10),
			    0xdc00 + (cp & 0x3ff));
	else
		sink_printf(s, "\\u%04x", cp);
}

static void json_unseen(struct sink *s, const char *text, size_t n, uint32_t cp, enum json_as as)
{
	if (as == JSON_EXACT || (as == JSON_SCRIPT && (cp < 0xa0 || cp == 0x2028 || cp == 0x2029)))
		json_code(s, cp);
	else if (as == JSON_SCRIPT)
		sink_printf(s, "\\u003cU+%04X\\u003e", cp);
	else if (is_control(cp))
		for (size_t i = 0; i < n; i++)
			sink_printf(s, "\\\\x%02x", (uint8_t)text[i]);
	else
		sink_printf(s, "<U+%04X>", cp);
}

static void json(struct sink *s, const char *text, size_t len, enum json_as as)
{
	while (len) {
		uint32_t cp = 0;
		size_t n = escape_decode(text, len, &cp);

		if (!n) {
			sink_puts(s, REPLACEMENT);
			n = 1;
		} else if (cp == '"' || cp == '\\') {
			sink_putc(s, '\\');
			sink_putc(s, (char)cp);
		} else if (as != JSON_SHOWN && (cp == '\n' || cp == '\t')) {
			sink_puts(s, cp == '\n' ? "\\n" : "\\t");
		} else if (is_control(cp) || is_deceptive(cp)) {
			json_unseen(s, text, n, cp, as);
		} else if (as == JSON_SCRIPT && (cp == '<' || cp == '>' || cp == '&')) {
			json_code(s, cp);
		} else {
			sink_add(s, text, n);
		}
		text += n;
		len -= n;
	}
}

void escape_json(struct sink *s, const char *text, size_t len)
{
	json(s, text, len, JSON_SHOWN);
}

void escape_json_exact(struct sink *s, const char *text, size_t len)
{
	json(s, text, len, JSON_EXACT);
}

/* OpenMetrics has a subset of JSON's escapes: \\, \" and \n; \n is shown like other control characters. */
void escape_openmetrics(struct sink *s, const char *text, size_t len)
{
	json(s, text, len, JSON_SHOWN);
}

void escape_json_script(struct sink *s, const char *text, size_t len)
{
	json(s, text, len, JSON_SCRIPT);
}

static void xml(struct sink *s, const char *text, size_t len, bool in_attr)
{
	while (len) {
		uint32_t cp = 0;
		size_t n = escape_decode(text, len, &cp);

		if (!n) {
			sink_puts(s, REPLACEMENT);
			n = 1;
		} else if (cp == '&') {
			sink_puts(s, "&amp;");
		} else if (cp == '<') {
			sink_puts(s, "&lt;");
		} else if (cp == '>') {
			sink_puts(s, "&gt;");
		} else if (in_attr && cp == '"') {
			sink_puts(s, "&quot;");
		} else if (in_attr && cp == '\'') {
			sink_puts(s, "&#39;");
		} else if (cp == '\t' || cp == '\n') {
			/* attribute values are normalised: they would become blanks */
			if (in_attr)
				sink_printf(s, "&#%u;", cp);
			else
				sink_putc(s, (char)cp);
		} else if (is_control(cp) || cp == 0xfffe || cp == 0xffff) {
			sink_puts(
				s,
				REPLACEMENT); /* XML 1.0 cannot represent most control characters */
		} else {
			sink_add(s, text, n);
		}
		text += n;
		len -= n;
	}
}

void escape_xml_text(struct sink *s, const char *text, size_t len)
{
	xml(s, text, len, false);
}

void escape_xml_attr(struct sink *s, const char *text, size_t len)
{
	xml(s, text, len, true);
}

void escape_csv(struct sink *s, const char *text, size_t len)
{
	bool quote = len && (text[0] == ' ' || text[len - 1] == ' ');
	/* A spreadsheet would evaluate it; it drops the '. */
	bool formula = len && strchr("=+-@", text[0]);

	for (size_t i = 0; i < len && !quote; i++)
		quote = text[i] == '"' || text[i] == ',';
	if (quote)
		sink_putc(s, '"');
	if (formula)
		sink_putc(s, '\'');
	while (len) {
		uint32_t cp = 0;
		size_t n = escape_decode(text, len, &cp);

		if (n && is_deceptive(cp)) {
			sink_printf(s, "<U+%04X>", cp);
		} else if (!n || is_control(cp)) {
			n = n ? n : 1;
			for (size_t i = 0; i < n; i++)
				add_hex(s, (uint8_t)text[i]);
		} else if (cp == '"') {
			sink_puts(s, "\"\"");
		} else {
			sink_add(s, text, n);
		}
		text += n;
		len -= n;
	}
	if (quote)
		sink_putc(s, '"');
}

/* Escapes characters that may start markup inside a cell; '|' would end the cell. */
static void add_md_ascii(struct sink *s, char c)
{
	switch (c) {
	case '<':
		sink_puts(s, "&lt;");
		break;
	case '>':
		sink_puts(s, "&gt;");
		break;
	case '&':
		sink_puts(s, "&amp;");
		break;
	case '\\':
	case '`':
	case '*':
	case '_':
	case '[':
	case ']':
	case '|':
	case '~':
	case '$':
		sink_putc(s, '\\');
		sink_putc(s, c);
		break;
	default:
		sink_putc(s, c);
	}
}

void escape_md(struct sink *s, const char *text, size_t len)
{
	while (len) {
		uint32_t cp = 0;
		size_t n = escape_decode(text, len, &cp);

		if (!n || is_control(cp)) {
			n = n ? n : 1;
			for (size_t i = 0; i < n; i++) /* the backslash is markup as well */
				sink_printf(s, "\\\\x%02x", (uint8_t)text[i]);
		} else if (cp < 0x80) {
			add_md_ascii(s, *text);
		} else if (is_deceptive(cp)) {
			sink_printf(s, "&lt;U+%04X&gt;", cp);
		} else {
			sink_add(s, text, n);
		}
		text += n;
		len -= n;
	}
}
