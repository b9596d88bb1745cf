/* SPDX-License-Identifier: GPL-2.0-only */
/* Event counts and benchmark figures in a store. */
#include "query/fleet/figures/figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "query/fleet/figures/functions.h"
#include "query/fleet/values/value.h"

int fleet_bench_add(struct fleet_rows *rows, const char *name, const char *event, double value,
		    struct cdict_error *err)
{
	const struct fleet_key key = { .name = name, .reason = event, .vcpu = -1 };
	union fleet_any any;

	memset(&any, 0, sizeof(any));
	any.bench.spread = (struct fleet_spread){ 1, value, value, value };
	return fleet_rows_add(rows, FLEET_BENCH, &key, &any, false, 0, err);
}

static int add_text(struct fleet_rows *rows, enum fleet_kind kind, const struct fleet_key *key,
		    struct cdict_error *err)
{
	union fleet_any any;

	memset(&any, 0, sizeof(any));
	any.text.runs = 1;
	return fleet_rows_add(rows, kind, key, &any, false, 0, err);
}

int fleet_text_add(struct fleet_rows *rows, const char *name, const char *path, const char *text,
		   struct cdict_error *err)
{
	const struct fleet_key key = { .name = name, .reason = path, .vm = text, .vcpu = -1 };

	return add_text(rows, FLEET_TEXTS, &key, err);
}

int fleet_document_add(struct fleet_rows *rows, const char *name, const char *document,
		       struct cdict_error *err)
{
	const struct fleet_key key = { .name = name, .reason = "json", .vm = document, .vcpu = -1 };

	return add_text(rows, FLEET_DOCUMENTS, &key, err);
}

int fleet_figures_put(struct store *st, const char *id, const char *shelf, const char *host,
		      const char *name, const struct fleet_rows *rows,
		      const struct fleet_window *window, bool *added, struct cdict_error *err)
{
	char on[STORE_NAME_MOST + 1];
	struct buf value = { 0 };
	int rc;

	if ((size_t)snprintf(on, sizeof(on), "%s%s", shelf, host) >= sizeof(on))
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "host name is longer than 64 bytes");
	rc = fleet_value_encode(&value, rows, window, err);
	if (!rc)
		rc = store_put(st, id, on, name, value.data, value.len, added, err);
	buf_fini(&value);
	return rc;
}

/* ---- the table ---- */

