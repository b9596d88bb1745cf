/* SPDX-License-Identifier: GPL-2.0-only */
/* Figures of VMs and tasks in the last second, from the tables, one line each. */
#include "cmd/top/top.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/map.h"
#include "base/text/escape.h"
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
static struct top_row *row_of(struct top_rows *t, const struct table *tasks, size_t i, bool fold)
{
	const struct table_cell *vm = cell(tasks, i, "vm"), *name = cell(tasks, i, "name");
	const char *text = !fold ? name->set ? name->text : "?" : vm->set ? vm->text : "(host)";
	struct top_row *row;

	/* there are few VMs: compare their names */
	for (size_t r = 0; fold && r < t->rows.n; r++)
		if (!strcmp(t->rows.at[r].name, text))
			return &t->rows.at[r];
	row = array_add(&t->rows);
	if (row && !(row->name = strdup(text)))
		row = NULL;
	return row;
}

/* On a host without VMs, a single row for everything would be useless. */
static bool any_vm(const struct table *tasks)
{
	size_t i = 0;

	while (i < tasks->n_rows && !cell(tasks, i, "vm")->set)
		i++;
	return i < tasks->n_rows;
}

/* Maps tids to rows of the table of vCPUs. */
static int index_vcpus(struct map *m, const struct table *vcpus)
{
	for (size_t i = 0; i < vcpus->n_rows; i++) {
		uint32_t *at = map_add(m, (uint64_t)tid_of(vcpus, i), 0);

		if (!at)
			return -ENOMEM;
		*at = (uint32_t)i;
	}
	return 0;
}

/* The run-queue wait: exact for vCPUs; for other tasks preemption waits plus wake-up latencies,
 * each counted in full when it ended in the window. */
static uint64_t waiting(const struct table *tasks, size_t i, const struct table *vcpus,
			const uint32_t *vcpu)
{
	if (vcpu)
		return number(vcpus, *vcpu, "delayed_ns");
	return number(tasks, i, "preempt_ns") +
	       number(tasks, i, "latency_avg_ns") * number(tasks, i, "wakeups");
}

/* Makes a row per task; figures of the other tables are added by tid. */
static int make_rows(struct top_rows *t, const struct tables_walk *w, bool fold)
{
	struct table *tasks = tables_tasks(w, false), *vcpus = tables_vcpu(w);
	struct table *exits = tables_exits(w, TABLES_EXITS_BY_TASK, NULL);
	struct map rows = { 0 }, by_tid = { 0 };
	int ret = tasks && vcpus && exits ? index_vcpus(&by_tid, vcpus) : -ENOMEM;

	fold = fold && !ret && any_vm(tasks);

	for (size_t i = 0; !ret && i < tasks->n_rows; i++) {
		struct top_row *row;
		uint32_t *at;

		if (cell(tasks, i, "idle")->i64)
			continue;
		row = row_of(t, tasks, i, fold);
		at = row ? map_add(&rows, (uint64_t)tid_of(tasks, i), 0) : NULL;
		if (!at) {
			ret = -ENOMEM;
			break;
		}
		*at = (uint32_t)(row - t->rows.at);
		row->threads++;
		row->cpu_ns += number(tasks, i, "run_ns");
		row->waiting_ns +=
			waiting(tasks, i, vcpus, map_find(&by_tid, (uint64_t)tid_of(tasks, i), 0));
	}
	for (size_t i = 0; !ret && i < vcpus->n_rows; i++) {
		const uint32_t *at = map_find(&rows, (uint64_t)tid_of(vcpus, i), 0);

		if (!at)
			continue;
		t->rows.at[*at].guest_ns += number(vcpus, i, "guest_ns");
		t->rows.at[*at].exit_ns += number(vcpus, i, "exit_ns");
		t->rows.at[*at].halted_ns += number(vcpus, i, "halted_ns");
	}
	for (size_t i = 0; !ret && i < exits->n_rows; i++) {
		const uint32_t *at = map_find(&rows, (uint64_t)tid_of(exits, i), 0);

		if (at)
			t->rows.at[*at].exits += number(exits, i, "count");
	}
	map_fini(&rows);
	map_fini(&by_tid);
	table_free(tasks);
	table_free(vcpus);
	table_free(exits);
	return ret;
}

