// SPDX-License-Identifier: GPL-2.0-only
/* parquet.c - see parquet.h. */
#include "query/parquet/parquet.h"

#include <endian.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "cdict/version.h"
#include "query/parquet/thrift.h"

#define MAGIC "PAR1"
/* Compressed bytes after which a row group ends early. */
enum { GROUP_BYTES = 64 << 20 };
/* Bytes of texts after which a page ends early. */
enum { PAGE_BYTES = 1 << 20 };
/* Parquet's numbers. */
enum {
	TYPE_INT64 = 2,
	TYPE_DOUBLE = 5,
	TYPE_BYTE_ARRAY = 6,
	CODEC_ZSTD = 6,
	OPTIONAL = 1,
	UTF8 = 0
};

/* The groups that are filled: rows in order of time, and late ones. */
enum { IN_TIME, LATE, GROUPS };

struct parquet {
	struct parquet_options opts;
	struct sink *sink;
	struct parquet_row groups[GROUPS];
	struct parquet_work work;
	struct buf footer; /* the row groups so far, as RowGroup structs */
	size_t n_groups;
	uint64_t at, rows; /* in the file */
	int64_t floor;     /* rows before it are late */
};

static void put(struct parquet *p, const void *data, size_t size)
{
	sink_add(p->sink, data, size);
	p->at += size;
}

void parquet_abort(struct parquet *p)
{
	if (!p)
		return;
	for (size_t g = 0; g < GROUPS; g++) {
		for (size_t i = 0; p->groups[g].columns && i < p->opts.n; i++)
			parquet_column_fini(&p->groups[g].columns[i]);
		free(p->groups[g].columns);
	}
	parquet_work_fini(&p->work);
	buf_fini(&p->footer);
	free(p);
}

int parquet_open(struct parquet **out, const struct parquet_options *opts, struct sink *sink,
		 struct cdict_error *err)
{
	struct parquet *p = calloc(1, sizeof(*p));
	bool ok = p && !parquet_work_init(&p->work);

	for (size_t g = 0; g < GROUPS && ok; g++) {
		struct parquet_column *columns = calloc(opts->n + 1, sizeof(*columns));

		ok = columns;
		p->groups[g] = (struct parquet_row){ .columns = columns, .last_ts = INT64_MIN };
		for (size_t i = 0; i < opts->n && ok; i++)
			columns[i].type = opts->fields[i].type;
	}
	if (p)
		p->opts = *opts;
	if (!ok) {
		parquet_abort(p);
		return cdict_fail_nomem(err);
	}
	p->sink = sink;
	p->floor = INT64_MIN;
	put(p, MAGIC, strlen(MAGIC));
	*out = p;
	return 0;
}

/* ---- row groups ---- */

static int type_of(enum parquet_type type)
{
	return type == PARQUET_INT64    ? TYPE_INT64
	       : type == PARQUET_DOUBLE ? TYPE_DOUBLE
					: TYPE_BYTE_ARRAY;
}

static void add_number(struct thrift *t, int id, const struct parquet_column *c, uint64_t v)
{
	uint64_t le = htole64(v);

	/* Parquet: the least zero is written as -0, the greatest as +0 */
	if (c->type == PARQUET_DOUBLE && !(v << 1))
		le = htole64(id == 6 ? UINT64_C(1) << 63 : 0);
	thrift_bytes(t, id, &le, sizeof(le));
}

static void add_statistics(struct thrift *t, int id, const struct parquet_column *c)
{
	bool text = c->type == PARQUET_TEXT || c->type == PARQUET_BYTES;

	thrift_struct(t, id);
	thrift_i64(t, 3, (int64_t)c->nulls);
	if (c->has_range && text && !c->long_text) {
		thrift_bytes(t, 5, c->most_text.data, c->most_text.len);
		thrift_bytes(t, 6, c->least_text.data, c->least_text.len);
	} else if (c->has_range && !text) {
		add_number(t, 5, c, c->most);
		add_number(t, 6, c, c->least);
	}
	thrift_end(t);
}

