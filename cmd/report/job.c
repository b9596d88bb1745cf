/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the page of a job. */
#include "cmd/report/job.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/texts.h"
#include "base/text/plural.h"
#include "cmd/report/hosts.h"
#include "cmd/report/job_findings.h"
#include "cmd/tables/fleet.h"
#include "query/fleet/figures/grid.h"
#include "render/draw/text.h"
#include "render/page/fleet_page.h"

/* Limit of rows in a table of the page: longer ones are not read, and 'cdict vcpu --job' prints
 * all. */
#define ROWS_MOST 5000

enum { T_HOSTS = 0, T_VMS, T_DELAYS, T_VCPUS, T_TASKS, T_EXITS, T_LATENCY, TABLES };
enum { R_PROGRAMS = 0, R_HOSTS, R_FUNCTIONS, R_BENCH, R_RUNS, RESULTS };

struct job_page {
	const struct cmd_call *call;
	struct fleet_grid grid;
	struct fleet_map map;
	struct texts facts, lines, names;
	struct job_findings findings;
	char *each;
	struct fleet_page_figure figures[FLEET_FIGURES];
	struct fleet_results results;
	struct fleet_page_table tables[RESULTS + TABLES];
	size_t n_tables;
	struct fleet_page_map page_map;
	struct host_pages hosts;
	struct fleet_page page;
};

/* ---- hosts ---- */

/* The columns of figures, sorted by the noisiest host; then those that are known for all hosts. */
static struct table *hosts_table(const struct job_page *p)
{
	enum {
		HOST = 0,
		FIRST_FIGURE,
		CPUS = FIRST_FIGURE + FLEET_FIGURES,
		CAPTURES,
		BUCKETS,
		WINDOW,
		EVENTS,
		GONE,
		BYTES,
		END
	};
	struct table_column *columns = calloc(END + 1, sizeof(*columns));
	struct table *t;

	if (!columns)
		return NULL;
	columns[HOST] = (struct table_column){ "host", "host", TABLE_TEXT, 0, NULL, 0 };
	for (int f = 0; f < FLEET_FIGURES; f++)
		columns[FIRST_FIGURE + f] = (struct table_column){ fleet_figure_names[f].key,
								   fleet_figure_names[f].title,
								   TABLE_PERCENT,
								   0,
								   NULL,
								   0 };
	columns[CPUS] = (struct table_column){ "cpus", "CPUs", TABLE_COUNT, 0, NULL, 0 };
	columns[CAPTURES] = (struct table_column){ "captures",    "captures", TABLE_COUNT,
						   TABLE_MACHINE, NULL,       0 };
	columns[BUCKETS] =
		(struct table_column){ "buckets", "buckets", TABLE_COUNT, TABLE_MACHINE, NULL, 0 };
	columns[WINDOW] = (struct table_column){ "window_ns", "window", TABLE_MS, 0, NULL, 0 };
	columns[EVENTS] =
		(struct table_column){ "events", "events", TABLE_COUNT, TABLE_MACHINE, NULL, 0 };
	columns[GONE] = (struct table_column){ "gone", "evicted", TABLE_COUNT, 0, NULL, 0 };
	columns[BYTES] = (struct table_column){ "stored_bytes", "bytes", TABLE_COUNT,
						TABLE_MACHINE,  NULL,    0 };
	columns[END].kind = TABLE_END;
	t = table_new("hosts", columns);
	if (!t) {
		free(columns);
		return NULL;
	}
	t->own_columns = columns;
	t->certain = true;
	for (size_t i = 0; i < p->grid.lines.n; i++) {
		const struct fleet_host *h = &p->grid.read.hosts.at[p->map.order[i]];
		const struct fleet_sums *s = &p->grid.lines.at[p->map.order[i]].sums;

		table_row(t);
		table_text(t, HOST, h->name);
		for (int f = 0; f < FLEET_FIGURES; f++)
			table_percent(t, (size_t)(FIRST_FIGURE + f),
				      fleet_figure(s, (enum fleet_figure)f));
		table_u64(t, CPUS, h->cpus);
		table_u64(t, CAPTURES, h->captures);
		table_u64(t, BUCKETS, h->buckets);
		table_u64(t, WINDOW, h->window_ns);
		table_u64(t, EVENTS, h->events);
		table_u64(t, GONE, h->gone);
		table_u64(t, BYTES, h->bytes);
		table_lossy(t, h->lost || h->gone);
	}
	return table_done(t);
}

/* ---- tables ---- */

