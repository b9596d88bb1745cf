/* SPDX-License-Identifier: GPL-2.0-only */
/* Chooses the events to record, and opens their rings. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "capture/host/host.h"
#include "capture/host/tracefs.h"
#include "convert/symbols/unwind.h"
#include "capture/record/internal.h"

#define TYPES_MAX 65536 /* common_type has 16 bits */
#define RING_MIN_BYTES ((size_t)32 << 10)

static bool is_wanted(const struct record_options *o, int cpu)
{
	return !o->cpus || ((size_t)cpu < o->n_cpus && o->cpus[cpu / 64] >> cpu % 64 & 1);
}

/* Returns the number of CPUs of the host, or a negative code. */
static int choose_cpus(struct recording *rec)
{
	const struct record_options *o = rec->opts;
	int n = host_cpus(&rec->cpus, rec->err);
	size_t asked = 0;

	if (n < 0)
		return n;
	for (int i = 0; i < n; i++)
		if (is_wanted(o, rec->cpus[i]))
			rec->cpus[rec->n_cpus++] = rec->cpus[i];
	for (size_t i = 0; o->cpus && i < o->n_cpus; i++)
		asked += o->cpus[i / 64] >> i % 64 & 1;
	if (o->cpus && asked != rec->n_cpus)
		return cdict_fail(rec->err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --cpu names %zu CPU%s, of which %zu %s online", asked,
				  asked == 1 ? "" : "s", rec->n_cpus,
				  rec->n_cpus == 1 ? "is" : "are");
	return n;
}

/* With some tasks only, their switch-ins are not recorded: sched_stat_runtime shows how long they
 * ran. */
static int recorded_defaults(struct recording *rec)
{
	int ret = choice_defaults(&rec->choice, rec->err);

	if (!ret && recording_is_of_tasks(rec->opts))
		ret = choice_add(&rec->choice, "sched:sched_stat_runtime*", rec->err);
	return ret;
}

/* Names the events that this machine cannot sample, once: the others are recorded. */
static int choose_samples(struct recording *rec)
{
	const struct record_options *o = rec->opts;
	const struct choice_sampling how = { .freq = o->sample_freq,
					     .period = o->sample_period,
					     .tid = recording_is_of_tasks(o) ? 0 : -1,
					     .cpu = recording_is_of_tasks(o) ? -1 : rec->cpus[0] };
	size_t before = rec->choice.n_sampled;
	struct buf lacks = { 0 };
	int ret = choice_sampling(&rec->choice, &how, &lacks, rec->err);
	bool one = before == rec->choice.n_sampled + 1;

	buf_u8(&lacks, 0);
	if (!ret && lacks.failed)
		ret = cdict_fail_nomem(rec->err);
	if (!ret && lacks.len > 1 && !rec->choice.events.n)
		ret = cdict_fail(rec->err, -ENOENT, CDICT_NO_OFFSET,
				 "event%s %s: this machine cannot sample %s", one ? "" : "s",
				 (const char *)lacks.data, one ? "it" : "them");
	else if (!ret && lacks.len > 1)
		recording_say(rec, true,
			      "event%s %s: this machine cannot sample %s; recording the others",
			      one ? "" : "s", (const char *)lacks.data, one ? "it" : "them");
	buf_fini(&lacks);
	return ret;
}

static int choose_events(struct recording *rec)
{
	const struct record_options *o = rec->opts;
	int ret = 0;

	rec->choice.samples = true;
	if (o->all)
		ret = choice_add(&rec->choice, "sched:*,kvm:*", rec->err);
	for (size_t i = 0; i < o->n_events && !ret; i++) {
		const struct record_event *ev = &o->events[i];

		if (!ev->is_filter)
			ret = choice_add(&rec->choice, ev->text, rec->err);
		else if (rings_can_filter())
			ret = choice_filter(&rec->choice, ev->text, rec->err);
		else
			ret = cdict_fail(rec->err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
					 "this libperf cannot filter events");
	}
	for (size_t i = 0; i < rec->choice.events.n && !ret && o->only_samples; i++)
		if (!rec->choice.events.at[i].sampled)
			ret = cdict_fail(rec->err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					 "event '%s' is a tracepoint, which is not sampled",
					 rec->choice.events.at[i].name);
	if (!ret && rec->choice.n_sampled)
		ret = choose_samples(rec);
	else if (!ret && (o->sample_freq || o->sample_period))
		ret = cdict_fail(rec->err, CDICT_EUSAGE, CDICT_NO_OFFSET, CHOICE_NOT_SAMPLED,
				 o->sample_freq ? "freq" : "count");
	if (!ret && !rec->choice.events.n && o->n_events)
		ret = cdict_fail(rec->err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				 "this kernel has none of %s",
				 (const char *)rec->choice.missing.data);
	if (!ret && !rec->choice.events.n)
		ret = recorded_defaults(rec);
	/* Do not report missing default events: a kernel without KVM has no KVM events. */
	if (!ret && rec->choice.missing.len && (o->n_events || o->all || o->report_missing))
		recording_say(rec, o->n_events || o->all, "this kernel does not have %s",
			      (const char *)rec->choice.missing.data);
	return ret;
}

