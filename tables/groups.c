/* SPDX-License-Identifier: LGPL-2.1-only */
/* Rows of several tasks that are printed as one. */
#include "tables/groups.h"

#include <stdlib.h>
#include <string.h>

static struct tables_group *new_group(struct tables_groups *groups, const char *name, uint32_t cpu)
{
	struct tables_group *g = reallocarray(groups->items, groups->n + 1, sizeof(*g));

	if (!g)
		return NULL;
	groups->items = g;
	g += groups->n;
	*g = (struct tables_group){ .name = strdup(name),
				    .cpu = cpu,
				    .row = calloc(1, groups->row_size) };
	if (!g->name || !g->row) {
		free(g->name);
		free(g->row);
		return NULL;
	}
	groups->n++;
	return g;
}

struct tables_group *tables_groups_take(struct tables_groups *groups, const struct tables_walk *w,
					const struct analyze_task *task, const char *name,
					uint32_t cpu)
{
	struct tables_group *g = NULL;

	for (size_t i = 0; i < groups->n && !g; i++)
		if (groups->items[i].cpu == cpu && !strcmp(groups->items[i].name, name))
			g = &groups->items[i];
	if (!g)
		g = new_group(groups, name, cpu);
	if (!g)
		return NULL;
	g->idle = task->tid == 0;
	g->lossy |= tables_lossy(w, task);
	return g;
}

void tables_groups_fini(struct tables_groups *groups)
{
	for (size_t i = 0; i < groups->n; i++) {
		groups->row_fini(groups->items[i].row);
		free(groups->items[i].row);
		free(groups->items[i].name);
	}
	free(groups->items);
	groups->items = NULL;
	groups->n = 0;
}
