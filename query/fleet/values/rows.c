/* SPDX-License-Identifier: GPL-2.0-only */
/* Sums of rows over many hosts. */
#include "query/fleet/values/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/buf.h"
#include "base/saturate.h"
#include "base/text/plural.h"

#define COUNTER(type, member)                                                                      \
	{                                                                                          \
#member, FLEET_COUNTER, offsetof(struct type, member)                              \
	}
#define HISTOGRAM(type, member)                                                                    \
	{                                                                                          \
#member, FLEET_HISTOGRAM, offsetof(struct type, member)                            \
	}
#define FIELDS_END                                                                                 \
	{                                                                                          \
		NULL, FLEET_COUNTER, 0                                                             \
	}

#define TASK(member) COUNTER(analyze_task_row, member)
static const struct fleet_field task_fields[] = {
	TASK(run_ns),
	TASK(edge_ns),
	TASK(unknown_ns),
	TASK(switches),
	TASK(voluntary),
	TASK(involuntary),
	TASK(outs[ANALYZE_OFF_RUNNABLE]),
	TASK(outs[ANALYZE_OFF_PREEMPTED]),
	TASK(outs[ANALYZE_OFF_SLEEP]),
	TASK(outs[ANALYZE_OFF_DISK]),
	TASK(outs[ANALYZE_OFF_OTHER]),
	TASK(outs[ANALYZE_OFF_DEAD]),
	TASK(off_ns[ANALYZE_OFF_RUNNABLE]),
	TASK(off_ns[ANALYZE_OFF_PREEMPTED]),
	TASK(off_ns[ANALYZE_OFF_SLEEP]),
	TASK(off_ns[ANALYZE_OFF_DISK]),
	TASK(off_ns[ANALYZE_OFF_OTHER]),
	TASK(off_ns[ANALYZE_OFF_DEAD]),
	TASK(iowait_ns),
	TASK(iowaits),
	TASK(wakeups),
	TASK(migrations),
	TASK(node_migrations),
	TASK(events),
	TASK(delays),
	TASK(delayed_ns),
	{ "worst", FLEET_WORST, offsetof(struct analyze_task_row, worst) },
	HISTOGRAM(analyze_task_row, slice),
	HISTOGRAM(analyze_task_row, latency),
	FIELDS_END,
};

static const struct fleet_field latency_fields[] = {
	HISTOGRAM(analyze_latency_row, wakeup),
	HISTOGRAM(analyze_latency_row, preempt),
	COUNTER(analyze_latency_row, incomplete),
	FIELDS_END,
};

static const struct fleet_field exit_fields[] = {
	COUNTER(analyze_exit_row, events),
	COUNTER(analyze_exit_row, broken),
	HISTOGRAM(analyze_exit_row, time),
	COUNTER(analyze_exit_row, cpu_ns),
	FIELDS_END,
};

static const struct fleet_field guest_fields[] = {
	COUNTER(analyze_guest_row, entries),
	COUNTER(analyze_guest_row, broken),
	HISTOGRAM(analyze_guest_row, time),
	COUNTER(analyze_guest_row, guest_ns),
	FIELDS_END,
};

#define VCPU(member) COUNTER(analyze_vcpu_row, member)
static const struct fleet_field vcpu_fields[] = {
	VCPU(ns[ANALYZE_VCPU_GUEST]),
	VCPU(ns[ANALYZE_VCPU_EXIT]),
	VCPU(ns[ANALYZE_VCPU_QEMU]),
	VCPU(ns[ANALYZE_VCPU_PREEMPTED]),
	VCPU(ns[ANALYZE_VCPU_WAITING]),
	VCPU(ns[ANALYZE_VCPU_HALTED]),
	VCPU(ns[ANALYZE_VCPU_BLOCKED]),
	VCPU(ns[ANALYZE_VCPU_UNKNOWN]),
	VCPU(edge_ns),
	VCPU(lost_ns),
	VCPU(absent_ns),
	VCPU(behind_ns),
	VCPU(preemptions),
	VCPU(waits),
	VCPU(halts),
	VCPU(blocks),
	HISTOGRAM(analyze_vcpu_row, preempted),
	HISTOGRAM(analyze_vcpu_row, waiting),
	{ "worst", FLEET_WORST, offsetof(struct analyze_vcpu_row, worst) },
	FIELDS_END,
};

