/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict convert: converts recordings of perf and others to cdict. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/system/ending.h"
#include "base/fail.h"
#include "base/text/escape.h"
#include "base/system/outfile.h"
#include "base/text/plural.h"
#include "cmd/core/cmd.h"
#include "cmd/input/input.h"
#include "cmd/input/lending.h"
#include "cmd/input/maps.h"
#include "cmd/core/options.h"
#include "cmd/input/source_kinds.h"

struct convert_opts {
	struct options_shared shared;
	bool stats;
	const char *formats;
	bool no_stacks;
	struct perf_stacks_options stacks;
};

static const struct cmd_option convert_options[] = {
	OPTION_INPUT,
	OPTION_OUTPUT,
	OPTION_EVENT,
	CMD_UINT('j', "jobs", struct options_shared, jobs, "N", NULL,
		 "use N threads (default: one per CPU)"),
	OPTIONS_MAP,
	CMD_FLAG(0, "stats", struct convert_opts, stats,
		 "also write the output of cdict stats next to the output: run.stats.txt"),
	CMD_STRING(0, "formats", struct convert_opts, formats, "SOURCE",
		   "take the tracepoint formats of a perf.data without its own from SOURCE: a "
		   "folder (tracefs' events), a perf.data or a cdict of the same kernel"),
	CMD_STRING(0, "symfs", struct convert_opts, stacks.symfs, "DIR",
		   "read the programs and libraries of a perf.data's stacks below DIR"),
	CMD_STRING(0, "buildid-dir", struct convert_opts, stacks.buildid, "DIR",
		   "find them by build id in DIR (default: $PERF_BUILDID_DIR or ~/.debug)"),
	CMD_FLAG(0, "no-stacks", struct convert_opts, no_stacks,
		 "do not store the stacks of a perf.data's samples"),
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

struct meter {
	const struct cmd_call *call;
	int percent;
	bool shown;
};

static void show_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct meter *m = ctx;

	if (total) {
		int percent = (int)(done * 100 / total);

		if (percent == m->percent)
			return;
		m->percent = percent;
		fprintf(stderr, "\rconverting %3d %%", percent);
	} else {
		fprintf(stderr, "\rconverting %" PRIu64 " MB", done / 1000000);
	}
	m->shown = true;
}

static void clear_progress(const struct meter *m)
{
	if (m->shown)
		fprintf(stderr, "\r\033[K");
}

/* "1.34 MB" */
static const char *bytes_text(uint64_t n, char *out, size_t size)
{
	static const char *const units[] = { "B", "kB", "MB", "GB", "TB" };
	double v = (double)n;
	unsigned u = 0;

	while (v >= 1000 && u < 4) {
		v /= 1000;
		u++;
	}
	snprintf(out, size, u ? "%.3g %s" : "%.0f %s", v, units[u]);
	return out;
}

/* @named: the name of the output, if the user did not give it. */
static void closing_line(const struct cmd_call *call, const struct convert_report *r,
			 const char *named)
{
	char in[32], out[32];
	struct sink s;

	if (call->quiet)
		return;
	if (named) {
		sink_to_file(&s, stderr);
		sink_puts(&s, "[ cdict convert: wrote ");
		escape_terminal(&s, named, strlen(named));
		sink_puts(&s, " ]\n");
		sink_finish(&s);
	}
	fprintf(stderr,
		"[ cdict convert: %s event%s of %s type%s kept, %s -> %s, %.2f bytes/event, "
		"%s lost ]\n",
		GROUPED(r->events), r->events == 1 ? "" : "s", GROUPED(r->types),
		r->types == 1 ? "" : "s", bytes_text(r->bytes_in, in, sizeof(in)),
		bytes_text(r->bytes_out, out, sizeof(out)),
		r->events ? (double)r->bytes_out / (double)r->events : 0.0, GROUPED(r->lost));
	if (r->unstored.n) {
		fprintf(stderr, "[ cdict convert: not stored:");
		for (size_t i = 0; i < r->unstored.n; i++)
			fprintf(stderr, "%s %" PRIu64 " %s", i ? "," : "", r->unstored.at[i].count,
				r->unstored.at[i].name);
		fprintf(stderr, " ]\n");
	}
	if (r->note[0])
		fprintf(stderr, "[ cdict convert: %s ]\n", r->note);
	if (call->verbose && r->disordered)
		fprintf(stderr,
			"[ cdict convert: sorted %s event%s of a CPU that came out of "
			"order ]\n",
			GROUPED(r->disordered), r->disordered == 1 ? "" : "s");
}

