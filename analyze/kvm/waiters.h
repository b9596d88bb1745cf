/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * waiters.h - which vCPUs wait for which CPU, and who runs there meanwhile (vcpu.c's).
 *
 * Ownership  caller's storage; waiters_fini() empties
 */
#ifndef ANALYZE_WAITERS_H
#define ANALYZE_WAITERS_H

#include "analyze/kvm/vcpu.h"
#include "analyze/walk/index.h"

struct waiter {
	uint32_t task;
	bool woken; /* waits after a wake-up, else preempted */
	uint64_t since_ns;
	uint64_t booked_ns; /* who ran is booked up to here */
	uint32_t top;       /* who ran longest at a stretch, ANALYZE_NO_TASK */
	uint64_t top_ns;
	/* Of one that has ended: who had which CPU longest in all, ANALYZE_NO_TASK. */
	uint32_t held_by, held_cpu;
	uint64_t held_ns;
};

/* What is booked to a wait that has not ended: it counts only if no event was missed. */
struct booking {
	uint32_t who, cpu, slices;
	uint64_t ns;      /* in the window */
	uint64_t held_ns; /* in all */
};

/* How a wait ends. */
enum wait_end {
	WAIT_BROKEN, /* what ran until now is forgotten */
	WAIT_OPEN,   /* it counts as in its way, but the wait is not one of the window's */
	WAIT_ENDED,  /* in the window */
};

struct waiter_list {
	ARRAY(struct waiter) all;
};

struct booking_list {
	ARRAY(struct booking) all;
};

struct waiters {
	struct analyze_engine *eng; /* told when there is no memory */
	struct waiter_list *cpus;
	uint32_t n_cpus;
	struct index index; /* (vCPU, antagonist) */
	ARRAY(struct analyze_antagonist) antagonists;
	ARRAY(uint32_t) where;             /* by task: CPU it waits on + 1, 0: it does not wait */
	ARRAY(struct booking_list) booked; /* by task */
};

int waiters_init(struct waiters *ws, struct analyze_engine *eng);
void waiters_fini(struct waiters *ws);
/* @woken: after a wake-up, else preempted. CPUs that do not exist are taken as none. */
void waiters_add(struct waiters *ws, uint32_t task, uint32_t cpu, uint64_t since_ns, bool woken);
/* waiters_end - @task waits no longer. false when it did not wait. */
bool waiters_end(struct waiters *ws, uint32_t task, enum wait_end how, struct waiter *out);
/* waiters_waited - @who had @cpu, for which @task, which waits, waited then. */
void waiters_waited(struct waiters *ws, uint32_t task, uint32_t cpu, uint32_t who, uint64_t from_ns,
		    uint64_t to_ns);
void waiters_move(struct waiters *ws, uint32_t task, uint32_t cpu, uint64_t t_ns);
/* waiters_ran - @task ran on @cpu in [start, end]: books it to whom waits there. */
void waiters_ran(struct waiters *ws, uint32_t cpu, uint32_t task, uint64_t start_ns,
		 uint64_t end_ns);
/* waiters_top - who has been in @task's way longest so far, ANALYZE_NO_TASK: nobody, or it does
 * not wait. */
uint32_t waiters_top(const struct waiters *ws, uint32_t task);
/* waiters_antagonist - the cell of the pair, or NULL when out of memory. */
struct analyze_antagonist *waiters_antagonist(struct waiters *ws, uint32_t task, uint32_t who);
/* Of a walk in parts. waiters_begin - copies into @to, zeroed, who waits, and empties the cells;
 * waiters_same - whether @task waits as in @b; waiters_join - adds the cells of @later, and takes who waits from it.
 * 0 or -ENOMEM. */
int waiters_begin(struct waiters *ws, struct waiters *to);
bool waiters_same(const struct waiters *a, const struct waiters *b, uint32_t task);
int waiters_join(struct waiters *ws, struct waiters *later);
/* waiters_sort - gives all cells, row by row, and sets the rows' antagonists. */
int waiters_sort(const struct waiters *ws, struct analyze_vcpu_row *rows, size_t n,
		 struct analyze_antagonist **out);

#endif
