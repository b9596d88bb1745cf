/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * digest.h - what a capture's events leave behind, CPU by CPU and some ten thousand events at a
 * time, so that a walk can begin anywhere and end where nothing is open (internal to analyze/).
 *
 * A digest keeps the latest of each thing that happened to a task.  Digests are added up in any
 * order: the later thing wins.
 *
 * Threads    one thread at a time
 * Failure    0 or a negative code with *err filled
 * Ownership  new gives, free takes (NULL is fine); the reader is borrowed
 */
#ifndef ANALYZE_DIGEST_H
#define ANALYZE_DIGEST_H

#include "analyze/walk/internal.h"

/* When, and on or for which CPU; ANALYZE_NO_TIME: never. */
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
	uint64_t vcpu_ns; /* when it was told */
};

/* Of one task: by tid; IDLE by its CPU. */
struct digest_task {
	int32_t tid;
	uint32_t cpu; /* of IDLE, else CDICT_CPU_UNKNOWN */
	int32_t pid;
	uint32_t row;               /* + 1: index of digest.rows; 0: nothing happened to it */
	uint64_t first_ns;          /* it is heard of */
	uint64_t named_ns, last_ns; /* first and last mention, as analyze_task has them */
	uint64_t pid_ns, comm_ns;   /* when these were told; ANALYZE_NO_TIME: not */
	char comm[16];
	bool comm_kept; /* comm is that of a wake-up or switch-in: the first, if there was none */
};

/* What happened to one. */
struct digest_row {
	uint32_t task; /* index of digest.tasks */
	int32_t tid;
	uint32_t kvm; /* + 1: index of digest.kvm; 0: no vCPU */
	uint8_t off;  /* enum analyze_off at out[0] */
	/* The latest sample of it on a CPU that had no switch yet; of several such CPUs. */
	bool early_on_many;
	struct digest_when early;
	struct digest_when out[2], in[2]; /* switches, the latest first */
	struct digest_when wake[2];       /* sched_waking (else _wakeup), _wakeup_new; where to */
	struct digest_when up[2];         /* sched_wakeup beside sched_waking */
	struct digest_when woken;         /* the latest of all */
	struct digest_when moved[2];      /* sched_migrate_task: where to */
	uint64_t io_ns;                   /* sched_stat_iowait */
	uint64_t lost_ns; /* resume.c's: it was switched in, and another one out instead */
	bool late_wait;   /* early_wakes.c's: it waits since its switch-out */
	bool woken_often; /* while it waits, more than twice: set by resume_check.c */
};

struct digest_cpu {
	uint64_t first_ns, last_ns; /* of its events */
	uint64_t first_switch_ns;
	int32_t first_prev; /* of that one */
	uint64_t break_ns;  /* the latest whose prev was not switched in before, nor sampled */
	uint64_t switch_ns; /* the latest; who it switched in */
	int32_t cur;
	uint64_t sample_ns; /* the latest sample that names a task */
	int32_t sample_tid, sample_pid;
	int32_t first_tid; /* of the first such sample */
	bool mixed;        /* samples of several tasks before the first switch */
};

/* Of all events before a time. */
struct digest {
	ARRAY(struct digest_task) tasks;
	ARRAY(struct digest_row) rows;
	ARRAY(struct digest_kvm) kvm;
	struct map index; /* of tasks, by tid and IDLE's CPU */
	struct digest_cpu *cpus;
	uint32_t n_cpus;
};

/* digest_later - never is before all others. */
static inline bool digest_later(uint64_t a, uint64_t b)
{
	return a != ANALYZE_NO_TIME && (b == ANALYZE_NO_TIME || a > b);
}

/* What digest_fold() looks at. */
#define DIGEST_NEEDS                                                                               \
	(ANALYZE_NEED(SWITCH) | ANALYZE_NEED_WAKES | ANALYZE_NEED(MIGRATE) |                       \
	 ANALYZE_NEED(IOWAIT) | ANALYZE_NEED(EXEC) | ANALYZE_NEED(KVM_ENTRY) |                     \
	 ANALYZE_NEED(KVM_EXIT) | ANALYZE_NEED(KVM_USERSPACE) | ANALYZE_NEED(KVM_PIO) |            \
	 ANALYZE_NEED(KVM_MMIO) | ANALYZE_NEED(KVM_MSR) | ANALYZE_NEED(KVM_VIRQ))

struct digests;

/* digests_new - of @r, whose capture must be one of whole CPUs with all switches or none, that numbers
 * tasks as the host does: else *out stays NULL, and the return value 0.  @events: of a digest; 0: some ten thousand. */
int digests_new(struct digests **out, struct cdict_reader *r, uint64_t events,
		struct cdict_error *err);
/* digests_told - the same, of what the file tells: they are done.  *out is NULL as well when it tells
 * nothing. */
int digests_told(struct digests **out, struct cdict_reader *r, struct cdict_error *err);
void digests_free(struct digests *d);
/* digests_step - reads @events at most; 1: there are more; 0: all were read that need be. */
int digests_step(struct digests *d, uint64_t events, struct cdict_error *err);
bool digests_done(const struct digests *d);

/* digests_tell - whether a walk can begin by them: where a thread took another one's tid, it cannot.
 * When it is done; the rest may be asked then. */
bool digests_tell(const struct digests *d);
/* digests_broken - whether switches are missing: some prev was not switched in before. */
bool digests_broken(const struct digests *d);
/* digests_tell_ups - whether rows have digest_row.up: older files do not tell it. */
bool digests_tell_ups(const struct digests *d);
/* digests_whole - of all events. */
const struct digest *digests_whole(const struct digests *d);
/* digests_at - of the events before @t_ns; @out is zeroed storage, emptied by digest_fini().  @walk: whose events
 * are to be read from there on, or NULL; what of them is read for both is read once, and then they are open. */
int digests_at(struct digests *d, uint64_t t_ns, struct analyze_engine *walk, struct digest *out,
	       struct cdict_error *err);
void digest_fini(struct digest *d);

/* digests_switches - calls @fn for the switches of @cpu in [from_ns, to_ns), in order; what it does
 * not give 0 for ends it. */
typedef int digests_switch_fn(void *ctx, uint64_t t_ns, int32_t prev);
int digests_switches(struct digests *d, uint32_t cpu, uint64_t from_ns, uint64_t to_ns,
		     digests_switch_fn *fn, void *ctx, struct cdict_error *err);

/* digests_next_switch - the first behind @after_ns and before @to_ns; next->t_ns is ANALYZE_NO_TIME when there
 * is none. */
struct digest_switch {
	uint64_t t_ns;
	int32_t prev;
};

int digests_next_switch(struct digests *d, uint32_t cpu, uint64_t after_ns, uint64_t to_ns,
			struct digest_switch *next, struct cdict_error *err);

/* digests_first_wake - the first wake-up of @tid from @from_ns on, of any kind, if it is among the next
 * @events: 1; 0: it is not. */
int digests_first_wake(struct digests *d, int32_t tid, uint64_t from_ns, uint64_t events,
		       struct digest_when *wake, struct cdict_error *err);

/* NULL: none. */
const struct digest_task *digest_find_task(const struct digest *d, int32_t tid, uint32_t cpu);
const struct digest_row *digest_find(const struct digest *d, int32_t tid, uint32_t cpu);

#endif
