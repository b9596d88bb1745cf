/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * resume.h - a walk that begins and ends at a window: shared by resume.c, which sets the state,
 * resume_check.c and resume_end.c.
 */
#ifndef ANALYZE_WINDOWS_RESUME_H
#define ANALYZE_WINDOWS_RESUME_H

#include "analyze/walk/digest.h"

/* --- resume_check.c: @d is the digest of the events before @t_ns --- */

#define RESUME_IMPOSSIBLE ANALYZE_NO_TIME

/* resume_check - returns @t_ns if a walk can begin there, else an earlier time to try, or
 * RESUME_IMPOSSIBLE. Completes rows of @d by look-ups. */
uint64_t resume_check(const struct analyze_engine *eng, const struct digest *d, uint64_t t_ns);
bool resume_is_gap(const struct analyze_engine *eng, uint32_t cpu, uint64_t from_ns,
		   uint64_t to_ns);
uint64_t resume_latest_kvm(const struct digest_kvm *k);
/* resume_has_run - whether a whole slice of the task was seen. */
bool resume_has_run(const struct digest_row *row);
/* resume_is_candidate - whether vcpu.c watches the task's waits, and it is a vCPU in the whole
 * capture. */
bool resume_is_candidate(const struct analyze_engine *eng, const struct digest_row *row);
/* resume_is_lost - whether the task was seen on a CPU before its first switch, and its switch-out
 * was not. */
bool resume_is_lost(const struct digest *d, const struct digest_row *row);
/* resume_wait_of - since when a task off its CPU has waited, and for which CPU at first. */
struct digest_when resume_wait_of(const struct digest *d, const struct digest_row *row);
/* resume_moved_to - the CPU that it waits for now, and since when. */
struct digest_when resume_moved_to(const struct digest_row *row, const struct digest_when *wait);
/* resume_is_displaced - whether the switch-out of the task is missing: the CPU of its last
 * switch-in has switched in another task since, or events of that CPU are missing. */
bool resume_is_displaced(const struct analyze_engine *eng, const struct digest *d,
			 const struct digest_row *row, uint64_t t_ns);
/* resume_runs_on - whether the task switched in last on @cpu was not seen anywhere else since. */
bool resume_runs_on(const struct digest *d, uint32_t cpu);

/* --- resume.c --- */

/* resume_meet - enters the tasks of @d into the engine's table in the order in which a walk would
 * meet them; returns them (free the array), NULL: out of memory. */
const struct digest_task **resume_meet(struct analyze_engine *eng, const struct digest *d,
				       size_t *n);
void resume_take_names(const struct digest *d, const struct digest_task *task, struct task *t);

#endif
