/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * follow.h - new values of a job since the previous look: returns each bucket of running hosts once.
 *
 * The first look reads only each host's last bucket; all earlier ones count as seen. A host without new
 * values costs one number, a host with new values the names of its values.
 *
 * Failure    0 or a negative code with *err filled; the next look continues, without the buckets this one missed
 * Ownership  caller's storage, zeroed; fleet_follow_fini() empties it
 */
#ifndef QUERY_FLEET_FIGURES_FOLLOW_H
#define QUERY_FLEET_FIGURES_FOLLOW_H

#include "query/fleet/figures/hosts.h"

struct fleet_followed {
	char *name;
	uint64_t n;    /* number of values when its names were read */
	uint64_t last; /* number of the latest bucket */
};

struct fleet_follow {
	struct fleet_job job;
	ARRAY(struct fleet_followed) hosts; /* every host ever seen; none is removed */
	struct stringset seen;              /* names of seen values, each with its host's number */
};

/* fleet_follow_look - passes new buckets to @listener; hosts by their number in f->hosts. */
int fleet_follow_look(struct fleet_follow *f, struct store *st, const char *id,
		      const struct fleet_listener *listener, struct cdict_error *err);
void fleet_follow_fini(struct fleet_follow *f);

#endif
