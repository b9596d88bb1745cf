// SPDX-License-Identifier: LGPL-2.1-only
/* marker_filter.c - see marker_filter.h. */
#include "analyze/printing/marker_filter.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/printing/expr.h"
#include "base/fail.h"
#include "base/text/suggest.h"
#include "cdict/error.h"

/* Properties of every sample; in code they are numbered after the event's fields. */
enum sample { SAMPLE_TID, SAMPLE_PID, SAMPLE_CPU, SAMPLE_COMM, SAMPLE_N };
static const char *const samples[SAMPLE_N] = { "tid", "pid", "cpu", "comm" };

enum text_op { TEXT_IS, TEXT_IS_NOT, TEXT_LIKE };

struct marker_filter {
	const struct cdict_event_type *type;
	struct expr
		x; /* EXPR_STRING pushes the result of comparing (code.bits: text_op) the field with
		    * code.text */
	uint64_t *fields;
	size_t n_words;
	bool comm;
	const char *unknown; /* an unknown name, in the text */
	size_t n_unknown;
};

/* ---- parsing ---- */

static int find_field(const struct marker_filter *f, const char *name, size_t len)
{
	for (size_t i = 0; i < f->type->n_fields; i++)
		if (strlen(f->type->fields[i].name) == len &&
		    !memcmp(f->type->fields[i].name, name, len))
			return (int)i;
	for (int i = 0; i < SAMPLE_N; i++)
		if (strlen(samples[i]) == len && !memcmp(samples[i], name, len))
			return (int)f->type->n_fields + i;
	return -1;
}

/* "== \"text\"", or a word without quotes, as in the kernel's filters. */
static bool text_operand(struct expr *x, struct expr_code *code)
{
	size_t len;

	if (expr_take(x, '~'))
		code->bits = TEXT_LIKE;
	else if (expr_take(x, '!'))
		code->bits = TEXT_IS_NOT;
	else if (expr_take(x, '='))
		code->bits = TEXT_IS;
	else
		return false;
	if (code->bits != TEXT_LIKE && (x->at == x->end || *x->at++ != '='))
		return false;
	if (!expr_at_end(x) && *x->at == '"') {
		if (!expr_string(x, &code->text, &len))
			return false;
	} else {
		len = expr_name(x, &code->text);
		if (!len)
			return false;
	}
	code->len = (uint32_t)len;
	return len <= UINT32_MAX;
}

static enum expr_kind name(struct expr *x, const char *name, size_t len)
{
	struct marker_filter *f = x->ctx;
	struct expr_code code = { .op = EXPR_FIELD };
	int at = find_field(f, name, len);
	bool field, text;

	if (at < 0 || at > UINT16_MAX) {
		f->unknown = name;
		f->n_unknown = len;
		return EXPR_BAD;
	}
	field = (size_t)at < f->type->n_fields;
	text = field ? f->type->fields[at].kind > CDICT_FIELD_INT
		     : (size_t)at == f->type->n_fields + SAMPLE_COMM;
	code.field = (uint16_t)at;
	if (field)
		f->fields[at / 64] |= UINT64_C(1) << at % 64;
	else
		f->comm |= text;
	if (text) {
		code.op = EXPR_STRING;
		if (!text_operand(x, &code))
			return EXPR_BAD;
	}
	x->loosest = 0;
	return expr_push(x, code) ? EXPR_NUMBER : EXPR_BAD;
}

static int refuse(struct marker_filter *f, const char *text, size_t len, struct cdict_error *err)
{
	struct suggest like;

	if (f->x.no_memory)
		return cdict_fail_nomem(err);
	if (!f->unknown)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "'%.*s' is not a condition such as id==228 && comm==\"bench\"",
				  (int)(len < 100 ? len : 100), text);
	suggest_begin(&like, f->unknown, f->n_unknown);
	for (size_t i = 0; i < f->type->n_fields; i++)
		suggest_try(&like, f->type->fields[i].name);
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "%s has no field '%.*s'%s",
			  f->type->name, (int)(f->n_unknown < 100 ? f->n_unknown : 100), f->unknown,
			  suggest_text(&like, ""));
}

