/* SPDX-License-Identifier: GPL-2.0-only */
/* counting_internal.h - shared by opening and counting. */
#ifndef CAPTURE_COUNT_COUNTING_INTERNAL_H
#define CAPTURE_COUNT_COUNTING_INTERNAL_H

#include <unistd.h>

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "base/memory/texts.h"
#include "base/cursor.h"
#include "capture/count/counting.h"
#include "capture/host/choose.h"
#include "capture/record/workload.h"

/* Bytes of a ring, a power of two of pages: with about 150 bytes per sample, it holds a tenth of a
 * second at a hundred thousand switches a second. */
#define RING_BYTES ((size_t)1 << 21)
#define COMM_SIZE 16

/* A leader and its events on one CPU. */
struct counting_group {
	int cpu;
	int fd; /* of the leader */
	int members[COUNTING_EVENTS_MOST];
	size_t first, n;                           /* range of its events */
	uint64_t values[COUNTING_EVENTS_MOST + 1]; /* as of the last switch */
	uint8_t *ring;
	char current[COMM_SIZE + 1]; /* comm of the running task */
	bool unsure;                 /* samples were lost after the last switch read */
	ARRAY(uint64_t) counts;      /* [name][event of the group] */
};

/* A task that was opened: the command's first, or a given thread. */
struct counting_root {
	int32_t tid;
	uint32_t name;
	int guard;       /* an event that is not inherited: see counting_tasks.c */
	size_t first, n; /* its descriptors, by CPU, then event */
};

/* A record of the rings of tasks. */
struct counting_moment {
	uint64_t t_ns;
	uint32_t type, tid, parent;
	uint32_t number; /* COMM: of the name; READ: index in fds */
	uint64_t value, enabled_ns, running_ns;
};

/* Sums of a program and an event, or of an event in one root. */
struct counting_sum {
	uint64_t count, enabled_ns, running_ns;
};

struct counting_tasks {
	ARRAY(struct counting_root) roots;
	ARRAY(int) fds;
	ARRAY(struct counting_sum) read; /* of each fd: what its ended children had */
	struct map fd_by_id;
	int *cpus, any_cpu;
	size_t n_cpus;
	ARRAY(uint8_t *) rings; /* of each CPU; none when events are not opened by CPU */
	ARRAY(int) carriers;    /* dummy events that own the rings' records */
	ARRAY(struct counting_moment) moments;
	struct map names;                /* tid -> name */
	ARRAY(struct counting_sum) sums; /* [name][event] */
	uint64_t horizon_ns;
};

struct counting {
	struct counting_options o;
	struct texts uncountable;
	struct counting_tasks tasks;
	struct counting_event events[COUNTING_EVENTS_MOST];
	size_t n_events;
	uint32_t switch_id;
	unsigned prev_at, next_at, next_pid_at; /* offsets in the raw fields of sched_switch */
	size_t raw_size;
	ARRAY(struct counting_group) groups;
	uint32_t n_cpus;
	struct stringset texts;
	struct map numbers;
	ARRAY(const char *) names;
	ARRAY(struct counting_figure) figures; /* [name][event], at the end */
	uint64_t switches, lost;
	uint64_t length_ns;
	struct workload workload;
	struct choice choice;
	bool has_choice, failed;
};

int counting_fail_open(const char *name, int code, struct cdict_error *err);
/* counting_name - the number of a program; 0 and c->failed: out of memory. */
uint32_t counting_name(struct counting *c, const char *name, size_t len);

/* counting_ring_read - passes each new record to @fn, with its header. */
typedef void (*counting_record_fn)(void *ctx, uint32_t type, struct cursor record);
void counting_ring_read(uint8_t *ring, size_t bytes, counting_record_fn fn, void *ctx);

/* Tasks: counting_tasks_open - opens the events of the command, or of the threads.
 * counting_tasks_drain - reads the rings; with @end all of it.
 * counting_tasks_over - whether all threads have ended. */
int counting_tasks_open(struct counting *c, struct cdict_error *err);
int counting_tasks_enable(struct counting *c, bool on, struct cdict_error *err);
void counting_tasks_drain(struct counting *c, bool end);
bool counting_tasks_over(const struct counting *c);
int counting_tasks_finish(struct counting *c, struct cdict_error *err);
void counting_tasks_fini(struct counting_tasks *t);

static inline size_t ring_size(void)
{
	return RING_BYTES + (size_t)sysconf(_SC_PAGESIZE);
}

#endif
