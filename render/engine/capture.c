/* SPDX-License-Identifier: GPL-2.0-only */
/* The page's data of a capture, from one walk. */
#include "render/engine/capture.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static int only_tasks_add(struct tables_walk *w, struct cdict_error *err)
{
	int rc = analyze_tasks_new(&w->tasks, w->eng, NULL, err);

	return rc ? rc : analyze_successors_new(&w->successors, w->eng, err);
}

static int only_vcpus_add(struct tables_walk *w, struct cdict_error *err)
{
	int rc = analyze_vcpus_new(&w->vcpus, w->eng, err);

	return rc ? rc : analyze_halts_new(&w->halts, w->eng, err);
}

/* What tables_findings_json() needs. */
static int only_findings_add(struct tables_walk *w, struct cdict_error *err)
{
	int rc = analyze_vcpus_new(&w->vcpus, w->eng, err);

	if (!rc)
		rc = analyze_tasks_new(&w->tasks, w->eng, NULL, err);
	return rc ? rc : analyze_coremap_new(&w->coremap, w->eng, err);
}

int page_capture_add(struct page_capture *c, struct cdict_error *err)
{
	struct tables_walk *w = c->walk;
	const struct tables_options *opts = &w->opts;
	const struct names_filter *filter = &opts->names.filter;
	struct page_bins_options how = { .cpus = cdict_reader_cpus(w->reader),
					 .by_task = filter->matches || filter->n_tids ||
						    filter->vm || filter->wanted };
	int rc;

	if (!cdict_reader_window(w->reader, &c->t0_ns, &c->last_ns))
		return cdict_fail(err, CDICT_ENOEVENTS, CDICT_NO_OFFSET,
				  "no events: nothing to show");
	if (c->part == PAGE_ONLY_EXITS)
		return analyze_exits_new(&w->exits, w->eng,
					 &(struct analyze_exits_options){ .no_accesses = true },
					 err);
	if (c->part == PAGE_ONLY_COREMAP)
		return analyze_coremap_new(&w->coremap, w->eng, err);
	if (c->part == PAGE_ONLY_TASKS)
		return only_tasks_add(w, err);
	if (c->part == PAGE_ONLY_VCPUS)
		return only_vcpus_add(w, err);
	if (c->part == PAGE_ONLY_FINDINGS)
		return only_findings_add(w, err);
	how.from_ns = opts->to_ns ? opts->from_ns : c->t0_ns;
	how.to_ns = opts->to_ns ? opts->to_ns : c->last_ns;
	how.seconds = true;
	how.t0_ns = c->t0_ns;
	rc = tables_walk_add(w, err);
	if (!rc)
		rc = page_bins_new(&c->bins, w->eng, &how, err);
	if (!rc)
		analyze_vcpus_on_piece(w->vcpus, page_bins_state, c->bins);
	return rc;
}

/* ---- very many tasks ---- */

/* A task that does anything takes tens of bytes of a file: only a capture of tasks that do nothing has more than this. */
enum { TASKS = 8192, BYTES_A_TASK = 64 };

static size_t tasks_most(const struct page_capture *c)
{
	return TASKS + cdict_reader_size(c->walk->reader) / BYTES_A_TASK;
}

static bool of_tasks(const struct table *t)
{
	return t && t->n_columns && !t->grouped && !strcmp(t->columns[0].key, "name");
}

static bool is_kept(void *ctx, const struct table *t, size_t row)
{
	const struct page_capture *c = ctx;
	uint32_t task = table_row_task(t, row);

	return !task || c->kept[task - 1] != UINT32_MAX;
}

/* Marks the tasks of the first @most rows. */
static void mark(struct page_capture *c, const struct table *t, size_t most)
{
	for (size_t r = 0; t && r < t->n_rows && r < most; r++) {
		uint32_t task = table_row_task(t, r);

		if (task)
			c->kept[task - 1] = 0;
	}
}

/* Chooses what the page has of very many tasks: those that are first in the tables, and IDLE. */
static int choose(struct page_capture *c)
{
	static const enum page_table first[] = { PAGE_TASKS, PAGE_VCPU, PAGE_LATENCY, PAGE_EXITS };
	size_t most = tasks_most(c);

	c->n_tasks = c->n_kept = analyze_engine_task_count(c->walk->eng);
	if (c->n_tasks <= most)
		return 0;
	c->kept = malloc(c->n_tasks * sizeof(*c->kept));
	if (!c->kept)
		return -ENOMEM;
	memset(c->kept, 0xff, c->n_tasks * sizeof(*c->kept));
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++)
		mark(c, c->tables[first[i]], most / (i ? 8 : 2));
	c->n_kept = 0;
	for (size_t i = 0; i < c->n_tasks; i++)
		if (c->kept[i] != UINT32_MAX ||
		    !analyze_engine_task(c->walk->eng, (uint32_t)i)->tid)
			c->kept[i] = (uint32_t)c->n_kept++;
	c->numbers = c->kept;
	return 0;
}

