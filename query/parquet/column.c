// SPDX-License-Identifier: GPL-2.0-only
/* column.c - see column.h. */
#include "query/parquet/column.h"

#include <endian.h>
#include <zstd.h>

#include "query/parquet/encode.h"
#include "query/parquet/thrift.h"

enum {
	ZSTD_LEVEL = 1,         /* packed numbers hardly become smaller with more */
	ROWS_FIRST = 256,       /* of a page: grows */
	PAGE_BYTES = 1 << 20,   /* of texts, which end a page early */
	ENTRIES_MOST = 1 << 15, /* of a dictionary */
	TEXTS_MOST = 1 << 20,   /* bytes of them */
	DISTINCT_ANYWAY = 16,   /* values of a dictionary, however few use them */
	RANGE_TEXT_MOST = 64,   /* bytes of a text in the statistics */
	WORDS = 2 * sizeof(uint64_t),
};

int parquet_work_init(struct parquet_work *w)
{
	*w = (struct parquet_work){ .zstd = ZSTD_createCCtx(),
				    .ids = calloc(PARQUET_PAGE_ROWS, sizeof(*w->ids)),
				    .levels = calloc(PARQUET_PAGE_ROWS, sizeof(*w->levels)) };
	if (w->zstd && w->ids && w->levels)
		return 0;
	parquet_work_fini(w);
	return -ENOMEM;
}

void parquet_work_fini(struct parquet_work *w)
{
	ZSTD_freeCCtx(w->zstd);
	free(w->ids);
	free(w->levels);
	buf_fini(&w->page);
	buf_fini(&w->packed);
	*w = (struct parquet_work){ 0 };
}

void parquet_column_fini(struct parquet_column *c)
{
	free(c->values);
	free(c->defined);
	places_fini(&c->places);
	array_fini(&c->entries);
	buf_fini(&c->texts);
	buf_fini(&c->pages);
	buf_fini(&c->dictionary);
	buf_fini(&c->least_text);
	buf_fini(&c->most_text);
}

static bool is_text(const struct parquet_column *c)
{
	return c->type == PARQUET_TEXT || c->type == PARQUET_BYTES;
}

bool parquet_column_grow(struct parquet_column *c)
{
	size_t cap = c->cap ? 2 * c->cap : ROWS_FIRST;
	uint64_t *values;
	bool *defined;

	if (cap > PARQUET_PAGE_ROWS)
		cap = PARQUET_PAGE_ROWS;
	values = realloc(c->values, cap * sizeof(*values));
	if (values)
		c->values = values;
	defined = values ? realloc(c->defined, cap * sizeof(*defined)) : NULL;
	if (!defined) {
		c->failed = true;
		return false;
	}
	c->defined = defined;
	c->cap = cap;
	return true;
}

/* ---- distinct values ---- */

static void key_of(const void *array, uint32_t place, uint64_t ab[2])
{
	const struct parquet_entry *entries = array;

	ab[0] = entries[place].a;
	ab[1] = entries[place].b;
}

static uint32_t add_entry(struct parquet_column *c, const struct parquet_entry *entry)
{
	if (places_room(&c->places, key_of, c->entries.at) || array_push(&c->entries, *entry)) {
		c->failed = true;
		return 0;
	}
	places_add(&c->places, entry->a, entry->b, (uint32_t)c->entries.n - 1);
	return (uint32_t)c->entries.n - 1;
}

static void forget_entries(struct parquet_column *c)
{
	if (c->entries.n)
		places_fini(&c->places);
	c->entries.n = 0;
	c->texts.len = 0;
	c->latest = 0;
}

static uint32_t number_entry(struct parquet_column *c, uint64_t v)
{
	uint32_t i;

	for (size_t at = places_begin(&c->places, v, 0); places_at(&c->places, at, &i);
	     at = places_next(&c->places, at))
		if (c->entries.at[i].a == v)
			return i;
	return add_entry(c, &(struct parquet_entry){ .a = v });
}

/* Two words of a text: all of it, with its length, if it is short. */
static void text_words(const struct parquet_column *c, const char *data, size_t len, uint64_t ab[2])
{
	uint64_t words[2] = { 0, 0 };

	if (len < WORDS) {
		memcpy(words, data, len);
		ab[0] = words[0];
		ab[1] = words[1] ^ htole64((uint64_t)len << 56);
		return;
	}
	ab[0] = ab[1] = len;
	for (size_t at = 0; at < len; at += WORDS) {
		size_t from = len - at < WORDS ? len - WORDS : at;

		memcpy(words, data + from, WORDS);
		ab[0] = places_hash(c->seed, ab[0] ^ words[0], words[1]);
		ab[1] = ab[1] * 31 + words[0] + (words[1] << 1);
	}
}

