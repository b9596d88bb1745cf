// SPDX-License-Identifier: LGPL-2.1-only
/* expr.c - see expr.h. */
#include "analyze/printing/expr.h"

#include <string.h>

enum { DEPTH_MAX = 128, SIGNS_MAX = 16, CODE_MAX = 1 << 16 };

struct operator
{
	char text[3];
	uint8_t op, level; /* a smaller level binds tighter */
	bool associative;
};

/* Longer ones first. */
static const struct operator operators[] = {
	{ "||", EXPR_LOR, 15, true }, { "&&", EXPR_LAND, 14, true }, { "<<", EXPR_SHL, 8, false },
	{ ">>", EXPR_SHR, 8, false }, { "<=", EXPR_LE, 9, false },   { ">=", EXPR_GE, 9, false },
	{ "==", EXPR_EQ, 10, false }, { "!=", EXPR_NE, 10, false },  { "<", EXPR_LT, 9, false },
	{ ">", EXPR_GT, 9, false },   { "|", EXPR_OR, 13, true },    { "^", EXPR_XOR, 12, true },
	{ "&", EXPR_AND, 11, true },  { "+", EXPR_ADD, 7, true },    { "-", EXPR_SUB, 7, false },
	{ "*", EXPR_MUL, 6, true },   { "/", EXPR_DIV, 6, false },   { "%", EXPR_MOD, 6, false },
};
static const struct operator cond = { "?", EXPR_UNLESS, 16, false };
enum { LEVELS = 16, LEVEL_NOT = 4, LEVEL_SIGN = 7 };

void expr_fini(struct expr *x)
{
	for (size_t i = 0; i < x->joined.n; i++)
		free(x->joined.at[i]);
	array_fini(&x->joined);
	array_fini(&x->code);
}

/* ---- tokens ------------------------------------------------------------------------ */

