// SPDX-License-Identifier: GPL-2.0-only
/*
 * histograms.c - distributions of durations as SQL values, which add up exactly over files, threads and machines.
 *
 * A histogram is a blob: eight bytes of magic, then count, sum, min and max, and for each bin that is not empty its number
 * and how many values it has (analyze/walk/histogram.h), all as 64-bit little-endian integers.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/histogram.h"
#include "base/memory/buf.h"
#include "query/sql/tables.h"

#define MAGIC "cdicthg1"
#define NO_HISTOGRAM "this is not a histogram; histogram() makes one"
enum { MAGIC_SIZE = 8, HEAD_SIZE = MAGIC_SIZE + 4 * 8, BIN_SIZE = 16 };

static uint64_t number_at(const unsigned char *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return le64toh(v);
}

/* The histogram as a blob; b->failed: out of memory. */
static void pack(struct buf *b, const struct histogram *h)
{
	uint64_t head[] = { h->count, h->sum, h->min, h->max };

	buf_add(b, MAGIC, MAGIC_SIZE);
	for (size_t i = 0; i < sizeof(head) / sizeof(head[0]); i++)
		buf_le64(b, head[i]);
	for (unsigned bin = 0; bin < HISTOGRAM_BINS && h->count; bin++) {
		uint64_t n = histogram_bin_count(h, bin);

		if (!n)
			continue;
		buf_le64(b, bin);
		buf_le64(b, n);
	}
}

void query_result_histogram(struct query_value *out, const struct histogram *h)
{
	struct buf b = { 0 };

	pack(&b, h);
	if (b.failed) {
		buf_fini(&b);
		query_result_failed(out, -ENOMEM);
		return;
	}
	query_result_bytes(out, QUERY_BLOB, b.data, b.len);
	out->given = (char *)b.data; /* the reader of the value frees it */
}

static void return_blob(sqlite3_context *ctx, const struct histogram *h)
{
	struct buf b = { 0 };

	pack(&b, h);
	if (b.failed)
		sqlite3_result_error_nomem(ctx);
	else
		sqlite3_result_blob64(ctx, b.data, b.len, SQLITE_TRANSIENT);
	buf_fini(&b);
}

/* Adds a blob to @h: 0, -ENOMEM, or -EINVAL if it is not a histogram. */
static int add_blob(struct histogram *h, const unsigned char *data, size_t size)
{
	struct histogram all = { 0 };
	uint32_t *bins;
	uint64_t sum = 0;
	int ret = 0;

	if (!data || size < HEAD_SIZE || (size - HEAD_SIZE) % BIN_SIZE ||
	    memcmp(data, MAGIC, MAGIC_SIZE) != 0)
		return -EINVAL;
	bins = calloc(HISTOGRAM_BINS, sizeof(*bins));
	if (!bins)
		return -ENOMEM;
	all.count = number_at(data + MAGIC_SIZE);
	all.sum = number_at(data + MAGIC_SIZE + 8);
	all.min = number_at(data + MAGIC_SIZE + 16);
	all.max = number_at(data + MAGIC_SIZE + 24);
	all.bins = bins;
	all.n_octaves = HISTOGRAM_OCTAVES;
	for (size_t at = HEAD_SIZE; at < size && !ret; at += BIN_SIZE) {
		uint64_t bin = number_at(data + at), n = number_at(data + at + 8);

		if (bin >= HISTOGRAM_BINS || n > UINT32_MAX || !n || bins[bin])
			ret = -EINVAL;
		else
			bins[bin] = (uint32_t)n;
		sum += n;
	}
	if (!ret && (sum != all.count || all.min > all.max))
		ret = -EINVAL;
	if (!ret)
		ret = histogram_merge(h, &all);
	free(bins);
	return ret;
}

/* ---- histogram(value), an aggregate: of numbers, or the sum of histograms ---- */

struct collected {
	struct histogram h;
	int failed;
	bool negative;
};

static void on_value(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct collected *c = sqlite3_aggregate_context(ctx, sizeof(*c));
	int64_t v;

	(void)argc;
	if (!c) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	if (c->failed)
		return;
	switch (sqlite3_value_type(argv[0])) {
	case SQLITE_NULL:
		break;
	case SQLITE_BLOB:
		c->failed = add_blob(&c->h, sqlite3_value_blob(argv[0]),
				     (size_t)sqlite3_value_bytes(argv[0]));
		break;
	default:
		v = sqlite3_value_int64(argv[0]);
		c->negative |= v < 0;
		c->failed = histogram_add(&c->h, v < 0 ? 0 : (uint64_t)v, 0);
	}
}

static void end_value(sqlite3_context *ctx)
{
	struct collected *c = sqlite3_aggregate_context(ctx, 0);

	if (!c)
		return;
	if (c->failed == -EINVAL)
		sqlite3_result_error(ctx, NO_HISTOGRAM, -1);
	else if (c->negative)
		sqlite3_result_error(ctx, "histogram() takes numbers that are not negative", -1);
	else if (c->failed)
		sqlite3_result_error_nomem(ctx);
	else
		return_blob(ctx, &c->h);
	histogram_fini(&c->h);
}

/* histogram_percentile(h, p) - NULL for a histogram without values. */
static void on_percentile(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	double percent = sqlite3_value_double(argv[1]);
	struct histogram h;
	int ret;

	(void)argc;
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL)
		return;
	histogram_init(&h);
	ret = sqlite3_value_type(argv[0]) == SQLITE_BLOB
		      ? add_blob(&h, sqlite3_value_blob(argv[0]),
				 (size_t)sqlite3_value_bytes(argv[0]))
		      : -EINVAL;
	if (ret == -ENOMEM)
		sqlite3_result_error_nomem(ctx);
	else if (ret)
		sqlite3_result_error(ctx, NO_HISTOGRAM, -1);
	else if (!(percent >= 0 && percent <= 100))
		sqlite3_result_error(ctx, "histogram_percentile() takes a percentage from 0 to 100",
				     -1);
	else if (h.count)
		sqlite3_result_int64(ctx, (sqlite3_int64)histogram_percentile(&h, percent));
	histogram_fini(&h);
}

int query_histograms_register(struct query_db *qdb)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int rc = sqlite3_create_function_v2(qdb->db, "histogram", 1, flags, NULL, NULL, on_value,
					    end_value, NULL);

	return rc == SQLITE_OK
		       ? sqlite3_create_function_v2(qdb->db, "histogram_percentile", 2, flags, NULL,
						    on_percentile, NULL, NULL, NULL)
		       : rc;
}
