/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict successors: who ran next on the CPU after a task. */
#include <stdlib.h>
#include <string.h>

#include "analyze/successors.h"
#include "cmd/figures.h"

struct successors_opts {
	struct options_shared shared;
};

enum { NEXT = TASK_COLUMNS, NEXT_TID, NEXT_PID, NEXT_VM, COUNT, PERCENT, INVOLUNTARY };

static const struct table_column columns[] = {
	FIGURES_TASK_COLUMNS,
	[NEXT] = { "next", "next", TABLE_TEXT, 0 },
	[NEXT_TID] = { "next_tid", "tid", TABLE_INTEGER, 0 },
	[NEXT_PID] = { "next_pid", "pid", TABLE_INTEGER, TABLE_MACHINE },
	[NEXT_VM] = { "next_vm", "vm", TABLE_TEXT, 0 },
	[COUNT] = { "count", "count", TABLE_COUNT, 0 },
	[PERCENT] = { "percent", "%", TABLE_PERCENT, 0 },
	[INVOLUNTARY] = { "involuntary", "involunt", TABLE_COUNT, 0 },
	TABLE_COLUMNS_END,
};

/* Pairs that are printed as one: tasks are alike when their names merged. */
struct pair {
	char *name, *next_name; /* when merged, else NULL */
	const struct analyze_task *task, *next;
	uint64_t count, involuntary;
	uint64_t total; /* of the task's switches, when its name did not merge */
	bool lossy;
};

struct pairs {
	struct pair *items;
	size_t n, cap;
};

static void fini_pairs(struct pairs *pairs)
{
	for (size_t i = 0; i < pairs->n; i++) {
		free(pairs->items[i].name);
		free(pairs->items[i].next_name);
	}
	free(pairs->items);
}

static bool alike(const char *a_name, const struct analyze_task *a, const char *b_name,
		  const struct analyze_task *b)
{
	return a_name && b_name ? !strcmp(a_name, b_name) : !a_name && !b_name && a == b;
}

/* The display name when --merge-sys-tasks merges the task, else NULL; -1 out of memory. */
static int merged_name(char **out, const struct figures *f, const struct analyze_task *task)
{
	*out = NULL;
	if (!names_merged(&f->names, task))
		return 0;
	*out = names_display(&f->names, task);
	return *out ? 0 : -1;
}

static int add_pair(struct pairs *pairs, const struct figures *f, const struct analyze_successor *s)
{
	struct pair pair = { .task = analyze_engine_task(f->eng, s->task),
			     .next = analyze_engine_task(f->eng, s->next),
			     .total = s->total };
	struct pair *p = NULL, *grown;

	if (merged_name(&pair.name, f, pair.task) || merged_name(&pair.next_name, f, pair.next))
		goto fail;
	/* only merged ones come more than once */
	for (size_t i = 0; i < pairs->n && !p && (pair.name || pair.next_name); i++) {
		struct pair *q = &pairs->items[i];

		if (alike(q->name, q->task, pair.name, pair.task) &&
		    alike(q->next_name, q->next, pair.next_name, pair.next))
			p = q;
	}
	if (p) {
		free(pair.name);
		free(pair.next_name);
	} else {
		if (pairs->n == pairs->cap) {
			size_t cap = pairs->cap ? 2 * pairs->cap : 64;

			grown = reallocarray(pairs->items, cap, sizeof(*grown));
			if (!grown)
				goto fail;
			pairs->items = grown;
			pairs->cap = cap;
		}
		p = &pairs->items[pairs->n++];
		*p = pair;
	}
	p->count += s->count;
	p->involuntary += s->involuntary;
	p->lossy |= figures_lossy(f, pair.task);
	return 0;
fail:
	free(pair.name);
	free(pair.next_name);
	return -1;
}

/* How often the pair's task was switched out, over all its successors. */
static uint64_t total_of(const struct pairs *pairs, const struct pair *p)
{
	uint64_t total = 0;

	for (size_t i = 0; i < pairs->n; i++) {
		const struct pair *q = &pairs->items[i];

		if (alike(q->name, q->task, p->name, p->task))
			total += q->count;
	}
	return total;
}