int recording_choose(struct recording *rec)
{
	int n_online = choose_cpus(rec), ret = n_online < 0 ? n_online : 0;

	if (!ret)
		ret = choice_init(&rec->choice, rec->err);
	if (!ret)
		ret = choose_events(rec);
	if (!ret)
		ret = choice_schema(&rec->choice, &rec->schema, rec->err);
	if (ret)
		return ret;
	rec->type_of = malloc(TYPES_MAX * sizeof(*rec->type_of));
	if (!rec->type_of)
		return cdict_fail_nomem(rec->err);
	rec->n_possible = host_cpus_possible();
	if ((size_t)rec->cpus[rec->n_cpus - 1] >= rec->n_possible)
		rec->n_possible = (size_t)rec->cpus[rec->n_cpus - 1] + 1;
	rec->live = calloc(rec->n_possible, sizeof(*rec->live));
	rec->refused = calloc(rec->n_possible, sizeof(*rec->refused));
	rec->recorded = calloc(rec->n_possible, sizeof(*rec->recorded));
	rec->births = calloc(rec->n_possible, sizeof(*rec->births));
	if (!rec->live || !rec->refused || !rec->recorded || !rec->births)
		return cdict_fail_nomem(rec->err);
	for (size_t i = 0; i < rec->n_cpus; i++) {
		rec->births[rec->cpus[i]] = host_cpu_birth(rec->cpus[i]);
		rec->live[rec->cpus[i]] = rec->recorded[rec->cpus[i]] = true;
	}
	memset(rec->type_of, 0xff, TYPES_MAX * sizeof(*rec->type_of));
	for (size_t i = 0; i < rec->choice.events.n; i++)
		if (!rec->choice.events.at[i].sampled && rec->choice.events.at[i].id < TYPES_MAX)
			rec->type_of[rec->choice.events.at[i].id] =
				(int16_t)rec->choice.events.at[i].type;
	if (rec->n_cpus < (size_t)n_online)
		rec->info.scope.kind = SCOPE_CPUS;
	if (recording_is_of_tasks(rec->opts))
		rec->info.scope.kind = SCOPE_TASKS;
	rec->info.scope.no_inherit = recording_is_of_tasks(rec->opts) && rec->opts->no_inherit;
	rec->info.scope.late = rec->opts->n_spans || rec->opts->begin_paused;
	for (size_t i = 0; i < rec->choice.events.n; i++)
		rec->info.scope.filtered |=
			rec->choice.events.at[i].filter &&
			!strcmp(rec->choice.events.at[i].name, "sched:sched_switch");
	rec->info.scope.foreign = host_pids_foreign();
	if (rec->info.scope.foreign)
		recording_say(
			rec, true,
			"running in a PID namespace: scheduler events have the host's tids, so "
			"task names come from the events alone, and the recorder's own activity "
			"is recorded too");
	rec->info.schema = rec->schema;
	rec->info.strings = tracefs_strings(rec->choice.root);
	record_info_cpus(&rec->info, rec->recorded, rec->n_possible);
	return 0;
}

