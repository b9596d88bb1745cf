/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap --rows group|role: combines tasks to a few rows, those of `cdict tasks --by`. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/escape.h"
#include "cmd/heatmap/heatmap.h"

int heatmap_find_row(struct heatmap *h, uint32_t id, uint32_t *row)
{
	const struct analyze_task *task = analyze_engine_task(h->f.walk.eng, id);
	struct heatmap_groups *g = &h->groups;
	struct heatmap_group *group;
	struct fold_place place;
	uint32_t *number;

	*row = id;
	if (h->rows == HEATMAP_ROWS_TASK)
		return 0;
	g->fold.culprits.names = &h->f.walk.names;
	if (!fold_find(&g->fold, task, &place))
		return -ENOMEM;
	if (h->rows == HEATMAP_ROWS_GROUP)
		place.role = NULL;
	number = map_add(&g->numbers, (uintptr_t)place.group, (uintptr_t)place.role);
	if (!number)
		return -ENOMEM;
	if (*number == MAP_NEW) {
		*number = (uint32_t)g->all.n;
		group = array_add(&g->all);
		if (!group)
			return -ENOMEM;
		*group = (struct heatmap_group){ .place = place, .last = ANALYZE_NO_TASK };
	}
	*row = *number;
	return 0;
}

int heatmap_row_of(struct heatmap *h, uint32_t id, uint32_t *row)
{
	int rc = heatmap_find_row(h, id, row);
	struct heatmap_group *group;

	if (rc || h->rows == HEATMAP_ROWS_TASK)
		return rc;
	group = &h->groups.all.at[*row];
	group->tasks += group->last != id;
	group->last = id;
	return 0;
}

char *heatmap_row_name(const struct heatmap *h, uint32_t row)
{
	const struct heatmap_group *group;
	struct sink s;

	if (h->rows == HEATMAP_ROWS_TASK)
		return heatmap_task_name(h, row);
	group = &h->groups.all.at[row];
	if (group->tasks == 1)
		return heatmap_task_name(h, group->last);
	sink_to_memory(&s);
	escape_terminal(&s, group->place.group, strlen(group->place.group));
	if (group->place.role) {
		sink_puts(&s, " ");
		escape_terminal(&s, group->place.role, strlen(group->place.role));
	}
	sink_printf(&s, " (%u)", group->tasks);
	return sink_take(&s, NULL);
}

void heatmap_groups_fini(struct heatmap_groups *g)
{
	fold_fini(&g->fold);
	map_fini(&g->numbers);
	array_fini(&g->all);
}
