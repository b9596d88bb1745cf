/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * digest.h - the state after a capture's events, per CPU and some ten thousand events, so that a
 * walk can begin anywhere and end where nothing is open (internal to analyze/).
 *
 * A digest keeps the latest event of each kind per task. Digests can be added in any order: the
 * later event wins.
 *
 * Threads    one thread at a time
 * Failure    0 or a negative code with *err filled
 * Ownership  new gives, free takes (NULL is fine); the reader is borrowed
 */
#ifndef ANALYZE_WALK_DIGEST_H
#define ANALYZE_WALK_DIGEST_H

#include "analyze/walk/internal.h"

/* A time, and the CPU on which or for which; ANALYZE_NO_TIME: never. */
struct digest_when {
	uint64_t t_ns;
	uint32_t cpu;
};

struct digest_kvm {
	struct digest_when exit, entry, user;
	uint64_t access_ns; /* the latest access of a port, MSR or device */
	/* Of the exit. */
	uint32_t type; /* in the schema */
	uint64_t value, how;
	uint32_t isa;
	int32_t vcpu_id;
	uint64_t vcpu_ns; /* when it was recorded */
};

/* One task, by tid; IDLE by its CPU. */
struct digest_task {
	int32_t tid;
	uint32_t cpu; /* of IDLE, else CDICT_CPU_UNKNOWN */
	int32_t pid;
	uint32_t row;               /* + 1: index of digest.rows; 0: it had no such event */
	uint64_t first_ns;          /* first seen */
	uint64_t named_ns, last_ns; /* first and last mention, as analyze_task has them */
	uint64_t pid_ns, comm_ns;   /* when these were recorded; ANALYZE_NO_TIME: never */
	char comm[16];
	bool comm_kept; /* comm is from a wake-up or switch-in: only used as the first one */
};

/* The latest events of one task. */
struct digest_row {
	uint32_t task; /* index of digest.tasks */
	int32_t tid;
	uint32_t kvm; /* + 1: index of digest.kvm; 0: no vCPU */
	uint8_t off;  /* enum analyze_off at out[0] */
	/* Its latest sample on a CPU that had no switch yet; early_on_many: on several such
	 * CPUs. */
	bool early_on_many;
	struct digest_when early;
	struct digest_when out[2], in[2]; /* switches, latest first */
	struct digest_when wake[2];       /* sched_waking (else _wakeup), _wakeup_new; target CPU */
	struct digest_when up[2];         /* sched_wakeup beside sched_waking */
	struct digest_when woken;         /* the latest of all */
	struct digest_when moved[2];      /* sched_migrate_task: the destination CPU */
	uint64_t io_ns;                   /* sched_stat_iowait */
	uint64_t lost_ns;                 /* set by resume_check.c: when its CPU lost track of it */
	bool late_wait;   /* set by early_wakes.c: it has waited since its switch-out */
	bool woken_often; /* more than twice during its wait; set by resume_check.c */
};

struct digest_cpu {
	uint64_t first_ns, last_ns; /* of its events */
	uint64_t first_switch_ns;
	int32_t first_prev; /* its prev */
	uint64_t break_ns;  /* latest switch whose prev had neither switch-in nor sample before */
	uint64_t switch_ns; /* the latest switch; @cur: its next */
	int32_t cur;
	uint64_t sample_ns; /* the latest sample that names a task */
	int32_t sample_tid, sample_pid;
	int32_t first_tid; /* of the first such sample */
	bool mixed;        /* samples of several tasks before the first switch */
};

/* All events before a time. */
struct digest {
	ARRAY(struct digest_task) tasks;
	ARRAY(struct digest_row) rows;
	ARRAY(struct digest_kvm) kvm;
	struct map index; /* of tasks, by tid and IDLE's CPU */
	struct digest_cpu *cpus;
	uint32_t n_cpus;
};

/* digest_later - whether @a is later than @b; ANALYZE_NO_TIME is the earliest. */
static inline bool digest_later(uint64_t a, uint64_t b)
{
	return a != ANALYZE_NO_TIME && (b == ANALYZE_NO_TIME || a > b);
}

