/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict flame: flame graphs, and their stacks in other formats. */
#include "cmd/query/flame.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/system/ending.h"
#include "base/text/plural.h"
#include "cmd/core/pager.h"
#include "cmd/input/input.h"
#include "render/draw/backend.h"
#include "render/draw/text.h"
#include "render/views/flame.h"
#include "tables/stacks/functions.h"

const char *const flame_by_names[] = { "auto",     "off-cpu", "exits", "wakeups",
				       "switches", "samples", "calls", "percent",
				       "cycles",   "ns",      NULL };

/* The first five have the order of enum table_format. */
static const char *const formats[] = { "text", "csv",  "json", "md",  "openmetrics", "folded",
				       "svg",  "html", "png",  "pdf", NULL };
enum { AS_FOLDED = TABLE_AS_OPENMETRICS + 1, AS_SVG, AS_HTML, AS_PNG, AS_PDF };

/* The data for all outputs. */
struct job {
	const struct cmd_call *call;
	struct flame_input in, base;
	bool has_base;
	struct table *table;
	struct flame picture;
	char *title, *subtitle, *foot;
	char *branch_commit; /* the commit of --branch; NULL without it */
	const struct table_frame *frame;
	int as; /* the current output's format */
};

/* ---- captions ---- */

static void add_word(struct sink *s, bool *any, const char *text)
{
	if (!text || !*text)
		return;
	sink_puts(s, *any ? ", " : "");
	sink_puts(s, text);
	*any = true;
}

static void add_window(struct sink *s, bool *any, const struct figures *f)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->walk.eng);
	char a[NUMBER_ROOM];

	sink_puts(s, *any ? ", " : "");
	sink_printf(s, "%s s", number_seconds(a, sum->window_ns));
	if (f->filter.windows.n > 1)
		sink_printf(s, " in %s windows", GROUPED(f->filter.windows.n));
	sink_printf(s, " from %s s", number_seconds(a, sum->from_ns));
	*any = true;
}

static char *subtitle_of(const struct job *job)
{
	const struct flame_opts *o = job->call->opts;
	const char *commit = o->commit ? o->commit : job->branch_commit;
	bool any = false;
	struct sink s;

	sink_to_memory(&s);
	add_word(&s, &any, o->subtitle);
	add_word(&s, &any, o->label);
	if (commit) {
		sink_puts(&s, any ? ", commit " : "commit ");
		sink_puts(&s, commit);
		any = true;
	}
	if (o->subtitle)
		return sink_take(&s, NULL);
	if (job->in.from == FLAME_CAPTURE) {
		add_word(&s, &any, cdict_reader_info(job->in.f.reader, "host.name"));
		add_window(&s, &any, &job->in.f);
		add_word(&s, &any, o->shared.vm);
		add_word(&s, &any, o->shared.task);
	} else if (job->in.files > 1) {
		sink_printf(&s, "%s%s files", any ? ", " : "", GROUPED(job->in.files));
		any = true;
	}
	if (job->in.compared)
		sink_puts(&s, any ? ", against the first numbers: shares of the total"
				  : "against the first numbers: shares of the total");
	if (job->has_base) {
		sink_puts(&s, any ? ", against " : "against ");
		sink_puts(&s, job->base.name);
		sink_puts(&s, ": shares of the total");
	}
	return sink_take(&s, NULL);
}

static char *foot_of(const struct job *job)
{
	const struct figures *f = &job->in.f;
	struct loss_sum sum;
	struct sink s;
	char *loss;

	sink_to_memory(&s);
	if (job->in.from == FLAME_CAPTURE) {
		const struct analyze_summary *walk = analyze_engine_summary(f->walk.eng);

		loss_sum(&sum, f->reader, walk->from_ns, walk->to_ns);
		loss = loss_text(&sum, 0);
		sink_puts(&s, loss ? loss : "");
		if (!loss)
			s.error = -ENOMEM;
		free(loss);
		if (job->in.lacking)
			sink_printf(&s, "; %s without a stack", GROUPED(job->in.lacking));
	}
	return sink_take(&s, NULL);
}

static const char *count_of(const struct flame_input *in)
{
	if (in->from == FLAME_LOG)
		return calllog_figures[in->by];
	if (in->from == FLAME_STACKS)
		return "samples";
	return in->by == ANALYZE_STACKS_WAKEUPS   ? "wake-ups"
	       : in->by == ANALYZE_STACKS_SAMPLES ? in->event
						  : "switches";
}

