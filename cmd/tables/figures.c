/* SPDX-License-Identifier: GPL-2.0-only */
/* The steps common to all table commands. */
#include "cmd/tables/figures.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/printing/reasons.h"
#include "base/fail.h"
#include "base/memory/pool.h"
#include "base/text/escape.h"
#include "base/text/plural.h"
#include "cmd/core/pager.h"
#include "cmd/input/input.h"
#include "cmd/input/maps.h"
#include "cmd/tables/limit.h"
#include "format/file/reader.h"

int figures_fail(const struct figures *f, const struct cdict_error *err)
{
	return options_fail(f->call, f->file, err);
}

int figures_no_memory(const struct figures *f)
{
	return cmd_errorf(f->call, f->file, "out of memory");
}

/* Opens the labels of the file and of --map. */
static int open_labels(struct figures *f)
{
	struct cdict_error err = { 0 };
	struct mapping more = { 0 };
	int status = maps_read(&more, f->call, f->opts);

	if (!status && (more.n || cdict_reader_label_count(f->reader)) &&
	    label_index_new(&f->labels, f->reader, false, &more, &err))
		status = figures_fail(f, &err);
	mapping_fini(&more);
	return status;
}

int figures_open(struct figures *f, const struct cmd_call *call)
{
	const struct options_shared *opts = call->opts;
	int status = CMD_DONE;

	*f = (struct figures){ 0 };
	/* Report an unusable output before reading everything. */
	if (opts->output)
		status = cmd_output_check(call, NULL, opts->output);
	return status ? status : figures_open_file(f, call, input_file(call));
}

static int open_with(struct figures *f, const struct cmd_call *call, const char *file,
		     unsigned flags)
{
	struct tables_options opts = { 0 };
	struct cdict_error err = { 0 };
	int rc;

	*f = (struct figures){ .call = call, .opts = call->opts, .file = file };
	rc = input_open(&f->reader, call, f->file, flags);
	if (rc)
		return rc;
	rc = options_filter_init(&f->filter, f->opts, f->reader, &err);
	if (!rc && call->cmd->one_window && !f->filter.marked)
		rc = options_filter_one_window(&f->filter, &err);
	if (rc)
		return figures_fail(f, &err);
	options_filter_report(&f->filter, call, f->file);
	if (call->cmd->one_window && f->filter.windows.n > 1)
		cmd_warn(call, f->file,
			 "found %s windows between markers; showing the time from the first start "
			 "to the last end",
			 GROUPED(f->filter.windows.n));
	rc = open_labels(f);
	if (rc)
		return rc;
	if (f->filter.clipped) {
		opts.from_ns = f->filter.from_ns;
		opts.to_ns = f->filter.to_ns;
		opts.windows = f->filter.windows.windows;
		opts.n_windows = call->cmd->one_window ? 1 : f->filter.windows.n;
	}
	opts.cpus = f->opts->cpus.bits;
	opts.n_cpus = f->opts->cpus.n;
	opts.no_guest_mode = f->opts->no_guest_mode;
	opts.jobs = f->filter.query.jobs;
	opts.names = options_names(f->opts, &f->filter, f->labels);
	rc = tables_walk_init(&f->walk, f->reader, &opts, &err);
	return rc ? figures_fail(f, &err) : CMD_DONE;
}

int figures_open_file(struct figures *f, const struct cmd_call *call, const char *file)
{
	const struct options_shared *o = call->opts;
	bool all = call->cmd->all_events || o->window_start || o->window_end;

	return open_with(f, call, file, all ? INPUT_ALL_EVENTS : 0);
}

int figures_open_events(struct figures *f, const struct cmd_call *call, const char *file)
{
	return open_with(f, call, file, INPUT_ALL_EVENTS);
}

/* With fewer events a single thread finishes before a second one starts. */
enum { EVENTS_WORTH = 1 << 17 };

/* The second part of a walk. */
struct later {
	struct pool_job job; /* first */
	struct tables_walk *walk;
	struct cdict_error err;
};

static void run_later(struct pool_job *job)
{
	struct later *later = (struct later *)(void *)job;

	/* If it fails, the first part continues to the end, and finds the same error. */
	tables_walk_later(later->walk, &later->err);
}

static int run_two(struct tables_walk *w, struct cdict_reader *other, struct cdict_error *err)
{
	struct later later = { .job.run = run_later, .walk = w };
	struct pool *pool = NULL;
	int rc = tables_walk_begin_two(w, other, err);

	if (rc)
		return rc;
	if (w->later) {
		pool = pool_new(2);
		if (!pool)
			return cdict_fail_nomem(err);
		pool_submit(pool, &later.job);
	}
	rc = tables_walk_first(w, err);
	if (pool)
		pool_wait(pool, &later.job);
	pool_free(pool);
	return rc ? rc : tables_walk_join(w, err);
}

