// SPDX-License-Identifier: LGPL-2.1-only
/* parse.c - a print format's text: "..." , argument, argument -> operations. */
#include <stdlib.h>
#include <string.h>

#include "analyze/printing/internal.h"

enum { WIDTH_MAX = 4096, SPEC_LEN_MAX = 30, FORMAT_LEN_MAX = 1 << 20 };

struct parse {
	const struct cdict_event_type *type;
	struct print_program *program;
	bool may_fail; /* run.c may fail for some events' fields */
};

/* ---- arguments --------------------------------------------------------------------- */

static const struct cdict_field *take_field(struct expr *x, uint16_t *index)
{
	struct parse *p = x->ctx;
	const char *name;
	size_t len = expr_name(x, &name);

	for (size_t i = 0; len && i < p->type->n_fields; i++) {
		const struct cdict_field *f = &p->type->fields[i];

		if (strlen(f->name) == len && !memcmp(f->name, name, len)) {
			*index = (uint16_t)i;
			p->program->fields[i / 64] |= UINT64_C(1) << i % 64;
			return f;
		}
	}
	return NULL;
}

/* "->name" after REC. */
static const struct cdict_field *take_member(struct expr *x, uint16_t *index)
{
	return expr_take(x, '-') && x->at < x->end && *x->at++ == '>' ? take_field(x, index) : NULL;
}

/* "name)" of a dynamic field. */
static const struct cdict_field *take_dynamic(struct expr *x, uint16_t *index)
{
	const struct cdict_field *f = take_field(x, index);

	((struct parse *)x->ctx)->may_fail = true;
	return f && f->kind >= CDICT_FIELD_DATA_LOC && expr_take(x, ')') ? f : NULL;
}

static bool is(const char *name, size_t len, const char *word)
{
	return strlen(word) == len && !memcmp(name, word, len);
}

/* In __print_hex(): a field of bytes, and the comma after it. */
static bool take_bytes(struct expr *x, uint16_t *index)
{
	const struct cdict_field *f = NULL;
	const char *name;
	size_t len = expr_name(x, &name);

	((struct parse *)x->ctx)->may_fail = true;
	if (is(name, len, "REC")) {
		f = take_member(x, index);
		if (f && f->kind != CDICT_FIELD_BYTES)
			return false;
	} else if (is(name, len, "__get_dynamic_array") && expr_take(x, '(')) {
		f = take_dynamic(x, index);
		/* libtraceevent looks in another place for it */
		if (f && f->kind == CDICT_FIELD_REL_LOC)
			return false;
	}
	return f && expr_take(x, ',');
}

static bool take_table(struct expr *x, uint32_t *index)
{
	/* Operators that libtraceevent cannot compute here. */
	const uint64_t unknown = UINT64_C(1) << EXPR_MUL | UINT64_C(1) << EXPR_DIV |
				 UINT64_C(1) << EXPR_MOD | UINT64_C(1) << EXPR_NOT |
				 UINT64_C(1) << EXPR_UNLESS;
	struct print_program *program = ((struct parse *)x->ctx)->program;
	struct symbols *table = array_add(&program->tables);
	bool ok;

	x->no_memory |= !table;
	if (!table)
		return false;
	x->used = 0;
	symbols_read(table, x);
	x->no_memory |= table->failed;
	ok = !table->failed && table->all.n && !(x->used & unknown);
	*index = (uint32_t)program->tables.n - 1;
	return ok && expr_take(x, ')');
}

static enum expr_kind writes(struct expr *x, struct expr_code code)
{
	x->stack--;
	return expr_emit(x, code) ? EXPR_WRITES : EXPR_BAD;
}

static enum expr_kind call(struct expr *x, const char *name, size_t len)
{
	struct expr_code code = { .op = EXPR_HEX };
	const struct cdict_field *f;
	const char *between;
	size_t n;

