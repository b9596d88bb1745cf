/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rings.h - the ring buffers of a group of CPUs, through libperf: one ring per CPU, into which
 * every chosen event of that CPU goes, and the births, names and deaths of tasks.
 *
 * The samples hold no more than is needed: the thread, the time and the raw fields, and the
 * period, without which an event that counts something (sched_stat_runtime: nanoseconds) makes
 * one sample for each. The event is told by the payload's common_type, the CPU by the ring.
 *
 * Threads    one thread reads; rings_disable() and rings_lost() may come from another
 * Failure    negative code with *err filled
 * Ownership  rings_open() gives, rings_close() takes (NULL is fine)
 */
#ifndef CAPTURE_RINGS_H
#define CAPTURE_RINGS_H

#include <perf/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "capture/host/choose.h"

/* Offsets in a PERF_RECORD_SAMPLE, and of the sample_id at the end of other records. */
#define RING_SAMPLE_PID 8u
#define RING_SAMPLE_TID 12u
#define RING_SAMPLE_TIME 16u
#define RING_SAMPLE_REST                                                                           \
	32u /* with stacks u64 n and n addresses; u32 size and the raw fields; unwind.h's */
#define RING_TRAILER 16u /* pid, tid, time */
/* for base/cursor.h: this machine's byte order */
#define NATIVE_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

struct rings_options {
	const int *cpus; /* ascending */
	size_t n_cpus;
	size_t bytes; /* of each ring, a power of two of pages */
	bool use_clockid;
	int clockid;
	bool foreign_pids;   /* those of @own are not the kernel's: no filter can leave them out */
	const int32_t *tids; /* only these tasks; NULL: all */
	size_t n_tids;
	bool no_inherit;
	bool stacks; /* each sample has its call chain, and what is mapped is told */
	bool no_kernel_stacks, no_user_stacks;
	uint32_t stack_bytes; /* of the program's part this much of its stack, and registers; 0: its chain */
	uint64_t user_regs; /* with stack_bytes: bits of PERF_REG_* */
	const int32_t *own; /* tids whose own activity is left out, ascending */
	size_t n_own;
};

struct rings;

/* rings_open - opens every event of @choice, disabled. -EPERM and -EACCES when it is not
 * allowed; -ENOBUFS when the rings are more than may be locked: try smaller ones. */
int rings_open(struct rings **out, const struct choice *choice, const struct rings_options *opts,
	       struct cdict_error *err);
void rings_close(struct rings *r);

/* rings_watch_tasks - births, names and deaths of tasks are recorded from here on. */
void rings_watch_tasks(struct rings *r);
/* rings_watch_switches - who runs is from here on, CPU by CPU: before anything else, so that a CPU's first
 * event says that its switches are recorded, too. False: sched_switch is not among the events. */
bool rings_watch_switches(struct rings *r);
/* rings_enable - and everything else. */
void rings_enable(struct rings *r);
void rings_disable(struct rings *r);

/* rings_wait - until a ring has something worth reading, @timeout_ms passed or a signal came. Whether
 * there was a wake-up by a ring. */
bool rings_wait(struct rings *r, int timeout_ms);

/* rings_read - hands each record that is there to @fn, ring by ring; records are borrowed until
 * @fn returns. At most twice a ring's bytes of each, so that no busy ring keeps others waiting. */
typedef void (*rings_fn)(void *ctx, uint32_t cpu, const struct perf_event_header *record);
uint64_t rings_read(struct rings *r, rings_fn fn, void *ctx); /* bytes read */

/* rings_over - nothing can come any more: all tasks have ended. From any thread. */
bool rings_over(const struct rings *r);

/* rings_cpus, rings_cpu - the CPUs, in the order of rings_open(). */
size_t rings_cpus(const struct rings *r);
uint32_t rings_cpu(const struct rings *r, size_t i);

/* rings_count - what the kernel counted on the @i-th CPU over all events: records that were lost
 * (*has_lost: since Linux 6.0), and events that happened and passed their filters, of those that
 * count one each. False when it cannot be read. */
bool rings_count(struct rings *r, size_t i, uint64_t *lost, bool *has_lost, uint64_t *events);

/* A sample's fields of variable length. */
struct ring_sample {
	const uint8_t *chain;
	uint64_t n_chain;
	const uint8_t *raw; /* its u32 size before it */
	uint32_t raw_size;
	const uint8_t *rest; /* behind them */
	size_t rest_size;
};

/* ring_sample_read - false: it is too short for them. */
static inline bool ring_sample_read(const void *record, bool stacks, struct ring_sample *out)
{
	struct cursor c =
		cursor_init(record, load16((const uint8_t *)record + 6, NATIVE_BIG), NATIVE_BIG);

	cursor_skip(&c, RING_SAMPLE_REST);
	out->n_chain = stacks ? cursor_u64(&c) : 0;
	if (out->n_chain > c.left / 8)
		return false;
	out->chain = cursor_take(&c, out->n_chain * 8);
	out->raw_size = cursor_u32(&c);
	out->raw = cursor_take(&c, out->raw_size);
	out->rest = c.at;
	out->rest_size = c.left;
	return cursor_ok(&c);
}

/* rings_can_filter - a shared libperf may hide what filters need. */
bool rings_can_filter(void);

#endif
