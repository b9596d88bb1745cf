/* SPDX-License-Identifier: GPL-2.0-only */
/* Batches of samples -> blocks, in parallel, stored in order. */
#include "convert/ingest/encode.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "cdict/stack.h"

/* Records to prefetch ahead. */
#define PREFETCH 8

enum work_state { WORK_QUEUED, WORK_BEGUN, WORK_DONE };

/* A queued batch. */
struct work {
	struct work *next;
	enum work_state state;
	struct batch *batch;
	size_t bytes;
	struct store_item item; /* holds the rows from the start */
};

struct encode {
	struct encode_options opts;
	pthread_t *threads;
	unsigned n_threads;
	struct format_encoder *own; /* of the giving thread */
	pthread_mutex_t lock;
	pthread_cond_t queued, stored;
	struct work *first, **end; /* in the order of encode_give() */
	unsigned n;
	size_t bytes;
	uint64_t given, done; /* number of works */
	bool storing;         /* a thread is storing finished works */
	bool stop;
	int failed; /* the store's code */
};

/* --- one batch --- */

static inline int read_sample(const struct source *s, const struct source_event *ev,
			      const struct batch_sample *p, bool big, struct source_sample *out)
{
	uint32_t size = load16(p->record + 6, big);

	if (ev->raw >= 0 && (uint32_t)ev->raw <= size) {
		out->raw = p->record + ev->raw;
		out->raw_size = load32(out->raw - 4, big);
		out->pid = (int32_t)load32(p->record + ev->tid, big);
		out->tid = (int32_t)load32(p->record + ev->tid + 4, big);
		return out->raw_size <= size - (uint32_t)ev->raw ? 0 : CDICT_ECORRUPT;
	}
	return s->read ? s->read(s->ctx, p->event, p->record, out) : CDICT_ECORRUPT;
}

const struct cdict_schema *encode_schema(const struct encode *e)
{
	return e->opts.schema;
}

int32_t encode_tid(const struct encode *e, const struct batch_sample *p)
{
	const struct source *s = e->opts.source;
	struct source_sample sample;

	return read_sample(s, &s->events[p->event], p, s->big, &sample) ? -1 : sample.tid;
}

