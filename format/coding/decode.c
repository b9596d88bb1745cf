/* SPDX-License-Identifier: LGPL-2.1-only */
/* The payload of an EVNT block -> events. Every number in it is untrusted. */
#include "format/coding/decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/coding/decode_internal.h"

struct format_decoder *format_decoder_new(const struct cdict_schema *schema)
{
	struct format_decoder *dec = calloc(1, sizeof(*dec));

	if (!dec)
		return NULL;
	dec->schema = schema;
	dec->codec = codec_new();
	if (!dec->codec) {
		free(dec);
		return NULL;
	}
	return dec;
}

void format_decoder_free(struct format_decoder *dec)
{
	if (!dec)
		return;
	decode_return_borrowed(dec);
	state_fini(&dec->st);
	codec_free(dec->codec);
	free(dec->raw);
	free(dec->streams);
	free(dec->columns);
	free(dec->place);
	free(dec->dict);
	free(dec->bytes);
	free(dec);
}

void format_decoder_use(struct format_decoder *dec, const struct format_plan *plan)
{
	dec->plan = plan;
}

int decode_damaged(struct cdict_error *err, const char *what)
{
	return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET, "event block: %s", what);
}

static int no_memory(struct cdict_error *err)
{
	return cdict_fail_nomem(err);
}

static bool read_info(struct cursor *c, struct format_block *info)
{
	uint64_t cpu = cursor_varint(c), events = cursor_varint(c);
	uint64_t first = cursor_varint(c), length = cursor_varint(c);

	if (!cursor_ok(c) || cpu > FORMAT_MAX_CPUS || !events || events > FORMAT_BLOCK_EVENTS ||
	    length > UINT64_MAX - first)
		return false;
	*info = (struct format_block){ .cpu = (uint32_t)cpu - 1u,
				       .events = (uint32_t)events,
				       .first_ns = first,
				       .last_ns = first + length };
	return true;
}

int format_block_peek(const void *payload, size_t size, struct format_block *info, uint64_t *counts,
		      size_t n_counts, struct cdict_error *err)
{
	struct cursor c = cursor_init(payload, size, false);
	uint64_t n;

	if (!read_info(&c, info))
		return decode_damaged(err, "its head cannot be read");
	n = cursor_varint(&c);
	for (uint64_t i = 0; counts && i < n && cursor_ok(&c); i++) {
		uint64_t type = cursor_varint(&c), events = cursor_varint(&c);

		if (type < n_counts && events <= info->events)
			counts[type] += events;
	}
	return 0;
}

/* Tables before the columns of fields. */
static int open_tables(struct format_decoder *dec, const struct cursor tables[FORMAT_COL_FIELDS],
		       uint64_t n_tasks, uint64_t n_bytes, struct cdict_error *err)
{
	struct cursor c = tables[FORMAT_COL_TIDS], text = tables[FORMAT_COL_BYTES];
	size_t cap = dec->cap_bytes;
	int64_t tid = 0;

	if (!n_tasks || n_tasks > c.left)
		return decode_damaged(err, "its table of tasks cannot be read");
	for (uint64_t i = 0; i < n_tasks; i++) {
		tid = (int64_t)((uint64_t)tid + (uint64_t)cursor_svarint(&c));
		if (state_task_add(&dec->st, (int32_t)tid) == STATE_NONE)
			return no_memory(err);
	}
	if (!cursor_ok(&c))
		return decode_damaged(err, "its table of tasks cannot be read");
	c = tables[FORMAT_COL_BYTES_LEN];
	if (!n_bytes || n_bytes - 1 > c.left)
		return decode_damaged(err, "its table of strings cannot be read");
	if (!decode_fit((void **)&dec->bytes, &cap, (size_t)n_bytes, sizeof(*dec->bytes)))
		return no_memory(err);
	dec->cap_bytes = (uint32_t)cap;
	dec->n_bytes = (uint32_t)n_bytes;
	dec->bytes[0] = (struct cdict_bytes){ (const uint8_t *)"", 0 };
	for (uint64_t i = 1; i < n_bytes; i++) {
		uint64_t len = cursor_varint(&c);
		const uint8_t *p = len <= text.left ? cursor_take(&text, (size_t)len) : NULL;

		if (!p || !cursor_ok(&c))
			return decode_damaged(err, "its table of strings cannot be read");
		dec->bytes[i] = (struct cdict_bytes){ p, (size_t)len };
	}
	return 0;
}

