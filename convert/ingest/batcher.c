/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * batcher.c - distributes samples to batches. One ring per CPU is in time order, except for
 * interrupts that took their time stamp before the interrupted event was written;
 * several rings per CPU (perf record without -a, or -C with several threads) are
 * far out of order. Both are sorted here: each CPU keeps back more samples than any
 * late sample had to be moved.
 */
#include "convert/ingest/batcher.h"

#include <stdlib.h>
#include <string.h>

#include "cdict/event.h"
#include "format/layout.h"

/* Samples kept back at least when a block is cut. */
#define BACK_MIN 512u
/* Limit of the search for the place of a late sample: input that runs backwards
 * throughout must not take quadratic time. */
#define BACK_SEARCH 4096u

void batch_free(struct batch *b)
{
	if (!b)
		return;
	free(b->samples);
	free(b->copies);
	free(b);
}

void batcher_fini(struct batcher *p)
{
	for (size_t i = 0; i < p->n; i++)
		batch_free(p->cpus[i].batch);
	free(p->cpus);
	*p = (struct batcher){ 0 };
}

struct batcher_cpu *batcher_cpu_new(struct batcher *p, uint32_t cpu)
{
	size_t i = cpu == CDICT_CPU_UNKNOWN ? 0 : (size_t)cpu + 1, n;
	struct batcher_cpu *cpus;

	n = p->n ? p->n : 16;
	while (n <= i)
		n *= 2;
	cpus = realloc(p->cpus, n * sizeof(*cpus));
	if (!cpus)
		return NULL;
	memset(cpus + p->n, 0, (n - p->n) * sizeof(*cpus));
	p->cpus = cpus;
	p->n = n;
	return &cpus[i];
}

static bool batch_copy(struct batch *b, const uint8_t *record, uint32_t size)
{
	if (b->copied + size > b->copies_cap) {
		size_t cap = b->copies_cap ? b->copies_cap * 2 : 64 << 10;
		uint8_t *copies = realloc(b->copies, cap);

		if (!copies)
			return false;
		/* The samples point into the old memory. */
		for (size_t i = 0; i < b->n; i++)
			b->samples[i].record = copies + (b->samples[i].record - b->copies);
		b->copies = copies;
		b->copies_cap = cap;
	}
	memcpy(b->copies + b->copied, record, size);
	b->copied += size;
	return true;
}

static bool batch_add(struct batch *b, const struct batch_sample *s, uint32_t size, bool copy)
{
	if (b->n == b->cap) {
		size_t cap = b->cap ? b->cap * 2 : 1024;
		struct batch_sample *samples = realloc(b->samples, cap * sizeof(*samples));

		if (!samples)
			return false;
		b->samples = samples;
		b->cap = cap;
	}
	if (copy && !batch_copy(b, s->record, size))
		return false;
	b->samples[b->n] = *s;
	if (copy)
		b->samples[b->n].record = b->copies + b->copied - size;
	b->n++;
	b->bytes += size;
	return true;
}

void batch_done(struct batch_spares *spares, struct batch *b)
{
	pthread_mutex_lock(&spares->lock);
	/* For input from a pipe, copies are most of the memory: keep one. */
	if (spares->n < (b->copies ? 1 : BATCH_SPARES)) {
		spares->batches[spares->n++] = b;
		b = NULL;
	}
	pthread_mutex_unlock(&spares->lock);
	batch_free(b);
}

static struct batch *batch_new(struct batch_spares *spares, uint32_t cpu)
{
	struct batch *b = NULL;

	pthread_mutex_lock(&spares->lock);
	if (spares->n)
		b = spares->batches[--spares->n];
	pthread_mutex_unlock(&spares->lock);
	if (!b)
		b = calloc(1, sizeof(*b));
	if (b) {
		b->cpu = cpu;
		b->n = b->copied = b->bytes = 0;
	}
	return b;
}

