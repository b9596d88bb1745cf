/* SPDX-License-Identifier: LGPL-2.1-only */
/* The tasks of joined guests as tables: where their time went, and whom or what it is due to. */
#include <inttypes.h>
#include <stdlib.h>

#include "tables/columns/cells.h"
#include "tables/columns/table.h"
#include "tables/guest/guests.h"

/* ---- names ---- */

static void put_name(struct sink *out, const struct names *names, const struct analyze_task *task)
{
	char *name = names_full(names, task);

	if (!name)
		out->error = -ENOMEM;
	sink_puts(out, name ? name : "");
	free(name);
}

static void put_guest_task(struct sink *out, const struct guest *one, uint32_t number)
{
	const struct analyze_task *task = analyze_engine_task(one->runs_walk.eng, number);

	if (task->tid)
		put_name(out, &one->runs_walk.names, task);
	else
		sink_puts(out, "idle");
}

void guests_put_culprit(struct sink *out, const struct guests *g, const struct guest_culprit *who)
{
	const struct guest *other = who->guest ? &g->all[who->guest - 1] : NULL;
	const struct analyze_task *task;

	if (other && who->guest_task != ANALYZE_NO_TASK) {
		put_guest_task(out, other, who->guest_task);
		sink_printf(out, " in %s", other->vm);
		return;
	}
	if (who->task == ANALYZE_NO_TASK) {
		sink_puts(out, "unknown");
		return;
	}
	task = analyze_engine_task(g->walk.eng, who->task);
	if (task->tid)
		put_name(out, &g->walk.names, task);
	else
		sink_puts(out, "CPU idle");
}

/* The text that @put writes, in the cell. */
static void put_text(struct table *t, size_t column, struct sink *out)
{
	char *text = sink_take(out, NULL);

	t->failed |= !text;
	table_text(t, column, text);
	free(text);
}

/* ---- tasks ---- */

enum what { TASK, VM, NS, NS_SUM, HISTOGRAM, WORST, MOST };
enum sum { STOLEN, AWAY, VCPU_WAIT };
enum of_histogram { COUNT, P50, P99, MAX };

/* How a column is filled from a row: NS: the member at @at; others: @at says which. */
struct how {
	enum what what;
	size_t at;
	int which;
};

#define AT(member) offsetof(struct guest_task_row, member)
#define STATE(member, state) AT(member) + (state) * sizeof(uint64_t)
#define MS(key, title, flags)                                                                      \
	{                                                                                          \
		key, title, TABLE_MS, flags, NULL, 0                                               \
	}

