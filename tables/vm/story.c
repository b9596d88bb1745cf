/* SPDX-License-Identifier: LGPL-2.1-only */
/* story.c - see story.h: finds the VM's threads, and walks again for their waits. */
#include "tables/vm/story.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/fail.h"
#include "tables/findings/next_step.h"

int story_add(struct tables_walk *w, struct cdict_error *err)
{
	int rc = analyze_vcpus_new(&w->vcpus, w->eng, err);

	if (!rc)
		rc = analyze_tasks_new(&w->tasks, w->eng, NULL, err);
	if (!rc)
		analyze_engine_walk_all(w->eng);
	return rc;
}

static bool is_member(const struct story *s, uint32_t task)
{
	return task < s->n_tasks && s->members[task / 64] >> task % 64 & 1;
}

static bool is_wanted(void *ctx, uint32_t task)
{
	return is_member(ctx, task);
}

static bool is_vcpu(const struct story *s, uint32_t task)
{
	return analyze_engine_task(s->w->eng, task)->is_vcpu;
}

/* Sets s->vm and marks its tasks. */
static int find_members(struct story *s, const char *vm, struct cdict_error *err)
{
	const struct tables_walk *w = s->w;

	for (size_t i = 0; !s->vm && i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);
		const char *name =
			culprits_vm(&s->fold.culprits, analyze_engine_task(w->eng, row->task));

		if (!name)
			return cdict_fail_nomem(err);
		if (!strcmp(name, vm))
			s->vm = name;
	}
	if (!s->vm)
		return cdict_fail(err, CDICT_ENOTFOUND, 0, "no VM with vCPUs is called %s", vm);
	s->n_tasks = analyze_engine_task_count(w->eng);
	s->members = calloc(s->n_tasks / 64 + 1, sizeof(*s->members));
	if (!s->members)
		return cdict_fail_nomem(err);
	for (uint32_t i = 0; i < s->n_tasks; i++) {
		const struct analyze_task *task = analyze_engine_task(w->eng, i);
		const char *name = names_vm(&w->names, task);

		if (!task->tid)
			continue;
		if (!name)
			name = names_vm_served(&w->names, task);
		if (!name && task->is_vcpu)
			name = culprits_vm(&s->fold.culprits, task);
		if (name == s->vm)
			s->members[i / 64] |= UINT64_C(1) << i % 64;
	}
	return 0;
}

/* ---- the second walk ---- */

#define add_span(s, list, from, to)                                                                \
	do {                                                                                       \
		struct story_span span_ = { (from), (to) };                                        \
		if (array_push(&(s)->list, span_))                                                 \
			(s)->failed = true;                                                        \
	} while (0)

static void on_piece(void *ctx, const struct analyze_vcpu_piece *piece)
{
	struct story *s = ctx;

	if (piece->state == ANALYZE_VCPU_HALTED && is_member(s, piece->task) &&
	    is_vcpu(s, piece->task))
		add_span(s, halts, piece->from_ns, piece->to_ns);
}

static void on_wait(void *ctx, uint32_t task, uint64_t from_ns, uint64_t to_ns)
{
	struct story *s = ctx;

	if (!is_vcpu(s, task))
		add_span(s, waits, from_ns, to_ns);
}

static int by_begin(const void *a, const void *b)
{
	const struct story_span *x = a, *y = b;

	return x->from_ns < y->from_ns ? -1 : x->from_ns > y->from_ns;
}

/* Merges the waits that overlap or touch. */
static void unite_waits(struct story *s)
{
	size_t n = 0;

	if (s->waits.n)
		qsort(s->waits.at, s->waits.n, sizeof(*s->waits.at), by_begin);
	for (size_t i = 0; i < s->waits.n; i++) {
		struct story_span *last = n ? &s->waits.at[n - 1] : NULL, *now = &s->waits.at[i];

		if (!last || now->from_ns > last->to_ns)
			s->waits.at[n++] = *now;
		else if (now->to_ns > last->to_ns)
			last->to_ns = now->to_ns;
	}
	s->waits.n = n;
}

/* The time of the halts during which another thread of the VM waited for a CPU. */
static uint64_t halted_own_ns(struct story *s)
{
	uint64_t sum_ns = 0;
	size_t k = 0;

	unite_waits(s);
	if (s->halts.n)
		qsort(s->halts.at, s->halts.n, sizeof(*s->halts.at), by_begin);
	for (size_t i = 0; i < s->halts.n; i++) {
		const struct story_span *halt = &s->halts.at[i];

		/* Halts of several vCPUs overlap, but begin in order. */
		while (k < s->waits.n && s->waits.at[k].to_ns <= halt->from_ns)
			k++;
		for (size_t j = k; j < s->waits.n && s->waits.at[j].from_ns < halt->to_ns; j++) {
			const struct story_span *wait = &s->waits.at[j];
			uint64_t from_ns = wait->from_ns > halt->from_ns ? wait->from_ns
									 : halt->from_ns;
			uint64_t to_ns = wait->to_ns < halt->to_ns ? wait->to_ns : halt->to_ns;

			sum_ns += analyze_engine_clip(s->w->eng, from_ns, to_ns);
		}
	}
	return sum_ns;
}

