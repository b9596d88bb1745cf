/* SPDX-License-Identifier: LGPL-2.1-only */
/* The events of an open block, field by field. Every number in it is untrusted. */
#include "format/coding/decode_internal.h"
#include "format/shapes.h"

/* Undoes the numbers of columns.c: symbol and bits -> number. */
static inline bool take_number(struct reading *r, uint8_t sym, uint64_t *out)
{
	unsigned b, shift;
	const uint8_t *p;
	uint64_t v;

	if (sym < 2) {
		*out = sym;
		return true;
	}
	b = sym / 2u - 1;
	if (b > r->bit_end - r->bit)
		return false;
	p = r->bits + (r->bit >> 3);
	shift = r->bit & 7;
	v = le64(p) >> shift;
	if (shift + b > 64)
		v |= (uint64_t)p[8] << (64 - shift);
	v &= (1ull << b) - 1; /* b is at most 62 */
	r->bit += b;
	*out = (2ull | (sym & 1)) << b | v;
	return true;
}

/* The next symbol of a numeric column: 0 as predicted, 1 and a number, or -1. */
static inline __attribute__((always_inline)) int take_symbol(struct reading *r, uint64_t *number)
{
	uint8_t sym;

	if (r->symbols.at == r->symbols.end)
		return -1;
	sym = *r->symbols.at++;
	if (sym == FORMAT_SYM_HIT)
		return 0;
	return sym < FORMAT_SYM_HIT && take_number(r, sym, number) ? 1 : -1;
}

/* The same for a column whose symbols are the numbers, or indexes into a table of them. */
static int take_code(struct reading *r, uint64_t *number)
{
	uint64_t sym;

	if (!decode_varint(&r->symbols, &sym))
		return -1;
	if (r->coding == FORMAT_C_DICT) {
		if (!sym)
			return 0;
		if (sym > r->n_dict)
			return -1;
		*number = r->dict[sym - 1];
		return 1;
	}
	if (r->dense && !sym--)
		return 0;
	*number = sym;
	return 1;
}

/* The column's entry for event @at: 0 as predicted, 1 and a number, or -1. */
static inline int take_miss(struct reading *r, uint32_t at, uint64_t *number)
{
	if (!r->dense) {
		if (r->next != at)
			return 0;
		decode_next_miss(r);
	}
	return r->coding <= FORMAT_C_RAW ? take_symbol(r, number) : take_code(r, number);
}

/* Whether the column has no entry for event @at. */
static inline bool skipped(const struct reading *r, uint32_t at)
{
	return !r->dense && r->next != at;
}

/* @kind is f->model.kind, passed separately so that it is a compile-time constant. */
static inline __attribute__((always_inline)) bool take_task(struct format_decoder *dec,
							    const struct format_field *f,
							    unsigned kind, struct reading *r,
							    uint32_t at, uint64_t *row, uint32_t i)
{
	struct state *st = &dec->st;
	uint64_t code = 0;
	uint32_t task;
	int ret = take_miss(r, at, &code);

	if (!ret) {
		task = state_predict_task(st, f, kind, row);
	} else if (ret < 0 || r->coding != FORMAT_C_CODE) {
		return false;
	} else if (kind == FORMAT_NEXT || kind == FORMAT_WAKEE) {
		task = code < STATE_RANKS - 1 ? state_ranks(st, f, kind, row)[code + 1]
					      : (uint32_t)(code - (STATE_RANKS - 1));
	} else {
		task = (uint32_t)code;
	}
	if (code > UINT32_MAX || task >= st->n_tasks)
		return false;
	row[i] = task;
	return true;
}

static inline __attribute__((always_inline)) bool
take_value(struct format_decoder *dec, const struct format_field *f, unsigned kind,
	   struct reading *r, uint32_t at, const uint64_t *row, uint64_t *out)
{
	uint64_t v;
	int ret = take_miss(r, at, &v);

	if (ret < 0)
		return false;
	if (f->kind > CDICT_FIELD_INT) {
		*out = ret ? v : state_predict(&dec->st, f, kind, row);
		return (!ret || r->coding == FORMAT_C_CODE) && *out < dec->n_bytes;
	}
	if (!ret)
		v = state_predict(&dec->st, f, kind, row);
	else if (r->coding == FORMAT_C_SIGNED)
		v = state_predict(&dec->st, f, kind, row) + ((v >> 1) ^ (0 - (v & 1)));
	else if (r->coding == FORMAT_C_DELTA)
		v += state_predict(&dec->st, f, kind, row);
	*out = v;
	return true;
}

/* A field without an entry in its column: it is as predicted, which mostly changes no
 * state. False when it needs the slow path. */
