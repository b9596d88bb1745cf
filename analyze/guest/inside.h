/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * inside.h - where the time of every task of a guest went, as guest and host together show it.
 *
 * An analysis of the guest's recording. The guest shows when a task ran, waited for a CPU of the
 * guest, or slept; the host shows what that CPU, a vCPU, did meanwhile (sides.h). The times of a row
 * add up to the window, to the ns. doc/figures.md, "Inside the guest", defines them.
 *
 * Units      *_ns durations in the window; *_at_ns times; both of the host's recording
 * Failure    0 or a negative code with *err filled; out of memory later ends the walk
 * Ownership  new gives, free takes; rows are borrowed until the next one is requested, shares die
 *            with the analysis
 */
#ifndef ANALYZE_GUEST_INSIDE_H
#define ANALYZE_GUEST_INSIDE_H

#include "analyze/guest/sides.h"
#include "analyze/walk/histogram.h"

struct guest_inside;

/* What a task of a guest does, by guest and host; the rest of the window is unknown, or it is absent. */
enum guest_doing {
	GUEST_RUNNING = 0, /* its vCPU is in the guest */
	GUEST_STOLEN,      /* it runs, as the guest sees it, but its vCPU does not */
	GUEST_BUSY,        /* it waits for a CPU of the guest, which runs another task */
	GUEST_AWAY,        /* it waits for a CPU of the guest, whose vCPU does not run */
	GUEST_ASLEEP,
	GUEST_BLOCKED, /* D and others */
};

/* A part of a task's time in the window. */
struct guest_task_piece {
	uint64_t from_ns, to_ns;
	uint32_t task; /* of the guest's engine */
	enum guest_doing doing;
	uint32_t vcpu;                 /* the host's task; ASLEEP, BLOCKED: ANALYZE_NO_TASK */
	enum analyze_vcpu_state state; /* of STOLEN and AWAY */
	struct guest_culprit
		who;     /* of states PREEMPTED and WAITING; BUSY: guest_task, of this guest */
	uint32_t reason; /* of states EXIT and QEMU, or INDEX_NONE */
};

struct guest_inside_options {
	const struct guest_sides *sides; /* borrowed */
	uint32_t guest;                  /* the number of this one in it */
	uint64_t from_ns, to_ns;         /* the window */
	bool to_end;                     /* it includes what happens at @to_ns */
	/* NULL, or called for each piece: those of a task in order of time. */
	void (*on_piece)(void *ctx, const struct guest_task_piece *piece);
	void *ctx;
};

/* A wait of the vCPU for a CPU while a task of the guest ran or waited on it. */
struct guest_vcpu_wait {
	uint64_t at_ns, dur_ns;      /* clipped to the time of the task; dur_ns 0: there was none */
	struct guest_culprit behind; /* had the CPU longest at once */
	uint64_t held_ns;
};

struct guest_task_row {
	_Alignas(8) uint32_t task; /* of the guest's engine */
	uint32_t cpu;              /* of the guest, that it last ran on; or CDICT_CPU_UNKNOWN */
	uint64_t run_ns;           /* its vCPU was in the guest */
	/* By the vCPU's state; GUEST and UNKNOWN are 0. */
	uint64_t stolen_ns[ANALYZE_VCPU_STATES]; /* while the task ran, as the guest sees it */
	uint64_t away_ns[ANALYZE_VCPU_STATES];   /* while it waited for that CPU of the guest */
	uint64_t busy_ns;  /* it waited, and the vCPU was in the guest: the guest's CPU was busy */
	uint64_t sleep_ns; /* S, I, as the guest sees it */
	uint64_t block_ns; /* D and others */
	uint64_t unknown_ns; /* not known by the guest, or not by the host */
	uint64_t absent_ns;  /* before its birth, after its death */
	uint64_t waits;      /* for a CPU of the guest, that ended in the window */
	/* Wake-up latency, whole, of waits that ended in the window and have no unknown part; and the
	 * same without the time that the vCPU was not in the guest. */
	struct histogram latency, own;
	uint64_t unclear; /* waits after a wake-up with an unknown part */
	struct guest_vcpu_wait worst;
};

int guest_inside_new(struct guest_inside **out, struct analyze_engine *eng,
		     const struct guest_inside_options *opts, struct cdict_error *err);
void guest_inside_free(struct guest_inside *in);

/* Rows of all tasks but IDLE that were seen in the window, in order of the task's index. */
size_t guest_inside_row_count(const struct guest_inside *in);
const struct guest_task_row *guest_inside_row_at(struct guest_inside *in, size_t i);

/* guest_task_stolen_ns, guest_task_away_ns - the sums over all states. */
uint64_t guest_task_stolen_ns(const struct guest_task_row *row);
uint64_t guest_task_away_ns(const struct guest_task_row *row);
/* guest_task_vcpu_wait_ns - of both: the vCPU waited for a CPU of the host. */
uint64_t guest_task_vcpu_wait_ns(const struct guest_task_row *row);

/* What a part of a task's time is due to. */
enum guest_share_kind {
	GUEST_SHARE_HOST = 0, /* a task of the host had the vCPU's CPU, or it is unknown which */
	GUEST_SHARE_GUEST,    /* a task of a joined guest had it */
	GUEST_SHARE_REASON,   /* the vCPU handled an exit, or was in the VMM after it */
	GUEST_SHARE_OWN,      /* a task of the same guest had the guest's CPU */
};

struct guest_share {
	uint32_t task; /* of the row */
	enum guest_share_kind kind;
	struct guest_culprit who;      /* OWN: guest_task, of this guest */
	uint32_t reason;               /* of REASON, or INDEX_NONE */
	enum analyze_vcpu_state state; /* of REASON: EXIT or QEMU */
	uint64_t stolen_ns, away_ns;   /* parts of the row's; OWN: away_ns is part of busy_ns */
};

/* guest_inside_shares - those of a task, most time first; *n: how many. After the walk. */
const struct guest_share *guest_inside_shares(const struct guest_inside *in, uint32_t task,
					      size_t *n);

#endif