/* Walks in two parallel parts, with two readers, if that is faster. */
static int run(struct figures *f, struct cdict_error *err)
{
	struct cdict_reader *other;
	int rc;

	if (f->walk.opts.jobs < 2 || f->filter.clipped ||
	    cdict_reader_events(f->reader) < EVENTS_WORTH ||
	    cdict_reader_parse(&other, f->reader->data, f->reader->size, err))
		return tables_walk_run(&f->walk, err);
	rc = run_two(&f->walk, other, err);
	cdict_reader_close(other);
	return rc;
}

int figures_run(struct figures *f)
{
	struct cdict_error err = { 0 };

	return run(f, &err) ? figures_fail(f, &err) : CMD_DONE;
}

bool figures_any_task(const struct figures *f)
{
	const struct options_shared *o = f->opts;
	size_t n = analyze_engine_task_count(f->walk.eng), i = 0;

	if (!o->vm && !o->task && !o->tids.n)
		return true;
	while (i < n &&
	       !names_wanted(&f->walk.names, analyze_engine_task(f->walk.eng, (uint32_t)i)))
		i++;
	return i < n;
}

int figures_no_task(const struct figures *f)
{
	const struct options_shared *o = f->opts;

	if (!!o->vm + !!o->task + !!o->tids.n > 1)
		return cmd_errorf(f->call, f->file,
				  "no task matches all of --task, --tid and --vm");
	if (o->vm)
		return cmd_errorf(f->call, f->file, "unknown VM '%s'; 'cdict vcpu' lists the VMs",
				  o->vm);
	if (o->task)
		return cmd_errorf(f->call, f->file,
				  "no task name matches '%s'; 'cdict tasks' lists the tasks",
				  o->task);
	return cmd_errorf(f->call, f->file,
			  "no task has such a tid; 'cdict tasks' lists the tasks");
}

int figures_run_wanted(struct figures *f)
{
	int status = figures_run(f);

	return status || figures_any_task(f) ? status : figures_no_task(f);
}

void figures_lacks(struct figures *f, const char *fmt, ...)
{
	char line[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	cmd_warn(f->call, f->file, "%s", line);
	f->lacks = true;
}

bool figures_left_out(const struct figures *f, const char *group)
{
	size_t len = strlen(group);

	for (size_t i = 0; i < cdict_reader_unstored_count(f->reader); i++) {
		const struct cdict_unstored *u = cdict_reader_unstored_at(f->reader, i);

		if (!strncmp(u->name, group, len) && u->name[len] == ':')
			return true;
	}
	return false;
}

const char *figures_remedy(struct figures *f, const char *group)
{
	snprintf(f->remedy, sizeof(f->remedy), "%s with -e '%s:*'",
		 figures_left_out(f, group) ? "convert" : "record", group);
	return f->remedy;
}

bool figures_has_switch(struct figures *f, const char *did)
{
	if (analyze_engine_summary(f->walk.eng)->has_switch) {
		if (!analyze_engine_summary(f->walk.eng)->has_runs)
			cmd_warn(f->call, f->file,
				 "only some tasks were recorded, without sched:sched_stat_runtime: "
				 "their run times are unknown; %s",
				 figures_remedy(f, "sched"));
		return true;
	}
	if (analyze_engine_summary(f->walk.eng)->scope.filtered)
		figures_lacks(
			f,
			"only some sched:sched_switch events: cannot tell which task %s; record without a "
			"filter on it",
			did);
	else
		figures_lacks(f, "no sched:sched_switch events: cannot tell which task %s; %s", did,
			      figures_remedy(f, "sched"));
	return false;
}

bool figures_has_vcpus(struct figures *f)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->walk.eng);
	const struct analyze_kvm_events *kvm =
		analyze_kvm_events(cdict_reader_info(f->reader, "host.arch"));

	if (sum->has_entry || sum->has_exit)
		return true;
	figures_lacks(f, "no %s or %s events: cannot find vCPUs; %s -e 'sched:*'", kvm->entry,
		      kvm->exit, figures_remedy(f, "kvm"));
	return false;
}

int figures_status(const struct figures *f)
{
	int status = cmd_loss_status(f->call, f->file, f->reader, f->opts->max_loss_pct);

	return status || !f->lacks ? status : CMD_DAMAGED;
}

/* Needed because CSV does not contain the loss line. */
void figures_report_loss(const struct figures *f)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->walk.eng);
	struct loss_sum loss;
	char *line;

	loss_sum(&loss, f->reader, sum->from_ns, sum->to_ns);
	if (!loss.lost && !loss.unreadable && !loss.damaged)
		return;
	line = loss_text(&loss, sum->unknown_ns);
	if (line)
		cmd_warn(f->call, f->file, "%s", line);
	free(line);
}

