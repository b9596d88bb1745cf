/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plain.h - the samples of a mapped recording as they nearly always come, without a
 * call each: of an event that is stored, on a CPU that was seen, not late.
 */
#ifndef CONVERT_PLAIN_H
#define CONVERT_PLAIN_H

#include "convert/formats.h"
#include "convert/pending.h"
#include "convert/rounds.h"

/* What the walk must know of an event of the recording. */
struct plain_event {
	uint32_t size; /* samples that are shorter, or not stored: UINT32_MAX, are not plain */
	uint16_t time, cpu;
};

/* perf reads its rings in the order of CPUs, over and over: a sample of a lower CPU
 * than the one before begins a new pass. Events of one time are printed in that
 * order by perf script. */
struct passes {
	uint32_t pass, cpu;
};

static inline uint32_t passes_sample(struct passes *p, uint32_t cpu)
{
	if (cpu != p->cpu) {
		p->pass += cpu < p->cpu;
		p->cpu = cpu;
	}
	return p->pass;
}

struct plain {
	struct plain_event *events;
	size_t n;
};

/* plain_update - events were added; false when out of memory. */
bool plain_update(struct plain *plain, const struct formats *formats);
void plain_fini(struct plain *plain);

/* plain_walk - queues samples until one that is not plain, which is then the next
 * that perfdata_next() gives. */
void plain_walk(const struct plain *plain, struct perfdata *pd, struct pending *pending,
		struct rounds *rounds, struct passes *passes);

#endif