/* Writes a column's pages, and its ColumnChunk to the footer. */
static void add_chunk(struct parquet *p, struct thrift *t, size_t i, struct parquet_column *c)
{
	static const enum parquet_encoding all[] = { PARQUET_PLAIN, PARQUET_DELTA,
						     PARQUET_RLE_DICTIONARY };
	enum { N_ALL = sizeof(all) / sizeof(all[0]) };
	uint64_t begin = p->at;
	size_t n = 1;

	put(p, c->dictionary.data, c->dictionary.len);
	put(p, c->pages.data, c->pages.len);
	for (size_t e = 0; e < N_ALL; e++)
		n += c->encodings >> all[e] & 1;
	thrift_element(t);
	thrift_i64(t, 2, 0); /* this struct has no copy elsewhere */
	thrift_struct(t, 3);
	thrift_i32(t, 1, type_of(c->type));
	thrift_list(t, 2, THRIFT_I32, n);
	buf_svarint(t->out, PARQUET_RLE);
	for (size_t e = 0; e < N_ALL; e++)
		if (c->encodings >> all[e] & 1)
			buf_svarint(t->out, all[e]);
	thrift_list(t, 3, THRIFT_BINARY, 1);
	buf_string(t->out, p->opts.fields[i].name, strlen(p->opts.fields[i].name));
	thrift_i32(t, 4, CODEC_ZSTD);
	thrift_i64(t, 5, (int64_t)c->all_rows);
	thrift_i64(t, 6, (int64_t)c->plain_bytes);
	thrift_i64(t, 7, (int64_t)(p->at - begin));
	thrift_i64(t, 9, (int64_t)(begin + c->dictionary.len));
	if (c->dictionary.len)
		thrift_i64(t, 11, (int64_t)begin);
	add_statistics(t, 12, c);
	thrift_end(t);
	thrift_end(t);
}

static int failed(const struct parquet *p, const struct parquet_row *g, struct cdict_error *err)
{
	bool nomem = p->footer.failed;

	for (size_t i = 0; i < p->opts.n; i++)
		nomem |= g->columns[i].failed;
	return nomem ? cdict_fail_nomem(err) : p->sink->error;
}

static int end_group(struct parquet *p, struct parquet_row *g, struct cdict_error *err)
{
	struct thrift t = { .out = &p->footer };
	uint64_t begin = p->at, plain = 0;

	if (!g->rows)
		return 0;
	for (size_t i = 0; i < p->opts.n; i++) {
		if (p->opts.fields[i].constant)
			parquet_column_repeat(&g->columns[i], &p->work, p->opts.fields[i].constant,
					      g->rows);
		parquet_column_end(&g->columns[i], &p->work);
	}
	if (failed(p, g, err))
		return failed(p, g, err);
	thrift_list(&t, 1, THRIFT_STRUCT, p->opts.n);
	for (size_t i = 0; i < p->opts.n; i++) {
		add_chunk(p, &t, i, &g->columns[i]);
		plain += g->columns[i].plain_bytes;
	}
	thrift_i64(&t, 2, (int64_t)plain);
	thrift_i64(&t, 3, (int64_t)g->rows);
	if (p->opts.sorted_by) {
		thrift_list(&t, 4, THRIFT_STRUCT, 1);
		thrift_element(&t);
		thrift_i32(&t, 1, p->opts.sorted_by - 1);
		thrift_bool(&t, 2, false); /* descending */
		thrift_bool(&t, 3, false); /* nulls first */
		thrift_end(&t);
	}
	thrift_i64(&t, 5, (int64_t)begin);
	thrift_i64(&t, 6, (int64_t)(p->at - begin));
	thrift_end(&t);
	for (size_t i = 0; i < p->opts.n; i++)
		parquet_column_next_group(&g->columns[i]);
	p->n_groups++;
	p->rows += g->rows;
	g->rows = g->in_page = g->bytes = 0;
	if (g == &p->groups[IN_TIME])
		p->floor = g->last_ts;
	return failed(p, g, err);
}

struct parquet_row *parquet_row(struct parquet *p, int64_t ts)
{
	struct parquet_row *g = &p->groups[ts < p->floor ? LATE : IN_TIME];