/* ---- an existing file of the output's name ---- */

static struct cdict_reader *read_fd(int fd)
{
	struct cdict_reader *r = NULL;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	return cdict_reader_open(&r, path, NULL) ? NULL : r;
}

/* Compares the properties of the inputs, whatever events were kept; their times must overlap. */
static bool same_input(const struct cdict_reader *a, const struct cdict_reader *b)
{
	static const char *const keys[] = { "source",        "host.name",   "host.kernel",
					    "perf.cmdline",  "clock.id",    "clock.wall_ns",
					    "clock.mono_ns", "input.bytes", "input.mode",
					    "input.files",   "input.lines" };
	uint64_t a_first, a_last, b_first, b_last;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *x = cdict_reader_info(a, keys[i]), *y = cdict_reader_info(b, keys[i]);

		if (!x != !y || (x && strcmp(x, y) != 0))
			return false;
	}
	return cdict_reader_window(a, &a_first, &a_last) &&
	       cdict_reader_window(b, &b_first, &b_last) && a_first <= b_last && b_first <= a_last;
}

static bool same_text(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* Labels that were added to the old file cannot be made again from the input. */
static bool has_labels_of(const struct cdict_reader *new, const struct cdict_reader *old)
{
	size_t n = cdict_reader_label_count(old);

	if (n && n != cdict_reader_label_count(new))
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct cdict_label *a = cdict_reader_label_at(old, i);
		const struct cdict_label *b = cdict_reader_label_at(new, i);

		if (a->tid != b->tid || a->pid != b->pid || a->start_ns != b->start_ns ||
		    a->origin != b->origin || !same_text(a->name, b->name) ||
		    !same_text(a->group, b->group) || !same_text(a->group_type, b->group_type) ||
		    !same_text(a->role, b->role) || !same_text(a->uuid, b->uuid) ||
		    !same_text(a->instance, b->instance) || !same_text(a->project, b->project) ||
		    !same_text(a->host, b->host))
			return false;
	}
	return true;
}

/* Whether the old file is a conversion of the same files: they still exist, so nothing is lost by
 * replacing it. */
static bool is_of_same_input(int old_fd, int new_fd)
{
	struct cdict_reader *old = read_fd(old_fd), *new = old ? read_fd(new_fd) : NULL;
	bool same = new &&same_input(old, new) && has_labels_of(new, old);

	cdict_reader_close(new);
	cdict_reader_close(old);
	return same;
}

/* Data from a pipe cannot be read again. */
static bool all_are_files(const struct texts *inputs)
{
	struct stat st;

	for (size_t i = 0; i < inputs->n; i++)
		if (!strcmp(inputs->at[i], "-") || stat(inputs->at[i], &st) ||
		    (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)))
			return false;
	return true;
}

/* "run.data" -> "run.cdict", in the same folder; for a pipe or several files the user must give a
 * name. */
static const char *output_name(const struct texts *inputs, char *out, size_t size)
{
	static const char *const endings[] = { ".data", ".dat", ".pfw.gz", ".pfw" };
	const char *input = inputs->at[0];
	size_t n = strlen(input), stem;

	if (!strcmp(input, "-") || inputs->n > 1)
		return NULL;
	while (n > 1 && input[n - 1] == '/')
		n--;
	stem = n;
	for (size_t i = 0; stem == n && i < sizeof(endings) / sizeof(endings[0]); i++)
		stem = ending_cut(input, n, endings[i]);
	if ((size_t)snprintf(out, size, "%.*s.cdict", (int)stem, input) >= size)
		return NULL;
	return out;
}