static int describe(struct job *job)
{
	const struct flame_opts *o = job->call->opts;
	const struct flame_input *in = &job->in;

	job->title = strdup(o->title                    ? o->title
			    : in->from == FLAME_CAPTURE ? flame_titles[in->by]
			    : in->from == FLAME_LOG     ? "Calls by stack"
							: "Stacks");
	job->subtitle = subtitle_of(job);
	job->foot = foot_of(job);
	job->picture = (struct flame){
		.tree = in->tree,
		.base = job->has_base      ? job->base.tree
			: job->in.compared ? &job->in.before
					   : NULL,
		.title = job->title,
		.subtitle = job->subtitle,
		.count = o->count_name ? o->count_name : count_of(in),
		.is_time = in->from == FLAME_CAPTURE &&
			   flame_is_time((enum analyze_stacks_by)in->by),
		.foot = job->foot,
		.width = (unsigned)o->width,
	};
	return job->title && job->subtitle && job->foot ? 0 : -ENOMEM;
}

/* ---- outputs ---- */

static int write_marks(const struct job *job, const struct backend *backend, struct sink *s,
		       struct cdict_error *err)
{
	const struct backend_options how = { 0 };
	struct marks m = { 0 };
	int rc = flame_marks(&m, &job->picture);

	rc = rc ? cdict_fail_nomem(err) : backend->draw(&m, &how, s, err);
	marks_fini(&m);
	return rc;
}

static int write_as(void *ctx, struct sink *s, struct cdict_error *err)
{
	struct job *job = ctx;
	int rc;

	switch (job->as) {
	case AS_SVG:
		return flame_svg(&job->picture, s, err);
	case AS_HTML:
		return flame_html(&job->picture, s, err);
	case AS_PNG:
		return write_marks(job, &backend_png, s, err);
	case AS_PDF:
		return write_marks(job, &backend_pdf, s, err);
	case AS_FOLDED:
		folded_write(job->in.tree, job->in.compared ? &job->in.before : NULL, s);
		return 0;
	default:
		rc = table_print(s, (enum table_format)job->as, job->frame, &job->table, 1);
		return rc == -ENOMEM ? cdict_fail_nomem(err) : 0;
	}
}

/* The format of @path: by its ending, or, without one or for standard output, by --format; -1: unknown. */
static int as_of(const struct cmd_call *call, const char *path)
{
	static const struct {
		const char *ending;
		int as;
	} endings[] = { { ".svg", AS_SVG },       { ".html", AS_HTML },
			{ ".png", AS_PNG },       { ".pdf", AS_PDF },
			{ ".csv", TABLE_AS_CSV }, { ".json", TABLE_AS_JSON },
			{ ".md", TABLE_AS_MD },   { ".folded", AS_FOLDED } };
	const struct options_shared *o = call->opts;
	const char *slash = strrchr(path, '/');
	size_t len = strlen(path);

	if (!strchr(slash ? slash : path, '.') || ending_cut(path, len, ".txt") < len)
		return o->format;
	for (size_t i = 0; i < sizeof(endings) / sizeof(endings[0]); i++) {
		if (ending_cut(path, len, endings[i].ending) < len)
			return endings[i].as;
	}
	return -1;
}

static const char *output_at(const struct flame_opts *o, size_t i)
{
	return strchr(o->outputs.at[i], '=') + 1;
}

/* Checks the outputs before reading everything. */
static int check_outputs(const struct cmd_call *call)
{
	const struct flame_opts *o = call->opts;
	int status = CMD_DONE;

	for (size_t i = 0; i < o->outputs.n && !status; i++) {
		const char *path = output_at(o, i);

		status = cmd_output_check(call, NULL, path);
		if (!status && as_of(call, path) < 0)
			status = cmd_usage(
				call,
				"cannot tell the format of '%s' by its ending; expected .svg, "
				".html, .png, .pdf, .csv, .json, .md or .folded",
				path);
	}
	return status;
}

