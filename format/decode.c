/* SPDX-License-Identifier: LGPL-2.1-only */
/* The payload of an EVNT block -> events. Every number in it is untrusted. */
#include "format/decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/decode_internal.h"

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
	state_fini(&dec->st);
	codec_free(dec->codec);
	free(dec->raw);
	free(dec->streams);
	free(dec->columns);
	free(dec->dict);
	free(dec->bytes);
	free(dec);
}

int decode_damaged(struct cdict_error *err, const char *what)
{
	return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET, "event block: %s", what);
}

static int no_memory(struct cdict_error *err)
{
	return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
}

static bool read_info(struct cursor *c, struct format_block *info)
{
	uint64_t cpu = cursor_varint(c), events = cursor_varint(c);
	uint64_t first = cursor_varint(c), length = cursor_varint(c);

	if (!cursor_ok(c) || cpu > FORMAT_MAX_CPUS || !events || events > FORMAT_BLOCK_EVENTS ||
	    length > UINT64_MAX - first)
		return false;
	*info = (struct format_block){ (uint32_t)cpu - 1u, (uint32_t)events, first,
				       first + length };
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

static bool fit(void **p, size_t *cap, size_t n, size_t size)
{
	void *q;

	if (n <= *cap)
		return true;
	q = realloc(*p, n * size);
	if (!q)
		return false;
	*p = q;
	*cap = n;
	return true;
}

/* Where one stream lies in the payload, and how long it is inflated. */
struct extent {
	uint64_t codec, raw, stored;
};

static bool read_extent(struct cursor *c, size_t i, struct extent *e)
{
	if (i == FORMAT_STREAM_BITS) {
		*e = (struct extent){ FORMAT_STORED, cursor_varint(c), 0 };
		e->stored = e->raw;
	} else if (i == FORMAT_STREAM_POOL) {
		e->raw = cursor_varint(c);
		e->stored = cursor_varint(c);
		e->codec = e->stored ? FORMAT_DEFLATE : FORMAT_STORED;
		if (!e->stored)
			e->stored = e->raw;
	} else {
		e->codec = cursor_varint(c);
		e->raw = cursor_varint(c);
		e->stored = cursor_varint(c);
	}
	return cursor_ok(c) && e->codec <= FORMAT_DEFLATE && e->raw <= FORMAT_BLOCK_MAX &&
	       e->stored <= FORMAT_BLOCK_MAX &&
	       (e->codec == FORMAT_DEFLATE || e->raw == e->stored) &&
	       codec_plausible(e->stored, e->raw);
}

static int open_streams(struct format_decoder *dec, struct cursor *c, uint64_t n_own,
			struct cdict_error *err)
{
	struct cursor again = *c;
	uint64_t raw = 0, stored = 0;
	struct extent e;
	uint8_t *out;

	/* A stream of its own takes three bytes in the table at least. */
	if (n_own > c->left / 3)
		return decode_damaged(err, "more streams than bytes");
	dec->n_streams = (size_t)n_own + 2;
	for (size_t i = 0; i < dec->n_streams; i++) {
		if (!read_extent(c, i, &e))
			return decode_damaged(err, "a stream cannot be");
		raw += e.raw + PAD;
		stored += e.stored;
	}
	if (stored > c->left || raw > 2ull * FORMAT_BLOCK_MAX)
		return decode_damaged(err, "its streams are longer than the block");
	if (!fit((void **)&dec->streams, &dec->cap_streams, dec->n_streams,
		 sizeof(*dec->streams)) ||
	    !fit((void **)&dec->raw, &dec->raw_cap, (size_t)raw, 1))
		return no_memory(err);
	out = dec->raw;
	for (size_t i = 0; i < dec->n_streams; i++) {
		const uint8_t *data;

		read_extent(&again, i, &e);
		data = cursor_take(c, (size_t)e.stored);
		if (e.codec == FORMAT_STORED)
			memcpy(out, data, (size_t)e.raw);
		else if (codec_inflate(dec->codec, data, (size_t)e.stored, out, (size_t)e.raw) < 0)
			return decode_damaged(err, "a stream does not inflate");
		dec->streams[i] = (struct stream){ out, (size_t)e.raw };
		memset(out + e.raw, 0, PAD);
		out += e.raw + PAD;
	}
	return 0;
}

/* The next @size bytes of stream @id. */
static bool stream_take(struct format_decoder *dec, uint64_t id, uint64_t size, struct cursor *out)
{
	struct stream *s;

	if (id >= dec->n_streams)
		return false;
	s = &dec->streams[id];
	if (size > s->left)
		return false;
	*out = cursor_init(s->at, (size_t)size, false);
	s->at += size;
	s->left -= (size_t)size;
	return true;
}

static bool take_part(struct format_decoder *dec, struct cursor *dir, struct cursor *out)
{
	uint64_t id = cursor_varint(dir), size = cursor_varint(dir);

	return cursor_ok(dir) && stream_take(dec, id, size, out);
}

static int open_column(struct format_decoder *dec, struct reading *r, unsigned coding,
		       struct cursor *dir, struct cdict_error *err)
{
	uint64_t n, size;
	struct cursor part;
	uint64_t last = 0;

	r->coding = coding & ~FORMAT_DENSE;
	r->dense = coding & FORMAT_DENSE;
	if (r->coding > FORMAT_C_CODE)
		return decode_damaged(err, "a column has an unknown coding");
	r->next = 0;
	if (!r->dense) {
		n = cursor_varint(dir);
		size = cursor_varint(dir);
		if (!cursor_ok(dir) || n > FORMAT_BLOCK_EVENTS ||
		    !stream_take(dec, FORMAT_STREAM_POOL, size, &r->gaps))
			return decode_damaged(err, "a column's gaps cannot be read");
		r->misses = (uint32_t)n;
		r->next = UINT32_MAX; /* the first gap counts from event 0 */
		decode_next_miss(r);
	}
	if (r->coding == FORMAT_C_DICT) {
		n = cursor_varint(dir);
		size = cursor_varint(dir);
		if (!cursor_ok(dir) || !stream_take(dec, FORMAT_STREAM_POOL, size, &part) ||
		    n > part.left)
			return decode_damaged(err, "a column's table cannot be read");
		if (!fit((void **)&dec->dict, &dec->cap_dict, dec->n_dict + (size_t)n,
			 sizeof(*dec->dict)))
			return no_memory(err);
		/* The array may still move: until all columns are open, an offset. */
		r->dict = NULL;
		r->bit = dec->n_dict;
		r->n_dict = (uint32_t)n;
		for (uint64_t i = 0; i < n; i++) {
			last += (uint64_t)cursor_svarint(&part);
			dec->dict[dec->n_dict++] = last;
		}
		if (!cursor_ok(&part))
			return decode_damaged(err, "a column's table cannot be read");
	} else if (r->coding <= FORMAT_C_RAW) {
		size = cursor_varint(dir);
		if (!cursor_ok(dir) || !stream_take(dec, FORMAT_STREAM_BITS, size, &part))
			return decode_damaged(err, "a column's bits cannot be read");
		r->bits = part.at;
		r->bit = 0;
		r->bit_end = size * 8;
	}
	if (!take_part(dec, dir, &r->symbols))
		return decode_damaged(err, "a column's symbols cannot be read");
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
	if (!fit((void **)&dec->bytes, &cap, (size_t)n_bytes, sizeof(*dec->bytes)))
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

static int open_columns(struct format_decoder *dec, struct cursor *dir,
			struct cursor tables[FORMAT_COL_FIELDS], uint32_t n_columns,
			struct cdict_error *err)
{
	uint64_t id = 0, skip;
	struct reading unknown = { 0 };
	int ret;

	for (uint32_t i = 0; i < n_columns; i++)
		dec->columns[i] = (struct reading){ .next = NO_MISS };
	dec->n_dict = 0;
	while (dir->left) {
		uint8_t coding;

		skip = cursor_varint(dir);
		coding = cursor_u8(dir);
		if (!cursor_ok(dir) || !skip || skip > UINT32_MAX)
			return decode_damaged(err, "its directory cannot be read");
		id += skip;
		if (id - 1 < FORMAT_COL_FIELDS) {
			if (!take_part(dec, dir, &tables[id - 1]))
				return decode_damaged(err, "a table cannot be read");
			continue;
		}
		/* A column of a later minor version is read over. */
		ret = open_column(dec,
				  id - 1 - FORMAT_COL_FIELDS < n_columns
					  ? &dec->columns[id - 1 - FORMAT_COL_FIELDS]
					  : &unknown,
				  coding, dir, err);
		if (ret < 0)
			return ret;
	}
	for (uint32_t i = 0; i < n_columns; i++)
		if (dec->columns[i].coding == FORMAT_C_DICT)
			dec->columns[i].dict = dec->dict + dec->columns[i].bit;
	return 0;
}

int format_decoder_open(struct format_decoder *dec, const void *payload, size_t size,
			struct cdict_error *err)
{
	struct cursor c = cursor_init(payload, size, false), dir;
	struct cursor tables[FORMAT_COL_FIELDS];
	uint64_t n_used, n_tasks, n_bytes, dir_len, n_own, sum = 0, fields = 1;
	uint32_t n_columns = 0;
	size_t cap;
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

		if (!cursor_ok(&c) || type >= dec->schema->n)
			return decode_damaged(err, "it names an event type that is not there");
		if (events > dec->info.events - sum)
			return decode_damaged(err, "its types have more events than it has");
		sum += events;
		fields += events * dec->schema->types[type]->n_coded;
		dec->used[k] = (uint32_t)type;
		dec->base[k] = n_columns;
		dec->events[k] = 0;
		n_columns += dec->schema->types[type]->n_coded;
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
	/* Each was brought by a field of an event. */
	if (n_tasks > fields || n_bytes > fields)
		return decode_damaged(err, "it has more tasks or strings than fields");
	ret = open_streams(dec, &c, n_own, err);
	if (ret < 0)
		return ret;
	if (!stream_take(dec, FORMAT_STREAM_POOL, dir_len, &dir))
		return decode_damaged(err, "its directory cannot be read");
	cap = dec->cap_columns;
	if (!fit((void **)&dec->columns, &cap, n_columns, sizeof(*dec->columns)))
		return no_memory(err);
	dec->cap_columns = (uint32_t)cap;
	for (int i = 0; i < FORMAT_COL_FIELDS; i++)
		tables[i] = cursor_init("", 0, false);
	ret = open_columns(dec, &dir, tables, n_columns, err);
	if (ret < 0)
		return ret;
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
