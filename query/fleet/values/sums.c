/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes a host's figures, of a bucket or of its whole time. */
#include "query/fleet/values/sums.h"

#include <math.h>

#include "base/saturate.h"

const struct fleet_figure_name fleet_figure_names[FLEET_FIGURES] = {
	[FLEET_WAITING] = { "waiting_percent", "waiting",
			    "time that runnable tasks waited for a CPU, in percent of the CPUs' known time" },
	[FLEET_BUSY] = { "busy_percent", "CPU busy",
			 "time that tasks ran, in percent of the CPUs' known time" },
	[FLEET_LATENCY_P99] = { "latency_p99_ns", "run queue p99",
				"from wake-up to running: 99 % of the wake-ups took at most this long" },
	[FLEET_LATENCY_AVG] = { "latency_avg_ns", "run queue mean",
				"from wake-up to running, on average" },
	[FLEET_SWITCHES] = { "switches_per_s", "switches/s",
			     "switches away from a task, per host and second" },
	[FLEET_MIGRATIONS] = { "migrations_per_s", "migrations/s",
			       "tasks that moved to another CPU, per host and second" },
	[FLEET_DELAYED] = { "delayed_percent", "vCPUs waited",
			    "time that vCPUs were preempted or waited for a CPU, in percent of their known time" },
	[FLEET_GUEST_SHARE] = { "guest_percent", "in guests",
				"time in the guest, in percent of the vCPUs' known time" },
	[FLEET_EXIT_SHARE] = { "exit_percent", "handling exits",
			       "time in the kernel handling exits, in percent of the vCPUs' known time" },
	[FLEET_EXITS_RATE] = { "exits_per_s", "exits/s",
			       "VM exits except those of idle guests, per host and second" },
	[FLEET_EVENTS_RATE] = { "events_per_s", "events/s",
				"events recorded, per host and second" },
	[FLEET_LOST] = { "lost_percent", "events lost", "events lost, in percent of all" },
};

static double share(double part, double whole)
{
	return whole > 0 ? 100.0 * part / whole : NAN;
}

static double rate(uint64_t n, uint64_t window_ns)
{
	return window_ns ? 1e9 * (double)n / (double)window_ns : NAN;
}

double fleet_figure(const struct fleet_sums *s, enum fleet_figure figure)
{
	const struct histogram *h = &s->latency;

	switch (figure) {
	case FLEET_WAITING:
		return share((double)s->wait_ns, s->wait_cpu_ns);
	case FLEET_BUSY:
		return share((double)s->run_ns, s->run_cpu_ns);
	case FLEET_LATENCY_P99:
		return h->count ? (double)histogram_percentile(h, 99) : NAN;
	case FLEET_LATENCY_AVG:
		return h->count ? (double)histogram_avg(h) : NAN;
	case FLEET_SWITCHES:
		return rate(s->switches, s->run_window_ns);
	case FLEET_MIGRATIONS:
		return rate(s->migrations, s->run_window_ns);
	case FLEET_DELAYED:
		return share((double)s->delayed_ns, (double)s->vcpu_ns);
	case FLEET_GUEST_SHARE:
		return share((double)s->guest_ns, (double)s->vcpu_ns);
	case FLEET_EXIT_SHARE:
		return share((double)s->exit_ns, (double)s->vcpu_ns);
	case FLEET_EXITS_RATE:
		return rate(s->exits, s->exits_window_ns);
	case FLEET_EVENTS_RATE:
		return rate(s->events, s->window_ns);
	case FLEET_LOST:
		return share((double)s->lost, (double)s->events + (double)s->lost);
	default:
		return NAN;
	}
}

/* ---- sums of a bucket ---- */

void fleet_summing_row(struct fleet_summing *b, enum fleet_kind kind, const struct fleet_key *key,
		       const union fleet_any *any, unsigned lacks)
{
	struct fleet_sums *s = &b->sums;

	if (kind == FLEET_TASKS && !key->idle) {
		b->tasks = true;
		b->lacks |= lacks;
		s->run_ns += any->task.run_ns;
		s->wait_ns += any->task.delayed_ns;
		s->switches += any->task.switches;
		s->migrations += any->task.migrations;
		b->failed |= histogram_merge(&s->latency, &any->task.latency) != 0;
	} else if (kind == FLEET_EXITS && !key->idle) {
		s->exits += any->exit.events;
	} else if (kind == FLEET_VCPUS) {
		b->vcpus = true;
		s->vcpu_ns +=
			analyze_vcpu_life_ns(&any->vcpu) - analyze_vcpu_unknown_ns(&any->vcpu);
		s->delayed_ns += analyze_vcpu_delayed_ns(&any->vcpu);
		s->guest_ns += any->vcpu.ns[ANALYZE_VCPU_GUEST];
		s->exit_ns += any->vcpu.ns[ANALYZE_VCPU_EXIT];
	}
}

int fleet_sums_add(struct fleet_sums *to, const struct fleet_sums *s)
{
	saturated_add(&to->window_ns, s->window_ns);
	saturated_add(&to->events, s->events);
	saturated_add(&to->lost, s->lost);
	to->run_cpu_ns += s->run_cpu_ns;
	saturated_add(&to->run_window_ns, s->run_window_ns);
	saturated_add(&to->run_ns, s->run_ns);
	to->wait_cpu_ns += s->wait_cpu_ns;
	saturated_add(&to->wait_ns, s->wait_ns);
	saturated_add(&to->switches, s->switches);
	saturated_add(&to->migrations, s->migrations);
	saturated_add(&to->exits, s->exits);
	saturated_add(&to->exits_window_ns, s->exits_window_ns);
	saturated_add(&to->vcpu_ns, s->vcpu_ns);
	saturated_add(&to->delayed_ns, s->delayed_ns);
	saturated_add(&to->guest_ns, s->guest_ns);
	saturated_add(&to->exit_ns, s->exit_ns);
	return histogram_merge(&to->latency, &s->latency);
}

#define UNKNOWN_MOST 0.1 /* share of CPU time: if more is unknown, waiting is unknown too */

void fleet_summing_end(struct fleet_summing *b, const struct fleet_window *w)
{
	const unsigned waits = TABLE_OF_SWITCHES | TABLE_OF_WAKEUPS | TABLE_OF_TIMES_OFF |
			       TABLE_OF_RUNS | TABLE_OF_ALL | TABLE_OF_STATES;
	struct fleet_sums *s = &b->sums;
	double whole_ns = (double)w->window_ns * w->cpus;
	double cpu_ns = fmax(0, whole_ns - (double)w->unknown_ns);

	s->window_ns = w->window_ns;
	s->events = w->events;
	s->lost = w->lost;
	if (b->tasks && !(b->lacks & (TABLE_OF_SWITCHES | TABLE_OF_RUNS))) {
		s->run_cpu_ns = cpu_ns;
		s->run_window_ns = w->window_ns;
	} else {
		s->run_ns = s->switches = s->migrations = 0;
	}
	if (b->tasks && !(b->lacks & waits) && cpu_ns >= (1 - UNKNOWN_MOST) * whole_ns)
		s->wait_cpu_ns = cpu_ns;
	else
		s->wait_ns = 0;
	if (b->vcpus)
		s->exits_window_ns = w->window_ns;
	else
		s->exits = 0;
}

void fleet_summing_reset(struct fleet_summing *b)
{
	histogram_fini(&b->sums.latency);
	*b = (struct fleet_summing){ 0 };
}