const char *const fleet_culprits[FLEET_CULPRITS] = { "self",   "vm",   "unit",   "task",
						     "kernel", "idle", "unknown" };

#define BEHIND(member) COUNTER(fleet_behind_row, member)
static const struct fleet_field behind_fields[] = {
	BEHIND(ns[FLEET_SELF]),    BEHIND(ns[FLEET_VM]),
	BEHIND(ns[FLEET_UNIT]),    BEHIND(ns[FLEET_TASK]),
	BEHIND(ns[FLEET_KERNEL]),  BEHIND(ns[FLEET_IDLE]),
	BEHIND(ns[FLEET_UNKNOWN]), FIELDS_END,
};

#define COUNT(member) COUNTER(fleet_count_row, member)
static const struct fleet_field count_fields[] = {
	COUNT(value), COUNT(count), COUNT(runs), COUNT(enabled_ns), COUNT(running_ns), FIELDS_END,
};

#define FUNCTION(member) COUNTER(fleet_function_row, member)
static const struct fleet_field function_fields[] = {
	FUNCTION(value),
	FUNCTION(samples),
	FUNCTION(runs),
	FIELDS_END,
};

static const struct fleet_field bench_fields[] = {
	{ "spread", FLEET_SPREAD, offsetof(struct fleet_bench_row, spread) },
	FIELDS_END,
};

static const struct fleet_field text_fields[] = {
	COUNTER(fleet_text_row, runs),
	FIELDS_END,
};

const struct fleet_shape fleet_shapes[FLEET_KINDS] = {
	[FLEET_TASKS] = { "tasks", &tables_decl_tasks, sizeof(struct analyze_task_row),
			  task_fields },
	[FLEET_LATENCY] = { "latency", &tables_decl_latency, sizeof(struct analyze_latency_row),
			    latency_fields },
	[FLEET_EXITS] = { "exits", &tables_decl_exits, sizeof(struct analyze_exit_row),
			  exit_fields },
	[FLEET_GUEST] = { "guest", &tables_decl_guest, sizeof(struct analyze_guest_row),
			  guest_fields },
	[FLEET_VCPUS] = { "vcpu", &tables_decl_vcpu, sizeof(struct analyze_vcpu_row), vcpu_fields },
	[FLEET_BEHIND] = { "behind", NULL, sizeof(struct fleet_behind_row), behind_fields },
	[FLEET_COUNTS] = { "counts", NULL, sizeof(struct fleet_count_row), count_fields },
	[FLEET_BENCH] = { "bench", NULL, sizeof(struct fleet_bench_row), bench_fields },
	[FLEET_TEXTS] = { "texts", NULL, sizeof(struct fleet_text_row), text_fields },
	[FLEET_DOCUMENTS] = { "documents", NULL, sizeof(struct fleet_text_row), text_fields },
	[FLEET_FUNCTIONS] = { "functions", NULL, sizeof(struct fleet_function_row),
			      function_fields },
};

static void add_spread(struct fleet_spread *to, const struct fleet_spread *from)
{
	if (!from->runs)
		return;
	to->min = !to->runs || from->min < to->min ? from->min : to->min;
	to->max = !to->runs || from->max > to->max ? from->max : to->max;
	to->sum += from->sum;
	to->runs += from->runs;
}

static int add_fields(enum fleet_kind kind, union fleet_any *to, const union fleet_any *from)
{
	for (const struct fleet_field *f = fleet_shapes[kind].fields; f->key; f++) {
		void *t = (char *)to + f->at;
		const void *s = (const char *)from + f->at;

		if (f->type == FLEET_COUNTER)
			*(uint64_t *)t += *(const uint64_t *)s;
		else if (f->type == FLEET_SPREAD)
			add_spread(t, s);
		else if (f->type == FLEET_HISTOGRAM && histogram_merge(t, s))
			return -ENOMEM;
		else if (f->type == FLEET_WORST && ((const struct analyze_wait *)s)->dur_ns >
							   ((struct analyze_wait *)t)->dur_ns)
			*(struct analyze_wait *)t = *(const struct analyze_wait *)s;
	}
	return 0;
}

