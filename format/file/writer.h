/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * writer.h - the writer's internal interface: puts blocks of events that were encoded
 * elsewhere (in parallel) into the file in the order of the calls.
 */
#ifndef FORMAT_FILE_WRITER_H
#define FORMAT_FILE_WRITER_H

#include "cdict/writer.h"
#include "format/coding/encode.h"

/* format_writer_hold - makes rows (INFO, schema, tasks, losses) wait for format_writer_flush() from
 * now on, so that their place in the file does not depend on when blocks are done. */
void format_writer_hold(struct cdict_writer *w);
/* format_writer_put_rows - writes @rows, u32 type, u32 size and packed content each, as blocks. */
int format_writer_put_rows(struct cdict_writer *w, const struct buf *rows, struct cdict_error *err);

/* format_writer_flush - writes the waiting rows. */
int format_writer_flush(struct cdict_writer *w, struct cdict_error *err);

/* format_writer_put - writes an EVNT payload made by format_encoder_finish(), and now and then a DGST
 * block made of @digest (or NULL) and those before it. */
int format_writer_put(struct cdict_writer *w, const void *payload, size_t size,
		      const struct format_block *info, struct block_digest *digest,
		      struct cdict_error *err);
/* format_writer_digests - sets the budget of DGST bytes in millionths of event bytes, for tests of
 * small files; 0: the default.  Call it before the first event. */
void format_writer_digests(struct cdict_writer *w, uint32_t millionths);

/* format_writer_view - appends to @out the blocks that complete the file as written so far, for a concurrent reader: an
 * INFO row (@key NULL: none), the last DGST block and the index. The writer's state is unchanged. 0 or -ENOMEM. */
int format_writer_view(struct cdict_writer *w, const char *key, const char *value, struct buf *out);

struct stack_dict;
/* format_writer_stack_events - queues the @stacks of the @n events of the EVNT block that
 * format_writer_put() wrote last, as a STEV block; format_writer_put_stacks - writes the STAK blocks
 * of @dict and the queued STEV blocks. */
int format_writer_stack_events(struct cdict_writer *w, const uint32_t *stacks, size_t n,
			       struct cdict_error *err);
int format_writer_put_stacks(struct cdict_writer *w, struct stack_dict *dict,
			     struct cdict_error *err);

#endif
