/* SPDX-License-Identifier: LGPL-2.1-only */
/* Chains of wake-ups as a table, a row per link. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tables/columns/decl.h"
#include "tables/vm/story.h"

void table_put_task(struct table *t, size_t column, const struct tables_walk *w, uint32_t task)
{
	char *name = names_full(&w->names, analyze_engine_task(w->eng, task));

	t->failed |= !name;
	table_text(t, column, name);
	table_task(t, column, task);
	free(name);
}

enum { CHAIN, LINK, CHAIN_TASK, CHAIN_TID, FROM, WAITED, RAN, NEXT_CPU, CHAIN_END };

static const struct table_column chain_columns[] = {
	[CHAIN] = { "chain", "chain", TABLE_INTEGER, TABLE_MACHINE, NULL, 0 },
	[LINK] = { "link", "link", TABLE_INTEGER, 0, NULL, 0 },
	[CHAIN_TASK] = { "name", "task", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[CHAIN_TID] = { "tid", "tid", TABLE_INTEGER, TABLE_MACHINE, NULL, 0 },
	[FROM] = { "ready_ns", "ready at s", TABLE_TIME, TABLE_KEEP, NULL, 0 },
	[WAITED] = { "waited_ns", "waited ms", TABLE_MS, TABLE_KEEP, NULL, 0 },
	[RAN] = { "ran_ns", "then ran ms", TABLE_MS, 0, NULL, 0 },
	[NEXT_CPU] = { "waker_cpu", "woken on CPU", TABLE_INTEGER, TABLE_MACHINE, NULL, 0 },
	[CHAIN_END] = { "by", "woken by", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	TABLE_COLUMNS_END,
};

/* What made the last link's task ready; to be freed. */
static char *end_text(const struct tables_walk *w, const struct analyze_chain_row *row)
{
	uint32_t cpu = row->link[row->n_links - 1].cpu;
	char *name = NULL, *text = NULL;
	int rc = 0;

	if (row->by != ANALYZE_NO_TASK) {
		name = names_full(&w->names, analyze_engine_task(w->eng, row->by));
		if (!name)
			return NULL;
	}
	switch (row->end) {
	case ANALYZE_CHAIN_INTERRUPT:
		rc = asprintf(&text, "an interrupt on CPU %" PRIu32, cpu);
		break;
	case ANALYZE_CHAIN_PREEMPTED:
		rc = asprintf(&text, "preempted by %s", name ? name : "an unknown task");
		break;
	case ANALYZE_CHAIN_NOT_WOKEN:
		rc = asprintf(&text, "%s, which was not woken before", name ? name : "a task");
		break;
	case ANALYZE_CHAIN_LOST:
		rc = asprintf(&text, "unknown: events are missing");
		break;
	case ANALYZE_CHAIN_LONG:
		rc = asprintf(&text, "the chain is longer");
		break;
	default:
		rc = asprintf(&text, "an unknown task on CPU %" PRIu32, cpu);
		break;
	}
	free(name);
	return rc < 0 ? NULL : text;
}

static void put_chain(struct table *t, const struct tables_walk *w,
		      const struct analyze_chain_row *row, size_t number, unsigned links)
{
	for (unsigned i = 0; i < row->n_links && (!links || i < links); i++) {
		const struct analyze_chain_link *link = &row->link[i];
		const struct analyze_task *task = analyze_engine_task(w->eng, link->task);

		table_row(t);
		table_i64(t, CHAIN, (int64_t)number);
		table_i64(t, LINK, i);
		table_put_task(t, CHAIN_TASK, w, link->task);
		table_i64(t, CHAIN_TID, task->tid);
		table_u64(t, FROM, link->from_ns);
		table_u64(t, WAITED, link->waited_ns);
		if (i)
			table_u64(t, RAN, link->ran_ns);
		if (link->cpu != CDICT_CPU_UNKNOWN)
			table_i64(t, NEXT_CPU, link->cpu);
		if (i + 1 < row->n_links) {
			table_put_task(t, CHAIN_END, w, row->link[i + 1].task);
		} else {
			char *text = end_text(w, row);

			t->failed |= !text;
			table_text(t, CHAIN_END, text);
			free(text);
		}
	}
}

static int by_worst(const void *a, const void *b)
{
	const struct analyze_chain_row *const *x = a, *const *y = b;

	if ((*x)->worst.dur_ns != (*y)->worst.dur_ns)
		return (*x)->worst.dur_ns < (*y)->worst.dur_ns ? 1 : -1;
	return (*x)->task < (*y)->task ? -1 : (*x)->task > (*y)->task;
}

struct table *tables_chains(const struct tables_walk *w, const struct analyze_chains *chains,
			    size_t most, unsigned links)
{
	struct table *t = table_new("chains", chain_columns);
	size_t n = analyze_chains_row_count(chains);
	const struct analyze_chain_row **rows = calloc(n + 1, sizeof(const void *));

	if (t)
		t->heading = "The longest waits, and who woke whom";
	for (size_t i = 0; rows && i < n; i++)
		rows[i] = analyze_chains_row_at(chains, i);
	if (rows)
		qsort(rows, n, sizeof(const void *), by_worst);
	for (size_t i = 0; t && rows && i < n && (!most || i < most); i++)
		if (rows[i]->worst.dur_ns)
			put_chain(t, w, rows[i], i, links);
	if (t)
		t->failed |= !rows;
	free(rows);
	return t ? table_done(t) : NULL;
}