void fleet_any_fini(enum fleet_kind kind, union fleet_any *any)
{
	for (const struct fleet_field *f = fleet_shapes[kind].fields; f->key; f++) {
		if (f->type == FLEET_HISTOGRAM)
			histogram_fini((struct histogram *)(void *)((char *)any + f->at));
	}
}

/* Hexadecimal; by hand, since a job has millions of rows. */
static void key_number(struct buf *b, uint64_t v)
{
	char text[17];
	size_t at = sizeof(text);

	text[--at] = ' ';
	do
		text[--at] = "0123456789abcdef"[v & 15];
	while (v >>= 4);
	buf_add(b, text + at, sizeof(text) - at);
}

/* Length-prefixed: names are foreign, so no separator is safe. */
static void key_text(struct buf *b, const char *text)
{
	size_t len = text ? strlen(text) : 0;

	key_number(b, text ? len + 1 : 0);
	buf_add(b, text, len);
}

/* The index of the row, added when new; NULL: out of memory. */
static uint32_t *find_row(struct fleet_rows *rows, enum fleet_kind kind,
			  const struct fleet_key *key)
{
	struct buf *b = &rows->key;
	const char *text = NULL;

	b->len = 0;
	key_number(b, kind);
	key_number(b, (uint32_t)key->vcpu);
	key_number(b, key->idle);
	key_number(b, key->isa);
	key_number(b, key->code);
	key_text(b, key->name);
	key_text(b, key->vm);
	if (kind >= FLEET_OF_CAPTURES)
		key_text(b, key->reason);
	if (!b->failed)
		text = stringset_add(&rows->keys, (const char *)b->data, b->len);
	return text ? map_add(&rows->by_key, (uintptr_t)text, 0) : NULL;
}

static bool intern_text(struct fleet_rows *rows, const char **text)
{
	if (*text)
		*text = stringset_add(&rows->texts, *text, strlen(*text));
	return *text;
}

static struct fleet_row *new_row(struct fleet_rows *rows, enum fleet_kind kind,
				 const struct fleet_key *key)
{
	struct fleet_row row = { .key = *key, .lacks = ~0u };
	struct fleet_row *at;

	if ((key->name && !intern_text(rows, &row.key.name)) ||
	    (key->vm && !intern_text(rows, &row.key.vm)) ||
	    (key->reason && !intern_text(rows, &row.key.reason)))
		return NULL;
	row.any = calloc(1, sizeof(*row.any));
	at = row.any ? array_add(&rows->of[kind]) : NULL;
	if (!at) {
		free(row.any);
		return NULL;
	}
	if (kind == FLEET_EXITS) {
		row.any->exit.isa = key->isa;
		row.any->exit.reason = key->code;
		row.any->exit.name = row.key.reason;
		row.any->exit.idle = key->idle;
	} else if (kind == FLEET_VCPUS) {
		row.any->vcpu.worst.cpu = CDICT_CPU_UNKNOWN;
		row.any->vcpu.worst.behind = ANALYZE_NO_TASK;
	}
	*at = row;
	rows->n++;
	return at;
}

int fleet_rows_add(struct fleet_rows *rows, enum fleet_kind kind, const struct fleet_key *key,
		   const union fleet_any *any, bool lossy, unsigned lacks, struct cdict_error *err)
{
	uint32_t *number = find_row(rows, kind, key);
	struct fleet_row *row;

	if (!number)
		return cdict_fail_nomem(err);
	if (rows->on_row)
		rows->on_row(rows->on_row_ctx, kind, key, any, lacks);
	if (*number == MAP_NEW) {
		if (rows->n >= FLEET_ROWS_MOST)
			return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET, "more than %s names",
					  GROUPED(FLEET_ROWS_MOST));
		*number = (uint32_t)rows->of[kind].n;
		row = new_row(rows, kind, key);
		if (!row)
			return cdict_fail_nomem(err);
		row->lacks = lacks;
	} else {
		row = &rows->of[kind].at[*number];
	}
	/* a sum of recorded and unrecorded values is incomplete */
	row->lossy |= lossy || row->lacks != lacks;
	row->lacks &= lacks;
	return add_fields(kind, row->any, any) ? cdict_fail_nomem(err) : 0;
}

