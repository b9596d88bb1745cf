/* SPDX-License-Identifier: LGPL-2.1-only */
/* Writes one JSON document. */
#include "base/text/json.h"

#include <assert.h>

#include "base/text/decimal.h"
#include "base/text/escape.h"

void json_init(struct json *j, struct sink *sink)
{
	*j = (struct json){ .sink = sink };
}

static void new_line(struct json *j)
{
	sink_putc(j->sink, '\n');
	sink_repeat(j->sink, ' ', 2 * (size_t)j->depth);
}

/* Writes the separator, the line break and the key before a value. */
static void start_value(struct json *j, const char *key)
{
	if (j->depth) {
		bool first = !j->at[j->depth - 1].any;

		j->at[j->depth - 1].any = true;
		if (!first)
			sink_putc(j->sink, ',');
		if (j->at[j->depth - 1].lines)
			new_line(j);
		else if (!first)
			sink_putc(j->sink, ' ');
	}
	if (key) {
		sink_putc(j->sink, '"');
		sink_puts(j->sink, key);
		sink_add(j->sink, "\": ", 3);
	}
}

void json_open(struct json *j, const char *key, char bracket, bool lines)
{
	assert(j->depth < JSON_DEPTH);
	start_value(j, key);
	sink_putc(j->sink, bracket);
	j->at[j->depth].close = bracket == '{' ? '}' : ']';
	j->at[j->depth].lines = lines;
	j->at[j->depth].any = false;
	j->depth++;
}

void json_close(struct json *j)
{
	assert(j->depth);
	j->depth--;
	if (j->at[j->depth].lines && j->at[j->depth].any)
		new_line(j);
	sink_putc(j->sink, j->at[j->depth].close);
	if (!j->depth)
		sink_putc(j->sink, '\n');
}

void json_text(struct json *j, const char *key, const char *value)
{
	if (!value) {
		json_null(j, key);
		return;
	}
	json_bytes(j, key, value, strlen(value));
}

void json_bytes(struct json *j, const char *key, const char *value, size_t len)
{
	start_value(j, key);
	sink_putc(j->sink, '"');
	(j->script ? escape_json_script : escape_json)(j->sink, value, len);
	sink_putc(j->sink, '"');
}

static void number(struct json *j, const char *key, uint64_t value, bool negative)
{
	char room[DECIMAL_MAX + 1], *end = room + sizeof(room), *at = decimal_before(value, end);

	if (negative)
		*--at = '-';
	start_value(j, key);
	sink_add(j->sink, at, (size_t)(end - at));
}

void json_u64(struct json *j, const char *key, uint64_t value)
{
	number(j, key, value, false);
}

void json_i64(struct json *j, const char *key, int64_t value)
{
	number(j, key, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

void json_number(struct json *j, const char *key, double value)
{
	if (!__builtin_isfinite(value)) {
		json_null(j, key);
		return;
	}
	start_value(j, key);
	sink_printf(j->sink, "%.10g", value);
}

void json_bool(struct json *j, const char *key, bool value)
{
	start_value(j, key);
	sink_puts(j->sink, value ? "true" : "false");
}

void json_null(struct json *j, const char *key)
{
	start_value(j, key);
	sink_puts(j->sink, "null");
}
