/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * symbols.h - the value/name lists in a tracepoint's print format, as in
 * __print_symbolic(REC->reason, { 0x040 + 1, "DB excp" }, { -1, "err" }).
 *
 * Failure    text that cannot be parsed ends the list; entries before it stay
 * Ownership  symbols_init() zeroes, symbols_fini() empties; names are its own
 */
#ifndef ANALYZE_PRINTING_SYMBOLS_H
#define ANALYZE_PRINTING_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/array.h"

#define SYMBOL_LEN_MAX 4096 /* bytes of a name; longer ones cannot be parsed */

struct symbol {
	uint64_t value;
	const char *name;
	uint32_t len, order; /* its place in the text */
};

struct symbols {
	ARRAY(struct symbol) all; /* by value; of equal values the first one in the text */
	bool failed;              /* out of memory */
};

/* symbols_parse - reads "{ number, "name" }, ..." from @text on, to the closing
 * parenthesis or @end; returns where it stopped. */
const char *symbols_parse(struct symbols *out, const char *text, const char *end);
void symbols_fini(struct symbols *s);
const char *symbols_find(const struct symbols *s, uint64_t value);
const struct symbol *symbols_at(const struct symbols *s, uint64_t value);
/* symbols_in_order - sorts them by their place in the text; look-ups no longer work then. */
void symbols_in_order(struct symbols *s);

struct expr;
/* symbols_read - symbols_parse() inside a larger text. */
void symbols_read(struct symbols *out, struct expr *x);

/* symbols_number - evaluates a constant C integer expression without ?: (expr.h) and moves *@text
 * past it; returns false if the text starts with no such expression. */
bool symbols_number(const char **text, const char *end, uint64_t *out, bool *no_memory);

#endif
