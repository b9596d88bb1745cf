/* SPDX-License-Identifier: LGPL-2.1-only */
/* One CPU's events -> the payload of an EVNT block. */
#include "format/encode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/columns.h"
#include "format/state.h"

/* A byte string of the block; texts up to 16 bytes can be compared as two words. */
struct entry {
	uint64_t word[2];
	uint32_t at, len; /* in encoder.text */
};

struct adding;

struct format_encoder {
	const struct cdict_schema *schema;
	struct state st;
	struct column_sink sink;

	struct column *columns; /* [base[type] + coded field] */
	uint32_t *base;
	uint32_t n_types, n_columns;
	struct numbers *times;  /* by type: time since the event before */
	void (**adders)(struct adding *); /* by type: codes its fields */
	uint32_t *heads;        /* payload bytes 0..3 of the last event of the type that
				 * followed the same one: [type * 16 + followed] */
	uint32_t *type_events;  /* events of the type in this block */
	uint32_t *type_local;   /* its number in this block, when it has events */
	uint32_t *used;         /* types by that number */
	uint32_t n_used;

	uint8_t *kinds;
	uint32_t n;
	uint32_t cpu;
	uint64_t first_ns, last_ns;
	struct buf order;
	uint32_t order_at, order_last;

	struct entry *entries;
	uint32_t n_entries, cap_entries;
	struct buf text;
	struct buf pool; /* stream 1, deflated */
	struct buf odd; /* a dynamic string in its stored form, when that is longer */
	uint32_t *entry_hash; /* 1 + index */
	uint32_t entry_slots;
	uint32_t *tid_hash; /* 1 + task */
	uint32_t tid_slots;
	bool failed;
};

static bool hash_new(uint32_t **slots, uint32_t *n, uint32_t size)
{
	if (*n != size) {
		free(*slots);
		*slots = malloc(size * sizeof(**slots));
		*n = *slots ? size : 0;
	}
	if (*slots)
		memset(*slots, 0, size * sizeof(**slots));
	return *slots != NULL;
}

static void (*shape_of(const struct format_type *t, bool big))(struct adding *a);

static void free_types(struct format_encoder *enc)
{
	for (uint32_t i = 0; i < enc->n_columns; i++)
		free(enc->columns[i].misses);
	for (uint32_t i = 0; enc->times && i < enc->n_types; i++) {
		buf_fini(&enc->times[i].symbols);
		buf_fini(&enc->times[i].bits);
	}
	free(enc->columns);
	free(enc->times);
	free(enc->heads);
	free(enc->adders);
	enc->adders = NULL;
	free(enc->base);
	free(enc->type_events);
	free(enc->type_local);
	free(enc->used);
	enc->columns = NULL;
	enc->times = NULL;
	enc->heads = enc->base = enc->type_events = enc->type_local = enc->used = NULL;
	enc->n_columns = enc->n_types = enc->n_used = 0;
}

/* Types may have been added since the last block. */
static bool fit_schema(struct format_encoder *enc)
{
	uint32_t n = (uint32_t)enc->schema->n, columns = 0;

	if (n == enc->n_types)
		return true;
	free_types(enc);
	enc->times = calloc(n, sizeof(*enc->times));
	enc->heads = calloc((size_t)n * (FORMAT_FOLLOWED + 1), sizeof(*enc->heads));
	enc->adders = calloc(n, sizeof(*enc->adders));
	enc->base = calloc(n, sizeof(*enc->base));
	enc->type_events = calloc(n, sizeof(*enc->type_events));
	enc->type_local = calloc(n, sizeof(*enc->type_local));
	enc->used = calloc(n, sizeof(*enc->used));
	if (enc->base)
		for (uint32_t i = 0; i < n; i++) {
			enc->base[i] = columns;
			columns += enc->schema->types[i]->n_coded;
		}
	enc->columns = calloc(columns ? columns : 1, sizeof(*enc->columns));
	enc->n_types = n;
	enc->n_columns = enc->columns ? columns : 0;
	if (enc->base && enc->type_events && enc->type_local && enc->used && enc->columns &&
	    enc->times && enc->heads && enc->adders) {
		for (uint32_t i = 0; i < n; i++)
			enc->adders[i] = shape_of(enc->schema->types[i], enc->schema->big_endian);
		return true;
	}
	free_types(enc);
	return false;
}

