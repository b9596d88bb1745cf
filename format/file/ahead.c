// SPDX-License-Identifier: LGPL-2.1-only
/*
 * ahead.c - see ahead.h.
 *
 * A cache line that two CPUs write costs as much as decoding three events. So a batch is packed,
 * holds only the wanted fields, and is handed over past the caches.
 */
#include "format/file/ahead.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/pool.h"
#include "format/layout.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define BATCH_BYTES (256u << 10)

/*
 * An event of a batch: two bytes with its type and flags (TELLS_*), two with the time since the
 * previous event; by the flags: CPU (4 bytes), task (tid and pid), time (8, instead), mode (2);
 * place (12), if wanted; its numbers, of 4 or 8 bytes; then for each other field its length in 4
 * bytes and its content. Without a flag the value is that of the CPU's previous event.
 */
enum {
	HEAD_BYTES = 4 + 4 + 8 + 8 + 2 + 12,
	TYPE_MASK = FORMAT_MAX_TYPES - 1,
	TELLS_CPU = FORMAT_MAX_TYPES,
	TELLS_TASK = 2 * TELLS_CPU,
	TELLS_TIME = 4 * TELLS_CPU,
	TELLS_MODE = 8 * TELLS_CPU,
};

struct ahead_task {
	int32_t tid, pid;
	uint16_t mode;
};

/* The values stored last. */
struct last_values {
	uint64_t t_ns;
	uint32_t cpu;
	struct ahead_task *task;  /* of the CPU */
	struct ahead_task *tasks; /* by CPU, and last of those that are unknown */
};

struct ahead_number {
	uint64_t mask, sign; /* extend it to eight bytes */
	uint16_t value;      /* index into cdict_event.values */
	uint16_t size;       /* packed */
};

struct ahead_type {
	struct ahead_number *numbers;
	uint16_t *texts; /* indexes of other fields */
	size_t n_numbers, n_texts;
	size_t size; /* packed, at most, without the texts' content */
};

struct batch {
	struct pool_job job; /* first */
	struct ahead *ahead;
	uint8_t *data;
	size_t len, room;
	int end; /* of the walk, when <= 0 */
	struct cdict_error err;
};

struct ahead {
	struct ahead_options o;
	struct pool *pool;
	struct ahead_type *types;
	size_t n_types;
	struct batch batches[2];
	char apart[AHEAD_APART];
	/* The filling thread; kept: an event was decoded and did not fit. */
	bool kept;
	struct cdict_event ev;
	struct last_values given;
	uint8_t *data; /* the packed batch */
	size_t room;
	char apart_too[AHEAD_APART];
	/* The reading thread. */
	struct last_values taken;
	struct batch *batch; /* NULL: the first is to come */
	struct ahead_place place;
	const uint8_t *at, *end;
	uint64_t values[FORMAT_MAX_FIELDS];
	struct cdict_bytes bytes[FORMAT_MAX_FIELDS];
};

/* ---- filling ----------------------------------------------------------------------- */

static void turn_to(const struct ahead *a, struct last_values *last, uint32_t cpu)
{
	last->cpu = cpu;
	last->task = &last->tasks[cpu < a->o.cpus ? cpu : a->o.cpus];
}

/* Packs the event at @at, where there is room; returns its end. */
static inline uint8_t *pack(struct ahead *a, uint8_t *at)
{
	const struct cdict_event *ev = &a->ev;
	const struct ahead_type *type = &a->types[ev->type->index];
	const struct ahead_number *f = type->numbers, *end = f + type->n_numbers;
	struct last_values *last = &a->given;
	uint64_t dt_ns = ev->t_ns - last->t_ns;
	uint16_t head[2] = { (uint16_t)ev->type->index, (uint16_t)dt_ns };
	const uint64_t *values = ev->values;
	uint8_t *start = at;

	at += sizeof(head);
	if (ev->cpu != last->cpu || !last->task) {
		head[0] |= TELLS_CPU;
		memcpy(at, &ev->cpu, 4);
		at += 4;
		turn_to(a, last, ev->cpu);
	}
	if (ev->tid != last->task->tid || ev->pid != last->task->pid) {
		head[0] |= TELLS_TASK;
		memcpy(at, &ev->tid, 4);
		memcpy(at + 4, &ev->pid, 4);
		at += 8;
		last->task->tid = ev->tid;
		last->task->pid = ev->pid;
	}
	if (dt_ns > UINT16_MAX) {
		head[0] |= TELLS_TIME;
		memcpy(at, &ev->t_ns, 8);
		at += 8;
	}
	last->t_ns = ev->t_ns;
	if (ev->mode != last->task->mode) {
		head[0] = (uint16_t)(head[0] | TELLS_MODE);
		last->task->mode = ev->mode;
		memcpy(at, &last->task->mode, 2);
		at += 2;
	}
	memcpy(start, head, sizeof(head));
	if (a->o.place) {
		const struct ahead_place place = a->o.place(a->o.it);

		memcpy(at, &place, sizeof(place));
		at += sizeof(place);
	}
	for (; f < end; f++) {
		memcpy(at, &values[f->value], 8);
		at += f->size;
	}
	for (size_t i = 0; i < type->n_texts; i++) {
		struct cdict_bytes b = ev->bytes[values[type->texts[i]]];
		uint32_t len = (uint32_t)b.len;

		memcpy(at, &len, 4);
		if (len)
			memcpy(at + 4, b.data, len);
		at += 4 + len;
	}
	return at;
}

