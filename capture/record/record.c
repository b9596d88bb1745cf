/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a recording from beginning to end. */
#include "base/text/plural.h"
#include "capture/record/record.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/fail.h"
#include "base/system/monotonic.h"
#include "capture/host/clock.h"
#include "capture/record/internal.h"
#include "convert/symbols/unwind.h"
#include "convert/ingest/info.h"

void recording_say(const struct recording *rec, bool warning, const char *fmt, ...)
{
	char line[1024];
	va_list ap;

	if (!rec->opts->say)
		return;
	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	rec->opts->say(rec->opts->say_ctx, warning, line);
}

static uint64_t cpu_ns(uint64_t *wakeups)
{
	struct rusage use;

	if (getrusage(RUSAGE_SELF, &use))
		return 0;
	*wakeups = (uint64_t)use.ru_nvcsw;
	return ((uint64_t)use.ru_utime.tv_sec + (uint64_t)use.ru_stime.tv_sec) * 1000000000 +
	       ((uint64_t)use.ru_utime.tv_usec + (uint64_t)use.ru_stime.tv_usec) * 1000;
}

static void pair_clocks(struct recording *rec)
{
	const struct record_options *o = rec->opts;
	struct clock *clock = clock_open(o->use_clockid, o->clockid);

	rec->info.cmdline = o->cmdline;
	rec->info.host = o->host;
	rec->info.clock = info_clock(o->use_clockid, o->clockid);
	if (clock)
		clock_pair(clock, &rec->info.wall_ns, &rec->info.clock_ns);
	rec->info.use_clockid = o->use_clockid;
	rec->info.clockid = o->clockid;
	ties_take(&rec->info.ties, clock);
	clock_close(clock);
}

static int prepare_trigger(struct recording *rec)
{
	const struct record_options *o = rec->opts;
	struct trigger_options opts = { .task = o->trigger_task,
					.schema = rec->schema,
					.exit_is_idle = o->exit_is_idle,
					.exit_ctx = o->exit_ctx,
					.use_clockid = o->use_clockid,
					.clockid = o->clockid };
	struct trigger_spec *specs;
	int ret = 0;

	if (!o->n_triggers)
		return 0;
	specs = calloc(o->n_triggers, sizeof(*specs));
	if (!specs)
		return cdict_fail_nomem(rec->err);
	for (; opts.n_specs < o->n_triggers && !ret; opts.n_specs++)
		ret = trigger_parse(&specs[opts.n_specs], o->triggers[opts.n_specs], rec->err);
	opts.specs = specs;
	if (!ret)
		ret = trigger_new(&rec->trigger, &opts, rec->err);
	free(specs);
	return ret;
}

static int prepare_stacks(struct recording *rec)
{
	int ret = rec->opts->stacks ? stacks_new(&rec->stacks, rec->err) : 0;

	if (!rec->stacks)
		return ret;
	if (*stacks_why_kernel(rec->stacks) && !rec->opts->no_kernel_stacks)
		recording_say(rec, true, "cannot resolve kernel symbols: %s",
			      stacks_why_kernel(rec->stacks));
	if (rec->opts->stack_bytes && (!unwind_regs || *stacks_why_programs(rec->stacks)))
		return cdict_fail(rec->err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
				  "cannot unwind user stacks (use --call-graph fp, or perf "
				  "record and perf script): %s",
				  unwind_regs ? stacks_why_programs(rec->stacks)
					      : "this machine's registers are not supported");
	if (*stacks_why_programs(rec->stacks) && !rec->opts->no_user_stacks)
		recording_say(rec, true, "cannot resolve user-space symbols: %s",
			      stacks_why_programs(rec->stacks));
	return 0;
}

