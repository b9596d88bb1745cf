/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the rollups of a host. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "query/fleet/values/rollup.h"
#include "query/fleet/values/value.h"

/* Rollups that are summed up while a shelf is read once: bounds the memory. */
#define AT_ONCE 8
/* Fewer buckets of an ended capture are read as fast one by one. */
#define BUCKETS_LEAST 10

struct rolling {
	struct store *st;
	const char *id, *host;
	struct fleet_bucket_set set;
	bool failed; /* out of memory */
	struct open_rollup {
		struct fleet_bucket_group group; /* its capture NULL: none */
		struct fleet_rollup r;
		struct fleet_rows rows;
		unsigned lacks; /* TABLE_OF_* that its rows lack */
		bool any;       /* it has rows */
	} open[AT_ONCE];
	struct cdict_error *err;
};

static void shelf_of(char out[STORE_NAME_MOST + 1], const char *prefix, const char *host)
{
	snprintf(out, STORE_NAME_MOST + 1, "%s%s", prefix, host);
}

static bool note_bucket(void *ctx, const char *name)
{
	struct rolling *k = ctx;

	k->failed |= fleet_bucket_there(&k->set, name) != 0;
	return false;
}

static bool note_rollup(void *ctx, const char *name)
{
	struct rolling *k = ctx;
	struct fleet_bucket_group *group;
	uint64_t number;

	if (!fleet_bucket_name(name, &number))
		return false;
	group = fleet_bucket_group(&k->set, name, number);
	if (group)
		group->rolled = ~UINT64_C(0);
	k->failed |= !group;
	return false;
}

static int note_nothing(void *ctx, const char *name, const void *data, size_t size)
{
	(void)ctx;
	(void)name;
	(void)data;
	(void)size;
	return 0;
}

/* ---- one pass over the buckets ---- */

static struct open_rollup *open_of(struct rolling *k, const char *name, uint64_t number)
{
	size_t n = strcspn(name, ".");

	for (size_t i = 0; i < AT_ONCE; i++) {
		const struct fleet_bucket_group *g = &k->open[i].group;

		if (g->capture && g->number == number / FLEET_ROLLUP_BUCKETS &&
		    !strncmp(g->capture, name, n) && !g->capture[n])
			return &k->open[i];
	}
	return NULL;
}

static bool is_open(void *ctx, const char *name)
{
	uint64_t number;

	return fleet_bucket_name(name, &number) && open_of(ctx, name, number);
}

struct value_rows {
	struct fleet_summing summing;
	unsigned lacks;
	bool any, differ;
};

static void handle_row(void *ctx, enum fleet_kind kind, const struct fleet_key *key,
		       const union fleet_any *any, unsigned lacks)
{
	struct value_rows *v = ctx;

	v->differ |= v->any && v->lacks != lacks;
	v->lacks = lacks;
	v->any = true;
	fleet_summing_row(&v->summing, kind, key, any, lacks);
}

static int add_bucket(struct open_rollup *o, uint64_t number, size_t size,
		      const struct fleet_window *w, struct fleet_summing *summing)
{
	struct fleet_rolled *to = &o->r.buckets[o->r.n++];

	*to = (struct fleet_rolled){ .number = number, .bytes = size, .window = *w };
	fleet_summing_end(summing, w);
	for (int i = 0; i < FLEET_FIGURES; i++)
		to->at[i] = fleet_figure(&summing->sums, (enum fleet_figure)i);
	histogram_fini(&summing->sums.latency); /* it is in the rows */
	return fleet_sums_add(&o->r.sums, &summing->sums);
}