static void skip_blanks(struct expr *x)
{
	while (x->at < x->end && strchr(" \t\r\n\v\f", *x->at) && *x->at)
		x->at++;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_word(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool expr_take(struct expr *x, char c)
{
	skip_blanks(x);
	if (x->at == x->end || *x->at != c)
		return false;
	x->at++;
	return true;
}

bool expr_at_end(struct expr *x)
{
	skip_blanks(x);
	return x->at == x->end;
}

size_t expr_name(struct expr *x, const char **name)
{
	skip_blanks(x);
	*name = x->at;
	if (x->at == x->end || is_digit(*x->at))
		return 0;
	while (x->at < x->end && is_word(*x->at))
		x->at++;
	return (size_t)(x->at - *name);
}

/* One literal, from its quote on; escapes stay. */
static bool literal(struct expr *x, const char **text, size_t *len)
{
	if (!expr_take(x, '"'))
		return false;
	for (*text = x->at; x->at < x->end && *x->at != '"'; x->at++)
		if (*x->at == '\\' && x->end - x->at > 1)
			x->at++;
	*len = (size_t)(x->at - *text);
	return expr_take(x, '"');
}

bool expr_string(struct expr *x, const char **text, size_t *len)
{
	char *joined = NULL;
	size_t room = 0;
	const char *more;
	size_t n;

	if (!literal(x, text, len))
		return false;
	while (skip_blanks(x), x->at < x->end && *x->at == '"') {
		if (!literal(x, &more, &n))
			goto fail;
		if (!joined || n > room - *len) {
			char *bigger = array_grow(joined, &room, *len + n, 1);

			x->no_memory |= !bigger;
			if (!bigger)
				goto fail;
			if (!joined)
				memcpy(bigger, *text, *len);
			*text = joined = bigger;
		}
		memcpy(joined + *len, more, n);
		*len += n;
	}
	if (joined && array_push(&x->joined, joined)) {
		x->no_memory = true;
		goto fail;
	}
	return true;
fail:
	free(joined);
	return false;
}

static bool digits(struct expr *x, uint64_t *out)
{
	unsigned base = 10;
	uint64_t v = 0;
	const char *start;

	if (x->end - x->at > 2 && x->at[0] == '0' && (x->at[1] == 'x' || x->at[1] == 'X')) {
		base = 16;
		x->at += 2;
	} else if (x->end - x->at > 1 && x->at[0] == '0' && is_digit(x->at[1])) {
		base = 8;
	}
	for (start = x->at; x->at < x->end; x->at++) {
		char c = *x->at;
		unsigned d = is_digit(c)            ? (unsigned)(c - '0')
			     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
			     : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A') + 10
						    : 99;

		if (d >= base)
			break;
		if (__builtin_mul_overflow(v, (uint64_t)base, &v) ||
		    __builtin_add_overflow(v, (uint64_t)d, &v))
			return false;
	}
	if (x->at == start)
		return false;
	while (x->at < x->end && (*x->at == 'u' || *x->at == 'U' || *x->at == 'l' || *x->at == 'L'))
		x->at++;
	*out = v;
	return x->at == x->end || !is_word(*x->at);
}

/* ---- code -------------------------------------------------------------------------- */

bool expr_emit(struct expr *x, struct expr_code code)
{
	x->no_memory |= x->code.n < CODE_MAX && array_push(&x->code, code);
	return x->code.n < CODE_MAX && !x->no_memory;
}

/* The @back'th instruction from the end, if it pushes a constant and no jump goes past it. */
static struct expr_code *constant(struct expr *x, size_t back)
{
	struct expr_code *c = &x->code.at[x->code.n - back];

	return x->code.n >= x->joint + back && c->op == EXPR_CONST ? c : NULL;
}

static bool emit_unary(struct expr *x, uint8_t op, uint8_t bits)
{
	struct expr_code *a = constant(x, 1);

	if (!a)
		return expr_emit(x, (struct expr_code){ .op = op, .bits = bits });
	a->value = expr_unary(op, bits, a->value);
	return true;
}

static bool emit_binary(struct expr *x, uint8_t op)
{
	struct expr_code *b = constant(x, 1), *a = b ? constant(x, 2) : NULL;

	x->stack--;
	x->used |= UINT64_C(1) << op;
	if (!a)
		return expr_emit(x, (struct expr_code){ .op = op });
	a->value = expr_binary(op, a->value, b->value);
	x->code.n--;
	return true;
}

bool expr_push(struct expr *x, struct expr_code code)
{
	return ++x->stack <= EXPR_STACK && expr_emit(x, code);
}

/* ---- grammar ----------------------------------------------------------------------- */

/* Bits that a cast to @type keeps in libtraceevent. */
static unsigned type_bits(const char *type)
{
	static const struct {
		char name[6];
		uint8_t bits;
	} types[] = { { "char", 8 }, { "short", 16 }, { "int", 32 }, { "u8", 8 },  { "s8", 8 },
		      { "u16", 16 }, { "s16", 16 },   { "u32", 32 }, { "s32", 32 } };
	bool plain = !strncmp(type, "unsigned ", 9);

	for (size_t i = 0; i < (plain ? 3 : sizeof(types) / sizeof(types[0])); i++)
		if (!strcmp(plain ? type + 9 : type, types[i].name))
			return types[i].bits;
	return 64;
}

/* "unsigned int)" before an operand: the bits it keeps; 0 when the parenthesis does not hold a
 * type. */
static unsigned cast(struct expr *x)
{
	const char *start = x->at, *name;
	char type[32] = "";
	size_t n, len = 0;
	bool pointer = false;

	while ((n = expr_name(x, &name))) {
		if (n + 1 > sizeof(type) - 1 - len)
			break;
		if (len)
			type[len++] = ' ';
		memcpy(type + len, name, n);
		len += n;
	}
	type[len] = '\0';
	while (len && expr_take(x, '*'))
		pointer = true;
	if (len && expr_take(x, ')')) {
		skip_blanks(x);
		if (x->at < x->end && (is_word(*x->at) || *x->at == '(' || *x->at == '"'))
			return pointer ? 64 : type_bits(type);
	}
	x->at = start;
	return 0;
}

static enum expr_kind condition(struct expr *x);

static enum expr_kind parenthesis(struct expr *x)
{
	unsigned bits = cast(x);
	enum expr_kind kind;

	if (bits) {
		kind = expr_operand(x);
		x->loosest = 0;
		if (kind != EXPR_NUMBER || (bits < 64 && !emit_unary(x, EXPR_BITS, (uint8_t)bits)))
			return EXPR_BAD;
		return kind;
	}
	kind = condition(x);
	return expr_take(x, ')') ? kind : EXPR_BAD;
}

/* An operand without a sign before it. */
static enum expr_kind primary(struct expr *x)
{
	struct expr_code code = { .op = EXPR_CONST };
	const char *name, *text;
	size_t n;

	if (expr_take(x, '('))
		return parenthesis(x);
	x->loosest = 0;
	if (x->at == x->end)
		return EXPR_BAD;
	if (is_digit(*x->at)) {
		x->atom = true;
		return digits(x, &code.value) && expr_push(x, code) ? EXPR_NUMBER : EXPR_BAD;
	}
	if (*x->at == '"') {
		if (!expr_string(x, &text, &n) || n > UINT32_MAX)
			return EXPR_BAD;
		code = (struct expr_code){ .op = EXPR_TEXT, .text = text, .len = (uint32_t)n };
		return expr_emit(x, code) ? EXPR_WRITES : EXPR_BAD;
	}
	n = expr_name(x, &name);
	return n && x->name ? x->name(x, name, n) : EXPR_BAD;
}

enum expr_kind expr_operand(struct expr *x)
{
	enum expr_kind kind = EXPR_BAD;

	x->atom = false;
	if (++x->depth <= DEPTH_MAX)
		kind = primary(x);
	x->depth--;
	return kind;
}

/* "--" or "++", which are not signs. */
static bool doubled(const struct expr *x)
{
	return x->end - x->at > 1 && (x->at[0] == '-' || x->at[0] == '+') && x->at[1] == x->at[0];
}

/* An operand with its signs: their number in *@signs, the first in *@sign. */
static enum expr_kind signed_operand(struct expr *x, unsigned *signs, char *sign)
{
	char all[SIGNS_MAX] = "";
	enum expr_kind kind;

	for (*signs = 0; skip_blanks(x), x->at < x->end && strchr("-~!+", *x->at) && *x->at;) {
		if (*signs == SIGNS_MAX || doubled(x))
			return EXPR_BAD;
		all[(*signs)++] = *x->at++;
	}
	kind = expr_operand(x);
	*sign = all[0];
	if (!*signs)
		return kind;
	x->atom = false;
	for (unsigned i = *signs; kind == EXPR_NUMBER && i--;) {
		x->used |= all[i] == '!' ? UINT64_C(1) << EXPR_NOT : 0;
		if (all[i] != '+' && !emit_unary(x,
						 all[i] == '-'   ? EXPR_NEG
						 : all[i] == '~' ? EXPR_INVERT
								 : EXPR_NOT,
						 0))
			return EXPR_BAD;
	}
	x->loosest = *sign == '-' || *sign == '+' ? LEVEL_SIGN : LEVEL_NOT;
	return kind == EXPR_NUMBER ? kind : EXPR_BAD;
}

/* The next operator, or NULL. */
static const struct operator* peek(struct expr *x)
{
	size_t left;

	skip_blanks(x);
	left = (size_t)(x->end - x->at);
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t n = strlen(operators[i].text);

		if (n <= left && !memcmp(x->at, operators[i].text, n))
			return &operators[i];
	}
	return left && *x->at == '?' ? &cond : NULL;
}

/*
 * How libtraceevent groups a chain of operators: an operator that binds looser than the one before
 * takes everything read so far as its left side; any other begins the right side of the one before,
 * with everything after it. This agrees with C unless a later operator is as loose as the one whose
 * right side it is in. Parenthesised operands are regrouped like the rest: a looser right side
 * gives away its left part.
 */
struct grouping {
	const struct operator* last;
	const struct operator* inside; /* the tightest operator whose right side is being read */
	unsigned signs;                /* before the last operand */
	bool alone;                    /* a sign has taken the operator after it */
};

/* Whether libtraceevent computes the same as C with @op next. */
static bool groups_alike(struct grouping *g, const struct operator* op)
{
	const struct operator* last = g->last;

	/* It parses '^', but computes 0. */
	if (op->op == EXPR_XOR)
		return false;
	/* A sign takes what follows it, too, but is regrouped once. */
	if (g->alone || g->signs > 1 || (g->signs && last && op->level <= last->level))
		return false;
	g->alone = g->signs && last;
	if (last && op->level <= last->level)
		g->inside = last;
	g->last = op;
	if (!g->inside || op->level < g->inside->level)
		return true;
	return op->level == g->inside->level && g->inside->associative &&
	       (op == g->inside || g->inside->op == EXPR_ADD);
}

/* Operands and binary operators; *@asked: a '?' follows. */
static enum expr_kind chain(struct expr *x, bool *asked)
{
	const struct operator* pending[LEVELS], *op;
	struct grouping g = { 0 };
	enum expr_kind kind;
	bool any = false;
	uint8_t loosest;
	unsigned n = 0;
	char sign;

	kind = signed_operand(x, &g.signs, &sign);
	loosest = x->loosest;
	while (kind != EXPR_BAD && (op = peek(x))) {
		if (kind != EXPR_NUMBER || doubled(x) || (x->as_perf && !groups_alike(&g, op)))
			return EXPR_BAD;
		x->at += strlen(op->text);
		while (n && pending[n - 1]->level <= op->level)
			if (!emit_binary(x, pending[--n]->op))
				return EXPR_BAD;
		*asked = op == &cond;
		if (*asked)
			break;
		pending[n++] = op;
		loosest = op->level > loosest || !any ? op->level : loosest;
		any = true;
		kind = signed_operand(x, &g.signs, &sign);
		x->atom = false;
		if (kind != EXPR_NUMBER || (x->as_perf && x->loosest > op->level))
			return EXPR_BAD;
	}
	while (kind != EXPR_BAD && n)
		if (!emit_binary(x, pending[--n]->op))
			return EXPR_BAD;
	x->loosest = loosest;
	return kind;
}

/* After a '?'. */
static enum expr_kind branches(struct expr *x)
{
	size_t unless = x->code.n, over;
	enum expr_kind yes, no;
	unsigned signs;
	char sign;

	x->stack--;
	x->used |= UINT64_C(1) << EXPR_UNLESS;
	if (!expr_emit(x, (struct expr_code){ .op = EXPR_UNLESS }))
		return EXPR_BAD;
	x->joint = x->code.n;
	yes = condition(x);
	over = x->code.n;
	if (yes == EXPR_BAD || !expr_take(x, ':') ||
	    !expr_emit(x, (struct expr_code){ .op = EXPR_GOTO }))
		return EXPR_BAD;
	x->code.at[unless].to = (uint32_t)x->code.n;
	x->joint = x->code.n;
	x->stack -= yes == EXPR_NUMBER;
	/* In libtraceevent it ends after the first operand. */
	no = x->as_perf ? signed_operand(x, &signs, &sign) : condition(x);
	if (no != yes || (x->as_perf && peek(x)))
		return EXPR_BAD;
	x->code.at[over].to = (uint32_t)x->code.n;
	x->joint = x->code.n;
	x->atom = false;
	x->loosest = cond.level;
	return yes;
}

static enum expr_kind condition(struct expr *x)
{
	enum expr_kind kind = EXPR_BAD;
	bool asked = false;

	if (++x->depth <= DEPTH_MAX)
		kind = chain(x, &asked);
	if (kind != EXPR_BAD && asked)
		kind = branches(x);
	x->depth--;
	return kind;
}

enum expr_kind expr_parse(struct expr *x)
{
	x->atom = false;
	return condition(x);
}

bool expr_number(struct expr *x, uint64_t *out)
{
	size_t n = x->code.n;
	bool ok;

	x->joint = n;
	ok = expr_parse(x) == EXPR_NUMBER && x->code.n == n + 1 && x->code.at[n].op == EXPR_CONST;
	if (ok)
		*out = x->code.at[n].value;
	x->stack -= ok;
	x->code.n = n;
	return ok;
}
