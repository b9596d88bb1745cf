/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * json.h - writes one JSON document, with its commas and indentation.
 *
 *	json_init(&j, sink);
 *	json_open(&j, NULL, '{', true);
 *	json_u64(&j, "events", 12);
 *	json_open(&j, "rows", '[', false);	// on one line
 *	...
 *	json_close(&j); json_close(&j);
 *
 * Keys are cdict's own and written unescaped; text values are escaped.  64-bit
 * integers are written with all digits.  @key is NULL inside arrays.
 */
#ifndef BASE_TEXT_JSON_H
#define BASE_TEXT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text/sink.h"

#define JSON_DEPTH 16

struct json {
	struct sink *sink;
	bool script; /* inside an HTML <script>: texts escape < > & too */
	unsigned depth;
	struct {
		char close;
		bool lines; /* one member per line */
		bool any;   /* a member was written */
	} at[JSON_DEPTH];
};

void json_init(struct json *j, struct sink *sink);
/* json_open - @bracket is '{' or '['. */
void json_open(struct json *j, const char *key, char bracket, bool lines);
void json_close(struct json *j); /* closing the outermost ends the line */

void json_text(struct json *j, const char *key, const char *value); /* NULL: null */
/* json_bytes - a text that may contain NULs. */
void json_bytes(struct json *j, const char *key, const char *value, size_t len);
void json_u64(struct json *j, const char *key, uint64_t value);
void json_i64(struct json *j, const char *key, int64_t value);
void json_number(struct json *j, const char *key, double value); /* not finite: writes null */
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
