/* SPDX-License-Identifier: LGPL-2.1-only */
/* The sentences at the top of the page, each with its link. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/array.h"
#include "base/text/escape.h"
#include "base/text/json.h"
#include "tables/columns/loss.h"
#include "tables/columns/number.h"
#include "tables/columns/tables.h"
#include "tables/findings/fold.h"
#include "tables/guest/guests.h"

/* Number of tasks with most waits that get a sentence; of others the first one of each further
 * group does. */
#define NAMED_TASKS 2
/* In percent of the window. */
#define DELAYED_FROM 1.0
#define BUSY_FROM 90.0
#define IDLE_FROM 80.0

struct findings {
	struct json *j;
	const struct tables_walk *w;
	uint64_t t0_ns;
	struct fold_lines lines;
	const uint32_t *numbers; /* the page's numbers by the walk's; NULL: the same */
	size_t n, about_none;    /* sentences, and those without a task */
	int rc;
};

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static uint32_t number_of(const struct findings *all, uint32_t task)
{
	return all->numbers && task != ANALYZE_NO_TASK ? all->numbers[task] : task;
}

/* An interval with a fifth of its length before and after it, inside the window. */
static void range_json(const struct findings *all, uint64_t at_ns, uint64_t dur_ns)
{
	const struct analyze_summary *sum = analyze_engine_summary(all->w->eng);
	struct json *j = all->j;
	uint64_t around = (dur_ns + 2) / 5 > 20 ? (dur_ns + 2) / 5 : 20;
	uint64_t from = at_ns > around ? at_ns - around : 0, to = at_ns + dur_ns + around;

	from = from < all->t0_ns ? all->t0_ns : from;
	/* findings of a page's range may lead outside of it */
	if (!all->numbers) {
		from = from < sum->from_ns ? sum->from_ns : from;
		to = to > sum->to_ns ? sum->to_ns : to;
	}
	if (!dur_ns || from >= to) {
		json_null(j, "range");
		return;
	}
	json_open(j, "range", '[', false);
	json_u64(j, NULL, from - all->t0_ns);
	json_u64(j, NULL, to - all->t0_ns);
	json_close(j);
}

/* The wait to show: from, to, the waiting task, the task on the CPU, the CPU, for how long. */
static void wait_json(const struct findings *all, const struct tables_finding *about)
{
	struct json *j = all->j;

	if (!about->held_ns || about->at_ns < all->t0_ns ||
	    number_of(all, about->task) == ANALYZE_NO_TASK ||
	    number_of(all, about->behind) == ANALYZE_NO_TASK) {
		json_null(j, "wait");
		return;
	}
	json_open(j, "wait", '[', false);
	json_u64(j, NULL, about->at_ns - all->t0_ns);
	json_u64(j, NULL, about->at_ns + about->dur_ns - all->t0_ns);
	json_u64(j, NULL, number_of(all, about->task));
	json_u64(j, NULL, number_of(all, about->behind));
	json_u64(j, NULL, about->behind_cpu);
	json_u64(j, NULL, about->held_ns);
	json_close(j);
}

/* Unlike a terminal, the page shows "µs" and "×". */
static void units(char *text)
{
	static const char us[] = { TABLES_MENTION, 'u', ' ', 'u', 's', TABLES_MENTION_END, 0 };
	static const char times[] = { TABLES_MENTION, 'u', ' ', 'x', TABLES_MENTION_END, 0 };
	static const char *const marks[][2] = { { us, "µs" }, { times, "×" } };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		const char *mark = marks[i][0], *sign = marks[i][1];

		for (char *at = text; (at = strstr(at, mark));) {
			memcpy(at, sign, strlen(sign));
			memmove(at + strlen(sign), at + strlen(mark),
				strlen(at + strlen(mark)) + 1);
		}
	}
}

