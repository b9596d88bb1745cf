/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * idle_cpus.h - how long each CPU was idle while a vCPU waited for one (for vcpu.c).
 *
 * Waits whose events are incomplete are not counted. A CPU whose first event shows that it was idle
 * is idle since the begin; after a gap, only while a switch shows it.
 *
 * Units      *_ns in the window
 * Ownership  caller's storage; idle_cpus_fini() empties
 */
#ifndef ANALYZE_KVM_IDLE_CPUS_H
#define ANALYZE_KVM_IDLE_CPUS_H

#include "analyze/walk/ops.h"
#include "base/memory/array.h"

struct idle_wait {
	bool open;
	bool crossed;       /* in the later part of a walk: one that began before it has ended */
	uint64_t since_ns;  /* of the open wait */
	uint64_t *at_ns;    /* by CPU: its idle time then; NULL: never waited */
	uint64_t *ns;       /* by CPU: idle during the waits that ended */
	uint64_t waited_ns; /* these waits */
};

struct idle_cpus {
	struct analyze_engine *eng;
	uint32_t n_cpus;
	/* By CPU: idle so far is base_ns + (mask & now_ns); mask is 0 or all ones. */
	uint64_t *base_ns, *mask;
	bool *late;            /* by CPU: only its first event showed that it was idle before */
	uint64_t t_ns, now_ns; /* now_ns: part of the window before @t_ns */
	uint64_t begin_ns;     /* of the later part of a walk, else 0 */
	ARRAY(struct idle_wait) waits; /* by task */
};

int idle_cpus_init(struct idle_cpus *s, struct analyze_engine *eng);
void idle_cpus_fini(struct idle_cpus *s);
/* idle_cpus_ran - a piece of a CPU's time is over; idle_cpus_switched - after it, @cpu became idle
 * or busy. */
void idle_cpus_ran(struct idle_cpus *s, const struct analyze_run *run);
void idle_cpus_switched(struct idle_cpus *s, uint32_t cpu, bool idle);
/* idle_cpus_wait, idle_cpus_waited - @task begins to wait, and no longer waits. @whole: all of its
 * events are known, else the wait is not counted. */
void idle_cpus_wait(struct idle_cpus *s, uint32_t task, uint64_t since_ns);
void idle_cpus_waited(struct idle_cpus *s, uint32_t task, bool whole);
/* idle_cpus_of - its waits, or NULL. */
const struct idle_wait *idle_cpus_of(const struct idle_cpus *s, uint32_t task);
/* For a walk in parts, as in ops.h. */
void idle_cpus_begin(struct idle_cpus *s);
int idle_cpus_join(struct idle_cpus *s, struct idle_cpus *later);

#endif