static const struct page_table {
	const char *key, *title, *about;
	enum fleet_kind kind;
	unsigned hidden;
} page_tables[TABLES] = {
	[T_HOSTS] = { "hosts", "Hosts",
		      "Noisiest hosts first, by run-queue wait: time that runnable tasks waited for a CPU, in percent of "
		      "the CPUs' known time. Rates are per second of host time.",
		      FLEET_TASKS, 0 },
	[T_VMS] = { "vms", "VMs",
		    "VMs of all hosts, longest waits first: preempted or waiting for a CPU. A VM's figures are the sum "
		    "of its vCPUs, on any host.",
		    FLEET_VCPUS, HIDE_NAME | HIDE_VCPU },
	[T_DELAYS] = { "delays", "Behind whom",
		       "Behind whom the vCPUs of each VM waited for a CPU: as 'cdict vcpu --by vm --job' prints it.",
		       FLEET_BEHIND, 0 },
	[T_VCPUS] = { "vcpu", "vCPUs", "As 'cdict vcpu --job' prints them.", FLEET_VCPUS, 0 },
	[T_TASKS] = { "tasks", "Tasks",
		      "By name, of all hosts: as 'cdict tasks --job' prints them.", FLEET_TASKS,
		      0 },
	[T_EXITS] = { "exits", "Exits", "VM exits by reason, of all VMs.", FLEET_EXITS,
		      HIDE_NAME | HIDE_VCPU | HIDE_VM },
	[T_LATENCY] = { "latency", "Latency",
			"Waiting for a CPU, by name: as 'cdict latency --job' prints it.",
			FLEET_LATENCY, 0 },
};

static const struct page_table result_tables[RESULTS] = {
	[R_PROGRAMS] = { "counts", "Programs × events",
			 "Events that were counted while programs ran ('cdict push -e'), summed over hosts.",
			 FLEET_COUNTS, 0 },
	[R_HOSTS] = { "counts_hosts", "Hosts × events",
		      "The same by host; empty: the host did not count the event.", FLEET_COUNTS,
		      0 },
	[R_FUNCTIONS] = { "functions", "Functions",
			  "Samples of events by program and function ('cdict push -e --by function'), summed over hosts: "
			  "the value is the number of events that they stand for.",
			  FLEET_FUNCTIONS, 0 },
	[R_BENCH] = { "benchmarks", "Benchmarks",
		      "Figures of benchmarks' runs ('cdict push --bench'): median and quartiles over the runs; a "
		      "run's value is the mean of its samples.",
		      FLEET_BENCH, 0 },
	[R_RUNS] = { "runs", "Runs", "Runs of benchmarks, in order of time.", FLEET_BENCH, 0 },
};

/* Adds a table; @t is taken, NULL: out of memory. */
static int add_table(struct job_page *p, const struct page_table *of, struct table *t, bool sort,
		     enum fleet_page_bars bars, struct cdict_error *err)
{
	const char *command = !strcmp(of->key, "vms")    ? "vcpu"
			      : of->kind == FLEET_BEHIND ? "vcpu --by vm"
							 : of->key;
	int rc;

	p->tables[p->n_tables++] =
		(struct fleet_page_table){ of->key, of->title, of->about, t, bars };
	if (!t)
		return cdict_fail_nomem(err);
	t->grouped = true;
	rc = sort ? table_sort(t, NULL, err) : 0;
	table_top(t, ROWS_MOST);
	if (t->n_rows > ROWS_MOST)
		texts_printf(
			&p->lines,
			"%s: the first %d of %s rows are in this page; 'cdict %s%s %s' prints all",
			of->title, ROWS_MOST, GROUPED(t->n_rows),
			of->kind >= FLEET_OF_CAPTURES ? "job show" : command,
			of->kind >= FLEET_OF_CAPTURES ? "" : " --job", p->grid.read.job.id);
	return rc;
}

static int add_results(struct job_page *p, struct cdict_error *err)
{
	struct fleet_results *r = &p->results;
	int rc = 0;

	if (fleet_results_has(r, FLEET_COUNTS)) {
		rc = add_table(p, &result_tables[R_PROGRAMS], fleet_results_counts(r, false), false,
			       FLEET_BARS_COLUMNS, err);
		rc = rc ? rc
			: add_table(p, &result_tables[R_HOSTS], fleet_results_counts(r, true),
				    false, FLEET_BARS_COLUMNS, err);
	}
	if (fleet_results_has(r, FLEET_FUNCTIONS) && !rc)
		rc = add_table(p, &result_tables[R_FUNCTIONS], fleet_results_functions(r), false,
			       FLEET_BARS_NONE, err);
	if (r->runs.n && !rc) {
		rc = add_table(p, &result_tables[R_BENCH], fleet_results_bench(r), false,
			       FLEET_BARS_QUARTILES, err);
		rc = rc ? rc
			: add_table(p, &result_tables[R_RUNS], fleet_results_runs(r), false,
				    FLEET_BARS_NONE, err);
	}
	return rc;
}

