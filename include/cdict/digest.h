/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * digest.h - what a capture's events leave behind, CPU by CPU at the ends of some blocks, as a DGST
 * block of the file tells it: cdict(5).
 *
 * Of a CPU the rows of all cuts up to one, and the events behind that cut, give of each task the
 * latest of every thing that happened to it there.  A row lacks what the events behind its cut make
 * of no use, up to the cut's ahead_ns: those are to be read.
 *
 * Units      *_ns  nanoseconds of the recording's clock, CDICT_NEVER: it did not happen
 * Threads    as the reader
 * Ownership  cdict_reader_digests() gives, cdict_digests_free() takes (NULL is fine)
 */
#ifndef CDICT_DIGEST_H
#define CDICT_DIGEST_H

#include "cdict/reader.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CDICT_NEVER UINT64_MAX

struct cdict_digest_row {
	int32_t tid;
	bool ran; /* it was switched in and out again */
	/* The latest first. */
	uint64_t out_ns[2];  /* switch-outs; the second of vCPUs alone */
	uint64_t in_ns;      /* a switch-in whose switch-out is missing */
	uint64_t prev_state; /* at out_ns[0] */
	/* What most events write is side by side. */
	uint64_t wake_ns[2]; /* sched_waking and sched_wakeup_new; without the first sched_wakeup */
	uint64_t woken_ns;   /* of any kind */
	uint32_t wake_cpu, woken_cpu; /* where to, CDICT_CPU_UNKNOWN */
	uint64_t moved_ns[2];         /* sched_migrate_task */
	uint64_t io_ns;               /* sched_stat_iowait */
	uint32_t moved_cpu;           /* where to */
	/* Of KVM: kvm_exit, kvm_entry, kvm_userspace_exit, any other that names the task. */
	uint32_t exit_type; /* of the exit, as what follows the times */
	uint64_t exit_ns, entry_ns, user_ns, access_ns;
	uint64_t exit_reason, exit_how;
	uint32_t exit_isa;
};

struct cdict_digest_cut {
	uint32_t cpu;
	size_t block;       /* the reader's; the cut is behind it */
	bool last;          /* behind the CPU's last block: without rows */
	bool switched;      /* the CPU had a switch */
	int32_t cur;        /* who was switched in last */
	uint64_t switch_ns; /* when; the first one */
	uint64_t first_switch_ns;
	uint64_t ahead_ns; /* the CPU's events up to this time are to be read with the rows */
	uint64_t missing; /* switches whose prev was not switched in before, since the CPU's cut before */
	const struct cdict_digest_row *rows;
	size_t n_rows;
};

/* A task of the whole capture. */
struct cdict_digest_task {
	int32_t tid; /* 0: IDLE of @cpu, which is CDICT_CPU_UNKNOWN of others */
	uint32_t cpu;
	int32_t pid;       /* -1: not known */
	int32_t vcpu_id;   /* -1 */
	bool is_vcpu;      /* it has a kvm_entry or kvm_exit */
	uint64_t first_ns; /* it is heard of */
	uint64_t died_ns;  /* from then on it does nothing any more, whatever rows say */
	char comm[16];     /* the latest of the events, NUL-terminated */
};

/* A task that is none of those: all else is told by its PERF_RECORD_FORK, _COMM and _EXIT. */
struct cdict_digest_life {
	int32_t tid;
	uint64_t born_ns, died_ns;
};

struct cdict_digests {
	const struct cdict_digest_cut *cuts; /* those of a CPU in order of time */
	size_t n_cuts;
	const struct cdict_digest_task *tasks; /* by first_ns */
	size_t n_tasks;
	const struct cdict_digest_life *lives; /* by tid */
	size_t n_lives;
	bool wakeup_counts; /* wake_ns are of sched_wakeup */
};

/* cdict_reader_digests - *out is NULL when the file has none, or when they do not cover all of its
 * events.  0 or -ENOMEM. */
CDICT_API int cdict_reader_digests(struct cdict_reader *r, struct cdict_digests **out,
				   struct cdict_error *err);
CDICT_API void cdict_digests_free(struct cdict_digests *d);

#ifdef __cplusplus
}
#endif
#endif
