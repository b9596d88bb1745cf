/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes a host's figures, of a bucket or of its whole time. */
#include <math.h>

#include "query/fleet/figures/grid.h"

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
