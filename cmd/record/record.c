/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict record: records scheduler and KVM events to a cdict. */
#include "cmd/record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analyze/printing/reasons.h"
#include "base/fail.h"
#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "base/system/outfile.h"
#include "base/system/procfs.h"
#include "base/text/plural.h"
#include "capture/host/clock.h"
#include "capture/record/targets.h"
#include "cmd/input/input.h"
#include "cmd/tables/fleet.h"
#include "tables/columns/number.h"

#define OPT struct record_opts

static const struct cmd_option record_options[] = {
	CMD_STRING('o', "output", struct options_shared, output, "FILE",
		   "write FILE, readable up to its last block while it grows; '-' is standard "
		   "output (default: record.cdict)"),
	CMD_STRING('s', "seconds", OPT, seconds, "TIME",
		   "record for this long: seconds, or with a unit as in 300ms or 2m; without it, "
		   "until the command ends or Ctrl-C"),
	OPTION_CPU,
	CMD_FLAG('a', "all-cpus", OPT, all_cpus, "record all CPUs, which is the default"),
	CMD_TIDS('p', "pid", OPT, pids, "LIST",
		 "record only these processes, and the tasks they start"),
	CMD_TIDS('t', "tid", struct options_shared, tids, "LIST",
		 "record only these threads, and the tasks they start"),
	CMD_STRING('u', "uid", OPT, user, "USER", "record only the processes of USER"),
	CMD_LIST('G', "cgroup", OPT, cgroups, "NAME",
		 "record only the tasks that are now in this cgroup or below it"),
	CMD_FLAG('i', "no-inherit", OPT, no_inherit,
		 "with -p, -t, -u, -G: do not record the tasks they start"),
	CMD_ORDERED('e', "event", OPT, events, "GLOB",
		    "record these tracepoints, and samples of other events: comma-separated, "
		    "repeatable, as in sched:*,kvm:kvm_exit or cpu-clock"),
	CMD_STRING('F', "freq", OPT, freq, "HZ",
		   "take HZ samples a second of events that are no tracepoints, max: as many as the "
		   "kernel permits (default: 4000)"),
	CMD_STRING('c', "count", OPT, count, "N",
		   "take a sample of these events every N events, instead of --freq"),
	CMD_ORDERED(0, "filter", OPT, events, "FILTER",
		    "record only events of the preceding -e that match FILTER, as in perf record"),
	CMD_FLAG('g', "stacks", OPT, stacks, "record call chains of events, by frame pointers"),
	CMD_STRING(0, "call-graph", OPT, call_graph, "HOW",
		   "record call chains; fp: by frame pointers; dwarf[,SIZE]: by unwind tables and "
		   "SIZE bytes of the stack (default: 8192)"),
	CMD_FLAG(0, "kernel-callchains", OPT, kernel_stacks,
		 "keep only the kernel part of call chains"),
	CMD_FLAG(0, "user-callchains", OPT, user_stacks, "keep only the user part of call chains"),
	CMD_FLAG(0, "all", OPT, all, "record all of sched:* and kvm:*, more than the views need"),
	CMD_STRING('m', "mmap-pages", OPT, buffer, "SIZE",
		   "ring buffer of each CPU: pages, or with a unit as in 512K (default: 16M, less "
		   "with more than 16 CPUs, at least 4M)"),
	CMD_STRING(0, "queue", OPT, queue, "SIZE",
		   "memory for events that wait for compression (default: 128M)"),
	CMD_UINT('r', "realtime", OPT, realtime, "PRIO", "1",
		 "read the rings with this SCHED_FIFO priority, 1 to 99; 0: at nice -20"),
	CMD_UINT('j', "jobs", OPT, groups, "N", NULL,
		 "read with N threads and compress with as many (default: one per 16 CPUs)"),
	CMD_STRING('D', "delay", OPT, delay, "MS",
		   "start MS milliseconds after the command; -1: on enable of --control; or record "
		   "only in ranges, as in 10-20,30-40"),
	CMD_STRING(0, "control", OPT, control, "fd:N[,M]|fifo:A[,B]",
		   "take commands: enable, disable, snapshot, stop, ping"),
	CMD_STRING(0, "max-size", OPT, max_size, "SIZE", "end when FILE reaches this size"),
	CMD_MAYBE(0, "switch-output", OPT, switch_output, "WHEN",
		  "start a new file, with the time in its name, at each SIGUSR2, or after a time "
		  "or size as in 30s or 2G"),
	CMD_UINT(0, "switch-max-files", OPT, switch_max_files, "N", NULL,
		 "with --switch-output: keep the last N files"),
	CMD_FLAG(0, "timestamp-filename", OPT, timestamp_filename,
		 "put the start time into the file's name"),
	CMD_FLAG(0, "dry-run", OPT, dry_run, "check the options, record nothing"),
	CMD_STRING('k', "clockid", OPT, clock, "CLOCK",
		   "take time stamps from this clock: mono, raw, real, boot, tai (default: perf's)"),
	CMD_STRING(0, "keep", OPT, keep, "TIME[,SIZE]",
		   "flight recorder: keep only the last TIME or SIZE in memory, write it on "
		   "SIGUSR2 and at the end"),
	CMD_LIST(0, "trigger", OPT, triggers, "WHAT",
		 "with --keep: also write when latency>TIME, delay>TIME, exit>TIME or steal>PCT% of a "
		 "task; comma list, repeatable"),
	CMD_STRING(0, "task", struct options_shared, task, "REGEX",
		   "limit the trigger to tasks whose comm matches; a leading * means .*"),
	OPTIONS_MAP,
	CMD_STRING_PRESET(0, "libvirt", OPT, libvirt, "URI", "auto",
			  "name VMs by libvirt at URI, read only; auto: if available, off: never"),
	CMD_FLAG(0, "no-names", OPT, no_names, "do not look up the names of tasks and VMs"),
	CMD_FLAG(0, "all-cgroups", OPT, all_cgroups,
		 "record the control group of every event's task, for the units, containers and pods "
		 "of short-lived tasks"),
	OPENSTACK_OPTIONS(OPT, openstack),
	CMD_FLAG(0, "stats", OPT, stats,
		 "also write the output of cdict stats next to the file: run.stats.txt"),
	CMD_FLAG(0, "push", OPT, push, "push figures into --job while recording"),
	CMD_FLAG(0, "wait", OPT, wait,
		 "wait for 'cdict job start' of --job: all waiting hosts start together"),
	CMD_STRING(0, "host", OPT, host, "NAME", "the host's name (default: this machine's)"),
	OPTION_JOB("for --push and --wait: the job, made by 'cdict job create'"),
	OPTIONS_STORE,
	CMD_STRING(0, "spool", OPT, spool, "DIR",
		   "with --push: folder for buckets not yet in the store (default: FILE.spool)"),
	CMD_STRING(0, "keep-perf-data", OPT, perf_data, "FILE",
		   "also run perf record with the same events, into FILE"),
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

#undef OPT

static void say(void *ctx, bool warning, const char *line)
{
	struct recorder *r = ctx;

	record_progress_end(&r->meter);
	if (warning)
		cmd_warn(r->call, NULL, "%s", line);
	else if (!r->call->quiet)
		fprintf(stderr, "[ cdict %s: %s ]\n", r->call->cmd->name, line);
}

/* The VM of the trigger's task, else its unit or container, else the task. */
static const char *trigger_of(void *ctx, const struct trigger_hit *hit)
{
	struct recorder *r = ctx;
	struct cdict_label l;

	/* VMs start and end while it records. */
	record_names_again(&r->names);
	if (!hit)
		return NULL;
	if (!mapping_find(&r->names.labels, hit->tid, 0, &l))
		return hit->comm;
	return *l.name ? l.name : *l.instance ? l.instance : *l.unit ? l.unit : hit->comm;
}

/* Whether it is HLT or similar, by the exit's name in the recorded format. */
static bool exit_is_idle(void *ctx, const struct cdict_event_type *type, uint32_t isa,
			 uint64_t code, uint64_t esr_ec)
{
	struct recorder *r = ctx;
	struct cdict_error err;
	const char *name;

	if (!r->reasons && analyze_reasons_new(&r->reasons, type->format, type->format_len, &err))
		return false;
	analyze_reasons_code(r->reasons, &isa, &code, esr_ec);
	name = analyze_reasons_name(r->reasons, isa, code);
	return name && analyze_reason_is_idle(name);
}

/* Reads the command line as typed, from the kernel: the parser has modified it. */
static void read_cmdline(struct recorder *r)
{
	/* skip the last argument's NUL */
	if (procfs_read(AT_FDCWD, "/proc/self/cmdline", &r->cmdline, 65536))
		buf_fini(&r->cmdline);
	for (size_t i = 0; i + 1 < r->cmdline.len; i++)
		r->cmdline.data[i] = r->cmdline.data[i] ? r->cmdline.data[i] : ' ';
}

static void closing_lines(const struct recorder *r, const struct record_options *o,
			  const struct record_report *rep)
{
	char out[NUMBER_ROOM], rings[NUMBER_ROOM], memory[NUMBER_ROOM], bound[NUMBER_ROOM];

	if (r->call->quiet)
		return;
	if (!o->keep)
		fprintf(stderr,
			"[ cdict record: %s event%s of %s type%s in %.3f s, %s to %s%s, "
			"%.2f bytes/event, %s lost ]\n",
			GROUPED(rep->events), rep->events == 1 ? "" : "s", GROUPED(rep->types),
			rep->types == 1 ? "" : "s", rep->seconds, number_bytes(out, rep->bytes_out),
			o->rotate ? "files as " : "", o->output,
			rep->events ? (double)rep->bytes_out / (double)rep->events : 0.0,
			GROUPED(rep->lost + rep->dropped));
	if (rep->over_limit)
		fprintf(stderr,
			"[ cdict record: --max-size was reached: %s later event%s not in the file ]\n",
			GROUPED(rep->over_limit), rep->over_limit == 1 ? " is" : "s are");
	if (r->call->verbose)
		fprintf(stderr,
			"[ cdict %s: the kernel counted %s events and %s lost records; %s samples were read, %s of them dropped ]\n",
			r->call->cmd->name, GROUPED(rep->kernel_events), GROUPED(rep->kernel_lost),
			GROUPED(rep->samples), GROUPED(rep->dropped));
	fprintf(stderr,
		"[ cdict %s: the recorder used %.3f s of CPU (%.2f %% of %s CPU%s), read %s, "
		"woke %s time%s, %s of memory, at most %s allowed ]\n",
		r->call->cmd->name, rep->cpu_seconds,
		rep->own_seconds > 0 ? 100 * rep->cpu_seconds / rep->own_seconds / (double)rep->cpus
				     : 0.0,
		GROUPED(rep->cpus), rep->cpus == 1 ? "" : "s",
		number_bytes(rings, rep->bytes_rings), GROUPED(rep->wakeups),
		rep->wakeups == 1 ? "" : "s", number_bytes(memory, rep->max_rss_bytes),
		number_bytes(bound, rep->memory_bytes));
	/* Suggest the next command, on a terminal. */
	if (r->terminal && strcmp(o->output, "-") && !o->rotate && !r->flight &&
	    (!o->keep || rep->dumps)) {
		bool named = strcmp(o->output, INPUT_DEFAULT) != 0;

		fprintf(stderr,
			"[ cdict record: next: 'cdict vcpu%s%s', 'cdict tasks%s%s', or 'cdict "
			"report%s%s' for a page ]\n",
			named ? " " : "", named ? o->output : "", named ? " " : "",
			named ? o->output : "", named ? " " : "", named ? o->output : "");
	}
}

static int status_of(const struct recorder *r, const struct record_options *o,
		     const struct record_report *rep)
{
	const struct record_opts *opts = r->call->opts;
	double lost = (double)(rep->lost + rep->dropped), all = (double)rep->events + lost;

	if (rep->ended.code == -EPIPE && !strcmp(o->output, "-"))
		return CMD_FAILED; /* the reader of the output is gone */
	if (rep->ended.code) {
		bool any = !o->keep || rep->dumps;

		cmd_errorf(r->call, o->output, "recording ended early: %s; %s", rep->ended.text,
			   any ? "the part written so far is kept" : "nothing was written");
		return any ? CMD_DAMAGED : CMD_FAILED;
	}
	if (rep->failed_dumps && !r->flight) {
		/* Each was reported by a warning, except with -q. */
		if (r->call->quiet)
			cmd_error(r->call, o->output, &rep->dump_error);
		return rep->dumps ? CMD_DAMAGED : CMD_FAILED;
	}
	if (r->flight)
		return CMD_DONE; /* dumps and losses were reported as they came */
	if (lost > 0 && 100 * lost > opts->shared.max_loss_pct * all) {
		cmd_warn(r->call, o->output,
			 "%.1f %% of the events were lost (%.0f in the ring buffers, %.0f later): "
			 "%s",
			 100 * lost / all, (double)rep->lost, (double)rep->dropped,
			 rep->lost ? "larger buffers (-m) lose fewer"
				   : "a larger --queue or a faster disk loses fewer");
		return CMD_DAMAGED;
	}
	return CMD_DONE;
}

static void ended(void *ctx, const struct record_report *report)
{
	struct recorder *r = ctx;

	record_push_over(&r->push);
	record_progress_end(&r->meter);
	closing_lines(r, r->options, report);
	r->status = status_of(r, r->options, report);
	if (!record_names_wait(&r->names) && r->status == CMD_DONE)
		r->status = CMD_DAMAGED;
}

static int record(struct recorder *r, const struct record_options *o)
{
	struct record_report report;
	struct cdict_error err = { 0 };
	int ret = record_run(o, &report, &err);

	record_moment_end(&r->moment, ret ? 0 : report.began_wall_ns);
	if (ret == CDICT_EUSAGE)
		return cmd_usage(r->call, "%s", err.text);
	if (ret)
		return cmd_error(r->call, NULL, &err);
	if (((const struct record_opts *)r->call->opts)->stats && r->status != CMD_FAILED) {
		int more = stats_beside(r->call, o->output);

		r->status = more ? more : r->status;
	}
	if (report.have_status && report.command_status && r->status != CMD_FAILED)
		return report.command_status;
	return r->status;
}

static void recorder_fini(struct recorder *r)
{
	analyze_reasons_free(r->reasons);
	buf_fini(&r->cmdline);
	control_close(&r->control);
	targets_fini(&r->targets);
	free(r->spans);
	free(r->stamped);
	free(r->events);
}

int record_check(const struct cmd_call *call, struct cdict_error *err)
{
	struct recorder r = { .call = call };
	struct record_options o = { 0 };
	int ret = recorder_options(&r, &o, err);

	recorder_fini(&r);
	return ret;
}

int record_command(const struct cmd_call *call, const struct record_flight *flight)
{
	const struct record_opts *opts = call->opts;
	struct recorder r = { .call = call, .flight = flight };
	struct record_options o = { .say = say, .say_ctx = &r, .ended = ended, .ended_ctx = &r };
	struct cdict_error err = { 0 };
	struct outfile_options file = { 0 };
	struct cmd_list inputs = { 0 };
	int ret = recorder_options(&r, &o, &err), status;

	if (ret == CDICT_EUSAGE)
		status = cmd_usage(call, "%s", err.text);
	else if (ret)
		status = cmd_error(call, NULL, &err);
	else if (!strcmp(o.output, "-") && isatty(STDOUT_FILENO))
		status = cmd_usage(call,
				   "cannot write a cdict to a terminal: use -o FILE or a pipe");
	else if (opts->push && !opts->dry_run)
		status = record_push_begin(&r.push, call, o.output);
	else
		status = CMD_DONE;
	if (!ret && status == CMD_DONE && !opts->dry_run)
		status = record_names_init(&r.names, call);
	if (!ret && status == CMD_DONE && !opts->dry_run) {
		r.terminal = !call->quiet && isatty(STDERR_FILENO);
		r.meter.output = o.output;
		if (flight) {
			o.dumps = &flight->dumps;
			o.progress = flight->progress;
			o.progress_ctx = flight->dumps.ctx;
		}
		/* A recorded command may write to the terminal itself. */
		if (r.terminal && !o.command && !flight) {
			o.progress = record_progress_show;
			o.progress_ctx = &r.meter;
		}
		read_cmdline(&r);
		o.exit_is_idle = exit_is_idle;
		o.exit_ctx = &r;
		o.trigger_of = trigger_of;
		o.trigger_of_ctx = &r;
		o.cmdline = (const char *)r.cmdline.data;
		o.host = opts->host;
		o.labels = record_names_write;
		o.labels_ctx = &r.names;
		o.cgroups = r.names.cgroups;
		if (opts->perf_data) {
			r.perf = (struct record_perf){ .opts = opts };
			o.beside = record_perf_beside;
			o.beside_ctx = &r.perf;
		}
		if (opts->push) {
			o.view = record_push_view;
			o.view_ctx = &r.push;
		}
		if (opts->wait) {
			r.moment.call = call, r.moment.host = opts->host;
			o.wait = record_moment_wait;
			o.wait_ctx = &r.moment;
		}
		/* Not only the command, as perf record would. */
		if (r.terminal && o.command && !o.n_tids)
			fprintf(stderr,
				"[ cdict record: recording all tasks of %s while '%s' runs ]\n",
				o.cpus ? "these CPUs" : "all CPUs", o.command[0]);
		r.options = &o;
		ret = cmd_inputs(&inputs, call, NULL, &file);
		o.inputs = file.inputs;
		o.n_inputs = file.n_inputs;
		status = ret ? cmd_errorf(call, NULL, "out of memory") : record(&r, &o);
	}
	ret = record_push_end(&r.push, call);
	status = status == CMD_DONE ? ret : status;
	array_fini(&inputs);
	record_names_fini(&r.names);
	recorder_fini(&r);
	return status;
}

static int record_run_command(const struct cmd_call *call)
{
	return record_command(call, NULL);
}

static const struct cmd_example record_examples[] = {
	{ "cdict record -s 5 -o run.cdict", "five seconds of this host" },
	{ "cdict record -o run.cdict -- perf bench sched messaging", "while a command runs" },
	{ "ssh host cdict record -s 5 -o - | cdict info -", "another host, leaving nothing there" },
	{ "cdict record --keep 30s --trigger 'latency>10ms' -o slow.cdict",
	  "wait for a late task, and keep the 30 seconds before it" },
	{ NULL, NULL },
};

const struct cmd cmd_record = {
	.name = "record",
	.brief = "record the scheduler and KVM live, straight into a cdict",
	.operands = "[--] [COMMAND...]",
	.about = "Records the events that the views need, on all CPUs, until COMMAND ends, the "
		 "time is up or Ctrl-C. Needs root, or CAP_PERFMON and a readable tracefs. Changes "
		 "nothing in the system. The file can be read up to its last block at any moment; "
		 "an existing FILE is kept as FILE.old.",
	.options = record_options,
	.foreign = record_perf_options,
	.opts_size = sizeof(struct record_opts),
	.max_operands = 4096,
	.operands_end_options = true,
	.examples = record_examples,
	.run = record_run_command,
};
