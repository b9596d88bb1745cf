// SPDX-License-Identifier: GPL-2.0-only
/*
 * interval.c - sets of intervals as SQL values, to find what else happened while some events were active.
 *
 * A set is a blob: eight bytes of magic, then the start and end (exclusive) of each interval, ascending and disjoint, as
 * 64-bit little-endian integers. An event without a duration adds nothing.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "query/sql/tables.h"

#define MAGIC "cdictiv1"
#define NO_SET "this is not a set of intervals; interval_union() makes one"
enum { MAGIC_SIZE = 8, PAIR_SIZE = 16 };

struct query_pair query_set_at(const struct query_set *s, size_t i)
{
	uint64_t v[2];

	memcpy(v, s->data + i * PAIR_SIZE, sizeof(v));
	return (struct query_pair){ (int64_t)le64toh(v[0]), (int64_t)le64toh(v[1]) };
}

bool query_set_of(sqlite3_value *v, struct query_set *out)
{
	const unsigned char *data = sqlite3_value_blob(v);
	size_t size = (size_t)sqlite3_value_bytes(v);

	*out = (struct query_set){ 0 };
	if (sqlite3_value_type(v) == SQLITE_NULL)
		return true;
	if (sqlite3_value_type(v) != SQLITE_BLOB || !data || size < MAGIC_SIZE ||
	    (size - MAGIC_SIZE) % PAIR_SIZE || memcmp(data, MAGIC, MAGIC_SIZE))
		return false;
	out->data = data + MAGIC_SIZE;
	out->n = (size - MAGIC_SIZE) / PAIR_SIZE;
	return true;
}

/* The same for an argument of a function, with an error if it is not a set. */
static bool set_in(sqlite3_context *ctx, sqlite3_value *v, struct query_set *out)
{
	bool is_one = query_set_of(v, out);

	if (!is_one)
		sqlite3_result_error(ctx, NO_SET, -1);
	return is_one;
}

/* A begin and a duration as a pair; false when the duration is not positive. */
static bool pair_of(sqlite3_value **argv, struct query_pair *out)
{
	if (sqlite3_value_type(argv[0]) == SQLITE_NULL ||
	    sqlite3_value_type(argv[1]) == SQLITE_NULL)
		return false;
	out->from = sqlite3_value_int64(argv[0]);
	if (__builtin_add_overflow(out->from, sqlite3_value_int64(argv[1]), &out->to))
		out->to = INT64_MAX;
	return out->to > out->from;
}

/* ---- interval_union(ts, dur) ---- */

struct collected {
	ARRAY(struct query_pair) all;
	bool failed, not_set;
};

static int by_from(const void *a, const void *b)
{
	const struct query_pair *x = a, *y = b;

	return x->from < y->from ? -1 : x->from > y->from;
}

/* Sorts the intervals and joins those that overlap or touch. */
static void merge(struct collected *c)
{
	size_t n = 0;

	if (c->all.n)
		qsort(c->all.at, c->all.n, sizeof(*c->all.at), by_from);
	for (size_t i = 0; i < c->all.n; i++) {
		struct query_pair p = c->all.at[i];

		if (n && p.from <= c->all.at[n - 1].to) {
			if (p.to > c->all.at[n - 1].to)
				c->all.at[n - 1].to = p.to;
		} else {
			c->all.at[n++] = p;
		}
	}
	c->all.n = n;
}

enum { MERGE_FIRST_AT = 1 << 16 };

static void on_union(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct collected *c = sqlite3_aggregate_context(ctx, sizeof(*c));
	struct query_pair p;

	(void)argc;
	if (!c) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	if (c->failed || !pair_of(argv, &p))
		return;
	/* overlapping ones merge to few: try that before the array grows */
	if (c->all.n == c->all.cap && c->all.n >= MERGE_FIRST_AT)
		merge(c);
	c->failed = array_push(&c->all, p) != 0;
}