void tables_says_json(struct json *j, const char *key, char *text, uint64_t t0_ns,
		      const uint32_t *numbers)
{
	static const char mention[] = { TABLES_MENTION, 0 };

	units(text);
	json_open(j, key, '[', false);
	while (*text) {
		size_t n = strcspn(text, mention);
		char was = text[n], *end;

		if (n) {
			text[n] = 0;
			json_text(j, NULL, text);
			text[n] = was;
			text += n;
			continue;
		}
		if (text[1] == 't') {
			uint32_t task = (uint32_t)strtoul(text + 2, &end, 10);

			task = numbers ? numbers[task] : task;
			if (task == UINT32_MAX) {
				json_text(j, NULL, "a task that is not listed");
				text = strchr(end, TABLES_MENTION_END) + 1;
				continue;
			}
			json_open(j, NULL, '{', false);
			json_u64(j, "task", task);
		} else {
			uint64_t t_ns = strtoull(text + 2, &end, 10);

			json_open(j, NULL, '{', false);
			json_i64(j, "at", (int64_t)(t_ns - t0_ns));
		}
		json_close(j);
		text = strchr(end, TABLES_MENTION_END) + 1;
	}
	json_close(j);
}

static void list_json(struct json *j, const char *key, uint32_t value, uint32_t none)
{
	json_open(j, key, '[', false);
	if (value != none)
		json_u64(j, NULL, value);
	json_close(j);
}

/* The group of the task: its VM, else tasks like it. */
static void of_json(struct findings *all, uint32_t task)
{
	struct json *j = all->j;
	struct fold_place place;

	if (task == ANALYZE_NO_TASK ||
	    !fold_find(&all->lines.fold, analyze_engine_task(all->w->eng, task), &place)) {
		json_null(j, "of");
		return;
	}
	json_open(j, "of", '{', false);
	json_text(j, "kind", place.kind);
	json_text(j, "name", place.group);
	json_close(j);
}

/* The guest that @in is about, and the time of its task's wait. */
static void inside_json(const struct findings *all, const struct guest_finding *in, const char *vm)
{
	struct json *j = all->j;

	json_open(j, "of", '{', false);
	json_text(j, "kind", "guest");
	json_text(j, "name", vm);
	json_close(j);
	json_open(j, "inside", '[', false);
	json_u64(j, NULL, (uint64_t)in->tid);
	json_u64(j, NULL, in->at_ns > all->t0_ns ? in->at_ns - all->t0_ns : 0);
	json_close(j);
}

/* Adds a finding; reduces the mentions in @text to words. @in: it is about this task in @vm, or NULL. */
static void finding_in(struct findings *all, const struct tables_finding *about, const char *view,
		       char *text, const struct guest_finding *in, const char *vm)
{
	struct json *j = all->j;

	if (about->task == ANALYZE_NO_TASK) {
		if (all->lines.n + all->about_none >= FOLD_LINES)
			return;
		all->about_none++;
	} else {
		fold_lines_add(&all->lines, analyze_engine_task(all->w->eng, about->task));
	}
	all->n++;
	json_open(j, NULL, '{', false);
	tables_says_json(j, "says", text, all->t0_ns, all->numbers);
	tables_plain(text);
	json_text(j, "text", text);
	json_text(j, "kind", about->kind);
	if (in)
		inside_json(all, in, vm);
	else
		of_json(all, about->task);
	json_text(j, "view", view);
	range_json(all, about->at_ns, about->dur_ns);
	wait_json(all, about);
	list_json(j, "tasks", number_of(all, about->task), ANALYZE_NO_TASK);
	json_open(j, "reasons", '[', false);
	if (about->reason)
		json_text(j, NULL, about->reason);
	json_close(j);
	list_json(j, "cpus", about->cpu, CDICT_CPU_UNKNOWN);
	json_close(j);
}

static void finding(struct findings *all, const struct tables_finding *about, const char *view,
		    char *text)
{
	finding_in(all, about, view, text, NULL, NULL);
}

static void vcpus(struct findings *all)
{
	struct tables_finding about[TABLES_FINDINGS];
	size_t n = 0;
	char *text = tables_vcpu_findings_about(all->w, about, &n), *save = NULL;
	char *line = text ? strtok_r(text, "\n", &save) : NULL;

	if (!text)
		all->rc = -ENOMEM;
	for (size_t i = 0; i < n && line; i++, line = strtok_r(NULL, "\n", &save)) {
		/* the CPU of one wait must not filter the page */
		about[i].cpu = CDICT_CPU_UNKNOWN;
		finding(all, &about[i], strcmp(about[i].kind, "handling") ? "vcpus" : "exits",
			line);
	}
	free(text);
}

