/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * writer.h - the writer's inner side: blocks of events that were encoded elsewhere
 * (in parallel) are put into the file in the order of the calls.
 */
#ifndef FORMAT_WRITER_H
#define FORMAT_WRITER_H

#include "cdict/writer.h"
#include "format/encode.h"

/* format_writer_put - writes an EVNT payload made by format_encoder_finish(). */
int format_writer_put(struct cdict_writer *w, const void *payload, size_t size,
		      const struct format_block *info, struct cdict_error *err);

#endif
