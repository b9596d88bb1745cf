/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * timespec.h - selects a part of a capture's time, with the syntax of
 * `perf script --time`:
 *	12.5,13		seconds, up to nine decimals; either side may be empty
 *	1,2 3,4		several windows, ascending, without overlap
 *	10%/2		the second tenth
 *	10%-20%		from 10 to 20 percent
 *	10%/1,10%/3	lists of either
 *
 * Units      ns in the capture's clock; windows are inclusive on both sides
 * Ownership  timespec_parse() fills, timespec_fini() frees
 */
#ifndef BASE_TEXT_TIMESPEC_H
#define BASE_TEXT_TIMESPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct timespec_window {
	uint64_t from_ns, to_ns;
};

struct timespec_set {
	struct timespec_window *windows; /* ascending, not overlapping */
	size_t n;
};

/* timespec_parse - @first_ns and @last_ns are the capture's window, to which
 * open sides and percentages refer.  CDICT_EUSAGE when @text has none of
 * the forms above, -ENOMEM. */
int timespec_parse(struct timespec_set *out, const char *text, uint64_t first_ns, uint64_t last_ns,
		   struct cdict_error *err);
/* timespec_one - the set of a single window; 0 or -ENOMEM. */
int timespec_one(struct timespec_set *out, uint64_t from_ns, uint64_t to_ns);
void timespec_fini(struct timespec_set *set);

/* timespec_clip - cuts every window to [from_ns, to_ns]; removes empty ones. */
void timespec_clip(struct timespec_set *set, uint64_t from_ns, uint64_t to_ns);

bool timespec_covers(const struct timespec_set *set, uint64_t t_ns);

/* timespec_seconds - "seconds[.decimals]" to ns: 0, or CDICT_EUSAGE for any other
 * text and for values beyond 64 bits. */
int timespec_seconds(const char *text, size_t len, uint64_t *ns);

#endif