static bool block_begin(struct format_encoder *enc)
{
	struct entry *e;

	if (!fit_schema(enc) || !state_reset(&enc->st, enc->schema))
		return false;
	if (!enc->entries) {
		enc->entries = malloc(64 * sizeof(*enc->entries));
		enc->cap_entries = enc->entries ? 64 : 0;
		if (!enc->entries)
			return false;
	}
	if (!hash_new(&enc->entry_hash, &enc->entry_slots, 1024) ||
	    !hash_new(&enc->tid_hash, &enc->tid_slots, 1024))
		return false;
	for (uint32_t i = 0; i < enc->n_used; i++) {
		enc->type_events[enc->used[i]] = 0;
		memset(&enc->heads[enc->used[i] * (FORMAT_FOLLOWED + 1)], 0,
		       (FORMAT_FOLLOWED + 1) * sizeof(*enc->heads));
		numbers_reset(&enc->times[enc->used[i]]);
	}
	for (uint32_t i = 0; i < enc->n_columns; i++)
		enc->columns[i].n = 0;
	e = &enc->entries[0]; /* key 0: the empty string */
	*e = (struct entry){ 0 };
	enc->n_entries = 1;
	enc->n_used = enc->n = 0;
	enc->text.len = enc->order.len = 0;
	enc->order_at = enc->order_last = 0;
	enc->failed = false;
	return true;
}

struct format_encoder *format_encoder_new(const struct cdict_schema *schema)
{
	struct format_encoder *enc = calloc(1, sizeof(*enc));

	if (!enc)
		return NULL;
	enc->schema = schema;
	enc->kinds = malloc(FORMAT_BLOCK_EVENTS + 1);
	enc->sink.codec = codec_new();
	if (!enc->kinds || !enc->sink.codec) {
		format_encoder_free(enc);
		return NULL;
	}
	return enc;
}

void format_encoder_free(struct format_encoder *enc)
{
	if (!enc)
		return;
	free_types(enc);
	free(enc->kinds);
	free(enc->entries);
	free(enc->entry_hash);
	free(enc->tid_hash);
	buf_fini(&enc->order);
	buf_fini(&enc->text);
	buf_fini(&enc->odd);
	buf_fini(&enc->pool);
	state_fini(&enc->st);
	column_sink_fini(&enc->sink);
	free(enc);
}

uint32_t format_encoder_events(const struct format_encoder *enc)
{
	return enc->n;
}

static uint32_t tid_slot(const struct format_encoder *enc, int32_t tid)
{
	uint32_t h = (uint32_t)tid * 0x9e3779b1u >> 7;

	while (1) {
		uint32_t task = enc->tid_hash[h &= enc->tid_slots - 1];

		if (!task || enc->st.tids[task - 1] == tid)
			return h;
		h++;
	}
}

static uint32_t task_of(struct format_encoder *enc, int32_t tid)
{
	uint32_t h = tid_slot(enc, tid), task = enc->tid_hash[h];

	if (task)
		return task - 1;
	if (2 * enc->st.n_tasks >= enc->tid_slots) {
		if (!hash_new(&enc->tid_hash, &enc->tid_slots, enc->tid_slots * 4)) {
			enc->failed = true;
			return STATE_NONE;
		}
		for (uint32_t i = 0; i < enc->st.n_tasks; i++)
			enc->tid_hash[tid_slot(enc, enc->st.tids[i])] = i + 1;
		h = tid_slot(enc, tid);
	}
	task = state_task_add(&enc->st, tid);
	if (task == STATE_NONE)
		enc->failed = true;
	else
		enc->tid_hash[h] = task + 1;
	return task;
}

static uint32_t bytes_hash(const uint8_t *p, size_t n)
{
	uint64_t h = n * 0x9e3779b97f4a7c15ull, w;

	for (; n >= 8; p += 8, n -= 8) {
		memcpy(&w, p, 8);
		h = (h ^ w) * 0xff51afd7ed558ccdull;
		h ^= h >> 32;
	}
	for (; n; p++, n--)
		h = (h ^ *p) * 0x100000001b3ull;
	return (uint32_t)(h ^ h >> 29);
}

