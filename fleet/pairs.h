/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pairs.h - two jobs beside each other, row by row: what was, what is, the change.
 *
 * Rows are one by what they are called: name, VM, reason, host. Figures do not depend on how long the jobs were: percent
 * of the hosts' time (of vCPUs: of theirs), per second of one host, durations.
 *
 * Failure    NULL: out of memory
 * Ownership  given; names of columns are borrowed from @words, which must outlive the table
 */
#ifndef FLEET_PAIRS_H
#define FLEET_PAIRS_H

#include "fleet/grid.h"

/* fleet_pairs - of rows of @kind, not told apart by @hidden. Columns: what they are called, then was_FIGURE,
 * is_FIGURE, change_FIGURE. The one whose @by (a figure's key) grew most stands first. */
struct table *fleet_pairs(const char *name, const struct fleet_rows *was,
			  const struct fleet_rows *is, enum fleet_kind kind, unsigned hidden,
			  const char *by, struct stringset *words);
/* fleet_pairs_hosts - of the hosts' own figures, by waiting. */
struct table *fleet_pairs_hosts(const struct fleet_grid *was, const struct fleet_grid *is,
				struct stringset *words);

#endif
