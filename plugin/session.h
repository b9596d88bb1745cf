/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - one run of perf script with the plugin: from its start to the cdict.
 *
 * Nothing here ends perf. What goes wrong after the start is said once, on stderr, and
 * from then on nothing is stored; the output appears whole, at the end, or not at all.
 *
 * Threads    perf's thread
 * Ownership  session_start() gives, session_stop() takes
 */
#ifndef PLUGIN_SESSION_H
#define PLUGIN_SESSION_H

#include <stdbool.h>

#include "plugin/perf_abi.h"

struct session;

/* session_start - 0, or a negative code when the options are wrong or the output cannot be
 * made, which was then said. */
int session_start(struct session **out, const struct perf_dlfilter_fns *fns, void *ctx);

/* session_sample - a sample before (@early) or after perf's own filters; what the filter
 * returns: 0 let it through, 1 leave it out. */
int session_sample(struct session *s, const struct perf_dlfilter_sample *sample, void *ctx,
		   bool early);

/* session_stop - writes the rest, says what was done; 0 or a negative code. */
int session_stop(struct session *s);
/* session_drop - perf ends without session_stop(): leaves no unfinished file behind. */
void session_drop(struct session *s);

#endif