/* interval_union(set), the union of sets. */
static void on_union_of_sets(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct collected *c = sqlite3_aggregate_context(ctx, sizeof(*c));
	struct query_set s;

	(void)argc;
	if (!c) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	c->not_set |= !query_set_of(argv[0], &s);
	for (size_t i = 0; i < s.n && !c->failed; i++)
		c->failed = array_push(&c->all, query_set_at(&s, i)) != 0;
}

static void result_set(sqlite3_context *ctx, const struct query_pair *all, size_t n)
{
	unsigned char *blob = sqlite3_malloc64(MAGIC_SIZE + (sqlite3_uint64)n * PAIR_SIZE);

	if (!blob) {
		sqlite3_result_error_nomem(ctx);
		return;
	}
	memcpy(blob, MAGIC, MAGIC_SIZE);
	for (size_t i = 0; i < n; i++) {
		uint64_t v[2] = { htole64((uint64_t)all[i].from), htole64((uint64_t)all[i].to) };

		memcpy(blob + MAGIC_SIZE + i * PAIR_SIZE, v, sizeof(v));
	}
	sqlite3_result_blob64(ctx, blob, MAGIC_SIZE + (sqlite3_uint64)n * PAIR_SIZE, sqlite3_free);
}

static void end_union(sqlite3_context *ctx)
{
	struct collected *c = sqlite3_aggregate_context(ctx, 0);

	if (!c) {
		result_set(ctx, NULL, 0);
		return;
	}
	merge(c);
	if (c->failed)
		sqlite3_result_error_nomem(ctx);
	else if (c->not_set)
		sqlite3_result_error(ctx, NO_SET, -1);
	else
		result_set(ctx, c->all.at, c->all.n);
	array_fini(&c->all);
}

/* ---- functions of a set and an interval ---- */

