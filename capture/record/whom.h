/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * whom.h - the tasks to record when it is not the whole system: those of processes, users, cgroups,
 * as of now. The kernel adds their children itself (inherit).
 *
 * Failure    negative code with *err filled
 * Ownership  whom_fini() empties what whom_*() filled
 */
#ifndef CAPTURE_RECORD_WHOM_H
#define CAPTURE_RECORD_WHOM_H

#include "base/memory/array.h"
#include "cdict/error.h"

struct whom {
	ARRAY(int32_t) tids; /* after whom_done(): ascending, no duplicates */
};

/* whom_pid - adds all threads of a process; whom_tid - adds one thread. */
int whom_pid(struct whom *w, int32_t pid, struct cdict_error *err);
int whom_tid(struct whom *w, int32_t tid, struct cdict_error *err);
/* whom_user - adds all threads of a user's processes, by name or number. */
int whom_user(struct whom *w, const char *user, struct cdict_error *err);
/* whom_cgroup - adds the threads of a cgroup and of its descendants: a path below the mount point,
 * or a full path, of cgroup v2 or of v1's perf_event. */
int whom_cgroup(struct whom *w, const char *name, struct cdict_error *err);
void whom_done(struct whom *w);
void whom_fini(struct whom *w);

#endif
