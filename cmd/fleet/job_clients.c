/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict job show: the hosts that pushed, and when they last did. */
#include <stdio.h>
#include <string.h>

#include "cmd/fleet/job.h"
#include "tables/columns/number.h"

enum { HOST = 0, PUSHED, TIMES, HEARD, HEARD_NS };
static const struct table_column columns[] = {
	[HOST] = { "host", "host", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[PUSHED] = { "pushed", "pushed", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[TIMES] = { "values", "values", TABLE_COUNT, 0, NULL, 0 },
	[HEARD] = { "heard", "last heard", TABLE_TEXT, TABLE_HUMAN | TABLE_DASH, NULL, 0 },
	[HEARD_NS] = { "heard_wall_ns", "heard", TABLE_COUNT, TABLE_MACHINE | TABLE_GAUGE, NULL,
		       0 },
	TABLE_COLUMNS_END,
};

static void add(struct table *t, const char *host, const char *what, uint64_t values,
		uint64_t last_ns)
{
	char room[NUMBER_ROOM];

	table_row(t);
	table_text(t, HOST, host);
	table_text(t, PUSHED, what);
	table_u64(t, TIMES, values);
	if (!last_ns)
		return;
	table_text(t, HEARD, number_utc(room, last_ns));
	table_u64(t, HEARD_NS, last_ns);
}

/* Runs of one host, in any order. */
static void add_runs(struct table *t, const struct fleet_results *results)
{
	for (size_t i = 0; i < results->runs.n; i++) {
		const char *host = results->runs.at[i].host;
		uint64_t n = 0, last_ns = 0;
		bool seen = false;

		for (size_t k = 0; k < results->runs.n; k++) {
			if (strcmp(host, results->runs.at[k].host))
				continue;
			seen |= k < i;
			n++;
			if (results->runs.at[k].at_ns > last_ns)
				last_ns = results->runs.at[k].at_ns;
			if (seen)
				break;
		}
		if (!seen)
			add(t, host, "benchmarks", n, last_ns);
	}
}

struct table *job_clients(const struct fleet_read *r, const struct fleet_results *results)
{
	struct table *t = table_new("clients", columns);

	if (!t)
		return NULL;
	t->order = "host,pushed";
	t->certain = true;
	for (size_t i = 0; i < r->hosts.n; i++)
		add(t, r->hosts.at[i].name, "captures", r->hosts.at[i].buckets,
		    r->hosts.at[i].last_ns);
	for (size_t i = 0; i < results->hosts.n; i++)
		add(t, results->hosts.at[i].name, "counts", results->hosts.at[i].counts.values,
		    results->hosts.at[i].counts.last_ns);
	add_runs(t, results);
	return table_done(t);
}
