// SPDX-License-Identifier: LGPL-2.1-only
/* run.c - runs a print format's operations on an event. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/printing/internal.h"
#include "base/sampled.h"
#include "base/text/decimal.h"

#define SECOND_NS UINT64_C(1000000000)
#define DIGITS_MAX 24 /* of a 64-bit number in any base */

/* ---- pieces of text ---------------------------------------------------------------- */

static char *in_base(uint64_t v, unsigned shift, bool capitals, char *end)
{
	const char *digits = capitals ? "0123456789ABCDEF" : "0123456789abcdef";

	do
		*--end = digits[v & ((1u << shift) - 1)];
	while (v >>= shift);
	return end;
}

/* Appends @n bytes of a text that is followed by 16 more readable bytes. */
static inline void add_padded(struct buf *out, const uint8_t *text, size_t n)
{
	uint8_t *p = buf_room(out, n + 16);

	if (!p)
		return;
	for (size_t i = 0; i < n; i += 16)
		memcpy(p + i, text + i, 16);
	out->len += n;
}

static void pad(struct buf *out, uint8_t c, size_t n)
{
	uint8_t *p = n ? buf_room(out, n) : NULL;

	if (!p)
		return;
	memset(p, c, n);
	out->len += n;
}

static uint64_t sign_extend(uint64_t v, unsigned bits)
{
	return (uint64_t)((int64_t)(v << (64 - bits)) >> (64 - bits));
}

/* Like printf(). */
static void number(struct buf *out, uint64_t v, const struct print_spec *s)
{
	char room[DIGITS_MAX], sign[2], *end = room + sizeof(room), *at = end;
	size_t n_sign = 0, n, zeros = 0, blanks;

	v = s->negative ? sign_extend(v, s->bits) : v & (UINT64_MAX >> (64 - s->bits));
	if (s->negative && (int64_t)v < 0) {
		sign[n_sign++] = '-';
		v = -v;
	}
	if (s->base == 10)
		at = decimal_before(v, end);
	else
		at = in_base(v, s->base == 16 ? 4 : 3, s->capitals, end);
	if (s->prefix && s->base == 16 && v) {
		sign[n_sign++] = '0';
		sign[n_sign++] = s->capitals ? 'X' : 'x';
	}
	n = v || s->precision ? (size_t)(end - at) : 0;
	if (s->precision > 0 && n < (size_t)s->precision)
		zeros = (size_t)s->precision - n;
	if (s->zeros && n + n_sign < (size_t)s->width)
		zeros = (size_t)s->width - n - n_sign;
	blanks = n + n_sign + zeros < (size_t)s->width ? (size_t)s->width - n - n_sign - zeros : 0;
	if (!s->left)
		pad(out, ' ', blanks);
	buf_add(out, sign, n_sign);
	pad(out, '0', zeros);
	buf_add(out, end - n, n);
	if (s->left)
		pad(out, ' ', blanks);
}

static void hex(struct buf *out, uint64_t v)
{
	char room[DIGITS_MAX], *end = room + sizeof(room), *at = in_base(v, 4, false, end);

	*--at = 'x';
	*--at = '0';
	buf_add(out, at, (size_t)(end - at));
}

/* %s */
static void text(struct buf *out, const void *data, size_t n, const struct print_spec *s)
{
	if (s->precision >= 0 && n > (size_t)s->precision)
		n = (size_t)s->precision;
	if (!s->left && n < (size_t)s->width)
		pad(out, ' ', (size_t)s->width - n);
	buf_add(out, data, n);
	if (s->left && n < (size_t)s->width)
		pad(out, ' ', (size_t)s->width - n);
}

/* ---- fields ------------------------------------------------------------------------ */

static inline uint64_t scalar(const struct cdict_event *ev, uint16_t field, uint8_t bits)
{
	return ev->values[field] & (UINT64_MAX >> (64 - bits));
}

/* Removes the mark of a dynamic text without a NUL at its end (event.h); returns whether it has the
 * NUL. */
static bool ends_in_nul(struct cdict_bytes *b)
{
	if (b->len < 2 || b->data[b->len - 2] || b->data[b->len - 1] != 1)
		return true;
	b->len -= 2;
	return false;
}

/* A field's bytes as recorded, and their number; false when there were more than a location can
 * hold. */
