// SPDX-License-Identifier: LGPL-2.1-only
/* guests.c - see guests.h. */
#include "tables/guest/guests.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "format/file/guests.h"
#include "format/layout.h"

/* ---- which vCPU is which CPU of the guest ---- */

static uint32_t number_of(const struct names *names, const struct analyze_task *task)
{
	int32_t vcpu = names_vcpu(names, task);
	uint32_t n;
	char end;

	if (sscanf(task->comm, "CPU %" SCNu32 "/KV%c", &n, &end) == 2)
		return n;
	return vcpu < 0 ? UINT32_MAX : (uint32_t)vcpu;
}

int guest_vcpus(const struct tables_walk *host, const char *vm, uint32_t **vcpus, size_t *n)
{
	ARRAY(uint32_t) all = { 0 };

	for (size_t i = 0; i < analyze_engine_task_count(host->eng); i++) {
		const struct analyze_task *task = analyze_engine_task(host->eng, (uint32_t)i);
		uint32_t number;

		if (!task->is_vcpu || !names_is_vm(&host->names, task, vm))
			continue;
		number = number_of(&host->names, task);
		if (number >= FORMAT_MAX_CPUS)
			continue;
		while (all.n <= number)
			if (array_push(&all, ANALYZE_NO_TASK)) {
				array_fini(&all);
				return -ENOMEM;
			}
		all.at[number] = task->index; /* of several the latest */
	}
	*vcpus = all.at;
	*n = all.n;
	return 0;
}

/* ---- the guests ---- */

size_t guests_joined(const struct cdict_reader *host)
{
	return reader_guest_count(host);
}

/* The values that the host's file has about the guest. */
static int read_head(struct guests *g, struct guest *one, struct cdict_error *err)
{
	const char *pid = reader_guest_info(g->host, one->number, GUEST_PID),
		   *vm = reader_guest_info(g->host, one->number, GUEST_VM),
		   *clock = reader_guest_info(g->host, one->number, GUEST_CLOCK),
		   *method = reader_guest_info(g->host, one->number, GUEST_CLOCK_METHOD),
		   *error = reader_guest_info(g->host, one->number, GUEST_CLOCK_ERROR);
	int m = 0;

	one->vm = vm ? vm : "";
	one->found = reader_guest_info(g->host, one->number, GUEST_FOUND);
	while (method && m < GUEST_CLOCK_METHODS &&
	       strcmp(method, guest_clock_method_name((enum guest_clock_method)m)))
		m++;
	if (!vm || !clock || !method || m == GUEST_CLOCK_METHODS || !error)
		return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
				  "the guest '%s' has no clock that this version can read",
				  one->vm);
	one->clock.method = (enum guest_clock_method)m;
	one->clock.error_ns = strtoull(error, NULL, 10);
	if (guest_clock_parse(&one->clock, clock, err))
		return err->code;
	if (guest_vcpus(&g->walk, pid ? pid : vm, &one->vcpus, &one->n_vcpus))
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < one->n_vcpus; i++) {
		const char *shown;

		if (one->vcpus[i] == ANALYZE_NO_TASK)
			continue;
		shown = names_vm(&g->walk.names, analyze_engine_task(g->walk.eng, one->vcpus[i]));
		one->vm = shown ? shown : one->vm;
	}
	return 0;
}

static int count_cpus(struct guest *one)
{
	size_t n = cdict_reader_block_count(one->reader);
	uint8_t *seen = calloc(FORMAT_MAX_CPUS, 1);

	for (size_t i = 0; seen && i < n; i++) {
		uint32_t cpu = cdict_reader_block_at(one->reader, i)->cpu;

		if (cpu >= FORMAT_MAX_CPUS || seen[cpu])
			continue;
		seen[cpu] = 1;
		one->cpus++;
		one->missing += cpu >= one->n_vcpus || one->vcpus[cpu] == ANALYZE_NO_TASK;
	}
	free(seen);
	return seen ? 0 : -ENOMEM;
}

/* Whether one of its vCPUs is wanted. */
static bool is_wanted(const struct guests *g, const struct guest *one)
{
	bool wanted = !g->wants && !g->walk.opts.names.filter.vm;

	for (size_t i = 0; i < one->n_vcpus && !wanted; i++) {
		uint32_t task = one->vcpus[i];

		if (task == ANALYZE_NO_TASK)
			continue;
		wanted = g->wants ? g->wants(g->ctx, task)
				  : names_wanted(&g->walk.names,
						 analyze_engine_task(g->walk.eng, task));
	}
	return wanted;
}

/* ---- the walks: of the host; then of each guest, twice ---- */

static int begin_runs(struct guests *g, struct guest *one, struct cdict_error *err)
{
	struct tables_options opts = { .jobs = g->walk.opts.jobs };
	int rc = read_head(g, one, err);

	if (!rc)
		rc = reader_guest_open(&one->reader, g->host, one->number, err);
	if (!rc && count_cpus(one))
		rc = cdict_fail_nomem(err);
	if (!rc)
		rc = tables_walk_init(&one->runs_walk, one->reader, &opts, err);
	g->now = &one->runs_walk;
	return rc ? rc : guest_runs_new(&one->runs, one->runs_walk.eng, &one->clock, err);
}

