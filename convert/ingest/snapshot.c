/* SPDX-License-Identifier: GPL-2.0-only */
/* Keeps the last blocks in memory. */
#include "convert/ingest/snapshot.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/fail.h"
#include "convert/ingest/tasks.h"

struct snapshot_item {
	struct snapshot_item *next;
	struct store_item item;
	uint64_t last_ns;
	size_t bytes;
	unsigned refs; /* the ring's and the snapshots' references */
};

struct snapshot_ring {
	pthread_mutex_t lock;
	uint64_t ns, max_bytes;
	uint64_t bytes, newest_ns;
	struct snapshot_item *first, **end;
	size_t n;
	struct task_table tasks; /* from items that dropped out */
	bool forgot;             /* events dropped out */
	uint64_t cut_ns;         /* latest time that dropped out to stay within the bytes */
};

struct snapshot_ring *snapshot_ring_new(uint64_t ns, uint64_t bytes)
{
	struct snapshot_ring *k = calloc(1, sizeof(*k));

	if (!k)
		return NULL;
	pthread_mutex_init(&k->lock, NULL);
	k->ns = ns;
	k->max_bytes = bytes ? bytes : SNAPSHOT_RING_BYTES;
	k->end = &k->first;
	return k;
}

static void unref(struct snapshot_item *i)
{
	if (--i->refs)
		return;
	store_item_fini(&i->item);
	free(i);
}

void snapshot_ring_free(struct snapshot_ring *k)
{
	if (!k)
		return;
	while (k->first) {
		struct snapshot_item *i = k->first;

		k->first = i->next;
		unref(i);
	}
	task_table_fini(&k->tasks);
	pthread_mutex_destroy(&k->lock);
	free(k);
}

/* Drops the oldest item, but keeps its tasks' identities. */
static bool forget_first(struct snapshot_ring *k)
{
	struct snapshot_item *i = k->first;
	bool ok = true;

	for (size_t t = 0; t < rows_tasks(&i->item.rows) && ok; t++)
		ok = task_table_apply(&k->tasks, &i->item.rows, rows_task(&i->item.rows, t));
	k->forgot |= i->item.n_parts != 0;
	k->first = i->next;
	if (!k->first)
		k->end = &k->first;
	k->bytes -= i->bytes;
	k->n--;
	unref(i);
	return ok;
}

/* Returns unused memory: items are kept for long. */
static void shrink(struct buf *b)
{
	uint8_t *data = b->len ? realloc(b->data, b->len) : NULL;

	if (data) {
		b->data = data;
		b->cap = b->len;
	}
}

int snapshot_ring_put(void *ring, struct store_item *item, struct cdict_error *err)
{
	struct snapshot_ring *k = ring;
	struct snapshot_item *i = calloc(1, sizeof(*i));
	bool ok = i != NULL;

	if (!ok)
		return cdict_fail_nomem(err);
	i->item = *item;
	*item = (struct store_item){ 0 };
	i->refs = 1;
	shrink(&i->item.payload);
	shrink(&i->item.rows.tasks);
	shrink(&i->item.rows.losses);
	shrink(&i->item.rows.text);
	i->bytes = sizeof(*i) + i->item.payload.cap + rows_bytes(&i->item.rows) +
		   i->item.n_parts * sizeof(*i->item.parts);
	/* A digest summarises all blocks of a file; a ring has dropped some. */
	for (size_t p = 0; p < i->item.n_parts; p++) {
		free(i->item.parts[p].digest);
		i->item.parts[p].digest = NULL;
	}
	for (size_t p = 0; p < i->item.n_parts; p++) {
		const struct store_part *part = &i->item.parts[p];

		i->bytes += part->stacks ? part->info.events * sizeof(*part->stacks) : 0;
		if (part->info.last_ns > i->last_ns)
			i->last_ns = part->info.last_ns;
	}
	pthread_mutex_lock(&k->lock);
	if (i->last_ns > k->newest_ns)
		k->newest_ns = i->last_ns;
	if (!i->last_ns) /* rows without events are as old as the newest events */
		i->last_ns = k->newest_ns;
	*k->end = i;
	k->end = &i->next;
	k->bytes += i->bytes;
	k->n++;
	while (ok && k->ns && k->first && k->first->last_ns + k->ns < k->newest_ns)
		ok = forget_first(k);
	while (ok && k->n > 1 && k->bytes > k->max_bytes) {
		if (k->first->last_ns > k->cut_ns)
			k->cut_ns = k->first->last_ns;
		ok = forget_first(k);
	}
	pthread_mutex_unlock(&k->lock);
	return ok ? 0 : cdict_fail_nomem(err);
}

int snapshot_ring_take(struct snapshot_ring *k, struct snapshot *s, struct cdict_error *err)
{
	*s = (struct snapshot){ 0 };
	pthread_mutex_lock(&k->lock);
	task_table_rows(&k->tasks, &s->before);
	s->forgot = k->forgot;
	s->items = calloc(k->n + 1, sizeof(*s->items));
	for (struct snapshot_item *i = k->first; i && s->items; i = i->next) {
		i->refs++;
		s->items[s->n++] = i;
	}
	pthread_mutex_unlock(&k->lock);
	if (s->items && !rows_failed(&s->before))
		return 0;
	snapshot_free(k, s);
	return cdict_fail_nomem(err);
}

const struct store_item *snapshot_item(const struct snapshot_item *item)
{
	return &item->item;
}

void snapshot_free(struct snapshot_ring *k, struct snapshot *s)
{
	pthread_mutex_lock(&k->lock);
	for (size_t i = 0; i < s->n; i++)
		unref(s->items[i]);
	pthread_mutex_unlock(&k->lock);
	rows_fini(&s->before);
	free(s->items);
	*s = (struct snapshot){ 0 };
}

bool snapshot_ring_full(struct snapshot_ring *k, uint64_t *held_ns)
{
	bool full;

	pthread_mutex_lock(&k->lock);
	*held_ns = k->newest_ns > k->cut_ns ? k->newest_ns - k->cut_ns : 0;
	full = k->cut_ns && k->ns && *held_ns < k->ns;
	pthread_mutex_unlock(&k->lock);
	return full;
}