/* Every event needs a descriptor on every CPU. */
static void raise_file_limit(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

static void store_is_broken(void *ctx)
{
	struct recording *rec = ctx;

	if (!atomic_flag_test_and_set(&rec->broken))
		pthread_kill(rec->main, RECORD_SIGNAL_FAILED);
}

static int start_groups(struct recording *rec)
{
	const struct record_options *o = rec->opts;
	size_t n = o->groups ? o->groups
			     : (rec->n_cpus + RECORD_GROUP_CPUS - 1) / RECORD_GROUP_CPUS;
	int ret = 0;

	if (n > rec->n_cpus)
		n = rec->n_cpus;
	rec->groups = calloc(n, sizeof(*rec->groups));
	rec->own = calloc(2 * n + 2, sizeof(*rec->own));
	if (!rec->groups || !rec->own)
		return cdict_fail_nomem(rec->err);
	rec->own[rec->n_own++] = (int32_t)syscall(SYS_gettid);
	if (o->view)
		ret = recording_growing(rec, &rec->own[rec->n_own++]);
	for (size_t i = 0; i < n && !ret; i++) {
		size_t from = rec->n_cpus * i / n, to = rec->n_cpus * (i + 1) / n;
		struct group_options opts = {
			.rings = { .cpus = rec->cpus + from,
				   .n_cpus = to - from,
				   .use_clockid = o->use_clockid,
				   .clockid = o->clockid,
				   .tids = rec->tids,
				   .n_tids = rec->n_tids,
				   .on_exec = o->only_command,
				   .max_stack = o->max_stack,
				   .no_inherit = o->no_inherit,
				   .stacks = rec->stacks != NULL,
				   .no_kernel_stacks = o->no_kernel_stacks,
				   .no_user_stacks = o->no_user_stacks,
				   .stack_bytes = o->no_user_stacks ? 0 : o->stack_bytes,
				   .user_regs = unwind_regs,
				   .cgroups = o->cgroups != NULL,
				   .foreign_pids = rec->info.scope.foreign },
			.schema = rec->schema,
			.type_of = rec->type_of,
			.sample_period = o->sample_period,
			.store = rec->store,
			.trigger = rec->trigger,
			.stacks = rec->stacks,
			.cgroups = o->cgroups,
			.queue_bytes = (o->queue_bytes ? o->queue_bytes : RECORD_QUEUE_BYTES) / n,
			.live = rec->live,
			.n_possible = rec->n_possible,
			.realtime = o->realtime,
			.poll_ms = recording_is_small(o) ? RECORD_SMALL_MS : 0,
			.failed = store_is_broken,
			.failed_ctx = rec,
		};

		ret = group_new(&rec->groups[rec->n_groups], &opts, rec->err);
		if (!ret)
			group_tids(rec->groups[rec->n_groups++], rec->own + rec->n_own);
		rec->n_own += 2;
	}
	qsort(rec->own, rec->n_own, sizeof(*rec->own), group_by_tid);
	rec->info.own = rec->own;
	rec->info.n_own = rec->info.scope.foreign ? 0 : rec->n_own;
	return ret;
}

/* As perf, rounds up to a power of two of pages. */
static size_t round_up(size_t bytes)
{
	size_t size = (size_t)sysconf(_SC_PAGESIZE);

	while (size < bytes)
		size *= 2;
	return size;
}

static size_t default_bytes(const struct recording *rec)
{
	size_t bytes = RECORD_RING_MAX;

	while (bytes > RECORD_RING_MIN && bytes * rec->n_cpus > RECORD_RINGS_BYTES)
		bytes /= 2;
	return bytes;
}

/* The sum that doc/cdict-record.1 explains. */
static uint64_t memory_bound(const struct recording *rec, size_t ring_bytes)
{
	const struct record_options *o = rec->opts;
	uint64_t bytes = RECORD_BASE_BYTES + rec->n_groups * (uint64_t)RECORD_GROUP_BYTES +
			 rec->n_cpus * (uint64_t)ring_bytes +
			 (o->queue_bytes ? o->queue_bytes : RECORD_QUEUE_BYTES);

	if (o->keep)
		bytes += 2 * (o->keep_bytes ? o->keep_bytes : SNAPSHOT_RING_BYTES);
	if (rec->stacks)
		bytes += STACKS_BYTES_ALL;
	return bytes + (rec->trigger ? TRIGGER_BYTES : 0);
}

static void say_what_is_kept(const struct recording *rec)
{
	const struct record_options *o = rec->opts;
	uint64_t bytes = o->keep_bytes ? o->keep_bytes : SNAPSHOT_RING_BYTES;
	char time[48] = "";

	if (o->keep_ns)
		snprintf(time, sizeof(time), "the last %g s, ", (double)o->keep_ns / 1e9);
	recording_say(rec, false, "keeps %sat most %.1f MiB; memory stays below %" PRIu64 " MiB",
		      time, (double)bytes / (1 << 20), (rec->report->memory_bytes >> 20) + 1);
}

/* Reports an impossible size before the kernel fails with a less clear error. */
static int check_rings(struct recording *rec, size_t bytes)
{
	uint64_t all = (uint64_t)bytes * rec->n_cpus, free_bytes = host_memory_available();

	if (free_bytes && all > free_bytes)
		return cdict_fail(rec->err, -ENOMEM, CDICT_NO_OFFSET,
				  "ring buffers of %zu MiB for each of %zu CPU%s need %" PRIu64
				  " MiB, but %" PRIu64 " MiB are free: use a smaller -m",
				  bytes >> 20, rec->n_cpus, rec->n_cpus == 1 ? "" : "s", all >> 20,
				  free_bytes >> 20);
	return 0;
}

int recording_open(struct recording *rec)
{
	size_t asked = rec->opts->ring_bytes, wanted = asked ? asked : default_bytes(rec);
	size_t bytes = round_up(wanted);
	int ret;

	ret = check_rings(rec, bytes);
	if (ret)
		return ret;
	raise_file_limit();
	ret = start_groups(rec);
	for (size_t i = 0; i < rec->n_groups && !ret;) {
		ret = group_open(rec->groups[i], &rec->choice, bytes, rec->own, rec->n_own,
				 rec->err);
		if (!ret) {
			i++;
		} else if (ret == -ENOBUFS && !asked && bytes > RING_MIN_BYTES) {
			bytes /= 2;
			i = 0;
			ret = 0;
		} else if (ret == -ENOBUFS) {
			ret = cdict_fail(
				rec->err, ret, CDICT_NO_OFFSET,
				"cannot lock %zu KiB for each of %zu CPU%s: use a smaller "
				"-m, grant CAP_IPC_LOCK or raise kernel.perf_event_mlock_kb",
				bytes >> 10, rec->n_cpus, rec->n_cpus == 1 ? "" : "s");
		}
	}
	if (!ret && !asked && bytes < wanted)
		recording_say(
			rec, true,
			"ring buffers limited to %zu KiB per CPU by the limit of "
			"locked memory: grant CAP_IPC_LOCK or raise kernel.perf_event_mlock_kb",
			bytes >> 10);
	rec->report->ring_bytes = rec->info.ring_bytes = bytes;
	rec->report->memory_bytes = memory_bound(rec, bytes);
	if (!ret && rec->opts->keep && !rec->opts->look)
		say_what_is_kept(rec);
	return ret;
}

/* The group that records the neighbours of @cpu. */
static struct group *group_for(const struct recording *rec, int cpu)
{
	size_t below = 0;

	while (below < rec->n_cpus && rec->cpus[below] <= cpu)
		below++;
	for (size_t i = rec->n_groups; i-- > 0;)
		if (rec->n_cpus * i / rec->n_groups < below)
			return rec->groups[i];
	return rec->groups[0];
}

static void add_cpu(struct recording *rec, int cpu)
{
	struct cdict_error err = { 0 };
	int ret;

	rec->births[cpu] = host_cpu_birth(cpu);
	ret = group_add_cpu(group_for(rec, cpu), cpu, &err);
	if (ret == -ENODEV || ret == -ENXIO) /* it went offline again: retried at the next look */
		return;
	if (ret) {
		rec->refused[cpu] = true;
		recording_say(rec, true, "CPU %d came online but is not recorded: %s", cpu,
			      err.text);
		return;
	}
	recording_say(rec, false, "CPU %d came online and is recorded", cpu);
	if (!rec->recorded[cpu]) {
		rec->recorded[cpu] = true;
		record_info_cpus(&rec->info, rec->recorded, rec->n_possible);
	}
}

/* Marks CPUs that are offline, or were in between. */
static void look_for_gone(struct recording *rec, const int *online, size_t n)
{
	for (size_t cpu = 0, i = 0; cpu < rec->n_possible; cpu++) {
		uint64_t birth;
		bool there;

		while (i < n && (size_t)online[i] < cpu)
			i++;
		if (!atomic_load(&rec->live[cpu]))
			continue;
		there = i < n && (size_t)online[i] == cpu;
		birth = there ? host_cpu_birth((int)cpu) : 0;
		if (!there || (birth && rec->births[cpu] && birth != rec->births[cpu])) {
			atomic_store(&rec->live[cpu], false);
			recording_say(rec, false, "CPU %zu went offline", cpu);
		}
	}
}

void recording_look_for_cpus(struct recording *rec)
{
	int *online, n = host_cpus(&online, NULL);

	if (n < 0)
		return;
	look_for_gone(rec, online, (size_t)n);
	for (int i = 0; i < n; i++) {
		int cpu = online[i];

		if ((size_t)cpu < rec->n_possible && is_wanted(rec->opts, cpu) &&
		    !rec->refused[cpu] && !atomic_load(&rec->live[cpu]))
			add_cpu(rec, cpu);
	}
	free(online);
}