static int begin_inside(struct guests *g, uint32_t i, struct cdict_error *err)
{
	struct guest *one = &g->all[i];
	struct tables_options opts = { .jobs = g->walk.opts.jobs };
	struct guest_inside_options how = {
		.sides = &g->sides,
		.guest = i,
		.from_ns = g->from_ns,
		.to_ns = g->to_ns,
		.to_end = g->to_ns == analyze_engine_summary(g->walk.eng)->last_ns,
		.on_piece = g->on_piece,
		.ctx = g->ctx,
	};
	int rc;

	g->walking = i;
	if (!is_wanted(g, one))
		return 0;
	rc = tables_walk_init(&one->walk, one->reader, &opts, err);
	g->now = &one->walk;
	return rc ? rc : guest_inside_new(&one->inside, one->walk.eng, &how, err);
}

/* The next walk, or none. */
static int begin(struct guests *g, struct cdict_error *err)
{
	if (!g->done) {
		g->now = &g->walk;
		return guest_vcpu_track_new(&g->track, g->walk.eng, err);
	}
	return g->done <= g->n ? begin_runs(g, &g->all[g->done - 1], err)
			       : begin_inside(g, (uint32_t)(g->done - 1 - g->n), err);
}

static void set_window(struct guests *g, uint64_t from_ns, uint64_t to_ns)
{
	const struct analyze_summary *sum = analyze_engine_summary(g->walk.eng);

	g->from_ns = from_ns;
	g->to_ns = to_ns;
	if (!g->done)
		return; /* the walk that finds its ends is not done */
	g->from_ns = from_ns > sum->first_ns ? from_ns : sum->first_ns;
	g->to_ns = to_ns && to_ns < sum->last_ns ? to_ns : sum->last_ns;
	if (g->to_ns < g->from_ns)
		g->to_ns = g->from_ns;
}

/* A walk has ended. */
static int end(struct guests *g, struct cdict_error *err)
{
	size_t number = g->done++;
	struct guest_side side;

	g->now = NULL;
	if (!number) {
		g->sides.track = g->track;
		set_window(g, g->from_ns, g->to_ns);
	} else if (number <= g->n) {
		const struct guest *one = &g->all[number - 1];

		side = (struct guest_side){ &one->clock, one->vcpus, one->n_vcpus, one->runs };
		if (guest_sides_add(&g->sides, &side))
			return cdict_fail_nomem(err);
	}
	return 0;
}

int guests_begin(struct guests **out, struct cdict_reader *host, const struct tables_options *opts,
		 struct cdict_error *err)
{
	struct tables_options all = { .jobs = opts->jobs, .names = opts->names };
	struct guests *g = calloc(1, sizeof(*g));
	int rc;

	*out = NULL;
	if (!g)
		return cdict_fail_nomem(err);
	g->host = host;
	g->n = reader_guest_count(host);
	g->from_ns = opts->from_ns;
	g->to_ns = opts->to_ns;
	g->all = calloc(g->n + 1, sizeof(*g->all));
	for (size_t i = 0; g->all && i < g->n; i++)
		g->all[i].number = i;
	rc = g->all ? tables_walk_init(&g->walk, host, &all, err) : cdict_fail_nomem(err);
	if (rc)
		guests_free(g);
	else
		*out = g;
	return rc;
}

/* @events 0: a walk at once, by several threads. */
static int step(struct guests *g, uint64_t events, struct cdict_error *err)
{
	int rc = 0;

	if (g->done > 2 * g->n)
		return 0;
	if (!g->now) {
		rc = begin(g, err);
		if (!rc && g->now && events)
			rc = tables_walk_begin(g->now, err);
	}
	if (!rc && g->now)
		rc = events ? tables_walk_step(g->now, events, err) : tables_walk_run(g->now, err);
	if (!rc)
		rc = end(g, err);
	return rc ? rc : g->done <= 2 * g->n;
}

int guests_step(struct guests *g, uint64_t events, struct cdict_error *err)
{
	return step(g, events ? events : 1, err);
}

int guests_finish(struct guests *g, struct cdict_error *err)
{
	int rc;

	while ((rc = step(g, 0, err)) > 0)
		;
	return rc;
}

static void forget_inside(struct guest *one)
{
	guest_inside_free(one->inside);
	one->inside = NULL;
	tables_walk_fini(&one->walk);
}

void guests_again(struct guests *g, uint64_t from_ns, uint64_t to_ns)
{
	for (size_t i = 0; i < g->n; i++)
		forget_inside(&g->all[i]);
	set_window(g, from_ns, to_ns);
	if (g->done <= g->n)
		return; /* not that far yet */
	g->done = g->n + 1;
	g->now = NULL;
}

int guests_new(struct guests **out, struct cdict_reader *host, const struct tables_options *opts,
	       struct cdict_error *err)
{
	const char *vm = opts->names.filter.vm;
	size_t wanted = 0;
	int rc = guests_begin(out, host, opts, err);

	if (rc)
		return rc;
	rc = guests_finish(*out, err);
	for (size_t i = 0; !rc && i < (*out)->n; i++)
		wanted += (*out)->all[i].inside != NULL;
	if (!rc && !wanted && vm)
		rc = cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				"no recording of a guest '%s' is joined", vm);
	if (rc) {
		guests_free(*out);
		*out = NULL;
	}
	return rc;
}

void guests_free(struct guests *g)
{
	if (!g)
		return;
	for (size_t i = 0; g->all && i < g->n; i++) {
		struct guest *one = &g->all[i];

		forget_inside(one);
		guest_runs_free(one->runs);
		tables_walk_fini(&one->runs_walk);
		guest_clock_fini(&one->clock);
		free(one->vcpus);
	}
	guest_sides_fini(&g->sides);
	guest_vcpu_track_free(g->track);
	tables_walk_fini(&g->walk);
	free(g->all);
	free(g);
}
