/* SPDX-License-Identifier: GPL-2.0-only */
/* The fast path for plain samples; anything unusual ends the walk. */
#include "convert/span.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "convert/perfdata/cgroups.h"

/* A record's size locates the next one: without prefetching, each would wait for memory. */
#define AHEAD 4096

bool span_update(struct span *span, const struct formats *formats,
		 const struct kernel_symbols *symbols)
{
	struct span_event *events = realloc(span->events, formats->events.n * sizeof(*events));

	if (!events)
		return !formats->events.n;
	for (size_t i = 0; i < formats->events.n; i++) {
		const struct perfdata_sample_layout *l = &formats->events.at[i]->layout;

		events[i] = (struct span_event){ .size = UINT32_MAX };
		if (formats->source.at[i].type == SOURCE_UNSTORED || l->time < 0 || l->cpu < 0 ||
		    l->sample_type & PERFDATA_SAMPLE_CGROUP ||
		    kernel_symbols_wanted(symbols, (uint32_t)formats->source.at[i].type))
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

/* Consecutive samples of one CPU: keeps the values to compare at hand. */
struct run {
	struct batcher_cpu *c;
	struct batch_sample *to, *end;
	uint64_t max_ns;
	size_t room, left; /* bytes available at first, and now */
	uint32_t cpu;
};

static inline size_t less(size_t a, size_t b)
{
	return a > b ? a - b : 0;
}

static void run_end(struct run *r, struct batcher *batcher)
{
	struct batch *b;

	if (!r->c)
		return;
	b = r->c->batch;
	r->c->max_ns = r->max_ns;
	b->n = (size_t)(r->to - b->samples);
	b->bytes += r->room - r->left;
	batcher->bytes += r->room - r->left;
	r->c = NULL;
}

/* Begins a run of samples of @cpu; false when the CPU is new, or has no room. */
static bool run_begin(struct run *r, struct batcher *batcher, uint32_t cpu)
{
	size_t max = batcher_batch_max(batcher), all;
	struct batch *b;

	run_end(r, batcher);
	if (cpu >= INGEST_CPUS_MAX || cpu + 1 >= batcher->n)
		return false;
	b = batcher->cpus[cpu + 1].batch;
	if (!b)
		return false;
	all = less(BATCHER_BYTES_MAX, batcher->bytes);
	r->room = less(max, b->bytes);
	r->room = r->left = r->room < all ? r->room : all;
	r->c = &batcher->cpus[cpu + 1];
	r->cpu = cpu;
	r->max_ns = r->c->max_ns;
	r->to = b->samples + b->n;
	r->end = b->samples + (b->cap < FORMAT_BLOCK_FILL ? b->cap : FORMAT_BLOCK_FILL);
	return true;
}

void span_walk(const struct span *span, struct perfdata *pd, struct batcher *batcher,
	       struct rounds *rounds, struct passes *passes)
{
	uint64_t latest_ns = rounds->waiting ? rounds->latest_ns : 0;
	const uint64_t done_ns = rounds->done_ns;
	const struct span_event *events = span->events;
	const size_t n_events = span->n;
	struct run run = { .cpu = UINT32_MAX };
	struct perfdata_span s;
	const uint8_t *at, *from;
	uint32_t id_end, pass = passes->pass;

	if (batcher->copy || batcher->swap || !perfdata_span(pd, &s))
		return;
	at = from = s.at;
	id_end = s.id_at + 8;
	for (;;) {
		const struct perfdata_recent *recent;
		const struct span_event *ev;
		uint64_t t_ns, id;
		uint32_t size, cpu;

		if (s.end - at < 8 || native32(at) != PERF_RECORD_SAMPLE)
			break;
		__builtin_prefetch((const void *)((uintptr_t)at + AHEAD));
		__builtin_prefetch((const void *)((uintptr_t)at + AHEAD + 64));
		size = native32(at + 4) >> 16;
		if (size > (size_t)(s.end - at) || size < id_end)
			break;
		id = native64(at + s.id_at);
		recent = &s.recent[id % PERFDATA_RECENT];
		if ((size_t)recent->event >= n_events || recent->id != id)
			break;
		ev = &events[recent->event];
		if (size < ev->size)
			break;
		t_ns = native64(at + ev->time);
		cpu = native32(at + ev->cpu);
		if (cpu != run.cpu && !run_begin(&run, batcher, cpu))
			break;
		/* Not earlier than the previous one of its CPU, and not possibly late in perf's
		 * order. */
		if (run.to >= run.end || size >= run.left || t_ns < run.max_ns || t_ns <= done_ns ||
		    t_ns == UINT64_MAX)
			break;
		if (cpu != passes->cpu)
			pass = passes_sample(passes, cpu);
		latest_ns = t_ns > latest_ns ? t_ns : latest_ns;
		run.max_ns = t_ns;
		*run.to++ = (struct batch_sample){ t_ns, at, (uint32_t)recent->event, pass };
		run.left -= size;
		at += size;
	}
	run_end(&run, batcher);
	if (at != from) {
		rounds->waiting = true;
		rounds->latest_ns = latest_ns;
	}
	perfdata_span_end(pd, at);
}