static int begin_walk(struct story *s, struct cdict_error *err)
{
	struct analyze_chains_options how = { .wanted = is_wanted, .on_wait = on_wait, .ctx = s };
	struct tables_options opts = s->w->opts;
	int rc;

	opts.digests = NULL;
	rc = tables_walk_init(&s->again, s->w->reader, &opts, err);
	if (!rc)
		rc = analyze_vcpus_new(&s->again.vcpus, s->again.eng, err);
	if (!rc) {
		analyze_vcpus_on_piece(s->again.vcpus, on_piece, s);
		rc = analyze_chains_new(&s->chains, s->again.eng, &how, err);
	}
	return rc ? rc : tables_walk_begin(&s->again, err);
}

/* ---- the parts ---- */

const char *const story_part_names[] = { "guest",       "waited", "exit",    "VMM",
					 "halted, own", "halted", "blocked", "unknown" };

static void add_part(struct story *s, enum story_part part, const char *of, const char *kind,
		     uint64_t ns)
{
	struct story_row *row;
	uint32_t number;

	if (!ns)
		return;
	number = culprits_pair(&s->fold.culprits, story_part_names[part], of ? of : "");
	row = number < s->rows.n    ? &s->rows.at[number]
	      : number < UINT32_MAX ? array_add(&s->rows)
				    : NULL;
	if (!row) {
		s->failed = true;
		return;
	}
	row->part = part;
	row->of = of;
	row->kind = kind;
	row->ns += ns;
}

static void add_waits(struct story *s, const struct analyze_vcpu_row *row)
{
	uint64_t rest_ns = analyze_vcpu_delayed_ns(row);

	for (size_t k = 0; k < row->n_antagonists; k++) {
		const struct analyze_antagonist *a = &row->antagonists[k];
		const char *kind, *name;

		name = culprits_name(&s->fold.culprits, analyze_engine_task(s->w->eng, a->task),
				     s->vm, &kind);
		add_part(s, STORY_WAITED, name, kind, analyze_behind_ns(a));
		rest_ns -= analyze_behind_ns(a);
	}
	add_part(s, STORY_WAITED, NULL, "unknown", rest_ns);
}

static void add_exits(struct story *s, const struct analyze_vcpu_row *row)
{
	uint64_t exit_ns = row->ns[ANALYZE_VCPU_EXIT], vmm_ns = row->ns[ANALYZE_VCPU_QEMU];

	for (size_t k = 0; k < row->n_reasons; k++) {
		const struct analyze_vcpu_reason *reason = &row->reasons[k];
		const char *name = *reason->name ? stringset_add(&s->fold.culprits.texts,
								 reason->name, strlen(reason->name))
						 : NULL;

		s->failed |= *reason->name && !name;
		add_part(s, STORY_EXIT, name, NULL, reason->exit_ns);
		add_part(s, STORY_VMM, name, NULL, reason->qemu_ns);
		exit_ns -= reason->exit_ns;
		vmm_ns -= reason->qemu_ns;
	}
	add_part(s, STORY_EXIT, NULL, NULL, exit_ns);
	add_part(s, STORY_VMM, NULL, NULL, vmm_ns);
}

static int by_part(const void *a, const void *b)
{
	const struct story_row *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	if (x->ns != y->ns)
		return x->ns < y->ns ? 1 : -1;
	return strcmp(x->of ? x->of : "", y->of ? y->of : "");
}

static void add_up(struct story *s)
{
	const struct tables_walk *w = s->w;
	uint64_t halted_ns = 0, own_ns = halted_own_ns(s);

	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(w->vcpus, i);

		if (!is_member(s, row->task))
			continue;
		s->n_vcpus++;
		s->life_ns += analyze_vcpu_life_ns(row);
		add_part(s, STORY_GUEST, NULL, NULL, row->ns[ANALYZE_VCPU_GUEST]);
		add_waits(s, row);
		add_exits(s, row);
		halted_ns += row->ns[ANALYZE_VCPU_HALTED];
		add_part(s, STORY_BLOCKED, NULL, NULL, row->ns[ANALYZE_VCPU_BLOCKED]);
		add_part(s, STORY_UNKNOWN, NULL, NULL, analyze_vcpu_unknown_ns(row));
	}
	if (own_ns > halted_ns) /* halts on CPUs that are not selected */
		own_ns = halted_ns;
	add_part(s, STORY_HALTED_OWN, NULL, NULL, own_ns);
	add_part(s, STORY_HALTED, NULL, NULL, halted_ns - own_ns);
	for (size_t i = 0; i < s->rows.n; i++)
		s->sums[s->rows.at[i].part] += s->rows.at[i].ns;
	if (s->rows.n)
		qsort(s->rows.at, s->rows.n, sizeof(*s->rows.at), by_part);
}