/* Everything before events are enabled. */
static int prepare(struct recording *rec)
{
	const struct record_options *o = rec->opts;
	int ret = recording_choose(rec);

	if (!ret)
		ret = prepare_trigger(rec);
	if (!ret)
		ret = prepare_stacks(rec);
	if (!ret && o->command)
		ret = workload_prepare(&rec->workload, o->command, &rec->mask,
				       !strcmp(o->output, "-"), rec->err);
	rec->tids = o->only_command ? &rec->workload.pid : o->tids;
	rec->n_tids = o->only_command ? 1 : o->n_tids;
	if (!ret)
		ret = recording_output(rec);
	if (!ret)
		ret = recording_open(rec);
	if (!ret && o->wait)
		ret = o->wait(o->wait_ctx, &rec->signals, &rec->start, rec->err);
	if (ret)
		return ret;
	rec->info.start = &rec->start;
	pair_clocks(rec);
	if (o->beside)
		ret = o->beside(o->beside_ctx, &rec->choice, rec->report->ring_bytes, rec->err);
	return ret ? ret : recording_tasks(rec);
}

void recording_flush(struct recording *rec)
{
	for (size_t i = 0; i < rec->n_groups; i++)
		group_flush(rec->groups[i]);
	for (size_t i = 0; i < rec->n_groups; i++)
		group_wait_flush(rec->groups[i]);
}

static void end_groups(struct recording *rec)
{
	for (size_t i = 0; i < rec->n_groups; i++)
		group_stop(rec->groups[i]);
	for (size_t i = 0; i < rec->n_groups; i++)
		group_join(rec->groups[i]);
	for (size_t i = 0; i < rec->n_groups; i++)
		group_losses(rec->groups[i]);
}

static void run(struct recording *rec)
{
	for (size_t i = 0; i < rec->n_groups; i++)
		group_start(rec->groups[i]);
	if (!recording_wait_start(rec)) {
		end_groups(rec);
		return;
	}
	rec->report->began_wall_ns = clock_wall_ns();
	rec->began_ns = monotonic_ns();
	if (!rec->opts->n_spans && !rec->opts->begin_paused)
		recording_switch(rec, true);
	workload_go(&rec->workload);
	recording_growing_begin(rec);
	recording_wait(rec);
	for (size_t i = 0; i < rec->n_groups; i++)
		rings_disable(group_rings(rec->groups[i]));
	if (rec->on)
		rec->recorded_ns += monotonic_ns() - rec->on_ns;
	rec->report->seconds = (double)rec->recorded_ns / 1e9;
	/* it requests flushes from the readers, which still run */
	recording_growing_end(rec);
	end_groups(rec);
}

static void count(struct recording *rec)
{
	struct record_report *r = rec->report;
	uint64_t throttled = 0;

	for (size_t i = 0; i < rec->n_groups; i++) {
		const struct group_counts *c = group_counts(rec->groups[i]);

		r->bytes_rings += c->bytes;
		r->lost += c->lost_ring;
		r->dropped += c->lost_queue;
		r->samples += c->samples;
		r->kernel_events += c->kernel_events;
		r->kernel_lost += c->kernel_lost;
		r->disordered += c->disordered;
		throttled += c->throttled;
		if (c->out_of_memory && !r->ended.code)
			cdict_fail_nomem(&r->ended);
	}
	if (throttled)
		recording_say(
			rec, true,
			"the kernel paused sampling %s times: too many samples; a lower -F or a larger -c loses none",
			GROUPED(throttled));
	if (rec->stacks && stacks_full(rec->stacks))
		recording_say(rec, true, "distinct stacks exceed %zu MiB: some are left out",
			      STACKS_BYTES >> 20);
	if (rec->stacks && stacks_out_of_memory(rec->stacks))
		recording_say(rec, true,
			      "out of memory: some stacks are left out or have no symbols");
	r->types = cdict_schema_count(rec->schema);
	r->cpus = rec->n_cpus;
	r->groups = rec->n_groups;
}

/* States in the file that the disk was full, or which other error ended it. */
static void report_dropped(struct recording *rec, struct record_info_end *end)
{
	struct record_report *r = rec->report;
	uint64_t since_ns, n = store_dropped(rec->store, &since_ns);

	if (atomic_load(&rec->at_limit)) { /* the user asked for it: not a failure */
		r->over_limit = n;
		return;
	}
	r->dropped += n;
	end->dropped = r->dropped;
	if (!n)
		return;
	snprintf(rec->full, sizeof(rec->full),
		 "%s: %s event%s from %" PRIu64 ".%09" PRIu64 " s on not written",
		 cdict_strerror(r->ended.code), GROUPED(n), plural(n), since_ns / 1000000000,
		 since_ns % 1000000000);
	end->why = rec->full;
}

