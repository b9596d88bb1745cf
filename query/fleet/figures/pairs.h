/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pairs.h - compares two jobs row by row: before, after, and the change.
 *
 * Rows match by name, VM, reason or host. Figures do not depend on the jobs' length: percent of the hosts' time (for
 * vCPUs: of theirs), per second per host, durations.
 *
 * Failure    NULL: out of memory
 * Ownership  given; column names are borrowed from @words, which must outlive the table
 */
#ifndef QUERY_FLEET_FIGURES_PAIRS_H
#define QUERY_FLEET_FIGURES_PAIRS_H

#include "query/fleet/figures/grid.h"

/* fleet_pairs - rows of @kind, merged over @hidden. Columns: the names, then was_FIGURE,
 * is_FIGURE, change_FIGURE. Sorted by the increase of @by (a figure's key), largest first. */
struct table *fleet_pairs(const char *name, const struct fleet_rows *was,
			  const struct fleet_rows *is, enum fleet_kind kind, unsigned hidden,
			  const char *by, struct stringset *words);
/* fleet_pairs_hosts - the figures of hosts, sorted by waiting. */
struct table *fleet_pairs_hosts(const struct fleet_grid *was, const struct fleet_grid *is,
				struct stringset *words);

#endif
