/* SPDX-License-Identifier: GPL-2.0-only */
/* A group's encoder: batches -> blocks -> the store. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "capture/group_internal.h"

struct encoding {
	struct group *g;
	struct format_encoder *enc;
	struct store_item item;
	uint64_t bad, bad_first_ns, bad_last_ns;
	bool failed;
};

static void end_block(struct encoding *e)
{
	struct store_item *item = &e->item;
	struct store_part *parts;
	size_t before = item->payload.len;

	if (!format_encoder_events(e->enc))
		return;
	parts = realloc(item->parts, (item->n_parts + 1) * sizeof(*parts));
	if (!parts) {
		e->failed = true;
		return;
	}
	item->parts = parts;
	e->failed |= format_encoder_finish(e->enc, &item->payload, &parts[item->n_parts].info) < 0;
	parts[item->n_parts++].size = item->payload.len - before;
}

static void add(struct encoding *e, const struct batch *b, const struct pending_sample *p)
{
	const uint8_t *r = p->record;
	struct cdict_sample s = { .t_ns = p->t_ns, .cpu = b->cpu };
	uint32_t size;
	uint16_t misc;
	int ret;

	memcpy(&s.pid, r + RING_SAMPLE_PID, 4);
	memcpy(&s.tid, r + RING_SAMPLE_TID, 4);
	memcpy(&misc, r + 4, 2);
	memcpy(&size, r + RING_SAMPLE_RAW_SIZE, 4);
	s.mode = misc & PERF_RECORD_MISC_CPUMODE_MASK;
	ret = format_encoder_add(e->enc, &s, p->event, r + RING_SAMPLE_RAW, size);
	if (ret == CDICT_ELIMIT) {
		end_block(e);
		ret = format_encoder_add(e->enc, &s, p->event, r + RING_SAMPLE_RAW, size);
	}
	if (ret == -ENOMEM) {
		e->failed = true;
	} else if (ret) {
		if (!e->bad++)
			e->bad_first_ns = p->t_ns;
		e->bad_last_ns = p->t_ns;
	}
}

static void encode(struct encoding *e, struct work *w)
{
	const struct batch *b = w->batch;

	e->item = (struct store_item){ .rows = w->rows };
	w->rows = (struct rows){ 0 };
	e->bad = 0;
	for (size_t i = 0; b && i < b->n && !e->failed; i++)
		add(e, b, &b->samples[i]);
	if (b)
		end_block(e);
	if (e->bad) {
		struct cdict_loss loss = { CDICT_LOSS_DAMAGE, b->cpu,         CDICT_TYPE_ANY,
					   e->bad_first_ns,   e->bad_last_ns, e->bad };

		rows_add_loss(&e->item.rows, &loss);
	}
	if (store_put(e->g->opts.store, &e->item) < 0 && e->g->opts.failed)
		e->g->opts.failed(e->g->opts.failed_ctx);
}

static void flushed(struct group *g, unsigned number)
{
	pthread_mutex_lock(&g->lock);
	g->flushed = number;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

/* On a machine that is full, a fair share is too little to keep up: nice -10, and when the queue
 * fills up all the same, the reader's priority until it is nearly empty. */
static void hurry(struct group *g, bool *hurried)
{
	struct sched_param param = { .sched_priority = g->opts.realtime };
	size_t waits = queue_bytes(&g->queue);

	if (!g->opts.realtime)
		return;
	if (!*hurried && waits > g->opts.queue_bytes / 2) {
		sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
		*hurried = true;
	} else if (*hurried && waits < g->opts.queue_bytes / 8) {
		param.sched_priority = 0;
		sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &param);
		*hurried = false;
	}
}

void *group_encode(void *arg)
{
	struct group *g = arg;
	struct encoding e = { .g = g };
	bool last = false, hurried = false;

	if (!group_begin(g, 1))
		return NULL;
	setpriority(PRIO_PROCESS, 0, -10);
	e.enc = format_encoder_new(g->opts.schema);
	e.failed = !e.enc;
	while (!last) {
		struct work *w = queue_take(&g->queue);

		hurry(g, &hurried);
		if (!e.failed)
			encode(&e, w);
		if (e.failed && g->opts.failed)
			g->opts.failed(g->opts.failed_ctx);
		last = w->last;
		if (w->flush)
			flushed(g, w->flush);
		if (w->batch)
			batch_done(&g->spares, w->batch);
		w->batch = NULL;
		queue_done(&g->queue, w);
	}
	if (e.failed)
		g->encoder_failed = true;
	format_encoder_free(e.enc);
	return NULL;
}