static bool bytes_of(const struct cdict_event *ev, uint16_t field, struct cdict_bytes *b,
		     size_t *size)
{
	const struct cdict_field *f = &ev->type->fields[field];

	*b = cdict_event_bytes(ev, field);
	*size = f->size;
	if (f->kind == CDICT_FIELD_BYTES) {
		b->len = b->len < f->size ? b->len : f->size;
		return true;
	}
	*size = f->is_text && ends_in_nul(b) ? b->len + 1 : b->len;
	return *size < UINT16_MAX;
}

/* A field's text up to the first NUL; false when perf would also print what follows it in the
 * record. */
static bool string_of(const struct cdict_event *ev, uint16_t field, struct cdict_bytes *b)
{
	size_t size, n;

	if (!bytes_of(ev, field, b, &size))
		return false;
	n = text_len(b->data, b->len);
	if (n == size && ev->type->fields[field].kind != CDICT_FIELD_BYTES)
		return false;
	b->len = n;
	return true;
}

/* ---- code -------------------------------------------------------------------------- */

static void symbol(struct buf *out, const struct symbols *table, uint64_t v,
		   const struct print_spec *s)
{
	const struct symbol *hit = symbols_at(table, v);

	if (hit)
		text(out, hit->name, hit->len, s);
	else
		hex(out, v);
}

static void flags(struct buf *out, const struct symbols *table, uint64_t v,
		  const struct expr_code *c, const struct print_spec *s)
{
	bool any = false;

	for (size_t i = 0; i < table->all.n; i++) {
		const struct symbol *f = &table->all.at[i];
		bool negative = (int64_t)f->value < 0;

		if (!v && negative) {
			text(out, f->name, f->len, s);
			break;
		}
		if (negative || !f->value || (v & f->value) != f->value)
			continue;
		if (any)
			buf_add(out, c->text, c->len);
		text(out, f->name, f->len, s);
		any = true;
		v &= ~f->value;
	}
	if (!v)
		return;
	if (any)
		buf_add(out, c->text, c->len);
	hex(out, v);
}

/* @count bytes of the field; bytes at its end that are not stored are 0. */
static bool bytes(struct buf *out, const struct cdict_event *ev, const struct expr_code *c,
		  uint64_t count)
{
	int32_t n = (int32_t)count;
	struct cdict_bytes b;
	size_t size;

	if (!bytes_of(ev, c->field, &b, &size) || (n > 0 && (size_t)n > size))
		return false;
	for (int32_t i = 0; i < n; i++) {
		unsigned v = (size_t)i < b.len ? b.data[i] : 0;

		if (i && c->op == EXPR_HEX)
			buf_u8(out, ' ');
		buf_u8(out, (uint8_t) "0123456789abcdef"[v >> 4]);
		buf_u8(out, (uint8_t) "0123456789abcdef"[v & 15]);
	}
	return true;
}

struct running {
	const struct print_program *program;
	const struct print_op *op;
	const struct cdict_event *ev;
	struct buf *out;
};

/* Reads the event and writes text; false for what perf prints differently. */
static bool run_on_event(void *ctx, const struct expr_code *c, uint64_t **top)
{
	const struct running *r = ctx;
	const struct print_spec *spec = &r->op->spec;
	const struct symbols *tables = r->program->tables.at;
	struct cdict_bytes b;
	size_t size;

	switch (c->op) {
	case EXPR_FIELD:
		*++*top = scalar(r->ev, c->field, c->bits);
		return true;
	case EXPR_LEN:
		if (!bytes_of(r->ev, c->field, &b, &size))
			return false;
		*++*top = size;
		return true;
	case EXPR_TEXT:
		text(r->out, c->text, c->len, spec);
		return true;
	case EXPR_STRING:
		if (!string_of(r->ev, c->field, &b))
			return false;
		text(r->out, b.data, b.len, spec);
		return true;
	case EXPR_SYMBOL:
		symbol(r->out, &tables[c->to], *(*top)--, spec);
		return true;
	case EXPR_FLAGS:
		flags(r->out, &tables[c->to], *(*top)--, c, spec);
		return true;
	default:
		return bytes(r->out, r->ev, c, *(*top)--);
	}
}

/* Runs @op's code; its text goes to @out, a number to *@result. */
static bool run(const struct print_program *p, const struct print_op *op,
		const struct cdict_event *ev, struct buf *out, uint64_t *result)
{
	struct running r = { p, op, ev, out };

	return expr_run(p->x.code.at, op->code, op->to, 0, run_on_event, &r, result);
}

