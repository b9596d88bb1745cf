/* SPDX-License-Identifier: GPL-2.0-only */
/* What is known of an open recording. */
#include "convert/perfdata_internal.h"

bool perfdata_stable(const struct perfdata *pd)
{
	return pd->stable;
}

bool perfdata_span(const struct perfdata *pd, struct perfdata_span *span)
{
	if (!pd->stable || pd->directory || pd->id_at < 0 || pd->main.fd >= 0 || pd->main.inflate)
		return false;
	*span = (struct perfdata_span){ pd->main.at, pd->main.end, pd->recent,
					(uint32_t)pd->id_at };
	return true;
}

void perfdata_span_end(struct perfdata *pd, const uint8_t *at)
{
	pd->main.at = at;
}

bool perfdata_big_endian(const struct perfdata *pd)
{
	return pd->big;
}

bool perfdata_pipe_mode(const struct perfdata *pd)
{
	return pd->pipe;
}

uint64_t perfdata_bytes_read(const struct perfdata *pd)
{
	uint64_t n = pd->main.end_offset - (uint64_t)(pd->main.end - pd->main.at);

	for (size_t i = 1; i < pd->n_streams; i++)
		n += pd->streams[i]->end_offset -
		     (uint64_t)(pd->streams[i]->end - pd->streams[i]->at);
	return n;
}

uint64_t perfdata_size(const struct perfdata *pd)
{
	uint64_t n = pd->size;

	for (size_t i = 1; i < pd->n_streams; i++)
		n += pd->streams[i]->map_size;
	return n;
}

size_t perfdata_event_count(const struct perfdata *pd)
{
	return pd->n_events;
}

const struct perfdata_event *perfdata_event_at(const struct perfdata *pd, size_t i)
{
	return i < pd->n_events ? &pd->events[i]->pub : NULL;
}

const struct perfdata_features *perfdata_features(const struct perfdata *pd)
{
	return &pd->features;
}

const struct perfdata_tracing *perfdata_tracing(const struct perfdata *pd)
{
	return &pd->tracing;
}

const struct perfdata_damage *perfdata_damage(const struct perfdata *pd)
{
	return &pd->damage;
}
