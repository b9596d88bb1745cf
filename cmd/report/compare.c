/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the page that compares two jobs. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/memory/texts.h"
#include "base/text/plural.h"
#include "cmd/report/job.h"
#include "cmd/tables/fleet.h"
#include "query/fleet/figures/pairs.h"
#include "render/draw/text.h"
#include "render/page/fleet_page.h"

/* Limit of rows in a table of the page: the most changed ones. */
#define ROWS_MOST 5000

static const struct pairs_table {
	const char *key, *title, *about;
	enum fleet_kind kind;
	unsigned hidden;
	const char *by;
} pairs_tables[] = {
	{ "vms", "VMs",
	  "Largest growth of time waited first: preempted or waiting for a CPU, in percent of the vCPUs' time.",
	  FLEET_VCPUS, HIDE_NAME | HIDE_VCPU, "delayed_percent" },
	{ "tasks", "Tasks", "By name, largest growth of run-queue latency first.", FLEET_TASKS,
	  HIDE_VCPU, "latency_p99_ns" },
	{ "exits", "Exits", "By reason, all VMs, largest growth first.", FLEET_EXITS,
	  HIDE_NAME | HIDE_VCPU | HIDE_VM, "count_per_s" },
};
enum { TABLES = 1 + sizeof(pairs_tables) / sizeof(*pairs_tables) };

struct two {
	struct fleet_grid sides[2];
	struct texts facts, lines;
	struct stringset words;
	struct fleet_page_table tables[TABLES];
};

static int make_tables(struct two *p, struct cdict_error *err)
{
	const struct fleet_rows *was = &p->sides[0].read.rows, *is = &p->sides[1].read.rows;

	p->tables[0] = (struct fleet_page_table){
		"hosts", "Hosts",
		"Largest growth of run-queue wait first: time that runnable tasks waited for a CPU, in percent of the "
		"CPUs' known time.",
		fleet_pairs_hosts(&p->sides[0], &p->sides[1], &p->words), FLEET_BARS_NONE
	};
	for (size_t i = 1; i < TABLES; i++) {
		const struct pairs_table *t = &pairs_tables[i - 1];

		p->tables[i] = (struct fleet_page_table){ t->key, t->title, t->about,
							  fleet_pairs(t->key, was, is, t->kind,
								      t->hidden, t->by, &p->words),
							  FLEET_BARS_NONE };
	}
	for (size_t i = 0; i < TABLES; i++) {
		struct table *t = p->tables[i].table;

		if (!t)
			return cdict_fail_nomem(err);
		t->grouped = true;
		table_top(t, ROWS_MOST);
		if (t->n_rows > ROWS_MOST)
			texts_printf(&p->lines, "%s: the %d worst of %s rows.", p->tables[i].title,
				     ROWS_MOST, GROUPED(t->n_rows));
	}
	return 0;
}

static void say(struct two *p)
{
	for (size_t i = 0; i < 2; i++) {
		const struct fleet_read *r = &p->sides[i].read;
		char span[TEXT_ROOM], events[TEXT_ROOM];

		texts_printf(&p->facts, "%c: job %s%s%s", i ? 'B' : 'A', r->job.id,
			     r->job.info[0] ? ", " : "", r->job.info);
		texts_printf(&p->facts, "%s host%s, %s of host time, %s event%s",
			     GROUPED(r->hosts.n), r->hosts.n == 1 ? "" : "s",
			     text_duration(span, (double)r->rows.window_ns),
			     text_short(events, (double)r->rows.events),
			     r->rows.events == 1 ? "" : "s");
		if (!r->hosts.n)
			texts_printf(&p->lines, "Job %s is empty: no host has pushed figures.",
				     r->job.id);
		if (r->gone)
			texts_printf(
				&p->lines,
				"Job %s: the store evicted %s pushed bucket%s; figures cover the rest.",
				r->job.id, GROUPED(r->gone), r->gone == 1 ? "" : "s");
		if (r->rows.lost)
			texts_printf(&p->lines, "Job %s: events lost while recording: %" PRIu64 ".",
				     r->job.id, r->rows.lost);
	}
	texts_printf(
		&p->lines,
		"Percentages refer to the time of all hosts of a job (for vCPUs: to their own), counts are per second of one host, "
		"so jobs of different lengths and sizes can be compared. A row that only one job has counts in full as change.");
}

static int write_page(void *ctx, struct sink *s, struct cdict_error *err)
{
	return fleet_page_write(ctx, s, err);
}

int report_two_jobs(const struct cmd_call *call, struct store *st, const char *const *ids,
		    const char *path)
{
	struct two *p = calloc(1, sizeof(*p));
	struct cdict_error err = { 0 };
	struct fleet_page page;
	char title[2 * FLEET_ID_ROOM + 32];
	int status = CMD_DONE, rc = 0;

	if (!p)
		return cmd_errorf(call, NULL, "out of memory");
	for (size_t i = 0; i < 2 && !rc; i++)
		rc = fleet_grid_read(&p->sides[i], st, ids[i], &err);
	rc = rc ? rc : make_tables(p, &err);
	if (!rc)
		say(p);
	if (!rc && (p->facts.failed || p->lines.failed))
		rc = cdict_fail_nomem(&err);
	snprintf(title, sizeof(title), "job %.*s to job %.*s", FLEET_ID_ROOM, ids[0], FLEET_ID_ROOM,
		 ids[1]);
	page = (struct fleet_page){ .title = title,
				    .facts = (const char *const *)p->facts.at,
				    .n_facts = p->facts.n,
				    .lines = (const char *const *)p->lines.at,
				    .n_lines = p->lines.n,
				    .tables = p->tables,
				    .n_tables = TABLES };
	status = rc ? fleet_fail(call, &err) : cmd_output_write(call, path, 0, write_page, &page);
	for (size_t i = 0; i < 2; i++) {
		int loss = status ? CMD_DONE : fleet_loss_status(call, &p->sides[i].read);

		status = loss ? loss : status;
		fleet_grid_fini(&p->sides[i]);
	}
	for (size_t i = 0; i < TABLES; i++)
		table_free(p->tables[i].table);
	texts_fini(&p->facts);
	texts_fini(&p->lines);
	stringset_fini(&p->words);
	free(p);
	return status;
}
