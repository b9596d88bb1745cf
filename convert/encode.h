/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * encode.h - threads that turn batches into blocks, which come back in the order in
 * which the batches were given.
 *
 * Threads    one thread gives and takes; with one job everything runs in it
 * Ownership  a batch is taken; a block taken back is given
 */
#ifndef CONVERT_ENCODE_H
#define CONVERT_ENCODE_H

#include "base/buf.h"
#include "convert/formats.h"
#include "convert/pending.h"
#include "format/encode.h"

struct encode_block {
	struct buf rows;    /* what goes before it: format_writer_take_rows() */
	struct buf payload; /* of its EVNT blocks, one after the other */
	struct encode_part {
		struct format_block info;
		size_t size;
	} * parts; /* mostly one; none when no event was good */
	size_t n_parts;
	size_t bad; /* samples that could not be read */
	uint64_t bad_first_ns, bad_last_ns;
	uint32_t cpu;
	int failed; /* -ENOMEM, or 0 */
};

struct encode;

/* encode_new - @jobs threads, at least one, and at most @depth batches given and not
 * yet taken. Batches go back to @spares (borrowed). The schema and type_of of @formats must
 * not change while batches are in work. NULL when out of memory. */
struct encode *encode_new(unsigned jobs, unsigned depth, const struct perfdata *pd,
			  const struct formats *formats, struct batch_spares *spares);
/* encode_free - waits for what is in work and throws it away. */
void encode_free(struct encode *e);

/* encode_give - queues @batch, and takes the memory of @rows, which come back with its
 * block; false when as many are in work as should be: take one first. */
bool encode_give(struct encode *e, struct batch *batch, struct buf *rows);

/* encode_take - the next block in order, waiting for it when @wait. False when there
 * is none (or none ready). Free block->payload, ->parts and ->rows. */
bool encode_take(struct encode *e, bool wait, struct encode_block *block);

/* encode_idle - whether nothing is in work. */
bool encode_idle(const struct encode *e);

#endif
