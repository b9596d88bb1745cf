/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * targets.h - the tasks to record when it is not the whole system: those of processes, users, cgroups,
 * as of now. The kernel adds their children itself (inherit).
 *
 * Failure    negative code with *err filled
 * Ownership  targets_fini() empties what targets_*() filled
 */
#ifndef CAPTURE_RECORD_TARGETS_H
#define CAPTURE_RECORD_TARGETS_H

#include "base/memory/array.h"
#include "cdict/error.h"

struct targets {
	ARRAY(int32_t) tids; /* after targets_done(): ascending, no duplicates */
};

/* targets_pid - adds all threads of a process; targets_tid - adds one thread. */
int targets_pid(struct targets *w, int32_t pid, struct cdict_error *err);
int targets_tid(struct targets *w, int32_t tid, struct cdict_error *err);
/* targets_user - adds all threads of a user's processes, by name or number. */
int targets_user(struct targets *w, const char *user, struct cdict_error *err);
/* targets_cgroup - adds the threads of a cgroup and of its descendants: a path below the mount point,
 * or a full path, of cgroup v2 or of v1's perf_event. */
int targets_cgroup(struct targets *w, const char *name, struct cdict_error *err);
void targets_done(struct targets *w);
void targets_fini(struct targets *w);

#endif