enum {
	KIND = 0,
	HOST,
	NAME,
	EVENT,
	VALUE,
	COUNT,
	RUNS,
	SUM,
	MIN,
	MAX,
	ENABLED,
	RUNNING,
	FUNCTION,
	IN
};
static const struct table_column columns[] = {
	[KIND] = { "kind", "kind", TABLE_TEXT, 0, NULL, 0 },
	[HOST] = { "host", "host", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[NAME] = { "name", "name", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[EVENT] = { "event", "event", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	/* TABLE_PERCENT formats any number that is not whole */
	[VALUE] = { "value", "value", TABLE_PERCENT, TABLE_KEEP, NULL, 0 },
	[COUNT] = { "count", "count", TABLE_COUNT, 0, NULL, 0 },
	[RUNS] = { "runs", "runs", TABLE_COUNT, 0, NULL, 0 },
	[SUM] = { "sum", "sum", TABLE_PERCENT, 0, NULL, 0 },
	[MIN] = { "min", "min", TABLE_PERCENT, 0, NULL, 0 },
	[MAX] = { "max", "max", TABLE_PERCENT, 0, NULL, 0 },
	[ENABLED] = { "enabled_ns", "enabled ms", TABLE_MS, TABLE_WIDE, NULL, 0 },
	[RUNNING] = { "running_ns", "running ms", TABLE_MS, TABLE_WIDE, NULL, 0 },
	[FUNCTION] = { "function", "function", TABLE_TEXT, 0, NULL, 0 },
	[IN] = { "in", "in", TABLE_TEXT, 0, NULL, 0 },
	TABLE_COLUMNS_END,
};

struct table *fleet_figures_new(void)
{
	struct table *t = table_new("figures", columns);

	if (t) {
		t->order = "kind,host,name,event,function,in";
		t->certain = true;
	}
	return t;
}

static void begin_row(struct table *t, const char *kind, const char *host,
		      const struct fleet_key *key)
{
	table_row(t);
	table_text(t, KIND, kind);
	table_text(t, HOST, host);
	table_text(t, NAME, key->name);
	table_text(t, EVENT, key->reason);
}

void fleet_figures_fill(struct table *t, const char *host, const struct fleet_rows *rows)
{
	for (size_t i = 0; i < rows->of[FLEET_COUNTS].n; i++) {
		const struct fleet_row *row = &rows->of[FLEET_COUNTS].at[i];
		const struct fleet_count_row *c = &row->any->count;

		begin_row(t, "count", host, &row->key);
		table_percent(t, VALUE, (double)c->value);
		table_u64(t, COUNT, c->count);
		table_u64(t, RUNS, c->runs);
		table_u64(t, ENABLED, c->enabled_ns);
		table_u64(t, RUNNING, c->running_ns);
	}
	for (size_t i = 0; i < rows->of[FLEET_FUNCTIONS].n; i++) {
		const struct fleet_row *row = &rows->of[FLEET_FUNCTIONS].at[i];

		begin_row(t, "function", host, &row->key);
		table_percent(t, VALUE, (double)row->any->function.value);
		table_u64(t, COUNT, row->any->function.samples);
		table_u64(t, RUNS, row->any->function.runs);
		table_text(t, FUNCTION, row->key.vm);
		table_text(t, IN, fleet_function_in(&row->key));
	}
	for (size_t i = 0; i < rows->of[FLEET_BENCH].n; i++) {
		const struct fleet_row *row = &rows->of[FLEET_BENCH].at[i];
		const struct fleet_spread *s = &row->any->bench.spread;

		begin_row(t, "bench", host, &row->key);
		table_u64(t, RUNS, s->runs);
		if (!s->runs)
			continue;
		table_percent(t, VALUE, s->sum / (double)s->runs);
		table_percent(t, SUM, s->sum);
		table_percent(t, MIN, s->min);
		table_percent(t, MAX, s->max);
	}
}

/* ---- reading ---- */

struct reading {
	const char *id;
	const struct store_name *now;
	struct fleet_rows rows; /* of one shelf */
	struct cdict_error *err;
};

const char *fleet_figures_host(const char *shelf)
{
	return strncmp(shelf, FLEET_SHELF_COUNTS, strlen(FLEET_SHELF_COUNTS)) &&
			       strncmp(shelf, FLEET_SHELF_BENCH, strlen(FLEET_SHELF_BENCH))
		       ? NULL
		       : strchr(shelf, ':') + 1;
}

static int handle_value(void *ctx, const char *name, const void *data, size_t size)
{
	struct reading *k = ctx;
	char subject[STORE_NAME_MOST * 2 + 32];
	int rc = fleet_value_decode(&k->rows, data, size, NULL, k->err);

	if (!rc)
		return 0;
	snprintf(subject, sizeof(subject), "job %s, shelf %.66s, value %.100s", k->id, k->now->text,
		 name);
	return cdict_fail_in(k->err, rc, subject);
}

static int read_shelf(struct reading *k, struct store *st, struct table *t, uint64_t *gone)
{
	int rc = store_values(st, k->id, k->now->text, handle_value, k, k->err);

	if (!rc) {
		fleet_figures_fill(t, fleet_figures_host(k->now->text), &k->rows);
		/* values may have been added meanwhile: none is missing */
		if (k->now->n > k->rows.values)
			*gone += k->now->n - k->rows.values;
	}
	fleet_rows_fini(&k->rows);
	return rc;
}

int fleet_figures_table(struct table **out, struct store *st, const char *id, const char *host,
			uint64_t *gone, struct cdict_error *err)
{
	struct reading k = { .id = id, .err = err };
	struct store_names shelves = { 0 };
	struct table *t = fleet_figures_new();
	struct fleet_job job;
	int rc = t ? store_get(st, id, &job, err) : cdict_fail_nomem(err);

	*gone = 0;
	rc = rc ? rc : store_list_shelves(&shelves, st, id, err);
	for (size_t i = 0; i < shelves.all.n && !rc; i++) {
		const char *of = fleet_figures_host(shelves.all.at[i].text);

		k.now = &shelves.all.at[i];
		if (of && (!host || !strcmp(host, of)))
			rc = read_shelf(&k, st, t, gone);
	}
	array_fini(&shelves.all);
	if (rc)
		table_free(t);
	*out = rc ? NULL : table_done(t);
	return rc || *out ? rc : cdict_fail_nomem(err);
}
