/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * expr.h - the C expressions of print formats, as code for a small stack machine.
 *
 * Precedence and association are C's; all arithmetic is of 64 bits, unsigned, as
 * libtraceevent's. A text needs no stack: its instruction writes it.
 *
 * Failure    false: it cannot be read, or memory ran out (@no_memory)
 * Ownership  the zero value with text set; expr_fini() frees the code
 */
#ifndef ANALYZE_EXPR_H
#define ANALYZE_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/array.h"

enum expr_op {
	EXPR_CONST, /* pushes value */
	EXPR_FIELD, /* pushes the scalar field: @field, as @bits unsigned ones */
	EXPR_LEN,   /* pushes how long the dynamic field is */
	EXPR_NEG,
	EXPR_NOT,
	EXPR_INVERT,
	EXPR_BITS, /* a cast: keeps @bits */
	EXPR_MUL,
	EXPR_DIV,
	EXPR_MOD,
	EXPR_ADD,
	EXPR_SUB,
	EXPR_SHL,
	EXPR_SHR,
	EXPR_LT,
	EXPR_GT,
	EXPR_LE,
	EXPR_GE,
	EXPR_EQ,
	EXPR_NE,
	EXPR_AND,
	EXPR_XOR,
	EXPR_OR,
	EXPR_LAND,
	EXPR_LOR,
	EXPR_UNLESS, /* pops: zero goes on at code[to] */
	EXPR_GOTO,   /* goes on at code[to] */
	/* These write; what they need is popped. */
	EXPR_TEXT,    /* text, len */
	EXPR_STRING,  /* the field's text */
	EXPR_SYMBOL,  /* the name of a number in table @to */
	EXPR_FLAGS,   /* the names of its bits in table @to, text between them */
	EXPR_HEX,     /* as many bytes of the field, with blanks */
	EXPR_HEX_STR, /* without */
};

struct expr_code {
	uint8_t op; /* enum expr_op */
	uint8_t bits;
	uint16_t field;
	uint32_t to;
	union {
		uint64_t value;
		struct {
			const char *text; /* borrowed */
			uint32_t len;
		};
	};
};

enum expr_kind { EXPR_BAD, EXPR_NUMBER, EXPR_WRITES };

#define EXPR_STACK 64 /* numbers at once */

struct expr {
	const char *at, *end;
	ARRAY(struct expr_code) code;
	/* What libtraceevent groups otherwise than C does is refused. */
	bool as_perf;
	bool no_memory;
	bool atom;       /* what was read last is one number, not computed */
	uint64_t used;   /* bits of the EXPR_* operators seen */
	uint8_t loosest; /* precedence of the loosest operator of the last operand */
	unsigned depth, stack;
	size_t joint; /* code before this is jumped to or over */
	/* Emits what an identifier begins, which was just read; NULL: nothing does. */
	enum expr_kind (*name)(struct expr *x, const char *name, size_t len);
	void *ctx;
	/* Texts that had to be put together. */
	ARRAY(char *) joined;
};

void expr_fini(struct expr *x);

/* expr_parse - appends the code of the longest expression that begins here. */
enum expr_kind expr_parse(struct expr *x);
/* expr_operand - the same up to the first operator. */
enum expr_kind expr_operand(struct expr *x);
/* expr_number - the value of a constant expression; the code is as it was. */
bool expr_number(struct expr *x, uint64_t *out);

/* expr_emit - appends an instruction; expr_push() one that pushes a number. */
bool expr_emit(struct expr *x, struct expr_code code);
bool expr_push(struct expr *x, struct expr_code code);

/* expr_take - moves behind @c, if it is next after blanks. */
bool expr_take(struct expr *x, char c);
/* expr_at_end - whether nothing but blanks is left. */
bool expr_at_end(struct expr *x);
/* expr_name - moves behind the identifier that is next: its length, 0 when there is none. */
size_t expr_name(struct expr *x, const char **name);
/* expr_string - the string literals that are next, as one, borrowed from the text or from
 * @x; escapes stay as they are written. */
bool expr_string(struct expr *x, const char **text, size_t *len);

static inline uint64_t expr_unary(uint8_t op, uint8_t bits, uint64_t v)
{
	switch (op) {
	case EXPR_NEG:
		return -v;
	case EXPR_NOT:
		return !v;
	case EXPR_INVERT:
		return ~v;
	default:
		return v & (UINT64_MAX >> (64 - bits));
	}
}

/* What a division by 0 gives is 0; shifts are by @b modulo 64. */
static inline uint64_t expr_binary(uint8_t op, uint64_t a, uint64_t b)
{
	switch (op) {
	case EXPR_MUL:
		return a * b;
	case EXPR_DIV:
		return b ? a / b : 0;
	case EXPR_MOD:
		return b ? a % b : 0;
	case EXPR_ADD:
		return a + b;
	case EXPR_SUB:
		return a - b;
	case EXPR_SHL:
		return a << (b & 63);
	case EXPR_SHR:
		return a >> (b & 63);
	case EXPR_LT:
		return a < b;
	case EXPR_GT:
		return a > b;
	case EXPR_LE:
		return a <= b;
	case EXPR_GE:
		return a >= b;
	case EXPR_EQ:
		return a == b;
	case EXPR_NE:
		return a != b;
	case EXPR_AND:
		return a & b;
	case EXPR_XOR:
		return a ^ b;
	case EXPR_OR:
		return a | b;
	case EXPR_LAND:
		return a && b;
	default:
		return a || b;
	}
}

#endif