static bool same_text(const struct parquet_column *c, const struct parquet_entry *e,
		      const char *data, size_t len)
{
	return e->len == len && !memcmp(c->texts.data + e->at, data, len);
}

static uint32_t text_entry(struct parquet_column *c, const char *data, size_t len)
{
	struct parquet_entry new = { .at = c->texts.len, .len = len };
	uint64_t ab[2];
	uint32_t i;

	if (c->entries.n && same_text(c, &c->entries.at[c->latest], data, len))
		return c->latest;
	if (!c->seed)
		c->seed = places_seed(c);
	text_words(c, data, len, ab);
	for (size_t at = places_begin(&c->places, ab[0], ab[1]); places_at(&c->places, at, &i);
	     at = places_next(&c->places, at))
		if (c->entries.at[i].a == ab[0] && c->entries.at[i].b == ab[1] &&
		    same_text(c, &c->entries.at[i], data, len))
			return i;
	new.a = ab[0];
	new.b = ab[1];
	buf_add(&c->texts, data, len);
	if (c->texts.failed)
		c->failed = true;
	return c->failed ? 0 : add_entry(c, &new);
}

void parquet_column_text(struct parquet_column *c, const char *data, size_t len)
{
	if (!parquet_column_room(c) || c->failed)
		return;
	c->latest = text_entry(c, data, len);
	c->defined[c->rows++] = true;
	c->values[c->n++] = c->latest;
	c->bytes += len;
}

/* ---- statistics ---- */

