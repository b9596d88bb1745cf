/* SPDX-License-Identifier: LGPL-2.1-only */
/* Codes the fields of an event, one after the other, against their predictions. */
#include <string.h>

#include "format/coding/encode_internal.h"
#include "format/shapes.h"

static inline uint64_t load_scalar(const uint8_t *p, unsigned size, bool is_signed, bool big)
{
	switch (size) {
	case 1:
		return is_signed ? (uint64_t)(int64_t)(int8_t)*p : *p;
	case 2:
		return is_signed ? (uint64_t)(int64_t)(int16_t)load16(p, big) : load16(p, big);
	case 4:
		return is_signed ? (uint64_t)(int64_t)(int32_t)load32(p, big) : load32(p, big);
	default:
		return load64(p, big);
	}
}

uint64_t encode_scalar(const uint8_t *p, unsigned size, bool is_signed, bool big)
{
	return load_scalar(p, size, is_signed, big);
}

/* Offset of a dynamic field's bytes in the payload, and their number. */
static inline size_t dynamic_at(const struct format_field *f, const uint8_t *payload, bool big,
				size_t *len)
{
	uint32_t loc = load32(payload + f->offset, big);

	*len = loc >> 16;
	return (loc & 0xffff) + (f->kind == CDICT_FIELD_REL_LOC ? f->offset + f->len : 0);
}

/* The bytes of a field that is not a scalar, in a payload of @size bytes. */
static const uint8_t *field_bytes(const struct format_field *f, const uint8_t *payload, size_t size,
				  bool big, size_t *len)
{
	const uint8_t *p = payload + f->offset;

	if (f->rest) {
		*len = size - f->offset;
		if (f->is_text)
			*len = strnlen((const char *)p, *len);
		return p;
	}
	if (f->kind != CDICT_FIELD_BYTES)
		return payload + dynamic_at(f, payload, big, len);
	for (*len = f->len; *len && !p[*len - 1];)
		--*len;
	return p;
}

/* The form in which a dynamic string is stored: without its final NUL, like a fixed array,
 * so that both give a task the same name; a string that does not end in a NUL, or whose
 * stored form would be ambiguous, gets 0, 1 after it. */
static void text_form(struct format_encoder *enc, const uint8_t **data, size_t *len)
{
	const uint8_t *end = *data + *len;

	if (*len && !end[-1] && (*len < 3 || end[-2] != 1 || end[-3])) {
		--*len;
		return;
	}
	enc->odd.len = 0;
	buf_add(&enc->odd, *data, *len);
	buf_add(&enc->odd, "\0\1", 2);
	if (enc->odd.failed) {
		enc->failed = true;
		return;
	}
	*data = enc->odd.data;
	*len = enc->odd.len;
}

static inline bool same_bytes(const uint8_t *a, const uint8_t *b, size_t n)
{
	uint64_t x[2], y[2];

	if (n < 8 || n > 16)
		return !n || !memcmp(a, b, n);
	memcpy(&x[0], a, 8);
	memcpy(&y[0], b, 8);
	memcpy(&x[1], a + n - 8, 8);
	memcpy(&y[1], b + n - 8, 8);
	return x[0] == y[0] && x[1] == y[1];
}

bool encode_dynamic_fits(const struct format_type *t, const uint8_t *payload, size_t size, bool big)
{
	for (uint32_t i = t->dynamic_from; i < t->dynamic_to; i++) {
		size_t len, at;

		if (t->coded[i].kind <= CDICT_FIELD_BYTES)
			continue;
		at = dynamic_at(&t->coded[i], payload, big, &len);
		if (at + len > size)
			return false;
	}
	return true;
}

/* Codes a task that is not as predicted: a rank or an index. */
static uint32_t add_other_task(struct adding *a, const struct format_field *f, int32_t tid)
{
	struct format_encoder *enc = a->enc;
	struct state *st = &enc->st;
	uint32_t task = encode_task(enc, tid), code = task, rank;
	unsigned kind = f->model.kind;
	const uint32_t *ranks;

	if (task == STATE_NONE)
		return 0;
	if (a->type->digest.kind == DIGEST_SWITCH && f->index == a->type->digest.task)
		digest_note_prev(enc, task);
	if (kind == FORMAT_NEXT || kind == FORMAT_WAKEE) {
		ranks = state_ranks(st, f, kind, a->row);
		for (rank = 1; rank < STATE_RANKS && ranks[rank] != task; rank++)
			;
		code = rank < STATE_RANKS ? rank - 1 : task + STATE_RANKS - 1;
	}
	if (!column_miss(&a->type->columns[f->index], a->at, code, 0))
		enc->failed = true;
	return task;
}

/* Codes a task field: nothing when as predicted. @kind is f->model.kind. */
static inline __attribute__((always_inline)) uint32_t
add_task(struct adding *a, const struct format_field *f, unsigned kind, int32_t tid)
{
	struct state *st = &a->enc->st;
	uint32_t p = state_predict_task(st, f, kind, a->row);

	return p != STATE_NONE && st->tids[p] == tid ? p : add_other_task(a, f, tid);
}