/* The first pair that ends after @t. */
static size_t first_after(const struct query_set *s, int64_t t)
{
	size_t lo = 0, hi = s->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (query_set_at(s, mid).to <= t)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void on_overlaps(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct query_pair p = { 0 };
	struct query_set s;
	size_t i;

	(void)argc;
	if (!set_in(ctx, argv[0], &s) || sqlite3_value_type(argv[1]) == SQLITE_NULL)
		return;
	if (!pair_of(argv + 1, &p)) /* without a duration: an instant */
		p.to = p.from = sqlite3_value_int64(argv[1]);
	i = first_after(&s, p.from);
	sqlite3_result_int(ctx, i < s.n && (query_set_at(&s, i).from < p.to ||
					    query_set_at(&s, i).from == p.from));
}

static void on_overlap_dur(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct query_pair p;
	struct query_set s;
	int64_t sum = 0;

	(void)argc;
	if (!set_in(ctx, argv[0], &s) || sqlite3_value_type(argv[1]) == SQLITE_NULL ||
	    sqlite3_value_type(argv[2]) == SQLITE_NULL)
		return;
	if (!pair_of(argv + 1, &p)) {
		sqlite3_result_int64(ctx, 0);
		return;
	}
	for (size_t i = first_after(&s, p.from); i < s.n; i++) {
		struct query_pair q = query_set_at(&s, i);

		if (q.from >= p.to)
			break;
		q.from = q.from > p.from ? q.from : p.from;
		q.to = q.to < p.to ? q.to : p.to;
		if (q.to > q.from && __builtin_add_overflow(sum, q.to - q.from, &sum))
			sum = INT64_MAX;
	}
	sqlite3_result_int64(ctx, sum);
}

/* ---- functions of sets ---- */

static void on_intersect(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	ARRAY(struct query_pair) out = { 0 };
	struct query_set a, b;
	bool failed = false;

	(void)argc;
	if (!set_in(ctx, argv[0], &a) || !set_in(ctx, argv[1], &b))
		return;
	for (size_t i = 0, k = 0; i < a.n && k < b.n && !failed;) {
		struct query_pair p = query_set_at(&a, i), q = query_set_at(&b, k);
		struct query_pair both = { p.from > q.from ? p.from : q.from,
					   p.to < q.to ? p.to : q.to };

		if (both.from < both.to)
			failed = array_push(&out, both) != 0;
		if (p.to < q.to)
			i++;
		else
			k++;
	}
	if (failed)
		sqlite3_result_error_nomem(ctx);
	else
		result_set(ctx, out.at, out.n);
	array_fini(&out);
}

static void on_set_dur(sqlite3_context *ctx, int argc, sqlite3_value **argv)
{
	struct query_set s;
	uint64_t sum = 0;

	(void)argc;
	if (!set_in(ctx, argv[0], &s))
		return;
	for (size_t i = 0; i < s.n; i++)
		sum += (uint64_t)query_set_at(&s, i).to - (uint64_t)query_set_at(&s, i).from;
	sqlite3_result_int64(ctx, (sqlite3_int64)sum);
}

/* ---- intervals(set): its intervals as rows ---- */

static const struct query_column columns[] = {
	{ "ts", "INTEGER", QUERY_PLAIN, false },
	{ "dur", "INTEGER", QUERY_PLAIN, false },
	{ "set_", "BLOB", QUERY_ARG, true },
	QUERY_COLUMNS_END,
};

struct set_source {
	struct query_source base;
	struct query_set set;
	size_t at; /* the interval + 1 */
};

static int set_next(struct query_source *src, struct cdict_error *err)
{
	struct set_source *s = (struct set_source *)(void *)src;

	(void)err;
	return s->at++ < s->set.n;
}

static void set_column(struct query_source *src, struct query_value *out, int column)
{
	const struct set_source *s = (const struct set_source *)(const void *)src;
	struct query_pair p = query_set_at(&s->set, s->at - 1);

	query_result_int(out, column ? (int64_t)((uint64_t)p.to - (uint64_t)p.from) : p.from);
}

static void set_close(struct query_source *src)
{
	free(src);
}

static int set_open(struct query_source **out, struct query_run_of *run,
		    const struct query_table *table, const struct query_scan *scan,
		    struct cdict_error *err)
{
	struct set_source *s = calloc(1, sizeof(*s));

	(void)run;
	(void)table;
	if (!s)
		return cdict_fail_nomem(err);
	if (scan->args[0] && !query_set_of(scan->args[0], &s->set)) {
		free(s);
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, NO_SET);
	}
	s->base = (struct query_source){ set_next, set_column, set_close };
	*out = &s->base;
	return 0;
}

static const struct query_table intervals = {
	.name = "intervals", .columns = columns, .flags = QUERY_SMALL | QUERY_ONCE, .open = set_open
};

int query_intervals_register(struct query_db *qdb)
{
	static const struct {
		const char *name;
		int n_args;
		void (*fn)(sqlite3_context *, int, sqlite3_value **);
	} functions[] = {
		{ "interval_overlaps", 3, on_overlaps },
		{ "interval_overlap_dur", 3, on_overlap_dur },
		{ "interval_intersect", 2, on_intersect },
		{ "interval_dur", 1, on_set_dur },
	};
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
	int rc = sqlite3_create_function_v2(qdb->db, "interval_union", 2, flags, NULL, NULL,
					    on_union, end_union, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_create_function_v2(qdb->db, "interval_union", 1, flags, NULL, NULL,
						on_union_of_sets, end_union, NULL);
	for (size_t i = 0; i < sizeof(functions) / sizeof(functions[0]) && rc == SQLITE_OK; i++)
		rc = sqlite3_create_function_v2(qdb->db, functions[i].name, functions[i].n_args,
						flags, NULL, functions[i].fn, NULL, NULL, NULL);
	return rc == SQLITE_OK ? query_vtab_register(qdb, &intervals) : rc;
}