static uint32_t entry_slot(const struct format_encoder *enc, const uint8_t *p, size_t n)
{
	uint32_t h = bytes_hash(p, n);

	while (1) {
		uint32_t key = enc->entry_hash[h &= enc->entry_slots - 1];
		const struct entry *e = &enc->entries[key ? key - 1 : 0];

		if (!key || (e->len == n && !memcmp(enc->text.data + e->at, p, n)))
			return h;
		h++;
	}
}

/* Key of a byte string. */
static uint32_t key_of(struct format_encoder *enc, const uint8_t *p, size_t n)
{
	struct entry *e;
	uint32_t h;

	if (!n)
		return 0;
	h = entry_slot(enc, p, n);
	if (enc->entry_hash[h])
		return enc->entry_hash[h] - 1;
	if (enc->n_entries == enc->cap_entries) {
		uint32_t cap = enc->cap_entries * 2;
		struct entry *entries = realloc(enc->entries, cap * sizeof(*entries));

		if (!entries)
			goto fail;
		enc->entries = entries;
		enc->cap_entries = cap;
	}
	if (2 * enc->n_entries >= enc->entry_slots) {
		if (!hash_new(&enc->entry_hash, &enc->entry_slots, enc->entry_slots * 4))
			goto fail;
		for (uint32_t i = 1; i < enc->n_entries; i++)
			enc->entry_hash[entry_slot(enc, enc->text.data + enc->entries[i].at,
						   enc->entries[i].len)] = i + 1;
		h = entry_slot(enc, p, n);
	}
	e = &enc->entries[enc->n_entries];
	*e = (struct entry){ .at = (uint32_t)enc->text.len, .len = (uint32_t)n };
	if (n <= sizeof(e->word))
		memcpy(e->word, p, n);
	buf_add(&enc->text, p, n);
	if (enc->text.failed)
		goto fail;
	enc->entry_hash[h] = ++enc->n_entries;
	return enc->n_entries - 1;
fail:
	enc->failed = true;
	return 0;
}

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

/* The bytes of a field that is no scalar; false when they lie outside the payload. */
static bool field_bytes(const struct format_field *f, const uint8_t *payload, size_t size, bool big,
			const uint8_t **data, size_t *len)
{
	const uint8_t *p = payload + f->offset;
	uint32_t loc;
	size_t at;

	if (f->kind == CDICT_FIELD_BYTES) {
		size_t n = f->len;

		while (n && !p[n - 1])
			n--;
		*data = p;
		*len = n;
		return true;
	}
	loc = load32(p, big);
	at = (loc & 0xffff) + (f->kind == CDICT_FIELD_REL_LOC ? f->offset + f->len : 0);
	*len = loc >> 16;
	*data = payload + at;
	return at <= size && *len <= size - at;
}

/* The form in which a dynamic string is kept: without its final NUL, as a fixed array
 * is, so that both name a task alike; what does not end in one, or would be taken for
 * such, gets 0, 1 behind it. */
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
		return !memcmp(a, b, n);
	memcpy(&x[0], a, 8);
	memcpy(&y[0], b, 8);
	memcpy(&x[1], a + n - 8, 8);
	memcpy(&y[1], b + n - 8, 8);
	return x[0] == y[0] && x[1] == y[1];
}

static bool dynamic_fits(const struct format_type *t, const uint8_t *payload, size_t size, bool big)
{
	const uint8_t *data;
	size_t len;

	for (uint32_t i = FORMAT_F_SAMPLE; i < t->n_coded; i++)
		if (t->coded[i].kind > CDICT_FIELD_BYTES &&
		    !field_bytes(&t->coded[i], payload, size, big, &data, &len))
			return false;
	return true;
}

/* Codes a task field: nothing when as predicted, else a rank or an index. */
static inline uint32_t add_task(struct format_encoder *enc, const struct format_field *f,
				struct column *c, uint32_t at, const uint64_t *row, int32_t tid)
{
	struct state *st = &enc->st;
	uint32_t p = state_predict_task(st, f, row), task, code, rank;
	const uint32_t *ranks;

