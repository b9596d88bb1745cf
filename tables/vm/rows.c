/* SPDX-License-Identifier: LGPL-2.1-only */
/* A VM's story as tables: the parts of its time, its threads. */
#include <stdlib.h>

#include "tables/columns/decl.h"
#include "tables/vm/story.h"

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
	if (row->worst.cpu != CDICT_CPU_UNKNOWN)
		table_i64(t, WORST_CPU, row->worst.cpu);
	if (row->worst.behind == ANALYZE_NO_TASK)
		return;
	table_put_task(t, WORST_BEHIND, s->w, row->worst.behind);
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
