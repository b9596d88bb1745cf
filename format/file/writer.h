/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * writer.h - the writer's inner side: blocks of events that were encoded elsewhere
 * (in parallel) are put into the file in the order of the calls.
 */
#ifndef FORMAT_WRITER_H
#define FORMAT_WRITER_H

#include "cdict/writer.h"
#include "format/coding/encode.h"

/* format_writer_hold - from now on rows (INFO, schema, tasks, losses) wait for
 * format_writer_flush(): their place in the file then does not depend on when blocks are done. */
void format_writer_hold(struct cdict_writer *w);
/* format_writer_put_rows - writes @rows as blocks: of each u32 type, u32 size, the packed content. */
int format_writer_put_rows(struct cdict_writer *w, const struct buf *rows, struct cdict_error *err);

/* format_writer_flush - the rows that wait are written. */
int format_writer_flush(struct cdict_writer *w, struct cdict_error *err);

/* format_writer_put - writes an EVNT payload made by format_encoder_finish(), and now and then a DGST
 * block of what @digest (or NULL) and those before it tell. */
int format_writer_put(struct cdict_writer *w, const void *payload, size_t size,
		      const struct format_block *info, struct block_digest *digest,
		      struct cdict_error *err);
/* format_writer_digests - DGST bytes in a million of those of events, for tests of small files; 0: as
 * ever.  Before the first event. */
void format_writer_digests(struct cdict_writer *w, uint32_t millionths);

/* format_writer_view - blocks that make a file of what was written so far, for a reader beside the writer: an INFO row
 * (@key NULL: none), the last DGST block and the index, which a file that ends here has. The writer goes on as if it had not been
 * asked. 0 or -ENOMEM. */
int format_writer_view(struct cdict_writer *w, const char *key, const char *value, struct buf *out);

struct stack_dict;
/* format_writer_stack_events - @stacks of the @n events of the EVNT block that format_writer_put()
 * wrote just now: as a STEV block it waits for format_writer_put_stacks(), which writes the STAK
 * blocks of @dict and what waits. */
int format_writer_stack_events(struct cdict_writer *w, const uint32_t *stacks, size_t n,
			       struct cdict_error *err);
int format_writer_put_stacks(struct cdict_writer *w, struct stack_dict *dict,
			     struct cdict_error *err);

#endif
