/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of VMs and tasks in the last second, from the tables, one line each. */
#include "cmd/top/top.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sched/chains.h"
#include "base/fail.h"
#include "base/memory/map.h"
#include "tables/columns/number.h"
#include "tables/columns/table_fit.h"
#include "tables/columns/tables.h"

static const struct table_cell *cell(const struct table *t, size_t row, const char *key)
{
	static const struct table_cell none = { 0 };
	size_t c = table_column(t, key);

	return c < t->n_columns ? table_at(t, row, c) : &none;
}

static uint64_t number(const struct table *t, size_t row, const char *key)
{
	const struct table_cell *c = cell(t, row, key);

	return c->set ? c->u64 : 0;
}

static int64_t tid_of(const struct table *t, size_t row)
{
	const struct table_cell *c = cell(t, row, "tid");

	return c->set ? c->i64 : -1;
}

/* Finds or adds the row of a task, or of its VM; NULL: out of memory. */
static struct top_row *row_of(struct top_rows *t, const struct table *tasks, size_t i)
{
	const struct table_cell *vm = cell(tasks, i, "vm"), *name = cell(tasks, i, "name");
	const char *text = !t->folded ? name->set ? name->text : "?"
			   : vm->set  ? vm->text
				      : "(host)";
	struct top_row *row;

	/* there are few VMs: compare their names */
	for (size_t r = 0; t->folded && r < t->rows.n; r++)
		if (!strcmp(t->rows.at[r].name, text))
			return &t->rows.at[r];
	row = array_add(&t->rows);
	if (!row)
		return NULL;
	row->tid = row->pid = row->cpu = -1;
	row->guests = vm->set;
	row->name = strdup(text);
	return row->name ? row : NULL;
}

/* On a host without VMs, a single row for everything would be useless. */
static bool any_vm(const struct table *tasks)
{
	size_t i = 0;

	while (i < tasks->n_rows && !cell(tasks, i, "vm")->set)
		i++;
	return i < tasks->n_rows;
}

static void add_task(struct top_row *row, const struct table *tasks, size_t i, bool folded)
{
	const struct table_cell *cpu = cell(tasks, i, "cpu"), *pid = cell(tasks, i, "pid");

	row->cpu_ns += number(tasks, i, "run_ns");
	row->waiting_ns += number(tasks, i, "delayed_ns");
	row->switches += number(tasks, i, "switches");
	row->involuntary += number(tasks, i, "involuntary");
	row->wakeups += number(tasks, i, "wakeups");
	row->migrations += number(tasks, i, "migrations");
	if (number(tasks, i, "latency_max_ns") > row->latency_ns)
		row->latency_ns = number(tasks, i, "latency_max_ns");
	row->threads += folded;
	/* a VM has the pid of its vCPUs: its kernel threads have others */
	if (pid->set && (!folded || cell(tasks, i, "vcpu")->set))
		row->pid = (int32_t)pid->i64;
	if (!folded)
		row->tid = (int32_t)tid_of(tasks, i);
	if (!folded && cpu->set)
		row->cpu = (int32_t)cpu->i64;
}

static int set_behind(struct top_row *row, char *text)
{
	free(row->behind);
	row->behind = text;
	return text ? 0 : -ENOMEM;
}

static int set_task_behind(struct top_row *row, const struct tables_walk *w, uint32_t task)
{
	return set_behind(row, names_full_unit(&w->names, analyze_engine_task(w->eng, task)));
}

/* The longest wait of each row, and the task that had the CPU then. */
static int add_worst(struct top_rows *t, const struct tables_walk *w,
		     const struct analyze_chains *chains, const struct map *rows)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < analyze_chains_row_count(chains); i++) {
		const struct analyze_chain_row *c = analyze_chains_row_at(chains, i);
		int32_t tid = analyze_engine_task(w->eng, c->task)->tid;
		const uint32_t *at = map_find(rows, (uint64_t)tid, 0);
		struct top_row *row = at ? &t->rows.at[*at] : NULL;

		if (!row || c->worst.dur_ns <= row->worst_ns)
			continue;
		row->worst_ns = c->worst.dur_ns;
		free(row->behind);
		row->behind = NULL;
		if (c->worst.behind != ANALYZE_NO_TASK)
			ret = set_task_behind(row, w, c->worst.behind);
	}
	return ret;
}

/* Of vCPUs, the task that they waited behind longest in all. */
static int add_antagonists(struct top_rows *t, const struct tables_walk *w, const struct map *rows)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < analyze_vcpus_row_count(w->vcpus); i++) {
		const struct analyze_vcpu_row *v = analyze_vcpus_row_at(w->vcpus, i);
		int32_t tid = analyze_engine_task(w->eng, v->task)->tid;
		const uint32_t *at = map_find(rows, (uint64_t)tid, 0);

		if (at && v->n_antagonists && analyze_behind_ns(v->antagonists))
			ret = set_task_behind(&t->rows.at[*at], w, v->antagonists->task);
	}
	return ret;
}

