/* SPDX-License-Identifier: GPL-2.0-only */
/* Tables of counts, and of benchmarks' runs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/statistics.h"
#include "query/fleet/results/results.h"
#include "tables/columns/number.h"
#include "tables/columns/table.h"

/* ---- counts: programs or hosts by events ---- */

struct line {
	const char *name;
	uint64_t *values; /* of each event */
	bool *known;
};

struct pivot {
	ARRAY(const char *) events;
	ARRAY(struct line) lines;
	struct map event_at, line_at;
};

static uint32_t *place_of(struct fleet_results *r, struct map *m, const char *name)
{
	const char *text = stringset_add(&r->texts, name ? name : "", strlen(name ? name : ""));

	return text ? map_add(m, (uintptr_t)text, 0) : NULL;
}

static int note_event(struct fleet_results *r, struct pivot *p, const char *event)
{
	uint32_t *at = place_of(r, &p->event_at, event);

	if (!at)
		return -1;
	if (*at != MAP_NEW)
		return 0;
	*at = (uint32_t)p->events.n;
	return array_push(&p->events, stringset_add(&r->texts, event, strlen(event)));
}

static int add_cell(struct fleet_results *r, struct pivot *p, const char *name, const char *event,
		    uint64_t value)
{
	uint32_t *line = place_of(r, &p->line_at, name), *column;
	struct line *l;

	if (!line)
		return -1;
	if (*line == MAP_NEW) {
		*line = (uint32_t)p->lines.n;
		l = array_add(&p->lines);
		if (!l)
			return -1;
		*l = (struct line){ .name = stringset_add(&r->texts, name, strlen(name)),
				    .values = calloc(p->events.n, sizeof(*l->values)),
				    .known = calloc(p->events.n, sizeof(*l->known)) };
	}
	l = &p->lines.at[*line];
	column = place_of(r, &p->event_at, event);
	if (!column || !l->name || !l->values || !l->known)
		return -1;
	l->values[*column] += value;
	l->known[*column] = true;
	return 0;
}

static int by_first_event(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->values[0] != y->values[0])
		return x->values[0] < y->values[0] ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int pivot_make(struct pivot *p, struct fleet_results *r, bool by_host)
{
	for (size_t h = 0; h < r->hosts.n; h++) {
		for (size_t i = 0; i < r->hosts.at[h].counts.of[FLEET_COUNTS].n; i++) {
			if (note_event(r, p,
				       r->hosts.at[h].counts.of[FLEET_COUNTS].at[i].key.reason))
				return -1;
		}
	}
	for (size_t h = 0; h < r->hosts.n; h++) {
		const struct fleet_result_host *host = &r->hosts.at[h];

		for (size_t i = 0; i < host->counts.of[FLEET_COUNTS].n; i++) {
			const struct fleet_row *row = &host->counts.of[FLEET_COUNTS].at[i];

			if (add_cell(r, p, by_host ? host->name : row->key.name, row->key.reason,
				     row->any->count.value))
				return -1;
		}
	}
	if (p->lines.n)
		qsort(p->lines.at, p->lines.n, sizeof(*p->lines.at), by_first_event);
	return 0;
}

static void pivot_fini(struct pivot *p)
{
	for (size_t i = 0; i < p->lines.n; i++) {
		free(p->lines.at[i].values);
		free(p->lines.at[i].known);
	}
	array_fini(&p->events);
	array_fini(&p->lines);
	map_fini(&p->event_at);
	map_fini(&p->line_at);
}

static struct table *wide(const struct pivot *p, bool by_host)
{
	struct table_column *columns = calloc(p->events.n + 2, sizeof(*columns));
	struct table *t;

