/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perfnumbers - prints the output of perf's reports for a cdict, from the figures of
 * analyze/ alone: for tests/oracle/figures/numbers.sh.
 *
 *	perfnumbers timehist|state|latency|vmexit|ioport|mmio|msr FILE.cdict [6.12]
 *
 * As perf of Linux 6.1 does, or of 6.12: R+ is R to that one, and a wait after a preemption delay.
 *
 * One row a line, blanks between the columns, unsorted:
 *	timehist  tid sched-in run-time min-run avg-run max-run migrations FLAGS ns, the run-time uncut
 *	state     tid run-time sleep iowait preempt delay FLAGS
 *	latency   tid runtime switches avg-delay max-delay start end
 *	others    name samples min max avg
 * FLAGS: d the task died, u some of its time or a wait is unknown, - neither.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/kvm/exits.h"
#include "analyze/sched/latency.h"
#include "analyze/sched/tasks.h"
#include "analyze/walk/ops.h"
#include "base/memory/array.h"

/* As print_sched_time() of perf: cut, not rounded. */
static void ms(uint64_t ns)
{
	printf(" %" PRIu64 ".%03" PRIu64, ns / 1000000, ns / 1000 % 1000);
}

static struct analyze_latency *lat;

/*
 * Waits that a sched_wakeup begins although the capture has sched_waking: the task was woken while it
 * was still on its CPU.  perf ignores sched_wakeup then, so its delays lack them.
 */
struct up {
	bool pending;
	uint64_t open_ns, sum_ns; /* of the slice that such a wait led to; of those that ended */
};

static struct {
	struct analyze_engine *eng;
	ARRAY(struct up) tasks;
} ups;

static struct up *up_of(uint32_t task)
{
	if (task >= ups.tasks.n && array_resize(&ups.tasks, (size_t)task + 1))
		exit(1);
	return &ups.tasks.at[task];
}

static void on_wake(void *self, const struct analyze_wake *wake)
{
	(void)self;
	if (wake->first)
		up_of(wake->task)->pending = wake->kind == ANALYZE_KIND_WAKEUP &&
					     analyze_engine_summary(ups.eng)->has_waking;
}

static void on_switch(void *self, const struct analyze_switch *sw)
{
	struct up *u = up_of(sw->prev);

	(void)self;
	u->sum_ns += u->open_ns;
	*u = (struct up){ .sum_ns = u->sum_ns };
	u = up_of(sw->next);
	u->open_ns = u->pending && sw->ready_ns != ANALYZE_NO_TIME ? sw->t_ns - sw->ready_ns : 0;
	u->pending = false;
}

static const struct analyze_ops ups_ops = { .wake = on_wake, .sw = on_switch };

static void flags(const struct analyze_task *task, const struct analyze_task_row *row)
{
	bool died = task->exit_ns != ANALYZE_NO_TIME || row->outs[ANALYZE_OFF_DEAD];
	bool unsure = row->unknown_ns;

	for (size_t i = 0; i < analyze_latency_row_count(lat); i++) {
		const struct analyze_latency_row *waits = analyze_latency_row_at(lat, i);

		unsure |= waits->task == row->task && waits->incomplete;
	}
	printf(" %s%s%s", died ? "d" : "", unsure ? "u" : "", died || unsure ? "" : "-");
}

static void timehist(const struct analyze_task *task, const struct analyze_task_row *row)
{
	uint64_t run = row->run_ns - row->edge_ns;

	printf("%d %" PRIu64, task->tid, row->switches);
	ms(run);
	ms(row->edge_outs ? 0 : row->slice.min);
	ms(run / row->switches);
	ms(row->slice.max);
	printf(" %" PRIu64, row->migrate_events);
	flags(task, row);
	printf(" %" PRIu64 "\n", run);
}

static void state(const struct analyze_task *task, const struct analyze_task_row *row, bool newer)
{
	uint64_t off[ANALYZE_OFF_N],
		sleep = 0,
		delay = row->latency.sum - row->open_latency_ns - up_of(row->task)->sum_ns;

	for (unsigned s = 0; s < ANALYZE_OFF_N; s++) {
		off[s] = row->off_ns[s] - row->tail_ns[s];
		if (row->open_off == s)
			off[s] -= row->open_off_ns;
		if (s != ANALYZE_OFF_DISK && s != ANALYZE_OFF_RUNNABLE)
			sleep += off[s];
	}
	if (newer) {
		sleep -= off[ANALYZE_OFF_PREEMPTED];
		off[ANALYZE_OFF_RUNNABLE] += off[ANALYZE_OFF_PREEMPTED];
		delay += off[ANALYZE_OFF_RUNNABLE];
	}
	printf("%d", task->tid);
	ms(row->run_ns - row->edge_ns);
	ms(sleep);
	ms(off[ANALYZE_OFF_DISK]);
	ms(off[ANALYZE_OFF_RUNNABLE]);
	ms(delay);
	flags(task, row);
	printf("\n");
}

