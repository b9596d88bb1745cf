/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * span.h - a fast path for the samples of a mapped recording, without a call per sample: for plain
 * ones, of a stored event, on a known CPU, not late.
 */
#ifndef CONVERT_SPAN_H
#define CONVERT_SPAN_H

#include "convert/formats.h"
#include "convert/kernel_symbols.h"
#include "convert/ingest/batcher.h"
#include "convert/rounds.h"

/* An event of the recording, as the walk needs it. */
struct span_event {
	uint32_t size; /* minimum of a plain sample; UINT32_MAX: not stored, so none is plain */
	uint16_t time, cpu;
};

/* perf reads its rings in the order of CPUs, repeatedly: a sample of a lower CPU than the previous
 * one begins a new pass. perf script prints events with equal times in that order. */
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

/* span_update - events were added; false when out of memory. Events that @symbols examines are not
 * plain. */
bool span_update(struct span *span, const struct formats *formats,
		 const struct kernel_symbols *symbols);
void span_fini(struct span *span);

/* span_walk - queues samples up to the first that is not plain, which perfdata_next() returns
 * next. */
void span_walk(const struct span *span, struct perfdata *pd, struct batcher *batcher,
	       struct rounds *rounds, struct passes *passes);

#endif