/* A damaged value is left to readers, which name it. */
static int handle_value(void *ctx, const char *name, const void *data, size_t size)
{
	struct rolling *k = ctx;
	struct value_rows v = { 0 };
	struct fleet_rows rows = { .on_row = handle_row, .on_row_ctx = &v };
	struct fleet_window w;
	struct open_rollup *o;
	uint64_t number;
	int rc;

	fleet_bucket_name(name, &number);
	o = open_of(k, name, number);
	rc = fleet_value_decode(&rows, data, size, &w, k->err);
	fleet_rows_fini(&rows);
	if (rc || v.differ || (v.any && o->any && v.lacks != o->lacks) ||
	    o->r.n == FLEET_ROLLUP_BUCKETS) {
		fleet_summing_reset(&v.summing);
		return rc == -ENOMEM ? rc : 0;
	}
	o->lacks = v.any ? v.lacks : o->lacks;
	o->any |= v.any;
	rc = fleet_value_decode(&o->rows, data, size, NULL, k->err);
	if (!rc && (v.summing.failed || add_bucket(o, number, size, &w, &v.summing)))
		rc = cdict_fail_nomem(k->err);
	fleet_summing_reset(&v.summing);
	return rc;
}

static int by_number(const void *a, const void *b)
{
	const struct fleet_rolled *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

/* A rollup that is too large for a value, or its name for a store, is not written. */
static int put_rollup(struct rolling *k, struct open_rollup *o)
{
	char shelf[STORE_NAME_MOST + 1], name[STORE_NAME_MOST + 1];
	struct buf value = { 0 };
	bool added;
	int rc;

	if (!o->r.n)
		return 0;
	qsort(o->r.buckets, o->r.n, sizeof(*o->r.buckets), by_number);
	rc = fleet_rollup_encode(&value, &o->r, &o->rows, k->err);
	shelf_of(shelf, FLEET_SHELF_ROLLUP, k->host);
	if (snprintf(name, sizeof(name), "%s.%" PRIu64, o->group.capture, o->group.number) >
	    STORE_NAME_MOST)
		rc = CDICT_ELIMIT;
	if (!rc)
		rc = store_put(k->st, k->id, shelf, name, value.data, value.len, &added, k->err);
	buf_fini(&value);
	return rc == CDICT_ELIMIT ? 0 : rc;
}

static int roll_up(struct rolling *k)
{
	char shelf[STORE_NAME_MOST + 1];
	int rc;

	shelf_of(shelf, FLEET_SHELF_HOST, k->host);
	rc = store_values_wanted(k->st, k->id, shelf, is_open, handle_value, k, k->err);
	for (size_t i = 0; i < AT_ONCE; i++) {
		rc = rc ? rc : put_rollup(k, &k->open[i]);
		fleet_rows_fini(&k->open[i].rows);
		k->open[i] = (struct open_rollup){ 0 };
	}
	return rc;
}

static bool is_complete(const struct fleet_bucket_group *group, const char *ended)
{
	int n = __builtin_popcountll(group->there);

	return n == FLEET_ROLLUP_BUCKETS ||
	       (n >= BUCKETS_LEAST && ended && !strcmp(group->capture, ended));
}

static int roll_up_missing(struct rolling *k, const char *ended)
{
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < k->set.groups.n && !rc; i++) {
		const struct fleet_bucket_group *group = &k->set.groups.at[i];

		if (group->rolled || !is_complete(group, ended))
			continue;
		k->open[n++].group = *group;
		if (n < AT_ONCE)
			continue;
		rc = roll_up(k);
		n = 0;
	}
	return n && !rc ? roll_up(k) : rc;
}

int fleet_rollup_host(struct store *st, const char *id, const char *host, const char *ended,
		      struct cdict_error *err)
{
	struct rolling *k = calloc(1, sizeof(*k));
	char shelf[STORE_NAME_MOST + 1];
	int rc;

	if (!k)
		return cdict_fail_nomem(err);
	*k = (struct rolling){ .st = st, .id = id, .host = host, .err = err };
	shelf_of(shelf, FLEET_SHELF_ROLLUP, host);
	rc = store_values_wanted(st, id, shelf, note_rollup, note_nothing, k, err);
	shelf_of(shelf, FLEET_SHELF_HOST, host);
	rc = rc ? rc : store_values_wanted(st, id, shelf, note_bucket, note_nothing, k, err);
	rc = rc ? rc : roll_up_missing(k, ended);
	if (!rc && k->failed)
		rc = cdict_fail_nomem(err);
	fleet_bucket_set_fini(&k->set);
	free(k);
	return rc;
}