/* Bounds the tables to the tasks chosen. */
static void keep_some(struct page_capture *c)
{
	for (size_t i = 0; i < PAGE_TABLES && c->kept; i++)
		if (of_tasks(c->tables[i]))
			table_keep(c->tables[i], 2 * tasks_most(c), is_kept, c);
}

/* What is left of a table of groups: so many rows, and those of IDLE. */
struct groups_kept {
	size_t rows, most, idle;
};

static bool is_group_kept(void *ctx, const struct table *t, size_t row)
{
	struct groups_kept *kept = ctx;

	return table_at(t, row, kept->idle)->i64 || kept->rows++ < kept->most;
}

/* Bounds the tables of groups of tasks, which may be as many, to those that ran longest. */
static int keep_groups(struct page_capture *c)
{
	static const enum page_table groups[] = { PAGE_TASKS_GROUPS, PAGE_TASKS_ROLES,
						  PAGE_COREMAP_GROUPS, PAGE_COREMAP_ROLES };
	struct cdict_error err = { 0 };

	for (size_t i = 0; i < sizeof(groups) / sizeof(groups[0]); i++) {
		struct table *t = c->tables[groups[i]];
		struct groups_kept kept = { .most = tasks_most(c) };

		if (!t)
			return -ENOMEM;
		if (!c->kept || t->n_rows <= kept.most)
			continue;
		kept.idle = table_column(t, "idle");
		if (table_sort(t, "run_ns", &err))
			return -ENOMEM;
		table_keep(t, SIZE_MAX, is_group_kept, &kept);
	}
	return 0;
}

/* ---- sums ---- */

/* Whether a row of exits has a wanted reason. */
static bool has_reason(void *ctx, const struct table *t, size_t row)
{
	const struct page_capture *c = ctx;
	const struct table_cell *reason;
	size_t i = 0;

	if (!c->reasons)
		return true;
	reason = table_at(t, row, table_column(t, "reason"));
	while (i < c->n_reasons && (!reason->set || strcmp(c->reasons[i], reason->text) != 0))
		i++;
	return i < c->n_reasons;
}

static struct table *exits_sums(struct page_capture *c, enum page_table of, const char *vm)
{
	const struct table *t = c->tables[of];
	/* has_reason() reads PAGE_EXITS */
	struct table *sums = t && c->tables[PAGE_EXITS] ? table_new("exits", t->columns) : NULL;

	if (!sums)
		return NULL;
	sums->grouped = t->grouped;
	table_add_sums(sums, t, (const char *const[]){ vm, NULL }, has_reason, c);
	table_add_sums(sums, t, (const char *const[]){ vm, "idle", NULL }, has_reason, c);
	return table_done(sums);
}

static bool is_any(void *ctx, const struct table *t, size_t row)
{
	(void)ctx;
	(void)t;
	(void)row;
	return true;
}

/* The columns of a coremap that choose its rows. */
struct of_task {
	size_t idle, unknown;
};

/* Whether a row is of a task other than IDLE. */
static bool is_of_task(void *ctx, const struct table *t, size_t row)
{
	const struct of_task *of = ctx;

	return !table_at(t, row, of->idle)->i64 && !table_at(t, row, of->unknown)->i64;
}

/* Leaves only the page's tasks in the coremap, after adding up all. */
static struct table *coremap_sums(struct page_capture *c)
{
	static const char *const all[] = { "idle", "unknown", NULL },
				 *const by_cpu[] = { "idle", "unknown", "cpu", NULL },
				 *const by_task[] = { "idle", "unknown", "name", NULL };
	struct table *t = c->tables[PAGE_COREMAP];
	struct table *sums = t ? table_new("coremap", t->columns) : NULL;
	struct table *cpus = sums ? table_new("coremap", t->columns) : NULL;
	struct of_task of;

	if (!cpus) {
		table_free(sums);
		return NULL;
	}
	of.idle = table_column(t, "idle");
	of.unknown = table_column(t, "unknown");
	table_add_sums(cpus, t, by_cpu, is_any, NULL);
	table_add_sums(sums, cpus, all, is_any, NULL);
	table_add_sums(sums, cpus, by_cpu, is_of_task, &of);
	table_free(cpus);
	if (c->kept)
		table_keep(t, SIZE_MAX, is_kept, c);
	table_add_sums(sums, t, by_task, is_of_task, &of);
	return table_done(sums);
}

/* Sorts each table as its command prints it, if it has a default order; but for @later. */
static int sort_tables_but(struct page_capture *c, const struct table *later)
{
	struct cdict_error err = { 0 };

	for (size_t i = 0; i < PAGE_TABLES; i++) {
		if (c->tables[i] && c->tables[i] != later && table_sort(c->tables[i], NULL, &err))
			return -ENOMEM;
	}
	return 0;
}

static int sort_tables(struct page_capture *c)
{
	return sort_tables_but(c, NULL);
}