static void second(uint64_t ns)
{
	printf(" %" PRIu64 ".%06" PRIu64, ns / 1000000000, ns / 1000 % 1000000);
}

static void latency(const struct analyze_task *task, const struct analyze_latency_row *row)
{
	const struct analyze_perf_latency *p = &row->perf;

	if (!p->count || !task->tid)
		return;
	printf("%d %.3f %" PRIu64 " %.3f %.3f", task->tid, (double)p->runtime_ns / 1e6, p->count,
	       (double)(p->sum_ns / p->count) / 1e6, (double)p->max_ns / 1e6);
	second(p->max_start_ns);
	second(p->max_end_ns);
	printf("\n");
}

/* Rows of one name are one row in perf's report. */
struct group {
	char name[64];
	struct histogram time;
};

static struct group groups[65536];
static size_t n_groups;

static void group(const char *name, const struct histogram *time)
{
	size_t i = 0;

	while (i < n_groups && strcmp(groups[i].name, name))
		i++;
	if (i == n_groups && n_groups < sizeof(groups) / sizeof(groups[0]))
		snprintf(groups[n_groups++].name, sizeof(groups[0].name), "%s", name);
	if (i < n_groups && histogram_merge(&groups[i].time, time))
		exit(1);
}

static void print_groups(void)
{
	for (size_t i = 0; i < n_groups; i++) {
		const struct histogram *h = &groups[i].time;

		if (h->count)
			printf("%s %" PRIu64 " %.2f %.2f %.2f\n", groups[i].name, h->count,
			       (double)h->min / 1e3, (double)h->max / 1e3,
			       (double)h->sum / (double)h->count / 1e3);
	}
}

static void accesses(const struct analyze_exits *exits, const char *what)
{
	static const struct {
		const char *what;
		enum analyze_access_kind kind;
		const char *names[2];
	} kinds[] = { { "ioport", ANALYZE_ACCESS_PIO, { "PIN", "POUT" } },
		      { "mmio", ANALYZE_ACCESS_MMIO, { "R", "W" } },
		      { "msr", ANALYZE_ACCESS_MSR, { "R", "W" } } };

	for (size_t i = 0; i < analyze_exits_access_count(exits); i++) {
		const struct analyze_access_row *row = analyze_exits_access_at(exits, i);
		char name[64];

		for (size_t k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
			if (strcmp(kinds[k].what, what) || kinds[k].kind != row->kind)
				continue;
			snprintf(name, sizeof(name), "0x%" PRIx64 ":%s", row->where,
				 kinds[k].names[row->write]);
			group(name, &row->time);
		}
	}
}

int main(int argc, char **argv)
{
	struct analyze_exits_options like_perf = { .like_perf = true };
	bool newer = argc == 4 && !strcmp(argv[3], "6.12");
	struct analyze_latency_options lat_opts = { .like_perf = newer ? ANALYZE_PERF_6_12
								       : ANALYZE_PERF_6_1 };
	struct cdict_error err = { 0 };
	struct cdict_reader *reader;
	struct analyze_engine *eng;
	struct analyze_tasks *tasks;
	struct analyze_exits *exits;

	if (argc != 3 && !newer)
		return 129;
	if (cdict_reader_open(&reader, argv[2], &err) || analyze_engine_new(&eng, NULL, &err) ||
	    analyze_tasks_new(&tasks, eng, NULL, &err) ||
	    analyze_exits_new(&exits, eng, &like_perf, &err) ||
	    analyze_latency_new(&lat, eng, &lat_opts, &err) ||
	    analyze_engine_add(ups.eng = eng, &ups_ops, NULL, &err) ||
	    analyze_engine_run_reader(eng, reader, &err)) {
		fprintf(stderr, "perfnumbers: %s: %s\n", argv[2], err.text);
		return 1;
	}
	for (size_t i = 0; i < analyze_tasks_row_count(tasks); i++) {
		const struct analyze_task_row *row = analyze_tasks_row_at(tasks, i);
		const struct analyze_task *task = analyze_engine_task(eng, row->task);

		if (!task->tid || !row->switches)
			continue;
		if (!strcmp(argv[1], "timehist"))
			timehist(task, row);
		else if (!strcmp(argv[1], "state"))
			state(task, row, newer);
	}
	for (size_t i = 0; !strcmp(argv[1], "latency") && i < analyze_latency_row_count(lat); i++) {
		const struct analyze_latency_row *row = analyze_latency_row_at(lat, i);

		latency(analyze_engine_task(eng, row->task), row);
	}
	for (size_t i = 0; !strcmp(argv[1], "vmexit") && i < analyze_exits_count(exits); i++)
		group(analyze_exits_at(exits, i)->name, &analyze_exits_at(exits, i)->time);
	accesses(exits, argv[1]);
	print_groups();
	for (size_t i = 0; i < n_groups; i++)
		histogram_fini(&groups[i].time);
	array_fini(&ups.tasks);
	analyze_tasks_free(tasks);
	analyze_exits_free(exits);
	analyze_latency_free(lat);
	analyze_engine_free(eng);
	cdict_reader_close(reader);
	return 0;
}