/* Of VMs, the VM or kind of task that their vCPUs waited behind longest in all. */
static int add_culprits(struct top_rows *t, const struct tables_walk *w)
{
	struct table *delays = tables_delays(w);
	int ret = delays ? 0 : -ENOMEM;

	for (size_t r = 0; !ret && r < t->rows.n; r++) {
		struct top_row *row = &t->rows.at[r];
		const char *most = NULL;
		uint64_t most_ns = 0;

		for (size_t i = 0; i < delays->n_rows; i++) {
			const struct table_cell *vm = cell(delays, i, "vm");
			const struct table_cell *kind = cell(delays, i, "behind_kind");

			if (!vm->set || strcmp(vm->text, row->name) != 0 || !kind->set ||
			    !strcmp(kind->text, "unknown") ||
			    number(delays, i, "behind_ns") <= most_ns)
				continue;
			most = cell(delays, i, "behind")->text;
			most_ns = number(delays, i, "behind_ns");
		}
		if (most)
			ret = set_behind(row, strdup(most));
	}
	table_free(delays);
	return ret;
}

/* Makes a row per task; figures of the other tables are added by tid. */
static int make_rows(struct top_rows *t, const struct tables_walk *w,
		     const struct analyze_chains *chains, bool fold)
{
	struct table *tasks = tables_tasks(w, false), *vcpus = tables_vcpu(w);
	struct table *exits = tables_exits(w, TABLES_EXITS_BY_TASK, NULL);
	struct map rows = { 0 };
	int ret = tasks && vcpus && exits ? 0 : -ENOMEM;

	t->folded = fold && !ret && any_vm(tasks);
	for (size_t i = 0; !ret && i < tasks->n_rows; i++) {
		struct top_row *row;
		uint32_t *at;

		if (cell(tasks, i, "idle")->i64)
			continue;
		row = row_of(t, tasks, i);
		at = row ? map_add(&rows, (uint64_t)tid_of(tasks, i), 0) : NULL;
		if (!at) {
			ret = -ENOMEM;
			break;
		}
		*at = (uint32_t)(row - t->rows.at);
		add_task(row, tasks, i, t->folded);
	}
	for (size_t i = 0; !ret && i < vcpus->n_rows; i++) {
		const uint32_t *at = map_find(&rows, (uint64_t)tid_of(vcpus, i), 0);

		if (!at)
			continue;
		t->rows.at[*at].guests = true;
		t->rows.at[*at].guest_ns += number(vcpus, i, "guest_ns");
		t->rows.at[*at].exit_ns += number(vcpus, i, "exit_ns");
		t->rows.at[*at].halted_ns += number(vcpus, i, "halted_ns");
	}
	for (size_t i = 0; !ret && i < exits->n_rows; i++) {
		const uint32_t *at = map_find(&rows, (uint64_t)tid_of(exits, i), 0);

		if (at)
			t->rows.at[*at].exits += number(exits, i, "count");
	}
	if (!ret)
		ret = add_worst(t, w, chains, &rows);
	if (!ret)
		ret = t->folded ? add_culprits(t, w) : add_antagonists(t, w, &rows);
	map_fini(&rows);
	table_free(tasks);
	table_free(vcpus);
	table_free(exits);
	return ret;
}

/* struct names_filter */
static bool is_chosen(void *ctx, const struct analyze_task *task)
{
	const struct top_choice *choice = ctx;

	return (choice->n_pids && names_wanted_tid(choice->pids, choice->n_pids, task->pid)) ||
	       (choice->n_tids && names_wanted_tid(choice->tids, choice->n_tids, task->tid));
}

/* struct analyze_chains_options */
static bool any_task(void *ctx, uint32_t task)
{
	(void)ctx;
	(void)task;
	return true;
}