struct table_frame figures_frame(const struct figures *f, const char *note)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->walk.eng);

	return (struct table_frame){
		.command = f->call->cmd->name,
		.file = f->file,
		.reader = f->reader,
		.from_ns = sum->from_ns,
		.to_ns = sum->to_ns,
		.windows = f->walk.opts.windows,
		.n_windows = f->walk.opts.n_windows,
		.length_ns = sum->window_ns,
		.unknown_ns = &sum->unknown_ns,
		.note = note,
		.chart = f->chart,
		.wide = f->call->verbose > 0,
		.most_columns = f->most_columns,
	};
}

int figures_to_stdout(const struct cmd_call *call, const char *file, struct table_frame *frame,
		      bool apart, struct table *const *tables, size_t n)
{
	const struct options_shared *o = call->opts;
	struct pager p;

	limit_tables(call, frame, (enum table_format)o->format, tables, n, LIMIT_TOP_FIRST);
	pager_open(&p, call, o->format == TABLE_AS_TEXT);
	if (o->format == TABLE_AS_TEXT)
		frame->columns = pager_columns();
	if (apart)
		sink_putc(&p.sink, '\n');
	return pager_end(&p, call, file,
			 table_print(&p.sink, (enum table_format)o->format, frame, tables, n));
}

int figures_print_all(struct figures *f, const char *note, struct table *const *tables, size_t n)
{
	struct table_frame frame = figures_frame(f, note);
	int status = figures_to_stdout(f->call, f->file, &frame, f->several && f->nth, tables, n);

	if (status)
		return status;
	if (f->opts->format == TABLE_AS_CSV)
		figures_report_loss(f);
	return figures_status(f);
}

/* Keeps the tables, to be joined with those of the other files. */
static int keep_tables(struct figures *f, const char *note, struct table **tables, size_t n)
{
	bool all = true;

	for (size_t i = 0; i < n && i < FIGURES_TABLES; i++) {
		all &= tables[i] != NULL;
		f->kept[f->n_kept] = tables[i];
		f->n_kept += tables[i] != NULL;
	}
	f->kept_note = note ? strdup(note) : NULL;
	f->kept_chart = f->chart ? strdup(f->chart) : NULL;
	f->chart = NULL;
	return all && !note == !f->kept_note ? CMD_DONE : figures_no_memory(f);
}

int figures_sort(struct table **tables, size_t n, const struct options_shared *o,
		 struct cdict_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < n && !rc; i++)
		rc = tables[i] ? table_sort(tables[i], i ? NULL : o->sort, err)
			       : cdict_fail_nomem(err);
	if (!rc)
		table_top(tables[0], o->top);
	return rc;
}

int figures_print(struct figures *f, const char *note, struct table **tables, size_t n)
{
	struct cdict_error err = { 0 };
	int status;

	if (f->several)
		return keep_tables(f, note, tables, n);
	if (figures_sort(tables, n, f->opts, &err))
		status = figures_fail(f, &err);
	else
		status = figures_print_all(f, note, tables, n);
	for (size_t i = 0; i < n; i++)
		table_free(tables[i]);
	return status;
}

void figures_close(struct figures *f)
{
	for (size_t i = 0; i < f->n_kept; i++)
		table_free(f->kept[i]);
	free(f->kept_note);
	free(f->kept_chart);
	tables_walk_fini(&f->walk);
	label_index_free(f->labels);
	options_filter_fini(&f->filter);
	cdict_reader_close(f->reader);
}

/* ---- a table command, of one file or several ---- */

/* Joins the notes or charts of the files, each under its file's name. Given; NULL: none, or
 * *failed. */
static char *join_texts(const struct figures *f, size_t n, bool charts, bool *failed)
{
	struct sink s;
	size_t len;
	char *text;

	sink_to_memory(&s);
	for (size_t i = 0; i < n; i++) {
		const char *of = charts ? f[i].kept_chart : f[i].kept_note;
		bool lines = of && strchr(of, '\n');

		if (!of)
			continue;
		sink_puts(&s, s.buf.len ? "\n" : "");
		escape_terminal(&s, f[i].file, strlen(f[i].file));
		sink_puts(&s, lines ? ":\n" : ": ");
		sink_puts(&s, of);
	}
	text = sink_take(&s, &len);
	*failed |= !text;
	if (text && !len) {
		free(text);
		text = NULL;
	}
	return text;
}