/* Bytes that the event needs. */
static inline size_t size_of(const struct ahead *a)
{
	const struct ahead_type *type = &a->types[a->ev.type->index];
	size_t size = type->size;

	for (size_t i = 0; i < type->n_texts; i++)
		size += a->ev.bytes[a->ev.values[type->texts[i]]].len;
	return size;
}

/* Like memcpy(), but past the cache: the other CPU would have to fetch each line from it. @out
 * begins a line. */
static void hand_over(uint8_t *out, const uint8_t *in, size_t n)
{
	size_t i = 0;

#ifdef __SSE2__
	for (; n - i >= 16; i += 16)
		_mm_stream_si128((__m128i *)(void *)(out + i),
				 _mm_loadu_si128((const __m128i *)(const void *)(in + i)));
	_mm_sfence();
#endif
	memcpy(out + i, in + i, n - i);
}

/* Grows @b and the buffer in which it is packed to hold an event of @size bytes. */
static bool grow(struct ahead *a, struct batch *b, size_t size)
{
	uint8_t *out = a->room < size ? realloc(a->data, size) : a->data;
	uint8_t *shared = NULL;

	if (out) {
		a->data = out;
		a->room = a->room < size ? size : a->room;
		shared = aligned_alloc(AHEAD_APART, (a->room | (AHEAD_APART - 1)) + 1);
	}
	if (!shared)
		return false;
	free(b->data);
	b->data = shared;
	b->room = a->room;
	return true;
}

/* Packs events while they fit; an event that is larger than a batch enlarges it. */
static void fill_batch(struct pool_job *job)
{
	struct batch *b = (struct batch *)(void *)job;
	struct ahead *a = b->ahead;
	size_t len = 0;

	while (1) {
		size_t size;

		b->end = a->kept ? 1 : a->o.next(a->o.it, &a->ev, &b->err);
		a->kept = false;
		if (b->end <= 0)
			break;
		size = size_of(a);
		a->kept = len && size > b->room - len;
		if (a->kept)
			break;
		if (size > b->room && !grow(a, b, size)) {
			b->end = cdict_fail_nomem(&b->err);
			break;
		}
		len = (size_t)(pack(a, a->data + len) - a->data);
	}
	b->len = len;
	hand_over(b->data, a->data, len);
}

/* ---- beginning and end ------------------------------------------------------------- */

static bool is_read(const struct cdict_query *q, const struct cdict_event_type *type, size_t field)
{
	if (!q->fields || type->index >= q->n_fields)
		return true;
	return q->fields[type->index] && q->fields[type->index][field / 64] >> field % 64 & 1;
}

static bool add_type(struct ahead_type *t, const struct cdict_query *query,
		     const struct cdict_event_type *type)
{
	t->numbers = calloc(type->n_fields + 1, sizeof(*t->numbers));
	t->texts = calloc(type->n_fields + 1, sizeof(*t->texts));
	if (!t->numbers || !t->texts)
		return false;
	t->size = HEAD_BYTES + 8;
	for (size_t i = 0; i < type->n_fields; i++) {
		const struct cdict_field *c = &type->fields[i];
		/* The first four bytes of a narrow one must be the low ones. */
		bool wide = c->size == 8 || __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

		if (!is_read(query, type, i))
			continue;
		t->size += 8;
		if (c->kind > CDICT_FIELD_INT)
			t->texts[t->n_texts++] = (uint16_t)i;
		else
			t->numbers[t->n_numbers++] = (struct ahead_number){
				.mask = wide ? UINT64_MAX : UINT32_MAX,
				.sign = wide || c->kind == CDICT_FIELD_UINT ? 0 : UINT64_C(1) << 31,
				.value = (uint16_t)i,
				.size = wide ? 8 : 4,
			};
	}
	return true;
}