	if (p != STATE_NONE && st->tids[p] == tid)
		return p;
	task = task_of(enc, tid);
	if (task == STATE_NONE)
		return 0;
	code = task;
	if (f->model.kind == FORMAT_NEXT || f->model.kind == FORMAT_WAKEE) {
		ranks = state_ranks(st, f, row);
		for (rank = 1; rank < STATE_RANKS && ranks[rank] != task; rank++)
			;
		code = rank < STATE_RANKS ? rank - 1 : task + STATE_RANKS - 1;
	}
	if (!column_miss(c, at, code, 0))
		enc->failed = true;
	return task;
}

static void add_bytes(struct format_encoder *enc, const struct format_field *f, struct column *c,
		      uint32_t at, uint64_t *row, uint32_t i, const uint8_t *payload, size_t size)
{
	uint64_t p = state_predict(&enc->st, f, row);
	const struct entry *e = &enc->entries[p];
	const uint8_t *data;
	size_t len;

	field_bytes(f, payload, size, enc->schema->big_endian, &data, &len);
	if (f->text)
		text_form(enc, &data, &len);
	if (e->len != len || !same_bytes(enc->text.data + e->at, data, len)) {
		p = key_of(enc, data, len);
		if (!column_miss(c, at, p, 0))
			enc->failed = true;
	}
	row[i] = p;
	state_update(&enc->st, f, row, p);
}

/* A comm: nearly always the one that its task had last. */
static inline __attribute__((always_inline)) bool
comm_as_before(const struct format_encoder *enc, const struct format_field *f, const uint64_t *row,
	       const uint8_t *payload, bool big)
{
	const struct state *st = &enc->st;
	uint64_t key = st->cells[row[f->model.who] * st->n_cells + f->model.cell], words[2];
	const struct entry *e = &enc->entries[key];
	uint32_t loc;

	if (key >= enc->n_entries)
		return false; /* STATE_UNSET */
	if (f->kind == CDICT_FIELD_BYTES) {
		memcpy(words, payload + f->offset, sizeof(words));
		return words[0] == e->word[0] && words[1] == e->word[1] &&
		       e->len <= sizeof(words);
	}
	loc = load32(payload + f->offset, big);
	payload += (loc & 0xffff) + (f->kind == CDICT_FIELD_REL_LOC ? f->offset + f->len : 0);
	return loc >> 16 == e->len + 1 && e->len >= 2 && !payload[e->len] &&
	       payload[e->len - 1] && same_bytes(enc->text.data + e->at, payload, e->len);
}

static void add_value(struct format_encoder *enc, const struct format_field *f, struct column *c,
		      uint32_t at, uint64_t *row, uint32_t i, uint64_t v)
{
	uint64_t p = state_predict(&enc->st, f, row);

	if (v != p && !column_miss(c, at, v, p))
		enc->failed = true;
	row[i] = v;
	state_update(&enc->st, f, row, v);
}

/* One event on its way through the fields. */
struct adding {
	struct format_encoder *enc;
	const struct format_type *t;
	struct column *columns; /* of the type */
	uint32_t at;            /* number of the event within its type */
	const uint8_t *payload;
	size_t size;
	uint64_t row[FORMAT_F_SAMPLE + FORMAT_MAX_FIELDS];
};

/* A field that is not as predicted, or whose way is not short. */
static void add_field(struct adding *a, const struct format_field *f)
{
	struct column *c = &a->columns[f->index];
	bool big = a->enc->schema->big_endian;
	uint64_t v;

	if (f->kind > CDICT_FIELD_INT) {
		add_bytes(a->enc, f, c, a->at, a->row, f->index, a->payload, a->size);
		return;
	}
	v = load_scalar(a->payload + f->offset, f->size, f->kind == CDICT_FIELD_INT, big);
	if (!format_model_is_task(f->model.kind)) {
		add_value(a->enc, f, c, a->at, a->row, f->index, v);
		return;
	}
	a->row[f->index] = add_task(a->enc, f, c, a->at, a->row, (int32_t)v);
	state_update_task(&a->enc->st, f, a->row, (uint32_t)a->row[f->index]);
}