	if (is(name, len, "__get_str") || is(name, len, "__get_rel_str")) {
		code.op = EXPR_STRING;
		f = take_dynamic(x, &code.field);
		return f && expr_emit(x, code) ? EXPR_WRITES : EXPR_BAD;
	}
	if (is(name, len, "__get_dynamic_array_len") ||
	    is(name, len, "__get_rel_dynamic_array_len")) {
		code.op = EXPR_LEN;
		f = take_dynamic(x, &code.field);
		return f && expr_push(x, code) ? EXPR_NUMBER : EXPR_BAD;
	}
	if (is(name, len, "__print_symbolic")) {
		code.op = EXPR_SYMBOL;
		if (expr_parse(x) != EXPR_NUMBER || !expr_take(x, ',') || !take_table(x, &code.to))
			return EXPR_BAD;
		return writes(x, code);
	}
	if (is(name, len, "__print_flags")) {
		code.op = EXPR_FLAGS;
		if (expr_parse(x) != EXPR_NUMBER || !expr_take(x, ',') ||
		    !expr_string(x, &between, &n) || n > SYMBOL_LEN_MAX || !expr_take(x, ',') ||
		    !take_table(x, &code.to))
			return EXPR_BAD;
		symbols_in_order(&((struct parse *)x->ctx)->program->tables.at[code.to]);
		code.text = between;
		code.len = (uint32_t)n;
		return writes(x, code);
	}
	if (is(name, len, "__print_hex_str"))
		code.op = EXPR_HEX_STR;
	else if (!is(name, len, "__print_hex"))
		return EXPR_BAD; /* the output of __print_array() depends on libtraceevent's
				  * version */
	if (!take_bytes(x, &code.field) || expr_operand(x) != EXPR_NUMBER || !expr_take(x, ')'))
		return EXPR_BAD;
	return writes(x, code);
}

static enum expr_kind named(struct expr *x, const char *name, size_t len)
{
	struct expr_code code = { .op = EXPR_FIELD };
	const struct cdict_field *f;
	enum expr_kind kind;

	if (!is(name, len, "REC")) {
		kind = expr_take(x, '(') ? call(x, name, len) : EXPR_BAD;
		x->loosest = 0;
		x->atom = false;
		return kind;
	}
	f = take_member(x, &code.field);
	if (!f || !f->size)
		return EXPR_BAD;
	if (f->kind <= CDICT_FIELD_INT) {
		code.bits = (uint8_t)(8 * f->size);
		return expr_push(x, code) ? EXPR_NUMBER : EXPR_BAD;
	}
	code.op = EXPR_STRING;
	return f->kind == CDICT_FIELD_BYTES && expr_emit(x, code) ? EXPR_WRITES : EXPR_BAD;
}

/* ---- the text ---------------------------------------------------------------------- */

static bool read_int(const char **at, const char *end, int *out)
{
	for (*out = 0; *at < end && **at >= '0' && **at <= '9'; ++*at) {
		*out = *out * 10 + (**at - '0');
		if (*out > WIDTH_MAX)
			return false;
	}
	return true;
}

/* Flags, width, precision and length, up to the letter of the conversion. */
static bool read_spec(const char **at, const char *end, struct print_spec *s)
{
	*s = (struct print_spec){ .bits = 32, .base = 10, .precision = -1 };
	for (; *at < end && strchr("-0#", **at); ++*at) {
		s->left |= **at == '-';
		s->zeros |= **at == '0';
		s->prefix |= **at == '#';
	}
	if (!read_int(at, end, &s->width))
		return false;
	if (*at < end && **at == '.') {
		++*at;
		if (!read_int(at, end, &s->precision))
			return false;
	}
	if (end - *at >= 2 && ((*at)[0] == 'h' || (*at)[0] == 'l') && (*at)[0] == (*at)[1]) {
		s->bits = (*at)[0] == 'h' ? 8 : 64;
		*at += 2;
	} else if (*at < end && strchr("hlL", **at)) {
		s->bits = **at == 'h' ? 16 : 64;
		++*at;
	}
	s->zeros &= !s->left && s->precision < 0;
	return *at < end;
}

static bool next_argument(struct expr *x, enum expr_kind want)
{
	x->stack = 0;
	return expr_take(x, ',') && expr_parse(x) == want;
}