/* Prints all or, on failure, nothing. */
static int print(struct job *job)
{
	const struct options_shared *o = job->call->opts;
	struct cdict_error err = { 0 };
	const struct table_frame *whole = job->frame;
	struct table_frame frame = *whole;
	struct sink s;
	struct pager p;
	char *text;
	size_t len;
	int rc;

	if (o->format == TABLE_AS_TEXT)
		frame.columns = pager_columns();
	job->frame = &frame;
	job->as = o->format;
	sink_to_memory(&s);
	rc = write_as(job, &s, &err);
	job->frame = whole; /* frame is local */
	text = sink_take(&s, &len);
	if (!rc && !text)
		rc = cdict_fail_nomem(&err);
	if (rc) {
		free(text);
		return cmd_error(job->call, job->in.name, &err);
	}
	pager_open(&p, job->call, o->format == TABLE_AS_TEXT);
	sink_add(&p.sink, text, len);
	free(text);
	return pager_end(&p, job->call, job->in.name, 0);
}

static int write_all(struct job *job)
{
	const struct flame_opts *o = job->call->opts;
	const struct flame_input *in = &job->in;
	struct table_frame frame = { .command = "flame",
				     .file = in->name,
				     .wide = job->call->verbose > 0 };
	struct cdict_error err = { 0 };
	int status = CMD_DONE;

	if (in->from == FLAME_CAPTURE) {
		frame.reader = in->f.reader;
		frame.from_ns = analyze_engine_summary(in->f.walk.eng)->from_ns;
		frame.to_ns = analyze_engine_summary(in->f.walk.eng)->to_ns;
	}
	job->frame = &frame;
	job->table = o->functions
			     ? functions_table(in->tree, in->from == FLAME_CAPTURE ? in->by : -1)
		     : in->from == FLAME_LOG
			     ? calllog_table(&in->log)
			     : flame_table(in->tree, in->compared ? &in->before : NULL, in->by);
	if (!job->table || describe(job))
		return cmd_errorf(job->call, in->name, "out of memory");
	frame.note = in->from == FLAME_CAPTURE ? job->title : *job->subtitle ? job->subtitle : NULL;
	if (table_sort(job->table, o->shared.sort, &err))
		return options_fail(job->call, in->name, &err);
	table_top(job->table, o->shared.top);
	for (size_t i = 0; i < o->outputs.n && !status; i++) {
		job->as = as_of(job->call, output_at(o, i));
		status = cmd_output_write(job->call, output_at(o, i), 0, write_as, job);
	}
	return status || o->outputs.n ? status : print(job);
}

static int flame_run(const struct cmd_call *call)
{
	const struct flame_opts *o = call->opts;
	const char *one = call->n_operands ? NULL : input_file(call);
	struct job job = { .call = call };
	int status = check_outputs(call), loss;

	if (!status && o->width && (o->width < 320 || o->width > 16384))
		status = cmd_usage(call, "option --width: from 320 to 16384");
	if (!status && o->functions && o->base)
		status = cmd_usage(call, "option --functions cannot be used with --base");
	if (!status && o->log_dir && (call->n_operands || o->shared.input))
		status = cmd_usage(call, "option --log-dir cannot be used with FILE operands");
	if (!status && o->branch && o->commit)
		status = cmd_usage(call, "option --branch: --commit already names one");
	if (!status && o->branch)
		status = flame_branch_commit(call, o->branch, &job.branch_commit);
	if (status)
		return status;
	status = flame_input_init(&job.in, call, one ? &one : call->operands,
				  one ? 1 : call->n_operands, o->log_dir);
	if (!status && o->base && job.in.compared)
		status = cmd_usage(call,
				   "option --base: %s already has two numbers per line to compare",
				   job.in.name);
	if (!status && o->base) {
		job.has_base = true;
		status = flame_input_init(&job.base, call, &o->base, 1, NULL);
		if (!status && job.base.compared)
			status = cmd_errorf(call, o->base,
					    "has two numbers per line; --base needs one");
		if (!status && (job.base.from != job.in.from || job.base.by != job.in.by))
			status = cmd_errorf(call, o->base, "is not the same kind of input as %s",
					    job.in.name);
	}
	if (!status)
		status = write_all(&job);
	if (!status && job.in.from == FLAME_CAPTURE) {
		status = figures_status(&job.in.f);
		loss = job.has_base ? figures_status(&job.base.f) : CMD_DONE;
		status = status ? status : loss;
	}
	table_free(job.table);
	free(job.title);
	free(job.subtitle);
	free(job.foot);
	free(job.branch_commit);
	flame_input_fini(&job.in);
	flame_input_fini(&job.base);
	return status;
}

