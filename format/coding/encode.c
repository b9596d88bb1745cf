/* SPDX-License-Identifier: LGPL-2.1-only */
/* One CPU's events -> the payload of an EVNT block. */
#include "format/coding/encode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "format/coding/encode_internal.h"

/* With fewer events the pool is a large part of the block and is compressed hard; for full blocks (8 M of perf bench
 * sched messaging) that would save 0.1 % of the file and cost 5 % of the conversion time. */
#define POOL_TEXT_EVENTS (FORMAT_BLOCK_FILL / 2)

/* Times that a type makes room for at once. */
#define TIMES_ROOM 256u

/* Bytes of strings in one block, far below a reader's limit (FORMAT_BLOCK_MAX). */
#define TEXT_MAX (64u << 20)

static void free_types(struct format_encoder *enc)
{
	for (uint32_t i = 0; i < enc->n_types; i++) {
		struct encode_type *et = &enc->types[i];

		for (uint32_t k = 0; et->columns && k < enc->schema->types.at[i]->n_coded; k++)
			free(et->columns[k].misses);
		free(et->columns);
		buf_fini(&et->times.symbols);
		buf_fini(&et->times.bits);
	}
	free(enc->types);
	enc->types = NULL;
	enc->n_types = enc->n_used = 0;
}

static void fit_type(struct encode_type *et, const struct format_type *t, bool big)
{
	const struct format_field *f = &t->coded[t->dynamic_from];

	et->t = t;
	et->big = big;
	et->payload_size = t->pub.payload_size;
	et->n_dynamic = t->dynamic_to - t->dynamic_from;
	if (et->n_dynamic) {
		et->dynamic_at = f->offset;
		et->dynamic_base = f->kind == CDICT_FIELD_REL_LOC ? f->offset + f->len : 0;
	}
	et->shape = encode_shape(t, big);
	et->columns = calloc(t->n_coded, sizeof(*et->columns));
}

/* Types may have been added since the last block. */
static bool fit_schema(struct format_encoder *enc)
{
	uint32_t n = (uint32_t)enc->schema->types.n;

	if (n == enc->n_types)
		return true;
	free_types(enc);
	enc->types = calloc(n, sizeof(*enc->types));
	if (!enc->types)
		return false;
	enc->n_types = n;
	enc->digested = true;
	enc->wakeup_counts = !cdict_schema_find(enc->schema, "sched:sched_waking");
	for (uint32_t i = 0; i < n; i++) {
		const struct format_type *t = enc->schema->types.at[i];

		fit_type(&enc->types[i], t, enc->schema->big_endian);
		if (!enc->types[i].columns) {
			free_types(enc);
			return false;
		}
		digest_type(enc, i);
	}
	return true;
}

static bool block_begin(struct format_encoder *enc)
{
	if (!fit_schema(enc) || !state_reset(&enc->st, enc->schema) || !encode_tables_reset(enc))
		return false;
	for (uint32_t i = 0; i < enc->n_used; i++) {
		struct encode_type *et = &enc->types[enc->used[i]];

		for (uint32_t k = 0; k < enc->schema->types.at[enc->used[i]]->n_coded; k++)
			et->columns[k].n = 0;
		et->events = 0;
		digest_type_begin(et);
		memset(et->heads, 0, sizeof(et->heads));
		numbers_reset(&et->times);
	}
	enc->n_used = enc->n = 0;
	enc->order.len = 0;
	enc->order_at = enc->order_last = 0;
	enc->failed = false;
	enc->foreign = 0;
	enc->switched = enc->taken_over = false;
	enc->switch_ns = enc->left_ns = 0;
	enc->missing = 0;
	enc->early_ns = CDICT_NEVER;
	return true;
}

struct format_encoder *format_encoder_new(const struct cdict_schema *schema)
{
	struct format_encoder *enc = calloc(1, sizeof(*enc));

