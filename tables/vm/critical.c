/* SPDX-License-Identifier: LGPL-2.1-only */
/* The critical path of a task as tables: sums by task and state, and the path itself. */
#include "analyze/sched/critical.h"

#include <stdlib.h>

#include "tables/columns/decl.h"
#include "tables/vm/story.h"

enum { AT, TIME, DEPTH, TASK, TID, STATE, CPU, BEHIND };

static const struct table_column path_columns[] = {
	[AT] = { "from_ns", "from s", TABLE_TIME, TABLE_KEEP, NULL, 0 },
	[TIME] = { "time_ns", "time ms", TABLE_MS, TABLE_KEEP, NULL, 0 },
	[DEPTH] = { "depth", "depth", TABLE_INTEGER, 0, NULL, 0 },
	[TASK] = { "name", "task", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[TID] = { "tid", "tid", TABLE_INTEGER, TABLE_MACHINE, NULL, 0 },
	[STATE] = { "state", "state", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[CPU] = { "cpu", "on CPU", TABLE_INTEGER, 0, NULL, 0 },
	[BEHIND] = { "behind", "behind", TABLE_TEXT, 0, NULL, 0 },
	TABLE_COLUMNS_END,
};

struct table *tables_critical(const struct tables_walk *w, const struct analyze_critical *c)
{
	struct table *t = table_new("critical", path_columns);

	if (t)
		t->heading = "The critical path";
	for (size_t i = 0; t && i < analyze_critical_count(c); i++) {
		const struct analyze_critical_segment *seg = analyze_critical_at(c, i);

		table_row(t);
		table_u64(t, AT, seg->from_ns);
		table_u64(t, TIME, seg->to_ns - seg->from_ns);
		table_i64(t, DEPTH, seg->depth);
		table_put_task(t, TASK, w, seg->task);
		table_i64(t, TID, analyze_engine_task(w->eng, seg->task)->tid);
		table_text(t, STATE, analyze_critical_name(seg->kind));
		if (seg->cpu != CDICT_CPU_UNKNOWN)
			table_i64(t, CPU, seg->cpu);
		if (seg->other != ANALYZE_NO_TASK)
			table_put_task(t, BEHIND, w, seg->other);
	}
	return t ? table_done(t) : NULL;
}

enum { SUM_TASK, SUM_TID, SUM_STATE, SUM_TIME, SUM_PERCENT, SUM_PARTS };

static const struct table_column sum_columns[] = {
	[SUM_TASK] = { "name", "task", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[SUM_TID] = { "tid", "tid", TABLE_INTEGER, 0, NULL, 0 },
	[SUM_STATE] = { "state", "state", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[SUM_TIME] = { "time_ns", "time ms", TABLE_MS, TABLE_KEEP, NULL, 0 },
	[SUM_PERCENT] = { "percent", "%", TABLE_PERCENT, 0, NULL, 0 },
	[SUM_PARTS] = { "parts", "parts", TABLE_COUNT, 0, NULL, 0 },
	TABLE_COLUMNS_END,
};

struct sum {
	uint32_t task;
	enum analyze_critical_kind kind;
	uint64_t ns, parts;
};

static int by_task(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->task != y->task)
		return x->task < y->task ? -1 : 1;
	return x->kind < y->kind ? -1 : x->kind > y->kind;
}

static int by_time(const void *a, const void *b)
{
	const struct sum *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return by_task(a, b);
}

struct table *tables_critical_sums(const struct tables_walk *w, const struct analyze_critical *c)
{
	struct table *t = table_new("critical_sums", sum_columns);
	size_t n = analyze_critical_count(c), kept = 0;
	struct sum *sums = calloc(n + 1, sizeof(*sums));
	uint64_t all_ns = 0;

	for (size_t i = 0; sums && i < n; i++) {
		const struct analyze_critical_segment *seg = analyze_critical_at(c, i);

		sums[i] = (struct sum){ seg->task, seg->kind, seg->to_ns - seg->from_ns, 1 };
		all_ns += sums[i].ns;
	}
	if (sums)
		qsort(sums, n, sizeof(*sums), by_task);
	for (size_t i = 0; sums && i < n; i++) {
		if (kept && !by_task(&sums[kept - 1], &sums[i])) {
			sums[kept - 1].ns += sums[i].ns;
			sums[kept - 1].parts++;
		} else {
			sums[kept++] = sums[i];
		}
	}
	if (sums)
		qsort(sums, kept, sizeof(*sums), by_time);
	for (size_t i = 0; t && sums && i < kept; i++) {
		table_row(t);
		table_put_task(t, SUM_TASK, w, sums[i].task);
		table_i64(t, SUM_TID, analyze_engine_task(w->eng, sums[i].task)->tid);
		table_text(t, SUM_STATE, analyze_critical_name(sums[i].kind));
		table_u64(t, SUM_TIME, sums[i].ns);
		table_share(t, SUM_PERCENT, sums[i].ns, all_ns);
		table_u64(t, SUM_PARTS, sums[i].parts);
	}
	if (t) {
		t->failed |= !sums;
		t->heading = "On the critical path";
	}
	free(sums);
	return t ? table_done(t) : NULL;
}
