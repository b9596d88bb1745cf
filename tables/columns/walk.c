/* SPDX-License-Identifier: LGPL-2.1-only */
/* One walk over a capture for tables. */
#include "tables/columns/walk.h"

#include <errno.h>
#include <stdlib.h>

#include "analyze/walk/digest.h"
#include "base/fail.h"
#include "tables/columns/table.h"

static bool has_label(void *ctx, int32_t tid)
{
	return ctx && mapping_first(label_index_mapping(ctx), tid) != MAPPING_NONE;
}

static bool asks_for_tasks(const struct names_filter *f)
{
	return f->vm || f->n_tids || f->matches || f->wanted;
}

static uint64_t *cpus_seen(const struct cdict_reader *r)
{
	uint32_t n = cdict_reader_cpus(r);
	uint64_t *bits = calloc(n / 64 + 1, sizeof(*bits));

	for (size_t i = 0; bits && i < cdict_reader_block_count(r); i++) {
		uint32_t cpu = cdict_reader_block_at(r, i)->cpu;

		if (cpu < n)
			bits[cpu / 64] |= 1ull << cpu % 64;
	}
	for (size_t i = 0; bits && i < cdict_reader_loss_count(r); i++) {
		uint32_t cpu = cdict_reader_loss_at(r, i)->cpu;

		if (cpu < n)
			bits[cpu / 64] |= 1ull << cpu % 64;
	}
	return bits;
}

int tables_walk_init(struct tables_walk *w, struct cdict_reader *r,
		     const struct tables_options *opts, struct cdict_error *err)
{
	struct analyze_options how = { .from_ns = opts->from_ns,
				       .to_ns = opts->to_ns,
				       .windows = opts->windows,
				       .n_windows = opts->n_windows,
				       .cpus = opts->cpus,
				       .n_cpus = opts->n_cpus,
				       .no_guest_mode = opts->no_guest_mode,
				       .whole_waits = opts->whole_waits,
				       .jobs = opts->jobs,
				       .digests = opts->digests };
	int rc = 0;

	*w = (struct tables_walk){ .reader = r, .opts = *opts };
	if (!opts->cpus && cdict_reader_cpus(r) > ANALYZE_CPUS_MANY) {
		w->cpus = cpus_seen(r);
		if (!w->cpus)
			return cdict_fail_nomem(err);
		how.cpus = w->opts.cpus = w->cpus;
		how.n_cpus = w->opts.n_cpus = cdict_reader_cpus(r);
	}
	/* Only for a window: without one everything is read anyway. */
	if (!how.digests && (how.from_ns || how.to_ns))
		rc = digests_stored(&w->digests, r, err);
	if (rc)
		return rc;
	if (w->digests) {
		how.digests = w->digests;
		how.heeds = asks_for_tasks(&opts->names.filter) ? NULL : has_label;
		how.heeds_ctx = opts->names.labels;
	}
	w->nodes = names_nodes(r, &how.n_node_of_cpu);
	how.node_of_cpu = w->nodes;
	w->cores = names_cores(r, &how.n_core_of_cpu, &w->smt);
	if (cdict_reader_cpus(r) && ((!w->nodes && cdict_reader_info(r, "topology.numa")) ||
				     (!w->cores && cdict_reader_info(r, "topology.threads"))))
		return cdict_fail_nomem(err);
	how.core_of_cpu = w->cores;
	rc = analyze_engine_new(&w->eng, &how, err);
	return rc ? rc : analyze_unknown_new(&w->unknown, w->eng, err);
}

int tables_walk_add(struct tables_walk *w, struct cdict_error *err)
{
	const struct analyze_exits_options exits = { .no_accesses = true };
	int rc = analyze_tasks_new(&w->tasks, w->eng, NULL, err);

	if (!rc)
		rc = analyze_latency_new(&w->latency, w->eng, NULL, err);
	if (!rc)
		rc = analyze_exits_new(&w->exits, w->eng, &exits, err);
	if (!rc)
		rc = analyze_vcpus_new(&w->vcpus, w->eng, err);
	if (!rc)
		rc = analyze_halts_new(&w->halts, w->eng, err);
	return rc ? rc : analyze_coremap_new(&w->coremap, w->eng, err);
}

int tables_walk_begin(struct tables_walk *w, struct cdict_error *err)
{
	return analyze_engine_begin(w->eng, w->reader, err);
}

static int name_tasks(struct tables_walk *w, struct cdict_error *err)
{
	return names_init(&w->names, w->eng, &w->opts.names) ? cdict_fail_nomem(err) : 0;
}

int tables_walk_step(struct tables_walk *w, uint64_t events, struct cdict_error *err)
{
	int rc = analyze_engine_step(w->eng, events, err);

	return rc ? rc : name_tasks(w, err);
}

