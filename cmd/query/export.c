/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict export: writes a capture in formats of other tools. */
#include "cmd/query/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/sched/stacks.h"
#include "base/fail.h"
#include "base/system/ending.h"
#include "base/text/plural.h"
#include "cdict/stack.h"
#include "cmd/input/source_kinds.h"
#include "cmd/query/flame.h"
#include "cmd/tables/figures.h"
#include "query/export/export.h"
#include "query/export/gzip.h"
#include "query/export/io_export.h"
#include "query/export/tracedat_export.h"
#include "tables/stacks/flame.h"

enum to {
	TO_PERFETTO = 0,
	TO_CHROME,
	TO_PFW,
	TO_CSV,
	TO_FOLDED,
	TO_SQLITE,
	TO_PARQUET,
	TO_PERFWHIZ,
	TO_TRACEDAT,
	TO_AUTO
};

static const char *const to_names[] = { "perfetto",  "chrome", "pfw",     "csv",
					"folded",    "sqlite", "parquet", "perfwhiz",
					"trace.dat", "auto",   NULL };

static const struct {
	const char *ending;
	enum to to;
} endings[] = { { ".pftrace", TO_PERFETTO }, { ".perfetto-trace", TO_PERFETTO },
		{ ".json", TO_CHROME },      { ".pfw", TO_PFW },
		{ ".csv", TO_CSV },          { ".folded", TO_FOLDED },
		{ ".sqlite", TO_SQLITE },    { ".db", TO_SQLITE },
		{ ".parquet", TO_PARQUET },  { ".dat", TO_TRACEDAT } };
#define ENDINGS ".pftrace, .json, .pfw, .csv, .folded, .sqlite, .parquet or .dat"

/* One kind of folded stacks is the default, without a name. */
static const char *const by_names[] = { "off-cpu", "exits", "wakeups", "switches", NULL };

struct export_opts {
	struct options_shared shared;
	int to, by;
	bool gzip;
};

struct job {
	const struct cmd_call *call;
	struct figures f;
	enum to to;
	bool gzip;
	bool io; /* the capture was made of I/O traces */
	struct analyze_stacks *stacks;
	struct export_report report;
	uint64_t cut; /* stacks without their last frames */
};

/* ---- format ---- */

static bool is_tables(enum to to)
{
	return to == TO_SQLITE || to == TO_PARQUET;
}

/* Rejects stdout, gzip and filters: all rows are written, to be selected by SQL. */
static int check_tables(const struct cmd_call *call, enum to to, const char *path, bool gzip)
{
	const struct options_shared *o = call->opts;

	if (to == TO_PARQUET && !strcmp(path, "-"))
		return cmd_usage(call, "option --to parquet needs a folder: -o DIR");
	if (to == TO_PARQUET && gzip)
		return cmd_usage(call,
				 "option --gzip: the output of --to parquet is already compressed");
	if (!strcmp(path, "-") || gzip)
		return cmd_usage(call,
				 "option --to sqlite needs an uncompressed output file: -o FILE");
	if (o->task || o->tids.n || o->vm || o->cpus.n || o->no_guest_mode || o->merge_sys_tasks ||
	    o->append_tid)
		return cmd_usage(
			call, "option --to %s can select a time range only; select the rest in SQL",
			to_names[to]);
	return CMD_DONE;
}

