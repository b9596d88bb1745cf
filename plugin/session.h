/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * session.h - one run of perf script with the plugin, from its start to the finished cdict.
 *
 * Nothing here stops perf. After the start, the first failure is printed once to stderr, and nothing
 * more is stored; the output appears whole at the end, or not at all.
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
 * created, after printing the reason. */
int session_start(struct session **out, const struct perf_dlfilter_fns *fns, void *ctx);

/* session_sample - a sample before (@early) or after perf's own filters; returns the filter's
 * result: 0 keep it, 1 leave it out. */
int session_sample(struct session *s, const struct perf_dlfilter_sample *sample, void *ctx,
		   bool early);

/* session_stop - writes the rest and prints a summary; 0 or a negative code. */
int session_stop(struct session *s);
/* session_drop - for a perf that exits without session_stop(): removes the unfinished file. */
void session_drop(struct session *s);

#endif