uint32_t encode_add_task(struct adding *a, const struct format_field *f, int32_t tid)
{
	return add_task(a, f, f->model.kind, tid);
}

static void add_bytes(struct adding *a, const struct format_field *f)
{
	struct format_encoder *enc = a->enc;
	uint64_t p = state_predict(&enc->st, f, f->model.kind, a->row);
	const struct entry *e = &enc->entries[p < enc->n_entries ? p : 0];
	size_t len;
	const uint8_t *data = field_bytes(f, a->payload, a->size, enc->schema->big_endian, &len);

	if (f->text)
		text_form(enc, &data, &len);
	/* Without bytes there may be no text buffer yet. */
	if (p >= enc->n_entries || e->len != len ||
	    (len && !same_bytes(enc->text.data + e->at, data, len))) {
		p = encode_key(enc, data, len);
		if (!column_miss(&a->type->columns[f->index], a->at, p, 0))
			enc->failed = true;
	}
	a->row[f->index] = p;
	state_update(&enc->st, f, f->model.kind, a->row, p);
}

void encode_add_value(struct adding *a, const struct format_field *f, uint64_t v)
{
	uint64_t p = state_predict(&a->enc->st, f, f->model.kind, a->row);

	if (v != p && !column_miss(&a->type->columns[f->index], a->at, v, p))
		a->enc->failed = true;
	a->row[f->index] = v;
	state_update(&a->enc->st, f, f->model.kind, a->row, v);
}

/* Whether a comm is its task's last one, as it nearly always is. */
static inline __attribute__((always_inline)) bool comm_as_before(const struct format_encoder *enc,
								 const struct format_field *f,
								 const uint64_t *row,
								 const uint8_t *payload, bool big)
{
	const struct state *st = &enc->st;
	uint64_t key = st->cells[row[f->model.who] * st->n_cells + f->model.cell], words[2];
	const struct entry *e;
	uint32_t loc;

	if (key >= enc->n_entries)
		return false; /* STATE_UNSET */
	e = &enc->entries[key];
	if (f->kind == CDICT_FIELD_BYTES) {
		memcpy(words, payload + f->offset, sizeof(words));
		/* A string that ends in NULs differs from the array. */
		return words[0] == e->word[0] && words[1] == e->word[1] && e->is_word;
	}
	loc = load32(payload + f->offset, big);
	payload += (loc & 0xffff) + (f->kind == CDICT_FIELD_REL_LOC ? f->offset + f->len : 0);
	if (!e->len) /* enc->text may have no room at all */
		return f->text ? loc >> 16 == 1 && !*payload : !(loc >> 16);
	if (!f->text)
		return loc >> 16 == e->len && same_bytes(enc->text.data + e->at, payload, e->len);
	/* A stored string that ends in 0, 1 is a different one (text_form()). */
	return loc >> 16 == e->len + 1 && e->len >= 2 && !payload[e->len] && payload[e->len - 1] &&
	       (payload[e->len - 1] != 1 || payload[e->len - 2]) &&
	       same_bytes(enc->text.data + e->at, payload, e->len);
}

/* Codes a field that is not as predicted, or that has no fast path. */
static void add_field(struct adding *a, const struct format_field *f)
{
	bool big = a->enc->schema->big_endian;
	uint64_t v;

	if (f->kind > CDICT_FIELD_INT) {
		add_bytes(a, f);
		return;
	}
	v = load_scalar(a->payload + f->offset, f->size, f->kind == CDICT_FIELD_INT, big);
	if (!format_model_is_task(f->model.kind)) {
		encode_add_value(a, f, v);
		return;
	}
	a->row[f->index] = encode_add_task(a, f, (int32_t)v);
	state_update_task(&a->enc->st, f, f->model.kind, a->row, (uint32_t)a->row[f->index]);
}

/* Codes the three fields in the payload's first four bytes, which differ from the type's last
 * event. */
static void add_head(struct adding *a, const struct format_field *f, uint32_t head)
{
	a->type->heads[a->enc->st.followed] = head;
	for (int i = 0; i < 3; i++, f++) {
		uint64_t v = load_scalar(a->payload + f->offset, f->size,
					 f->kind == CDICT_FIELD_INT, a->enc->schema->big_endian);

		if (v != *state_follow(&a->enc->st, f))
			encode_add_value(a, f, v);
	}
}

/* Codes one recorded field. Mostly it is as predicted and changes nothing: that is tested
 * here. @path is f->path, passed separately so that it is a compile-time constant. */