static void finish(struct recording *rec, struct record_info_end *end)
{
	struct record_report *r = rec->report;
	struct cdict_error err = { 0 };
	char why[64];
	int ret;

	if (store_failed(rec->store, &err)) {
		r->ended = err;
		report_dropped(rec, end);
	}
	if (rec->ring && (rec->opts->look || rec->opts->dumps || r->ended.code == -EPIPE))
		return;
	if (rec->ring) {
		snprintf(why, sizeof(why), "at the end: %s", rec->end);
		recording_dump(rec, why, false, &err); /* a failure is already reported */
		return;
	}
	r->events = store_counts(rec->store)->events;
	if (!rec->writer) /* the next file could not be created */
		return;
	end->scope = recording_scope_end(rec);
	/* End the file normally, if possible, with what was written. */
	ret = recording_finish(rec, end, &err);
	if (atomic_load(&rec->at_limit) && r->ended.code == -EFBIG)
		r->ended = (struct cdict_error){ 0 };
	if (ret < 0 && !r->ended.code)
		r->ended = err;
	if (rec->target)
		r->bytes_out += target_bytes(rec->target);
}

static void close_output(struct recording *rec)
{
	struct cdict_error err = { 0 };

	cdict_writer_close(rec->writer);
	rec->writer = NULL;
	if (target_close(rec->target, &err) < 0 && !rec->report->ended.code)
		rec->report->ended = err;
	rec->target = NULL;
}

static void close_all(struct recording *rec)
{
	recording_growing_end(rec);
	for (size_t i = 0; i < rec->n_groups; i++)
		group_free(rec->groups[i]);
	free(rec->groups);
	workload_end(&rec->workload);
	store_free(rec->store);
	snapshot_ring_free(rec->ring);
	trigger_free(rec->trigger);
	stacks_free(rec->stacks);
	close_output(rec);
	record_info_fini(&rec->info);
	cdict_schema_free(rec->schema);
	choice_fini(&rec->choice);
	free(rec->type_of);
	free(rec->own);
	free(rec->cpus);
	free(rec->live);
	free(rec->births);
	free(rec->refused);
	free(rec->recorded);
	texts_fini(&rec->names);
	free(rec->name);
	pthread_mutex_destroy(&rec->file_lock);
}

int record_run(const struct record_options *opts, struct record_report *report,
	       struct cdict_error *err)
{
	struct recording rec = {
		.opts = opts, .report = report, .err = err, .end = "", .broken = ATOMIC_FLAG_INIT
	};
	struct record_info_end end = { 0 };
	uint64_t woken = 0, cpu;
	uint64_t began_all_ns = monotonic_ns();
	int ret;

	*report = (struct record_report){ 0 };
	rec.workload.go = -1;
	pthread_mutex_init(&rec.file_lock, NULL);
	recording_signals(&rec);
	cpu = cpu_ns(&woken);
	ret = prepare(&rec);
	if (!ret) {
		struct rusage use;

		run(&rec);
		count(&rec);
		end.why = rec.end;
		end.cpus = rec.info.cpus.failed ? NULL : (const char *)rec.info.cpus.data;
		end.cpu_ns = cpu_ns(&end.wakeups) - cpu;
		end.wakeups -= woken;
		end.dropped = report->dropped;
		report->cpu_seconds = (double)end.cpu_ns / 1e9;
		report->own_seconds = (double)(monotonic_ns() - began_all_ns) / 1e9;
		report->wakeups = end.wakeups;
		if (!getrusage(RUSAGE_SELF, &use))
			report->max_rss_bytes = (uint64_t)use.ru_maxrss * 1024;
		finish(&rec, &end);
		if (opts->beside && opts->beside(opts->beside_ctx, NULL, 0, err) < 0)
			recording_say(&rec, true, "%s", err->text);
		workload_end(&rec.workload);
		report->have_status = rec.workload.pid && !rec.workload.killed;
		if (report->have_status)
			report->command_status = workload_exit_status(&rec.workload);
		close_output(&rec);
		if (opts->ended)
			opts->ended(opts->ended_ctx, report);
	}
	close_all(&rec);
	recording_signals_restore(&rec);
	return ret;
}