/* Those of captures first, if any were pushed. */
static int make_tables(struct job_page *p, struct cdict_error *err)
{
	bool captures = p->grid.read.hosts.n || !(p->results.hosts.n || p->results.runs.n);
	int rc = 0;

	for (size_t i = 0; i < TABLES && !rc && captures; i++) {
		struct fleet_table_options how = { .hidden = page_tables[i].hidden };

		rc = add_table(p, &page_tables[i],
			       i == T_HOSTS
				       ? hosts_table(p)
				       : fleet_table(&p->grid.read.rows, page_tables[i].kind, &how),
			       i != T_HOSTS, FLEET_BARS_NONE, err);
	}
	return rc ? rc : add_results(p, err);
}

/* ---- findings ---- */

static void say_facts(struct job_page *p)
{
	const struct fleet_read *r = &p->grid.read;
	char span[TEXT_ROOM], events[TEXT_ROOM], utc[NUMBER_ROOM], values[NUMBER_ROOM];

	if (r->job.info[0])
		texts_printf(&p->facts, "%s", r->job.info);
	if (p->results.hosts.n)
		texts_printf(&p->facts, "counts of %s host%s", GROUPED(p->results.hosts.n),
			     plural(p->results.hosts.n));
	if (p->results.runs.n)
		texts_printf(&p->facts, "%s run%s of benchmarks", GROUPED(p->results.runs.n),
			     plural(p->results.runs.n));
	if (!r->hosts.n && p->facts.n > !!r->job.info[0])
		return;
	texts_printf(&p->facts, "%s host%s", GROUPED(r->hosts.n), plural(r->hosts.n));
	if (r->rows.clocked) {
		number_utc(utc, r->rows.first_ns);
		texts_printf(&p->facts, "%s from %.19s UTC",
			     text_duration(span, (double)(r->rows.last_ns - r->rows.first_ns)),
			     utc);
	}
	texts_printf(&p->facts, "%s bucket%s, %s of host time",
		     number_grouped(values, r->rows.values), plural(r->rows.values),
		     text_duration(span, (double)r->rows.window_ns));
	texts_printf(&p->facts, "%s event%s", text_short(events, (double)r->rows.events),
		     plural(r->rows.events));
}

static void say_lines(struct job_page *p)
{
	const struct fleet_read *r = &p->grid.read;
	char n[NUMBER_ROOM];

	if (!r->hosts.n && !p->results.hosts.n && !p->results.runs.n)
		texts_printf(&p->lines,
			     "This job is empty: push figures with 'cdict push --job %s FILE'.",
			     r->job.id);
	if (r->gone)
		texts_printf(&p->lines,
			     "The store evicted %s pushed bucket%s; figures cover the rest.",
			     number_grouped(n, r->gone), plural(r->gone));
	if (r->rows.lost)
		texts_printf(
			&p->lines,
			"Events lost while recording: %s. Affected figures are too small, and marked.",
			number_grouped(n, r->rows.lost));
	if (p->map.absent)
		texts_printf(
			&p->lines,
			"%s host%s not have wall-clock time: shown in the tables, not in the picture.",
			GROUPED(p->map.absent), p->map.absent == 1 ? " does" : "s do");
	if (!p->map.clocked && r->hosts.n)
		texts_printf(
			&p->lines,
			"No capture of this job has wall-clock time: each host's time starts at its own first event, "
			"so hosts cannot be compared in time.");
}

/* "A cell is a second of a host; white: nothing pushed" */
static char *say_each(const struct fleet_map *m)
{
	char width[TEXT_ROOM], *out = NULL;
	struct sink s;

	sink_to_memory(&s);
	sink_printf(&s, "a cell is %s of %s", text_duration(width, (double)m->column_ns),
		    m->per_row > 1 ? "several hosts" : "a host");
	if (m->per_row > 1)
		sink_printf(&s, ", %s per row, longest waits at the top", GROUPED(m->per_row));
	else
		sink_puts(&s, ", longest waits at the top");
	if (m->per_row > 1 || m->most > 1)
		sink_printf(&s, "; it shows the largest of its buckets (up to %s of a host)",
			    GROUPED(m->most));
	sink_puts(&s, "; empty: nothing was pushed, hatched: not recorded");
	out = sink_take(&s, NULL);
	return out;
}

/* ---- the map ---- */