int marker_filter_new(struct marker_filter **out, const struct cdict_event_type *type,
		      const char *text, size_t len, struct cdict_error *err)
{
	struct marker_filter *f = calloc(1, sizeof(*f));
	int ret = 0;

	*out = NULL;
	if (!f)
		return cdict_fail_nomem(err);
	f->type = type;
	f->n_words = type->n_fields / 64 + 1;
	f->fields = calloc(f->n_words, sizeof(*f->fields));
	if (!f->fields)
		ret = cdict_fail_nomem(err);
	if (!ret && text) {
		f->x.at = text;
		f->x.end = text + len;
		f->x.name = name;
		f->x.ctx = f;
		if (expr_parse(&f->x) != EXPR_NUMBER || !expr_at_end(&f->x))
			ret = refuse(f, text, len, err);
	}
	if (ret)
		marker_filter_free(f);
	else
		*out = f;
	return ret;
}

void marker_filter_free(struct marker_filter *f)
{
	if (!f)
		return;
	expr_fini(&f->x);
	free(f->fields);
	free(f);
}

bool marker_filter_asks_comm(const struct marker_filter *f)
{
	return f->comm;
}

const uint64_t *marker_filter_fields(const struct marker_filter *f)
{
	return f->fields;
}

void marker_filter_share(struct marker_filter *a, struct marker_filter *b)
{
	for (size_t i = 0; i < a->n_words; i++) {
		a->fields[i] |= b->fields[i];
		b->fields[i] = a->fields[i];
	}
}

/* ---- evaluation ---- */

/* Whether all of @text matches @like, where * is any text and ? any byte. */
static bool is_like(const uint8_t *text, size_t n, const char *like, size_t n_like)
{
	size_t t = 0, l = 0, star = SIZE_MAX, from = 0;

	while (t < n) {
		if (l < n_like && like[l] == '*') {
			star = l++;
			from = t;
		} else if (l < n_like && (like[l] == '?' || (uint8_t)like[l] == text[t])) {
			l++;
			t++;
		} else if (star != SIZE_MAX) {
			l = star + 1;
			t = ++from;
		} else {
			return false;
		}
	}
	while (l < n_like && like[l] == '*')
		l++;
	return l == n_like;
}

static bool compare(const struct marker_filter *f, const struct expr_code *c,
		    const struct cdict_event *ev, const char *comm)
{
	struct cdict_bytes b = { .data = (const uint8_t *)comm, .len = comm ? strlen(comm) : 0 };
	bool is;

	if (c->field < f->type->n_fields) {
		b = cdict_event_bytes(ev, c->field);
		b.len = text_len(b.data, b.len);
	} else if (!comm) {
		return c->bits == TEXT_IS_NOT;
	}
	if (c->bits == TEXT_LIKE)
		return is_like(b.data, b.len, c->text, c->len);
	is = b.len == c->len && (!b.len || !memcmp(b.data, c->text, b.len));
	return is == (c->bits == TEXT_IS);
}

static uint64_t number(const struct marker_filter *f, size_t field, const struct cdict_event *ev)
{
	if (field < f->type->n_fields)
		return ev->values[field];
	switch ((enum sample)(field - f->type->n_fields)) {
	case SAMPLE_TID:
		return (uint64_t)(int64_t)ev->tid;
	case SAMPLE_PID:
		return (uint64_t)(int64_t)ev->pid;
	default:
		return ev->cpu;
	}
}

struct testing {
	const struct marker_filter *filter;
	const struct cdict_event *ev;
	const char *comm;
};

static bool test_event(void *ctx, const struct expr_code *c, uint64_t **top)
{
	const struct testing *t = ctx;

	*++*top = c->op == EXPR_STRING ? compare(t->filter, c, t->ev, t->comm)
				       : number(t->filter, c->field, t->ev);
	return true;
}

bool marker_filter_passes(const struct marker_filter *f, const struct cdict_event *ev,
			  const char *comm)
{
	struct testing t = { f, ev, comm };
	uint64_t passes;

	/* signed, so that ret < 0 works */
	return expr_run(f->x.code.at, 0, (uint32_t)f->x.code.n, EXPR_SIGNED, test_event, &t,
			&passes) &&
	       passes;
}
