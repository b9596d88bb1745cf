/* SPDX-License-Identifier: LGPL-2.1-only */
/* A VM's story as tables: the parts of its time, its threads, the chains of wake-ups. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "tables/columns/decl.h"
#include "tables/vm/story.h"

static void put_task(struct table *t, size_t column, const struct story *s, uint32_t task)
{
	char *name = names_full(&s->w->names, analyze_engine_task(s->w->eng, task));

	t->failed |= !name;
	table_text(t, column, name);
	table_task(t, column, task);
	free(name);
}

/* ---- parts ---- */

enum { PART, OF, OF_KIND, NS, PERCENT };

static const struct table_column part_columns[] = {
	[PART] = { "part", "state", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[OF] = { "detail", "detail", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[OF_KIND] = { "kind", "kind", TABLE_TEXT, TABLE_MACHINE, NULL, 0 },
	[NS] = { "time_ns", "time ms", TABLE_MS, TABLE_KEEP, NULL, 0 },
	[PERCENT] = { "percent", "%", TABLE_PERCENT, 0, NULL, 0 },
	TABLE_COLUMNS_END,
};

static void put_of(struct table *t, const struct story_row *row)
{
	struct sink out;
	char *text;

	if (row->part == STORY_HALTED_OWN)
		table_text(t, OF, "while another of its threads waited for a CPU");
	if (row->part != STORY_WAITED && row->part != STORY_EXIT && row->part != STORY_VMM)
		return;
	sink_to_memory(&out);
	story_put_of(&out, row);
	text = sink_take(&out, NULL);
	t->failed |= !text;
	table_text(t, OF, text);
	free(text);
}

struct table *story_parts(const struct story *s)
{
	struct table *t = table_new("parts", part_columns);
	for (size_t i = 0; t && i < s->rows.n; i++) {
		const struct story_row *row = &s->rows.at[i];

		table_row(t);
		table_text(t, PART, story_part_names[row->part]);
		put_of(t, row);
		table_text(t, OF_KIND, row->kind);
		table_u64(t, NS, row->ns);
		table_share(t, PERCENT, row->ns, s->life_ns);
	}
	if (!t)
		return NULL;
	t->grouped = true;
	table_total(t);
	table_text(t, PART, "all");
	table_u64(t, NS, s->life_ns);
	table_share(t, PERCENT, s->life_ns, s->life_ns);
	return table_done(t);
}

/* ---- threads ---- */

enum {
	ROLE = 6,
	RUN,
	DELAYED,
	DELAYED_PERCENT,
	DELAYS,
	WORST,
	WORST_AT,
	WORST_CPU,
	WORST_BEHIND,
	WORST_HELD
};

#define OF_OFF TABLE_OF_TIMES_OFF | TABLE_OF_ALL | TABLE_OF_STATES

static const struct table_column thread_columns[] = {
	{ "name", "task", TABLE_TEXT, 0, cell_name, 0 },
	{ "tid", "tid", TABLE_INTEGER, 0, cell_tid, 0 },
	{ "pid", "pid", TABLE_INTEGER, TABLE_MACHINE, cell_pid, 0 },
	{ "comm", "comm", TABLE_TEXT, TABLE_MACHINE, cell_comm, 0 },
	{ "vm", "vm", TABLE_TEXT, TABLE_MACHINE, cell_vm, 0 },
	{ "vcpu", "vcpu", TABLE_INTEGER, TABLE_MACHINE, cell_vcpu, 0 },
	{ "role", "role", TABLE_TEXT, TABLE_SPARE, NULL, 0 },
	{ "run_ns", "run ms", TABLE_MS, 0, NULL, 0 },
	{ "delayed_ns", "waited ms", TABLE_MS, TABLE_KEEP | OF_OFF, NULL, 0 },
	{ "delayed_percent", "%", TABLE_PERCENT, OF_OFF, NULL, 0 },
	{ "delays", "waits", TABLE_COUNT, OF_OFF, NULL, 0 },
	{ "worst_ns", "worst ms", TABLE_MS, TABLE_GAUGE | TABLE_KEEP | TABLE_EACH | OF_OFF, NULL,
	  0 },
	{ "worst_at_ns", "at s", TABLE_TIME, TABLE_KEEP | TABLE_EACH | TABLE_OF_ALL, NULL, 0 },
	{ "worst_cpu", "on CPU", TABLE_INTEGER, TABLE_EACH | TABLE_OF_ALL, NULL, 0 },
	{ "worst_behind", "behind", TABLE_TEXT, TABLE_KEEP | TABLE_EACH | TABLE_OF_ALL, NULL, 0 },
	{ "worst_held_ns", "for ms", TABLE_MS,
	  TABLE_GAUGE | TABLE_SPARE | TABLE_EACH | TABLE_OF_ALL, NULL, 0 },
	TABLE_COLUMNS_END,
};

static void put_worst(struct table *t, const struct story *s, const struct analyze_chain_row *row)
{
	table_u64(t, WORST, row->worst.dur_ns);
	table_u64(t, WORST_AT, row->worst.at_ns);
	table_i64(t, WORST_CPU, row->worst.cpu);
	if (row->worst.behind == ANALYZE_NO_TASK)
		return;
	put_task(t, WORST_BEHIND, s, row->worst.behind);
	table_u64(t, WORST_HELD, row->held_ns);
}

struct table *story_threads(const struct story *s)
{
	struct table *t = table_new("threads", thread_columns);

	if (t)
		t->lacks = tables_lacks(s->w);
	for (size_t i = 0; t && i < s->threads.n; i++) {
		const struct story_thread *thread = &s->threads.at[i];
		struct tables_row r = { .w = s->w,
					.task = analyze_engine_task(s->w->eng, thread->task) };
		uint64_t life_ns = analyze_engine_summary(s->w->eng)->window_ns -
				   analyze_engine_absent_ns(s->w->eng, thread->task);

		table_row(t);
		for (size_t column = 0; column < ROLE; column++)
			cells_fill_known(t, column, &r);
		table_text(t, ROLE, thread->role);
		if (!(t->lacks & TABLE_OF_SWITCHES))
			table_u64(t, RUN, thread->run_ns);
		if (!(t->lacks & (TABLE_OF_TIMES_OFF | TABLE_OF_STATES))) {
			table_u64(t, DELAYED, thread->delayed_ns);
			table_share(t, DELAYED_PERCENT, thread->delayed_ns, life_ns);
			table_u64(t, DELAYS, thread->delays);
			if (thread->waits && thread->waits->worst.dur_ns)
				put_worst(t, s, thread->waits);
		}
		table_lossy(t, tables_lossy(s->w, r.task));
	}
	return t ? table_done(t) : NULL;
}

/* ---- chains ---- */

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
static char *end_text(const struct story *s, const struct analyze_chain_row *row)
{
	uint32_t cpu = row->link[row->n_links - 1].cpu;
	char *name = NULL, *text = NULL;
	int rc = 0;

	if (row->by != ANALYZE_NO_TASK) {
		name = names_full(&s->w->names, analyze_engine_task(s->w->eng, row->by));
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

static void put_chain(struct table *t, const struct story *s, const struct analyze_chain_row *row,
		      size_t number, unsigned links)
{
	for (unsigned i = 0; i < row->n_links && (!links || i < links); i++) {
		const struct analyze_chain_link *link = &row->link[i];
		const struct analyze_task *task = analyze_engine_task(s->w->eng, link->task);

		table_row(t);
		table_i64(t, CHAIN, (int64_t)number);
		table_i64(t, LINK, i);
		put_task(t, CHAIN_TASK, s, link->task);
		table_i64(t, CHAIN_TID, task->tid);
		table_u64(t, FROM, link->from_ns);
		table_u64(t, WAITED, link->waited_ns);
		if (i)
			table_u64(t, RAN, link->ran_ns);
		if (link->cpu != CDICT_CPU_UNKNOWN)
			table_i64(t, NEXT_CPU, link->cpu);
		if (i + 1 < row->n_links) {
			put_task(t, CHAIN_END, s, row->link[i + 1].task);
		} else {
			char *text = end_text(s, row);

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

struct table *story_chains(const struct story *s, size_t most, unsigned links)
{
	struct table *t = table_new("chains", chain_columns);
	size_t n = analyze_chains_row_count(s->chains);
	const struct analyze_chain_row **rows = calloc(n + 1, sizeof(const void *));

	if (t)
		t->heading = "The longest waits, and who woke whom";
	for (size_t i = 0; rows && i < n; i++)
		rows[i] = analyze_chains_row_at(s->chains, i);
	if (rows)
		qsort(rows, n, sizeof(const void *), by_worst);
	for (size_t i = 0; t && rows && i < n && (!most || i < most); i++)
		if (rows[i]->worst.dur_ns)
			put_chain(t, s, rows[i], i, links);
	if (t)
		t->failed |= !rows;
	free(rows);
	return t ? table_done(t) : NULL;
}
