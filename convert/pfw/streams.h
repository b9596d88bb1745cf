/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * streams.h - to which stream of its file an event goes, so that each stream is in order of time.
 *
 * A process logs its events as they end, but traces of several are joined, or sorted by when the
 * events began. An event goes to the first stream of its file that did not reach beyond it. The streams of a file are
 * then few: as many as events are in the wrong order one behind the other.
 *
 * Ownership  caller's storage, whose zero value has none
 */
#ifndef EXCHANGE_PFW_STREAMS_H
#define EXCHANGE_PFW_STREAMS_H

#include <stdint.h>

#define PFW_STREAMS_MAX 64u /* of a file: what is worse than that is sorted as far as it can be */

struct pfw_streams {
	uint32_t first, n; /* the CPU that the file's first one is, how many it has */
	uint64_t latest_ns[PFW_STREAMS_MAX]; /* falling */
};

/* pfw_streams_begin - another file. */
static inline void pfw_streams_begin(struct pfw_streams *s)
{
	s->first += s->n;
	s->n = 0;
}

/* pfw_streams_at - the CPU of an event that ended at @end_ns; no stream beyond @last is begun. */
static inline uint32_t pfw_streams_at(struct pfw_streams *s, uint64_t end_ns, uint32_t last)
{
	uint32_t i = 0;

	while (i < s->n && s->latest_ns[i] > end_ns)
		i++;
	if (i == s->n && (!s->n || (s->n < PFW_STREAMS_MAX && s->first + s->n <= last)))
		s->n++;
	if (i == s->n) /* as late as can be */
		return s->first + s->n - 1;
	s->latest_ns[i] = end_ns;
	return s->first + i;
}

#endif
