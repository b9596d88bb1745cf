/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * encode.h - turns one CPU's events, in order of time, into the payload of an
 * EVNT block. An encoder holds one block at a time, independent of other blocks:
 * the output does not depend on which thread encodes which block.
 *
 * Threads    one thread at a time per encoder; the schema is only read
 * Ownership  format_encoder_new() gives; the schema is borrowed
 */
#ifndef FORMAT_CODING_ENCODE_H
#define FORMAT_CODING_ENCODE_H

#include "cdict/writer.h"
#include "format/schema.h"

struct format_encoder;

struct format_encoder *format_encoder_new(const struct cdict_schema *schema);
void format_encoder_free(struct format_encoder *enc);

/* format_encoder_add - 0; CDICT_ECORRUPT when the payload does not hold its fields
 * (the event is left out); CDICT_ELIMIT when the block is full or @s is earlier
 * than the event before it (finish the block, then add it again); -ENOMEM. */
int format_encoder_add(struct format_encoder *enc, const struct cdict_sample *s, uint32_t type,
		       const void *payload, size_t size);

/* format_encoder_drop - forgets the events of a block that cannot be finished: -ENOMEM. */
void format_encoder_drop(struct format_encoder *enc);

uint32_t format_encoder_events(const struct format_encoder *enc);

/* The index's data of a block. */
struct format_block {
	uint32_t cpu, events;
	uint64_t first_ns, last_ns;
	/* Set by the encoder only: events whose payload numbers their task differently from the sample,
	 * as in another PID namespace. */
	uint32_t foreign;
};

struct block_digest;

/* format_encoder_finish - appends the payload to @out, fills *info, and empties the
 * encoder. *digest (unless NULL; given, free()): the block's digest, NULL if there is none.
 * 0 or -ENOMEM. */
int format_encoder_finish(struct format_encoder *enc, struct buf *out, struct format_block *info,
			  struct block_digest **digest);

#endif