/* Ends the current block of the batch. */
static int end_block(struct format_encoder *enc, struct store_item *item, uint32_t **stacks)
{
	struct store_part *parts;
	size_t before = item->payload.len;
	int ret;

	if (!format_encoder_events(enc))
		return 0;
	parts = realloc(item->parts, (item->n_parts + 1) * sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	item->parts = parts;
	parts += item->n_parts++;
	parts->stacks = *stacks;
	*stacks = NULL;
	parts->digest = NULL;
	ret = format_encoder_finish(enc, &item->payload, &parts->info, &parts->digest);
	parts->size = item->payload.len - before;
	return ret;
}

/* Stores the stack of the event added last. */
static bool note_stack(const struct format_encoder *enc, const struct batch *batch,
		       uint32_t **stacks, uint32_t stack)
{
	size_t at = format_encoder_events(enc) - 1;

	if (!*stacks) {
		if (stack == CDICT_NO_STACK)
			return true;
		*stacks = malloc(batch->n * sizeof(**stacks));
		if (!*stacks)
			return false;
		for (size_t i = 0; i < at; i++)
			(*stacks)[i] = CDICT_NO_STACK;
	}
	(*stacks)[at] = stack;
	return true;
}

static void note_bad(struct cdict_loss *bad, const struct batch *batch, uint64_t t_ns)
{
	if (!bad->count++)
		*bad = (struct cdict_loss){
			CDICT_LOSS_DAMAGE, batch->cpu, CDICT_TYPE_ANY, t_ns, t_ns, 1
		};
	bad->to_ns = t_ns;
}

static inline __attribute__((always_inline)) int encode_samples(const struct source *source,
								struct format_encoder *enc,
								const struct batch *batch,
								struct store_item *item, bool big)
{
	struct cdict_sample out = { .cpu = batch->cpu };
	const struct batch_sample *p = batch->samples, *end = p + batch->n;
	const struct source_event *events = source->events;
	const bool has_stacks = source->stack;
	uint32_t *stacks = NULL;
	int ret = 0;

	for (; p < end; p++) {
		const struct source_event *ev = &events[p->event];
		struct source_sample s;

		if (end - p > PREFETCH) {
			__builtin_prefetch(p[PREFETCH].record);
			__builtin_prefetch(p[PREFETCH].record + 64);
		}
		ret = read_sample(source, ev, p, big, &s);
		if (!ret) {
			out.t_ns = p->t_ns;
			out.order = p->order;
			out.pid = s.pid;
			out.tid = s.tid;
			out.mode = load16(p->record + 4, big) & PERF_RECORD_MISC_CPUMODE_MASK;
			ret = format_encoder_add(enc, &out, (uint32_t)ev->type, s.raw, s.raw_size);
			if (ret == CDICT_ELIMIT) { /* it fits the next block */
				ret = end_block(enc, item, &stacks);
				if (!ret)
					ret = format_encoder_add(enc, &out, (uint32_t)ev->type,
								 s.raw, s.raw_size);
			}
			if (has_stacks && !ret &&
			    !note_stack(enc, batch, &stacks,
					source->stack(source->ctx, p->event, p->record)))
				ret = -ENOMEM;
		}
		if (ret == -ENOMEM)
			break;
		if (ret)
			note_bad(&item->bad, batch, p->t_ns);
		ret = 0;
	}
	if (!ret)
		ret = end_block(enc, item, &stacks);
	free(stacks);
	return ret;
}

/* If encoding failed, the whole batch is lost. */
static void encode_lost(struct work *w)
{
	const struct batch *b = w->batch;

	w->item.failed = -ENOMEM;
	for (size_t i = 0; i < w->item.n_parts; i++)
		store_part_fini(&w->item.parts[i]);
	w->item.n_parts = 0;
	w->item.bad = (struct cdict_loss){
		CDICT_LOSS_RING,           b->cpu, CDICT_TYPE_ANY, b->samples[0].t_ns,
		b->samples[b->n - 1].t_ns, b->n
	};
}

static void encode_work(struct encode *e, struct format_encoder *enc, struct work *w)
{
	const struct source *s = e->opts.source;
	int ret = -ENOMEM;

	if (!w->batch)
		return;
	if (enc && s->big)
		ret = encode_samples(s, enc, w->batch, &w->item, true);
	else if (enc)
		ret = encode_samples(s, enc, w->batch, &w->item, false);
	if (ret)
		encode_lost(w);
	if (ret && enc)
		format_encoder_drop(enc);
	batch_done(e->opts.spares, w->batch);
	w->batch = NULL;
}

/* --- many batches: everything below runs with the lock held --- */

static void work_free(struct work *w)
{
	batch_free(w->batch);
	store_item_fini(&w->item);
	free(w);
}

/* Stores finished works from the front, in order; one thread at a time. */
static void store_done(struct encode *e)
{
	struct work *w;

	if (e->storing)
		return;
	e->storing = true;
	while ((w = e->first) && w->state == WORK_DONE) {
		int ret;

		pthread_mutex_unlock(&e->lock);
		ret = store_put(e->opts.store, &w->item);
		if (ret && e->opts.failed)
			e->opts.failed(e->opts.ctx);
		pthread_mutex_lock(&e->lock);
		e->failed = ret;
		e->first = w->next;
		if (!e->first)
			e->end = &e->first;
		e->bytes -= w->bytes;
		e->n--;
		e->done++;
		work_free(w);
		pthread_cond_broadcast(&e->stored);
	}
	e->storing = false;
}

static struct work *first_queued(struct encode *e)
{
	struct work *w = e->first;

	while (w && w->state != WORK_QUEUED)
		w = w->next;
	return w;
}

/* Encodes the first batch not started yet; false if there is none. */
static bool work_on_one(struct encode *e, struct format_encoder **enc)
{
	struct work *w = first_queued(e);
	size_t bytes = e->bytes;

	if (!w)
		return false;
	w->state = WORK_BEGUN;
	pthread_mutex_unlock(&e->lock);
	if (e->opts.pace)
		e->opts.pace(e->opts.ctx, bytes);
	if (w->batch && !*enc)
		*enc = format_encoder_new(e->opts.schema);
	encode_work(e, *enc, w);
	pthread_mutex_lock(&e->lock);
	w->state = WORK_DONE;
	store_done(e);
	return true;
}

static void *worker(void *arg)
{
	struct encode *e = arg;
	struct format_encoder *enc = NULL;

	if (e->opts.begin && !e->opts.begin(e->opts.ctx))
		return NULL;
	pthread_mutex_lock(&e->lock);
	for (;;) {
		if (work_on_one(e, &enc))
			continue;
		if (e->stop)
			break;
		pthread_cond_wait(&e->queued, &e->lock);
	}
	pthread_mutex_unlock(&e->lock);
	format_encoder_free(enc);
	return NULL;
}

/* --- interface --- */

static int start_threads(struct encode *e, struct cdict_error *err)
{
	sigset_t blocked, old;
	int ret = 0;

	/* Signals go to the creating thread, except those raised by write(). */
	sigfillset(&blocked);
	sigdelset(&blocked, SIGPIPE);
	sigdelset(&blocked, SIGXFSZ);
	pthread_sigmask(SIG_BLOCK, &blocked, &old);
	while (e->n_threads < e->opts.threads && !ret) {
		ret = pthread_create(&e->threads[e->n_threads], NULL, worker, e);
		e->n_threads += !ret;
	}
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (ret && !e->n_threads && !e->opts.helps)
		return cdict_fail(err, -ret, CDICT_NO_OFFSET, "cannot start a thread: %s",
				  strerror(ret));
	return 0;
}

int encode_new(struct encode **out, const struct encode_options *opts, struct cdict_error *err)
{
	struct encode *e = calloc(1, sizeof(*e));
	int ret;

	*out = NULL;
	if (!e)
		return cdict_fail_nomem(err);
	e->opts = *opts;
	e->end = &e->first;
	pthread_mutex_init(&e->lock, NULL);
	pthread_cond_init(&e->queued, NULL);
	pthread_cond_init(&e->stored, NULL);
	e->threads = calloc(opts->threads + 1, sizeof(*e->threads));
	ret = e->threads ? start_threads(e, err) : cdict_fail_nomem(err);
	if (ret)
		encode_free(e);
	else
		*out = e;
	return ret;
}

void encode_free(struct encode *e)
{
	if (!e)
		return;
	pthread_mutex_lock(&e->lock);
	e->stop = true;
	for (struct work *w = e->first; w; w = w->next)
		if (w->state == WORK_QUEUED)
			w->state = WORK_BEGUN;
	pthread_cond_broadcast(&e->queued);
	pthread_mutex_unlock(&e->lock);
	for (unsigned i = 0; i < e->n_threads; i++)
		pthread_join(e->threads[i], NULL);
	while (e->first) {
		struct work *w = e->first;

		e->first = w->next;
		work_free(w);
	}
	format_encoder_free(e->own);
	free(e->threads);
	pthread_cond_destroy(&e->queued);
	pthread_cond_destroy(&e->stored);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

static void wait_stored(struct encode *e, uint64_t until)
{
	while (e->done < until)
		if (!e->opts.helps || !work_on_one(e, &e->own))
			pthread_cond_wait(&e->stored, &e->lock);
}

int encode_give(struct encode *e, struct batch *batch, struct rows *rows)
{
	struct work *w = calloc(1, sizeof(*w));
	struct store_item item = { .rows = *rows };
	size_t bytes;
	int failed;

	*rows = (struct rows){ 0 };
	if (!w) {
		batch_free(batch);
		item.failed = -ENOMEM;
		return store_put(e->opts.store, &item);
	}
	bytes = sizeof(*w) + rows_bytes(&item.rows) + batch_memory(batch);
	*w = (struct work){ .batch = batch, .bytes = bytes, .item = item };
	pthread_mutex_lock(&e->lock);
	if (e->opts.depth && e->n >= e->opts.depth)
		wait_stored(e, e->given + 1 - e->opts.depth);
	*e->end = w;
	e->end = &w->next;
	e->n++;
	e->given++;
	e->bytes += bytes;
	pthread_cond_signal(&e->queued);
	if (!e->n_threads)
		wait_stored(e, e->given);
	failed = e->failed;
	pthread_mutex_unlock(&e->lock);
	return failed;
}

void encode_wait(struct encode *e)
{
	pthread_mutex_lock(&e->lock);
	wait_stored(e, e->given);
	pthread_mutex_unlock(&e->lock);
}

bool encode_idle(struct encode *e)
{
	bool idle;

	pthread_mutex_lock(&e->lock);
	idle = !e->first;
	pthread_mutex_unlock(&e->lock);
	return idle;
}

size_t encode_bytes(struct encode *e)
{
	size_t bytes;

	pthread_mutex_lock(&e->lock);
	bytes = e->bytes;
	pthread_mutex_unlock(&e->lock);
	return bytes;
}