/* What digest_fold() looks at. */
#define DIGEST_KVM_NEEDS                                                                           \
	(ANALYZE_NEED(KVM_ENTRY) | ANALYZE_NEED(KVM_EXIT) | ANALYZE_NEED(KVM_USERSPACE) |          \
	 ANALYZE_NEED(KVM_PIO) | ANALYZE_NEED(KVM_MMIO) | ANALYZE_NEED(KVM_MSR) |                  \
	 ANALYZE_NEED(KVM_VIRQ))
#define DIGEST_NEEDS                                                                               \
	(ANALYZE_NEED(SWITCH) | ANALYZE_NEED_WAKES | ANALYZE_NEED(MIGRATE) |                       \
	 ANALYZE_NEED(IOWAIT) | ANALYZE_NEED(EXEC) | DIGEST_KVM_NEEDS)

struct digests;

/* digests_new - digests for @r. The capture must be of whole CPUs, have all switches or none, and
 * use the host's tids: else *out stays NULL and the function returns 0. @events: per digest; 0:
 * some ten thousand. */
int digests_new(struct digests **out, struct cdict_reader *r, uint64_t events,
		struct cdict_error *err);
/* digests_stored - like digests_new(), but from the digests stored in the file: they are done. *out
 * is also NULL when the file has none. */
int digests_stored(struct digests **out, struct cdict_reader *r, struct cdict_error *err);
void digests_free(struct digests *d);
/* digests_step - reads at most @events; 1: there are more; 0: all needed events were read. */
int digests_step(struct digests *d, uint64_t events, struct cdict_error *err);
bool digests_done(const struct digests *d);

/* digests_can_resume - whether a walk can resume from them: not if a thread took another one's tid. This
 * and the functions below need digests that are done. */
bool digests_can_resume(const struct digests *d);
/* digests_broken - whether switches are missing: some prev had no switch-in before. */
bool digests_broken(const struct digests *d);
/* digests_have_ups - whether rows have digest_row.up: older files lack it. */
bool digests_have_ups(const struct digests *d);
/* digests_whole - the digest of all events. */
const struct digest *digests_whole(const struct digests *d);
/* digests_at - the digest of the events before @t_ns; @out is zeroed storage, emptied by
 * digest_fini(). @walk: the engine that reads its events from there on, or NULL; blocks that both
 * need are read once, and the engine's events are then open. */
int digests_at(struct digests *d, uint64_t t_ns, struct analyze_engine *walk, struct digest *out,
	       struct cdict_error *err);
void digest_fini(struct digest *d);

/* digests_switches - calls @fn for the switches of @cpu in [from_ns, to_ns), in order, until it
 * returns non-zero. */
typedef int digests_switch_fn(void *ctx, uint64_t t_ns, int32_t prev);
int digests_switches(struct digests *d, uint32_t cpu, uint64_t from_ns, uint64_t to_ns,
		     digests_switch_fn *fn, void *ctx, struct cdict_error *err);

/* digests_next_switch - the first switch after @after_ns and before @to_ns; next->t_ns is
 * ANALYZE_NO_TIME if there is none. */
struct digest_switch {
	uint64_t t_ns;
	int32_t prev;
};

int digests_next_switch(struct digests *d, uint32_t cpu, uint64_t after_ns, uint64_t to_ns,
			struct digest_switch *next, struct cdict_error *err);

/* digests_first_wake - finds the first wake-up of @tid from @from_ns on, of any kind; returns 1, or
 * 0 if it is not among the next @events. */
int digests_first_wake(struct digests *d, int32_t tid, uint64_t from_ns, uint64_t events,
		       struct digest_when *wake, struct cdict_error *err);

/* Return NULL if there is none. */
const struct digest_task *digest_find_task(const struct digest *d, int32_t tid, uint32_t cpu);
const struct digest_row *digest_find(const struct digest *d, int32_t tid, uint32_t cpu);

#endif
