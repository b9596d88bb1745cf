/* SPDX-License-Identifier: GPL-2.0-only */
/* Encoded blocks, one after the other, from any thread. */
#include "capture/store.h"

#include <pthread.h>
#include <stdlib.h>

#include "format/writer.h"

struct store {
	const struct store_ops *ops;
	void *ctx;
	pthread_mutex_t lock;
	struct cdict_error failed;
	uint64_t events, dropped_events;
	struct rows dropped; /* a loss for each CPU */
	struct rows losses;  /* that were in what was dropped */
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

void store_item_fini(struct store_item *item)
{
	rows_fini(&item->rows);
	buf_fini(&item->payload);
	free(item->parts);
	*item = (struct store_item){ 0 };
}

static struct cdict_loss *loss_of(struct store *s, uint32_t cpu)
{
	struct cdict_loss loss = {
		.what = CDICT_LOSS_RING, .cpu = cpu, .type = CDICT_TYPE_ANY, .from_ns = UINT64_MAX
	};
	size_t n = rows_losses(&s->dropped);
	struct cdict_loss *rows = (struct cdict_loss *)s->dropped.losses.data;

	for (size_t i = 0; i < n; i++)
		if (rows[i].cpu == cpu)
			return &rows[i];
	rows_add_loss(&s->dropped, &loss);
	rows = (struct cdict_loss *)s->dropped.losses.data;
	return s->dropped.losses.failed ? NULL : &rows[n];
}

static void drop(struct store *s, const struct store_item *item)
{
	for (size_t i = 0; i < item->n_parts; i++) {
		const struct format_block *info = &item->parts[i].info;
		struct cdict_loss *loss = loss_of(s, info->cpu);

		s->dropped_events += info->events;
		if (!loss)
			continue;
		loss->count += info->events;
		if (info->first_ns < loss->from_ns)
			loss->from_ns = info->first_ns;
		if (info->last_ns > loss->to_ns)
			loss->to_ns = info->last_ns;
	}
	for (size_t i = 0; i < rows_losses(&item->rows); i++)
		rows_add_loss(&s->losses, rows_loss(&item->rows, i));
}

int store_put(struct store *s, struct store_item *item)
{
	uint64_t events = 0;
	int ret;

	for (size_t i = 0; i < item->n_parts; i++)
		events += item->parts[i].info.events;
	pthread_mutex_lock(&s->lock);
	if (!s->failed.code) {
		struct cdict_error err = { 0 };

		ret = s->ops->put(s->ctx, item, &err);
		if (ret < 0) {
			s->failed = err;
			s->failed.code = ret;
		} else {
			s->events += events;
		}
	}
	ret = s->failed.code;
	if (ret)
		drop(s, item);
	pthread_mutex_unlock(&s->lock);
	store_item_fini(item);
	return ret;
}

bool store_failed(struct store *s, struct cdict_error *err)
{
	bool failed;

	pthread_mutex_lock(&s->lock);
	failed = s->failed.code != 0;
	if (failed && err)
		*err = s->failed;
	pthread_mutex_unlock(&s->lock);
	return failed;
}

uint64_t store_events(struct store *s)
{
	uint64_t events;

	pthread_mutex_lock(&s->lock);
	events = s->events;
	pthread_mutex_unlock(&s->lock);
	return events;
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

	for (size_t i = 0; i < item->n_parts && !ret; at += item->parts[i++].size)
		ret = format_writer_put(w, item->payload.data + at, item->parts[i].size,
					&item->parts[i].info, err);
	return ret;
}
