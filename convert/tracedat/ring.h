/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring.h - one CPU's events of one buffer, out of the kernel's ring buffer pages.
 *
 * libtraceevent's kbuffer believes the sizes that a page tells; this one does not.
 *
 * Units      ticks of the buffer's clock
 * Failure    1 an event, 0 the end, negative with *err filled; damage is noted in the trace.dat
 * Ownership  the payload lives until the next call
 */
#ifndef EXCHANGE_TRACEDAT_RING_H
#define EXCHANGE_TRACEDAT_RING_H

#include "convert/tracedat/internal.h"

struct ring {
	struct tracedat *td;
	const struct tracedat_buffer *buffer;
	uint32_t cpu, page_size;

	const uint8_t *begin;             /* in the file; NULL: there is nothing */
	const uint8_t *pages, *pages_end; /* that are at hand: the file's own, or a chunk's */
	struct cursor chunks;             /* that are still packed */
	uint32_t n_chunks;
	uint8_t *chunk;
	size_t chunk_size;
	uint64_t *live; /* bytes of all rings' chunks */

	const uint8_t *at, *end; /* the rest of the page in work */
	uint64_t t;

	/* the event */
	uint64_t ticks;
	const uint8_t *payload;
	uint32_t size;
	bool missed; /* some before it were lost, missed_count of them, 0: nobody counted */
	uint64_t missed_count;
};

/* ring_open - how many bytes of the file it will read. */
uint64_t ring_open(struct ring *r, struct tracedat *td, const struct tracedat_buffer *buffer,
		   const struct tracedat_cpu *cpu, uint64_t *live);
uint64_t ring_read(const struct ring *r); /* of them, so far */
int ring_next(struct ring *r, struct cdict_error *err);
void ring_close(struct ring *r);

#endif
