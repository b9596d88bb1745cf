/* SPDX-License-Identifier: GPL-2.0-only */
/* The values that a job's hosts pushed. */
#include "query/fleet/figures/hosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/saturate.h"
#include "query/fleet/values/value.h"

struct reading {
	struct fleet_read *out;
	struct store *st;
	const char *id;
	struct fleet_host *host;
	const struct fleet_listener *listener; /* or NULL */
	struct fleet_bucket_set buckets;       /* of the host, if it has rollups */
	size_t unread;                         /* values of the host that no rollup has */
	bool failed;                           /* out of memory */
	struct stringset captures;             /* of the host */
	struct cdict_error *err;
};

static int fail_at(struct reading *k, int rc, const char *what, const char *name)
{
	char subject[STORE_NAME_MOST * 2 + 32];

	snprintf(subject, sizeof(subject), "job %s, host %.64s, %s %.100s", k->id, k->host->name,
		 what, name);
	return cdict_fail_in(k->err, rc, subject);
}

static int add_capture(struct reading *k, const char *name)
{
	if (!stringset_add(&k->captures, name, strcspn(name, ".")))
		return cdict_fail_nomem(k->err);
	k->host->captures = k->captures.n;
	return 0;
}

static void add_bucket(struct fleet_host *h, const struct fleet_window *w, size_t size)
{
	uint64_t end = w->from_ns + w->window_ns;

	h->first_ns = w->clocked && (!h->last_ns || w->from_ns < h->first_ns) ? w->from_ns
									      : h->first_ns;
	h->last_ns = w->clocked && end > h->last_ns ? end : h->last_ns;
	h->buckets++;
	h->bytes += size;
	saturated_add(&h->window_ns, w->window_ns);
	saturated_add(&h->events, w->events);
	saturated_add(&h->lost, w->lost);
	h->cpus = w->cpus > h->cpus ? w->cpus : h->cpus;
}

static size_t number_of_host(const struct reading *k)
{
	return (size_t)(k->host - k->out->hosts.at);
}

static int handle_value(void *ctx, const char *name, const void *data, size_t size)
{
	struct reading *k = ctx;
	struct fleet_window w;
	int rc = fleet_value_decode(&k->out->rows, data, size, &w, k->err);

	if (rc)
		return fail_at(k, rc, "value", name);
	add_bucket(k->host, &w, size);
	rc = add_capture(k, name);
	if (rc || !k->listener)
		return rc;
	return k->listener->bucket(k->listener->ctx, number_of_host(k), &w, k->err);
}

static bool note_bucket(void *ctx, const char *name)
{
	struct reading *k = ctx;

	k->failed |= fleet_bucket_there(&k->buckets, name) != 0;
	k->unread++;
	return false;
}

/* 1: all its buckets are there, and now marked as read; 0: they are not, or one of them was read before. */
static int is_usable(struct reading *k, const struct fleet_rollup *r, const char *name,
		     uint64_t number)
{
	struct fleet_bucket_group *group = fleet_bucket_group(&k->buckets, name, number);
	uint64_t bits = 0;

	if (!group)
		return cdict_fail_nomem(k->err);
	for (size_t i = 0; i < r->n; i++)
		bits |= fleet_bucket_bit(r->buckets[i].number);
	if (!bits || (bits & ~group->there) || (bits & group->rolled))
		return 0;
	group->rolled |= bits;
	k->unread -= r->n;
	return 1;
}

static int add_rollup(struct reading *k, const struct fleet_rollup *r, const char *name)
{
	int rc = fleet_rollup_rows(r, &k->out->rows, k->err);

	if (rc)
		return fail_at(k, rc, "rollup", name);
	for (size_t i = 0; i < r->n; i++)
		add_bucket(k->host, &r->buckets[i].window, r->buckets[i].bytes);
	rc = add_capture(k, name);
	if (rc || !k->listener)
		return rc;
	return k->listener->rollup(k->listener->ctx, number_of_host(k), r, k->err);
}

static int handle_rollup(void *ctx, const char *name, const void *data, size_t size)
{
	struct reading *k = ctx;
	struct fleet_rollup r = { 0 };
	uint64_t number;
	int rc;

	if (!fleet_bucket_name(name, &number))
		return 0;
	rc = fleet_rollup_decode(&r, number, data, size, k->err);
	if (rc && rc != CDICT_EVERSION)
		rc = fail_at(k, rc, "rollup", name);
	else
		rc = rc ? 0 : is_usable(k, &r, name, number);
	if (rc > 0)
		rc = add_rollup(k, &r, name);
	fleet_rollup_fini(&r);
	return rc;
}

static bool is_not_rolled(void *ctx, const char *name)
{
	struct reading *k = ctx;
	const struct fleet_bucket_group *group;
	uint64_t number;

	if (!k->buckets.groups.n || !fleet_bucket_name(name, &number))
		return true;
	group = fleet_bucket_group(&k->buckets, name, number / FLEET_ROLLUP_BUCKETS);
	return !group || !(group->rolled & fleet_bucket_bit(number));
}

static int by_name(const void *name, const void *host)
{
	return strcmp(name, ((const struct fleet_host *)host)->name);
}

/* Hosts come in the order of their names, before the rollups. */
static void note_rollups(struct reading *k, const char *name)
{
	struct fleet_host *h = k->out->hosts.n ? bsearch(name, k->out->hosts.at, k->out->hosts.n,
							 sizeof(*k->out->hosts.at), by_name)
					       : NULL;

	if (h)
		h->rollups = true;
}

