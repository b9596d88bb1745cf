/* SPDX-License-Identifier: LGPL-2.1-only */
/* The payload of an EVNT block -> events. Every number in it is untrusted. */
#include "format/decode.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "format/codec.h"
#include "format/state.h"

#define NO_MISS UINT32_MAX
#define PAD 16u /* zero bytes after every stream, so that bits can be read by words */

struct stream {
	const uint8_t *at;
	size_t left;
};

/* A column being read. */
struct reading {
	uint8_t coding; /* without FORMAT_DENSE */
	bool dense;
	uint32_t next;      /* number of the next event that missed, NO_MISS after the last */
	uint32_t misses;    /* of a sparse column, still to come */
	struct cursor gaps;
	struct cursor symbols;
	const uint8_t *bits;
	uint64_t bit, bit_end;
	const uint64_t *dict;
	uint32_t n_dict;
};

struct format_decoder {
	const struct cdict_schema *schema;
	struct state st;
	struct codec *codec;
	uint8_t *raw; /* all streams of the block, inflated */
	size_t raw_cap;
	struct stream *streams;
	size_t n_streams, cap_streams;
	struct reading *columns;
	uint32_t cap_columns;
	uint64_t *dict; /* tables of all columns */
	size_t n_dict, cap_dict;
	struct cdict_bytes *bytes;
	uint32_t n_bytes, cap_bytes;
	uint32_t used[UINT8_MAX + 1], base[UINT8_MAX + 1], events[UINT8_MAX + 1];
	uint32_t n_used;
	struct cursor kinds, order;
	uint32_t order_now, order_left; /* events until the pass changes */
	struct format_block info;
	uint32_t n; /* events given */
	uint64_t values[FORMAT_MAX_FIELDS];
};

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

static int damaged(struct cdict_error *err, const char *what)
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

	if (!cursor_ok(c) || cpu > UINT32_MAX || !events || events > FORMAT_BLOCK_EVENTS ||
	    length > UINT64_MAX - first)
		return false;
	*info = (struct format_block){ (uint32_t)cpu - 1u, (uint32_t)events, first,
				       first + length };
	return true;
}

