/* SPDX-License-Identifier: GPL-2.0-only */
/* The way every table command goes. */
#include "cmd/figures.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/maps.h"

int figures_fail(const struct figures *f, const struct cdict_error *err)
{
	return options_fail(f->call, f->file, err);
}

int figures_no_memory(const struct figures *f)
{
	return cmd_errorf(f->call, f->file, "out of memory");
}

/* The names that the file and --map give. */
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

/* One of the CPUs asked for is there. */
static int check_cpus(const struct figures *f)
{
	uint32_t cpus = cdict_reader_cpus(f->reader);

	for (uint32_t cpu = 0; cpu < f->opts->cpus.n && cpu < cpus; cpu++) {
		if (f->opts->cpus.bits[cpu / 64] >> (cpu % 64) & 1)
			return CMD_DONE;
	}
	return !f->opts->cpus.bits || !cpus
		       ? CMD_DONE
		       : cmd_errorf(f->call, f->file,
				    "holds no such CPU: its CPUs are 0 to %" PRIu32, cpus - 1);
}

int figures_open(struct figures *f, const struct cmd_call *call)
{
	const struct options_shared *opts = call->opts;
	int status = CMD_DONE;

	*f = (struct figures){ 0 };
	if (!options_input(call))
		return cmd_usage(call, "needs FILE");
	/* Told before all of it is read. */
	if (opts->output)
		status = cmd_output_check(call, NULL, opts->output);
	return status ? status : figures_open_file(f, call, options_input(call));
}

int figures_open_file(struct figures *f, const struct cmd_call *call, const char *file)
{
	struct tables_options opts = { 0 };
	struct cdict_error err = { 0 };
	int rc;

	*f = (struct figures){ .call = call, .opts = call->opts, .file = file };
	rc = cdict_reader_open(&f->reader, f->file, &err);
	if (rc)
		return cmd_error(call, f->file, &err);
	rc = options_filter_init(&f->filter, f->opts, f->reader, &err);
	if (!rc)
		rc = options_filter_one_window(&f->filter, &err);
	if (rc)
		return figures_fail(f, &err);
	rc = open_labels(f);
	if (rc)
		return rc;
	if (f->filter.clipped) {
		opts.from_ns = f->filter.from_ns;
		opts.to_ns = f->filter.to_ns;
	}
	rc = check_cpus(f);
	if (rc)
		return rc;
	opts.cpus = f->opts->cpus.bits;
	opts.n_cpus = f->opts->cpus.n;
	opts.no_guest_mode = f->opts->no_guest_mode;
	opts.jobs = f->filter.query.jobs;
	opts.names = options_names(f->opts, &f->filter, f->labels);
	rc = tables_walk_init(&f->walk, f->reader, &opts, &err);
	return rc ? figures_fail(f, &err) : CMD_DONE;
}

int figures_run(struct figures *f)
{
	struct cdict_error err = { 0 };

	return tables_walk_run(&f->walk, &err) ? figures_fail(f, &err) : CMD_DONE;
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
				  "no task is all that was asked for with --task, --tid and --vm");
	if (o->vm)
		return cmd_errorf(f->call, f->file,
				  "holds no VM '%s'; 'cdict vcpu' lists those it holds", o->vm);
	if (o->task)
		return cmd_errorf(f->call, f->file,
				  "no task has a name that matches '%s'; 'cdict tasks' lists them",
				  o->task);
	return cmd_errorf(f->call, f->file, "no task has such a tid; 'cdict tasks' lists them");
}

int figures_run_wanted(struct figures *f)
{
	int status = figures_run(f);

	return status || figures_any_task(f) ? status : figures_no_task(f);
}

int figures_command(const struct cmd_call *call,
		    int (*add)(struct figures *f, struct cdict_error *err),
		    int (*print)(struct figures *f))
{
	struct cdict_error err = { 0 };
	struct figures f;
	int status = figures_open(&f, call);

	if (!status && add(&f, &err))
		status = figures_fail(&f, &err);
	if (!status)
		status = figures_run_wanted(&f);
	if (!status)
		status = print(&f);
	figures_close(&f);
	return status;
}

bool figures_has_switch(const struct figures *f, const char *did)
{
	if (analyze_engine_summary(f->walk.eng)->has_switch)
		return true;
	if (analyze_engine_summary(f->walk.eng)->scope.filtered)
		cmd_warn(
			f->call, f->file,
			"holds only some sched:sched_switch: nobody knows who %s; record without a "
			"filter on it",
			did);
	else
		cmd_warn(
			f->call, f->file,
			"holds no sched:sched_switch: nobody knows who %s; record with -e 'sched:*'",
			did);
	return false;
}

/* CSV has no place for the loss line. */
static void tell_loss(const struct figures *f, const struct analyze_summary *sum)
{
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

static struct table_frame frame_of(const struct figures *f, const char *note)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->walk.eng);

	return (struct table_frame){
		.command = f->call->cmd->name,
		.file = f->file,
		.reader = f->reader,
		.from_ns = sum->from_ns,
		.to_ns = sum->to_ns,
		.unknown_ns = &sum->unknown_ns,
		.note = note,
		.chart = f->chart,
		.wide = f->call->verbose > 0,
	};
}

int figures_print_all(struct figures *f, const char *note, struct table *const *tables, size_t n)
{
	struct table_frame frame = frame_of(f, note);
	struct sink s;
	int rc;

	sink_to_file(&s, stdout);
	rc = table_print(&s, (enum table_format)f->opts->format, &frame, tables, n);
	sink_finish(&s);
	if (rc == -ENOMEM)
		return figures_no_memory(f);
	if (rc)
		return cmd_stdout_error(f->call, rc);
	if (f->opts->format == TABLE_AS_CSV)
		tell_loss(f, analyze_engine_summary(f->walk.eng));
	return cmd_loss_status(f->call, f->file, f->reader, f->opts->max_loss_pct);
}

int figures_write(struct figures *f, struct sink *s, const char *note, struct table *const *tables,
		  size_t n)
{
	struct table_frame frame = frame_of(f, note);

	return table_print(s, TABLE_AS_TEXT, &frame, tables, n);
}

int figures_print(struct figures *f, const char *note, struct table **tables, size_t n)
{
	struct cdict_error err = { 0 };
	int status = CMD_DONE;

	for (size_t i = 0; i < n && !status; i++) {
		if (!tables[i])
			status = figures_no_memory(f);
		else if (table_sort(tables[i], i ? NULL : f->opts->sort, &err))
			status = figures_fail(f, &err);
	}
	if (!status) {
		table_top(tables[0], f->opts->top);
		status = figures_print_all(f, note, tables, n);
	}
	for (size_t i = 0; i < n; i++)
		table_free(tables[i]);
	return status;
}

void figures_close(struct figures *f)
{
	tables_walk_fini(&f->walk);
	label_index_free(f->labels);
	options_filter_fini(&f->filter);
	cdict_reader_close(f->reader);
}