	if (!columns)
		return NULL;
	columns[0] = (struct table_column){ by_host ? "host" : "program",
					    by_host ? "host" : "program",
					    TABLE_TEXT,
					    TABLE_KEEP,
					    NULL,
					    0 };
	for (size_t i = 0; i < p->events.n; i++)
		columns[i + 1] = (struct table_column){
			p->events.at[i], p->events.at[i], TABLE_COUNT, TABLE_DASH, NULL, 0
		};
	columns[p->events.n + 1].kind = TABLE_END;
	t = table_new(by_host ? "counts_hosts" : "counts", columns);
	if (!t) {
		free(columns);
		return NULL;
	}
	t->own_columns = columns;
	t->certain = t->grouped = true;
	for (size_t i = 0; i < p->lines.n; i++) {
		table_row(t);
		table_text(t, 0, p->lines.at[i].name);
		for (size_t e = 0; e < p->events.n; e++) {
			if (p->lines.at[i].known[e])
				table_u64(t, e + 1, p->lines.at[i].values[e]);
		}
	}
	return table_done(t);
}

static struct table *narrow(const struct pivot *p, bool by_host)
{
	enum { NAME = 0, EVENT, VALUE };
	static const struct table_column programs[] = {
		{ "program", "program", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
		{ "event", "event", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
		{ "value", "value", TABLE_COUNT, TABLE_KEEP, NULL, 0 },
		TABLE_COLUMNS_END,
	};
	static const struct table_column hosts[] = {
		{ "host", "host", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
		{ "event", "event", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
		{ "value", "value", TABLE_COUNT, TABLE_KEEP, NULL, 0 },
		TABLE_COLUMNS_END,
	};
	struct table *t =
		table_new(by_host ? "counts_hosts" : "counts", by_host ? hosts : programs);

	if (!t)
		return NULL;
	t->certain = t->grouped = true;
	for (size_t i = 0; i < p->lines.n; i++) {
		for (size_t e = 0; e < p->events.n; e++) {
			if (!p->lines.at[i].known[e])
				continue;
			table_row(t);
			table_text(t, NAME, p->lines.at[i].name);
			table_text(t, EVENT, p->events.at[e]);
			table_u64(t, VALUE, p->lines.at[i].values[e]);
		}
	}
	return table_done(t);
}

struct table *fleet_results_counts(struct fleet_results *r, bool by_host)
{
	struct pivot p = { 0 };
	struct table *t = pivot_make(&p, r, by_host) ? NULL : wide(&p, by_host);

	pivot_fini(&p);
	return t;
}

struct table *fleet_results_programs(struct fleet_results *r, bool by_host)
{
	struct pivot p = { 0 };
	struct table *t = pivot_make(&p, r, by_host) ? NULL : narrow(&p, by_host);

	pivot_fini(&p);
	return t;
}

struct table *fleet_results_each(const struct fleet_results *r)
{
	enum { HOST = 0, PROGRAM, EVENT, VALUE, COUNT, RUNS, ENABLED, RUNNING };
	static const struct table_column columns[] = {
		[HOST] = { "host", "host", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
		[PROGRAM] = { "program", "program", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
		[EVENT] = { "event", "event", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
		[VALUE] = { "value", "value", TABLE_COUNT, TABLE_KEEP, NULL, 0 },
		[COUNT] = { "count", "count", TABLE_COUNT, 0, NULL, 0 },
		[RUNS] = { "runs", "runs", TABLE_COUNT, 0, NULL, 0 },
		[ENABLED] = { "enabled_ns", "enabled ms", TABLE_MS, 0, NULL, 0 },
		[RUNNING] = { "running_ns", "running ms", TABLE_MS, 0, NULL, 0 },
		TABLE_COLUMNS_END,
	};
	struct table *t = table_new("counts", columns);

	if (!t)
		return NULL;
	t->order = "host,program,event";
	t->certain = t->grouped = true;
	for (size_t h = 0; h < r->hosts.n; h++) {
		for (size_t i = 0; i < r->hosts.at[h].counts.of[FLEET_COUNTS].n; i++) {
			const struct fleet_row *row = &r->hosts.at[h].counts.of[FLEET_COUNTS].at[i];

			table_row(t);
			table_text(t, HOST, r->hosts.at[h].name);
			table_text(t, PROGRAM, row->key.name);
			table_text(t, EVENT, row->key.reason);
			table_u64(t, VALUE, row->any->count.value);
			table_u64(t, COUNT, row->any->count.count);
			table_u64(t, RUNS, row->any->count.runs);
			table_u64(t, ENABLED, row->any->count.enabled_ns);
			table_u64(t, RUNNING, row->any->count.running_ns);
		}
	}
	return table_done(t);
}

/* ---- benchmarks ---- */

struct sample {
	const char *name, *figure;
	double value;
};

static int by_figure(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	order = order ? order : strcmp(x->figure, y->figure);
	return order ? order : x->value < y->value ? -1 : x->value > y->value;
}

static double value_of(const struct fleet_row *row)
{
	return row->any->bench.spread.sum / (double)row->any->bench.spread.runs;
}

static void bench_row(struct table *t, const struct sample *of, size_t n)
{
	enum { NAME = 0, FIGURE, RUNS, MEDIAN, Q1, Q3, MIN, MAX, MEAN };
	double *values = calloc(n, sizeof(*values)), sum = 0;
	struct statistics_quartiles q;

	if (!values) {
		t->failed = true;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		values[i] = of[i].value;
		sum += values[i];
	}
	q = statistics_quartiles(values, n);
	table_row(t);
	table_text(t, NAME, of->name);
	table_text(t, FIGURE, of->figure);
	table_u64(t, RUNS, n);
	table_percent(t, MEDIAN, q.median);
	table_percent(t, Q1, q.q1);
	table_percent(t, Q3, q.q3);
	table_percent(t, MIN, values[0]);
	table_percent(t, MAX, values[n - 1]);
	table_percent(t, MEAN, sum / (double)n);
	free(values);
}

struct table *fleet_results_bench(const struct fleet_results *r)
{
	/* TABLE_PERCENT formats any number that is not whole */
	static const struct table_column columns[] = {
		{ "name", "benchmark", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
		{ "figure", "figure", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
		{ "runs", "runs", TABLE_COUNT, 0, NULL, 0 },
		{ "median", "median", TABLE_PERCENT, TABLE_KEEP, NULL, 0 },
		{ "q1", "quartile 1", TABLE_PERCENT, 0, NULL, 0 },
		{ "q3", "quartile 3", TABLE_PERCENT, 0, NULL, 0 },
		{ "min", "min", TABLE_PERCENT, 0, NULL, 0 },
		{ "max", "max", TABLE_PERCENT, 0, NULL, 0 },
		{ "mean", "mean", TABLE_PERCENT, 0, NULL, 0 },
		TABLE_COLUMNS_END,
	};
	ARRAY(struct sample) samples = { 0 };
	struct table *t = table_new("benchmarks", columns);
	size_t first = 0;

	if (!t)
		return NULL;
	t->certain = t->grouped = true;
	for (size_t i = 0; i < r->runs.n; i++) {
		const struct fleet_run *run = &r->runs.at[i];

		for (size_t f = 0; f < run->rows.of[FLEET_BENCH].n; f++) {
			const struct fleet_row *row = &run->rows.of[FLEET_BENCH].at[f];
			const struct sample s = { row->key.name ? row->key.name : "",
						  row->key.reason, value_of(row) };

			t->failed |= array_push(&samples, s) != 0;
		}
	}
	if (samples.n)
		qsort(samples.at, samples.n, sizeof(*samples.at), by_figure);
	for (size_t i = 1; i <= samples.n; i++) {
		if (i < samples.n && !strcmp(samples.at[i].name, samples.at[first].name) &&
		    !strcmp(samples.at[i].figure, samples.at[first].figure))
			continue;
		bench_row(t, &samples.at[first], i - first);
		first = i;
	}
	array_fini(&samples);
	return table_done(t);
}

struct table *fleet_results_runs(const struct fleet_results *r)
{
	enum { NAME = 0, RUN, HOST, AT, AT_NS, FIGURES, TEXTS };
	static const struct table_column columns[] = {
		[NAME] = { "name", "benchmark", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
		[RUN] = { "run", "run", TABLE_INTEGER, TABLE_KEEP, NULL, 0 },
		[HOST] = { "host", "host", TABLE_TEXT, 0, NULL, 0 },
		[AT] = { "at", "pushed at", TABLE_TEXT, TABLE_DASH | TABLE_HUMAN, NULL, 0 },
		[AT_NS] = { "at_wall_ns", "at", TABLE_COUNT, TABLE_MACHINE | TABLE_GAUGE, NULL, 0 },
		[FIGURES] = { "figures", "figures", TABLE_COUNT, 0, NULL, 0 },
		[TEXTS] = { "texts", "texts", TABLE_COUNT, 0, NULL, 0 },
		TABLE_COLUMNS_END,
	};
	struct table *t = table_new("runs", columns);
	char room[NUMBER_ROOM];

	if (!t)
		return NULL;
	t->certain = t->grouped = true;
	for (size_t i = 0; i < r->runs.n; i++) {
		const struct fleet_run *run = &r->runs.at[i];

		table_row(t);
		table_text(t, NAME, fleet_run_name(run));
		table_i64(t, RUN, (int64_t)run->number);
		table_text(t, HOST, run->host);
		if (run->at_ns) {
			table_text(t, AT, number_utc(room, run->at_ns));
			table_u64(t, AT_NS, run->at_ns);
		}
		table_u64(t, FIGURES, run->rows.of[FLEET_BENCH].n);
		table_u64(t, TEXTS, run->rows.of[FLEET_TEXTS].n);
	}
	return table_done(t);
}

struct table *fleet_results_values(const struct fleet_results *r)
{
	enum { NAME = 0, RUN, HOST, AT_NS, FIGURE, VALUE, SAMPLES, MIN, MAX, TEXT };
	static const struct table_column columns[] = {
		[NAME] = { "name", "benchmark", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
		[RUN] = { "run", "run", TABLE_INTEGER, TABLE_KEEP, NULL, 0 },
		[HOST] = { "host", "host", TABLE_TEXT, 0, NULL, 0 },
		[AT_NS] = { "at_wall_ns", "at", TABLE_COUNT, TABLE_GAUGE, NULL, 0 },
		[FIGURE] = { "figure", "figure", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
		[VALUE] = { "value", "value", TABLE_PERCENT, TABLE_KEEP, NULL, 0 },
		[SAMPLES] = { "samples", "samples", TABLE_COUNT, 0, NULL, 0 },
		[MIN] = { "min", "min", TABLE_PERCENT, 0, NULL, 0 },
		[MAX] = { "max", "max", TABLE_PERCENT, 0, NULL, 0 },
		[TEXT] = { "text", "text", TABLE_TEXT, 0, NULL, 0 },
		TABLE_COLUMNS_END,
	};
	struct table *t = table_new("values", columns);

	if (!t)
		return NULL;
	t->certain = t->grouped = true;
	for (size_t i = 0; i < r->runs.n; i++) {
		const struct fleet_run *run = &r->runs.at[i];

		for (int kind = FLEET_BENCH; kind <= FLEET_TEXTS; kind++) {
			for (size_t f = 0; f < run->rows.of[kind].n; f++) {
				const struct fleet_row *row = &run->rows.of[kind].at[f];

				table_row(t);
				table_text(t, NAME, row->key.name);
				table_i64(t, RUN, (int64_t)run->number);
				table_text(t, HOST, run->host);
				if (run->at_ns)
					table_u64(t, AT_NS, run->at_ns);
				table_text(t, FIGURE, row->key.reason);
				if (kind == FLEET_TEXTS) {
					table_text(t, TEXT, row->key.vm);
					continue;
				}
				table_percent(t, VALUE, value_of(row));
				table_u64(t, SAMPLES, row->any->bench.spread.runs);
				table_percent(t, MIN, row->any->bench.spread.min);
				table_percent(t, MAX, row->any->bench.spread.max);
			}
		}
	}
	return table_done(t);
}
