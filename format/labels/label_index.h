/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * label_index.h - assigns the labels of a capture to its tasks.
 *
 * A tid may have belonged to several tasks while the capture ran.  A label with a start
 * time (start_ns, by the host's boot clock) belongs to the task that was born then, by
 * the capture's FORK and EXIT records; a label without one belongs to all of them.
 * When the start fits no task, or several equally well, the label belongs to no task.
 *
 * The boot clock and the recording's are not the same.  When the capture has both times
 * of one moment (info keys clock.mono_ns, clock.boot_ns) starts are compared within 20 ms
 * (/proc counts in 10 ms); else the clocks are assumed to agree within a drift of 100 ppm.
 *
 * Threads    one at a time per index
 * Ownership  new gives, free takes (NULL is fine); texts found are borrowed from it
 */
#ifndef FORMAT_LABELS_LABEL_INDEX_H
#define FORMAT_LABELS_LABEL_INDEX_H

#include "format/labels/mapping.h"
#include "cdict/reader.h"

struct label_index;

/* label_index_new - indexes @r's own labels, unless @without, and then those of @more (may be
 * NULL), which may be empty afterwards: free it all the same. */
int label_index_new(struct label_index **out, const struct cdict_reader *r, bool without,
		    struct mapping *more, struct cdict_error *err);
void label_index_free(struct label_index *ix);

/* All labels: those of the file first. */
const struct mapping *label_index_mapping(const struct label_index *ix);

/* The task to find; unknown times are UINT64_MAX. */
struct label_task {
	int32_t tid;
	uint64_t born_ns, first_ns, exit_ns; /* recording's clock: birth, first mention, death */
};

/* label_index_find - merges all labels of the task into @out and marks them as used;
 * false if there is none. */
bool label_index_find(struct label_index *ix, const struct label_task *task,
		      struct cdict_label *out);

/* How label @i of the mapping was used. */
enum label_use {
	LABEL_USED,
	LABEL_NO_TASK,     /* the capture has no such tid */
	LABEL_OTHER_START, /* it has the tid, but its task started at another time */
	LABEL_AMBIGUOUS,   /* several tasks had the tid, and the start fits more than one */
};
enum label_use label_index_use(const struct label_index *ix, size_t i);

/* label_index_reader - adds the labels of @r to @m, in their order. */
int label_index_reader(struct mapping *m, const struct cdict_reader *r, struct cdict_error *err);

#endif