	if (!enc)
		return NULL;
	enc->schema = schema;
	enc->adding.enc = enc;
	enc->kinds = malloc(FORMAT_BLOCK_FILL + 1);
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
	encode_tables_fini(enc);
	buf_fini(&enc->order);
	buf_fini(&enc->odd);
	buf_fini(&enc->pool);
	free(enc->digests);
	state_fini(&enc->st);
	column_sink_fini(&enc->sink);
	free(enc);
}

uint32_t format_encoder_events(const struct format_encoder *enc)
{
	return enc->n;
}

/* Handles the events at which a block is empty, full, or has its first FORMAT_BLOCK_EARLY; 0 when it can take @s. */
static __attribute__((noinline)) int at_edge(struct format_encoder *enc,
					     const struct cdict_sample *s, uint32_t type,
					     const void *payload, size_t size)
{
	const struct format_type *t = enc->schema->types.at[type];

	if (size < t->pub.payload_size ||
	    (t->dynamic_to && !encode_dynamic_fits(t, payload, size, enc->schema->big_endian)))
		return CDICT_ECORRUPT;
	if (!enc->n) {
		if (s->cpu >= FORMAT_MAX_CPUS && s->cpu != CDICT_CPU_UNKNOWN)
			return CDICT_ECORRUPT;
		if (!block_begin(enc))
			return -ENOMEM;
		enc->cpu = s->cpu;
		enc->first_ns = enc->last_ns = s->t_ns;
		enc->order_last = s->order;
		buf_varint(&enc->order, s->order);
		enc->st.t_ns = s->t_ns;
		if (encode_task(enc, s->tid) == STATE_NONE) /* task 0: assumed to be running */
			return -ENOMEM;
		enc->digests[0].seen = true;
	} else if (enc->n == FORMAT_BLOCK_FILL || s->t_ns < enc->last_ns || type >= enc->n_types ||
		   enc->text.len > TEXT_MAX) {
		return CDICT_ELIMIT;
	} else if (enc->n == FORMAT_BLOCK_EARLY) {
		digest_note_early(enc);
	}
	return 0;
}

/* Whether the dynamic fields lie inside the payload. */
static inline bool dynamic_fits(const struct encode_type *et, const uint8_t *payload, size_t size,
				bool big)
{
	uint32_t loc;

	if (!et->n_dynamic)
		return true;
	if (et->n_dynamic > 1)
		return encode_dynamic_fits(et->t, payload, size, big);
	loc = load32(payload + et->dynamic_at, big);
	return (size_t)et->dynamic_base + (loc & 0xffff) + (loc >> 16) <= size;
}

