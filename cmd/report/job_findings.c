/* SPDX-License-Identifier: GPL-2.0-only */
/* Sentences about a job. */
#include "cmd/report/job_findings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/plural.h"
#include "query/fleet/results/findings.h"
#include "render/draw/text.h"

#define LEAST_WAIT 10000000u /* ns, of a task after a wake-up */
#define EACH 2               /* sentences of a kind */

/* Adds the finding whose sentence was printed last. */
static void add(struct job_findings *f, const char *table, const char *about)
{
	struct fleet_page_finding one = { .table = table };

	if (f->texts.failed || f->n == JOB_FINDINGS)
		return;
	one.text = f->texts.at[f->texts.n - 1];
	/* a cell may be overwritten when others are read */
	if (about && !texts_add(&f->texts, about))
		one.about = f->texts.at[f->texts.n - 1];
	f->at[f->n++] = one;
}

static const struct table *find_table(const struct fleet_page_table *tables, size_t n,
				      const char *key)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(tables[i].key, key))
			return tables[i].table;
	return NULL;
}

static const struct table_cell *cell(const struct table *t, size_t row, const char *key)
{
	static const struct table_cell none = { 0 };
	size_t c = table_column(t, key);

	return c < t->n_columns ? table_at(t, row, c) : &none;
}

static void added_vm(void *ctx, const char *about)
{
	add(ctx, "vms", about);
}

static void say_hosts(struct job_findings *f, const struct fleet_grid *grid, const size_t *order)
{
	char a[TEXT_ROOM], b[TEXT_ROOM], c[TEXT_ROOM];

	for (size_t i = 0; i < grid->lines.n && i < EACH; i++) {
		const struct fleet_sums *s = &grid->lines.at[order[i]].sums;
		double waiting = fleet_figure(s, FLEET_WAITING), busy = fleet_figure(s, FLEET_BUSY);
		double p99 = fleet_figure(s, FLEET_LATENCY_P99);
		const char *name = grid->read.hosts.at[order[i]].name;

		if (!(waiting >= FLEET_FINDING_PERCENT))
			break;
		text_percent(a, waiting, 100);
		text_percent(b, busy, 100);
		text_duration(c, p99);
		texts_printf(
			&f->texts,
			"Host %s: tasks waited for a CPU, %s of its CPUs' time; its CPUs were %s "
			"busy%s%s.",
			name, a, b, p99 > 0 ? ", and 99 % of the wake-ups waited at most " : "",
			p99 > 0 ? c : "");
		add(f, "hosts", name);
	}
}

/* The task, not a vCPU, with the longest wait. */
static void say_tasks(struct job_findings *f, const struct table *t)
{
	const struct table_cell *name;
	uint64_t worst_ns = 0;
	size_t worst = 0;
	char a[TEXT_ROOM];

	for (size_t i = 0; t && i < t->n_rows; i++) {
		const struct table_cell *max = cell(t, i, "latency_max_ns");

		if (!max->set || max->u64 <= worst_ns || cell(t, i, "vcpu")->set ||
		    !cell(t, i, "name")->set)
			continue;
		worst_ns = max->u64;
		worst = i;
	}
	if (worst_ns < LEAST_WAIT)
		return;
	name = cell(t, worst, "name");
	text_duration(a, (double)worst_ns);
	texts_printf(&f->texts, "%s waited up to %s for a CPU after a wake-up.", name->text, a);
	add(f, "latency", name->text);
}

/* "host-1", "host-1 and 3 more" */
static void say_which(struct job_findings *f, const struct fleet_grid *grid,
		      bool (*is)(const struct fleet_host *h), const char *what)
{
	const char *first = NULL;
	size_t n = 0;

	for (size_t i = 0; i < grid->read.hosts.n; i++) {
		if (!is(&grid->read.hosts.at[i]))
			continue;
		first = first ? first : grid->read.hosts.at[i].name;
		n++;
	}
	if (!n)
		return;
	if (n > 1)
		texts_printf(&f->texts, "%s: %s and %s more of %s hosts.", what, first,
			     GROUPED(n - 1), GROUPED(grid->read.hosts.n));
	else
		texts_printf(&f->texts, "%s: %s.", what, first);
	add(f, "hosts", n > 1 ? NULL : first);
}

static bool lost_events(const struct fleet_host *h)
{
	return h->lost;
}

static bool was_evicted(const struct fleet_host *h)
{
	return h->gone;
}

static bool is_silent(const struct fleet_host *h)
{
	return !h->buckets;
}

/* Events that some hosts counted and others did not. */
static void say_counts(struct job_findings *f, const struct table *t)
{
	size_t hosts = 0, host = SIZE_MAX, event = 0;

	for (size_t i = 0; t && i < t->n_rows; i++) {
		bool lacks = false;

		for (size_t c = 1; c < t->n_columns; c++) {
			if (t->columns[c].kind == TABLE_TEXT || table_at(t, i, c)->set)
				continue;
			if (host == SIZE_MAX) {
				host = i;
				event = c;
			}
			lacks = true;
		}
		hosts += lacks;
	}
	if (!hosts || !table_at(t, host, 0)->set)
		return;
	texts_printf(&f->texts, "Host %s did not count %s%s.", table_at(t, host, 0)->text,
		     t->columns[event].title,
		     hosts > 1 ? "; others lack events that were counted elsewhere, too" : "");
	add(f, "counts_hosts", hosts > 1 ? NULL : table_at(t, host, 0)->text);
}

int job_findings_make(struct job_findings *f, const struct fleet_grid *grid, const size_t *order,
		      const struct fleet_page_table *tables, size_t n)
{
	if (find_table(tables, n, "vms"))
		fleet_vm_findings(&f->texts, find_table(tables, n, "vms"),
				  find_table(tables, n, "delays"), added_vm, f);
	say_hosts(f, grid, order);
	say_tasks(f, find_table(tables, n, "latency"));
	if (grid->read.hosts.n && !f->n) {
		texts_printf(&f->texts, "No VM and no host waited for %g %% of its time.",
			     FLEET_FINDING_PERCENT);
		add(f, "hosts", NULL);
	}
	say_which(f, grid, lost_events, "Events were lost, so that figures are too small");
	say_which(f, grid, is_silent, "No figures are left of");
	say_which(f, grid, was_evicted, "The store evicted figures of");
	say_counts(f, find_table(tables, n, "counts_hosts"));
	return f->texts.failed ? -ENOMEM : 0;
}

void job_findings_fini(struct job_findings *f)
{
	texts_fini(&f->texts);
}
