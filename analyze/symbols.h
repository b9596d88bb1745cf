/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * symbols.h - the value/name lists in a tracepoint's print format, as in
 * __print_symbolic(REC->reason, { 0x040 + 1, "DB excp" }, { -1, "err" }).
 *
 * Failure    text that cannot be read ends the list: what was read before stays
 * Ownership  symbols_init() zeroes, symbols_fini() empties; names are its own
 */
#ifndef ANALYZE_SYMBOLS_H
#define ANALYZE_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct symbol {
	uint64_t value;
	const char *name;
};

struct symbols {
	struct symbol *all; /* by value; of two alike the first of the text, as printing does */
	size_t n, cap;
	bool failed; /* out of memory */
};

/* symbols_parse - reads "{ number, "name" }, ..." from @text on, to the closing
 * parenthesis or @end; returns where it stopped. */
const char *symbols_parse(struct symbols *out, const char *text, const char *end);
void symbols_fini(struct symbols *s);
const char *symbols_find(const struct symbols *s, uint64_t value);

/* symbols_number - evaluates a C integer expression of + - | & ~ << >> and
 * parentheses; false when there is none. *@text moves behind it. */
bool symbols_number(const char **text, const char *end, uint64_t *out);

#endif
