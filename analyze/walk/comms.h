/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * comms.h - a task's comm at a time, from the records of a capture, as perf script prints it.
 *
 * Failure    negative code with *err filled
 * Ownership  caller's storage; the reader is borrowed, and so are names
 */
#ifndef ANALYZE_WALK_COMMS_H
#define ANALYZE_WALK_COMMS_H

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "cdict/reader.h"

struct comms {
	const struct cdict_task_event **tasks; /* by time */
	size_t n_tasks, next;
	struct map by_tid; /* tid -> index in names */
	ARRAY(const char *) names;
};

int comms_init(struct comms *c, const struct cdict_reader *r, struct cdict_error *err);
void comms_fini(struct comms *c);

/* comms_at - sets *name to the comm of @tid at @t_ns, NULL: unknown; @t_ns never goes back between
 * calls. 0 or -ENOMEM. */
int comms_at(struct comms *c, int32_t tid, uint64_t t_ns, const char **name);

#endif
