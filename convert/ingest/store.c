/* SPDX-License-Identifier: GPL-2.0-only */
/* Stores encoded blocks, one after the other, from any thread. */
#include "convert/ingest/store.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/fail.h"
#include "format/file/writer.h"

struct store {
	const struct store_ops *ops;
	void *ctx;
	pthread_mutex_t lock;
	struct cdict_error failed;
	struct store_counts counts;
	uint64_t dropped_events;
	struct rows dropped; /* one loss per CPU */
	struct rows losses;  /* the loss rows of dropped items */
};

struct store *store_new(const struct store_ops *ops, void *ctx)
{
	struct store *s = calloc(1, sizeof(*s));

	if (!s)
		return NULL;
	s->ops = ops;
	s->ctx = ctx;
	pthread_mutex_init(&s->lock, NULL);
	return s;
}

void store_free(struct store *s)
{
	if (!s)
		return;
	pthread_mutex_destroy(&s->lock);
	rows_fini(&s->dropped);
	rows_fini(&s->losses);
	free(s);
}

void store_part_fini(struct store_part *part)
{
	free(part->stacks);
	free(part->digest);
	*part = (struct store_part){ 0 };
}

void store_item_fini(struct store_item *item)
{
	rows_fini(&item->rows);
	buf_fini(&item->payload);
	for (size_t i = 0; i < item->n_parts; i++)
		store_part_fini(&item->parts[i]);
	free(item->parts);
	*item = (struct store_item){ 0 };
}

static struct cdict_loss *loss_of(struct store *s, uint32_t cpu)
{
	struct cdict_loss loss = {
		.what = CDICT_LOSS_RING, .cpu = cpu, .type = CDICT_TYPE_ANY, .from_ns = UINT64_MAX
	};
	size_t n = rows_losses(&s->dropped);

	for (size_t i = 0; i < n; i++)
		if (rows_loss(&s->dropped, i)->cpu == cpu)
			return rows_loss(&s->dropped, i);
	rows_add_loss(&s->dropped, &loss);
	return rows_failed(&s->dropped) ? NULL : rows_loss(&s->dropped, n);
}

static void drop_events(struct store *s, uint32_t cpu, uint64_t n, uint64_t first_ns,
			uint64_t last_ns)
{
	struct cdict_loss *loss = loss_of(s, cpu);

	s->dropped_events += n;
	if (!loss)
		return;
	loss->count += n;
	if (first_ns < loss->from_ns)
		loss->from_ns = first_ns;
	if (last_ns > loss->to_ns)
		loss->to_ns = last_ns;
}

static void count_dropped(struct store *s, const struct store_item *item)
{
	const struct cdict_loss *bad = &item->bad;

	for (size_t i = 0; i < item->n_parts; i++) {
		const struct format_block *info = &item->parts[i].info;

		drop_events(s, info->cpu, info->events, info->first_ns, info->last_ns);
	}
	if (item->failed && bad->count)
		drop_events(s, bad->cpu, bad->count, bad->from_ns, bad->to_ns);
	for (size_t i = 0; i < rows_losses(&item->rows); i++)
		rows_add_loss(&s->losses, rows_loss(&item->rows, i));
}

static void count_block(struct store_counts *c, const struct format_block *info)
{
	if (!c->events || info->first_ns < c->first_ns)
		c->first_ns = info->first_ns;
	if (info->last_ns > c->last_ns)
		c->last_ns = info->last_ns;
	c->events += info->events;
	c->foreign += info->foreign;
}

/* put() may take the item, so count first. */
static int put_item(struct store *s, struct store_item *item, struct cdict_error *err)
{
	struct store_counts counts = s->counts;
	int ret;

	if (item->failed || rows_failed(&item->rows))
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < item->n_parts; i++)
		count_block(&counts, &item->parts[i].info);
	for (size_t i = 0; i < rows_losses(&item->rows); i++)
		if (rows_loss(&item->rows, i)->to_ns > counts.lost_ns)
			counts.lost_ns = rows_loss(&item->rows, i)->to_ns;
	counts.bad += item->bad.count;
	if (s->ops->keep_bad && item->bad.count)
		rows_add_loss(&item->rows, &item->bad);
	ret = s->ops->put(s->ctx, item, err);
	if (!ret)
		s->counts = counts;
	return ret;
}

int store_put(struct store *s, struct store_item *item)
{
	int ret;

	pthread_mutex_lock(&s->lock);
	if (!s->failed.code) {
		struct cdict_error err = { 0 };

		ret = put_item(s, item, &err);
		if (ret < 0) {
			s->failed = err;
			s->failed.code = ret;
		}
	}
	ret = s->failed.code;
	if (ret)
		count_dropped(s, item);
	pthread_mutex_unlock(&s->lock);
	store_item_fini(item);
	return ret;
}

int store_failed(struct store *s, struct cdict_error *err)
{
	int code;

	pthread_mutex_lock(&s->lock);
	code = s->failed.code;
	if (code && err)
		*err = s->failed;
	pthread_mutex_unlock(&s->lock);
	return code;
}

const struct store_counts *store_counts(const struct store *s)
{
	return &s->counts;
}

int store_write_dropped(const struct store *s, struct cdict_writer *w, struct cdict_error *err)
{
	int ret = rows_write(&s->dropped, w, err);

	return ret ? ret : rows_write(&s->losses, w, err);
}

uint64_t store_dropped(const struct store *s, uint64_t *since_ns)
{
	*since_ns = UINT64_MAX;
	for (size_t i = 0; i < rows_losses(&s->dropped); i++)
		if (rows_loss(&s->dropped, i)->from_ns < *since_ns)
			*since_ns = rows_loss(&s->dropped, i)->from_ns;
	return s->dropped_events;
}

int store_write(struct cdict_writer *w, const struct store_item *item, struct cdict_error *err)
{
	int ret = rows_write(&item->rows, w, err);
	size_t at = 0;

	/* Without events, rows wait for the next block. */
	if (!ret && (item->n_parts || item->bad.count))
		ret = format_writer_flush(w, err);
	for (size_t i = 0; i < item->n_parts && !ret; at += item->parts[i++].size) {
		const struct store_part *part = &item->parts[i];

		ret = format_writer_put(w, item->payload.data + at, part->size, &part->info,
					part->digest, err);
		if (!ret && part->stacks)
			ret = format_writer_stack_events(w, part->stacks, part->info.events, err);
	}
	return ret;
}