static int status_of(const struct cmd_call *call, const char *input, const struct source_kind *kind,
		     const struct convert_report *r, double max_loss_pct)
{
	double all = (double)r->events + (double)r->lost;
	int status = CMD_DONE;

	/* rings lose events of all types, so count those not stored, too (tables/columns/loss.c) */
	for (size_t i = 0; i < r->unstored.n; i++) {
		if (strncmp(r->unstored.at[i].name, "PERF_RECORD_", 12) != 0)
			all += (double)r->unstored.at[i].count;
	}
	if (r->damaged) {
		cmd_warn(call, input, "input is damaged: %s; the readable part was kept",
			 r->damage);
		status = CMD_DAMAGED;
	}
	if (!r->events) {
		cmd_warn(call, input, "%s", r->missing);
		status = CMD_DAMAGED;
	} else if (r->lost && 100.0 * (double)r->lost > max_loss_pct * all) {
		cmd_warn(call, input,
			 "%.1f %% of the events were lost while recording (%" PRIu64 ")%s%s%s",
			 100.0 * (double)r->lost / all, r->lost,
			 kind->room ? ": larger buffers (" : "", kind->room ? kind->room : "",
			 kind->room ? ") lose fewer" : "");
		status = CMD_DAMAGED;
	}
	return status;
}

static int convert(const struct cmd_call *call, const struct texts *inputs, const char *output,
		   const struct source_kind *kind, void *source, const struct mapping *labels,
		   struct lending *lending)
{
	const struct convert_opts *o = call->opts;
	/* With several inputs, messages include the file's name, or refer to all of them. */
	const char *input = inputs->n == 1 ? inputs->at[0] : NULL;
	struct meter meter = { .call = call, .percent = -1 };
	struct convert_options options = {
		.events = o->shared.events.at,
		.n_events = o->shared.events.n,
		.jobs = (unsigned)(o->shared.jobs > 1024 ? 1024 : o->shared.jobs),
		.progress = !call->quiet && isatty(STDERR_FILENO) ? show_progress : NULL,
		.progress_ctx = &meter,
		.labels = labels,
		.stacks = o->no_stacks ? NULL : &o->stacks,
	};
	struct convert_report report;
	struct cdict_error err = { 0 };
	struct outfile *of;
	int status, more;

	status = lending_init(lending, call, inputs->at[0], o->formats, &options);
	if (status)
		return status;
	status = cmd_output_open(&of, call, NULL,
				 &(struct outfile_options){
					 .path = output,
					 .capture = true,
					 .can_be_made_again =
						 all_are_files(inputs) ? is_of_same_input : NULL,
					 .inputs = (const char *const *)inputs->at,
					 .n_inputs = inputs->n,
				 });
	if (status)
		return status;
	if (kind->run(source, &options, outfile_write, of, &report, &err) < 0) {
		clear_progress(&meter);
		cmd_output_abort(of);
		convert_report_fini(&report);
		/* Blame the output for a failed write, the input for anything else. */
		return cmd_error(call, err.code > -1000 && err.code != -ENOMEM ? output : input,
				 &err);
	}
	clear_progress(&meter);
	if (o->formats && !lending->used)
		cmd_warn(call, input, "ignored --formats: the file has its own formats");
	more = cmd_output_commit(call, output, of, report.events ? 0 : OUTFILE_EMPTY);
	if (!more)
		closing_line(call, &report, o->shared.output ? NULL : output);
	if (!more || !report.events) /* status_of() says why it is empty */
		status = status_of(call, input, kind, &report, o->shared.max_loss_pct);
	convert_report_fini(&report);
	return more ? more : status;
}

