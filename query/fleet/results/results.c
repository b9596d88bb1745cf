/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the counts and the runs of benchmarks of a job. */
#include "query/fleet/results/results.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "query/fleet/figures/figures.h"
#include "query/fleet/values/value.h"

struct reading {
	struct fleet_results *out;
	const char *id, *shelf, *host;
	struct fleet_rows *counts; /* NULL: a shelf of benchmarks */
	uint64_t values;
	struct cdict_error *err;
};

const char *fleet_run_name(const struct fleet_run *run)
{
	for (int kind = FLEET_BENCH; kind < FLEET_KINDS; kind++) {
		if (run->rows.of[kind].n)
			return run->rows.of[kind].at[0].key.name;
	}
	return "";
}

const char *fleet_run_document(const struct fleet_run *run)
{
	return run->rows.of[FLEET_DOCUMENTS].n ? run->rows.of[FLEET_DOCUMENTS].at[0].key.vm : NULL;
}

static int add_run(struct reading *k, const char *value, struct fleet_rows **rows)
{
	struct fleet_run *run = array_add(&k->out->runs);

	if (!run)
		return cdict_fail_nomem(k->err);
	*run = (struct fleet_run){ .host = strdup(k->host), .value = strdup(value) };
	*rows = &run->rows;
	return run->host && run->value ? 0 : cdict_fail_nomem(k->err);
}

static int handle_value(void *ctx, const char *name, const void *data, size_t size)
{
	struct reading *k = ctx;
	struct fleet_rows *rows = k->counts;
	char subject[STORE_NAME_MOST * 2 + 32];
	struct fleet_window w;
	int rc = rows ? 0 : add_run(k, name, &rows);

	if (rc)
		return rc;
	k->values++;
	rc = fleet_value_decode(rows, data, size, &w, k->err);
	if (!rc && !k->counts)
		k->out->runs.at[k->out->runs.n - 1].at_ns = w.clocked ? w.from_ns : 0;
	if (!rc)
		return 0;
	snprintf(subject, sizeof(subject), "job %s, shelf %.66s, value %.100s", k->id, k->shelf,
		 name);
	return cdict_fail_in(k->err, rc, subject);
}

static int read_shelf(struct reading *k, struct store *st, uint64_t n)
{
	struct fleet_result_host *host;
	int rc;

	k->counts = NULL;
	k->values = 0;
	if (!strncmp(k->shelf, FLEET_SHELF_COUNTS, strlen(FLEET_SHELF_COUNTS))) {
		host = array_add(&k->out->hosts);
		if (!host)
			return cdict_fail_nomem(k->err);
		*host = (struct fleet_result_host){ .name = strdup(k->host) };
		if (!host->name)
			return cdict_fail_nomem(k->err);
		k->counts = &host->counts;
	}
	rc = store_values(st, k->id, k->shelf, handle_value, k, k->err);
	k->out->gone += n > k->values ? n - k->values : 0;
	return rc;
}

static int by_time(const void *a, const void *b)
{
	const struct fleet_run *x = a, *y = b;
	int order = strcmp(fleet_run_name(x), fleet_run_name(y));

	if (!order && x->at_ns != y->at_ns)
		return x->at_ns < y->at_ns ? -1 : 1;
	order = order ? order : strcmp(x->host, y->host);
	return order ? order : strcmp(x->value, y->value);
}

int fleet_results_read(struct fleet_results *out, struct store *st, const char *id,
		       const char *host, struct cdict_error *err)
{
	struct reading k = { .out = out, .id = id, .err = err };
	struct store_names shelves = { 0 };
	struct fleet_job job;
	int rc = store_get(st, id, &job, err);

	rc = rc ? rc : store_list_shelves(&shelves, st, id, err);
	for (size_t i = 0; i < shelves.all.n && !rc; i++) {
		k.shelf = shelves.all.at[i].text;
		k.host = fleet_figures_host(k.shelf);
		if (k.host && (!host || !strcmp(host, k.host)))
			rc = read_shelf(&k, st, shelves.all.at[i].n);
	}
	array_fini(&shelves.all);
	if (out->runs.n)
		qsort(out->runs.at, out->runs.n, sizeof(*out->runs.at), by_time);
	for (size_t i = 0; i < out->runs.n; i++)
		out->runs.at[i].number = i && !strcmp(fleet_run_name(&out->runs.at[i]),
						      fleet_run_name(&out->runs.at[i - 1]))
						 ? out->runs.at[i - 1].number + 1
						 : 1;
	return rc;
}

int fleet_host_known(struct store *st, const char *id, const char *host, struct cdict_error *err)
{
	struct store_names shelves = { 0 };
	struct stringset seen = { 0 };
	struct buf list = { 0 };
	bool found = false;
	int rc = store_list_shelves(&shelves, st, id, err);

	for (size_t i = 0; i < shelves.all.n && !rc; i++) {
		const char *colon = strchr(shelves.all.at[i].text, ':');
		size_t before = seen.n;

		if (!colon || !shelves.all.at[i].n)
			continue;
		found |= !strcmp(colon + 1, host);
		if (!stringset_add(&seen, colon + 1, strlen(colon + 1)))
			rc = cdict_fail_nomem(err);
		else if (seen.n > before)
			buf_printf(&list, "%s%s", list.len ? ", " : "", colon + 1);
	}
	array_fini(&shelves.all);
	stringset_fini(&seen);
	if (!rc && !found)
		rc = list.failed ? cdict_fail_nomem(err)
		     : list.len  ? cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
					      "job %s has no host '%s'; its hosts are %.*s", id,
					      host, list.len < 300 ? (int)list.len : 300,
					      (const char *)list.data)
				 : cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
					      "job %s has no host '%s', and no other", id, host);
	buf_fini(&list);
	return rc;
}

void fleet_results_fini(struct fleet_results *r)
{
	for (size_t i = 0; i < r->hosts.n; i++) {
		free(r->hosts.at[i].name);
		fleet_rows_fini(&r->hosts.at[i].counts);
	}
	for (size_t i = 0; i < r->runs.n; i++) {
		free(r->runs.at[i].host);
		free(r->runs.at[i].value);
		fleet_rows_fini(&r->runs.at[i].rows);
	}
	array_fini(&r->hosts);
	array_fini(&r->runs);
	stringset_fini(&r->texts);
	*r = (struct fleet_results){ 0 };
}