int top_rows_fill(struct top_rows *t, const void *cdict, size_t size,
		  const struct top_choice *choice, struct cdict_error *err)
{
	static const struct analyze_chains_options all = { .wanted = any_task };
	struct analyze_chains *chains = NULL;
	struct tables_options opts = { 0 };
	struct label_index *labels = NULL;
	struct cdict_reader *r = NULL;
	struct tables_walk w = { 0 };
	struct loss_sum loss;
	uint64_t first, last;
	const char *host;
	int ret = cdict_reader_parse(&r, cdict, size, err);

	*t = (struct top_rows){ 0 };
	if (ret)
		return ret;
	if (!cdict_reader_window(r, &first, &last)) {
		cdict_reader_close(r);
		return 0;
	}
	opts.to_ns = last;
	opts.from_ns = last - first > choice->window_ns ? last - choice->window_ns : first;
	if (choice->n_pids || choice->n_tids)
		opts.names.filter =
			(struct names_filter){ .wanted = is_chosen, .ctx = (void *)choice };
	ret = label_index_new(&labels, r, false, NULL, err);
	opts.names.labels = labels;
	if (!ret)
		ret = tables_walk_init(&w, r, &opts, err);
	if (!ret)
		ret = tables_walk_add(&w, err);
	if (!ret)
		ret = analyze_chains_new(&chains, w.eng, &all, err);
	if (!ret)
		ret = tables_walk_run(&w, err);
	if (!ret && make_rows(t, &w, chains, choice->fold))
		ret = cdict_fail_nomem(err);
	if (!ret) {
		loss_sum(&loss, r, opts.from_ns, opts.to_ns);
		t->lost = loss.lost;
		t->window_ns = opts.to_ns - opts.from_ns;
		t->events = cdict_reader_events(r);
		host = cdict_reader_info(r, "host.name");
		snprintf(t->host, sizeof(t->host), "%s", host ? host : "");
	}
	analyze_chains_free(chains);
	tables_walk_fini(&w);
	label_index_free(labels);
	cdict_reader_close(r);
	return ret;
}

bool top_by_key(char key, enum top_by *by)
{
	static const char keys[] = {
		[TOP_BY_WAITING] = 'w', [TOP_BY_EXITS] = 'e', [TOP_BY_CPU] = 'c'
	};
	const char *at = memchr(keys, key, sizeof(keys));

	if (at)
		*by = (enum top_by)(at - keys);
	return at;
}

static uint64_t key_of(const struct top_row *r, enum top_by by)
{
	return by == TOP_BY_WAITING ? r->waiting_ns : by == TOP_BY_EXITS ? r->exits : r->cpu_ns;
}

/* qsort() takes no context argument; for some hundred rows a second, this simple sort suffices. */
void top_rows_sort(struct top_rows *t, enum top_by by)
{
	for (size_t i = 1; i < t->rows.n; i++) {
		struct top_row row = t->rows.at[i];
		size_t at = i;

		for (; at && (key_of(&t->rows.at[at - 1], by) < key_of(&row, by) ||
			      (key_of(&t->rows.at[at - 1], by) == key_of(&row, by) &&
			       t->rows.at[at - 1].cpu_ns < row.cpu_ns));
		     at--)
			t->rows.at[at] = t->rows.at[at - 1];
		t->rows.at[at] = row;
	}
}

/* ---- printing ---- */

void top_print_lines(struct sink *s, const char *text, const struct top_view *view)
{
	char line[2048];

	for (size_t i = 0; *text && i < view->lines; i++) {
		size_t len = strcspn(text, "\n");

		if (!view->columns) {
			sink_add(s, text, len);
		} else {
			snprintf(line, sizeof(line), "%.*s", (int)len, text);
			table_fit_safe(s, line, view->columns);
		}
		sink_puts(s, view->eol);
		text += len + (text[len] == '\n');
	}
}

void top_rows_head(const struct top_rows *t, struct sink *s, enum top_by by,
		   const struct top_view *view)
{
	char line[512], events[NUMBER_ROOM], lost[NUMBER_ROOM];

	snprintf(line, sizeof(line), "%s: %.1f s, %s event%s, %s lost; by %s", t->host,
		 (double)t->window_ns / 1e9, number_grouped(events, t->events),
		 t->events == 1 ? "" : "s", number_grouped(lost, t->lost),
		 by == TOP_BY_WAITING ? "waiting"
		 : by == TOP_BY_EXITS ? "exits"
				      : "CPU");
	top_print_lines(s, line, view);
}

enum {
	NAME,
	TID,
	PID,
	CPU,
	THREADS,
	WAITING,
	WORST,
	BEHIND,
	RUN,
	EXITS,
	GUEST,
	EXIT,
	HALTED,
	SWITCHES,
	INVOLUNTARY,
	WAKEUPS,
	MIGRATIONS,
	LATENCY,
	COLUMNS
};