/* Whether the tables from @first to @last exist. */
static bool has_tables(const struct page_capture *c, size_t first, size_t last)
{
	while (first <= last && c->tables[first])
		first++;
	return first > last;
}

/* Makes the tables with one row for several vCPUs. */
static int fill_vms(struct page_capture *c)
{
	const struct tables_walk *w = c->walk;
	struct table **t = c->tables;

	t[PAGE_VCPU_GROUPS] = tables_vcpu_groups(w);
	t[PAGE_DELAYS] = tables_delays(w);
	t[PAGE_BESIDE] = tables_beside(w);
	t[PAGE_HALTS_VMS] = tables_halts_vms(w);
	return t[PAGE_VCPU_GROUPS] && has_tables(c, PAGE_DELAYS, PAGE_HALTS_VMS) ? 0 : -ENOMEM;
}

int page_capture_fill(struct page_capture *c)
{
	const struct tables_walk *w = c->walk;
	struct table **t = c->tables;
	struct cdict_error err = { 0 };

	if (c->part == PAGE_ONLY_FINDINGS)
		return 0;
	if (c->part == PAGE_ONLY_VCPUS)
		return fill_vms(c) ? -ENOMEM : sort_tables(c);
	if (c->part == PAGE_EVERYTHING || c->part == PAGE_ONLY_TASKS) {
		t[PAGE_TASKS] = tables_tasks(w, false);
		t[PAGE_TASKS_GROUPS] = tables_tasks_groups(w);
		t[PAGE_TASKS_ROLES] = tables_tasks_roles(w);
	}
	if (c->part == PAGE_ONLY_TASKS) {
		t[PAGE_SUCCESSORS] = tables_successors(w);
		return t[PAGE_TASKS] && t[PAGE_SUCCESSORS] &&
				       has_tables(c, PAGE_TASKS_GROUPS, PAGE_TASKS_ROLES)
			       ? sort_tables(c)
			       : -ENOMEM;
	}
	if (c->part != PAGE_ONLY_EXITS) {
		t[PAGE_COREMAP] = tables_coremap(w);
		t[PAGE_COREMAP_GROUPS] = tables_coremap_groups(w);
		t[PAGE_COREMAP_ROLES] = tables_coremap_roles(w);
	}
	if (c->part == PAGE_ONLY_COREMAP) {
		t[PAGE_COREMAP_SUMS] = coremap_sums(c);
		return t[PAGE_COREMAP_SUMS] &&
				       has_tables(c, PAGE_COREMAP_GROUPS, PAGE_COREMAP_ROLES)
			       ? sort_tables(c)
			       : -ENOMEM;
	}
	t[PAGE_EXITS] = tables_exits(w, TABLES_EXITS_BY_TASK, NULL);
	t[PAGE_EXIT_REASONS] = tables_exits(w, TABLES_EXITS_BY_REASON, NULL);
	t[PAGE_EXITS_VM] = tables_exits(w, TABLES_EXITS_BY_VM, NULL);
	t[PAGE_EXITS_SUMS] = exits_sums(c, PAGE_EXITS, "name");
	t[PAGE_EXITS_VM_SUMS] = exits_sums(c, PAGE_EXITS_VM, "vm");
	if (c->part == PAGE_ONLY_EXITS)
		return has_tables(c, PAGE_EXITS, PAGE_EXIT_REASONS) &&
				       has_tables(c, PAGE_EXITS_VM, PAGE_EXITS_VM_SUMS)
			       ? sort_tables(c)
			       : -ENOMEM;
	t[PAGE_GUEST] = tables_guest(w);
	t[PAGE_VCPU] = tables_vcpu(w);
	t[PAGE_VCPU_SHARES] = tables_vcpu_shares(w);
	t[PAGE_VCPU_REASONS] = tables_vcpu_reasons(w);
	if (t[PAGE_VCPU])
		t[PAGE_ANTAGONISTS] = tables_antagonists(w, t[PAGE_VCPU], 0);
	t[PAGE_CAPACITY] = tables_capacity(w);
	t[PAGE_LATENCY] = tables_latency(w);
	t[PAGE_CPUS] = tables_coremap_cpus(w);
	if (fill_vms(c) || sort_tables_but(c, t[PAGE_COREMAP]))
		return -ENOMEM;
	/* the page's engine has the page's numbers */
	if (!c->numbers && (choose(c) || keep_groups(c)))
		return -ENOMEM;
	t[PAGE_COREMAP_SUMS] = coremap_sums(c);
	if (!has_tables(c, 0, PAGE_SUCCESSORS - 1) || table_sort(t[PAGE_COREMAP], NULL, &err))
		return -ENOMEM;
	keep_some(c);
	return 0;
}

void page_capture_fini(struct page_capture *c)
{
	for (size_t i = 0; i < PAGE_TABLES; i++)
		table_free(c->tables[i]);
	page_bins_free(c->bins);
	free(c->kept);
	*c = (struct page_capture){ 0 };
}
