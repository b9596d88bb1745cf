/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * resume.h - a walk that begins and ends at a window: what resume.c, which sets the state, resume_check.c
 * and resume_end.c have of each other.
 */
#ifndef ANALYZE_RESUME_H
#define ANALYZE_RESUME_H

#include "analyze/walk/digest.h"

/* --- resume_check.c: @d is of the events before @t_ns --- */

#define RESUME_IMPOSSIBLE ANALYZE_NO_TIME

/* resume_check - @t_ns: a walk can begin there; else an earlier time at which it perhaps can, or
 * RESUME_IMPOSSIBLE.  Corrects rows of @d by what it looks up. */
uint64_t resume_check(const struct analyze_engine *eng, const struct digest *d, uint64_t t_ns);
bool resume_is_gap(const struct analyze_engine *eng, uint32_t cpu, uint64_t from_ns,
		   uint64_t to_ns);
uint64_t resume_latest_kvm(const struct digest_kvm *k);
/* resume_has_run - a slice of it was seen whole. */
bool resume_has_run(const struct digest_row *row);
/* resume_is_candidate - one whose waits are watched, as vcpu.c has them, and that is a vCPU in the end. */
bool resume_is_candidate(const struct analyze_engine *eng, const struct digest_row *row);
/* resume_is_lost - it was seen on a CPU that had no switch yet, and is not known to have left it. */
bool resume_is_lost(const struct digest *d, const struct digest_row *row);
/* resume_wait_of - since when a task that is off its CPU waits, and for which CPU at first. */
struct digest_when resume_wait_of(const struct digest *d, const struct digest_row *row);
/* resume_moved_to - for which CPU it waits now, and since when. */
struct digest_when resume_moved_to(const struct digest_row *row, const struct digest_when *wait);
/* resume_is_displaced - it was switched in last on a CPU that switched another one in since, or that events
 * are missing of: so is its switch-out. */
bool resume_is_displaced(const struct analyze_engine *eng, const struct digest *d,
			 const struct digest_row *row, uint64_t t_ns);
/* resume_runs_on - who was switched in last on @cpu was not seen anywhere else after that. */
bool resume_runs_on(const struct digest *d, uint32_t cpu);

/* --- resume.c --- */

/* resume_meet - the tasks that @d has heard of, in the order in which a walk meets them; given, NULL:
 * out of memory. */
const struct digest_task **resume_meet(struct analyze_engine *eng, const struct digest *d,
				       size_t *n);
void resume_take_names(const struct digest *d, const struct digest_task *task, struct task *t);

#endif