/* Joins tables with the same name and columns. */
static size_t join_tables(struct figures *f, size_t n, struct table **joined)
{
	struct table **parts = calloc(n, sizeof(struct table *));
	const char **files = calloc(n, sizeof(*files));
	size_t n_joined = 0;
	bool failed = !parts || !files;

	for (size_t i = 0; i < n && !failed; i++) {
		for (size_t k = 0; k < f[i].n_kept && n_joined < FIGURES_TABLES && !failed; k++) {
			const struct table *like = f[i].kept[k];
			size_t found = 0, known = 0;

			while (known < n_joined && strcmp(joined[known]->name, like->name))
				known++;
			if (known < n_joined)
				continue;
			for (size_t other = i; other < n; other++) {
				for (size_t m = 0; m < f[other].n_kept; m++) {
					if (strcmp(f[other].kept[m]->name, like->name) ||
					    f[other].kept[m]->columns != like->columns)
						continue;
					parts[found] = f[other].kept[m];
					files[found++] = f[other].file;
				}
			}
			joined[n_joined] = table_join(parts, files, found);
			failed = !joined[n_joined];
			n_joined += !failed;
		}
	}
	free(parts);
	free(files);
	if (!failed)
		return n_joined;
	while (n_joined)
		table_free(joined[--n_joined]);
	return 0;
}

static int print_tables(struct figures *f, size_t n, struct table *const *tables, size_t n_tables)
{
	struct table_frame *frames = calloc(n, sizeof(*frames));
	bool failed = !frames;
	char *note = join_texts(f, n, false, &failed), *chart = join_texts(f, n, true, &failed);
	int status;

	if (failed) {
		status = figures_no_memory(f);
	} else {
		for (size_t i = 0; i < n; i++)
			frames[i] = figures_frame(&f[i], NULL);
		frames[0].note = note;
		frames[0].chart = chart;
		frames[0].others = frames + 1;
		frames[0].n_others = n - 1;
		status = figures_to_stdout(f->call, f->file, frames, false, tables, n_tables);
	}
	free(frames);
	free(note);
	free(chart);
	return status;
}

/* Prints the kept tables of all files, joined. */
static int print_kept(struct figures *f, size_t n)
{
	struct table *tables[FIGURES_TABLES];
	struct cdict_error err = { 0 };
	size_t n_tables = join_tables(f, n, tables);
	int status = n_tables ? CMD_DONE : figures_no_memory(f);

	if (!status && figures_sort(tables, n_tables, f->opts, &err))
		status = figures_fail(f, &err);
	if (!status)
		status = print_tables(f, n, tables, n_tables);
	for (size_t i = 0; i < n && !status && f->opts->format == TABLE_AS_CSV; i++)
		figures_report_loss(&f[i]);
	for (size_t i = 0; i < n_tables; i++)
		table_free(tables[i]);
	return status;
}

static int walk_file(struct figures *f, const struct cmd_call *call, const char *file,
		     int (*add)(struct figures *f, struct cdict_error *err))
{
	struct cdict_error err = { 0 };
	int status = figures_open_file(f, call, file);

	if (!status && add(f, &err))
		status = figures_fail(f, &err);
	return status ? status : figures_run(f);
}

static int print_files(struct figures *f, size_t n, int (*print)(struct figures *f))
{
	int status = CMD_DONE, worst = CMD_DONE;

	for (size_t i = 0; i < n && (!status || status == CMD_DAMAGED); i++) {
		f[i].several = n > 1;
		f[i].nth = i;
		status = print(&f[i]);
		worst = status ? status : worst;
	}
	if (worst && worst != CMD_DAMAGED)
		return worst;
	if (!f->n_kept)
		return worst; /* each was printed separately, with its status */
	status = print_kept(f, n);
	for (size_t i = 0; i < n && (!status || status == CMD_DAMAGED); i++) {
		int its = figures_status(&f[i]);

		status = its ? its : status;
	}
	return status ? status : worst;
}

int figures_command(const struct cmd_call *call,
		    int (*add)(struct figures *f, struct cdict_error *err),
		    int (*print)(struct figures *f))
{
	struct texts files = { 0 };
	struct figures *f = NULL;
	size_t opened = 0;
	bool any = false;
	int status = input_files(&files, call);

	if (!status)
		f = calloc(files.n, sizeof(*f));
	if (!status && !f)
		status = cmd_errorf(call, NULL, "out of memory");
	for (; !status && opened < files.n; opened++) {
		status = walk_file(&f[opened], call, files.at[opened], add);
		any |= !status && figures_any_task(&f[opened]);
	}
	if (!status && !any)
		status = figures_no_task(&f[0]);
	if (!status)
		status = print_files(f, files.n, print);
	for (size_t i = 0; i < opened; i++)
		figures_close(&f[i]);
	free(f);
	texts_fini(&files);
	return status;
}