/* The same with the text in @s. */
static void add_sink(struct findings *all, const struct tables_finding *about, struct sink *s)
{
	char *text = sink_take(s, NULL);

	if (text)
		finding(all, about, "tasks", text);
	else
		all->rc = -ENOMEM;
	free(text);
}

/* ---- tasks of joined guests ---- */

/* @task of the guests' walk over the host in this one, which may be of a window. */
static uint32_t same_task(const struct findings *all, const struct guests *g, uint32_t task)
{
	const struct analyze_task *its =
		task == ANALYZE_NO_TASK ? NULL : analyze_engine_task(g->walk.eng, task);

	for (uint32_t i = 0; its && i < analyze_engine_task_count(all->w->eng); i++) {
		const struct analyze_task *t = analyze_engine_task(all->w->eng, i);

		if (t->tid == its->tid && t->is_vcpu)
			return i;
	}
	return ANALYZE_NO_TASK;
}

static void insides(struct findings *all, const struct guests *g)
{
	struct guest_finding found[GUEST_FINDINGS];
	size_t n = guests_findings(g, found);

	for (size_t i = 0; i < n; i++) {
		struct tables_finding about = { .kind = "delayed",
						.task = same_task(all, g, found[i].vcpu),
						.at_ns = found[i].at_ns,
						.dur_ns = found[i].dur_ns,
						.behind = ANALYZE_NO_TASK,
						.cpu = CDICT_CPU_UNKNOWN };
		struct sink s;
		char *text;

		if (about.task == ANALYZE_NO_TASK ||
		    percent(found[i].ns, g->to_ns - g->from_ns) < DELAYED_FROM)
			continue;
		sink_to_memory(&s);
		guests_say_finding(&s, g, &found[i]);
		sink_putc(&s, '.');
		text = sink_take(&s, NULL);
		if (text)
			finding_in(all, &about, "vcpus", text, &found[i],
				   g->all[found[i].guest].vm);
		else
			all->rc = -ENOMEM;
		free(text);
	}
}

/* ---- tasks: captures without VMs ---- */

static void one_task(struct findings *all, const struct analyze_task_row *row)
{
	struct tables_finding about = { .kind = "delayed",
					.task = row->task,
					.at_ns = row->worst.at_ns,
					.dur_ns = row->worst.dur_ns,
					.cpu = CDICT_CPU_UNKNOWN };
	struct sink s;

	sink_to_memory(&s);
	tables_say_waits(&s, all->w, row);
	sink_putc(&s, '.');
	add_sink(all, &about, &s);
}

static bool is_delayed(const struct tables_walk *w, const struct analyze_task_row *row)
{
	return percent(row->delayed_ns, analyze_engine_summary(w->eng)->window_ns) >=
		       DELAYED_FROM &&
	       names_wanted(&w->names, analyze_engine_task(w->eng, row->task));
}

/* One sentence about the rest, of which one waited for @most_ns. */
static void other_tasks(struct findings *all, size_t n, uint64_t most_ns)
{
	struct tables_finding about = { .kind = "delayed",
					.task = ANALYZE_NO_TASK,
					.cpu = CDICT_CPU_UNKNOWN };
	char more[NUMBER_ROOM];
	struct sink s;

	sink_to_memory(&s);
	sink_printf(&s, "%s more task%s %s%s %.0f %% of the time%s.", number_grouped(more, n),
		    n == 1 ? "" : "s",
		    tables_has_wakeups(all->w) ? "waited"
		    : n == 1                   ? "was preempted for"
					       : "were preempted for",
		    n == 1 ? "" : " up to",
		    percent(most_ns, analyze_engine_summary(all->w->eng)->window_ns),
		    tables_has_wakeups(all->w) ? " for a CPU" : "");
	add_sink(all, &about, &s);
}