/* The conversion after a '%'. */
static bool conversion(struct expr *x, const char **at, const char *end, struct print_op *op)
{
	const char *start = *at;
	const struct expr_code *code;
	char letter;

	if (!read_spec(at, end, &op->spec) || *at - start > SPEC_LEN_MAX)
		return false;
	op->code = (uint32_t)x->code.n;
	x->joint = x->code.n;
	letter = *(*at)++;
	op->how = PRINT_NUMBER;
	switch (letter) {
	case 'd':
	case 'i':
		op->spec.negative = true;
		break;
	case 'u':
		break;
	case 'X':
	case 'x':
		op->spec.base = 16;
		op->spec.capitals = letter == 'X';
		break;
	case 'o':
		op->spec.base = 8;
		if (op->spec.prefix)
			return false;
		break;
	case 'p':
		op->how = PRINT_POINTER;
		if (*at < end && strchr("MmIiUh", **at))
			return false;
		if (*at < end && strchr("FfSs", **at)) {
			op->spec.from_start = **at == 'F' || **at == 'S';
			++*at;
			op->how = PRINT_ADDRESS;
		}
		break;
	case 's':
		op->how = PRINT_TEXT;
		if (op->spec.bits != 32 || op->spec.zeros || op->spec.prefix)
			return false;
		break;
	default: /* libtraceevent prints its letter, the kernel converts */
		return false;
	}
	if (!next_argument(x, op->how == PRINT_TEXT ? EXPR_WRITES : EXPR_NUMBER))
		return false;
	op->to = (uint32_t)x->code.n;
	code = &x->code.at[op->code];
	if (op->to != op->code + 1)
		return true;
	op->field = code->field;
	op->field_bits = code->op == EXPR_FIELD ? code->bits : 0;
	if (op->spec.width || op->spec.precision >= 0)
		return true;
	if (op->how == PRINT_NUMBER && op->spec.base == 10 && code->op == EXPR_FIELD)
		op->how = PRINT_DECIMAL;
	if (op->how == PRINT_TEXT && code->op == EXPR_STRING &&
	    ((struct parse *)x->ctx)->type->fields[code->field].kind == CDICT_FIELD_BYTES)
		op->how = PRINT_STRING;
	return true;
}

/* One piece: literal text, then a conversion or the end. */
static bool piece(struct expr *x, const char **at, const char *end, struct print_op *op)
{
	struct buf *texts = &((struct parse *)x->ctx)->program->texts;

	*op = (struct print_op){ .how = PRINT_LITERAL, .at = (uint32_t)texts->len };
	for (; *at < end; ++*at) {
		char c = **at;

		if (c == '%') {
			if (end - *at < 2)
				return false;
			if ((*at)[1] != '%')
				break;
			++*at;
		} else if (c == '\\') {
			if (++*at == end || **at == '%')
				return false;
			c = **at == 'n' ? '\n' : **at == 't' ? '\t' : **at == 'r' ? '\r' : **at;
		}
		buf_u8(texts, (uint8_t)c);
	}
	op->len = (uint32_t)texts->len - op->at;
	if (*at == end)
		return true;
	++*at;
	return conversion(x, at, end, op);
}

static bool parse(struct expr *x, struct print_program *program)
{
	static const uint8_t slack[16];
	const char *at, *end;
	size_t len;

	if (!expr_string(x, &at, &len) || len > FORMAT_LEN_MAX)
		return false;
	for (end = at + len; at < end;) {
		struct print_op op;

		if (!piece(x, &at, end, &op))
			return false;
		x->no_memory |= array_push(&program->ops, op) || program->texts.failed;
		if (x->no_memory)
			return false;
	}
	buf_add(&program->texts, slack, sizeof(slack)); /* copied by words */
	x->no_memory |= program->texts.failed;
	/* More arguments than conversions are accepted, if they can be parsed. */
	while (x->stack = 0, expr_take(x, ','))
		if (expr_parse(x) == EXPR_BAD)
			return false;
	return expr_at_end(x) && !x->no_memory;
}

void print_program_free(struct print_program *p)
{
	if (!p)
		return;
	array_fini(&p->ops);
	buf_fini(&p->texts);
	expr_fini(&p->x);
	for (size_t i = 0; i < p->tables.n; i++)
		symbols_fini(&p->tables.at[i]);
	array_fini(&p->tables);
	free(p->fields);
	free(p);
}

struct print_program *print_parse(const struct cdict_event_type *type, bool *no_memory)
{
	static const char mark[] = "\nprint fmt:";
	const char *text = memmem(type->format, type->format_len, mark, sizeof(mark) - 1);
	struct print_program *program = calloc(1, sizeof(*program));
	struct parse p = { .type = type, .program = program };
	bool ok;

	if (program)
		program->fields = calloc(type->n_fields / 64 + 1, sizeof(*program->fields));
	if (!program || !program->fields) {
		*no_memory = true;
		print_program_free(program);
		return NULL;
	}
	program->x = (struct expr){ .as_perf = true, .name = named, .ctx = &p };
	/* libtraceevent prints ftrace's own events by other rules. */
	if (text && strcmp(type->system, "ftrace")) {
		program->x.at = text + sizeof(mark) - 1;
		program->x.end = type->format + type->format_len;
	}
	ok = program->x.at && parse(&program->x, program);
	program->x.ctx = NULL;
	*no_memory |= program->x.no_memory;
	if (!ok) {
		print_program_free(program);
		return NULL;
	}
	if (p.may_fail) {
		free(program->fields);
		program->fields = NULL;
	}
	return program;
}