static inline __attribute__((always_inline)) void
add_step(struct adding *a, const struct format_field *f, unsigned path, bool big)
{
	const uint8_t *p = a->payload + f->offset;
	struct format_encoder *enc = a->enc;
	struct state *st = &enc->st;
	uint64_t *row = a->row, v, predicted;
	struct cdict_digest_row *noted;
	struct state_context context;
	uint32_t task, head;

	switch (path) {
	case FORMAT_PATH_SAMETASK:
	case FORMAT_PATH_CURRENT:
	case FORMAT_PATH_WOKEN:
		task = path == FORMAT_PATH_CURRENT ? st->current
		       : path == FORMAT_PATH_WOKEN ? st->woken
						   : (uint32_t)row[f->model.who];
		row[f->index] = task;
		if ((int32_t)load32(p, big) == st->tids[task])
			return;
		/* perf gives -1 for a task that is exiting. */
		enc->foreign += path == FORMAT_PATH_SAMETASK && st->tids[task] >= 0;
		break;
	case FORMAT_PATH_NEXT:
	case FORMAT_PATH_WAKEE:
		task = add_task(a, f, path == FORMAT_PATH_NEXT ? FORMAT_NEXT : FORMAT_WAKEE,
				(int32_t)load32(p, big));
		row[f->index] = task;
		if (path == FORMAT_PATH_NEXT) {
			st->tasks[row[f->model.who]].out_before_ns =
				st->tasks[row[f->model.who]].out_ns;
			enc->switch_ns = st->t_ns;
		} else {
			noted = &enc->digests[task].row;
			noted->wake_ns[1] = noted->wake_ns[0];
			noted->wake_ns[0] = st->t_ns;
			noted->wake_cpu = load32(a->payload + a->type->wakee_cpu, big);
		}
		state_update_task(st, f, path == FORMAT_PATH_NEXT ? FORMAT_NEXT : FORMAT_WAKEE, row,
				  task);
		return;
	case FORMAT_PATH_ELAPSED:
		v = load64(p, big);
		if (v != st->t_ns - st->account_ns &&
		    !column_miss(&a->type->columns[f->index], a->at, v, st->t_ns - st->account_ns))
			enc->failed = true;
		row[f->index] = v;
		st->account_ns = st->t_ns;
		return;
	case FORMAT_PATH_WIDE:
		v = load64(p, big);
		predicted = state_predict(st, f, FORMAT_CELL, row);
		row[f->index] = v;
		if (v != predicted &&
		    !column_miss(&a->type->columns[f->index], a->at, v, predicted))
			enc->failed = true;
		state_update(st, f, FORMAT_CELL, row, v);
		return;
	case FORMAT_PATH_CELL:
		if (st->cells[row[f->model.who] * st->n_cells + f->model.cell] ==
			    (uint64_t)(int64_t)(int32_t)load32(p, big) &&
		    !f->needed)
			return;
		break;
	case FORMAT_PATH_UCELL:
		if (st->cells[row[f->model.who] * st->n_cells + f->model.cell] == load32(p, big) &&
		    !f->needed)
			return;
		break;
	case FORMAT_PATH_CONTEXT:
		v = load_scalar(p, f->size, f->kind == CDICT_FIELD_INT, big);
		context = state_context(st, f, row);
		row[f->index] = v;
		if (v != *context.follower &&
		    !column_miss(&a->type->columns[f->index], a->at, v, *context.follower))
			enc->failed = true;
		state_context_set(context, v);
		return;
	case FORMAT_PATH_COMM:
		if (comm_as_before(enc, f, row, a->payload, big))
			return;
		break;
	case FORMAT_PATH_HEAD:
		memcpy(&head, a->payload, sizeof(head));
		if (head != a->type->heads[st->followed])
			add_head(a, f, head);
		return;
	case FORMAT_PATH_HEAD_REST:
		return;
	}
	add_field(a, f);
}

/* Codes the fields of any type. */
static inline __attribute__((always_inline)) void add_any(struct adding *a, bool big)
{
	const struct format_field *f = &a->t->coded[FORMAT_F_SAMPLE];
	const struct format_field *end = &a->t->coded[a->t->n_coded];

	for (; f < end; f++)
		add_step(a, f, f->path, big);
}

static void add_any_little(struct adding *a)
{
	add_any(a, false);
}

static void add_any_big(struct adding *a)
{
	add_any(a, true);
}

#define X(name, ...)                                                                               \
	static void add_##name(struct adding *a)                                                   \
	{                                                                                          \
		static const uint8_t paths[] = { __VA_ARGS__ };                                    \
		const struct format_field *f = &a->t->coded[FORMAT_F_SAMPLE];                      \
                                                                                                   \
		_Pragma("GCC unroll 16") for (unsigned i = 0; i < sizeof(paths); i++)              \
			add_step(a, &f[i], paths[i], false);                                       \
	}
FORMAT_SHAPES(X)
#undef X

void (*encode_shape(const struct format_type *t, bool big))(struct adding *a)
{
	static void (*const shapes[])(struct adding *) = { add_any_little,
#define X(name, ...) add_##name,
							   FORMAT_SHAPES(X)
#undef X
	};

	return big ? add_any_big : shapes[t->shape];
}