static int fill_row(struct table *t, const struct figures *f, const struct pair *p, uint64_t total)
{
	int status = CMD_DONE;

	table_row(t);
	if (p->name)
		table_text(t, TASK_NAME, p->name);
	else
		status = figures_task_cells(t, f, p->task);
	if (p->next_name) {
		table_text(t, NEXT, p->next_name);
	} else {
		char *name = names_display(&f->names, p->next), *vm = names_vm(&f->names, p->next);

		if (!name)
			status = figures_no_memory(f);
		else
			figures_name_cell(t, NEXT, f, p->next, name);
		table_i64(t, NEXT_TID, p->next->tid);
		if (p->next->pid >= 0)
			table_i64(t, NEXT_PID, p->next->pid);
		figures_vm_cell(t, NEXT_VM, f, p->next, vm);
		free(name);
		free(vm);
	}
	table_u64(t, COUNT, p->count);
	table_share(t, PERCENT, p->count, total);
	table_u64(t, INVOLUNTARY, p->involuntary);
	table_lossy(t, p->lossy);
	return status;
}

static int fill(struct table **out, const struct figures *f, const struct analyze_successors *succ)
{
	struct table *t = table_new("successors", columns);
	int status = t ? CMD_DONE : figures_no_memory(f);
	uint64_t count = 0, involuntary = 0, total = 0;
	struct pairs pairs = { 0 };
	bool lossy = false;

	*out = t;
	for (size_t i = 0; i < analyze_successors_count(succ) && !status; i++) {
		const struct analyze_successor *s = analyze_successors_at(succ, i);

		if (!names_wanted(&f->names, &f->filter, analyze_engine_task(f->eng, s->task)))
			continue;
		if (add_pair(&pairs, f, s))
			status = figures_no_memory(f);
	}
	for (size_t i = 0; i < pairs.n && !status; i++) {
		const struct pair *p = &pairs.items[i];

		/* a task's pairs stand together unless it was merged */
		if (p->name)
			total = total_of(&pairs, p);
		else
			total = p->total;
		status = fill_row(t, f, p, total);
		count += p->count;
		involuntary += p->involuntary;
		lossy |= p->lossy;
	}
	if (!status) {
		table_total(t);
		table_text(t, TASK_NAME, "total");
		table_u64(t, COUNT, count);
		table_u64(t, INVOLUNTARY, involuntary);
		table_lossy(t, lossy);
	}
	fini_pairs(&pairs);
	return status;
}

static int successors_add(struct figures *f, void *succ, struct cdict_error *err)
{
	return analyze_successors_new(succ, f->eng, err);
}

static int successors_print(struct figures *f, void *state)
{
	struct analyze_successors **succ = state;
	struct table *t = NULL;
	int status;

	figures_has_switch(f, "ran");
	status = fill(&t, f, *succ);
	if (!status)
		status = figures_print(f, NULL, "count", &t, 1);
	table_free(t);
	return status;
}

static void successors_free(void *state)
{
	struct analyze_successors **succ = state;

	analyze_successors_free(*succ);
}

static const struct figures_frame successors_frame = { successors_add, successors_print,
						       successors_free };

static int successors_run(const struct cmd_call *call)
{
	const struct options_shared *opts = call->opts;
	struct analyze_successors *succ = NULL;

	if (!opts->task && !opts->tids.n && !opts->vm)
		return cmd_usage(call, "needs a task: --task, --tid or --vm");
	return figures_command(call, &successors_frame, &succ);
}

static const struct cmd_option successors_options[] = {
	OPTION_INPUT,
	OPTIONS_TASKS,
	OPTION_CPU,
	OPTIONS_WINDOW,
	OPTION_NO_GUEST_MODE,
	OPTION_MERGE_SYS_TASKS,
	OPTION_APPEND_TID,
	OPTION_FORMAT,
	CMD_STRING('s', "sort", struct options_shared, sort, "KEY[:asc|:desc]",
		   "sort by this column, named as in the JSON output (default: count)"),
	OPTION_TOP,
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example successors_examples[] = {
	{ "cdict successors run.cdict --tid 1054", "who ran after one thread" },
	{ "cdict successors run.cdict -t 'CPU ./KVM' --merge-sys-tasks",
	  "who ran after the vCPUs, kernel threads of a kind as one" },
	{ NULL, NULL },
};

const struct cmd cmd_successors = {
	.name = "successors",
	.brief = "who ran next on the CPU after a task",
	.operands = "FILE",
	.about = "Counts the switches away from each task that matches, by the task switched to. "
		 "Percent are of all switches away from the task; involuntary ones are those in "
		 "which it could have run on.",
	.options = successors_options,
	.opts_size = sizeof(struct successors_opts),
	.min_operands = 0,
	.max_operands = 1,
	.examples = successors_examples,
	.run = successors_run,
};