static inline uint32_t *head_of(const struct format_encoder *enc, uint32_t type)
{
	return &enc->heads[type * (FORMAT_FOLLOWED + 1) + enc->st.followed];
}

/* The payload's first four bytes changed since the type's last event: some of the three
 * fields in them. */
static void add_head(struct adding *a, const struct format_field *f, uint32_t head)
{
	*head_of(a->enc, a->t->pub.index) = head;
	for (int i = 0; i < 3; i++, f++) {
		uint64_t v = load_scalar(a->payload + f->offset, f->size,
					 f->kind == CDICT_FIELD_INT, a->enc->schema->big_endian);

		if (v != *state_follow(&a->enc->st, f))
			add_value(a->enc, f, &a->columns[f->index], a->at, a->row, f->index, v);
	}
}

/* One recorded field. As predicted, which it mostly is, it changes nothing: that is
 * tested here. @path is f->path, given apart so that the compiler may know it. */
static inline __attribute__((always_inline)) void
add_step(struct adding *a, const struct format_field *f, unsigned path, bool big)
{
	const uint8_t *p = a->payload + f->offset;
	const struct format_encoder *enc = a->enc;
	const struct state *st = &enc->st;
	uint64_t *row = a->row;
	uint32_t task, head;

	switch (path) {
	case FORMAT_PATH_SAMETASK:
	case FORMAT_PATH_CURRENT:
	case FORMAT_PATH_WOKEN:
		task = path == FORMAT_PATH_CURRENT ? st->current :
		       path == FORMAT_PATH_WOKEN   ? st->woken :
						     (uint32_t)row[f->model.who];
		row[f->index] = task;
		if ((int32_t)load32(p, big) == st->tids[task])
			return;
		break;
	case FORMAT_PATH_CELL:
		if (st->cells[row[f->model.who] * st->n_cells + f->model.cell] ==
			    (uint64_t)(int64_t)(int32_t)load32(p, big) &&
		    !f->needed)
			return;
		break;
	case FORMAT_PATH_COMM:
		if (comm_as_before(enc, f, row, a->payload, big))
			return;
		break;
	case FORMAT_PATH_HEAD:
		memcpy(&head, a->payload, sizeof(head));
		if (head != *head_of(enc, a->t->pub.index))
			add_head(a, f, head);
		return;
	case FORMAT_PATH_HEAD_REST:
		return;
	}
	add_field(a, f);
}

/* Any type's fields. */
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

/* The frequent types' fields, unrolled: the paths of the fields after the sample's, in
 * coding order. */
#define S FORMAT_PATH_SAMETASK,
#define U FORMAT_PATH_CURRENT,
#define W FORMAT_PATH_WOKEN,
#define T FORMAT_PATH_TASK,
#define H FORMAT_PATH_HEAD, FORMAT_PATH_HEAD_REST, FORMAT_PATH_HEAD_REST,
#define N FORMAT_PATH_COMM,
#define C FORMAT_PATH_CELL,
#define V FORMAT_PATH_VALUE,
#define SHAPES(X)                                                                                  \
	X(sched_switch, S U T H N C V N C)                                                         \
	X(sched_waking, S T H N C C)                                                               \
	X(sched_wakeup, S W H N C C)                                                               \
	X(sched_stat_runtime, S U H N V)                                                           \
	X(sched_stat_runtime_6_1, S U H N V V)

