/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * streams.h - assigns each event to a stream of its file, so that each stream is in time order.
 *
 * A process logs its events when they end, but traces of several processes are merged, or sorted by
 * start. An event goes to the first stream of its file whose latest event is not later. So a file
 * has few streams: as many as its longest sequence of events in descending order.
 *
 * Ownership  caller's storage; a zeroed struct has no streams
 */
#ifndef CONVERT_PFW_STREAMS_H
#define CONVERT_PFW_STREAMS_H

#include <stdint.h>

#define PFW_STREAMS_MAX 64u /* per file: files with more disorder are sorted as far as possible */

struct pfw_streams {
	uint32_t first, n; /* CPU number of the file's first stream, number of streams */
	uint64_t latest_ns[PFW_STREAMS_MAX]; /* descending */
};

/* pfw_streams_begin - begins another file. */
static inline void pfw_streams_begin(struct pfw_streams *s)
{
	s->first += s->n;
	s->n = 0;
}

/* pfw_streams_at - returns the CPU of an event that ended at @end_ns; does not begin a stream
 * beyond @last. */
static inline uint32_t pfw_streams_at(struct pfw_streams *s, uint64_t end_ns, uint32_t last)
{
	uint32_t i = 0;

	while (i < s->n && s->latest_ns[i] > end_ns)
		i++;
	if (i == s->n && (!s->n || (s->n < PFW_STREAMS_MAX && s->first + s->n <= last)))
		s->n++;
	if (i == s->n) /* all are later, and no more may begin: the last one */
		return s->first + s->n - 1;
	s->latest_ns[i] = end_ns;
	return s->first + i;
}

#endif
