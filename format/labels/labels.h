/* SPDX-License-Identifier: LGPL-2.1-only */
/* labels.h - rows of LABL blocks: names given to tasks; cdict(5). */
#ifndef FORMAT_LABELS_LABELS_H
#define FORMAT_LABELS_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/buf.h"
#include "cdict/label.h"

/* Texts of a row: name, group, group_type, role, uuid, instance, project, host; unit, cgroup. */
#define LABEL_TEXTS 10u
#define LABEL_TEXTS_MIN 8u /* of earlier writers */

/* A block's rows; the zero value is empty. Deltas and references to texts start anew in every
 * block. */
struct label_rows {
	struct buf out;
	struct buf texts; /* the texts given so far ... */
	struct buf at;    /* ... at u32 offset, u32 length */
	int32_t tid;
	uint64_t start_ns;
	uint32_t n;
};

/* label_rows_add - false when a text is longer than FORMAT_LABEL_TEXT; out of memory sets
 * @rows->out.failed. */
bool label_rows_add(struct label_rows *rows, const struct cdict_label *label);
/* label_rows_full - whether they should become a block now. */
bool label_rows_full(const struct label_rows *rows);
void label_rows_reset(struct label_rows *rows);
void label_rows_fini(struct label_rows *rows);

/* label_rows_read - like task_rows_read(): @keep makes a copy of a text, once for all fields
 * that name it (NULL: out of memory); @fn gets the rows. 0; CDICT_ECORRUPT when damaged or
 * when either of them fails; -ENOMEM. Rows of unknown origins are left out. */
int label_rows_read(const void *data, size_t size,
		    const char *(*keep)(void *ctx, const void *data, size_t len),
		    bool (*fn)(void *ctx, const struct cdict_label *label), void *ctx);

#endif
