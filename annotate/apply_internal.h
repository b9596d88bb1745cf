/* SPDX-License-Identifier: GPL-2.0-only */
/* apply_internal.h - what putting labels into a file and into a stream share. */
#ifndef ANNOTATE_APPLY_INTERNAL_H
#define ANNOTATE_APPLY_INTERNAL_H

#include "annotate/apply.h"
#include "format/container.h"

/* apply_blocks - @labels as whole blocks with their headers, numbered from @ordinal on;
 * and a row for each, as the index has it, in @rows (struct index_row).  0 or a code. */
int apply_blocks(const struct mapping *labels, struct codec *codec, uint32_t ordinal,
		 struct buf *blocks, struct buf *rows, struct cdict_error *err);

/* apply_end - the index block of the content @index, numbered @ordinal, and the trailer,
 * at byte @at of the file. */
int apply_end(struct codec *codec, const struct buf *index, uint32_t ordinal, uint64_t at,
	      struct buf *out, struct cdict_error *err);

#endif
