/* SPDX-License-Identifier: GPL-2.0-only */
/* The way every table command goes. */
#include "cmd/figures.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/maps.h"

/* With a window: how far around it the walk looks for who was running and who
 * was asleep when it opens. */
#define LEAD_NS UINT64_C(100000000)

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

int figures_open(struct figures *f, const struct cmd_call *call)
{
	*f = (struct figures){ 0 };
	if (!options_input(call))
		return cmd_usage(call, "needs FILE");
	return figures_open_file(f, call, options_input(call));
}

int figures_open_file(struct figures *f, const struct cmd_call *call, const char *file)
{
	struct analyze_options opts = { 0 };
	struct cdict_error err = { 0 };
	size_t n_nodes = 0;
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
	f->nodes = names_nodes(f->reader, &n_nodes);
	if (f->filter.clipped) {
		opts.from_ns = f->filter.from_ns;
		opts.to_ns = f->filter.to_ns;
	}
	opts.lead_ns = LEAD_NS;
	opts.cpus = f->opts->cpus.bits;
	opts.n_cpus = f->opts->cpus.n;
	opts.no_guest_mode = f->opts->no_guest_mode;
	opts.node_of_cpu = f->nodes;
	opts.n_node_of_cpu = n_nodes;
	rc = analyze_engine_new(&f->eng, &opts, &err);
	if (!rc)
		rc = analyze_unknown_new(&f->unknown, f->eng, &err);
	return rc ? figures_fail(f, &err) : CMD_DONE;
}

int figures_run(struct figures *f)
{
	struct cdict_error err = { 0 };
	int rc = analyze_engine_run_reader(f->eng, f->reader, &err);

	if (rc)
		return figures_fail(f, &err);
	if (names_init(&f->names, f->eng, f->opts, f->labels))
		return figures_no_memory(f);
	f->unknown_ns = analyze_engine_summary(f->eng)->unknown_ns;
	return CMD_DONE;
}

int figures_command(const struct cmd_call *call, const struct figures_frame *frame, void *state)
{
	struct cdict_error err = { 0 };
	struct figures f;
	int status = figures_open(&f, call);

	if (!status && frame->add(&f, state, &err))
		status = figures_fail(&f, &err);
	if (!status)
		status = figures_run(&f);
	if (!status)
		status = frame->print(&f, state);
	frame->free(state);
	figures_close(&f);
	return status;
}

bool figures_has_switch(const struct figures *f, const char *did)
{
	if (analyze_engine_summary(f->eng)->has_switch)
		return true;
	cmd_warn(f->call, f->file,
		 "holds no sched:sched_switch: nobody knows who %s; record with -e 'sched:*'", did);
	return false;
}

bool figures_has_wakeups(const struct figures *f)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->eng);

	return sum->has_waking || sum->has_wakeup;
}

bool figures_lossy(const struct figures *f, const struct analyze_task *task)
{
	return analyze_unknown_task(f->unknown, task->index);
}

int figures_task_cells(struct table *t, const struct figures *f, const struct analyze_task *task)
{
	char *name = names_display(&f->names, task), *vm = names_vm(&f->names, task);

	if (!name) {
		free(vm);
		return figures_no_memory(f);
	}
	figures_name_cell(t, TASK_NAME, f, task, name);
	table_i64(t, TASK_TID, task->tid);
	if (task->pid >= 0)
		table_i64(t, TASK_PID, task->pid);
	table_text(t, TASK_COMM, task->comm);
	figures_vm_cell(t, TASK_VM, f, task, vm);
	if (names_vcpu(&f->names, task) >= 0)
		table_i64(t, TASK_VCPU, names_vcpu(&f->names, task));
	table_lossy(t, figures_lossy(f, task));
	free(name);
	free(vm);
	return CMD_DONE;
}

char *figures_who(const struct figures *f, const struct analyze_task *task)
{
	char *name = names_display(&f->names, task), *vm = names_vm(&f->names, task), *who = NULL;

	if (!task->tid || !name || strcmp(name, task->comm)) {
		who = name; /* a label, or with its tid already: it says enough */
		name = NULL;
	} else if ((vm ? asprintf(&who, "%s-%s", name, vm)
		       : asprintf(&who, "%s-%" PRId32, name, task->tid)) < 0) {
		who = NULL;
	}
	free(name);
	free(vm);
	return who;
}

/* CSV has no place for the loss line. */
static void tell_loss(const struct figures *f, const struct analyze_summary *sum)
{
	struct loss_sum loss;
	struct sink s;
	char *line;

	loss_sum(&loss, f->reader, sum->from_ns, sum->to_ns);
	if (!loss.lost && !loss.unreadable && !loss.damaged)
		return;
	sink_to_memory(&s);
	loss_line(&s, &loss, f->unknown_ns);
	line = sink_take(&s, NULL);
	if (line)
		cmd_warn(f->call, f->file, "%s", line);
	free(line);
}

void figures_name_cell(struct table *t, size_t column, const struct figures *f,
		       const struct analyze_task *task, const char *name)
{
	table_text(t, column, name);
	table_order(t, column, names_order(&f->names, task));
	table_task(t, column, task->index);
}

void figures_vm_cell(struct table *t, size_t column, const struct figures *f,
		     const struct analyze_task *task, const char *vm)
{
	table_text(t, column, vm);
	table_order(t, column, names_vm_order(&f->names, task));
}

static struct table_frame frame_of(const struct figures *f, const char *note)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->eng);

	return (struct table_frame){
		.command = f->call->cmd->name,
		.file = f->file,
		.reader = f->reader,
		.from_ns = sum->from_ns,
		.to_ns = sum->to_ns,
		.unknown_ns = &f->unknown_ns,
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
	rc = table_print(&s, f->opts->format, &frame, tables, n);
	sink_finish(&s);
	if (rc == -ENOMEM)
		return figures_no_memory(f);
	if (rc)
		return cmd_stdout_error(f->call, rc);
	if (f->opts->format == OPTIONS_CSV)
		tell_loss(f, analyze_engine_summary(f->eng));
	return loss_status(f->call, f->file, f->reader, f->opts->max_loss_pct);
}

int figures_write(struct figures *f, struct sink *s, const char *note, struct table *const *tables,
		  size_t n)
{
	struct table_frame frame = frame_of(f, note);

	return table_print(s, OPTIONS_TEXT, &frame, tables, n);
}

int figures_print(struct figures *f, const char *note, const char *preset,
		  struct table *const *tables, size_t n)
{
	const char *sort = f->opts->sort ? f->opts->sort : preset;
	struct cdict_error err = { 0 };

	if (sort && table_sort(tables[0], sort, &err))
		return figures_fail(f, &err);
	table_top(tables[0], f->opts->top);
	return figures_print_all(f, note, tables, n);
}

void figures_close(struct figures *f)
{
	names_fini(&f->names);
	label_index_free(f->labels);
	analyze_unknown_free(f->unknown);
	analyze_engine_free(f->eng);
	free(f->nodes);
	options_filter_fini(&f->filter);
	cdict_reader_close(f->reader);
}