static int open_block(struct format_decoder *dec, const void *payload, size_t size,
		      struct cdict_error *err)
{
	struct format_type *const *types = dec->plan ? dec->plan->types : dec->schema->types.at;
	struct cursor c = cursor_init(payload, size, false), dir;
	struct bytes part;
	struct cursor tables[FORMAT_COL_FIELDS];
	uint64_t n_used, n_tasks, n_bytes, dir_len, n_own, sum = 0, fields = 1;
	uint32_t n_columns = 0;
	int ret;

	dec->n = 0;
	dec->info.events = 0;
	if (!state_reset(&dec->st, dec->schema))
		return no_memory(err);
	if (!read_info(&c, &dec->info))
		return decode_damaged(err, "its head cannot be read");
	n_used = cursor_varint(&c);
	if (!n_used || n_used > UINT8_MAX + 1)
		return decode_damaged(err, "its types cannot be read");
	for (uint32_t k = 0; k < n_used; k++) {
		uint64_t type = cursor_varint(&c), events = cursor_varint(&c);

		if (!cursor_ok(&c) || type >= dec->schema->types.n ||
		    (dec->plan && type >= dec->plan->n))
			return decode_damaged(err, "it names an unknown event type");
		if (events > dec->info.events - sum)
			return decode_damaged(err, "its types have more events than it has");
		sum += events;
		fields += events * dec->schema->types.at[type]->n_coded;
		dec->used[k] = (struct decode_kind){ .pub = &dec->schema->types.at[type]->pub,
						     .type = types[type],
						     .fields = decode_fields_of(types[type]) };
		n_columns += dec->schema->types.at[type]->n_coded;
	}
	dec->n_used = (uint32_t)n_used;
	n_tasks = cursor_varint(&c);
	n_bytes = cursor_varint(&c);
	dir_len = cursor_varint(&c);
	n_own = cursor_varint(&c);
	if (!cursor_ok(&c))
		return decode_damaged(err, "its head cannot be read");
	if (sum != dec->info.events)
		return decode_damaged(err, "its types have fewer events than it has");
	/* Each comes from a field of an event. */
	if (n_tasks > fields || n_bytes > fields)
		return decode_damaged(err, "it has more tasks or strings than fields");
	ret = decode_open_streams(dec, &c, n_own, err);
	if (ret < 0)
		return ret;
	if (!decode_stream_take(dec, FORMAT_STREAM_POOL, dir_len, &part))
		return decode_damaged(err, "its directory cannot be read");
	dir = cursor_init(part.at, (size_t)dir_len, false);
	ret = decode_place_columns(dec, n_columns, err);
	if (ret < 0)
		return ret;
	for (int i = 0; i < FORMAT_COL_FIELDS; i++)
		tables[i] = cursor_init("", 0, false);
	ret = decode_open_columns(dec, &dir, tables, n_columns, err);
	if (ret < 0)
		return ret;
	for (uint32_t i = 0; i < dec->n_columns; i++)
		if (dec->columns[i].coding == FORMAT_C_DICT && dec->dict)
			dec->columns[i].dict = dec->dict + dec->columns[i].dict_at;
	ret = open_tables(dec, tables, n_tasks, n_bytes, err);
	if (ret < 0)
		return ret;
	dec->kinds = tables[FORMAT_COL_KIND];
	if (n_used > 1 && dec->kinds.left != (n_used > FORMAT_PAIRED ? dec->info.events
								     : (dec->info.events + 1) / 2))
		return decode_damaged(err, "it has more events than kinds");
	dec->order = tables[FORMAT_COL_ORDER];
	dec->order_now = (uint32_t)cursor_varint(&dec->order);
	dec->order_left = dec->order.left ? (uint32_t)cursor_varint(&dec->order) : UINT32_MAX;
	dec->st.t_ns = dec->info.first_ns;
	return 0;
}

int format_decoder_open(struct format_decoder *dec, const void *payload, size_t size,
			struct cdict_error *err)
{
	int ret;

	dec->no_memory = false;
	decode_return_borrowed(dec);
	ret = open_block(dec, payload, size, err);
	return dec->no_memory ? cdict_fail_nomem(err) : ret;
}

size_t format_decoder_give(struct format_decoder *dec, void **raw, void **bytes)
{
	size_t size = dec->raw_cap + dec->cap_bytes * sizeof(*dec->bytes);

	*raw = dec->raw;
	*bytes = dec->bytes;
	dec->raw = NULL;
	dec->bytes = NULL;
	dec->raw_cap = dec->cap_bytes = 0;
	dec->info.events = dec->n = 0; /* no more of it can be read */
	return size;
}
