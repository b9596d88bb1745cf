/* SPDX-License-Identifier: GPL-2.0-only */
/* Batches of samples -> blocks, in parallel. */
#include "convert/encode.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"

/* Records ahead to ask the memory for. */
#define PREFETCH 8u

enum slot_state { SLOT_FREE, SLOT_QUEUED, SLOT_WORK, SLOT_DONE };

struct slot {
	enum slot_state state;
	struct batch *batch;
	struct buf rows;
	struct encode_block block;
};

struct encode {
	const struct perfdata *pd;
	const struct formats *formats;
	struct batch_spares *spares;
	struct slot *slots; /* ring: [first, first + used) in the order given */
	size_t n_slots, first, used;
	pthread_t *threads;
	size_t n_threads;
	struct format_encoder *inline_encoder; /* without threads */
	pthread_mutex_t lock;
	pthread_cond_t queued, done;
	bool stop;
};

/* The sample in @p. Its fields mostly lie where the layout says; whatever does not
 * (callchains before the payload) goes through perfdata_sample(). */
static inline int read_sample(const struct encode *e, const struct perfdata_event *ev,
			      const struct pending_sample *p, bool big, struct perfdata_sample *s)
{
	const struct perfdata_sample_layout *l = &ev->layout;
	struct perfdata_record rec = { .data = p->record, .type = PERF_RECORD_SAMPLE };
	uint32_t size = load16(p->record + 6, big);

	if (l->raw_fixed >= 0 && l->tid >= 0 && (uint32_t)l->raw_fixed + 4 <= size) {
		s->raw = p->record + l->raw_fixed + 4;
		s->raw_size = load32(s->raw - 4, big);
		s->pid = (int32_t)load32(p->record + l->tid, big);
		s->tid = (int32_t)load32(p->record + l->tid + 4, big);
		return s->raw_size <= size - (uint32_t)l->raw_fixed - 4 ? 0 : CDICT_ECORRUPT;
	}
	rec.size = size;
	rec.misc = load16(p->record + 4, big);
	if (perfdata_sample(e->pd, ev, &rec, s) < 0 || !s->raw)
		return CDICT_ECORRUPT;
	return 0;
}

/* Ends a block of the batch. */
static int end_block(struct format_encoder *enc, struct encode_block *block)
{
	struct encode_part *parts;
	size_t before = block->payload.len;
	int ret;

	if (!format_encoder_events(enc))
		return 0;
	parts = realloc(block->parts, (block->n_parts + 1) * sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	block->parts = parts;
	ret = format_encoder_finish(enc, &block->payload, &parts[block->n_parts].info);
	parts[block->n_parts++].size = block->payload.len - before;
	return ret;
}

static inline __attribute__((always_inline)) void
encode_samples(const struct encode *e, struct format_encoder *enc, const struct batch *batch,
	       struct encode_block *block, bool big)
{
	const struct perfdata_event *const *events = e->formats->events;
	const int32_t *type_of = e->formats->type_of;
	struct cdict_sample out = { .cpu = batch->cpu };
	const struct pending_sample *p = batch->samples, *end = p + batch->n;

	for (; p < end; p++) {
		struct perfdata_sample s;
		int ret;

		if (end - p > PREFETCH) {
			__builtin_prefetch(p[PREFETCH].record);
			__builtin_prefetch(p[PREFETCH].record + 64);
		}
		ret = read_sample(e, events[p->event], p, big, &s);
		if (!ret) {
			out.t_ns = p->t_ns;
			out.order = p->order;
			out.pid = s.pid;
			out.tid = s.tid;
			out.mode = load16(p->record + 4, big) & PERF_RECORD_MISC_CPUMODE_MASK;
			ret = format_encoder_add(enc, &out, (uint32_t)type_of[p->event], s.raw,
						 s.raw_size);
		}
		if (!ret)
			continue;
		if (ret == -ENOMEM) {
			block->failed = ret;
			return;
		}
		if (!block->bad++)
			block->bad_first_ns = p->t_ns;
		block->bad_last_ns = p->t_ns;
	}
}

static void encode_batch(const struct encode *e, struct format_encoder *enc,
			 const struct batch *batch, struct encode_block *block)
{
	*block = (struct encode_block){ .cpu = batch->cpu };
	if (perfdata_big_endian(e->pd))
		encode_samples(e, enc, batch, block, true);
	else
		encode_samples(e, enc, batch, block, false);
	if (!block->failed)
		block->failed = end_block(enc, block);
}

static struct slot *slot_at(struct encode *e, size_t i)
{
	return &e->slots[(e->first + i) % e->n_slots];
}

static void *worker(void *arg)
{
	struct encode *e = arg;
	struct format_encoder *enc = format_encoder_new(e->formats->schema);

	pthread_mutex_lock(&e->lock);
	while (1) {
		struct slot *slot = NULL;

		for (size_t i = 0; i < e->used && !slot; i++)
			if (slot_at(e, i)->state == SLOT_QUEUED)
				slot = slot_at(e, i);
		if (!slot && e->stop)
			break;
		if (!slot) {
			pthread_cond_wait(&e->queued, &e->lock);
			continue;
		}
		slot->state = SLOT_WORK;
		pthread_mutex_unlock(&e->lock);
		if (enc)
			encode_batch(e, enc, slot->batch, &slot->block);
		else
			slot->block = (struct encode_block){ .failed = -ENOMEM };
		batch_done(e->spares, slot->batch);
		slot->batch = NULL;
		pthread_mutex_lock(&e->lock);
		slot->state = SLOT_DONE;
		pthread_cond_signal(&e->done);
	}
	pthread_mutex_unlock(&e->lock);
	format_encoder_free(enc);
	return NULL;
}

struct encode *encode_new(unsigned jobs, unsigned depth, const struct perfdata *pd,
			  const struct formats *formats, struct batch_spares *spares)
{
	struct encode *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	e->pd = pd;
	e->formats = formats;
	e->spares = spares;
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->queued, NULL);
	pthread_cond_init(&e->done, NULL);
	e->n_slots = depth;
	e->slots = calloc(e->n_slots, sizeof(*e->slots));
	e->threads = calloc(jobs, sizeof(*e->threads));
	if (!e->slots || !e->threads)
		goto fail;
	/* The caller is one of the jobs: it works while it waits. */
	while (e->n_threads + 1 < jobs &&
	       !pthread_create(&e->threads[e->n_threads], NULL, worker, e))
		e->n_threads++;
	e->inline_encoder = format_encoder_new(formats->schema);
	if (!e->inline_encoder)
		goto fail;
	return e;
fail:
	encode_free(e);
	return NULL;
}