int format_encoder_add(struct format_encoder *enc, const struct cdict_sample *s, uint32_t type,
		       const void *payload, size_t size)
{
	struct state *st = &enc->st;
	struct adding *a = &enc->adding;
	uint64_t t_ns = s->t_ns;
	const struct format_type *t;
	struct encode_type *et;

	if (!(enc->n % FORMAT_BLOCK_EARLY) || type >= enc->n_types) {
		int ret = at_edge(enc, s, type, payload, size);

		if (ret)
			return ret;
	}
	et = &enc->types[type];
	t = et->t;
	if (size < et->payload_size || !dynamic_fits(et, payload, size, et->big))
		return CDICT_ECORRUPT;
	if (t_ns < enc->last_ns || enc->text.len > TEXT_MAX)
		return CDICT_ELIMIT;
	if (!et->events) {
		/* More types than a byte can name: the next block takes the event. */
		if (enc->n_used > UINT8_MAX)
			return CDICT_ELIMIT;
		et->local = enc->n_used;
		et->followed = et->local < FORMAT_FOLLOWED ? et->local : FORMAT_FOLLOWED;
		enc->used[enc->n_used++] = type;
	}
	if (s->order != enc->order_last) {
		buf_varint(&enc->order, enc->n - enc->order_at);
		buf_svarint(&enc->order, (int64_t)s->order - (int64_t)enc->order_last);
		enc->order_at = enc->n;
		enc->order_last = s->order;
	}
	a->t = t;
	a->type = et;
	a->at = et->events++;
	a->payload = payload;
	a->size = size;
	a->row[FORMAT_F_TIME] = t_ns;
	enc->kinds[enc->n++] = (uint8_t)et->local;

	if (!(a->at % TIMES_ROOM) && !numbers_room(&et->times, TIMES_ROOM))
		return -ENOMEM;
	numbers_put(&et->times, t_ns - enc->last_ns);
	st->t_ns = enc->last_ns = t_ns;
	if (st->tids[st->current] != s->tid) {
		uint32_t before = st->current;

		st->current = encode_add_task(a, &t->coded[FORMAT_F_TID], s->tid);
		digest_note_sample(enc, st->current, before);
	}
	a->row[FORMAT_F_TID] = st->current;
	if (st->cells[(size_t)st->current * st->n_cells] != (uint64_t)(int64_t)s->pid)
		encode_add_value(a, &t->coded[FORMAT_F_PID], (uint64_t)(int64_t)s->pid);
	if (s->mode != st->slots[0])
		encode_add_value(a, &t->coded[FORMAT_F_MODE], s->mode);
	et->add(a);
	st->followed = et->followed;
	return enc->failed ? -ENOMEM : 0;
}

void format_encoder_drop(struct format_encoder *enc)
{
	enc->n = 0;
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
			  struct block_digest **digest)
{
	struct column_sink *s = &enc->sink;
	uint32_t column = FORMAT_COL_FIELDS;
	struct buf *pool = &enc->pool;
	size_t stored;
	int ret = 0;

	*info = (struct format_block){ enc->cpu, enc->n, enc->first_ns, enc->last_ns,
				       enc->foreign };
	column_sink_reset(s);
	write_tables(enc);
	for (uint32_t k = 0; k < enc->n_used; k++) {
		uint32_t type = enc->used[k];
		const struct format_type *t = enc->schema->types.at[type];
		struct encode_type *et = &enc->types[type];

		for (uint32_t i = 0; i < t->n_coded; i++, column++) {
			const struct format_field *f = &t->coded[i];

			bool task = format_model_is_task(f->model.kind);

			if (i == FORMAT_F_TIME) {
				column_write_numbers(s, column, &et->times);
				continue;
			}
			column_write(s, column, &et->columns[i], et->events,
				     task || f->kind > CDICT_FIELD_INT,
				     f->model.kind == FORMAT_NEXT ||
					     f->model.kind == FORMAT_WAKEE ||
					     f->model.kind == FORMAT_CURRENT);
		}
	}

	buf_varint(out, enc->cpu + 1u); /* 0: unknown */
	buf_varint(out, enc->n);
	buf_varint(out, enc->first_ns);
	buf_varint(out, enc->last_ns - enc->first_ns);
	buf_varint(out, enc->n_used);
	for (uint32_t k = 0; k < enc->n_used; k++) {
		buf_varint(out, enc->used[k]);
		buf_varint(out, enc->types[enc->used[k]].events);
	}
	buf_varint(out, enc->st.n_tasks);
	buf_varint(out, enc->n_entries);
	buf_varint(out, s->dir.len);
	buf_varint(out, s->n_own);

	/* Stream 0: bits. Stream 1: directory and small parts, together. */
	buf_varint(out, s->bits.len);
	buf_add(&s->dir, s->pool.data, s->pool.len);
	stored = codec_deflate(s->codec, enc->n < POOL_TEXT_EVENTS ? CODEC_TEXT : CODEC_HUFFMAN,
			       s->dir.data, s->dir.len, pool);
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
	if (digest) {
		*digest = ret ? NULL : digest_collect(enc);
		ret = enc->failed ? -ENOMEM : ret;
	}
	pool->len = 0;
	enc->n = 0;
	return ret;
}
