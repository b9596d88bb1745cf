// SPDX-License-Identifier: GPL-2.0-only
/* column.c - see column.h. */
#include "query/parquet/column.h"

#include <endian.h>
#include <zstd.h>

#include "base/text/utf8.h"
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
				    .levels = calloc(PARQUET_PAGE_ROWS, sizeof(*w->levels)),
				    .near = calloc(PARQUET_NEAR, sizeof(*w->near)) };
	if (w->zstd && w->ids && w->levels && w->near)
		return 0;
	parquet_work_fini(w);
	return -ENOMEM;
}

void parquet_work_fini(struct parquet_work *w)
{
	ZSTD_freeCCtx(w->zstd);
	free(w->ids);
	free(w->levels);
	free(w->near);
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
	if (places_room(&c->places, key_of, c->entries.at, sizeof(*c->entries.at)) ||
	    array_push(&c->entries, *entry)) {
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
	memset(c->fixed, 0, sizeof(c->fixed));
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

static uint64_t word_at(const char *data)
{
	uint64_t w;

	memcpy(&w, data, sizeof(w));
	return w;
}

/* The words of a text of less than WORDS bytes: all of it, with its length. */
static inline void short_words(const char *data, size_t len, uint64_t ab[2])
{
	uint32_t low, high;

	ab[0] = ab[1] = 0;
	if (len >= 8) {
		ab[0] = word_at(data);
		ab[1] = word_at(data + len - 8);
	} else if (len >= 4) {
		memcpy(&low, data, sizeof(low));
		memcpy(&high, data + len - 4, sizeof(high));
		ab[0] = (uint64_t)high << 32 | low;
	} else if (len) {
		ab[0] = (uint64_t)(uint8_t)data[0] | (uint64_t)(uint8_t)data[len / 2] << 8 |
			(uint64_t)(uint8_t)data[len - 1] << 16;
	}
	/* of 9 to 15 bytes, the second word repeats some of the first, so it has room for nothing else */
	ab[0] ^= (uint64_t)len * UINT64_C(0x9e3779b97f4a7c15);
}

static void long_words(const struct parquet_column *c, const char *data, size_t len, uint64_t ab[2])
{
	ab[0] = ab[1] = len;
	for (size_t at = 0; at < len; at += WORDS) {
		size_t from = len - at < WORDS ? len - WORDS : at;
		uint64_t a = word_at(data + from), b = word_at(data + from + 8);

		ab[0] = places_hash(c->seed, ab[0] ^ a, b);
		ab[1] = ab[1] * 31 + a + (b << 1);
	}
}

static inline bool is_entry(const struct parquet_column *c, uint32_t i, const uint64_t ab[2],
			    const char *data, size_t len)
{
	const struct parquet_entry *e = &c->entries.at[i];

	/* the words of a short text are all of it */
	return e->a == ab[0] && e->b == ab[1] && e->len == len &&
	       (len < WORDS || !memcmp(c->texts.data + e->at, data, len));
}

/* The slot of the entry, or UINT32_MAX. */
static uint32_t find_text(const struct parquet_column *c, const uint64_t ab[2], const char *data,
			  size_t len)
{
	uint32_t i;

	for (size_t at = places_begin(&c->places, ab[0], ab[1]); places_at(&c->places, at, &i);
	     at = places_next(&c->places, at))
		if (is_entry(c, i, ab, data, len))
			return i;
	return UINT32_MAX;
}

static uint32_t text_entry(struct parquet_column *c, const char *data, size_t len);

/* The entry of a text that is not UTF-8. */
static uint32_t valid_entry(struct parquet_column *c, const char *data, size_t len)
{
	struct buf valid = { 0 };
	const char *piece;
	uint32_t i = 0;
	size_t n;

	for (size_t at = 0; at < len;) {
		at += utf8_piece(data + at, len - at, &piece, &n);
		buf_add(&valid, piece, n);
	}
	c->failed |= valid.failed;
	if (!valid.failed)
		i = text_entry(c, (const char *)valid.data, valid.len);
	buf_fini(&valid);
	return i;
}

static uint32_t add_text(struct parquet_column *c, const uint64_t ab[2], const char *data,
			 size_t len)
{
	const struct parquet_entry new = { ab[0], ab[1], c->texts.len, len };

	/* U+FFFD is longer than what it replaces */
	if (c->type == PARQUET_TEXT && utf8_size(data, len) != len)
		return valid_entry(c, data, len);
	buf_add(&c->texts, data, len);
	c->failed |= c->texts.failed;
	return c->failed ? 0 : add_entry(c, &new);
}

static uint32_t text_entry(struct parquet_column *c, const char *data, size_t len)
{
	uint64_t ab[2];
	uint32_t *recent, i;

	if (!c->seed)
		c->seed = places_seed(c);
	if (len < WORDS)
		short_words(data, len, ab);
	else
		long_words(c, data, len, ab);
	recent = &c->recent[places_hash(c->seed, ab[0], ab[1]) >> 58];
	if (*recent < c->entries.n && is_entry(c, *recent, ab, data, len))
		return *recent;
	i = find_text(c, ab, data, len);
	if (i == UINT32_MAX)
		i = add_text(c, ab, data, len);
	*recent = i;
	return i;
}

void parquet_column_text(struct parquet_column *c, const char *data, size_t len)
{
	uint32_t i;

	if (!parquet_column_room(c) || c->failed)
		return;
	i = text_entry(c, data, len);
	parquet_column_number(c, i);
}

void parquet_column_new_fixed(struct parquet_column *c, const char *text)
{
	size_t len = strlen(text);

	parquet_column_text(c, text, len);
	if (!c->failed)
		*parquet_column_fixed_at(c, text) =
			(struct parquet_fixed){ text, (uint32_t)c->values[c->n - 1],
						(uint32_t)len };
}

void parquet_column_repeat(struct parquet_column *c, struct parquet_work *w, const char *text,
			   size_t rows)
{
	size_t len = strlen(text);

	for (; rows && !c->failed; rows--) {
		if (!c->rows)
			parquet_column_text(c, text, len);
		else
			parquet_column_number(c, c->values[0]);
		if (c->rows == PARQUET_PAGE_ROWS)
			parquet_column_page(c, w);
	}
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

static void add_range(struct parquet_column *c, uint64_t least, uint64_t most)
{
	bool real = c->type == PARQUET_DOUBLE;

	if (!c->has_range ||
	    (real ? real_of(least) < real_of(c->least) : (int64_t)least < (int64_t)c->least))
		c->least = least;
	if (!c->has_range ||
	    (real ? real_of(most) > real_of(c->most) : (int64_t)most > (int64_t)c->most))
		c->most = most;
	c->has_range = true;
}

/* The least and greatest of the page's numbers, of which it has at least one. */
static void range_of_page(const struct parquet_column *c, uint64_t *least, uint64_t *most)
{
	int64_t from = (int64_t)c->values[0], to = from;

	*least = *most = c->values[0];
	if (c->type == PARQUET_DOUBLE) { /* SQLite has no NaN */
		for (size_t i = 0; i < c->n; i++) {
			if (real_of(c->values[i]) < real_of(*least))
				*least = c->values[i];
			if (real_of(c->values[i]) > real_of(*most))
				*most = c->values[i];
		}
		return;
	}
	for (size_t i = 0; i < c->n; i++) {
		int64_t v = (int64_t)c->values[i];

		from = v < from ? v : from;
		to = v > to ? v : to;
	}
	*least = (uint64_t)from;
	*most = (uint64_t)to;
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
	if (c->n == c->rows) {
		buf_varint(&w->page, (uint64_t)c->rows << 1); /* one run */
		buf_u8(&w->page, 1);
	} else {
		for (size_t i = 0; i < c->rows; i++)
			w->levels[i] = c->defined[i];
		parquet_hybrid(&w->page, w->levels, c->rows, 1);
	}
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

static bool may_pay(const struct parquet_column *c, uint64_t values)
{
	return c->entries.n <= ENTRIES_MOST && c->texts.len <= TEXTS_MOST &&
	       2 * (uint64_t)c->entries.n <= values + DISTINCT_ANYWAY;
}

/* Sets the indices of numbers from @least to @most, which are near each other. */
static void look_up_near(struct parquet_column *c, struct parquet_work *w, uint64_t least,
			 uint64_t most)
{
	memset(w->near, 0, (most - least + 1) * sizeof(*w->near));
	for (size_t i = 0; i < c->n && !c->failed; i++) {
		uint32_t *near = &w->near[c->values[i] - least];

		if (!*near)
			*near = number_entry(c, c->values[i]) + 1;
		w->ids[i] = *near - 1;
	}
}

/* Sets the indices of the page's values in the dictionary; returns whether they pay. */
static bool look_up(struct parquet_column *c, struct parquet_work *w, uint64_t least, uint64_t most)
{
	uint64_t values = c->all_rows - c->nulls + c->n;

	if (is_text(c)) {
		for (size_t i = 0; i < c->n; i++)
			w->ids[i] = (uint32_t)c->values[i];
	} else if (most - least < PARQUET_NEAR) {
		look_up_near(c, w, least, most);
	} else {
		for (size_t i = 0; i < c->n && !c->failed && may_pay(c, values); i++)
			w->ids[i] = number_entry(c, c->values[i]);
	}
	return may_pay(c, values);
}

static enum parquet_encoding choose(struct parquet_column *c, struct parquet_work *w)
{
	uint64_t least = 0, most = 0;

	if (!c->n)
		return PARQUET_PLAIN; /* without values */
	if (!is_text(c)) {
		range_of_page(c, &least, &most);
		add_range(c, least, most);
	}
	c->is_plain |= c->never_pays;
	if (!c->is_plain && look_up(c, w, least, most)) {
		c->in_dictionary = c->entries.n;
		return PARQUET_RLE_DICTIONARY;
	}
	if (!c->is_plain) {
		c->never_pays = !c->in_dictionary;
		end_dictionary(c, w);
	}
	return c->type == PARQUET_INT64 ? PARQUET_DELTA : PARQUET_PLAIN;
}

void parquet_column_page(struct parquet_column *c, struct parquet_work *w)
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
	c->all_rows += c->rows;
	c->nulls += c->rows - c->n;
	c->rows = c->n = 0;
	if (c->is_plain) {
		range_of_texts(c);
		forget_entries(c);
	}
}

void parquet_column_end(struct parquet_column *c, struct parquet_work *w)
{
	parquet_column_page(c, w);
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