#define TASK_COLUMNS(X)                                                                            \
	X("name", "task", TABLE_TEXT, TABLE_KEEP, TASK, 0, 0)                                      \
	X("tid", "tid", TABLE_INTEGER, 0, TASK, 0, 1)                                              \
	X("pid", "pid", TABLE_INTEGER, TABLE_MACHINE, TASK, 0, 2)                                  \
	X("comm", "comm", TABLE_TEXT, TABLE_MACHINE, TASK, 0, 3)                                   \
	X("vm", "vm", TABLE_TEXT, TABLE_IN_NAME, VM, 0, 0)                                         \
	X("cpu", "CPU", TABLE_INTEGER, TABLE_WIDE, VM, 0, 1)                                       \
	X("run_ns", "run ms", TABLE_MS, TABLE_KEEP, NS, AT(run_ns), 0)                             \
	X("stolen_ns", "stolen ms", TABLE_MS, TABLE_KEEP, NS_SUM, 0, STOLEN)                       \
	X("stolen_preempted_ns", "preempted ms", TABLE_MS, TABLE_WIDE, NS,                         \
	  STATE(stolen_ns, ANALYZE_VCPU_PREEMPTED), 0)                                             \
	X("stolen_waiting_ns", "waiting ms", TABLE_MS, TABLE_WIDE, NS,                             \
	  STATE(stolen_ns, ANALYZE_VCPU_WAITING), 0)                                               \
	X("stolen_exit_ns", "exit ms", TABLE_MS, TABLE_WIDE, NS,                                   \
	  STATE(stolen_ns, ANALYZE_VCPU_EXIT), 0)                                                  \
	X("stolen_vmm_ns", "VMM ms", TABLE_MS, TABLE_WIDE, NS,                                     \
	  STATE(stolen_ns, ANALYZE_VCPU_QEMU), 0)                                                  \
	X("stolen_halted_ns", "halted ms", TABLE_MS, TABLE_WIDE, NS,                               \
	  STATE(stolen_ns, ANALYZE_VCPU_HALTED), 0)                                                \
	X("stolen_blocked_ns", "blocked ms", TABLE_MS, TABLE_WIDE, NS,                             \
	  STATE(stolen_ns, ANALYZE_VCPU_BLOCKED), 0)                                               \
	X("busy_ns", "CPU busy ms", TABLE_MS, TABLE_KEEP, NS, AT(busy_ns), 0)                      \
	X("away_ns", "vCPU away ms", TABLE_MS, TABLE_KEEP, NS_SUM, 0, AWAY)                        \
	X("away_preempted_ns", "preempted ms", TABLE_MS, TABLE_WIDE, NS,                           \
	  STATE(away_ns, ANALYZE_VCPU_PREEMPTED), 0)                                               \
	X("away_waiting_ns", "waiting ms", TABLE_MS, TABLE_WIDE, NS,                               \
	  STATE(away_ns, ANALYZE_VCPU_WAITING), 0)                                                 \
	X("away_exit_ns", "exit ms", TABLE_MS, TABLE_WIDE, NS, STATE(away_ns, ANALYZE_VCPU_EXIT),  \
	  0)                                                                                       \
	X("away_vmm_ns", "VMM ms", TABLE_MS, TABLE_WIDE, NS, STATE(away_ns, ANALYZE_VCPU_QEMU), 0) \
	X("away_halted_ns", "halted ms", TABLE_MS, TABLE_WIDE, NS,                                 \
	  STATE(away_ns, ANALYZE_VCPU_HALTED), 0)                                                  \
	X("away_blocked_ns", "blocked ms", TABLE_MS, TABLE_WIDE, NS,                               \
	  STATE(away_ns, ANALYZE_VCPU_BLOCKED), 0)                                                 \
	X("sleep_ns", "sleep ms", TABLE_MS, 0, NS, AT(sleep_ns), 0)                                \
	X("block_ns", "block ms", TABLE_MS, TABLE_SPARE, NS, AT(block_ns), 0)                      \
	X("unknown_ns", "unknown ms", TABLE_MS, 0, NS, AT(unknown_ns), 0)                          \
	X("absent_ns", "absent ms", TABLE_MS, TABLE_WIDE, NS, AT(absent_ns), 0)                    \
	X("vcpu_wait_ns", "vCPU waited ms", TABLE_MS, TABLE_WIDE, NS_SUM, 0, VCPU_WAIT)            \
	X("behind", "mostly behind", TABLE_TEXT, TABLE_KEEP, MOST, 0, 0)                           \
	X("behind_ns", "for ms", TABLE_MS, 0, MOST, 0, 1)                                          \
	X("worst_ns", "worst ms", TABLE_MS, TABLE_GAUGE | TABLE_WIDE, WORST, 0, 0)                 \
	X("worst_at_ns", "at s", TABLE_TIME, TABLE_WIDE, WORST, 0, 1)                              \
	X("worst_behind", "behind", TABLE_TEXT, TABLE_WIDE, WORST, 0, 2)                           \
	X("waits", "waits", TABLE_COUNT, TABLE_WIDE, NS, AT(waits), 1)

#define LATENCY_COLUMNS(X)                                                                         \
	X("name", "task", TABLE_TEXT, TABLE_KEEP, TASK, 0, 0)                                      \
	X("tid", "tid", TABLE_INTEGER, 0, TASK, 0, 1)                                              \
	X("pid", "pid", TABLE_INTEGER, TABLE_MACHINE, TASK, 0, 2)                                  \
	X("comm", "comm", TABLE_TEXT, TABLE_MACHINE, TASK, 0, 3)                                   \
	X("vm", "vm", TABLE_TEXT, TABLE_IN_NAME, VM, 0, 0)                                         \
	X("latency_count", "wake-ups", TABLE_COUNT, 0, HISTOGRAM, AT(latency), COUNT)              \
	X("latency_p50_ns", "p50 ms", TABLE_MS, TABLE_GAUGE, HISTOGRAM, AT(latency), P50)          \
	X("own_p50_ns", "own p50 ms", TABLE_MS, TABLE_GAUGE, HISTOGRAM, AT(own), P50)              \
	X("latency_p99_ns", "p99 ms", TABLE_MS, TABLE_KEEP | TABLE_GAUGE, HISTOGRAM, AT(latency),  \
	  P99)                                                                                     \
	X("own_p99_ns", "own p99 ms", TABLE_MS, TABLE_KEEP | TABLE_GAUGE, HISTOGRAM, AT(own), P99) \
	X("latency_max_ns", "max ms", TABLE_MS, TABLE_KEEP | TABLE_GAUGE, HISTOGRAM, AT(latency),  \
	  MAX)                                                                                     \
	X("own_max_ns", "own max ms", TABLE_MS, TABLE_KEEP | TABLE_GAUGE, HISTOGRAM, AT(own), MAX) \
	X("latency_unknown", "unknown", TABLE_COUNT, TABLE_SPARE, NS, AT(unclear), 1)

