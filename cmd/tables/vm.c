/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict vm: one VM, where its time went, its threads, and who woke them. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/input/input.h"
#include "cmd/tables/figures.h"
#include "cmd/tables/guests.h"
#include "tables/vm/story.h"

struct vm_opts {
	struct options_shared shared;
	bool chain;
	uint64_t critical; /* tid, 0: not wanted */
	bool inside;
	const char *clock; /* of the guest, or NULL */
};

/* Chains of wake-ups, and links of one, that fit a reader's attention; with -v, --chain, in CSV and
 * JSON: all. */
#define MOST_CHAINS 3
#define MOST_LINKS 5

static int print_story(struct figures *f, const char *vm)
{
	const struct vm_opts *opts = f->call->opts;
	bool all = f->call->verbose || opts->chain || f->opts->format != TABLE_AS_TEXT;
	struct cdict_error err = { 0 };
	struct table *tables[3];
	struct story *story;
	int status = CMD_DONE;
	char *text;

	if (story_new(&story, &f->walk, vm, &err))
		return figures_fail(f, &err);
	text = story_text(story);
	if (f->opts->format == TABLE_AS_TEXT && !opts->chain)
		text = guests_beside(f, text, &status);
	if (status) {
		story_free(story);
		return status;
	}
	if (opts->chain && f->opts->format == TABLE_AS_TEXT) {
		tables[0] = tables_chains(story->w, story->chains, 0, 0);
		status = text ? figures_print(f, text, tables, 1) : figures_no_memory(f);
	} else {
		tables[0] = opts->chain ? tables_chains(story->w, story->chains, 0, 0)
					: story_parts(story);
		tables[1] = story_threads(story);
		tables[2] = opts->chain ? story_parts(story)
			    : all       ? tables_chains(story->w, story->chains, 0, 0)
				  : tables_chains(story->w, story->chains, MOST_CHAINS, MOST_LINKS);
		status = text ? figures_print(f, text, tables, 3) : figures_no_memory(f);
	}
	free(text);
	story_free(story);
	return status;
}

/* The latest task with this tid that ran; ANALYZE_NO_TASK: none. */
static uint32_t task_of(const struct figures *f, uint64_t tid)
{
	for (size_t i = analyze_tasks_row_count(f->walk.tasks); i; i--) {
		uint32_t task = analyze_tasks_row_at(f->walk.tasks, i - 1)->task;

		if ((uint64_t)analyze_engine_task(f->walk.eng, task)->tid == tid)
			return task;
	}
	return ANALYZE_NO_TASK;
}

static bool is_task(void *ctx, uint32_t task)
{
	return task == *(uint32_t *)ctx;
}

static int print_critical(struct figures *f)
{
	const struct vm_opts *opts = f->call->opts;
	struct tables_options how = f->walk.opts;
	struct analyze_critical *critical = NULL;
	struct tables_walk again = { 0 };
	struct cdict_error err = { 0 };
	uint32_t task = task_of(f, opts->critical);
	struct table *tables[2];
	int status, rc;

	if (task == ANALYZE_NO_TASK)
		return cmd_errorf(f->call, f->file, "no task with the tid %llu in this window",
				  (unsigned long long)opts->critical);
	how.digests = NULL;
	rc = tables_walk_init(&again, f->reader, &how, &err);
	if (!rc)
		rc = analyze_critical_new(&critical, again.eng, is_task, &task, &err);
	if (!rc)
		rc = tables_walk_run(&again, &err);
	if (rc) {
		status = figures_fail(f, &err);
	} else {
		tables[0] = tables_critical_sums(&f->walk, critical);
		tables[1] = tables_critical(&f->walk, critical);
		status = figures_print(f, NULL, tables, 2);
	}
	analyze_critical_free(critical);
	tables_walk_fini(&again);
	return status;
}

static int print(struct figures *f)
{
	struct culprits names = { .names = &f->walk.names };
	bool several;
	const char *vm;
	struct table *t;
	int status;

	if (((const struct vm_opts *)f->call->opts)->critical)
		return print_critical(f);
	if (!figures_has_vcpus(f)) {
		t = tables_vcpu_groups(&f->walk);
		return figures_print(f, NULL, &t, 1);
	}
	vm = story_only_vm(&f->walk, &names, &several);
	if (vm) {
		status = print_story(f, vm);
	} else if (names.failed) {
		status = figures_no_memory(f);
	} else {
		t = tables_vcpu_groups(&f->walk);
		status = figures_print(
			f, several ? "Several VMs; 'cdict vm NAME FILE' shows one of them." : NULL,
			&t, 1);
	}
	culprits_fini(&names);
	return status;
}

