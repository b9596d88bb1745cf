/* SPDX-License-Identifier: GPL-2.0-only */
/* New values of a job. */
#include "query/fleet/figures/follow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "query/fleet/values/value.h"

struct looking {
	struct fleet_follow *f;
	const struct fleet_listener *listener;
	const char *id;
	ARRAY(uint64_t) counts; /* number of values, by host */
	size_t host;
	bool failed; /* out of memory */
	struct cdict_error *err;
};

static int handle_shelf(void *ctx, const char *shelf, uint64_t n)
{
	struct looking *k = ctx;
	struct fleet_follow *f = k->f;
	const char *name = shelf + strlen(FLEET_SHELF_HOST);
	struct fleet_followed *h;
	size_t i = k->counts.n;

	if (strncmp(shelf, FLEET_SHELF_HOST, strlen(FLEET_SHELF_HOST)))
		return 0;
	/* names are sorted: it is usually the next one */
	if (i >= f->hosts.n || strcmp(f->hosts.at[i].name, name)) {
		for (i = 0; i < f->hosts.n && strcmp(f->hosts.at[i].name, name);)
			i++;
	}
	if (i == f->hosts.n) {
		h = array_add(&f->hosts);
		if (!h)
			return cdict_fail_nomem(k->err);
		h->name = strdup(name);
		if (!h->name) {
			f->hosts.n--;
			return cdict_fail_nomem(k->err);
		}
	}
	if (k->counts.n <= i && array_resize(&k->counts, i + 1))
		return cdict_fail_nomem(k->err);
	k->counts.at[i] = n;
	return 0;
}

static uint64_t number_of(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot ? strtoull(dot + 1, NULL, 10) : 0;
}

/* Whether this value is seen for the first time. */
static bool is_new(struct looking *k, const char *name)
{
	struct stringset *seen = &k->f->seen;
	char key[STORE_NAME_MOST + 32];
	size_t before = seen->n;
	int n = snprintf(key, sizeof(key), "%zu %s", k->host, name);

	if (!stringset_add(seen, key, (size_t)n))
		k->failed = true;
	return seen->n > before;
}

static bool want_none(void *ctx, const char *name)
{
	struct looking *k = ctx;
	struct fleet_followed *h = &k->f->hosts.at[k->host];
	uint64_t number = number_of(name);

	is_new(k, name);
	h->last = number > h->last ? number : h->last;
	return false;
}

static bool want_last(void *ctx, const char *name)
{
	struct looking *k = ctx;

	return number_of(name) >= k->f->hosts.at[k->host].last;
}

static bool want_new(void *ctx, const char *name)
{
	return is_new(ctx, name);
}

static int handle_value(void *ctx, const char *name, const void *data, size_t size)
{
	struct looking *k = ctx;
	struct fleet_rows rows = { .on_row = k->listener->row, .on_row_ctx = k->listener->ctx };
	struct fleet_window w;
	char subject[STORE_NAME_MOST * 2 + 64];
	int rc = fleet_value_decode(&rows, data, size, &w, k->err);

	fleet_rows_fini(&rows);
	if (!rc)
		return k->listener->bucket(k->listener->ctx, k->host, &w, k->err);
	snprintf(subject, sizeof(subject), "job %s, host %.64s, value %.100s", k->id,
		 k->f->hosts.at[k->host].name, name);
	return cdict_fail_in(k->err, rc, subject);
}

static int look_at_host(struct looking *k, struct store *st, size_t host)
{
	struct fleet_followed *h = &k->f->hosts.at[host];
	char shelf[STORE_NAME_MOST + 1];
	bool first = !h->n;
	int rc = 0;

	k->host = host;
	snprintf(shelf, sizeof(shelf), "%s%s", FLEET_SHELF_HOST, h->name);
	if (first)
		rc = store_values_wanted(st, k->id, shelf, want_none, handle_value, k, k->err);
	if (!rc)
		rc = store_values_wanted(st, k->id, shelf, first ? want_last : want_new,
					 handle_value, k, k->err);
	if (!rc && k->failed)
		rc = cdict_fail_nomem(k->err);
	if (!rc)
		h->n = k->counts.at[host];
	return rc;
}

int fleet_follow_look(struct fleet_follow *f, struct store *st, const char *id,
		      const struct fleet_listener *listener, struct cdict_error *err)
{
	struct looking k = { .f = f, .listener = listener, .id = id, .err = err };
	int rc = store_get(st, id, &f->job, err);

	rc = rc ? rc : store_shelves(st, id, handle_shelf, &k, err);
	for (size_t i = 0; i < k.counts.n && !rc; i++) {
		if (k.counts.at[i] && k.counts.at[i] != f->hosts.at[i].n)
			rc = look_at_host(&k, st, i);
	}
	array_fini(&k.counts);
	return rc;
}

void fleet_follow_fini(struct fleet_follow *f)
{
	for (size_t i = 0; i < f->hosts.n; i++)
		free(f->hosts.at[i].name);
	array_fini(&f->hosts);
	stringset_fini(&f->seen);
}
