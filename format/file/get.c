/* SPDX-License-Identifier: LGPL-2.1-only */
/* Getters of an open cdict that do not read events. */
#include <string.h>

#include "cdict/version.h"
#include "format/coding/decode.h"
#include "format/file/reader.h"

#ifndef CDICT_BUILD_VERSION
#define CDICT_BUILD_VERSION "unknown"
#endif

uint64_t cdict_reader_size(const struct cdict_reader *r)
{
	return r->size;
}

const struct cdict_schema *cdict_reader_schema(const struct cdict_reader *r)
{
	return r->schema;
}

const char *cdict_reader_info(const struct cdict_reader *r, const char *key)
{
	for (size_t i = 0; i < r->info.n; i++)
		if (!strcmp(r->info.at[i].key, key))
			return r->info.at[i].value;
	return NULL;
}

size_t cdict_reader_info_count(const struct cdict_reader *r)
{
	return r->info.n;
}

void cdict_reader_info_at(const struct cdict_reader *r, size_t i, const char **key,
			  const char **value)
{
	*key = r->info.at[i].key;
	*value = r->info.at[i].value;
}

size_t cdict_reader_task_count(const struct cdict_reader *r)
{
	return r->tasks.n;
}

const struct cdict_task_event *cdict_reader_task_at(const struct cdict_reader *r, size_t i)
{
	return &r->tasks.at[i];
}

size_t cdict_reader_loss_count(const struct cdict_reader *r)
{
	return r->losses.n;
}

const struct cdict_loss *cdict_reader_loss_at(const struct cdict_reader *r, size_t i)
{
	return &r->losses.at[i];
}

size_t cdict_reader_label_count(const struct cdict_reader *r)
{
	return r->labels.n;
}

const struct cdict_label *cdict_reader_label_at(const struct cdict_reader *r, size_t i)
{
	return &r->labels.at[i];
}

size_t cdict_reader_late_count(const struct cdict_reader *r)
{
	return r->late.n;
}

const struct cdict_late *cdict_reader_late_at(const struct cdict_reader *r, size_t i)
{
	return &r->late.at[i];
}

size_t cdict_reader_unstored_count(const struct cdict_reader *r)
{
	return r->unstored.n;
}

const struct cdict_unstored *cdict_reader_unstored_at(const struct cdict_reader *r, size_t i)
{
	return &r->unstored.at[i];
}

size_t cdict_reader_block_count(const struct cdict_reader *r)
{
	return r->blocks.n;
}

const struct cdict_block_info *cdict_reader_block_at(const struct cdict_reader *r, size_t i)
{
	return &r->blocks.at[i];
}

uint64_t cdict_reader_events(const struct cdict_reader *r)
{
	return r->events;
}

static bool peek(struct cdict_reader *r, size_t i, uint64_t *counts)
{
	struct container_header h;
	struct format_block info;

	return reader_head(r, i, &h) &&
	       !format_block_peek(r->data + r->blocks.at[i].offset + FORMAT_BLOCK_HEADER_SIZE,
				  h.size, &info, counts, FORMAT_MAX_TYPES, NULL);
}

/* Reads the blocks' heads until there is an event of type @index, or all; later calls go on there. */
static uint64_t count(const struct cdict_reader *r, size_t index, bool all)
{
	struct cdict_reader *w = (struct cdict_reader *)r;
	uint64_t n;

	if (index >= FORMAT_MAX_TYPES)
		return 0;
	pthread_mutex_lock(&w->counting);
	while (w->counted < r->blocks.n && (all || !r->type_events[index]))
		peek(w, w->counted++, w->type_events);
	n = r->type_events[index];
	pthread_mutex_unlock(&w->counting);
	return n;
}

uint64_t cdict_reader_type_events(const struct cdict_reader *r, size_t index)
{
	return count(r, index, true);
}

bool cdict_reader_has_type(const struct cdict_reader *r, size_t index)
{
	return count(r, index, false) > 0;
}

bool cdict_reader_window(const struct cdict_reader *r, uint64_t *first_ns, uint64_t *last_ns)
{
	if (!r->blocks.n)
		return false;
	*first_ns = r->first_ns;
	*last_ns = r->lost_ns > r->last_ns ? r->lost_ns : r->last_ns;
	return true;
}

uint32_t cdict_reader_cpus(const struct cdict_reader *r)
{
	return r->cpus;
}

void cdict_reader_damage(const struct cdict_reader *r, struct cdict_damage *out)
{
	struct cdict_reader *w = (struct cdict_reader *)r;

	pthread_mutex_lock(&w->lock);
	*out = r->damage;
	pthread_mutex_unlock(&w->lock);
}

const char *cdict_version(void)
{
	return CDICT_BUILD_VERSION;
}
