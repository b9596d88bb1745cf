/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * json.h - writes one JSON document, commas and indentation looked after.
 *
 *	json_init(&j, sink);
 *	json_open(&j, NULL, '{', true);
 *	json_u64(&j, "events", 12);
 *	json_open(&j, "rows", '[', false);	// on one line
 *	...
 *	json_close(&j); json_close(&j);
 *
 * Keys are ours and written as they are; text values are escaped.  64-bit
 * integers are written with all their digits.  @key is NULL inside arrays.
 */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/sink.h"

#define JSON_DEPTH 16

struct json {
	struct sink *sink;
	bool script; /* stands in an HTML <script>: texts escape < > & too */
	unsigned depth;
	struct {
		char close;
		bool lines; /* one member a line */
		bool any;   /* a member was written */
	} at[JSON_DEPTH];
};

void json_init(struct json *j, struct sink *sink);
/* json_open - @bracket is '{' or '['. */
void json_open(struct json *j, const char *key, char bracket, bool lines);
void json_close(struct json *j); /* the last one ends the line */

void json_text(struct json *j, const char *key, const char *value); /* NULL: null */
/* json_bytes - of a text that may hold NULs. */
void json_bytes(struct json *j, const char *key, const char *value, size_t len);
void json_u64(struct json *j, const char *key, uint64_t value);
void json_i64(struct json *j, const char *key, int64_t value);
void json_number(struct json *j, const char *key, double value); /* not finite: null */
void json_bool(struct json *j, const char *key, bool value);
void json_null(struct json *j, const char *key);

#endif
