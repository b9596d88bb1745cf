/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sums.h - a host's figures, of a bucket or of a longer time, and the sums from which they are computed.
 *
 * Units      *_ns durations, percent, per second per host
 * Ownership  caller's storage, zeroed; empty its histogram
 */
#ifndef QUERY_FLEET_VALUES_SUMS_H
#define QUERY_FLEET_VALUES_SUMS_H

#include "query/fleet/values/rows.h"

enum fleet_figure {
	FLEET_WAITING = 0, /* hosts are ranked by it */
	FLEET_BUSY,
	FLEET_LATENCY_P99,
	FLEET_LATENCY_AVG,
	FLEET_SWITCHES,
	FLEET_MIGRATIONS,
	FLEET_DELAYED,
	FLEET_GUEST_SHARE,
	FLEET_EXIT_SHARE,
	FLEET_EXITS_RATE,
	FLEET_EVENTS_RATE,
	FLEET_LOST,
	FLEET_FIGURES,
};

struct fleet_figure_name {
	const char *key, *title;
	const char *about; /* a sentence without a full stop */
};
extern const struct fleet_figure_name fleet_figure_names[FLEET_FIGURES];

/* Sums from which figures are computed. Each has its own base: the time in which its events were recorded. */
struct fleet_sums {
	uint64_t window_ns, events, lost;
	double run_cpu_ns; /* window times CPUs, without time in which the running task is unknown; */
	uint64_t run_ns, switches, migrations, run_window_ns;
	double wait_cpu_ns;
	uint64_t wait_ns;
	struct histogram latency;
	uint64_t exits, exits_window_ns;
	uint64_t vcpu_ns; /* time in which their state is known */
	uint64_t delayed_ns, guest_ns, exit_ns;
};

/* fleet_figure - NAN: unknown. */
double fleet_figure(const struct fleet_sums *s, enum fleet_figure figure);
/* fleet_sums_add - 0 or -ENOMEM. */
int fleet_sums_add(struct fleet_sums *to, const struct fleet_sums *s);

/* The sums of one bucket while its rows are read. */
struct fleet_summing {
	struct fleet_sums sums;
	unsigned lacks; /* TABLE_OF_* that its task rows lack */
	bool tasks, vcpus;
	bool failed; /* out of memory */
};
void fleet_summing_row(struct fleet_summing *b, enum fleet_kind kind, const struct fleet_key *key,
		       const union fleet_any *any, unsigned lacks);
/* fleet_summing_end - computes the bases of the bucket's figures; a figure with a missing part is unknown. */
void fleet_summing_end(struct fleet_summing *b, const struct fleet_window *w);
/* fleet_summing_reset - for the next bucket. */
void fleet_summing_reset(struct fleet_summing *b);

#endif
