/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * join.h - adds recordings of guests to the reader of their host's recording: which VM each belongs
 * to, and by which clock.
 *
 *	join_new(&j, host, &opts, err);
 *	join_add(j, guest, &how, &said, err);
 *	join_free(j);
 *
 * Failure    0 or a negative code with *err filled: the guest is not added
 * Ownership  new gives, free takes; the readers and labels are borrowed, but join_add() takes the guest
 */
#ifndef TABLES_GUEST_JOIN_H
#define TABLES_GUEST_JOIN_H

#include "base/text/sink.h"
#include "tables/columns/walk.h"

struct join;

int join_new(struct join **out, struct cdict_reader *host, const struct tables_options *opts,
	     struct cdict_error *err);
void join_free(struct join *j);

struct join_how {
	const char *vm; /* any name of the VM; NULL: it is found by its UUID */
	const char *
		clock; /* "NS", to be added to the guest's time, or GUEST_NS:HOST_NS pairs with commas;
			    * NULL: the best that both recordings permit */
};

/* join_add - *said: one line on what was found: the VM, how, the clock, its error. */
int join_add(struct join *j, struct cdict_reader *guest, const struct join_how *how,
	     struct sink *said, struct cdict_error *err);

#endif