int tables_walk_begin_two(struct tables_walk *w, struct cdict_reader *other,
			  struct cdict_error *err)
{
	struct analyze_parts parts = { .reader = other };
	int rc = w->digests ? 0 : digests_stored(&w->digests, other, err);

	parts.digests = w->digests;
	if (rc || !parts.digests || w->opts.digests)
		return rc ? rc : tables_walk_begin(w, err);
	return analyze_engine_begin_two(w->eng, w->reader, &parts, &w->later, err);
}

int tables_walk_later(struct tables_walk *w, struct cdict_error *err)
{
	return analyze_engine_run_later(w->later, err);
}

int tables_walk_first(struct tables_walk *w, struct cdict_error *err)
{
	return analyze_engine_step(w->eng, UINT64_MAX, err);
}

int tables_walk_join(struct tables_walk *w, struct cdict_error *err)
{
	int rc = w->later ? analyze_engine_join(w->eng, w->later, err) : 0;

	analyze_engine_free(w->later);
	w->later = NULL;
	return rc ? rc : name_tasks(w, err);
}

int tables_walk_run(struct tables_walk *w, struct cdict_error *err)
{
	int rc = tables_walk_begin(w, err);

	return rc ? rc : tables_walk_step(w, UINT64_MAX, err);
}

void tables_walk_fini(struct tables_walk *w)
{
	names_fini(&w->names);
	analyze_tasks_free(w->tasks);
	analyze_latency_free(w->latency);
	analyze_exits_free(w->exits);
	analyze_vcpus_free(w->vcpus);
	analyze_halts_free(w->halts);
	analyze_coremap_free(w->coremap);
	analyze_switches_free(w->switches);
	analyze_counts_free(w->counts);
	analyze_successors_free(w->successors);
	analyze_unknown_free(w->unknown);
	analyze_engine_free(w->later);
	analyze_engine_free(w->eng);
	digests_free(w->digests);
	free(w->nodes);
	free(w->cores);
	free(w->cpus);
	*w = (struct tables_walk){ 0 };
}

bool tables_has_wakeups(const struct tables_walk *w)
{
	const struct analyze_summary *sum = analyze_engine_summary(w->eng);

	return sum->has_waking || sum->has_wakeup;
}

unsigned tables_lacks(const struct tables_walk *w)
{
	const struct analyze_summary *sum = analyze_engine_summary(w->eng);
	unsigned lacks = 0;

	if (!sum->has_switch)
		lacks |= TABLE_OF_SWITCHES | TABLE_OF_TIMES_OFF;
	else if (!sum->has_runs)
		lacks |= TABLE_OF_RUNS | TABLE_OF_TIMES_OFF;
	if (sum->scope.kind == SCOPE_CPUS)
		lacks |= TABLE_OF_TIMES_OFF;
	if (sum->scope.kind == SCOPE_TASKS)
		lacks |= TABLE_OF_ALL;
	if (!sum->has_switch || !sum->has_state)
		lacks |= TABLE_OF_STATES;
	if (!tables_has_wakeups(w))
		lacks |= TABLE_OF_WAKEUPS;
	if (!sum->has_entry || !sum->has_exit)
		lacks |= TABLE_OF_ENTRIES;
	if (!sum->has_userspace_exit)
		lacks |= TABLE_OF_QEMU;
	if (!sum->has_sys_enter)
		lacks |= TABLE_OF_CALLS;
	if (!sum->has_sys_exit)
		lacks |= TABLE_OF_RETURNS;
	if (!sum->has_iowait)
		lacks |= TABLE_OF_IOWAITS;
	if (!w->cores)
		lacks |= TABLE_OF_CORES;
	if (!cdict_schema_find(cdict_reader_schema(w->reader), "kvm:kvm_vcpu_wakeup"))
		lacks |= TABLE_OF_HALTS;
	if (!cdict_schema_find(cdict_reader_schema(w->reader), "kvm:kvm_halt_poll_ns"))
		lacks |= TABLE_OF_POLLS;
	return lacks;
}

bool tables_lossy(const struct tables_walk *w, const struct analyze_task *task)
{
	return analyze_unknown_task(w->unknown, task->index);
}

bool tables_cpu(const struct tables_walk *w, uint32_t cpu)
{
	const uint64_t *bits = w->opts.cpus;

	return !bits || (cpu < w->opts.n_cpus && (bits[cpu / 64] >> (cpu % 64) & 1));
}

int32_t tables_node(const struct tables_walk *w, uint32_t cpu)
{
	return w->nodes && cpu < cdict_reader_cpus(w->reader) ? w->nodes[cpu] : -1;
}
