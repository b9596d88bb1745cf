/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict report: one walk over a capture for all that its page shows. */
#include <stdlib.h>
#include <string.h>

#include "cmd/coremap.h"
#include "cmd/exits.h"
#include "cmd/report.h"
#include "cmd/tables.h"

/* "dir/run.cdict" -> "run" */
static char *label_of(const char *file)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
	size_t len = strlen(name);

	if (!strcmp(file, "-"))
		return strdup("standard input");
	if (len > 6 && !strcmp(name + len - 6, ".cdict"))
		len -= 6;
	return strndup(name, len);
}

static int register_all(struct report_capture *c)
{
	struct page_bins_options how = { .from_ns = c->f.filter.from_ns,
					 .to_ns = c->f.filter.to_ns,
					 .cpus = cdict_reader_cpus(c->f.reader),
					 .by_task = options_filter_tasks(&c->f.filter) ||
						    c->f.filter.vm };
	const struct analyze_exits_options exits = { .no_accesses = true };
	struct analyze_engine *eng = c->f.eng;
	struct cdict_error err = { 0 };

	if (analyze_tasks_new(&c->tasks, eng, NULL, &err) ||
	    analyze_latency_new(&c->latency, eng, NULL, &err) ||
	    analyze_exits_new(&c->exits, eng, &exits, &err) ||
	    analyze_vcpus_new(&c->vcpus, eng, &err) ||
	    analyze_coremap_new(&c->coremap, eng, &err) || page_bins_new(&c->bins, eng, &how, &err))
		return figures_fail(&c->f, &err);
	analyze_vcpus_tell(c->vcpus, page_bins_state, c->bins);
	return CMD_DONE;
}

static int sort(struct report_capture *c, enum report_table table, const char *by)
{
	struct cdict_error err = { 0 };

	return table_sort(c->tables[table], by, &err) ? figures_fail(&c->f, &err) : CMD_DONE;
}

/* Each table as its command prints it without -s. */
static int fill(struct report_capture *c)
{
	struct table **t = c->tables;
	struct figures *f = &c->f;
	struct exits_totals sum = { 0 };
	int status = tables_tasks(&t[REPORT_TASKS], f, c->tasks, false);

	if (!status)
		status = sort(c, REPORT_TASKS, "idle,run_ns");
	if (!status)
		status = exits_fill(&t[REPORT_EXITS], f, c->exits, EXITS_BY_TASK, &sum);
	if (!status)
		status = sort(c, REPORT_EXITS, "idle,time_ns");
	if (!status)
		status = exits_fill_guest(&t[REPORT_GUEST], f, c->exits);
	if (!status)
		status = sort(c, REPORT_GUEST, "guest_ns");
	if (!status)
		status = tables_vcpu(&t[REPORT_VCPU], f, c->vcpus);
	if (!status)
		status = tables_vcpu_reasons(&t[REPORT_VCPU_REASONS], f, c->vcpus);
	if (!status)
		status = tables_antagonists(&t[REPORT_ANTAGONISTS], f, c->vcpus, t[REPORT_VCPU], 0);
	if (!status)
		status = tables_latency(&t[REPORT_LATENCY], f, c->latency);
	if (!status)
		status = sort(c, REPORT_LATENCY, "latency_max_ns");
	if (!status)
		status = coremap_cells(&t[REPORT_COREMAP], f, c->coremap);
	if (!status)
		status = sort(c, REPORT_COREMAP, "idle,tid,cpu");
	if (!status)
		status = coremap_cpus(&t[REPORT_CPUS], f, c->coremap);
	for (size_t i = 0; i < REPORT_TABLES && !status; i++) {
		if (t[i]->failed)
			status = figures_no_memory(f);
	}
	analyze_exit_row_fini(&sum.work);
	analyze_exit_row_fini(&sum.idle);
	return status;
}

int report_capture_open(struct report_capture *c, const struct cmd_call *call, const char *file,
			const char *label)
{
	int status = figures_open_file(&c->f, call, file);

	if (status)
		return status;
	if (!cdict_reader_window(c->f.reader, &c->t0_ns, &c->last_ns))
		return cmd_errorf(call, file, "holds no event: there is nothing to show");
	c->label = label ? strdup(label) : label_of(file);
	if (!c->label)
		return figures_no_memory(&c->f);
	status = register_all(c);
	if (!status)
		status = figures_run(&c->f);
	if (!status)
		status = fill(c);
	return status;
}

void report_capture_close(struct report_capture *c)
{
	for (size_t i = 0; i < REPORT_TABLES; i++)
		table_free(c->tables[i]);
	page_bins_free(c->bins);
	analyze_tasks_free(c->tasks);
	analyze_latency_free(c->latency);
	analyze_exits_free(c->exits);
	analyze_vcpus_free(c->vcpus);
	analyze_coremap_free(c->coremap);
	free(c->label);
	figures_close(&c->f);
}

bool report_wanted(void *capture, uint32_t task)
{
	const struct report_capture *c = capture;

	return names_wanted(&c->f.names, &c->f.filter, analyze_engine_task(c->f.eng, task));
}
