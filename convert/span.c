/* SPDX-License-Identifier: GPL-2.0-only */
/* The usual samples, quickly; whatever is odd about one ends the walk. */
#include "convert/span.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Where the next record is, this one says: without help every one waits for memory. */
#define AHEAD 4096

bool span_update(struct span *span, const struct formats *formats)
{
	struct span_event *events = realloc(span->events, formats->events.n * sizeof(*events));

	if (!events)
		return !formats->events.n;
	for (size_t i = 0; i < formats->events.n; i++) {
		const struct perfdata_sample_layout *l = &formats->events.at[i]->layout;

		events[i] = (struct span_event){ .size = UINT32_MAX };
		if (formats->source.at[i].type == SOURCE_UNSTORED || l->time < 0 || l->cpu < 0)
			continue;
		events[i].time = (uint16_t)l->time;
		events[i].cpu = (uint16_t)l->cpu;
		events[i].size = (uint32_t)(l->time > l->cpu ? l->time : l->cpu) + 8;
	}
	span->events = events;
	span->n = formats->events.n;
	return true;
}

void span_fini(struct span *span)
{
	free(span->events);
}

static inline uint64_t native64(const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static inline uint32_t native32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

void span_walk(const struct span *span, struct perfdata *pd, struct batcher *batcher,
	       struct rounds *rounds, struct passes *passes)
{
	size_t batch_max = batcher_batch_max(batcher);
	struct rounds r = *rounds;
	struct passes pass = *passes;
	struct perfdata_span s;

	if (batcher->copy || batcher->swap || !perfdata_span(pd, &s))
		return;
	for (;;) {
		const uint8_t *at = s.at;
		const struct perfdata_recent *recent;
		const struct span_event *ev;
		struct batcher_cpu *c;
		struct batch *b;
		uint64_t t_ns;
		uint32_t size, cpu;

		if (s.end - at < 8 || native32(at) != PERF_RECORD_SAMPLE)
			break;
		__builtin_prefetch((const void *)((uintptr_t)at + AHEAD));
		__builtin_prefetch((const void *)((uintptr_t)at + AHEAD + 64));
		size = native32(at + 4) >> 16;
		if (size > (size_t)(s.end - at) || size < s.id_at + 8)
			break;
		recent = &s.recent[native64(at + s.id_at) % PERFDATA_RECENT];
		if ((size_t)recent->event >= span->n || recent->id != native64(at + s.id_at))
			break;
		ev = &span->events[recent->event];
		if (size < ev->size)
			break;
		t_ns = native64(at + ev->time);
		cpu = native32(at + ev->cpu);
		if (cpu >= INGEST_CPUS_MAX || cpu + 1 >= batcher->n)
			break;
		c = &batcher->cpus[cpu + 1];
		b = c->batch;
		if (!b || b->n == b->cap || b->n >= FORMAT_BLOCK_EVENTS || t_ns < c->max_ns ||
		    b->bytes + size >= batch_max || batcher->bytes + size >= BATCHER_BYTES_MAX)
			break;
		if (!t_ns || t_ns == UINT64_MAX || rounds_record(&r, t_ns))
			break;
		c->max_ns = t_ns;
		b->samples[b->n++] = (struct batch_sample){ t_ns, at, (uint32_t)recent->event,
							    passes_sample(&pass, cpu) };
		b->bytes += size;
		batcher->bytes += size;
		s.at += size;
	}
	*rounds = r;
	*passes = pass;
	perfdata_span_end(pd, s.at);
}