#define COLUMN(key, title, kind, flags, what, at, which) { key, title, kind, flags, NULL, 0 },
#define HOW(key, title, kind, flags, what, at, which) { what, at, which },

static const struct table_column task_columns[] = { TASK_COLUMNS(COLUMN) TABLE_COLUMNS_END };
static const struct how task_how[] = { TASK_COLUMNS(HOW) };
static const struct table_column latency_columns[] = { LATENCY_COLUMNS(COLUMN) TABLE_COLUMNS_END };
static const struct how latency_how[] = { LATENCY_COLUMNS(HOW) };

/* A row: of which guest, and which row there. */
struct place {
	uint32_t guest, row;
};

struct source {
	const struct guests *g;
	const struct how *how;
	ARRAY(struct place) places;
};

static void put_task(struct table *t, size_t column, const struct guest *one,
		     const struct analyze_task *task, int which)
{
	char *name;

	if (which == 0) {
		name = names_display(&one->walk.names, task);
		t->failed |= !name;
		table_text(t, column, name);
		free(name);
	} else if (which == 1) {
		table_i64(t, column, task->tid);
	} else if (which == 2 && task->pid >= 0) {
		table_i64(t, column, task->pid);
	} else if (which == 3) {
		table_text(t, column, task->comm);
	}
}

static void put_histogram(struct table *t, size_t column, const struct histogram *h, int which)
{
	if (which == COUNT)
		table_u64(t, column, h->count);
	else if (h->count)
		table_u64(t, column,
			  which == MAX ? h->max : histogram_percentile(h, which == P50 ? 50 : 99));
}

/* The task that had the CPU longest while the vCPU waited. */
static const struct guest_share *most_of(const struct guest *one, uint32_t task)
{
	size_t n;
	const struct guest_share *s = guest_inside_shares(one->inside, task, &n);

	for (size_t i = 0; i < n; i++)
		if (s[i].kind == GUEST_SHARE_HOST || s[i].kind == GUEST_SHARE_GUEST)
			return &s[i];
	return NULL;
}

static void fill_later(void *ctx, struct table *t, size_t column, uint32_t id)
{
	const struct source *src = ctx;
	const struct place *place = &src->places.at[id];
	const struct guest *one = &src->g->all[place->guest];
	const struct guest_task_row *row = guest_inside_row_at(one->inside, place->row);
	const struct analyze_task *task = analyze_engine_task(one->walk.eng, row->task);
	const struct how *how = &src->how[column];
	const struct guest_share *most;
	struct sink out;

	sink_to_memory(&out);
	switch (how->what) {
	case TASK:
		put_task(t, column, one, task, how->which);
		break;
	case VM:
		if (!how->which)
			table_text(t, column, one->vm);
		else if (row->cpu != CDICT_CPU_UNKNOWN)
			table_i64(t, column, row->cpu);
		break;
	case NS:
		table_u64(t, column, *(const uint64_t *)((const char *)row + how->at));
		break;
	case NS_SUM:
		table_u64(t, column,
			  how->which == STOLEN ? guest_task_stolen_ns(row)
			  : how->which == AWAY ? guest_task_away_ns(row)
					       : guest_task_vcpu_wait_ns(row));
		break;
	case HISTOGRAM:
		put_histogram(t, column, (const void *)((const char *)row + how->at), how->which);
		break;
	case WORST:
		if (!row->worst.dur_ns)
			break;
		if (how->which == 0)
			table_u64(t, column, row->worst.dur_ns);
		else if (how->which == 1)
			table_u64(t, column, row->worst.at_ns);
		if (how->which != 2)
			break;
		guests_put_culprit(&out, src->g, &row->worst.behind);
		put_text(t, column, &out);
		break;
	case MOST:
		most = most_of(one, row->task);
		if (most && how->which)
			table_u64(t, column, most->stolen_ns + most->away_ns);
		if (!most || how->which)
			break;
		guests_put_culprit(&out, src->g, &most->who);
		put_text(t, column, &out);
		break;
	}
	sink_finish(&out);
}

static bool is_lossy(void *ctx, uint32_t id)
{
	const struct source *src = ctx;
	const struct guest *one = &src->g->all[src->places.at[id].guest];
	const struct guest_task_row *row = guest_inside_row_at(one->inside, src->places.at[id].row);

	return tables_lossy(&one->walk, analyze_engine_task(one->walk.eng, row->task));
}

static void free_source(void *ctx)
{
	struct source *src = ctx;

	array_fini(&src->places);
	free(src);
}

