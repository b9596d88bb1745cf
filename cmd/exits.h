/* SPDX-License-Identifier: GPL-2.0-only */
/* exits.h - the tables of `cdict exits`, one function each. */
#ifndef CMD_EXITS_H
#define CMD_EXITS_H

#include "analyze/exits.h"
#include "cmd/figures.h"

/* What --by takes, in this order. */
enum exits_by {
	EXITS_BY_TASK = 0,
	EXITS_BY_REASON,
	EXITS_BY_VM,
	EXITS_BY_VCPU,
	EXITS_BY_PORT, /* from here on: where the access went */
	EXITS_BY_ADDRESS,
	EXITS_BY_MSR,
	EXITS_BY_VECTOR,
};

/* HLT and its kin are the guest being idle, not work: kept apart. */
struct exits_totals {
	struct analyze_exit_row work, idle;
};

/* Each gives a table (free it, also after a failure) and a status. */
int exits_fill(struct table **out, const struct figures *f, const struct analyze_exits *exits,
	       int by, struct exits_totals *sum);
int exits_fill_guest(struct table **out, const struct figures *f,
		     const struct analyze_exits *exits);
int exits_fill_access(struct table **out, const struct figures *f,
		      const struct analyze_exits *exits, enum analyze_access_kind kind);

#endif
