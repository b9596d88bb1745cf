/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict export: a capture as other tools read it. */
#include "exchange/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "cmd/figures.h"
#include "cmd/input.h"

enum to { TO_PERFETTO = 0, TO_CHROME, TO_CSV, TO_AUTO };

static const char *const to_names[] = { "perfetto", "chrome", "csv", "auto", NULL };

static const struct {
	const char *ending;
	enum to to;
} endings[] = {
	{ ".pftrace", TO_PERFETTO },
	{ ".perfetto-trace", TO_PERFETTO },
	{ ".json", TO_CHROME },
	{ ".csv", TO_CSV },
};

struct export_opts {
	struct options_shared shared;
	int to;
	bool gzip;
};

struct job {
	struct figures f;
	enum to to;
	bool gzip;
	struct export_report report;
};

static bool ends_with(const char *path, size_t len, const char *ending)
{
	size_t n = strlen(ending);

	return len > n && !memcmp(path + len - n, ending, n);
}

/* What --to says, else the ending of the output's name, before .gz. */
static int choose(struct job *job, const struct cmd_call *call, const char *path)
{
	const struct export_opts *o = call->opts;
	size_t len = strlen(path);

	job->gzip = o->gzip || ends_with(path, len, ".gz");
	if (ends_with(path, len, ".gz"))
		len -= 3;
	job->to = (enum to)o->to;
	for (size_t i = 0; job->to == TO_AUTO && i < sizeof(endings) / sizeof(endings[0]); i++)
		if (ends_with(path, len, endings[i].ending))
			job->to = endings[i].to;
	if (job->to == TO_AUTO)
		return cmd_usage(
			call,
			"which format? --to, or an output that ends in .pftrace, .json or .csv");
	if (!strcmp(path, "-") && isatty(STDOUT_FILENO) && (job->to == TO_PERFETTO || job->gzip))
		return cmd_usage(call, "is not for a terminal: -o FILE");
	return CMD_DONE;
}

static const struct export_format *format_of(enum to to)
{
	static const struct export_format *const formats[] = {
		[TO_PERFETTO] = &export_perfetto,
		[TO_CHROME] = &export_chrome,
		[TO_CSV] = &export_csv,
	};

	return formats[to];
}

static int write_to(void *ctx, struct sink *s, struct cdict_error *err)
{
	struct job *job = ctx;

	return export_write(&job->f.walk, format_of(job->to), s, &job->report, err);
}

/* What cannot be in the output because nobody recorded it. */
static void tell_lacks(const struct job *job)
{
	const struct analyze_summary *sum = analyze_engine_summary(job->f.walk.eng);

	figures_has_switch(&job->f, "ran");
	if (sum->has_switch && !tables_has_wakeups(&job->f.walk))
		cmd_warn(
			job->f.call, job->f.file,
			"holds no wake-ups: nobody will see how long a task waited; record with -e 'sched:*'");
}

static int export_run(const struct cmd_call *call)
{
	const struct options_shared *o = call->opts;
	const char *path = o->output ? o->output : "-";
	struct cdict_error err = { 0 };
	struct job job = { 0 };
	int status = choose(&job, call, path);

	if (!status)
		status = figures_open(&job.f, call);
	if (!status && export_prepare(&job.f.walk, &err))
		status = figures_fail(&job.f, &err);
	if (!status && tables_walk_run(&job.f.walk, &err))
		status = figures_fail(&job.f, &err);
	if (!status && !figures_any_task(&job.f))
		status = figures_no_task(&job.f);
	if (!status) {
		tell_lacks(&job);
		status = cmd_output_write(call, path, 0, write_to, &job);
	}
	if (!status && job.report.cpus_left_out)
		cmd_warn(call, job.f.file, "Perfetto takes 1024 CPUs: %u more are left out",
			 job.report.cpus_left_out);
	if (!status)
		status = cmd_loss_status(call, job.f.file, job.f.reader, o->max_loss_pct);
	figures_close(&job.f);
	return status;
}

static const struct cmd_option export_options[] = {
	OPTION_INPUT,
	OPTION_OUTPUT,
	CMD_CHOICE(
		0, "to", struct export_opts, to, "FORMAT", to_names, "auto",
		"perfetto, chrome (JSON) or csv; auto: by the output's ending, .pftrace, .json or .csv"),
	CMD_FLAG('z', "gzip", struct export_opts, gzip,
		 "compress, as for an output that ends in .gz"),
	OPTIONS_SELECT,
	OPTION_MERGE_SYS_TASKS,
	OPTION_APPEND_TID,
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example export_examples[] = {
	{ "cdict export run.cdict -o run.pftrace", "for ui.perfetto.dev" },
	{ NULL, NULL },
};

const struct cmd cmd_export = {
	.name = "export",
	.brief = "write a capture as other tools read it: Perfetto, Chrome, CSV",
	.operands = "[FILE]",
	.about = "What ran on each CPU, wake-ups and exits, as they are in the capture.",
	.options = export_options,
	.opts_size = sizeof(struct export_opts),
	.max_operands = 1,
	.one_window = true,
	.examples = export_examples,
	.run = export_run,
};