bool batcher_add_slow(struct batcher *p, struct batcher_cpu *c, uint32_t cpu,
		      const struct batch_sample *s, uint32_t size)
{
	size_t back = 0;

	if (!c->batch) {
		c->batch = batch_new(p->spares, cpu);
		if (!c->batch)
			return false;
	}
	if (s->t_ns < c->max_ns && c->seen) {
		const struct batch *b = c->batch;

		while (back < b->n && back < BACK_SEARCH &&
		       b->samples[b->n - 1 - back].t_ns > s->t_ns)
			back++;
		if (back == BACK_SEARCH)
			back = b->n; /* keep all back */
		if (back)
			c->disordered = true;
		if (back > c->back)
			c->back = back;
		if (s->t_ns < c->cut_ns) {
			if (!c->late++)
				c->late_first_ns = c->late_last_ns = s->t_ns;
			if (s->t_ns < c->late_first_ns)
				c->late_first_ns = s->t_ns;
			if (s->t_ns > c->late_last_ns)
				c->late_last_ns = s->t_ns;
		} else {
			c->sorted++;
		}
	} else {
		c->max_ns = s->t_ns;
		c->seen = true;
	}
	if (!batch_add(c->batch, s, size, p->copy))
		return false;
	p->bytes += size;
	return true;
}

static size_t keep_back(const struct batcher_cpu *c)
{
	return c->back * 2 > BACK_MIN ? c->back * 2 : BACK_MIN;
}

struct batcher_cpu *batcher_ready_slow(struct batcher *p, struct batcher_cpu *latest)
{
	struct batcher_cpu *most = NULL;

	if (latest->batch && (latest->batch->n >= FORMAT_BLOCK_FILL + keep_back(latest) ||
			      latest->batch->bytes >= batcher_batch_max(p)))
		return latest;
	if (p->bytes < BATCHER_BYTES_MAX)
		return NULL;
	for (size_t i = 0; i < p->n; i++)
		if (p->cpus[i].batch && (!most || p->cpus[i].batch->bytes > most->batch->bytes))
			most = &p->cpus[i];
	return most;
}

/* Stable: samples with equal times keep the order in which they were written;
 * sorted runs are only copied. */
static bool sort(struct batch *b)
{
	struct batch_sample *from = b->samples, *to = malloc(b->n * sizeof(*to));
	struct batch_sample *spare = to;
	size_t width;

	if (!to)
		return false;
	for (width = 1; width < b->n; width *= 2) {
		struct batch_sample *swap;

		for (size_t lo = 0; lo < b->n; lo += 2 * width) {
			size_t mid = lo + width < b->n ? lo + width : b->n;
			size_t hi = mid + width < b->n ? mid + width : b->n;
			size_t i = lo, j = mid, k = lo;

			if (mid == hi || from[mid - 1].t_ns <= from[mid].t_ns) {
				memcpy(to + lo, from + lo, (hi - lo) * sizeof(*to));
				continue;
			}
			while (i < mid && j < hi)
				to[k++] = from[j].t_ns < from[i].t_ns ? from[j++] : from[i++];
			memcpy(to + k, from + i, (mid - i) * sizeof(*to));
			k += mid - i;
			memcpy(to + k, from + j, (hi - j) * sizeof(*to));
		}
		swap = from;
		from = to;
		to = swap;
	}
	if (from == spare) {
		memcpy(b->samples, spare, b->n * sizeof(*spare));
		free(spare);
	} else {
		free(spare);
	}
	return true;
}

struct batch *batcher_cut(struct batcher *p, struct batcher_cpu *c, bool last, bool *oom)
{
	struct batch *b = c->batch, *rest = NULL;
	size_t n, back = last ? 0 : keep_back(c);

	*oom = false;
	if (!b || !b->n)
		return NULL;
	if (c->disordered && !sort(b))
		goto fail;
	c->disordered = false;
	/* At least half is cut, however far back a sample had to be moved. */
	n = b->n > 2 * back ? b->n - back : (b->n + 1) / 2;
	if (last)
		n = b->n;
	if (n > FORMAT_BLOCK_FILL)
		n = FORMAT_BLOCK_FILL;
	if (n < b->n) {
		rest = batch_new(p->spares, b->cpu);
		if (!rest)
			goto fail;
		for (size_t i = n; i < b->n; i++) {
			uint16_t size;

			memcpy(&size, b->samples[i].record + 6, sizeof(size));
			if (p->swap)
				size = __builtin_bswap16(size);
			if (!batch_add(rest, &b->samples[i], size, p->copy)) {
				batch_free(rest);
				goto fail;
			}
		}
	}
	p->bytes -= b->bytes - (rest ? rest->bytes : 0);
	c->batch = rest;
	c->cut = true;
	b->n = n;
	if (b->samples[n - 1].t_ns > c->cut_ns)
		c->cut_ns = b->samples[n - 1].t_ns;
	return b;
fail:
	*oom = true;
	return NULL;
}