	if (ts != PARQUET_NO_TIME && ts > g->last_ts)
		g->last_ts = ts;
	return g;
}

/* Ends the pages of a full page's rows, and the group if it is full. */
static int end_pages(struct parquet *p, struct parquet_row *row, struct cdict_error *err)
{
	size_t bytes = 0;

	for (size_t i = 0; i < p->opts.n; i++) {
		parquet_column_page(&row->columns[i], &p->work);
		bytes += row->columns[i].pages.len;
	}
	row->in_page = row->bytes = 0;
	if (row->rows >= PARQUET_GROUP_ROWS || bytes >= GROUP_BYTES)
		return end_group(p, row, err);
	return failed(p, row, err);
}

int parquet_row_end(struct parquet *p, struct parquet_row *row, struct cdict_error *err)
{
	row->rows++;
	if (++row->in_page < PARQUET_PAGE_ROWS && row->bytes < PAGE_BYTES)
		return 0;
	return end_pages(p, row, err);
}

/* ---- the footer ---- */

static void add_schema(const struct parquet *p, struct thrift *t)
{
	thrift_list(t, 2, THRIFT_STRUCT, p->opts.n + 1);
	thrift_element(t);
	thrift_text(t, 4, "schema");
	thrift_i32(t, 5, (int32_t)p->opts.n);
	thrift_end(t);
	for (size_t i = 0; i < p->opts.n; i++) {
		const struct parquet_field *f = &p->opts.fields[i];

		thrift_element(t);
		thrift_i32(t, 1, type_of(f->type));
		thrift_i32(t, 3, OPTIONAL);
		thrift_text(t, 4, f->name);
		if (f->type == PARQUET_TEXT) {
			thrift_i32(t, 6, UTF8);
			thrift_struct(t, 10); /* LogicalType */
			thrift_struct(t, 1);  /* STRING */
			thrift_end(t);
			thrift_end(t);
		}
		thrift_end(t);
	}
}

static void add_footer(const struct parquet *p, struct buf *b)
{
	struct thrift t = { .out = b };
	char by[64];

	thrift_i32(&t, 1, 2); /* version */
	add_schema(p, &t);
	thrift_i64(&t, 3, (int64_t)p->rows);
	thrift_list(&t, 4, THRIFT_STRUCT, p->n_groups);
	buf_add(b, p->footer.data, p->footer.len);
	if (p->opts.n_pairs)
		thrift_list(&t, 5, THRIFT_STRUCT, p->opts.n_pairs);
	for (size_t i = 0; i < p->opts.n_pairs; i++) {
		thrift_element(&t);
		thrift_text(&t, 1, p->opts.pairs[i].key);
		thrift_text(&t, 2, p->opts.pairs[i].value);
		thrift_end(&t);
	}
	/* "NAME version X (build Y)", as readers parse it */
	snprintf(by, sizeof(by), "cdict version %s (build 0)", cdict_version());
	thrift_text(&t, 6, by);
	/* ColumnOrder: the order of each type, without which readers ignore the ranges */
	thrift_list(&t, 7, THRIFT_STRUCT, p->opts.n);
	for (size_t i = 0; i < p->opts.n; i++) {
		thrift_element(&t);
		thrift_struct(&t, 1);
		thrift_end(&t);
		thrift_end(&t);
	}
	thrift_end(&t);
}

int parquet_close(struct parquet *p, struct cdict_error *err)
{
	struct buf b = { 0 };
	int rc = 0;

	if (!p)
		return 0;
	for (size_t g = 0; g < GROUPS && !rc; g++)
		rc = end_group(p, &p->groups[g], err);
	if (!rc) {
		add_footer(p, &b);
		buf_le32(&b, (uint32_t)b.len);
		buf_add(&b, MAGIC, strlen(MAGIC));
		put(p, b.data, b.len);
		rc = b.failed ? cdict_fail_nomem(err) : p->sink->error;
	}
	buf_fini(&b);
	parquet_abort(p);
	return rc;
}