struct sufferer {
	uint64_t ns;
	size_t at;
};

static int longest_first(const void *a, const void *b)
{
	const struct sufferer *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->at < y->at ? -1 : 1;
}

/* Whether the next task gets a sentence: @rest are left including it, and those need a line,
 * too. */
static bool has_line(struct findings *all, const struct analyze_task *task, size_t rest)
{
	if (fold_lines_has(&all->lines, task))
		return all->n < NAMED_TASKS;
	return all->lines.n + (rest > 1) < FOLD_LINES;
}

static void tasks(struct findings *all)
{
	const struct tables_walk *w = all->w;
	ARRAY(struct sufferer) delayed = { 0 };
	size_t rest;
	uint64_t most_ns = 0; /* among tasks without a sentence */

	for (size_t i = 0; i < analyze_tasks_row_count(w->tasks); i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(w->tasks, i);
		const struct sufferer one = { row->delayed_ns, i };

		if (is_delayed(w, row) && array_push(&delayed, one))
			all->rc = -ENOMEM;
	}
	rest = delayed.n;
	if (delayed.n)
		qsort(delayed.at, delayed.n, sizeof(*delayed.at), longest_first);
	for (size_t i = 0; i < delayed.n; i++) {
		const struct analyze_task_row *row =
			analyze_tasks_row_at(w->tasks, delayed.at[i].at);

		if (!has_line(all, analyze_engine_task(w->eng, row->task), rest)) {
			most_ns = most_ns ? most_ns : delayed.at[i].ns;
			continue;
		}
		one_task(all, row);
		rest--;
	}
	if (rest)
		other_tasks(all, rest, most_ns);
	array_fini(&delayed);
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

	if (tables_lacks(w) & TABLE_OF_ALL)
		return;
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
	loss_finding(&s, &loss, sum->unknown_ns);
	sink_putc(&s, '.');
	text = sink_take(&s, NULL);
	if (text && text[0] == 'l') {
		text[0] = 'L';
		finding(all, &about, "cores", text);
	}
	all->rc = text ? all->rc : -ENOMEM;
	free(text);
}

/* Whether there is a wanted vCPU. */
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

static void say(struct findings *all, const struct tables_finding *about, const char *text)
{
	struct sink s;

	sink_to_memory(&s);
	sink_puts(&s, text);
	add_sink(all, about, &s);
}

int tables_findings_json(struct json *j, const struct tables_walk *w, uint64_t t0_ns,
			 const uint32_t *numbers, const struct guests *g)
{
	struct findings all = { .j = j,
				.w = w,
				.t0_ns = t0_ns,
				.numbers = numbers,
				.lines.fold.culprits.names = &w->names };
	struct tables_finding good = { .kind = "good",
				       .task = ANALYZE_NO_TASK,
				       .cpu = CDICT_CPU_UNKNOWN };

	json_open(j, "findings", '[', true);
	if (any_vcpu(w))
		vcpus(&all);
	else
		tasks(&all);
	if (g)
		insides(&all, g);
	imbalance(&all);
	lost(&all);
	if (!all.n)
		say(&all, &good,
		    tables_lacks(w) & TABLE_OF_SWITCHES
			    ? "No sched_switch events: cannot tell which tasks ran."
		    : tables_lacks(w) & TABLE_OF_RUNS
			    ? "Only some tasks were recorded, without sched_stat_runtime: their run times are unknown."
		    : tables_lacks(w) & TABLE_OF_TIMES_OFF
			    ? "Only some CPUs were recorded: wait times are unknown."
		    : tables_lacks(w) & TABLE_OF_STATES
			    ? "prev_state was not recorded: cannot tell why tasks left their CPU and which were kept waiting."
		    : tables_has_wakeups(w) ? "No task waited 1 % of the time for a CPU."
					    : "No task was preempted for 1 % of the time.");
	json_close(j);
	if (all.lines.fold.culprits.failed)
		all.rc = -ENOMEM;
	fold_fini(&all.lines.fold);
	return all.rc;
}