static inline void plain_decimal(struct buf *out, const struct cdict_event *ev,
				 const struct print_op *op)
{
	char room[DIGITS_MAX], *end = room + sizeof(room), *at;
	uint64_t v = scalar(ev, op->field, op->field_bits);
	bool negative = false;

	if (op->spec.negative) {
		v = sign_extend(v, op->spec.bits);
		negative = (int64_t)v < 0;
		v = negative ? -v : v;
	} else {
		v &= UINT64_MAX >> (64 - op->spec.bits);
	}
	at = decimal_before(v, end);
	if (negative)
		*--at = '-';
	buf_add(out, at, (size_t)(end - at));
}

/* %ps, %pS */
static void address(struct buf *out, const struct kernel_functions *symbols, uint64_t v,
		    const struct print_spec *s)
{
	const struct kernel_function *hit = kernel_functions_find(symbols, v);

	if (!hit) {
		hex(out, v);
		return;
	}
	buf_add(out, hit->name, hit->len);
	if (s->from_start) {
		buf_u8(out, '+');
		hex(out, v - hit->address);
	}
}

/* Whether the event of an I/O trace lacks the field, of which the text from @from was printed. */
static bool lacks(const struct cdict_event *ev, const struct print_op *op, const struct buf *out,
		  size_t from)
{
	return op->how == PRINT_DECIMAL
		       ? op->spec.bits == 64 && (int64_t)ev->values[op->field] == INT64_MIN
		       : op->how == PRINT_TEXT && out->len == from;
}

static bool print(const struct print_program *p, const struct kernel_functions *symbols,
		  bool sparse, const struct cdict_event *ev, struct buf *out)
{
	for (size_t i = 0; i < p->ops.n; i++) {
		const struct print_op *op = &p->ops.at[i];
		struct cdict_bytes b;
		uint64_t v = 0;
		size_t before = out->len;

		add_padded(out, p->texts.data + op->at, op->len);
		switch (op->how) {
		case PRINT_LITERAL:
			break;
		case PRINT_DECIMAL:
			plain_decimal(out, ev, op);
			break;
		case PRINT_STRING:
			b = cdict_event_bytes(ev, op->field);
			buf_add(out, b.data, text_len(b.data, b.len));
			break;
		default:
			if (op->how == PRINT_NUMBER && op->field_bits)
				v = scalar(ev, op->field, op->field_bits);
			else if (!run(p, op, ev, out, &v))
				return false;
			if (op->how == PRINT_NUMBER)
				number(out, v, &op->spec);
			else if (op->how == PRINT_POINTER && !v)
				buf_add(out, "(nil)", 5);
			else if (op->how == PRINT_ADDRESS)
				address(out, symbols, v, &op->spec);
			else if (op->how != PRINT_TEXT)
				hex(out, v);
		}
		if (sparse && lacks(ev, op, out, before + op->len))
			out->len = before;
	}
	return true;
}

/* ---- printer ----------------------------------------------------------------------- */

/* As perf's: without a system for samples. */
static const char *printed_name(const struct cdict_event_type *type)
{
	return sampled_is(type) ? type->event : type->name;
}

struct printer *printer_new(const struct cdict_schema *schema)
{
	struct printer *p = calloc(1, sizeof(*p));
	size_t n = cdict_schema_count(schema), width = 0;
	bool no_memory = false;

	if (!p)
		return NULL;
	p->schema = schema;
	p->second = UINT64_MAX;
	p->programs = calloc(n + 1, sizeof(struct print_program *));
	for (size_t i = 0; p->programs && i < n; i++) {
		size_t len = strlen(printed_name(cdict_schema_at(schema, i)));

		p->programs[i] = print_parse(cdict_schema_at(schema, i), &no_memory);
		width = len > width ? len : width;
	}
	/* " name: ", right-aligned */
	p->name_len = width + 3;
	for (size_t i = 0; i < n; i++) {
		const char *name = printed_name(cdict_schema_at(schema, i));

		pad(&p->names, ' ', width + 1 - strlen(name));
		buf_add(&p->names, name, strlen(name));
		buf_add(&p->names, ": ", 2);
	}
	pad(&p->names, 0, 16); /* it is copied by words */
	if (!p->programs || no_memory || p->names.failed) {
		printer_free(p);
		return NULL;
	}
	return p;
}

void printer_free(struct printer *p)
{
	if (!p)
		return;
	for (size_t i = 0; p->programs && i < cdict_schema_count(p->schema); i++)
		print_program_free(p->programs[i]);
	free(p->programs);
	kernel_functions_fini(&p->symbols);
	buf_fini(&p->names);
	free(p);
}

int printer_symbols(struct printer *p, const char *symbols)
{
	return symbols ? kernel_functions_read(&p->symbols, symbols) : 0;
}

