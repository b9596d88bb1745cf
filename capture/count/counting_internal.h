/* SPDX-License-Identifier: GPL-2.0-only */
/* counting_internal.h - shared by opening and counting. */
#ifndef CAPTURE_COUNT_COUNTING_INTERNAL_H
#define CAPTURE_COUNT_COUNTING_INTERNAL_H

#include <unistd.h>

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"
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

struct counting {
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
	bool failed;
};

static inline size_t ring_size(void)
{
	return RING_BYTES + (size_t)sysconf(_SC_PAGESIZE);
}

#endif