static struct table *make(const struct guests *g, const char *name,
			  const struct table_column *columns, const struct how *how,
			  bool (*has)(const struct guest_task_row *row))
{
	struct table *t = table_new(name, columns);
	struct source *src = calloc(1, sizeof(*src));
	struct table_later later = {
		.ctx = src, .fill = fill_later, .lossy = is_lossy, .free = free_source
	};

	if (!t || !src) {
		table_free(t);
		free(src);
		return NULL;
	}
	src->g = g;
	src->how = how;
	for (uint32_t i = 0; i < g->n; i++) {
		const struct guest *one = &g->all[i];

		for (uint32_t k = 0; one->inside && k < guest_inside_row_count(one->inside); k++)
			if (!has || has(guest_inside_row_at(one->inside, k)))
				t->failed |= array_push(&src->places, (struct place){ i, k }) != 0;
	}
	table_later(t, &later);
	for (uint32_t i = 0; i < src->places.n && !t->failed; i++)
		table_row_later(t, i);
	return table_done(t);
}

struct table *guests_tasks(const struct guests *g)
{
	struct table *t = make(g, "guest_tasks", task_columns, task_how, NULL);

	if (t)
		t->order = "vcpu_wait_ns:desc,run_ns:desc";
	return t;
}

static bool has_latency(const struct guest_task_row *row)
{
	return row->latency.count || row->unclear;
}

struct table *guests_latency(const struct guests *g)
{
	struct table *t = make(g, "guest_latency", latency_columns, latency_how, has_latency);

	if (t)
		t->order = "latency_max_ns:desc";
	return t;
}

/* ---- shares ---- */

enum { S_NAME, S_TID, S_VM, S_KIND, S_BEHIND, S_STOLEN, S_AWAY, S_NS };

static const struct table_column share_columns[] = {
	[S_NAME] = { "name", "task", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[S_TID] = { "tid", "tid", TABLE_INTEGER, 0, NULL, 0 },
	[S_VM] = { "vm", "vm", TABLE_TEXT, TABLE_IN_NAME, NULL, 0 },
	[S_KIND] = { "kind", "due to", TABLE_TEXT, 0, NULL, 0 },
	[S_BEHIND] = { "behind", "behind", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[S_STOLEN] = { "stolen_ns", "stolen ms", TABLE_MS, 0, NULL, 0 },
	[S_AWAY] = { "away_ns", "waited ms", TABLE_MS, 0, NULL, 0 },
	[S_NS] = { "time_ns", "time ms", TABLE_MS, TABLE_KEEP, NULL, 0 },
	TABLE_COLUMNS_END,
};

static void put_share(struct table *t, const struct guests *g, uint32_t guest,
		      const struct guest_share *s)
{
	static const char *const kinds[] = { "host", "guest", "exit", "own" };
	const struct guest *one = &g->all[guest];
	const struct analyze_task *task = analyze_engine_task(one->walk.eng, s->task);
	const char *reason = guest_vcpu_track_reason(g->track, s->reason);
	struct sink out;

	table_row(t);
	put_task(t, S_NAME, one, task, 0);
	put_task(t, S_TID, one, task, 1);
	table_text(t, S_VM, one->vm);
	table_text(t, S_KIND,
		   s->kind == GUEST_SHARE_REASON && s->state == ANALYZE_VCPU_QEMU ? "VMM"
										  : kinds[s->kind]);
	sink_to_memory(&out);
	if (s->kind == GUEST_SHARE_REASON)
		sink_puts(&out, reason && *reason ? reason : "unknown");
	else if (s->kind == GUEST_SHARE_OWN)
		put_guest_task(&out, one, s->who.guest_task);
	else
		guests_put_culprit(&out, g, &s->who);
	put_text(t, S_BEHIND, &out);
	table_u64(t, S_STOLEN, s->stolen_ns);
	table_u64(t, S_AWAY, s->away_ns);
	table_u64(t, S_NS, s->stolen_ns + s->away_ns);
	table_lossy(t, tables_lossy(&one->walk, task));
}

struct table *guests_shares(const struct guests *g)
{
	struct table *t = table_new("guest_shares", share_columns);

	for (uint32_t i = 0; t && i < g->n; i++) {
		const struct guest *one = &g->all[i];

		for (size_t k = 0; one->inside && k < guest_inside_row_count(one->inside); k++) {
			uint32_t task = guest_inside_row_at(one->inside, k)->task;
			size_t n;
			const struct guest_share *s = guest_inside_shares(one->inside, task, &n);

			for (size_t j = 0; j < n; j++)
				put_share(t, g, i, &s[j]);
		}
	}
	if (!t)
		return NULL;
	t->order = "time_ns:desc";
	return table_done(t);
}
