/* SPDX-License-Identifier: GPL-2.0-only */
/* The usual samples, quickly; whatever is odd about one ends the walk. */
#include "convert/plain.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Where the next record is, this one says: without help every one waits for memory. */
#define AHEAD 4096

bool plain_update(struct plain *plain, const struct formats *formats)
{
	struct plain_event *events = realloc(plain->events, formats->n * sizeof(*events));

	if (!events)
		return !formats->n;
	for (size_t i = 0; i < formats->n; i++) {
		const struct perfdata_sample_layout *l = &formats->events[i]->layout;

		events[i] = (struct plain_event){ .size = UINT32_MAX };
		if (formats->type_of[i] == FORMATS_UNSTORED || l->time < 0 || l->cpu < 0)
			continue;
		events[i].time = (uint16_t)l->time;
		events[i].cpu = (uint16_t)l->cpu;
		events[i].size = (uint32_t)(l->time > l->cpu ? l->time : l->cpu) + 8;
	}
	plain->events = events;
	plain->n = formats->n;
	return true;
}

void plain_fini(struct plain *plain)
{
	free(plain->events);
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

void plain_walk(const struct plain *plain, struct perfdata *pd, struct pending *pending,
		struct rounds *rounds, struct passes *passes)
{
	size_t batch_max = pending_batch_max(pending);
	struct rounds r = *rounds;
	struct passes pass = *passes;
	struct perfdata_span s;

	if (pending->copy || pending->swap || !perfdata_span(pd, &s))
		return;
	for (;;) {
		const uint8_t *at = s.at;
		const struct perfdata_recent *recent;
		const struct plain_event *ev;
		struct pending_cpu *c;
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
		if (recent->id != native64(at + s.id_at) || (size_t)recent->event >= plain->n)
			break;
		ev = &plain->events[recent->event];
		if (size < ev->size)
			break;
		t_ns = native64(at + ev->time);
		cpu = native32(at + ev->cpu);
		if (cpu >= PENDING_MAX_CPUS || cpu + 1 >= pending->n)
			break;
		c = &pending->cpus[cpu + 1];
		b = c->batch;
		if (!b || b->n == b->cap || b->n >= FORMAT_BLOCK_EVENTS || t_ns < c->max_ns ||
		    b->bytes + size >= batch_max || pending->bytes + size >= PENDING_BYTES_MAX)
			break;
		if (!t_ns || t_ns == UINT64_MAX || rounds_record(&r, t_ns))
			break;
		c->max_ns = t_ns;
		b->samples[b->n++] = (struct pending_sample){ t_ns, at, (uint32_t)recent->event,
							      passes_sample(&pass, cpu) };
		b->bytes += size;
		pending->bytes += size;
		s.at += size;
	}
	*rounds = r;
	*passes = pass;
	perfdata_span_end(pd, s.at);
}
