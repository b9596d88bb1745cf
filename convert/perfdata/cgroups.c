/* SPDX-License-Identifier: GPL-2.0-only */
/* See cgroups.h. */
#include "convert/perfdata/cgroups.h"

#include <errno.h>
#include <string.h>

#include "base/cursor.h"
#include "convert/perfdata/internal.h"

void perfdata_cgroups_fini(struct perfdata_cgroups *g)
{
	map_fini(&g->by_id);
	map_fini(&g->by_tid);
	array_fini(&g->paths);
	array_fini(&g->tasks);
	stringset_fini(&g->texts);
}

int perfdata_cgroups_path(struct perfdata_cgroups *g, uint64_t id, const char *path, size_t len)
{
	const char *text = stringset_add(&g->texts, path, strnlen(path, len));
	uint32_t *at = text ? map_add(&g->by_id, id, 0) : NULL;

	if (!at)
		return -ENOMEM;
	if (*at != MAP_NEW) {
		g->paths.at[*at] = text;
		return 0;
	}
	*at = (uint32_t)g->paths.n;
	return array_push(&g->paths, text) ? -ENOMEM : 0;
}

int perfdata_cgroups_record(struct perfdata_cgroups *g, const struct perfdata_record *rec, bool big)
{
	size_t fixed = RECORD_HEADER_SIZE + 8;

	if (rec->size <= fixed)
		return 0;
	return perfdata_cgroups_path(g, load64(rec->data + RECORD_HEADER_SIZE, big),
				     (const char *)rec->data + fixed, rec->size - fixed);
}

int perfdata_cgroups_sample(struct perfdata_cgroups *g, const struct perfdata_sample_layout *layout,
			    const uint8_t *data, uint32_t size, bool big)
{
	/* Two fields of 8 bytes may follow: DATA_PAGE_SIZE and CODE_PAGE_SIZE. */
	uint32_t end = 8 + 8 * (uint32_t)__builtin_popcountll(layout->sample_type & 3u << 22);
	struct perfdata_cgroups_task task;
	uint32_t *at;

	/* With AUX (bit 20), which has any length, the field has no known place. */
	if (!(layout->sample_type & PERFDATA_SAMPLE_CGROUP) || layout->sample_type & 1u << 20 ||
	    layout->tid < 0 || size < (uint32_t)layout->tid + 8 + end)
		return 0;
	task.pid = (int32_t)load32(data + layout->tid, big);
	task.tid = (int32_t)load32(data + layout->tid + 4, big);
	task.id = load64(data + size - end, big);
	if (task.tid <= 0 || task.pid < 0)
		return 0;
	at = map_add(&g->by_tid, (uint32_t)task.tid, 0);
	if (!at)
		return -ENOMEM;
	if (*at != MAP_NEW) {
		g->tasks.at[*at] = task;
		return 0;
	}
	*at = (uint32_t)g->tasks.n;
	return array_push(&g->tasks, task) ? -ENOMEM : 0;
}

const char *perfdata_cgroups_of(const struct perfdata_cgroups *g, uint64_t id)
{
	const uint32_t *at = map_find(&g->by_id, id, 0);

	return at ? g->paths.at[*at] : NULL;
}
