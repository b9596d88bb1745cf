/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ring.h - reads one CPU's events of one buffer from the kernel's ring buffer pages.
 *
 * Unlike libtraceevent's kbuffer, it checks the sizes stated in a page.
 *
 * Units      ticks of the buffer's clock
 * Failure    1 an event, 0 the end, negative with *err filled; damage is noted by tracedat_note()
 * Ownership  the payload is valid until the next call
 */
#ifndef CONVERT_TRACEDAT_RING_H
#define CONVERT_TRACEDAT_RING_H

#include "convert/tracedat/internal.h"

struct ring {
	struct tracedat *td;
	const struct tracedat_buffer *buffer;
	uint32_t cpu, page_size;

	const uint8_t *begin;             /* in the file; NULL: no pages */
	const uint8_t *pages, *pages_end; /* available pages: in the file, or in a chunk */
	struct cursor chunks;             /* still packed */
	uint32_t n_chunks;
	uint8_t *chunk;
	size_t chunk_size;
	uint64_t *live; /* total size of the chunks of all rings */

	const uint8_t *at, *end; /* rest of the current page */
	uint64_t t;

	/* the current event */
	uint64_t ticks;
	const uint8_t *payload;
	uint32_t size;
	bool missed; /* events before it were lost: missed_count, 0: unknown number */
	uint64_t missed_count;
};

/* ring_open - returns how many bytes of the file it will read. */
uint64_t ring_open(struct ring *r, struct tracedat *td, const struct tracedat_buffer *buffer,
		   const struct tracedat_cpu *cpu, uint64_t *live);
uint64_t ring_read(const struct ring *r); /* bytes read so far */
int ring_next(struct ring *r, struct cdict_error *err);
void ring_close(struct ring *r);

#endif