void encode_free(struct encode *e)
{
	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	e->stop = true;
	/* What no thread has begun is not begun any more. */
	for (size_t i = 0; i < e->used; i++)
		if (slot_at(e, i)->state == SLOT_QUEUED)
			slot_at(e, i)->state = SLOT_DONE;
	pthread_cond_broadcast(&e->queued);
	pthread_mutex_unlock(&e->lock);
	for (size_t i = 0; i < e->n_threads; i++)
		pthread_join(e->threads[i], NULL);
	for (size_t i = 0; i < e->used; i++) {
		batch_free(slot_at(e, i)->batch);
		buf_fini(&slot_at(e, i)->rows);
		buf_fini(&slot_at(e, i)->block.payload);
		free(slot_at(e, i)->block.parts);
	}
	format_encoder_free(e->inline_encoder);
	free(e->slots);
	free(e->threads);
	pthread_cond_destroy(&e->queued);
	pthread_cond_destroy(&e->done);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

bool encode_give(struct encode *e, struct batch *batch, struct buf *rows)
{
	struct slot *slot;

	if (e->used == e->n_slots)
		return false;
	slot = slot_at(e, e->used);
	*slot = (struct slot){ .batch = batch, .rows = *rows };
	*rows = (struct buf){ 0 };
	if (!e->n_threads) {
		encode_batch(e, e->inline_encoder, batch, &slot->block);
		batch_done(e->spares, batch);
		slot->batch = NULL;
		slot->state = SLOT_DONE;
		e->used++;
		return true;
	}
	pthread_mutex_lock(&e->lock);
	slot->state = SLOT_QUEUED;
	e->used++;
	pthread_cond_signal(&e->queued);
	pthread_mutex_unlock(&e->lock);
	return true;
}

/* Works on the first batch that nobody has begun, with the lock held at both ends; false
 * when there is none. */
static bool work_here(struct encode *e)
{
	struct slot *slot = NULL;

	for (size_t i = 0; i < e->used && !slot; i++)
		if (slot_at(e, i)->state == SLOT_QUEUED)
			slot = slot_at(e, i);
	if (!slot)
		return false;
	slot->state = SLOT_WORK;
	pthread_mutex_unlock(&e->lock);
	encode_batch(e, e->inline_encoder, slot->batch, &slot->block);
	batch_done(e->spares, slot->batch);
	slot->batch = NULL;
	pthread_mutex_lock(&e->lock);
	slot->state = SLOT_DONE;
	return true;
}

bool encode_take(struct encode *e, bool wait, struct encode_block *block)
{
	struct slot *slot;

	if (!e->used)
		return false;
	slot = slot_at(e, 0);
	pthread_mutex_lock(&e->lock);
	while (wait && slot->state != SLOT_DONE)
		if (!work_here(e))
			pthread_cond_wait(&e->done, &e->lock);
	if (slot->state != SLOT_DONE) {
		pthread_mutex_unlock(&e->lock);
		return false;
	}
	*block = slot->block;
	block->rows = slot->rows;
	*slot = (struct slot){ .state = SLOT_FREE };
	e->first = (e->first + 1) % e->n_slots;
	e->used--;
	pthread_mutex_unlock(&e->lock);
	return true;
}

bool encode_idle(const struct encode *e)
{
	return !e->used;
}
