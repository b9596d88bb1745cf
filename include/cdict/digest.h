/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * digest.h - per-CPU summaries of a capture's state at the ends of some blocks, as stored in a DGST
 * block: cdict(5).
 *
 * For one CPU, the rows of all its cuts up to some cut, together with the events after that cut,
 * give the latest event of each kind for each task.  A row omits data that events after its cut
 * supersede; readers must read those events, up to the cut's ahead_ns.
 *
 * Units      *_ns  nanoseconds of the recording's clock, CDICT_NEVER: did not happen
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
	/* Latest first. */
	uint64_t out_ns[2];  /* switch-outs; the second for vCPUs only */
	uint64_t in_ns;      /* a switch-in whose switch-out is missing */
	uint64_t prev_state; /* at out_ns[0] */
	/* Fields that most events write are adjacent. */
	uint64_t wake_ns[2]; /* sched_waking and sched_wakeup_new; sched_wakeup if no sched_waking */
	uint64_t woken_ns;   /* of any kind */
	uint32_t wake_cpu, woken_cpu; /* target CPU, or CDICT_CPU_UNKNOWN */
	uint64_t moved_ns[2];         /* sched_migrate_task */
	uint64_t io_ns;               /* sched_stat_iowait */
	uint32_t moved_cpu;           /* target CPU */
	/* KVM: kvm_exit, kvm_entry, kvm_userspace_exit, any other event that names the task. */
	uint32_t exit_type; /* of the exit, like exit_reason, exit_how and exit_isa */
	uint64_t exit_ns, entry_ns, user_ns, access_ns;
	uint64_t exit_reason, exit_how;
	uint32_t exit_isa;
};

struct cdict_digest_cut {
	uint32_t cpu;
	size_t block;       /* index in the reader; the cut follows this block */
	bool last;          /* after the CPU's last block; has no rows */
	bool switched;      /* the CPU had a switch */
	int32_t cur;        /* task of the latest switch-in */
	uint64_t switch_ns; /* time of the latest switch; below, of the first */
	uint64_t first_switch_ns;
	uint64_t ahead_ns; /* read the CPU's events up to this time together with the rows */
	uint64_t missing; /* switches since the CPU's previous cut whose prev was not switched in before */
	const struct cdict_digest_row *rows;
	size_t n_rows;
};

/* A task of the whole capture. */
struct cdict_digest_task {
	int32_t tid; /* 0: IDLE of @cpu; @cpu is CDICT_CPU_UNKNOWN for other tasks */
	uint32_t cpu;
	int32_t pid;       /* -1: unknown */
	int32_t vcpu_id;   /* -1 */
	bool is_vcpu;      /* it has a kvm_entry or kvm_exit */
	uint64_t first_ns; /* first mention */
	uint64_t died_ns;  /* does nothing after this time, whatever the rows contain */
	char comm[16];     /* latest in the events, NUL-terminated */
};

/* Any other task: known only from its PERF_RECORD_FORK, _COMM and _EXIT. */
struct cdict_digest_life {
	int32_t tid;
	uint64_t born_ns, died_ns;
};

struct cdict_digests {
	const struct cdict_digest_cut *cuts; /* in time order per CPU */
	size_t n_cuts;
	const struct cdict_digest_task *tasks; /* by first_ns */
	size_t n_tasks;
	const struct cdict_digest_life *lives; /* by tid */
	size_t n_lives;
	bool wakeup_counts; /* wake_ns are sched_wakeup times */
	/* Rows of all cuts; up_ns: of each the latest two sched_wakeup where sched_waking is recorded, too,
	 * the latest first.  Only where wakes_apart: older files do not tell it. */
	bool wakes_apart;
	const struct cdict_digest_row *rows;
	size_t n_rows;
	const uint64_t (*up_ns)[2];
};

/* cdict_reader_digests - *out is NULL when the file has no digests, or when they do not cover all
 * of its events.  0 or -ENOMEM. */
CDICT_API int cdict_reader_digests(struct cdict_reader *r, struct cdict_digests **out,
				   struct cdict_error *err);
CDICT_API void cdict_digests_free(struct cdict_digests *d);

#ifdef __cplusplus
}
#endif
#endif
