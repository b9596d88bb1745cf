/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * span.h - the samples of a mapped recording as they nearly always come, without a
 * call each: of an event that is stored, on a CPU that was seen, not late.
 */
#ifndef CONVERT_SPAN_H
#define CONVERT_SPAN_H

#include "convert/formats.h"
#include "convert/kernel_symbols.h"
#include "convert/ingest/batcher.h"
#include "convert/rounds.h"

/* What the walk must know of an event of the recording. */
struct span_event {
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

struct span {
	struct span_event *events;
	size_t n;
};

/* span_update - events were added; false when out of memory. Those that @symbols looks at are not plain. */
bool span_update(struct span *span, const struct formats *formats,
		 const struct kernel_symbols *symbols);
void span_fini(struct span *span);

/* span_walk - queues samples until one that is not plain, which is then the next
 * that perfdata_next() gives. */
void span_walk(const struct span *span, struct perfdata *pd, struct batcher *batcher,
	       struct rounds *rounds, struct passes *passes);

#endif