static inline __attribute__((always_inline)) bool take_predicted(struct format_decoder *dec,
								 const struct format_field *f,
								 unsigned path, uint64_t *row)
{
	const struct state *st = &dec->st;
	uint64_t v;

	switch (path) {
	case FORMAT_PATH_SAMETASK:
	case FORMAT_PATH_CURRENT:
	case FORMAT_PATH_WOKEN:
		v = path == FORMAT_PATH_CURRENT ? st->current
		    : path == FORMAT_PATH_WOKEN ? st->woken
						: row[f->model.who];
		row[f->index] = v;
		v = (uint64_t)(int64_t)st->tids[v];
		dec->values[f->value] = f->kind == CDICT_FIELD_UINT ? (uint32_t)v : v;
		return true;
	case FORMAT_PATH_CELL:
	case FORMAT_PATH_UCELL:
	case FORMAT_PATH_WIDE:
	case FORMAT_PATH_COMM:
		v = st->cells[row[f->model.who] * st->n_cells + f->model.cell];
		if (v == STATE_UNSET || (path == FORMAT_PATH_COMM && v >= dec->n_bytes))
			return false;
		row[f->index] = dec->values[f->value] = v;
		return true;
	case FORMAT_PATH_HEAD:
	case FORMAT_PATH_HEAD_REST:
		row[f->index] = dec->values[f->value] = *state_follow(st, f);
		return true;
	}
	return false;
}

static inline __attribute__((always_inline)) bool take_kind(struct format_decoder *dec,
							    const struct format_field *f,
							    unsigned kind, struct reading *r,
							    uint32_t at, uint64_t *row)
{
	struct state *st = &dec->st;
	uint32_t i = f->index;

	if (!format_model_is_task(kind)) {
		if (!take_value(dec, f, kind, r, at, row, &row[i]))
			return false;
		state_update(st, f, kind, row, row[i]);
		dec->values[f->value] = row[i];
		return true;
	}
	if (!take_task(dec, f, kind, r, at, row, i))
		return false;
	state_update_task(st, f, kind, row, (uint32_t)row[i]);
	dec->values[f->value] = (uint64_t)(int64_t)st->tids[row[i]];
	if (f->kind == CDICT_FIELD_UINT)
		dec->values[f->value] &= ~0ull >> (64 - 8 * f->size);
	return true;
}

/* take_kind() of a scalar predicted by its context, which is looked up once. */
static inline __attribute__((always_inline)) bool take_context(struct format_decoder *dec,
							       const struct format_field *f,
							       struct reading *r, uint32_t at,
							       uint64_t *row)
{
	struct state_context c = state_context(&dec->st, f, row);
	uint64_t v = *c.follower, number;

	if (!skipped(r, at)) {
		int ret = take_miss(r, at, &number);

		if (ret < 0)
			return false;
		if (ret && r->coding == FORMAT_C_SIGNED)
			v += (number >> 1) ^ (0 - (number & 1));
		else if (ret && r->coding == FORMAT_C_DELTA)
			v += number;
		else if (ret)
			v = number;
		*c.follower = v;
	}
	*c.last = v;
	row[f->index] = dec->values[f->value] = v;
	return true;
}

static bool take_field(struct format_decoder *dec, const struct format_field *f, struct reading *r,
		       uint32_t at, uint64_t *row)
{
	return take_kind(dec, f, f->model.kind, r, at, row);
}

/* One recorded field; @path is f->path, passed separately so that it is a compile-time constant. */
static inline __attribute__((always_inline)) bool take_step(struct format_decoder *dec,
							    const struct format_field *f,
							    unsigned path, struct reading *r,
							    uint32_t at, uint64_t *row)
{
	if (path == FORMAT_PATH_CONTEXT)
		return take_context(dec, f, r, at, row);
	if (skipped(r, at) && take_predicted(dec, f, path, row))
		return true;
	switch (path) {
	case FORMAT_PATH_NEXT:
		return take_kind(dec, f, FORMAT_NEXT, r, at, row);
	case FORMAT_PATH_WAKEE:
		return take_kind(dec, f, FORMAT_WAKEE, r, at, row);
	case FORMAT_PATH_ELAPSED:
		return take_kind(dec, f, FORMAT_ELAPSED, r, at, row);
	case FORMAT_PATH_WIDE:
		return take_kind(dec, f, FORMAT_CELL, r, at, row);
	}
	return take_field(dec, f, r, at, row);
}

static bool take_any(struct format_decoder *dec, const struct format_type *t, struct reading *r,
		     uint32_t at, uint64_t *row)
{
	for (uint32_t i = FORMAT_F_SAMPLE; i < t->n_coded; i++)
		if (!take_step(dec, &t->coded[i], t->coded[i].path, &r[i], at, row))
			return false;
	return true;
}

/* A page decodes only what its analyses read; the lists of whole events that it shows are short. */
#ifdef __wasm__
#define SHAPES(X) FORMAT_SHAPES_WANTED(X)
#else
#define SHAPES(X) FORMAT_SHAPES(X) FORMAT_SHAPES_WANTED(X)
#endif

#define X(name, ...)                                                                               \
	static bool take_##name(struct format_decoder *dec, const struct format_type *t,           \
				struct reading *r, uint32_t at, uint64_t *row)                     \
	{                                                                                          \
		static const uint8_t paths[] = { __VA_ARGS__ };                                    \
		const struct format_field *f = &t->coded[FORMAT_F_SAMPLE];                         \
                                                                                                   \
		r += FORMAT_F_SAMPLE;                                                              \
		_Pragma("GCC unroll 16") for (unsigned i = 0; i < sizeof(paths);                   \
					      i++) if (!take_step(dec, &f[i], paths[i], &r[i], at, \
								  row)) return false;              \
		return true;                                                                       \
	}
