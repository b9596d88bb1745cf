/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * decode.h - the payload of an EVNT block -> one CPU's events, in order of time.
 *
 * Threads    one thread at a time per decoder; the schema is only read
 * Ownership  format_decoder_new() gives; schema and payload are borrowed, the
 *            payload only until format_decoder_open() returns
 */
#ifndef FORMAT_CODING_DECODE_H
#define FORMAT_CODING_DECODE_H

#include "cdict/event.h"
#include "format/coding/encode.h"

struct format_decoder;
struct format_plan;
struct cdict_query;

/* format_plan_new - plans to decode the fields that @query wants and those that they are predicted
 * from; given, NULL when out of memory. */
struct format_plan *format_plan_new(const struct cdict_schema *schema,
				    const struct cdict_query *query);
void format_plan_free(struct format_plan *plan);

struct format_decoder *format_decoder_new(const struct cdict_schema *schema);
void format_decoder_free(struct format_decoder *dec);
/* format_decoder_use - decodes only @plan's fields from the next block on (borrowed; NULL: all).
 * The values of others are not set, and damage of their columns is not detected. */
void format_decoder_use(struct format_decoder *dec, const struct format_plan *plan);

/* format_block_peek - reads the index's data of a block from the start of a payload, and adds
 * the block's events by type to @counts (@n_counts types; may be NULL). */
int format_block_peek(const void *payload, size_t size, struct format_block *info, uint64_t *counts,
		      size_t n_counts, struct cdict_error *err);

int format_decoder_open(struct format_decoder *dec, const void *payload, size_t size,
			struct cdict_error *err);

/* format_decoder_give - passes the memory that the open block's events point to to the caller, which must have
 * read the events before: the block is closed. Returns the size in bytes. */
size_t format_decoder_give(struct format_decoder *dec, void **raw, void **bytes);
/* format_decoder_copy - a decoder (given) that goes on where @dec is in its block, with @plan, and uses the block's
 * memory: meanwhile @dec neither moves on to another block nor is freed. @ev, its latest event, then belongs to the
 * copy. 0; 1: @plan has a field that @dec does not decode; or -ENOMEM. format_decoder_size - the bytes of @dec. */
int format_decoder_copy(struct format_decoder **out, const struct format_decoder *dec,
			const struct format_plan *plan, struct cdict_event *ev);
size_t format_decoder_size(const struct format_decoder *dec);
/* format_decoder_next - 1 and *ev (borrowed until the next call), 0 after the last
 * event, CDICT_ECORRUPT when the block contradicts itself. *order: the recorder's
 * pass in which the event was written. */
int format_decoder_next(struct format_decoder *dec, struct cdict_event *ev, uint32_t *order,
			struct cdict_error *err);

#endif
