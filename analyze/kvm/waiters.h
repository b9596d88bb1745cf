/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * waiters.h - the vCPUs that wait for each CPU, and the tasks that run there meanwhile (for
 * vcpu.c).
 *
 * Ownership  caller's storage; waiters_fini() empties
 */
#ifndef ANALYZE_KVM_WAITERS_H
#define ANALYZE_KVM_WAITERS_H

#include "analyze/kvm/vcpu.h"
#include "analyze/walk/index.h"

struct waiter {
	uint32_t task, cpu; /* @cpu: set when it has ended */
	bool woken;         /* waits after a wake-up, else preempted */
	uint64_t since_ns;
	uint64_t booked_ns; /* running tasks are booked up to here */
	uint32_t top;       /* task with the longest single run in a window, or ANALYZE_NO_TASK */
	uint64_t top_ns;
	/* When it has ended: the task that held a CPU longest in its longest part, or ANALYZE_NO_TASK. */
	uint32_t held_by, held_cpu;
	uint64_t held_ns;
};

/* Time booked to a wait that has not ended: it counts only if no event was missed. */
struct booking {
	uint32_t runner, cpu, window, slices;
	uint64_t ns; /* in that window */
};

/* How a wait ends. */
enum wait_end {
	WAIT_BROKEN, /* the bookings are dropped */
	WAIT_WHOLE,  /* it ended, or lasts to the walk's end */
};

struct waiter_list {
	ARRAY(struct waiter) all;
};

struct booking_list {
	ARRAY(struct booking) all;
};

struct waiters {
	struct analyze_engine *eng; /* out of memory is reported to it */
	analyze_held_fn *on_held;   /* or NULL */
	void *on_held_ctx;
	struct waiter_list *cpus;
	uint32_t n_cpus;
	struct index index; /* (vCPU, antagonist) */
	ARRAY(struct analyze_antagonist) antagonists;
	ARRAY(uint32_t) where; /* by task: the CPU it waits for + 1, 0: it does not wait */
	ARRAY(struct booking_list) booked; /* by task */
};

int waiters_init(struct waiters *ws, struct analyze_engine *eng);
void waiters_fini(struct waiters *ws);
/* waiters_add - @task waits for @cpu; @woken: after a wake-up, else preempted. A CPU that does not
 * exist is ignored. */
void waiters_add(struct waiters *ws, uint32_t task, uint32_t cpu, uint64_t since_ns, bool woken);
/* waiters_end - @task no longer waits; returns false if it did not wait. */
bool waiters_end(struct waiters *ws, uint32_t task, enum wait_end how, struct waiter *out);
/* waiters_waited - @runner ran on @cpu while @task, which still waits, waited for it. */
void waiters_waited(struct waiters *ws, uint32_t task, uint32_t cpu, uint32_t runner,
		    uint64_t from_ns, uint64_t to_ns);
void waiters_move(struct waiters *ws, uint32_t task, uint32_t cpu, uint64_t t_ns);
/* waiters_ran - @task ran on @cpu in [start, end]: books it to the vCPUs that wait for @cpu. */
void waiters_ran(struct waiters *ws, uint32_t cpu, uint32_t task, uint64_t start_ns,
		 uint64_t end_ns);
/* waiters_top - the task that has delayed @task longest so far, ANALYZE_NO_TASK: none, or @task
 * does not wait. */
uint32_t waiters_top(const struct waiters *ws, uint32_t task);
/* waiters_antagonist - the pair's figures, or NULL when out of memory. */
struct analyze_antagonist *waiters_antagonist(struct waiters *ws, uint32_t task, uint32_t runner);
/* For a walk in parts. waiters_begin - copies the waiters into @to, zeroed, and clears the
 * antagonists' figures; waiters_same - whether @task waits alike in @a and @b; waiters_join - adds
 * the figures of @later and takes its waiters. 0 or -ENOMEM. */
int waiters_begin(struct waiters *ws, struct waiters *to);
bool waiters_same(const struct waiters *a, const struct waiters *b, uint32_t task);
int waiters_join(struct waiters *ws, struct waiters *later);
/* waiters_sort - allocates *@out, all antagonists row by row, and sets the rows' pointers into
 * it. */
int waiters_sort(const struct waiters *ws, struct analyze_vcpu_row *rows, size_t n,
		 struct analyze_antagonist **out);

#endif