/* Whether the only operand is the file, not the name of a VM. */
static bool is_file(const struct cmd_call *call)
{
	const struct vm_opts *opts = call->opts;

	return !opts->shared.input && (opts->shared.vm || !strcmp(call->operands[0], "-") ||
				       !access(call->operands[0], F_OK));
}

static int run_story(const struct cmd_call *its)
{
	struct figures f = { 0 };
	int status = figures_open_file(&f, its, input_file(its));

	if (!status) {
		struct cdict_error err = { 0 };

		status = story_add(&f.walk, &err) ? figures_fail(&f, &err) : figures_run_wanted(&f);
	}
	if (!status)
		status = print(&f);
	figures_close(&f);
	return status;
}

static int run(const struct cmd_call *call, struct guest_files *g)
{
	struct vm_opts opts = *(const struct vm_opts *)call->opts;
	struct cmd_call *its = &g->call;

	its->opts = &opts;
	if (its->n_operands == 2 || (its->n_operands == 1 && !is_file(its))) {
		if (opts.shared.vm)
			return cmd_usage(call, "the VM is given twice: %s and --vm %s",
					 its->operands[0], opts.shared.vm);
		if (its->n_operands == 2 && opts.shared.input)
			return cmd_usage(call, "the file is given twice: %s and -i %s",
					 its->operands[1], opts.shared.input);
		opts.shared.vm = its->operands[0];
		its->operands++;
		its->n_operands--;
	}
	if (!opts.inside && !g->files.n)
		return opts.clock ? cmd_usage(call, "--clock needs a guest, VM=FILE")
				  : run_story(its);
	if (opts.chain || opts.critical)
		return cmd_usage(call, "--inside cannot be used with --chain or --critical");
	return guest_files_print(g, opts.clock, GUEST_TABLES_INSIDE);
}

static int vm_run(const struct cmd_call *call)
{
	struct guest_files g;
	int status = guest_files_init(&g, call);

	if (!status && g.call.n_operands > 2)
		status = cmd_usage(call, "too many operands: '%s'", g.call.operands[2]);
	if (!status)
		status = run(call, &g);
	guest_files_fini(&g);
	return status;
}

static const struct cmd_option vm_options[] = {
	OPTION_INPUT,
	CMD_FLAG(0, "chain", struct vm_opts, chain,
		 "the longest wait of every thread with the chain of wake-ups before it"),
	CMD_UINT(0, "critical", struct vm_opts, critical, "TID", NULL,
		 "the critical path of this thread in the window: what it, or the task that it waited "
		 "to be woken by, did at each moment"),
	CMD_FLAG(0, "inside", struct vm_opts, inside,
		 "the tasks of its joined guest: where their time went, and whom they waited for"),
	OPTION_CLOCK(struct vm_opts, clock),
	OPTION_VM,
	OPTIONS_MAP,
	OPTION_CPU,
	OPTIONS_WINDOW,
	OPTION_NO_GUEST_MODE,
	OPTION_APPEND_TID,
	OPTION_FORMAT,
	OPTION_NO_PAGER,
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example vm_examples[] = {
	{ "cdict vm run.cdict", "the VMs of a capture, longest waits first; if there is one: it" },
	{ "cdict vm 1044 run.cdict",
	  "where that VM's time went, which of its threads waited, and why" },
	{ "cdict vm 1044 run.cdict --chain",
	  "who woke each of its threads before its longest wait" },
	{ "cdict vm 1044 run.cdict --critical 1054 --time 545.0,545.1",
	  "whom that thread depended on in these 100 ms" },
	{ "cdict vm 1044 run.cdict 1044=guest.cdict",
	  "where the time of that VM's tasks went, by a recording made in it at the same time" },
	{ "cdict vm 1044 run.cdict --json", "the same for a program" },
	{ NULL, NULL },
};

const struct cmd cmd_vm = {
	.name = "vm",
	.brief = "one VM: where its time went, which of its threads waited, and who woke them",
	.operands = "[NAME] [FILE] [[VM]=GUEST...]",
	.about =
		"Splits the time of the VM's vCPUs, exact to the ns: in the guest, waiting for a CPU "
		"(behind which VM or task), handling exits (by reason), in the VMM, halted, "
		"blocked, unknown. A halt counts apart while another thread of the VM (I/O thread, "
		"vhost, worker, emulator) waited for a CPU. Then the VM's threads and their longest "
		"waits, and for the longest of them the chain of wake-ups: who made the task ready, "
		"who had made that one ready, back to an interrupt.",
	.options = vm_options,
	.opts_size = sizeof(struct vm_opts),
	.max_operands = 256,
	.examples = vm_examples,
	.run = vm_run,
};