static const struct table_column columns[COLUMNS + 1] = {
	[NAME] = { "name", "task", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[TID] = { "tid", "tid", TABLE_INTEGER, TABLE_KEEP, NULL, 0 },
	[PID] = { "pid", "pid", TABLE_INTEGER, TABLE_SPARE, NULL, 0 },
	[CPU] = { "cpu", "cpu", TABLE_INTEGER, TABLE_SPARE, NULL, 0 },
	[THREADS] = { "threads", "threads", TABLE_COUNT, TABLE_SPARE, NULL, 0 },
	[WAITING] = { "waiting_percent", "waited %", TABLE_PERCENT, TABLE_KEEP, NULL, 0 },
	[WORST] = { "worst_ns", "worst ms", TABLE_MS, 0, NULL, 0 },
	[BEHIND] = { "behind", "behind", TABLE_TEXT, TABLE_KEEP, NULL, 0 },
	[RUN] = { "run_percent", "CPU %", TABLE_PERCENT, TABLE_KEEP, NULL, 0 },
	[EXITS] = { "exits", "exits", TABLE_COUNT, TABLE_KEEP, NULL, 0 },
	[GUEST] = { "guest_percent", "guest %", TABLE_PERCENT, 0, NULL, 0 },
	[EXIT] = { "exit_percent", "exit %", TABLE_PERCENT, 0, NULL, 0 },
	[HALTED] = { "halted_percent", "halted %", TABLE_PERCENT, 0, NULL, 0 },
	[SWITCHES] = { "switches", "switches", TABLE_COUNT, TABLE_WIDE, NULL, 0 },
	[INVOLUNTARY] = { "involuntary", "involunt", TABLE_COUNT, TABLE_WIDE, NULL, 0 },
	[WAKEUPS] = { "wakeups", "wakeups", TABLE_COUNT, TABLE_WIDE, NULL, 0 },
	[MIGRATIONS] = { "migrations", "migr", TABLE_COUNT, TABLE_WIDE, NULL, 0 },
	[LATENCY] = { "latency_max_ns", "lat max ms", TABLE_MS, TABLE_WIDE, NULL, 0 },
	TABLE_COLUMNS_END,
};

static void fill_row(struct table *t, const struct top_row *row, uint64_t window_ns)
{
	uint64_t whole_ns = row->window_ns ? row->window_ns : window_ns;

	table_row(t);
	table_text(t, NAME, row->name);
	table_share(t, WAITING, row->waiting_ns, whole_ns);
	table_share(t, RUN, row->cpu_ns, whole_ns);
	if (row->threads)
		table_u64(t, THREADS, row->threads);
	if (row->guests) {
		table_u64(t, EXITS, row->exits);
		table_share(t, GUEST, row->guest_ns, whole_ns);
		table_share(t, EXIT, row->exit_ns, whole_ns);
		table_share(t, HALTED, row->halted_ns, whole_ns);
	}
	if (row->window_ns)
		return; /* of a job */
	if (row->tid >= 0)
		table_i64(t, TID, row->tid);
	if (row->pid >= 0)
		table_i64(t, PID, row->pid);
	if (row->cpu >= 0)
		table_i64(t, CPU, row->cpu);
	if (row->worst_ns)
		table_u64(t, WORST, row->worst_ns);
	table_text(t, BEHIND, row->behind);
	table_u64(t, SWITCHES, row->switches);
	table_u64(t, INVOLUNTARY, row->involuntary);
	table_u64(t, WAKEUPS, row->wakeups);
	table_u64(t, MIGRATIONS, row->migrations);
	table_u64(t, LATENCY, row->latency_ns);
}

int top_rows_list(const struct top_rows *t, struct sink *s, const struct top_view *view)
{
	enum { ABOVE = 2 }; /* lines: names of columns, and a rule */
	size_t lines = view->lines > ABOVE ? view->lines - ABOVE : 0, rows = t->rows.n;
	struct table_frame frame = { .columns = (unsigned)view->columns, .live = true };
	struct table_column own[COLUMNS + 1];
	struct table *table;
	struct sink out;
	char *text;

	memcpy(own, columns, sizeof(own));
	own[NAME].title = t->what ? t->what : t->folded ? "VM" : "task";
	if (t->each)
		own[THREADS].title = t->each;
	/* a terminal shows those that fit */
	for (size_t c = 0; c < COLUMNS && (view->wide || view->columns); c++)
		if (own[c].flags & TABLE_WIDE)
			own[c].flags = TABLE_SPARE;
	if (!rows)
		top_print_lines(s, "(no task ran)\n", view);
	if (!rows)
		return 0;
	rows = rows < view->rows ? rows : view->rows;
	if (rows > lines || (rows == lines && rows < t->rows.n))
		rows = lines > 1 ? lines - 1 : 1; /* below them is their number */
	table = table_new("top", own);
	/* the rows that follow are only counted */
	for (size_t i = 0; table && i < t->rows.n; i++)
		fill_row(table, &t->rows.at[i], t->window_ns);
	table = table ? table_done(table) : NULL;
	if (!table)
		return -ENOMEM;
	table_top(table, rows);
	sink_to_memory(&out);
	table_print_text_table(&out, &frame, table);
	text = sink_take(&out, NULL);
	table_free(table);
	if (text)
		top_print_lines(s, text, view);
	free(text);
	return text ? 0 : -ENOMEM;
}

void top_rows_fini(struct top_rows *t)
{
	for (size_t i = 0; i < t->rows.n; i++) {
		free(t->rows.at[i].name);
		free(t->rows.at[i].behind);
	}
	array_fini(&t->rows);
	*t = (struct top_rows){ 0 };
}