#define MAX_STEPS 16
#define X(name, ...)                                                                               \
	static const uint8_t shape_##name[] = { __VA_ARGS__ };                                     \
	static void add_##name(struct adding *a)                                                   \
	{                                                                                          \
		static const uint8_t paths[MAX_STEPS] = { __VA_ARGS__ };                           \
		const struct format_field *f = &a->t->coded[FORMAT_F_SAMPLE];                      \
                                                                                                   \
		_Pragma("GCC unroll 16") for (unsigned i = 0; i < sizeof(shape_##name); i++)       \
			add_step(a, &f[i], paths[i], false);                                       \
	}
SHAPES(X)
#undef X

static const struct shape {
	const uint8_t *paths;
	size_t n;
	void (*add)(struct adding *a);
} shapes[] = {
#define X(name, ...) { shape_##name, sizeof(shape_##name), add_##name },
	SHAPES(X)
#undef X
};
#undef S
#undef U
#undef W
#undef T
#undef H
#undef N
#undef C
#undef V

/* The function for a type's fields. */
static void (*shape_of(const struct format_type *t, bool big))(struct adding *a)
{
	const struct format_field *f = &t->coded[FORMAT_F_SAMPLE];
	size_t n = t->n_coded - FORMAT_F_SAMPLE, k;

	for (size_t i = 0; !big && i < sizeof(shapes) / sizeof(shapes[0]); i++) {
		if (shapes[i].n != n)
			continue;
		for (k = 0; k < n && shapes[i].paths[k] == f[k].path; k++)
			;
		if (k == n)
			return shapes[i].add;
	}
	return big ? add_any_big : add_any_little;
}

int format_encoder_add(struct format_encoder *enc, const struct cdict_sample *s, uint32_t type,
		       const void *payload, size_t size)
{
	const struct format_type *t = enc->schema->types[type];
	bool big = enc->schema->big_endian;
	struct state *st = &enc->st;
	struct adding a;
	struct column *c;

	if (size < t->pub.payload_size || (t->dynamic && !dynamic_fits(t, payload, size, big)))
		return CDICT_ECORRUPT;
	if (!enc->n) {
		if (!block_begin(enc))
			return -ENOMEM;
		enc->cpu = s->cpu;
		enc->first_ns = enc->last_ns = st->t_ns = s->t_ns;
		enc->order_last = s->order;
		buf_varint(&enc->order, s->order);
		task_of(enc, s->tid); /* task 0: assumed to run */
	} else if (enc->n == FORMAT_BLOCK_EVENTS || s->t_ns < enc->last_ns) {
		return CDICT_ELIMIT;
	}
	if (!enc->type_events[type]) {
		/* More types than a byte can name: the next block takes the event. */
		if (enc->n_used > UINT8_MAX)
			return CDICT_ELIMIT;
		enc->type_local[type] = enc->n_used;
		enc->used[enc->n_used++] = type;
	}
	if (s->order != enc->order_last) {
		buf_varint(&enc->order, enc->n - enc->order_at);
		buf_svarint(&enc->order, (int64_t)s->order - (int64_t)enc->order_last);
		enc->order_at = enc->n;
		enc->order_last = s->order;
	}
	c = &enc->columns[enc->base[type]];
	a.enc = enc;
	a.t = t;
	a.columns = c;
	a.at = enc->type_events[type]++;
	a.payload = payload;
	a.size = size;
	a.row[FORMAT_F_TIME] = s->t_ns;
	enc->kinds[enc->n++] = (uint8_t)enc->type_local[type];

	if (!numbers_room(&enc->times[type], 1))
		return -ENOMEM;
	numbers_put(&enc->times[type], s->t_ns - enc->last_ns);
	st->t_ns = enc->last_ns = s->t_ns;
	if (st->tids[st->current] != s->tid)
		st->current = add_task(enc, &t->coded[FORMAT_F_TID], &c[FORMAT_F_TID], a.at, a.row,
				       s->tid);
	a.row[FORMAT_F_TID] = st->current;
	if (st->cells[(size_t)st->current * st->n_cells] != (uint64_t)(int64_t)s->pid)
		add_value(enc, &t->coded[FORMAT_F_PID], &c[FORMAT_F_PID], a.at, a.row, FORMAT_F_PID,
			  (uint64_t)(int64_t)s->pid);
	if (s->mode != st->slots[0])
		add_value(enc, &t->coded[FORMAT_F_MODE], &c[FORMAT_F_MODE], a.at, a.row,
			  FORMAT_F_MODE, s->mode);
	enc->adders[type](&a);
	st->followed = enc->type_local[type] < FORMAT_FOLLOWED ? enc->type_local[type] :
								 FORMAT_FOLLOWED;
	return enc->failed ? -ENOMEM : 0;
}

static void write_tables(struct format_encoder *enc)
{
	struct column_sink *s = &enc->sink;
	int64_t last = 0;

	if (enc->n_used > FORMAT_PAIRED) {
		column_write_bytes(s, FORMAT_COL_KIND, enc->kinds, enc->n);
	} else if (enc->n_used > 1) {
		enc->kinds[enc->n] = 0;
		for (uint32_t i = 0; i < enc->n; i += 2)
			enc->kinds[i / 2] = (uint8_t)(enc->kinds[i] | enc->kinds[i + 1] << 4);
		column_write_bytes(s, FORMAT_COL_KIND, enc->kinds, (enc->n + 1) / 2);
	}
	s->scratch.len = 0;
	for (uint32_t i = 0; i < enc->st.n_tasks; i++) {
		buf_svarint(&s->scratch, enc->st.tids[i] - last);
		last = enc->st.tids[i];
	}
	column_write_bytes(s, FORMAT_COL_TIDS, s->scratch.data, s->scratch.len);
	s->scratch.len = 0;
	for (uint32_t i = 1; i < enc->n_entries; i++)
		buf_varint(&s->scratch, enc->entries[i].len);
	column_write_bytes(s, FORMAT_COL_BYTES_LEN, s->scratch.data, s->scratch.len);
	column_write_bytes(s, FORMAT_COL_BYTES, enc->text.data, enc->text.len);
	column_write_bytes(s, FORMAT_COL_ORDER, enc->order.data, enc->order.len);
}

int format_encoder_finish(struct format_encoder *enc, struct buf *out, struct format_block *info,
			  uint64_t *counts)
{
	struct column_sink *s = &enc->sink;
	uint32_t column = FORMAT_COL_FIELDS;
	struct buf *pool = &enc->pool;
	size_t stored;
	int ret = 0;

	*info = (struct format_block){ enc->cpu, enc->n, enc->first_ns, enc->last_ns };
	column_sink_reset(s);
	write_tables(enc);
	for (uint32_t k = 0; k < enc->n_used; k++) {
		uint32_t type = enc->used[k];
		const struct format_type *t = enc->schema->types[type];

		for (uint32_t i = 0; i < t->n_coded; i++, column++) {
			const struct format_field *f = &t->coded[i];

			bool task = format_model_is_task(f->model.kind);

			if (i == FORMAT_F_TIME) {
				column_write_numbers(s, column, &enc->times[type]);
				continue;
			}
			column_write(s, column, &enc->columns[enc->base[type] + i],
				     enc->type_events[type], task || f->kind > CDICT_FIELD_INT,
				     f->model.kind == FORMAT_NEXT ||
					     f->model.kind == FORMAT_WAKEE ||
					     f->model.kind == FORMAT_CURRENT);
		}
		if (counts)
			counts[type] += enc->type_events[type];
	}

	buf_varint(out, enc->cpu + 1u); /* 0: unknown */
	buf_varint(out, enc->n);
	buf_varint(out, enc->first_ns);
	buf_varint(out, enc->last_ns - enc->first_ns);
	buf_varint(out, enc->n_used);
	for (uint32_t k = 0; k < enc->n_used; k++) {
		buf_varint(out, enc->used[k]);
		buf_varint(out, enc->type_events[enc->used[k]]);
	}
	buf_varint(out, enc->st.n_tasks);
	buf_varint(out, enc->n_entries);
	buf_varint(out, s->dir.len);
	buf_varint(out, s->n_own);

	/* Stream 0: bits. Stream 1: directory and small parts, together. */
	buf_varint(out, s->bits.len);
	buf_add(&s->dir, s->pool.data, s->pool.len);
	stored = codec_deflate(s->codec, CODEC_TEXT, s->dir.data, s->dir.len, pool);
	buf_varint(out, s->dir.len);
	buf_varint(out, stored); /* 0: stored as it is */
	buf_add(out, s->streams.data, s->streams.len);
	buf_add(out, s->bits.data, s->bits.len);
	if (stored)
		buf_add(out, pool->data, pool->len);
	else
		buf_add(out, s->dir.data, s->dir.len);
	buf_add(out, s->own.data, s->own.len);
	if (enc->failed || pool->failed || out->failed || s->dir.failed || s->pool.failed ||
	    s->bits.failed || s->own.failed || s->streams.failed || s->scratch.failed ||
	    enc->order.failed)
		ret = -ENOMEM;
	pool->len = 0;
	enc->n = 0;
	return ret;
}