static const struct cmd_option flame_options[] = {
	OPTION_INPUT,
	CMD_ORDERED('o', "output", struct flame_opts, outputs, "FILE",
		    "write FILE, whole or not at all; its ending selects the format: .svg, .html, "
		    ".png, .pdf, .csv, .json, .md or .folded; repeatable; '-' is standard output"),
	CMD_CHOICE(0, "format", struct options_shared, format, "FORMAT", formats, "text",
		   "format on standard output: a table as text, csv, json, md or openmetrics, "
		   "folded stacks, or a picture"),
	OPTION_JSON(formats),
	CMD_CHOICE(0, "by", struct flame_opts, by, "WHAT", flame_by_names, "auto",
		   "for captures: off-cpu, exits, wakeups, switches or samples (auto: off-cpu, or "
		   "samples when there is nothing else); for logs: calls, percent (auto), cycles "
		   "or ns"),
	OPTION_EVENT,
	CMD_FLAG(0, "functions", struct flame_opts, functions,
		 "tables have a row per function instead of per stack: with callees, and alone"),
	CMD_STRING(0, "log-dir", struct flame_opts, log_dir, "DIR",
		   "read the logs of calls below DIR instead of a FILE"),
	CMD_STRING_PRESET(0, "glob", struct flame_opts, glob, "GLOB", FLAME_LOGS,
			  "with --log-dir: only files whose names match GLOB"),
	CMD_STRING(
		0, "base", struct flame_opts, base, "FILE",
		"colour frames by how their share changed since FILE, an input of the same kind, or "
		"a folder of logs"),
	CMD_STRING(0, "title", struct flame_opts, title, "TEXT", "the picture's title"),
	CMD_STRING(0, "label", struct flame_opts, label, "TEXT", "print TEXT below the title"),
	CMD_STRING(0, "commit", struct flame_opts, commit, "ID", "print commit ID below the title"),
	CMD_STRING(0, "branch", struct flame_opts, branch, "NAME",
		   "print the commit of branch NAME below the title, as git has it in this folder"),
	CMD_STRING(0, "subtitle", struct flame_opts, subtitle, "TEXT",
		   "print TEXT, as given, below the title, instead of a description of the input"),
	CMD_STRING(0, "count-name", struct flame_opts, count_name, "TEXT",
		   "the picture's name for the counted unit"),
	CMD_UINT(0, "width", struct flame_opts, width, "N", "1280", "width of pictures in pixels"),
	OPTION_NO_PAGER,
	CMD_STRING(
		's', "sort", struct options_shared, sort, "KEY[:asc|:desc]",
		"sort the table by this column, named as in the JSON output (default: the largest "
		"first)"),
	OPTION_TOP,
	OPTIONS_SELECT,
	OPTION_MERGE_SYS_TASKS,
	OPTION_APPEND_TID,
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example flame_examples[] = {
	{ "cdict flame run.cdict -o off.svg", "where tasks left their CPUs, and for how long" },
	{ "cdict flame run.cdict --by wakeups -t qemu -o wakers.html",
	  "the tasks that woke QEMU's threads" },
	{ "cdict flame -i stacks.folded --base before.folded -o diff.svg",
	  "changes between two inputs" },
	{ "cdict flame --log-dir logs --label libos --branch main -o calls.svg -o calls.csv -o calls.md",
	  "from a test's logs, for CI" },
	{ NULL, NULL },
};

const struct cmd cmd_flame = {
	.name = "flame",
	.brief = "flame graphs of stacks: off the CPU, exits, wake-ups, switches, calls",
	.operands = "[FILE...]",
	.about = "FILE is a capture with stacks, a file of folded stacks, or a log of calls, with "
		 "lines '++,thread,function,calls,percent,cycles,ns' whose number of + is the call "
		 "depth. Several logs are averaged; several files of stacks are added up. Without "
		 "-o the stacks are printed.",
	.options = flame_options,
	.opts_size = sizeof(struct flame_opts),
	.max_operands = FIGURES_FILES,
	.examples = flame_examples,
	.run = flame_run,
};