static int convert_inputs(const struct cmd_call *call, const struct texts *inputs)
{
	const struct convert_opts *o = call->opts;
	const struct source_kind *kind;
	struct mapping labels = { 0 };
	struct cdict_error err = { 0 };
	struct lending lending = { 0 };
	const char *output;
	void *source;
	char name[4096];
	int status;

	output = o->shared.output ? o->shared.output : output_name(inputs, name, sizeof(name));
	if (!output)
		return cmd_usage(call, inputs->n > 1 ? "several files need -o FILE"
						     : "reading a pipe needs -o FILE");
	if (!strcmp(output, "-") && isatty(STDOUT_FILENO))
		return cmd_usage(call, "cannot write a cdict to a terminal: use -o FILE or a pipe");
	if (o->stats && !strcmp(output, "-"))
		return cmd_usage(call, "--stats needs an output file: give -o FILE");
	kind = source_kind_of(inputs->at[0]);
	if (!kind)
		kind = source_kind_perf();
	if (o->formats && kind != source_kind_perf())
		return cmd_usage(call, "--formats applies only to perf recordings");
	for (size_t i = 1; i < inputs->n; i++) {
		if (!kind->many)
			return cmd_usage(call, "only I/O traces (.pfw, .pfw.gz) can be "
					       "combined into one cdict");
		if (access(inputs->at[i], F_OK))
			return cmd_errorf(call, inputs->at[i], "%s", strerror(errno));
		if (input_is_empty(inputs->at[i])) {
			cdict_fail_empty(&err, inputs->at[i]);
			return cmd_error(call, inputs->at[i], &err);
		}
		if (source_kind_of(inputs->at[i]) != kind)
			return cmd_errorf(
				call, inputs->at[i],
				"is not an I/O trace (.pfw, .pfw.gz) like the first file");
	}
	if (kind->open(&source, (const char *const *)inputs->at, inputs->n, &err) < 0)
		return cmd_error(call, inputs->n == 1 ? inputs->at[0] : NULL, &err);
	status = maps_read(&labels, call, &o->shared);
	if (!status)
		status = convert(call, inputs, output, kind, source, &labels, &lending);
	mapping_fini(&labels);
	kind->close(source);
	lending_fini(&lending);
	if (o->stats && (status == CMD_DONE || status == CMD_DAMAGED)) {
		int more = stats_beside(call, output);

		status = more ? more : status;
	}
	return status;
}

static int convert_run_command(const struct cmd_call *call)
{
	const struct convert_opts *o = call->opts;
	const char *input = input_file(call);
	struct texts inputs = { 0 };
	int status;

	if (call->n_operands && o->shared.input)
		return cmd_usage(call, "takes FILE or -i FILE, not both");
	if (!strcmp(input, INPUT_DEFAULT) && !call->n_operands && !o->shared.input)
		input = "perf.data"; /* the default input is not a cdict here */
	status = call->n_operands ? input_files(&inputs, call)
				  : input_files_add(&inputs, call, &input, 1);
	if (!status)
		status = convert_inputs(call, &inputs);
	texts_fini(&inputs);
	return status;
}

static const struct cmd_example convert_examples[] = {
	{ "cdict convert -i perf.data -o run.cdict", "convert a recording" },
	{ "perf record -o - -e 'sched:*' -a sleep 5 | cdict convert -i - -o run.cdict",
	  "convert while perf records" },
	{ "cdict convert -e 'sched:*,irq:*' -i perf.data -o - | cdict info -",
	  "other events, into a pipe" },
	{ "cdict convert -o job.cdict 'traces/*.pfw.gz'", "the I/O traces of a job, in one" },
	{ NULL, NULL },
};

const struct cmd cmd_convert = {
	.name = "convert",
	.brief = "convert a recording into a cdict",
	.operands = "[FILE...]",
	.about = "Reads a recording of perf record (file, pipe, -z, --threads directory), a "
		 "trace.dat of trace-cmd, I/O traces (.pfw, .pfw.gz; several become one) or a file "
		 "of perfwhiz, and writes a cdict. Without -e it keeps the sched and kvm "
		 "tracepoints and all events of I/O traces. The input is FILE, -i, or perf.data; "
		 "the output is -o, or the input's name ending in .cdict. Of damaged input, the "
		 "readable part is kept, and the exit status is 2.",
	.options = convert_options,
	.opts_size = sizeof(struct convert_opts),
	.max_operands = 8192,
	.examples = convert_examples,
	.run = convert_run_command,
};