void printer_source(struct printer *p, const char *source)
{
	p->sparse = source && !strcmp(source, "pfw");
}

bool printer_knows(const struct printer *p, size_t index)
{
	return p->programs[index];
}

const uint64_t *printer_fields(const struct printer *p, size_t index)
{
	return p->programs[index] ? p->programs[index]->fields : NULL;
}

/* "  544.833380363:", with the digits of the seconds kept from the line before. */
static void stamp(struct printer *p, uint64_t t_ns, struct buf *out)
{
	static const struct print_spec seconds = {
		.bits = 64, .base = 10, .precision = -1, .width = 5
	};
	uint64_t second = t_ns / SECOND_NS;
	uint32_t ns = (uint32_t)(t_ns - second * SECOND_NS), high;
	char *at = (char *)buf_room(out, 2 * sizeof(p->digits));

	if (!at)
		return;
	if (second != p->second) {
		struct buf digits = { (uint8_t *)at, 0, sizeof(p->digits), false };

		number(&digits, second, &seconds);
		p->second = second;
		p->n_digits = (unsigned)digits.len;
		memcpy(p->digits, at, digits.len);
	}
	memcpy(at, p->digits, sizeof(p->digits));
	at += p->n_digits;
	*at++ = '.';
	high = ns / 1000000;
	*at++ = (char)('0' + high / 100);
	memcpy(at, decimal_pairs + 2 * (high % 100), 2);
	ns -= high * 1000000;
	memcpy(at + 2, decimal_pairs + 2 * (ns / 10000), 2);
	memcpy(at + 4, decimal_pairs + 2 * (ns / 100 % 100), 2);
	memcpy(at + 6, decimal_pairs + 2 * (ns % 100), 2);
	at[8] = ':';
	out->len += p->n_digits + 11;
}

/* " 4711 [003] " */
static void put_task(const struct cdict_event *ev, struct buf *out)
{
	static const struct print_spec tid = {
		.bits = 32, .base = 10, .negative = true, .precision = -1, .width = 5
	};
	static const struct print_spec cpu = {
		.bits = 32, .base = 10, .negative = true, .precision = -1, .width = 3, .zeros = true
	};
	uint8_t *at = buf_room(out, 12);
	char digits[DIGITS_MAX], *end = digits + sizeof(digits);

	if (!at)
		return;
	/* the common case */
	if (ev->tid >= 0 && ev->tid < 100000 && ev->cpu < 1000) {
		memset(end - 5, ' ', 5);
		decimal_before((uint32_t)ev->tid, end);
		memcpy(at, end - 5, 5);
		memcpy(at + 5, " [", 2);
		at[7] = (uint8_t)('0' + ev->cpu / 100);
		memcpy(at + 8, decimal_pairs + 2 * (ev->cpu % 100), 2);
		memcpy(at + 10, "] ", 2);
		out->len += 12;
		return;
	}
	number(out, (uint32_t)ev->tid, &tid);
	buf_add(out, " [", 2);
	number(out, ev->cpu, &cpu);
	buf_add(out, "] ", 2);
}

void printer_name(struct printer *p, const struct cdict_event *ev, struct buf *out)
{
	add_padded(out, p->names.data + p->name_len * ev->type->index, p->name_len);
}

void printer_head(struct printer *p, const struct cdict_event *ev, struct buf *out)
{
	put_task(ev, out);
	stamp(p, ev->t_ns, out);
	printer_name(p, ev, out);
}

bool printer_text(struct printer *p, const struct cdict_event *ev, struct buf *out)
{
	const struct print_program *program = p->programs[ev->type->index];
	size_t len = out->len;

	if (program && print(program, &p->symbols, p->sparse, ev, out))
		return true;
	out->len = len;
	return false;
}

void printer_plain(const struct cdict_event *ev, struct buf *out)
{
	for (size_t i = 0; i < ev->type->n_fields; i++) {
		const struct cdict_field *f = &ev->type->fields[i];

		if (!strncmp(f->name, "common_", 7))
			continue;
		if (f->kind == CDICT_FIELD_INT) {
			buf_printf(out, " %s=%" PRId64, f->name, (int64_t)ev->values[i]);
		} else if (f->kind == CDICT_FIELD_UINT) {
			buf_printf(out, " %s=%" PRIu64, f->name, ev->values[i]);
		} else {
			struct cdict_bytes b = cdict_event_bytes(ev, i);

			buf_printf(out, " %s=%.*s", f->name, f->is_text ? (int)b.len : 0,
				   (const char *)b.data);
		}
	}
}