static int make_map(struct job_page *p, struct cdict_error *err)
{
	const struct fleet_map *m = &p->map;

	p->each = say_each(m);
	if (!p->each)
		return cdict_fail_nomem(err);
	for (size_t row = 0; row < m->rows; row++) {
		size_t first = row * m->per_row, last = first + m->per_row;
		const char *name = p->grid.read.hosts.at[m->order[first]].name;

		last = last < p->grid.lines.n ? last : p->grid.lines.n;
		if (last - first == 1)
			texts_printf(&p->names, "%s", name);
		else
			texts_printf(&p->names, "%s and %s more", name, GROUPED(last - first - 1));
	}
	for (int f = 0; f < FLEET_FIGURES; f++)
		p->figures[f] = (struct fleet_page_figure){ fleet_figure_names[f].key,
							    fleet_figure_names[f].title,
							    fleet_figure_names[f].about, m->at[f] };
	p->page_map = (struct fleet_page_map){ .names = (const char *const *)p->names.at,
					       .rows = m->rows,
					       .columns = m->columns,
					       .column_ns = m->column_ns,
					       .from_ns = m->from_ns,
					       .each = p->each,
					       .seen = m->seen,
					       .figures = p->figures,
					       .n = FLEET_FIGURES };
	return p->names.failed ? cdict_fail_nomem(err) : 0;
}

/* ---- the page ---- */

static int write_page(void *ctx, struct sink *s, struct cdict_error *err)
{
	return fleet_page_write(ctx, s, err);
}

static int make_page(struct job_page *p, struct store *st, const char *id, struct cdict_error *err)
{
	int rc = fleet_grid_read(&p->grid, st, id, err);

	rc = rc ? rc : fleet_results_read(&p->results, st, id, NULL, err);
	if (!rc && fleet_map_make(&p->map, &p->grid))
		rc = cdict_fail_nomem(err);
	rc = rc ? rc : make_tables(p, err);
	rc = rc ? rc : make_map(p, err);
	if (rc)
		return rc;
	say_facts(p);
	say_lines(p);
	if (job_findings_make(&p->findings, &p->grid, p->map.order, p->tables, p->n_tables))
		return cdict_fail_nomem(err);
	return p->facts.failed || p->lines.failed ? cdict_fail_nomem(err) : 0;
}

static void job_page_fini(struct job_page *p)
{
	host_pages_fini(&p->hosts);
	for (size_t i = 0; i < p->n_tables; i++)
		table_free(p->tables[i].table);
	fleet_results_fini(&p->results);
	free(p->each);
	job_findings_fini(&p->findings);
	texts_fini(&p->facts);
	texts_fini(&p->lines);
	texts_fini(&p->names);
	fleet_map_fini(&p->map);
	fleet_grid_fini(&p->grid);
}

static int one_job(const struct cmd_call *call, struct store *st,
		   const struct report_job_options *o, const char *path)
{
	const char *id = o->jobs->at[0];
	struct job_page p = { .call = call };
	struct cdict_error err = { 0 };
	char title[FLEET_ID_ROOM + 8];
	int status = CMD_DONE;

	snprintf(title, sizeof(title), "job %s", id);
	if (make_page(&p, st, id, &err))
		status = fleet_fail(call, &err);
	if (!status && !o->no_host_pages && strcmp(path, "-"))
		status = host_pages_write(&p.hosts, call, st, id, path, o->embed);
	p.page = (struct fleet_page){
		.title = title,
		.facts = (const char *const *)p.facts.at,
		.n_facts = p.facts.n,
		.lines = (const char *const *)p.lines.at,
		.n_lines = p.lines.n,
		.findings = p.findings.at,
		.n_findings = p.findings.n,
		.map = p.grid.read.hosts.n || !(p.results.hosts.n || p.results.runs.n) ? &p.page_map
										       : NULL,
		.tables = p.tables,
		.n_tables = p.n_tables,
		.links = p.hosts.all.at, /* links from the rows of hosts */
		.n_links = p.hosts.all.n
	};
	if (!status)
		status = cmd_output_write(call, path, 0, write_page, &p.page);
	if (!status)
		status = fleet_loss_status(call, &p.grid.read);
	if (!status && p.hosts.bad)
		status = CMD_DAMAGED;
	job_page_fini(&p);
	return status;
}

int report_job(const struct cmd_call *call, const struct report_job_options *o, const char *path)
{
	struct cdict_error err = { 0 };
	struct store *st = NULL;
	int status = CMD_DONE;

	for (size_t i = 0; i < o->jobs->n && !status; i++) {
		if (fleet_job_id(o->jobs->at[i], &err))
			status = fleet_fail(call, &err);
	}
	if (!status)
		status = cmd_output_check(call, NULL, path);
	if (!status)
		status = fleet_open(&st, call);
	if (!status)
		status = o->jobs->n > 1 ? report_two_jobs(call, st, o->jobs->at, path)
					: one_job(call, st, o, path);
	store_close(st);
	return status;
}