static int compare(const void *a, size_t a_len, const void *b, size_t b_len)
{
	int order = memcmp(a, b, a_len < b_len ? a_len : b_len);

	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static void set_text(struct buf *to, const void *data, size_t len)
{
	to->len = 0;
	buf_add(to, data, len);
}

/* Extends the range by the entries, if they are texts. */
static void range_of_texts(struct parquet_column *c)
{
	if (!is_text(c))
		return;
	for (size_t i = 0; i < c->entries.n && !c->failed; i++) {
		const struct parquet_entry *e = &c->entries.at[i];
		const uint8_t *data = c->texts.data + e->at;

		if (e->len > RANGE_TEXT_MOST)
			c->long_text = true;
		if (c->long_text)
			return;
		if (!c->has_range ||
		    compare(data, e->len, c->least_text.data, c->least_text.len) < 0)
			set_text(&c->least_text, data, e->len);
		if (!c->has_range || compare(data, e->len, c->most_text.data, c->most_text.len) > 0)
			set_text(&c->most_text, data, e->len);
		c->has_range = true;
		c->failed |= c->least_text.failed || c->most_text.failed;
	}
}

static double real_of(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static void range_of_page(struct parquet_column *c)
{
	size_t i = 0;

	if (is_text(c) || !c->n)
		return;
	if (!c->has_range)
		c->least = c->most = c->values[0];
	c->has_range = true;
	if (c->type == PARQUET_INT64) {
		for (; i < c->n; i++) {
			int64_t v = (int64_t)c->values[i];

			c->least = v < (int64_t)c->least ? c->values[i] : c->least;
			c->most = v > (int64_t)c->most ? c->values[i] : c->most;
		}
		return;
	}
	for (; i < c->n; i++) { /* SQLite has no NaN */
		c->least = real_of(c->values[i]) < real_of(c->least) ? c->values[i] : c->least;
		c->most = real_of(c->values[i]) > real_of(c->most) ? c->values[i] : c->most;
	}
}

/* ---- pages ---- */

/* Adds the page in @w with Parquet's PageHeader; @kind: 0 a data page, 2 a dictionary. */
static void add_page(struct parquet_column *c, struct parquet_work *w, struct buf *to, int kind,
		     size_t n, enum parquet_encoding encoding)
{
	size_t room = ZSTD_compressBound(w->page.len), size = 0, begin = to->len;
	struct thrift t = { .out = to };

	w->packed.len = 0;
	if (buf_room(&w->packed, room))
		size = ZSTD_compressCCtx(w->zstd, w->packed.data, room, w->page.data, w->page.len,
					 ZSTD_LEVEL);
	if (w->packed.failed || w->page.failed || ZSTD_isError(size)) {
		c->failed = true;
		return;
	}
	thrift_i32(&t, 1, kind);
	thrift_i32(&t, 2, (int32_t)w->page.len);
	thrift_i32(&t, 3, (int32_t)size);
	thrift_struct(&t, kind ? 7 : 5);
	thrift_i32(&t, 1, (int32_t)n);
	thrift_i32(&t, 2, encoding);
	if (!kind) {
		thrift_i32(&t, 3, PARQUET_RLE); /* of the bits for NULL */
		thrift_i32(&t, 4, PARQUET_RLE); /* of repetitions, which do not occur */
	}
	thrift_end(&t);
	thrift_end(&t);
	c->plain_bytes += to->len - begin + w->page.len;
	c->encodings |= 1u << encoding;
	buf_add(to, w->packed.data, size);
	c->failed |= to->failed;
}

static void add_plain(const struct parquet_column *c, struct buf *out, uint64_t v)
{
	const struct parquet_entry *e;

	if (!is_text(c)) {
		buf_le64(out, v);
		return;
	}
	e = &c->entries.at[v];
	buf_le32(out, (uint32_t)e->len);
	buf_add(out, c->texts.data + e->at, e->len);
}

/* Which rows are not NULL. */
static void add_levels(const struct parquet_column *c, struct parquet_work *w)
{
	size_t at = w->page.len;

	buf_le32(&w->page, 0);
	for (size_t i = 0; i < c->rows; i++)
		w->levels[i] = c->defined[i];
	parquet_hybrid(&w->page, w->levels, c->rows, 1);
	if (!w->page.failed) {
		uint32_t size = htole32((uint32_t)(w->page.len - at - sizeof(uint32_t)));

		memcpy(w->page.data + at, &size, sizeof(size));
	}
}

/* Ends the dictionary: later pages of the group do without. */
static void end_dictionary(struct parquet_column *c, struct parquet_work *w)
{
	c->is_plain = true;
	if (!c->in_dictionary)
		return;
	w->page.len = 0;
	for (size_t i = 0; i < c->in_dictionary; i++)
		add_plain(c, &w->page, is_text(c) ? i : c->entries.at[i].a);
	add_page(c, w, &c->dictionary, 2, c->in_dictionary, PARQUET_PLAIN);
}

/* Sets the indices of the page's values in the dictionary; returns whether they pay. */
static bool look_up(struct parquet_column *c, struct parquet_work *w)
{
	uint64_t values = c->all_rows - c->nulls + c->n;

	for (size_t i = 0; i < c->n && !c->failed; i++)
		w->ids[i] = is_text(c)                              ? (uint32_t)c->values[i]
			    : i && c->values[i] == c->values[i - 1] ? w->ids[i - 1]
								    : number_entry(c, c->values[i]);
	return c->entries.n <= ENTRIES_MOST && c->texts.len <= TEXTS_MOST &&
	       2 * (uint64_t)c->entries.n <= values + DISTINCT_ANYWAY;
}

static enum parquet_encoding choose(struct parquet_column *c, struct parquet_work *w)
{
	if (!c->n)
		return PARQUET_PLAIN; /* without values */
	c->is_plain |= c->never_pays;
	if (!c->is_plain && look_up(c, w)) {
		c->in_dictionary = c->entries.n;
		return PARQUET_RLE_DICTIONARY;
	}
	if (!c->is_plain) {
		c->never_pays = !c->in_dictionary;
		end_dictionary(c, w);
	}
	return c->type == PARQUET_INT64 ? PARQUET_DELTA : PARQUET_PLAIN;
}

static void end_page(struct parquet_column *c, struct parquet_work *w)
{
	enum parquet_encoding encoding;
	unsigned width;

	if (c->failed || !c->rows)
		return;
	encoding = choose(c, w);
	w->page.len = 0;
	add_levels(c, w);
	if (encoding == PARQUET_RLE_DICTIONARY) {
		width = parquet_width((uint32_t)c->entries.n - 1);
		buf_u8(&w->page, (uint8_t)width);
		parquet_hybrid(&w->page, w->ids, c->n, width);
	} else if (encoding == PARQUET_DELTA) {
		parquet_delta(&w->page, c->values, c->n);
	} else {
		for (size_t i = 0; i < c->n; i++)
			add_plain(c, &w->page, c->values[i]);
	}
	add_page(c, w, &c->pages, 0, c->rows, encoding);
	range_of_page(c);
	c->all_rows += c->rows;
	c->nulls += c->rows - c->n;
	c->rows = c->n = c->bytes = 0;
	if (c->is_plain) {
		range_of_texts(c);
		forget_entries(c);
	}
}

void parquet_column_page(struct parquet_column *c, struct parquet_work *w)
{
	if (c->rows == PARQUET_PAGE_ROWS || c->bytes >= PAGE_BYTES)
		end_page(c, w);
}

void parquet_column_end(struct parquet_column *c, struct parquet_work *w)
{
	end_page(c, w);
	if (c->failed || c->is_plain)
		return;
	range_of_texts(c);
	end_dictionary(c, w);
}

void parquet_column_next_group(struct parquet_column *c)
{
	forget_entries(c);
	c->pages.len = c->dictionary.len = 0;
	c->all_rows = c->nulls = c->plain_bytes = 0;
	c->in_dictionary = 0;
	c->encodings = 0;
	c->is_plain = c->has_range = c->long_text = false;
}
