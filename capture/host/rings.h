/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rings.h - the ring buffers of a group of CPUs, through libperf: one ring per CPU, which receives
 * every chosen event of that CPU, and the births, names and deaths of tasks.
 *
 * Samples contain only what is needed: thread, time, raw fields, and the period, without which an
 * event that counts something else (sched_stat_runtime: nanoseconds) makes one sample per unit. The
 * event is identified by the payload's common_type, the CPU by the ring.
 *
 * With events that are no tracepoints, samples also have the address of the code and the event's id, by
 * which these are identified. With a fixed period, it is not in their samples.
 *
 * Threads    one thread reads; other threads may call rings_disable() and rings_over()
 * Failure    negative code with *err filled
 * Ownership  rings_open() gives, rings_close() takes (NULL is fine)
 */
#ifndef CAPTURE_HOST_RINGS_H
#define CAPTURE_HOST_RINGS_H

#include <perf/event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/cursor.h"
#include "base/memory/map.h"
#include "capture/host/choose.h"

/* Offsets in a PERF_RECORD_SAMPLE, and the size of the sample_id at the end of other records. */
struct ring_layout {
	uint8_t id, ip;       /* u64; with @sampled only */
	uint8_t pid;          /* i32 pid, i32 tid, u64 time, u64 period */
	uint8_t time, period; /* of a fixed period: not the period */
	uint8_t rest; /* u64 n and n addresses, with stacks; u32 size and raw fields; unwind.h's fields */
	uint8_t trailer; /* i32 pid, i32 tid, u64 time; u64 id, with @sampled */
	bool sampled, stacks;
};

static inline struct ring_layout ring_layout(bool sampled, bool stacks)
{
	const uint8_t more = sampled ? 16 : 0;

	return (struct ring_layout){ .id = 8,
				     .ip = 16,
				     .pid = (uint8_t)(8 + more),
				     .time = (uint8_t)(16 + more),
				     .period = (uint8_t)(24 + more),
				     .rest = (uint8_t)(32 + more),
				     .trailer = (uint8_t)(16 + more / 2),
				     .sampled = sampled,
				     .stacks = stacks };
}

#define RING_TRAILER 16u /* without @sampled */
/* this machine's byte order, for base/cursor.h */
#define NATIVE_BIG (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

struct rings_options {
	const int *cpus; /* ascending */
	size_t n_cpus;
	size_t bytes; /* per ring, a power of two of pages */
	bool use_clockid;
	int clockid;
	bool foreign_pids;   /* the tids in @own are not the kernel's: no filter can exclude them */
	const int32_t *tids; /* record only these tasks; NULL: all */
	size_t n_tids;
	bool no_inherit;
	bool on_exec; /* begin to sample when a task of @tids calls exec() */
	bool stacks;  /* record each sample's call chain, and MMAP2 */
	bool cgroups; /* record the id of each sample's control group, and new groups */
	bool no_kernel_stacks, no_user_stacks;
	uint16_t max_stack;   /* frames of a call chain; 0: the kernel's limit */
	uint32_t stack_bytes; /* bytes of stack to unwind the user part; 0: by frame pointers */
	uint64_t user_regs;   /* with stack_bytes: bits of PERF_REG_* */
	const int32_t *own;   /* tids whose own activity is excluded, ascending */
	size_t n_own;
};

struct rings;

/* rings_open - opens every event of @choice, disabled. -EPERM and -EACCES when not permitted;
 * -ENOBUFS when the rings exceed the limit of locked memory: try smaller ones. */
int rings_open(struct rings **out, const struct choice *choice, const struct rings_options *opts,
	       struct cdict_error *err);
void rings_close(struct rings *r);

/* rings_watch_tasks - starts recording births, names and deaths of tasks. */
void rings_watch_tasks(struct rings *r);
/* rings_watch_switches - starts recording switches, CPU by CPU: before any other event, so that
 * when a CPU has its first event, its switches are recorded already. False: sched_switch is not
 * among the events. */
bool rings_watch_switches(struct rings *r);
/* rings_enable - starts recording all other events; with on_exec, those that are no tracepoints start by
 * themselves. */
void rings_enable(struct rings *r);
void rings_disable(struct rings *r);

/* rings_wait - waits until a ring has enough to read, @timeout_ms passed or a signal came. True: a
 * ring woke us. */
bool rings_wait(struct rings *r, int timeout_ms);

/* rings_read - passes each available record to @fn, ring by ring; records are borrowed until @fn
 * returns. Reads at most twice a ring's size from each, so that a busy ring does not delay the
 * others. Returns bytes read. */
typedef void (*rings_fn)(void *ctx, uint32_t cpu, const struct perf_event_header *record);
uint64_t rings_read(struct rings *r, rings_fn fn, void *ctx);

/* rings_ids - adds the ids of all events that are no tracepoints to @ids, with their types in the schema
 * as numbers; 0, -ENOMEM. */
int rings_ids(struct rings *r, struct map *ids);

/* rings_over - true when no more events can come: all tasks have ended. From any thread. */
bool rings_over(const struct rings *r);

/* rings_cpus - the number of CPUs; rings_cpu - the @i-th, in the order of rings_open(). */
size_t rings_cpus(const struct rings *r);
uint32_t rings_cpu(const struct rings *r, size_t i);

/* rings_count - the kernel's counters of the @i-th CPU, summed over all events: lost records
 * (*has_lost: since Linux 6.0), and events that happened and passed their filters, of those whose
 * count is the number of events. False when they cannot be read. */
bool rings_count(struct rings *r, size_t i, uint64_t *lost, bool *has_lost, uint64_t *events);

/* The fields of variable length in a sample. */
struct ring_sample {
	const uint8_t *chain;
	uint64_t n_chain;
	const uint8_t *raw; /* preceded by its u32 size */
	uint32_t raw_size;
	const uint8_t *rest; /* after the raw fields */
	size_t rest_size;
};

/* ring_sample_read - false: the record is too short. */
static inline bool ring_sample_read(const void *record, const struct ring_layout *l,
				    struct ring_sample *out)
{
	struct cursor c =
		cursor_init(record, load16((const uint8_t *)record + 6, NATIVE_BIG), NATIVE_BIG);

	cursor_skip(&c, l->rest);
	out->n_chain = l->stacks ? cursor_u64(&c) : 0;
	if (out->n_chain > c.left / 8)
		return false;
	out->chain = cursor_take(&c, out->n_chain * 8);
	out->raw_size = cursor_u32(&c);
	out->raw = cursor_take(&c, out->raw_size);
	out->rest = c.at;
	out->rest_size = c.left;
	return cursor_ok(&c);
}

/* rings_can_filter - a shared libperf may not export the function for filters. */
bool rings_can_filter(void);

#endif
