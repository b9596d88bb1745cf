/* SPDX-License-Identifier: GPL-2.0-only */
/* The values that a job's hosts pushed. */
#include "query/fleet/figures/hosts.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/saturate.h"
#include "query/fleet/figures/value.h"

struct reading {
	struct fleet_read *out;
	struct store *st;
	const char *id;
	struct fleet_host *host;
	const struct fleet_listener *listener; /* or NULL */
	char capture[17];                      /* id of the latest capture */
	struct cdict_error *err;
};

static int handle_value(void *ctx, const char *name, const void *data, size_t size)
{
	struct reading *k = ctx;
	struct fleet_host *h = k->host;
	struct fleet_window w;
	size_t n = strcspn(name, ".");
	char subject[STORE_NAME_MOST * 2 + 32];
	uint64_t end;
	int rc;

	rc = fleet_value_decode(&k->out->rows, data, size, &w, k->err);
	if (rc) {
		snprintf(subject, sizeof(subject), "job %s, host %.64s, value %.100s", k->id,
			 h->name, name);
		return cdict_fail_in(k->err, rc, subject);
	}
	if (n >= sizeof(k->capture) || strncmp(k->capture, name, n) || k->capture[n]) {
		h->captures++;
		snprintf(k->capture, sizeof(k->capture), "%.*s", (int)n, name);
	}
	end = w.from_ns + w.window_ns;
	h->first_ns = w.clocked && (!h->last_ns || w.from_ns < h->first_ns) ? w.from_ns
									    : h->first_ns;
	h->last_ns = w.clocked && end > h->last_ns ? end : h->last_ns;
	h->buckets++;
	h->bytes += size;
	saturated_add(&h->window_ns, w.window_ns);
	saturated_add(&h->events, w.events);
	saturated_add(&h->lost, w.lost);
	h->cpus = w.cpus > h->cpus ? w.cpus : h->cpus;
	return k->listener ? k->listener->bucket(k->listener->ctx, (size_t)(h - k->out->hosts.at),
						 &w, k->err)
			   : 0;
}

/* Lists shelves first, because a store need not support nested queries. */
static int handle_shelf(void *ctx, const char *shelf, uint64_t n)
{
	struct reading *k = ctx;
	struct fleet_host *h;

	if (strncmp(shelf, FLEET_SHELF_HOST, strlen(FLEET_SHELF_HOST)))
		return 0;
	h = array_add(&k->out->hosts);
	if (!h)
		return cdict_fail_nomem(k->err);
	h->name = strdup(shelf + strlen(FLEET_SHELF_HOST));
	h->gone = n;
	return h->name ? 0 : cdict_fail_nomem(k->err);
}

static int read_host(struct reading *k, struct fleet_host *h)
{
	char shelf[STORE_NAME_MOST + 1];
	int rc;

	snprintf(shelf, sizeof(shelf), "%s%s", FLEET_SHELF_HOST, h->name);
	k->host = h;
	k->capture[0] = 0;
	rc = store_values(k->st, k->id, shelf, handle_value, k, k->err);
	/* values may have been added meanwhile: none is missing */
	h->gone = h->gone > h->buckets ? h->gone - h->buckets : 0;
	k->out->gone += h->gone;
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
