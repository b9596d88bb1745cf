/* SPDX-License-Identifier: LGPL-2.1-only */
/* internal.h - a parsed print format: parse.c makes it, run.c runs it. */
#ifndef ANALYZE_PRINTING_INTERNAL_H
#define ANALYZE_PRINTING_INTERNAL_H

#include "analyze/printing/expr.h"
#include "analyze/printing/print.h"
#include "analyze/printing/symbols.h"
#include "base/text/kernel_functions.h"

enum print_how {
	PRINT_LITERAL, /* only the text before */
	PRINT_DECIMAL, /* a plain scalar field: %d, %u etc. without width */
	PRINT_STRING,  /* a fixed text field: %s without width */
	PRINT_NUMBER,
	PRINT_POINTER, /* %p */
	PRINT_ADDRESS, /* %ps, %pS: the function at the address, or the address */
	PRINT_TEXT,
};

/* The format of one conversion. */
struct print_spec {
	uint8_t bits;                                             /* of the number */
	uint8_t base;                                             /* 8, 10, 16 */
	bool negative, left, zeros, prefix, capitals, from_start; /* from_start: with the offset,
								   * %pS */
	int precision;                                            /* -1: none */
	int width;
};

struct print_op {
	uint8_t how; /* enum print_how */
	struct print_spec spec;
	uint8_t field_bits; /* of a NUMBER that is just a field; 0: run the code */
	uint16_t field;     /* of DECIMAL, STRING */
	uint32_t at, len;   /* the text before, in print_program.texts */
	uint32_t code, to;  /* of the others: the range of code */
};

struct print_program {
	ARRAY(struct print_op) ops;
	struct buf texts;
	struct expr x; /* its code */
	ARRAY(struct symbols) tables;
	uint64_t *fields; /* used; NULL: all, as the event may have to be printed otherwise */
};

struct printer {
	const struct cdict_schema *schema;
	struct kernel_functions symbols;
	struct print_program **programs; /* by type; NULL: format not supported */
	struct buf names;                /* "  sched:sched_switch: ", aligned, concatenated */
	size_t name_len;                 /* of each, except longer ones */
	uint64_t second;                 /* of the previous line, and its digits */
	char digits[24];
	unsigned n_digits;
	bool sparse; /* fields that an event lacks are left out */
};

/* print_parse - NULL: the format of @type is not supported, or out of memory, which sets
 * *no_memory. */
struct print_program *print_parse(const struct cdict_event_type *type, bool *no_memory);
void print_program_free(struct print_program *p);

#endif