int format_block_peek(const void *payload, size_t size, struct format_block *info,
		      uint64_t *counts, size_t n_counts, struct cdict_error *err)
{
	struct cursor c = cursor_init(payload, size, false);
	uint64_t n;

	if (!read_info(&c, info))
		return damaged(err, "its head cannot be read");
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
		return damaged(err, "more streams than bytes");
	dec->n_streams = (size_t)n_own + 2;
	for (size_t i = 0; i < dec->n_streams; i++) {
		if (!read_extent(c, i, &e))
			return damaged(err, "a stream cannot be");
		raw += e.raw + PAD;
		stored += e.stored;
	}
	if (stored > c->left || raw > 2ull * FORMAT_BLOCK_MAX)
		return damaged(err, "its streams are longer than the block");
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
			return damaged(err, "a stream does not inflate");
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

/* Moves a sparse column to its next miss. */
static void next_miss(struct reading *r)
{
	uint64_t gap;

	if (!r->misses) {
		r->next = NO_MISS;
		return;
	}
	r->misses--;
	gap = cursor_varint(&r->gaps);
	/* Past the block's events it is never reached. */
	r->next = gap > FORMAT_BLOCK_EVENTS || !cursor_ok(&r->gaps) ?
			  NO_MISS :
			  (uint32_t)(r->next + 1 + gap);
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
		return damaged(err, "a column has an unknown coding");
	r->next = 0;
	if (!r->dense) {
		n = cursor_varint(dir);
		size = cursor_varint(dir);
		if (!cursor_ok(dir) || n > FORMAT_BLOCK_EVENTS ||
		    !stream_take(dec, FORMAT_STREAM_POOL, size, &r->gaps))
			return damaged(err, "a column's gaps cannot be read");
		r->misses = (uint32_t)n;
		r->next = UINT32_MAX; /* the first gap counts from event 0 */
		next_miss(r);
	}
	if (r->coding == FORMAT_C_DICT) {
		n = cursor_varint(dir);
		size = cursor_varint(dir);
		if (!cursor_ok(dir) || !stream_take(dec, FORMAT_STREAM_POOL, size, &part) ||
		    n > part.left)
			return damaged(err, "a column's table cannot be read");
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
			return damaged(err, "a column's table cannot be read");
	} else if (r->coding <= FORMAT_C_RAW) {
		size = cursor_varint(dir);
		if (!cursor_ok(dir) || !stream_take(dec, FORMAT_STREAM_BITS, size, &part))
			return damaged(err, "a column's bits cannot be read");
		r->bits = part.at;
		r->bit = 0;
		r->bit_end = size * 8;
	}
	if (!take_part(dec, dir, &r->symbols))
		return damaged(err, "a column's symbols cannot be read");
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
		return damaged(err, "its table of tasks cannot be read");
	for (uint64_t i = 0; i < n_tasks; i++) {
		tid = (int64_t)((uint64_t)tid + (uint64_t)cursor_svarint(&c));
		if (state_task_add(&dec->st, (int32_t)tid) == STATE_NONE)
			return no_memory(err);
	}
	if (!cursor_ok(&c))
		return damaged(err, "its table of tasks cannot be read");
	c = tables[FORMAT_COL_BYTES_LEN];
	if (!n_bytes || n_bytes - 1 > c.left)
		return damaged(err, "its table of strings cannot be read");
	if (!fit((void **)&dec->bytes, &cap, (size_t)n_bytes, sizeof(*dec->bytes)))
		return no_memory(err);
	dec->cap_bytes = (uint32_t)cap;
	dec->n_bytes = (uint32_t)n_bytes;
	dec->bytes[0] = (struct cdict_bytes){ (const uint8_t *)"", 0 };
	for (uint64_t i = 1; i < n_bytes; i++) {
		uint64_t len = cursor_varint(&c);
		const uint8_t *p = len <= text.left ? cursor_take(&text, (size_t)len) : NULL;

		if (!p || !cursor_ok(&c))
			return damaged(err, "its table of strings cannot be read");
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
			return damaged(err, "its directory cannot be read");
		id += skip;
		if (id - 1 < FORMAT_COL_FIELDS) {
			if (!take_part(dec, dir, &tables[id - 1]))
				return damaged(err, "a table cannot be read");
			continue;
		}
		/* A column of a later minor version is read over. */
		ret = open_column(dec,
				  id - 1 - FORMAT_COL_FIELDS < n_columns ?
					  &dec->columns[id - 1 - FORMAT_COL_FIELDS] :
					  &unknown,
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
		return damaged(err, "its head cannot be read");
	n_used = cursor_varint(&c);
	if (!n_used || n_used > UINT8_MAX + 1)
		return damaged(err, "its types cannot be read");
	for (uint32_t k = 0; k < n_used; k++) {
		uint64_t type = cursor_varint(&c), events = cursor_varint(&c);

		if (!cursor_ok(&c) || type >= dec->schema->n)
			return damaged(err, "it names an event type that is not there");
		if (events > dec->info.events - sum)
			return damaged(err, "its types have more events than it has");
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
		return damaged(err, "its head cannot be read");
	if (sum != dec->info.events)
		return damaged(err, "its types have fewer events than it has");
	/* Each was brought by a field of an event. */
	if (n_tasks > fields || n_bytes > fields)
		return damaged(err, "it has more tasks or strings than fields");
	ret = open_streams(dec, &c, n_own, err);
	if (ret < 0)
		return ret;
	if (!stream_take(dec, FORMAT_STREAM_POOL, dir_len, &dir))
		return damaged(err, "its directory cannot be read");
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
	if (n_used > 1 && dec->kinds.left != (n_used > FORMAT_PAIRED ? dec->info.events :
									(dec->info.events + 1) / 2))
		return damaged(err, "it has more events than kinds");
	dec->order = tables[FORMAT_COL_ORDER];
	dec->order_now = (uint32_t)cursor_varint(&dec->order);
	dec->order_left = dec->order.left ? (uint32_t)cursor_varint(&dec->order) : UINT32_MAX;
	dec->st.t_ns = dec->info.first_ns;
	return 0;
}

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
	b = (sym + 2u) / 2 - 2;
	if (b > r->bit_end - r->bit)
		return false;
	p = r->bits + (r->bit >> 3);
	shift = r->bit & 7;
	v = le64(p) >> shift;
	if (shift + b > 64)
		v |= (uint64_t)p[8] << (64 - shift);
	v &= b ? ~0ull >> (64 - b) : 0;
	r->bit += b;
	*out = (2ull | (sym & 1)) << b | v;
	return true;
}

/* What the column says of event @at: 0 as predicted, 1 and a number, or -1. */
static inline int take_miss(struct reading *r, uint32_t at, uint64_t *number)
{
	uint64_t sym;

	if (!r->dense) {
		if (r->next != at)
			return 0;
		next_miss(r);
	}
	if (r->coding <= FORMAT_C_RAW) {
		sym = cursor_u8(&r->symbols);
		if (sym == FORMAT_SYM_HIT)
			return 0;
		return cursor_ok(&r->symbols) && sym < FORMAT_SYM_HIT &&
				       take_number(r, (uint8_t)sym, number) ?
			       1 :
			       -1;
	}
	sym = cursor_varint(&r->symbols);
	if (!cursor_ok(&r->symbols))
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

static inline bool take_task(struct format_decoder *dec, const struct format_field *f,
			     struct reading *r, uint32_t at, uint64_t *row, uint32_t i)
{
	struct state *st = &dec->st;
	uint64_t code = 0;
	uint32_t task;
	int ret = take_miss(r, at, &code);

	if (!ret) {
		task = state_predict_task(st, f, row);
	} else if (ret < 0 || r->coding != FORMAT_C_CODE) {
		return false;
	} else if (f->model.kind == FORMAT_NEXT || f->model.kind == FORMAT_WAKEE) {
		task = code < STATE_RANKS - 1 ? state_ranks(st, f, row)[code + 1] :
						(uint32_t)(code - (STATE_RANKS - 1));
	} else {
		task = (uint32_t)code;
	}
	if (code > UINT32_MAX || task >= st->n_tasks)
		return false;
	row[i] = task;
	return true;
}

static inline bool take_value(struct format_decoder *dec, const struct format_field *f,
			      struct reading *r, uint32_t at, const uint64_t *row, uint64_t *out)
{
	uint64_t v;
	int ret = take_miss(r, at, &v);

	if (ret < 0)
		return false;
	if (f->kind > CDICT_FIELD_INT) {
		*out = ret ? v : state_predict(&dec->st, f, row);
		return (!ret || r->coding == FORMAT_C_CODE) && *out < dec->n_bytes;
	}
	if (!ret)
		v = state_predict(&dec->st, f, row);
	else if (r->coding == FORMAT_C_SIGNED)
		v = state_predict(&dec->st, f, row) + ((v >> 1) ^ (0 - (v & 1)));
	else if (r->coding == FORMAT_C_DELTA)
		v += state_predict(&dec->st, f, row);
	*out = v;
	return true;
}

/* A field that its column does not mention: it is what the models predict, and mostly
 * that changes nothing. False when it takes the long way. */
static inline bool take_predicted(struct format_decoder *dec, const struct format_field *f,
				  uint64_t *row)
{
	const struct state *st = &dec->st;
	uint64_t v;

	switch (f->path) {
	case FORMAT_PATH_SAMETASK:
	case FORMAT_PATH_CURRENT:
	case FORMAT_PATH_WOKEN:
		v = f->path == FORMAT_PATH_CURRENT ? st->current :
		    f->path == FORMAT_PATH_WOKEN   ? st->woken :
						     row[f->model.who];
		row[f->index] = v;
		v = (uint64_t)(int64_t)st->tids[v];
		dec->values[f->value] = f->kind == CDICT_FIELD_UINT ? (uint32_t)v : v;
		return true;
	case FORMAT_PATH_CELL:
	case FORMAT_PATH_COMM:
		v = st->cells[row[f->model.who] * st->n_cells + f->model.cell];
		if (v == STATE_UNSET || (f->path == FORMAT_PATH_COMM && v >= dec->n_bytes))
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

static inline bool mentions(const struct reading *r, uint32_t at)
{
	return r->dense || r->next == at;
}

int format_decoder_next(struct format_decoder *dec, struct cdict_event *ev, uint32_t *order,
			struct cdict_error *err)
{
	uint64_t row[FORMAT_F_SAMPLE + FORMAT_MAX_FIELDS], number;
	struct state *st = &dec->st;
	const struct format_type *t;
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
		return damaged(err, "an event is of no type");
	if (dec->order_left-- == 0) {
		dec->order_now += (uint32_t)cursor_svarint(&dec->order);
		dec->order_left =
			dec->order.left ? (uint32_t)cursor_varint(&dec->order) - 1 : UINT32_MAX;
	}
	t = dec->schema->types[dec->used[kind]];
	r = &dec->columns[dec->base[kind]];
	at = dec->events[kind]++;

	ret = take_miss(&r[FORMAT_F_TIME], at, &number);
	if (ret < 0 || (ret && number > dec->info.last_ns - st->t_ns))
		return damaged(err, "a time lies outside it");
	if (ret)
		st->t_ns += number;
	row[FORMAT_F_TIME] = st->t_ns;
	if (!take_task(dec, &t->coded[FORMAT_F_TID], &r[FORMAT_F_TID], at, row, FORMAT_F_TID))
		goto bad;
	st->current = (uint32_t)row[FORMAT_F_TID];
	for (uint32_t i = FORMAT_F_PID; i < FORMAT_F_SAMPLE; i++) {
		if (!take_value(dec, &t->coded[i], &r[i], at, row, &row[i]))
			goto bad;
		state_update(st, &t->coded[i], row, row[i]);
	}
	for (uint32_t i = FORMAT_F_SAMPLE; i < t->n_coded; i++) {
		const struct format_field *f = &t->coded[i];

		if (!mentions(&r[i], at) && take_predicted(dec, f, row))
			continue;
		if (format_model_is_task(f->model.kind)) {
			if (!take_task(dec, f, &r[i], at, row, i))
				goto bad;
			state_update_task(st, f, row, (uint32_t)row[i]);
			dec->values[f->value] = (uint64_t)(int64_t)st->tids[row[i]];
			if (f->kind == CDICT_FIELD_UINT)
				dec->values[f->value] &= ~0ull >> (64 - 8 * f->size);
			continue;
		}
		if (!take_value(dec, f, &r[i], at, row, &row[i]))
			goto bad;
		state_update(st, f, row, row[i]);
		dec->values[f->value] = row[i];
	}
	dec->n++;
	st->followed = kind < FORMAT_FOLLOWED ? kind : FORMAT_FOLLOWED;
	*ev = (struct cdict_event){
		.t_ns = st->t_ns,
		.cpu = dec->info.cpu,
		.pid = (int32_t)row[FORMAT_F_PID],
		.tid = st->tids[row[FORMAT_F_TID]],
		.mode = (uint8_t)row[FORMAT_F_MODE],
		.type = &t->pub,
		.values = dec->values,
		.bytes = dec->bytes,
	};
	*order = dec->order_now;
	return 1;
bad:
	return damaged(err, "a column contradicts itself");
}