int top_rows_fill(struct top_rows *t, const void *cdict, size_t size, uint64_t ns, bool fold,
		  struct cdict_error *err)
{
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
	opts.from_ns = last - first > ns ? last - ns : first;
	ret = label_index_new(&labels, r, false, NULL, err);
	opts.names.labels = labels;
	if (!ret)
		ret = tables_walk_init(&w, r, &opts, err);
	if (!ret)
		ret = tables_walk_add(&w, err);
	if (!ret)
		ret = tables_walk_run(&w, err);
	if (!ret && make_rows(t, &w, fold))
		ret = cdict_fail_nomem(err);
	if (!ret) {
		loss_sum(&loss, r, opts.from_ns, opts.to_ns);
		t->lost = loss.lost;
		t->window_ns = opts.to_ns - opts.from_ns;
		t->events = cdict_reader_events(r);
		host = cdict_reader_info(r, "host.name");
		snprintf(t->host, sizeof(t->host), "%s", host ? host : "");
	}
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

static double percent(const struct top_rows *t, const struct top_row *r, uint64_t ns)
{
	uint64_t whole = r->window_ns ? r->window_ns : t->window_ns;

	return whole ? 100.0 * (double)ns / (double)whole : 0;
}

/* Prints a line cut to the terminal's width, without control characters. */
static void print_line(struct sink *s, const char *text, size_t columns, const char *eol)
{
	table_fit_safe(s, text, columns);
	sink_puts(s, eol);
}

void top_rows_head(const struct top_rows *t, struct sink *s, enum top_by by, size_t columns,
		   const char *eol)
{
	char line[512], events[NUMBER_ROOM], lost[NUMBER_ROOM];

	snprintf(line, sizeof(line), "%s: %.1f s, %s events, %s lost; by %s", t->host,
		 (double)t->window_ns / 1e9, number_grouped(events, t->events),
		 number_grouped(lost, t->lost),
		 by == TOP_BY_WAITING ? "waiting"
		 : by == TOP_BY_EXITS ? "exits"
				      : "CPU");
	print_line(s, line, columns, eol);
}

void top_rows_print(const struct top_rows *t, struct sink *s, enum top_by by, size_t lines,
		    size_t columns, const char *eol)
{
	top_rows_head(t, s, by, columns, eol);
	top_rows_list(t, s, lines - 1, columns, eol);
}

void top_rows_list(const struct top_rows *t, struct sink *s, size_t lines, size_t columns,
		   const char *eol)
{
	char line[512], exits[NUMBER_ROOM];

	snprintf(line, sizeof(line), "%9s %9s %9s %9s %9s %9s  %s", "waiting %", "exits", "CPU %",
		 "guest %", "exit %", "halted %", t->what ? t->what : "task or VM (threads)");
	print_line(s, line, columns, eol);
	for (size_t i = 0; i < t->rows.n && i + 1 < lines; i++) {
		const struct top_row *r = &t->rows.at[i];
		struct sink one;
		char *text;

		sink_to_memory(&one);
		sink_printf(&one, "%9.1f %9s %9.1f %9.1f %9.1f %9.1f  ",
			    percent(t, r, r->waiting_ns), number_grouped(exits, r->exits),
			    percent(t, r, r->cpu_ns), percent(t, r, r->guest_ns),
			    percent(t, r, r->exit_ns), percent(t, r, r->halted_ns));
		escape_terminal(&one, r->name, strlen(r->name));
		if (r->threads > 1)
			sink_printf(&one, " (%u)", r->threads);
		text = sink_take(&one, NULL);
		s->buf.failed |= !text;
		print_line(s, text ? text : "", columns, eol);
		free(text);
	}
}

void top_rows_fini(struct top_rows *t)
{
	for (size_t i = 0; i < t->rows.n; i++)
		free(t->rows.at[i].name);
	array_fini(&t->rows);
	*t = (struct top_rows){ 0 };
}