void fleet_rows_window(struct fleet_rows *rows, const struct fleet_window *w)
{
	uint64_t end = w->from_ns + w->window_ns;

	rows->values++;
	saturated_add(&rows->window_ns, w->window_ns);
	saturated_add(&rows->events, w->events);
	saturated_add(&rows->lost, w->lost);
	saturated_add(&rows->unknown_ns, w->unknown_ns);
	rows->cpus = w->cpus > rows->cpus ? w->cpus : rows->cpus;
	if (!w->clocked)
		return;
	rows->first_ns = !rows->clocked || w->from_ns < rows->first_ns ? w->from_ns
								       : rows->first_ns;
	rows->last_ns = end > rows->last_ns ? end : rows->last_ns;
	rows->clocked = true;
}

void fleet_rows_fini(struct fleet_rows *rows)
{
	for (int kind = 0; kind < FLEET_KINDS; kind++) {
		for (size_t i = 0; i < rows->of[kind].n; i++) {
			fleet_any_fini((enum fleet_kind)kind, rows->of[kind].at[i].any);
			free(rows->of[kind].at[i].any);
		}
		array_fini(&rows->of[kind]);
	}
	map_fini(&rows->by_key);
	buf_fini(&rows->key);
	stringset_fini(&rows->keys);
	stringset_fini(&rows->texts);
	*rows = (struct fleet_rows){ 0 };
}

/* ---- the tables ---- */

static bool wanted(const struct fleet_row *row, const struct fleet_table_options *how)
{
	if (how->vm && (!row->key.vm || strcmp(row->key.vm, how->vm)))
		return false;
	return !how->matches || (row->key.name && how->matches(how->ctx, row->key.name));
}

/* Selects the wanted rows and merges those that differ only in hidden keys. */
static int pick_rows(struct fleet_rows *to, const struct fleet_rows *rows, enum fleet_kind kind,
		     const struct fleet_table_options *how)
{
	for (size_t i = 0; i < rows->of[kind].n; i++) {
		const struct fleet_row *row = &rows->of[kind].at[i];
		struct fleet_key key = row->key;

		if (!wanted(row, how))
			continue;
		if (how->hidden & HIDE_NAME)
			key.name = NULL;
		if (how->hidden & HIDE_VM)
			key.vm = NULL;
		if (how->hidden & HIDE_VCPU)
			key.vcpu = -1;
		if (fleet_rows_add(to, kind, &key, row->any, row->lossy, row->lacks, NULL))
			return -ENOMEM;
	}
	return 0;
}

int fleet_pick(struct fleet_picked *out, const struct fleet_rows *rows, enum fleet_kind kind,
	       const struct fleet_table_options *how)
{
	*out = (struct fleet_picked){ 0 };
	if (pick_rows(&out->rows, rows, kind, how))
		return -ENOMEM;
	out->n = out->rows.of[kind].n;
	out->list = calloc(out->n ? out->n : 1, sizeof(*out->list));
	for (size_t i = 0; out->list && i < out->n; i++) {
		const struct fleet_row *row = &out->rows.of[kind].at[i];

		out->list[i] = (struct tables_merged_row){ .name = row->key.name,
							   .vm = row->key.vm,
							   .vcpu = row->key.vcpu,
							   .idle = row->key.idle,
							   .lossy = row->lossy,
							   .lacks = row->lacks,
							   .row = row->any };
	}
	return out->list ? 0 : -ENOMEM;
}

void fleet_picked_fini(struct fleet_picked *p)
{
	free(p->list);
	fleet_rows_fini(&p->rows);
}

struct table *fleet_table(const struct fleet_rows *rows, enum fleet_kind kind,
			  const struct fleet_table_options *how)
{
	struct fleet_picked picked;
	struct table *t = NULL;

	if (kind == FLEET_BEHIND)
		return fleet_behind_table(rows, how->vm);
	if (!fleet_pick(&picked, rows, kind, how))
		t = tables_merged(fleet_shapes[kind].decl, picked.list, picked.n, rows->window_ns,
				  how->hidden);
	fleet_picked_fini(&picked);
	return t;
}

