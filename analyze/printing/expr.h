/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * expr.h - C expressions in print formats, compiled to code for a small stack machine.
 *
 * Precedence and associativity are those of C; all arithmetic is unsigned 64-bit, as in
 * libtraceevent. Texts do not use the stack: an instruction writes them.
 *
 * Failure    false: the text cannot be parsed, or out of memory (@no_memory)
 * Ownership  the zero value with text set; expr_fini() frees the code
 */
#ifndef ANALYZE_PRINTING_EXPR_H
#define ANALYZE_PRINTING_EXPR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/memory/array.h"

enum expr_op {
	EXPR_CONST, /* pushes value */
	EXPR_FIELD, /* pushes scalar field @field, as @bits unsigned bits */
	EXPR_LEN,   /* pushes the length of the dynamic field */
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
	EXPR_UNLESS, /* pops; if zero, jumps to code[to] */
	EXPR_GOTO,   /* jumps to code[to] */
	/* These write text; they pop their operands. */
	EXPR_TEXT,    /* text, len */
	EXPR_STRING,  /* the field's text */
	EXPR_SYMBOL,  /* a number's name in table @to */
	EXPR_FLAGS,   /* the names of a number's bits in table @to, text between them */
	EXPR_HEX,     /* a number of bytes of the field, with blanks */
	EXPR_HEX_STR, /* without blanks */
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

#define EXPR_STACK 64 /* numbers on it */

struct expr {
	const char *at, *end;
	ARRAY(struct expr_code) code;
	/* Refuse expressions that libtraceevent groups differently from C. */
	bool as_perf;
	bool no_memory;
	bool atom;       /* the last operand is a single number, not computed */
	uint64_t used;   /* bits of the EXPR_* operators seen */
	uint8_t loosest; /* precedence of the loosest operator of the last operand */
	unsigned depth, stack;
	size_t joint; /* jumps go over or to code before this */
	/* Parses and emits the operand that begins with the identifier just read; NULL: none
	 * can. */
	enum expr_kind (*name)(struct expr *x, const char *name, size_t len);
	void *ctx;
	/* Texts joined from several literals. */
	ARRAY(char *) joined;
};

void expr_fini(struct expr *x);

/* expr_parse - appends the code of the longest expression that begins here. */
enum expr_kind expr_parse(struct expr *x);
/* expr_operand - like expr_parse(), but stops at the first operator. */
enum expr_kind expr_operand(struct expr *x);
/* expr_number - the value of a constant expression; leaves the code unchanged. */
bool expr_number(struct expr *x, uint64_t *out);

/* expr_emit - appends an instruction; expr_push() one that pushes a number. */
bool expr_emit(struct expr *x, struct expr_code code);
bool expr_push(struct expr *x, struct expr_code code);

/* expr_take - moves past @c, if it is next after blanks. */
bool expr_take(struct expr *x, char c);
/* expr_at_end - whether nothing but blanks is left. */
bool expr_at_end(struct expr *x);
/* expr_name - moves past the next identifier; returns its length, 0 if there is none. */
size_t expr_name(struct expr *x, const char **name);
/* expr_string - reads the next string literals as one, borrowed from the text or from @x; escapes
 * stay as written. */
bool expr_string(struct expr *x, const char **text, size_t *len);

/* text_len - the bytes before the first NUL of a field's @n bytes; @n without a NUL. */
static inline size_t text_len(const void *data, size_t n)
{
	return n ? strnlen(data, n) : 0;
}

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

/* Division by 0 gives 0; shifts are by @b modulo 64. */
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

#define EXPR_SIGNED (UINT64_C(1) << 63)

/* What an instruction that reads the event does: it pops from and pushes to *@top, the last number
 * on the stack. False ends the run. */
typedef bool (*expr_event_fn)(void *ctx, const struct expr_code *c, uint64_t **top);

/* expr_run - runs @code from instruction @from up to @to; @event runs instructions other than
 * constants, operators and jumps. @order is 0, or EXPR_SIGNED to compare numbers as signed. False
 * when @event returned false; else *@result has the last number, 1 if there was none. Inlined, so
 * that @event costs no call. */
static inline __attribute__((always_inline)) bool expr_run(const struct expr_code *code,
							   uint32_t from, uint32_t to,
							   uint64_t order, expr_event_fn event,
							   void *ctx, uint64_t *result)
{
	uint64_t stack[EXPR_STACK + 1], *top = stack; /* stack[0] lies below the first number */

	stack[0] = 1;
	for (uint32_t i = from; i < to; i++) {
		const struct expr_code *c = &code[i];

		if (c->op == EXPR_CONST) {
			*++top = c->value;
		} else if (c->op >= EXPR_MUL && c->op <= EXPR_LOR) {
			uint64_t flip = c->op >= EXPR_LT && c->op <= EXPR_GE ? order : 0;

			top--;
			*top = expr_binary(c->op, top[0] ^ flip, top[1] ^ flip);
		} else if (c->op >= EXPR_NEG && c->op <= EXPR_BITS) {
			*top = expr_unary(c->op, c->bits, *top);
		} else if (c->op == EXPR_GOTO || (c->op == EXPR_UNLESS && !*top--)) {
			i = c->to - 1;
		} else if (c->op != EXPR_UNLESS && !event(ctx, c, &top)) {
			return false;
		}
	}
	*result = *top;
	return true;
}

#endif