/* The format of --to, else by the ending of the output's name, before .gz. */
static int choose(struct job *job, const char *path)
{
	const struct export_opts *o = job->call->opts;
	size_t whole = strlen(path), len = ending_cut(path, whole, ".gz");

	job->gzip = o->gzip || len < whole;
	job->to = (enum to)o->to;
	for (size_t i = 0; job->to == TO_AUTO && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (ending_cut(path, len, endings[i].ending) < len)
			job->to = endings[i].to;
	if (job->to == TO_AUTO)
		return cmd_usage(
			job->call,
			"unknown output format; use --to, or an output that ends in " ENDINGS);
	if (o->by && job->to != TO_FOLDED)
		return cmd_usage(job->call, "option --by cannot be used with --to %s",
				 to_names[job->to]);
	if (is_tables(job->to))
		return check_tables(job->call, job->to, path, job->gzip);
	if (o->gzip && job->to == TO_PERFWHIZ)
		return cmd_usage(
			job->call,
			"option --gzip: the output of --to perfwhiz is already compressed");
	if (!strcmp(path, "-") && isatty(STDOUT_FILENO) &&
	    (job->to == TO_PERFETTO || job->to == TO_PERFWHIZ || job->to == TO_TRACEDAT ||
	     job->gzip))
		return cmd_usage(job->call,
				 "cannot write binary output to a terminal; use -o FILE");
	return CMD_DONE;
}

/* ---- writing ---- */

static int write_format(struct job *job, struct sink *s, struct cdict_error *err)
{
	static const struct export_format *const formats[] = {
		[TO_PERFETTO] = &export_perfetto, [TO_CHROME] = &export_chrome,
		[TO_PFW] = &export_pfw,           [TO_CSV] = &export_csv,
		[TO_PERFWHIZ] = &export_perfwhiz,
	};
	static const enum io_to io[] = {
		[TO_PERFETTO] = IO_PERFETTO, [TO_CHROME] = IO_CHROME, [TO_PFW] = IO_PFW, [TO_CSV] = IO_CSV
	};
	struct folded folded = { 0 };
	int rc;

	if (job->to == TO_TRACEDAT)
		return tracedat_export_write(&job->f.walk, &job->f.filter.query, s, &job->report,
					     err);
	if (job->io)
		return io_export_write(&job->f.walk, io[job->to], s, &job->report, err);
	if (job->to != TO_FOLDED)
		return export_write(&job->f.walk, formats[job->to], s, &job->report, err);
	rc = flame_fold(&folded, &job->f.walk, job->stacks, NULL, err);
	if (!rc)
		folded_write(&folded, NULL, s);
	job->cut = folded.cut;
	folded_fini(&folded);
	return rc;
}

static int write_to(void *ctx, struct sink *s, struct cdict_error *err)
{
	struct job *job = ctx;
	struct gzip gz;
	int rc, end;

	if (!job->gzip)
		return write_format(job, s, err);
	rc = gzip_open(&gz, s, GZIP_MEMBERS, err);
	if (!rc)
		rc = write_format(job, &gz.sink, err);
	end = gzip_close(&gz);
	/* the caller reports failed writes */
	return !rc && end == -ENOMEM ? cdict_fail_nomem(err) : rc;
}

/* The format that convert would detect for the output, NULL: none. Chrome's JSON has the lines of
 * an I/O trace, too. */
static const struct source_kind *kind_of(enum to to)
{
	return source_kind_named(to_names[to == TO_CHROME ? TO_PFW : to]);
}

/* ---- the command ---- */

static int add_analyses(struct job *job, struct cdict_error *err)
{
	const struct export_opts *o = job->call->opts;

	if (job->io)
		return 0;
	if (job->to == TO_TRACEDAT) /* for -t and --vm */
		return analyze_vcpus_new(&job->f.walk.vcpus, job->f.walk.eng, err);
	if (job->to != TO_FOLDED)
		return export_prepare(&job->f.walk, err);
	return analyze_stacks_new(&job->stacks, job->f.walk.eng, (enum analyze_stacks_by)o->by,
				  err);
}

static void report_tracedat(const struct job *job)
{
	if (cdict_reader_stack_count(job->f.reader))
		cmd_warn(job->call, job->f.file, "call chains are left out: a trace.dat has none");
}

/* Warns which parts of the output are missing because their events were not recorded. */
static void report_lacks(struct job *job)
{
	struct figures *f = &job->f;

	if (job->io)
		return;
	if (job->to == TO_TRACEDAT)
		return report_tracedat(job);
	if (job->to == TO_FOLDED)
		flame_warn(f,
			   (enum analyze_stacks_by)((const struct export_opts *)f->call->opts)->by);
	else if (figures_has_switch(f, "ran") && !tables_has_wakeups(&f->walk))
		cmd_warn(f->call, f->file,
			 "no wake-up events: the output cannot show how long a task waited; record "
			 "with -e 'sched:*'");
}

/* Both walks must be identical, so the first one must not use two parts either. */
static int walk(struct job *job)
{
	struct figures *f = &job->f;
	struct cdict_error err = { 0 };

	job->io = io_export_is(f->reader);
	if (job->io && (job->to == TO_FOLDED || job->to == TO_PERFWHIZ || job->to == TO_TRACEDAT))
		return cmd_errorf(job->call, f->file,
				  "was converted from I/O traces, which --to %s cannot represent",
				  to_names[job->to]);
	if (job->to == TO_FOLDED && !cdict_reader_stack_count(f->reader))
		return cmd_errorf(job->call, f->file,
				  "no stacks: record with 'cdict record -g' or 'perf record -g'");
	if (add_analyses(job, &err) || tables_walk_run(&f->walk, &err))
		return figures_fail(f, &err);
	return figures_any_task(f) ? CMD_DONE : figures_no_task(f);
}

static int export_tables(const struct job *job, const char *path)
{
	struct captures c = { 0 };
	int status = input_files(&c.files, job->call);

	if (!status)
		status = captures_open(&c, job->call);
	if (!status)
		status = job->to == TO_SQLITE ? export_sqlite(&c, path) : export_parquet(&c, path);
	if (!status)
		status = captures_loss_status(&c);
	captures_close(&c);
	return status;
}

static int export_run(const struct cmd_call *call)
{
	const struct options_shared *o = call->opts;
	const char *path = o->output ? o->output : "-";
	struct job job = { .call = call };
	int status = choose(&job, path);

	if (!status && job.to == TO_PARQUET)
		status = cmd_folder_check(call, path);
	else if (!status) /* before reading everything */
		status = cmd_output_check_kind(call, NULL, path, kind_of(job.to));
	if (!status && is_tables(job.to))
		return export_tables(&job, path);
	if (!status && call->n_operands > 1)
		status = cmd_usage(call, "unexpected operand '%s': --to %s writes one capture",
				   call->operands[1], to_names[job.to]);
	if (!status)
		status = (job.to == TO_TRACEDAT ? figures_open_events : figures_open_file)(
			&job.f, call, input_file(call));
	if (!status)
		status = walk(&job);
	if (!status) {
		report_lacks(&job);
		status = cmd_output_write_kind(call, path, kind_of(job.to), 0, write_to, &job);
	}
	if (!status && job.cut)
		cmd_warn(call, job.f.file, "too many frames: cut the last ones of %s stack%s",
			 GROUPED(job.cut), plural(job.cut));
	if (!status && job.report.cpus_left_out)
		cmd_warn(call, job.f.file, "Perfetto takes at most 1024 CPUs: left out %u",
			 job.report.cpus_left_out);
	if (!status && job.report.left_out && job.to == TO_TRACEDAT)
		cmd_warn(call, job.f.file,
			 "left out %s event%s without a CPU or a tracepoint's format, or too long",
			 GROUPED(job.report.left_out), job.report.left_out == 1 ? "" : "s");
	else if (!status && job.report.left_out)
		cmd_warn(
			call, job.f.file,
			"too many events of one thread overlap for its Perfetto tracks: left out %llu",
			(unsigned long long)job.report.left_out);
	if (!status)
		status = job.to == TO_FOLDED
				 ? figures_status(&job.f)
				 : cmd_loss_status(call, job.f.file, job.f.reader, o->max_loss_pct);
	analyze_stacks_free(job.stacks);
	figures_close(&job.f);
	return status;
}

static const struct cmd_option export_options[] = {
	OPTION_INPUT,
	OPTION_OUTPUT_OR_STDOUT,
	CMD_CHOICE(
		0, "to", struct export_opts, to, "FORMAT", to_names, "auto",
		"perfetto, chrome (JSON), pfw, csv, folded (stacks), sqlite, parquet (a folder), perfwhiz, or trace.dat; auto: by the "
		"output's ending, " ENDINGS),
	CMD_FLAG('z', "gzip", struct export_opts, gzip,
		 "compress the output, as done for one that ends in .gz"),
	CMD_CHOICE(0, "by", struct export_opts, by, "WHAT", by_names, "off-cpu",
		   "stacks to write with --to folded: off-cpu, exits, wakeups or switches"),
	OPTIONS_SELECT,
	OPTION_MERGE_SYS_TASKS,
	OPTION_APPEND_TID,
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example export_examples[] = {
	{ "cdict export run.cdict -o run.pftrace", "for ui.perfetto.dev and trace_processor" },
	{ "cdict export run.cdict -o run.pfw.gz", "for tools that read I/O traces" },
	{ "cdict export run.cdict --time 10%-20% -C 0-3 -o part.csv.gz",
	  "a part of it, for a spreadsheet" },
	{ NULL, NULL },
};

const struct cmd cmd_export = {
	.name = "export",
	.brief = "write a capture for other tools: Perfetto, Chrome, CSV, ...",
	.operands = "[FILE...]",
	.about = "Writes which task ran on each CPU and when, wake-ups and exits, with the names "
		 "used in the tables. Time that is unknown because events were lost stays unknown. "
		 "An output that ends in .gz is compressed. Only sqlite and parquet take several "
		 "captures, which their column run tells apart.",
	.options = export_options,
	.opts_size = sizeof(struct export_opts),
	.max_operands = FIGURES_FILES,
	.one_window = true,
	.examples = export_examples,
	.run = export_run,
};
