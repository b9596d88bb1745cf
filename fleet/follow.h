/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * follow.h - what is new in a job since it was looked at last: of running hosts each bucket once.
 *
 * The first look is of each host's last bucket; all before it is known, and not read. A host of which
 * nothing came costs a number, one of which something came the names of its values.
 *
 * Failure    0 or a negative code with *err filled; the next look goes on, without what this one did not reach
 * Ownership  caller's storage, zeroed at first; fleet_follow_fini() empties it
 */
#ifndef FLEET_FOLLOW_H
#define FLEET_FOLLOW_H

#include "fleet/hosts.h"

struct fleet_followed {
	char *name;
	uint64_t n;    /* values, when its names were read */
	uint64_t last; /* the number of the latest bucket */
};

struct fleet_follow {
	struct fleet_job job;
	ARRAY(struct fleet_followed) hosts; /* no more than were ever seen: none goes */
	struct stringset seen; /* names of values that are known, each with its host's number */
};

/* fleet_follow_look - @listener hears of the new buckets; hosts by their number in f->hosts. */
int fleet_follow_look(struct fleet_follow *f, struct store *st, const char *id,
		      const struct fleet_listener *listener, struct cdict_error *err);
void fleet_follow_fini(struct fleet_follow *f);

#endif
