/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks the options of a recording. */
#include "cmd/record/recorder.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "capture/host/clock.h"
#include "cmd/input/input.h"
#include "cmd/tables/fleet.h"

/* Takes "event=..." and "filter=..." in order. */
static int take_events(struct recorder *r, struct record_options *to, struct cdict_error *err)
{
	const struct record_opts *o = r->call->opts;

	r->events = calloc(o->events.n + 1, sizeof(*r->events));
	if (!r->events)
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	for (size_t i = 0; i < o->events.n; i++) {
		const char *item = o->events.at[i];

		r->events[i].is_filter = *item == 'f';
		r->events[i].text = strchr(item, '=') + 1;
	}
	if (o->events.n && r->events[0].is_filter && !o->all)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --filter must follow the -e that it applies to");
	to->events = r->events;
	to->n_events = o->events.n;
	return 0;
}

/* Which tasks: -p, -t, -u, -G. */
static int take_tasks(struct recorder *r, struct record_options *to, struct cdict_error *err)
{
	const struct record_opts *o = r->call->opts;
	int ret = 0;

	for (size_t i = 0; i < o->pids.n && !ret; i++)
		ret = targets_pid(&r->targets, o->pids.at[i], err);
	for (size_t i = 0; i < o->shared.tids.n && !ret; i++)
		ret = targets_tid(&r->targets, o->shared.tids.at[i], err);
	if (!ret && o->user)
		ret = targets_user(&r->targets, o->user, err);
	for (size_t i = 0; i < o->cgroups.n && !ret; i++)
		ret = targets_cgroup(&r->targets, o->cgroups.at[i], err);
	targets_done(&r->targets);
	to->tids = r->targets.tids.n ? r->targets.tids.at : NULL;
	to->n_tids = r->targets.tids.n;
	to->no_inherit = o->no_inherit;
	if (!ret && o->all_cpus && to->tids)
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "-a cannot be used with -p, -t, -u or -G");
	return ret;
}

/* Call chains: -g and related options. */
static int take_stacks(const struct record_opts *o, struct record_options *to,
		       struct cdict_error *err)
{
	to->stacks = o->stacks || o->call_graph || o->kernel_stacks || o->user_stacks;
	to->no_user_stacks = o->kernel_stacks;
	to->no_kernel_stacks = o->user_stacks;
	if (o->kernel_stacks && o->user_stacks)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "takes --kernel-callchains or --user-callchains, not both: -g "
				  "records both parts");
	return o->call_graph ? record_call_graph(o->call_graph, &to->stack_bytes, err) : 0;
}

/* Times and output files. */
static int take_times(struct recorder *r, struct record_options *to, struct cdict_error *err)
{
	const struct record_opts *o = r->call->opts;
	uint64_t ns = 0;
	uint64_t bytes = 0;
	int ret = 0;

	r->control.in = r->control.out = -1;
	if (o->seconds)
		ret = record_time("seconds", o->seconds, &ns, err);
	to->seconds = (double)ns / 1e9;
	if (!ret && o->delay)
		ret = record_delay(o->delay, &r->spans, &to->n_spans, &to->begin_paused, err);
	to->spans = r->spans;
	if (!ret && o->max_size)
		ret = record_size("max-size", o->max_size, false, &bytes, err);
	to->max_bytes = bytes;
	if (!ret && o->switch_output)
		ret = record_rotation(o->switch_output, to, err);
	to->rotate_files = (unsigned)(o->switch_max_files > 65536 ? 65536 : o->switch_max_files);
	if (!ret && o->switch_max_files && !o->switch_output)
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "option --switch-max-files needs --switch-output");
	if (!ret && o->switch_output && (o->keep || !strcmp(to->output, "-")))
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "--switch-output cannot be used with --keep or -o -");
	if (!ret && to->max_bytes && o->keep)
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "--max-size cannot be used with --keep, whose own SIZE is the "
				 "limit");
	if (!ret && to->begin_paused && !o->control)
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "-D -1 needs --control, which starts the recording");
	if (!ret && o->control)
		ret = control_open(&r->control, o->control, err);
	to->control = !ret && o->control ? &r->control : NULL;
	return ret;
}