/* ---- the threads ---- */

static int by_waiting(const void *a, const void *b)
{
	const struct story_thread *x = a, *y = b;

	if (x->delayed_ns != y->delayed_ns)
		return x->delayed_ns < y->delayed_ns ? 1 : -1;
	return x->task < y->task ? -1 : x->task > y->task;
}

static const struct analyze_chain_row *waits_of(const struct story *s, uint32_t task)
{
	size_t n = analyze_chains_row_count(s->chains), at = 0;
	const struct analyze_chain_row *rows = n ? analyze_chains_row_at(s->chains, 0) : NULL;

	if (rows)
		at = index_first(rows, n, sizeof(*rows), task);
	return at < n && rows[at].task == task ? &rows[at] : NULL;
}

static void find_threads(struct story *s)
{
	for (size_t i = 0; i < analyze_tasks_row_count(s->w->tasks); i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(s->w->tasks, i);
		const struct analyze_task *task = analyze_engine_task(s->w->eng, row->task);
		struct story_thread *thread;
		struct fold_place place;

		if (!is_member(s, row->task))
			continue;
		thread = array_add(&s->threads);
		if (!thread || !fold_find(&s->fold, task, &place)) {
			s->failed = true;
			return;
		}
		*thread = (struct story_thread){ .task = row->task,
						 .role = place.role ? place.role : "vcpu",
						 .waits = waits_of(s, row->task),
						 .run_ns = row->run_ns,
						 .delayed_ns = row->delayed_ns,
						 .delays = row->delays };
	}
	if (s->threads.n)
		qsort(s->threads.at, s->threads.n, sizeof(*s->threads.at), by_waiting);
}

int story_begin(struct story **out, const struct tables_walk *w, const char *vm,
		struct cdict_error *err)
{
	struct story *s = calloc(1, sizeof(*s));
	int rc;

	*out = NULL;
	if (!s)
		return cdict_fail_nomem(err);
	s->w = w;
	s->fold.culprits.names = &w->names;
	rc = find_members(s, vm, err);
	if (!rc)
		rc = begin_walk(s, err);
	if (rc) {
		story_free(s);
		return rc;
	}
	*out = s;
	return 0;
}

static void find_next_step(struct story *s)
{
	struct sink out;

	sink_to_memory(&out);
	next_step_say(&out, s->w, &s->fold.culprits, s->vm);
	s->next_step = sink_take(&out, NULL);
	s->failed |= !s->next_step;
}

int story_step(struct story *s, uint64_t events, struct cdict_error *err)
{
	int rc = tables_walk_step(&s->again, events, err);

	if (rc)
		return rc;
	add_up(s);
	find_threads(s);
	find_next_step(s);
	return s->failed || s->fold.culprits.failed ? cdict_fail_nomem(err) : 0;
}

int story_new(struct story **out, const struct tables_walk *w, const char *vm,
	      struct cdict_error *err)
{
	int rc = story_begin(out, w, vm, err);

	if (rc)
		return rc;
	while ((rc = story_step(*out, UINT64_MAX, err)) > 0)
		;
	if (rc) {
		story_free(*out);
		*out = NULL;
	}
	return rc;
}

const char *story_only_vm(const struct tables_walk *w, struct culprits *names, bool *several)
{
	const char *vm = NULL;

	*several = false;
	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_task *task =
			analyze_engine_task(w->eng, analyze_vcpus_row_at(w->vcpus, i)->task);
		const char *name;

		if (!names_wanted(&w->names, task))
			continue;
		name = culprits_vm(names, task);
		if (!name || (vm && name != vm)) {
			*several = name != NULL;
			return NULL;
		}
		vm = name;
	}
	return vm;
}

void story_free(struct story *s)
{
	if (!s)
		return;
	analyze_chains_free(s->chains);
	tables_walk_fini(&s->again);
	fold_fini(&s->fold);
	array_fini(&s->rows);
	array_fini(&s->threads);
	array_fini(&s->halts);
	array_fini(&s->waits);
	free(s->members);
	free(s->next_step);
	free(s);
}