struct ahead *ahead_new(const struct ahead_options *opts)
{
	struct ahead *a = calloc(1, sizeof(*a));
	size_t n = cdict_schema_count(opts->schema);
	bool ok;

	if (!a)
		return NULL;
	a->o = *opts;
	a->types = calloc(n + 1, sizeof(*a->types));
	a->pool = pool_new(2);
	a->given.tasks = calloc(opts->cpus + AHEAD_APART, sizeof(*a->given.tasks));
	a->taken.tasks = calloc(opts->cpus + AHEAD_APART, sizeof(*a->taken.tasks));
	for (ok = a->types && a->pool && a->given.tasks && a->taken.tasks; ok && a->n_types < n;
	     a->n_types++)
		ok = add_type(&a->types[a->n_types], opts->query,
			      cdict_schema_at(opts->schema, a->n_types));
	for (int i = 0; i < 2; i++) {
		a->batches[i] = (struct batch){ .job.run = fill_batch, .ahead = a };
		ok = ok && grow(a, &a->batches[i], BATCH_BYTES);
	}
	if (!ok) {
		ahead_free(a);
		return NULL;
	}
	pool_submit(a->pool, &a->batches[0].job);
	return a;
}

void ahead_free(struct ahead *a)
{
	if (!a)
		return;
	pool_free(a->pool);
	for (size_t i = 0; a->types && i < a->n_types; i++) {
		free(a->types[i].numbers);
		free(a->types[i].texts);
	}
	free(a->types);
	free(a->given.tasks);
	free(a->taken.tasks);
	free(a->data);
	free(a->batches[0].data);
	free(a->batches[1].data);
	free(a);
}

/* ---- reading ----------------------------------------------------------------------- */

/* Gives back the batch that was read, and waits for the next one. */
static void turn(struct ahead *a)
{
	bool second = a->batch == &a->batches[0];

	a->batch = &a->batches[second];
	pool_wait(a->pool, &a->batch->job);
	if (a->batch->end > 0)
		pool_submit(a->pool, &a->batches[!second].job);
	a->at = a->batch->data;
	a->end = a->at + a->batch->len;
}

struct ahead_place ahead_place(const struct ahead *a)
{
	return a->place;
}

static inline uint64_t eight(const uint8_t *at)
{
	uint64_t v;

	memcpy(&v, at, 8);
	return v;
}

int ahead_next(struct ahead *a, struct cdict_event *ev, struct cdict_error *err)
{
	const struct ahead_number *f, *end;
	const struct ahead_type *type;
	struct last_values *last = &a->taken;
	uint64_t *values = a->values;
	struct ahead_task *task;
	const uint8_t *at;
	uint16_t head[2];

	while (a->at == a->end) {
		if (a->batch && a->batch->end <= 0) {
			if (a->batch->end < 0 && err)
				*err = a->batch->err;
			return a->batch->end;
		}
		turn(a);
	}
	at = a->at;
	memcpy(head, at, sizeof(head));
	at += sizeof(head);
	if (head[0] & TELLS_CPU) {
		uint32_t cpu;

		memcpy(&cpu, at, 4);
		at += 4;
		turn_to(a, last, cpu);
	}
	task = last->task;
	if (head[0] & TELLS_TASK) {
		memcpy(&task->tid, at, 4);
		memcpy(&task->pid, at + 4, 4);
		at += 8;
	}
	last->t_ns += head[1];
	if (head[0] & TELLS_TIME) {
		last->t_ns = eight(at);
		at += 8;
	}
	if (head[0] & TELLS_MODE) {
		memcpy(&task->mode, at, 2);
		at += 2;
	}
	if (a->o.place) {
		memcpy(&a->place, at, sizeof(a->place));
		at += sizeof(a->place);
	}
	type = &a->types[head[0] & TYPE_MASK];
	for (f = type->numbers, end = f + type->n_numbers; f < end; f++) {
		values[f->value] = ((eight(at) & f->mask) ^ f->sign) - f->sign;
		at += f->size;
	}
	for (size_t i = 0; i < type->n_texts; i++) {
		uint32_t len;

		memcpy(&len, at, 4);
		values[type->texts[i]] = i;
		a->bytes[i] = (struct cdict_bytes){ at + 4, len };
		at += 4 + len;
	}
	a->at = at;
	ev->t_ns = last->t_ns;
	ev->cpu = last->cpu;
	ev->pid = task->pid;
	ev->tid = task->tid;
	ev->mode = (uint8_t)task->mode;
	ev->type = cdict_schema_at(a->o.schema, head[0] & TYPE_MASK);
	ev->values = values;
	ev->bytes = a->bytes;
	return 1;
}