/* ---- behind whom VMs waited ---- */

enum { VM = 0, BEHIND_NAME, KIND, NS, SHARE, VM_NS };
static const struct table_column behind_columns[] = {
	[VM] = { "vm", "VM", TABLE_TEXT, 0, NULL, 0 },
	[BEHIND_NAME] = { "behind", "was behind", TABLE_TEXT, TABLE_KEEP | TABLE_EACH, NULL, 0 },
	[KIND] = { "behind_kind", "which is", TABLE_TEXT, TABLE_SPARE | TABLE_EACH, NULL, 0 },
	[NS] = { "behind_ns", "for ms", TABLE_MS, TABLE_KEEP, NULL, 0 },
	[SHARE] = { "delayed_percent", "% of wait", TABLE_PERCENT, TABLE_GAUGE, NULL, 0 },
	[VM_NS] = { "vm_delayed_ns", "of ms", TABLE_MS, TABLE_WIDE, NULL, 0 },
	TABLE_COLUMNS_END,
};

/* Sums by VM. */
struct vm_sums {
	struct map number;
	ARRAY(uint64_t) ns;
	uint64_t all_ns;
};

static uint64_t sum_of(const struct fleet_row *row)
{
	uint64_t ns = 0;

	for (int is = 0; is < FLEET_CULPRITS; is++)
		saturated_add(&ns, row->any->behind.ns[is]);
	return ns;
}

/* The sum of the row's VM, whose name is interned; NULL: out of memory. */
static uint64_t *sum_at(struct vm_sums *sums, const struct fleet_row *row)
{
	uint32_t *number = map_add(&sums->number, (uintptr_t)row->key.vm, 0);

	if (!number || (*number == MAP_NEW && !array_add(&sums->ns)))
		return NULL;
	if (*number == MAP_NEW)
		*number = (uint32_t)(sums->ns.n - 1);
	return &sums->ns.at[*number];
}

static void put_behind(struct table *t, const char *vm, uint64_t ns, uint64_t vm_ns)
{
	table_text(t, VM, vm);
	table_u64(t, NS, ns);
	table_share(t, SHARE, ns, vm_ns);
	table_u64(t, VM_NS, vm_ns);
}

static void put_behinds(struct table *t, const struct fleet_row *row, uint64_t vm_ns)
{
	for (int is = 0; is < FLEET_CULPRITS; is++) {
		uint64_t ns = row->any->behind.ns[is];

		if (!ns)
			continue;
		table_row(t);
		put_behind(t, row->key.vm, ns, vm_ns);
		table_text(t, BEHIND_NAME, row->key.name);
		table_text(t, KIND, fleet_culprits[is]);
		table_lossy(t, row->lossy);
	}
}

struct table *fleet_behind_table(const struct fleet_rows *rows, const char *vm)
{
	struct table *t = table_new("delays", behind_columns);
	struct vm_sums sums = { 0 };
	size_t n = rows->of[FLEET_BEHIND].n;
	bool lossy = false;

	/* first the sums, then the rows */
	for (size_t i = 0; t && i < 2 * n && !t->failed; i++) {
		const struct fleet_row *row = &rows->of[FLEET_BEHIND].at[i % n];
		uint64_t *vm_ns;

		/* hostile stores have rows without names */
		if (!row->key.vm || !row->key.name || (vm && strcmp(row->key.vm, vm) != 0))
			continue;
		vm_ns = sum_at(&sums, row);
		if (!vm_ns) {
			t->failed = true;
		} else if (i < n) {
			saturated_add(vm_ns, sum_of(row));
			saturated_add(&sums.all_ns, sum_of(row));
			lossy |= row->lossy;
		} else {
			put_behinds(t, row, *vm_ns);
		}
	}
	if (t) {
		t->order = "vm_delayed_ns,vm,behind_ns";
		t->grouped = true;
		table_total(t);
		put_behind(t, "all VMs", sums.all_ns, sums.all_ns);
		table_lossy(t, lossy);
	}
	map_fini(&sums.number);
	array_fini(&sums.ns);
	return t ? table_done(t) : NULL;
}