static int take_output(struct recorder *r, struct record_options *to, struct cdict_error *err)
{
	const struct record_opts *o = r->call->opts;
	char stamp[32];
	struct tm tm;
	time_t now = time(NULL);
	size_t stem;

	to->output = o->shared.output ? o->shared.output : INPUT_DEFAULT;
	if (!o->timestamp_filename || !strcmp(to->output, "-") || o->switch_output)
		return 0;
	stem = strlen(to->output);
	stem -= stem > 6 && !strcmp(to->output + stem - 6, ".cdict") ? 6 : 0;
	if (!localtime_r(&now, &tm) || !strftime(stamp, sizeof(stamp), "%Y%m%d%H%M%S", &tm) ||
	    asprintf(&r->stamped, "%.*s.%s00%s", (int)stem, to->output, stamp, to->output + stem) <
		    0) {
		r->stamped = NULL;
		return cdict_fail_nomem(err);
	}
	to->output = r->stamped;
	return 0;
}

static int take_job(const struct record_opts *o, const struct record_options *to,
		    struct cdict_error *err)
{
	bool of_job = o->push || o->wait;

	if (of_job && !o->shared.job)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "--%s needs --job, the ID of a job", o->push ? "push" : "wait");
	if (!of_job && (o->shared.job || o->shared.store || o->shared.store_password))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --%s needs --push or --wait",
				  o->shared.job     ? "job"
				  : o->shared.store ? "store"
						    : "store-password");
	if (!o->push && o->spool)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --spool needs --push");
	if (o->wait && (to->keep || to->n_spans || to->begin_paused))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "--wait cannot be used with --keep or --delay");
	if (o->push && (to->keep || to->rotate || !strcmp(to->output, "-")))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "--push cannot be used with --keep, --switch-output or -o -");
	return of_job ? fleet_job_id(o->shared.job, err) : 0;
}

int recorder_options(struct recorder *r, struct record_options *to, struct cdict_error *err)
{
	const struct record_opts *o = r->call->opts;
	int ret = take_events(r, to, err);
	uint64_t bytes = 0;

	if (!ret)
		ret = take_output(r, to, err);
	if (!ret)
		ret = take_times(r, to, err);
	if (!ret)
		ret = take_stacks(o, to, err);
	if (!ret)
		ret = record_sampling(o->freq, o->count, to, err);
	to->all = o->all;
	to->cpus = o->shared.cpus.bits;
	to->n_cpus = o->shared.cpus.n;
	to->command = r->call->n_operands ? r->call->operands : NULL;
	to->report_missing = r->call->verbose > 0;
	to->groups = (unsigned)(o->groups > 1024 ? 1024 : o->groups); /* CPUs are fewer anyway */
	to->realtime = (int)o->realtime;
	to->triggers = o->triggers.at;
	to->n_triggers = o->triggers.n;
	to->trigger_task = o->shared.task;
	to->keep = o->keep != NULL;
	to->use_clockid = o->clock != NULL;
	if (!ret && o->clock && !clock_find(o->clock, &to->clockid))
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "option --clockid takes mono, raw, real, boot or tai, not '%s'",
				 o->clock);
	if (!ret && o->realtime > 99)
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "option --realtime takes 0 to 99, not %" PRIu64, o->realtime);
	if (!ret && o->buffer)
		ret = record_size("mmap-pages", o->buffer, true, &bytes, err);
	if (!ret && bytes > RECORD_RING_LIMIT)
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "option --mmap-pages: a ring of %s is %" PRIu64 " MiB; libperf "
				 "reads rings of 1 GiB at most",
				 o->buffer, bytes >> 20);
	to->ring_bytes = (size_t)bytes;
	bytes = 0;
	if (!ret && o->queue)
		ret = record_size("queue", o->queue, false, &bytes, err);
	to->queue_bytes = bytes < SIZE_MAX ? (size_t)bytes : SIZE_MAX;
	if (!ret && o->keep)
		ret = record_keep(o->keep, &to->keep_ns, &to->keep_bytes, err);
	if (!ret && (o->triggers.n || o->shared.task) && !o->keep)
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "option --%s needs --keep",
				 o->triggers.n ? "trigger" : "task");
	/* Check it now, before anything slow, or refused except to root. */
	for (size_t i = 0; !ret && i < o->triggers.n; i++)
		ret = trigger_parse(&(struct trigger_spec){ 0 }, o->triggers.at[i], err);
	if (!ret && o->shared.task && !o->triggers.n)
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "option --task needs --trigger");
	if (!ret && to->command && o->seconds)
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "takes -s SEC or a command, not both");
	if (!ret && o->stats && (to->keep || !strcmp(to->output, "-")))
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "--stats cannot be used with --keep or -o -");
	if (!ret && o->perf_data && !strcmp(o->perf_data, to->output))
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				 "-o and --keep-perf-data name the same file");
	if (!ret)
		ret = take_job(o, to, err);
	return ret ? ret : take_tasks(r, to, err);
}
