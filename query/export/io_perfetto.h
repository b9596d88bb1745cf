/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * io_perfetto.h - events with a duration as slices on tracks of their threads.
 *
 * Slices of one track must nest. When events of a thread overlap without nesting, as in asynchronous I/O, the one that
 * ends later goes to another track under the thread's.
 *
 * Failure    0 or -ENOMEM
 * Ownership  caller's storage; io_perfetto_fini() empties it, also without a begin
 */
#ifndef QUERY_EXPORT_IO_PERFETTO_H
#define QUERY_EXPORT_IO_PERFETTO_H

#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "base/memory/map.h"
#include "base/text/sink.h"
#include "cdict/event.h"
#include "tables/columns/walk.h"

struct io_thread;

struct io_perfetto {
	struct map by_tid; /* (pid, tid) -> threads */
	ARRAY(struct io_thread *) threads;
	struct map processes; /* pids that were written */
	bool *named;          /* types whose name was written */
	uint64_t tracks;      /* numbers given */
	uint64_t left_out;    /* events for which there were not enough tracks */
	struct buf b;
};

int io_perfetto_begin(struct io_perfetto *p, const struct tables_walk *w, struct sink *out);
/* io_perfetto_event - writes an event, in order of the ends; @instant: not a slice, like a counter; @fname may be
 * empty. */
int io_perfetto_event(struct io_perfetto *p, struct sink *out, const struct cdict_event *ev,
		      uint64_t dur_ns, bool instant, struct cdict_bytes fname);
void io_perfetto_fini(struct io_perfetto *p);

#endif