SHAPES(X)
#undef X

decode_fields_fn *decode_fields_of(const struct format_type *type)
{
	static const struct {
		uint8_t n, paths[FORMAT_SHAPE_STEPS];
		decode_fields_fn *fields;
	} shapes[] = {
#define X(name, ...) { sizeof((const uint8_t[]){ __VA_ARGS__ }), { __VA_ARGS__ }, take_##name },
		SHAPES(X)
#undef X
	};
	const struct format_field *f = &type->coded[FORMAT_F_SAMPLE];
	uint32_t n = type->n_coded - FORMAT_F_SAMPLE, k;

	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		for (k = 0; k < n && k < shapes[i].n && shapes[i].paths[k] == f[k].path; k++)
			;
		if (k == n && k == shapes[i].n)
			return shapes[i].fields;
	}
	return take_any;
}

/* The sample's own fields; mostly they are as predicted, which changes no state. */
static inline __attribute__((always_inline)) bool take_sample(struct format_decoder *dec,
							      const struct format_type *t,
							      struct reading *r, uint32_t at,
							      uint64_t *row)
{
	struct state *st = &dec->st;
	uint64_t pid;

	if (skipped(&r[FORMAT_F_TID], at)) {
		row[FORMAT_F_TID] = st->current;
		if (st->current >= st->n_tasks)
			return false;
	} else {
		if (!take_task(dec, &t->coded[FORMAT_F_TID], FORMAT_CURRENT, &r[FORMAT_F_TID], at,
			       row, FORMAT_F_TID))
			return false;
		st->current = (uint32_t)row[FORMAT_F_TID];
	}
	pid = st->cells[row[FORMAT_F_TID] * st->n_cells];
	if (skipped(&r[FORMAT_F_PID], at) && pid != STATE_UNSET) {
		row[FORMAT_F_PID] = pid;
	} else {
		if (!take_value(dec, &t->coded[FORMAT_F_PID], FORMAT_PROCESS, &r[FORMAT_F_PID], at,
				row, &row[FORMAT_F_PID]))
			return false;
		state_update(st, &t->coded[FORMAT_F_PID], FORMAT_PROCESS, row, row[FORMAT_F_PID]);
	}
	if (skipped(&r[FORMAT_F_MODE], at)) {
		row[FORMAT_F_MODE] = st->slots[0];
		return true;
	}
	if (!take_value(dec, &t->coded[FORMAT_F_MODE], FORMAT_LAST, &r[FORMAT_F_MODE], at, row,
			&row[FORMAT_F_MODE]))
		return false;
	st->slots[0] = row[FORMAT_F_MODE];
	return true;
}

int format_decoder_next(struct format_decoder *dec, struct cdict_event *ev, uint32_t *order,
			struct cdict_error *err)
{
	uint64_t row[FORMAT_F_SAMPLE + FORMAT_MAX_FIELDS], number;
	struct state *st = &dec->st;
	struct decode_kind *k;
	struct reading *r;
	uint32_t kind = 0, at;
	int ret;

	if (dec->n == dec->info.events)
		return 0;
	if (dec->n_used > FORMAT_PAIRED)
		kind = dec->kinds.at[dec->n];
	else if (dec->n_used > 1)
		kind = dec->kinds.at[dec->n / 2] >> (dec->n & 1 ? 4 : 0) & 15;
	if (kind >= dec->n_used)
		return decode_damaged(err, "an event has no type");
	if (dec->order_left-- == 0) {
		dec->order_now += (uint32_t)cursor_svarint(&dec->order);
		dec->order_left = dec->order.left ? (uint32_t)cursor_varint(&dec->order) - 1
						  : UINT32_MAX;
	}
	k = &dec->used[kind];
	r = k->columns;
	at = k->events++;

	if (r[FORMAT_F_TIME].dense && r[FORMAT_F_TIME].coding <= FORMAT_C_RAW)
		ret = take_symbol(&r[FORMAT_F_TIME], &number);
	else
		ret = take_miss(&r[FORMAT_F_TIME], at, &number);
	if (ret < 0 || (ret && number > dec->info.last_ns - st->t_ns))
		return decode_damaged(err, "the time of an event is outside the block");
	if (ret)
		st->t_ns += number;
	if (!take_sample(dec, k->type, r, at, row) || !k->fields(dec, k->type, r, at, row))
		goto bad;
	dec->n++;
	st->followed = kind < FORMAT_FOLLOWED ? kind : FORMAT_FOLLOWED;
	ev->t_ns = st->t_ns;
	ev->cpu = dec->info.cpu;
	ev->pid = (int32_t)row[FORMAT_F_PID];
	ev->tid = st->tids[row[FORMAT_F_TID]];
	ev->mode = (uint8_t)row[FORMAT_F_MODE];
	ev->type = k->pub;
	ev->values = dec->values;
	ev->bytes = dec->bytes;
	*order = dec->order_now;
	return 1;
bad:
	return decode_damaged(err, "a column is inconsistent");
}