/* Lists shelves first, because a store need not support nested queries. */
static int handle_shelf(void *ctx, const char *shelf, uint64_t n)
{
	struct reading *k = ctx;
	struct fleet_host *h;

	if (!strncmp(shelf, FLEET_SHELF_ROLLUP, strlen(FLEET_SHELF_ROLLUP)))
		note_rollups(k, shelf + strlen(FLEET_SHELF_ROLLUP));
	if (strncmp(shelf, FLEET_SHELF_HOST, strlen(FLEET_SHELF_HOST)))
		return 0;
	h = array_add(&k->out->hosts);
	if (!h)
		return cdict_fail_nomem(k->err);
	h->name = strdup(shelf + strlen(FLEET_SHELF_HOST));
	h->gone = n;
	return h->name ? 0 : cdict_fail_nomem(k->err);
}

static int read_shelf(struct reading *k, const char *prefix, store_want_value *want,
		      store_value_fn *visit)
{
	char shelf[STORE_NAME_MOST + 1];

	snprintf(shelf, sizeof(shelf), "%s%s", prefix, k->host->name);
	return store_values_wanted(k->st, k->id, shelf, want, visit, k, k->err);
}

static int read_host(struct reading *k, struct fleet_host *h)
{
	bool use = h->rollups && (!k->listener || k->listener->rollup);
	int rc = 0;

	k->host = h;
	k->unread = 0;
	if (use) {
		rc = read_shelf(k, FLEET_SHELF_HOST, note_bucket, handle_value);
		rc = rc ? rc : read_shelf(k, FLEET_SHELF_ROLLUP, NULL, handle_rollup);
	}
	if (!rc && (!use || k->unread))
		rc = read_shelf(k, FLEET_SHELF_HOST, is_not_rolled, handle_value);
	if (!rc && k->failed)
		rc = cdict_fail_nomem(k->err);
	/* values may have been added meanwhile: none is missing */
	h->gone = h->gone > h->buckets ? h->gone - h->buckets : 0;
	k->out->gone += h->gone;
	fleet_bucket_set_fini(&k->buckets);
	stringset_fini(&k->captures);
	k->captures = (struct stringset){ 0 };
	return rc;
}

int fleet_read_each(struct fleet_read *out, struct store *st, const char *id,
		    const struct fleet_listener *listener, struct cdict_error *err)
{
	struct reading k = { .out = out, .st = st, .id = id, .listener = listener, .err = err };
	int rc = store_get(st, id, &out->job, err);

	out->rows.on_row = listener ? listener->row : NULL;
	out->rows.on_row_ctx = listener ? listener->ctx : NULL;
	rc = rc ? rc : store_shelves(st, id, handle_shelf, &k, err);
	for (size_t i = 0; i < out->hosts.n && !rc; i++)
		rc = read_host(&k, &out->hosts.at[i]);
	return rc;
}

int fleet_read(struct fleet_read *out, struct store *st, const char *id, struct cdict_error *err)
{
	return fleet_read_each(out, st, id, NULL, err);
}

void fleet_read_fini(struct fleet_read *r)
{
	for (size_t i = 0; i < r->hosts.n; i++)
		free(r->hosts.at[i].name);
	array_fini(&r->hosts);
	fleet_rows_fini(&r->rows);
}

/* ---- the table ---- */

enum { HOST = 0, CAPTURES, BUCKETS, FIRST, WINDOW, CPUS, EVENTS, LOST, GONE, BYTES };
static const struct table_column columns[] = {
	[HOST] = { "host", "host", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[CAPTURES] = { "captures", "captures", TABLE_COUNT, 0, NULL, 0 },
	[BUCKETS] = { "buckets", "buckets", TABLE_COUNT, 0, NULL, 0 },
	[FIRST] = { "first_wall_ns", "first", TABLE_COUNT, TABLE_GAUGE | TABLE_MACHINE, NULL, 0 },
	[WINDOW] = { "window_ns", "window ms", TABLE_MS, 0, NULL, 0 },
	[CPUS] = { "cpus", "CPUs", TABLE_COUNT, TABLE_GAUGE, NULL, 0 },
	[EVENTS] = { "events", "events", TABLE_COUNT, 0, NULL, 0 },
	[LOST] = { "lost", "lost", TABLE_COUNT, 0, NULL, 0 },
	[GONE] = { "gone", "evicted", TABLE_COUNT, 0, NULL, 0 },
	[BYTES] = { "stored_bytes", "bytes", TABLE_COUNT, TABLE_GAUGE, NULL, 0 },
	TABLE_COLUMNS_END,
};

struct table *fleet_hosts_table(const struct fleet_read *r)
{
	struct table *t = table_new("hosts", columns);

	if (!t)
		return NULL;
	t->order = "host";
	t->certain = true;
	for (size_t i = 0; i < r->hosts.n; i++) {
		const struct fleet_host *h = &r->hosts.at[i];

		table_row(t);
		table_text(t, HOST, h->name);
		table_u64(t, CAPTURES, h->captures);
		table_u64(t, BUCKETS, h->buckets);
		if (h->last_ns)
			table_u64(t, FIRST, h->first_ns);
		table_u64(t, WINDOW, h->window_ns);
		table_u64(t, CPUS, h->cpus);
		table_u64(t, EVENTS, h->events);
		table_u64(t, LOST, h->lost);
		table_u64(t, GONE, h->gone);
		table_u64(t, BYTES, h->bytes);
	}
	return table_done(t);
}
