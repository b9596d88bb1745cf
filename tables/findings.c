/* SPDX-License-Identifier: LGPL-2.1-only */
/* The sentences at the top of the page, each with where it leads to. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/escape.h"
#include "base/json.h"
#include "tables/loss.h"
#include "tables/number.h"
#include "tables/tables.h"

#define MOST 5
#define MOST_TASKS 3
/* In percent of the window. */
#define DELAYED_FROM 1.0
#define BUSY_FROM 90.0
#define IDLE_FROM 80.0

struct findings {
	struct json *j;
	const struct tables_walk *w;
	uint64_t t0_ns;
	size_t n;
	int rc;
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

/* A moment with ten times its length around it, at least 2 ms, inside the window. */
static void range_json(const struct findings *all, uint64_t at_ns, uint64_t dur_ns)
{
	const struct analyze_summary *sum = analyze_engine_summary(all->w->eng);
	struct json *j = all->j;
	uint64_t around = dur_ns * 5 > 1000000 ? dur_ns * 5 : 1000000;
	uint64_t from = at_ns > around ? at_ns - around : 0, to = at_ns + dur_ns + around;

	from = from < sum->from_ns ? sum->from_ns : from;
	to = to > sum->to_ns ? sum->to_ns : to;
	if (!dur_ns || from >= to) {
		json_null(j, "range");
		return;
	}
	json_open(j, "range", '[', false);
	json_u64(j, NULL, from - all->t0_ns);
	json_u64(j, NULL, to - all->t0_ns);
	json_close(j);
}

static void list_json(struct json *j, const char *key, uint32_t value, uint32_t none)
{
	json_open(j, key, '[', false);
	if (value != none)
		json_u64(j, NULL, value);
	json_close(j);
}

static void finding(struct findings *all, const struct tables_finding *about, const char *view,
		    const char *text)
{
	struct json *j = all->j;

	if (all->n == MOST)
		return;
	all->n++;
	json_open(j, NULL, '{', false);
	json_text(j, "text", text);
	json_text(j, "kind", about->kind);
	json_text(j, "view", view);
	range_json(all, about->at_ns, about->dur_ns);
	list_json(j, "tasks", about->task, ANALYZE_NO_TASK);
	json_open(j, "reasons", '[', false);
	if (about->reason)
		json_text(j, NULL, about->reason);
	json_close(j);
	list_json(j, "cpus", about->cpu, CDICT_CPU_UNKNOWN);
	json_close(j);
}

/* The whole of the window, unless the sentence is of one moment: a vCPU's worst wait stands in
 * it beside its sum, and the sum is what the link should show. */
static void vcpus(struct findings *all)
{
	struct tables_finding about[TABLES_FINDINGS];
	size_t n = 0;
	char *text = tables_vcpu_findings_about(all->w, about, &n), *save = NULL;
	char *line = text ? strtok_r(text, "\n", &save) : NULL;

	if (!text)
		all->rc = -ENOMEM;
	for (size_t i = 0; i < n && line; i++, line = strtok_r(NULL, "\n", &save)) {
		/* the CPU is where it waited once: no filter for the rest */
		about[i].cpu = CDICT_CPU_UNKNOWN;
		if (!strcmp(about[i].kind, "delayed"))
			about[i].dur_ns = 0;
		finding(all, &about[i], strcmp(about[i].kind, "handling") ? "vcpus" : "exits",
			line);
	}
	free(text);
}

/* ---- tasks: captures without VMs ---- */

static uint64_t delay_of(const struct analyze_latency_row *row)
{
	return row->wakeup.sum + row->preempt.sum;
}

static const struct histogram *longer_of(const struct analyze_latency_row *row)
{
	return row->wakeup.max >= row->preempt.max ? &row->wakeup : &row->preempt;
}

static void one_task(struct findings *all, const struct analyze_latency_row *row)
{
	const struct tables_walk *w = all->w;
	const struct analyze_task *task = analyze_engine_task(w->eng, row->task);
	const struct histogram *worst = longer_of(row);
	struct tables_finding about = { .kind = "delayed",
					.task = row->task,
					.cpu = CDICT_CPU_UNKNOWN };
	char at[NUMBER_ROOM], *name = names_who(&w->names, task), *text;
	struct sink s;

	sink_to_memory(&s);
	if (name)
		escape_terminal(&s, name, strlen(name));
	sink_puts(&s, tables_has_wakeups(w) ? " waited " : " was preempted for ");
	tables_duration(&s, delay_of(row));
	sink_puts(&s, " of ");
	tables_duration(&s, analyze_engine_summary(w->eng)->window_ns);
	sink_printf(&s, "%s, %" PRIu64 " times; worst ", tables_has_wakeups(w) ? " for a CPU" : "",
		    row->wakeup.count + row->preempt.count);
	tables_duration(&s, worst->max);
	sink_printf(&s, " at %s s.", number_seconds(at, worst->max_at));
	text = sink_take(&s, NULL);
	if (name && text)
		finding(all, &about, "tasks", text);
	else
		all->rc = -ENOMEM;
	free(name);
	free(text);
}

static void tasks(struct findings *all)
{
	const struct tables_walk *w = all->w;
	uint64_t window_ns = analyze_engine_summary(w->eng)->window_ns, below = UINT64_MAX;
	size_t last = SIZE_MAX, n = analyze_latency_row_count(w->latency);

	/* the most delayed, by twos and threes: n is small beside the walk */
	for (unsigned k = 0; k < MOST_TASKS; k++) {
		uint64_t most = 0;
		size_t best = SIZE_MAX;

		for (size_t i = 0; i < n; i++) {
			const struct analyze_latency_row *row =
				analyze_latency_row_at(w->latency, i);
			uint64_t ns = delay_of(row);

			if (ns > below || (ns == below && (last == SIZE_MAX || i <= last)) ||
			    percent(ns, window_ns) < DELAYED_FROM ||
			    (best != SIZE_MAX && ns <= most) ||
			    !names_wanted(&w->names, analyze_engine_task(w->eng, row->task)))
				continue;
			most = ns;
			best = i;
		}
		if (best == SIZE_MAX)
			return;
		below = most;
		last = best;
		one_task(all, analyze_latency_row_at(w->latency, best));
	}
}

/* ---- CPUs, loss ---- */

static void imbalance(struct findings *all)
{
	const struct tables_walk *w = all->w;
	uint64_t window_ns = analyze_engine_summary(w->eng)->window_ns;
	struct tables_finding about = { .kind = "imbalance",
					.task = ANALYZE_NO_TASK,
					.cpu = CDICT_CPU_UNKNOWN };
	const struct analyze_core_cpu *busiest = NULL, *idlest = NULL;
	uint32_t busy = 0, idle = 0;
	char text[160];

	for (uint32_t i = 0; i < analyze_engine_cpus(w->eng); i++) {
		const struct analyze_core_cpu *cpu = analyze_coremap_cpu(w->coremap, i);

		if (!busiest || cpu->busy_ns > busiest->busy_ns) {
			busiest = cpu;
			busy = i;
		}
		if (!idlest || cpu->idle_ns > idlest->idle_ns) {
			idlest = cpu;
			idle = i;
		}
	}
	if (!busiest || percent(busiest->busy_ns, window_ns) < BUSY_FROM ||
	    percent(idlest->idle_ns, window_ns) < IDLE_FROM)
		return;
	snprintf(text, sizeof(text),
		 "CPU %" PRIu32 " was busy %.0f %% of the time, CPU %" PRIu32 " idle %.0f %%.",
		 busy, percent(busiest->busy_ns, window_ns), idle,
		 percent(idlest->idle_ns, window_ns));
	finding(all, &about, "coremap", text);
}

static void lost(struct findings *all)
{
	const struct analyze_summary *sum = analyze_engine_summary(all->w->eng);
	struct tables_finding about = { .kind = "loss",
					.task = ANALYZE_NO_TASK,
					.cpu = CDICT_CPU_UNKNOWN };
	struct loss_sum loss;
	struct sink s;
	char *text;

	loss_sum(&loss, all->w->reader, sum->from_ns, sum->to_ns);
	if (!loss.lost && !loss.unreadable && !loss.damaged && !loss.throttled_ns)
		return;
	sink_to_memory(&s);
	loss_line(&s, &loss, sum->unknown_ns);
	sink_putc(&s, '.');
	text = sink_take(&s, NULL);
	if (text && text[0] == 'l') {
		text[0] = 'L';
		finding(all, &about, "cores", text);
	}
	all->rc = text ? all->rc : -ENOMEM;
	free(text);
}

/* Whether a vCPU was wanted and seen. */
static bool any_vcpu(const struct tables_walk *w)
{
	for (size_t i = 0; i < analyze_vcpus_row_count(w->vcpus); i++) {
		if (names_wanted(&w->names,
				 analyze_engine_task(w->eng,
						     analyze_vcpus_row_at(w->vcpus, i)->task)))
			return true;
	}
	return false;
}

int tables_findings_json(struct json *j, const struct tables_walk *w, uint64_t t0_ns)
{
	struct findings all = { .j = j, .w = w, .t0_ns = t0_ns };
	struct tables_finding good = { .kind = "good",
				       .task = ANALYZE_NO_TASK,
				       .cpu = CDICT_CPU_UNKNOWN };

	json_open(j, "findings", '[', true);
	if (any_vcpu(w))
		vcpus(&all);
	else
		tasks(&all);
	imbalance(&all);
	lost(&all);
	if (!all.n)
		finding(&all, &good, "tasks",
			tables_lacks(w) & TABLE_OF_SWITCHES
				? "This capture does not tell who ran: it holds no sched_switch."
			: tables_lacks(w) & TABLE_OF_TIMES_OFF
				? "Some CPUs were recorded only: how long tasks waited is unknown."
			: tables_has_wakeups(w) ? "No task waited 1 % of the time for a CPU."
						: "No task was preempted for 1 % of the time.");
	json_close(j);
	return all.rc;
}
