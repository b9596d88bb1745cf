/* SPDX-License-Identifier: GPL-2.0-only */
/* Rows of several tasks that are printed as one. */
#include "cmd/figures_groups.h"

#include <stdlib.h>
#include <string.h>

static struct figures_group *new_group(struct figures_groups *groups, const char *name,
				       uint32_t cpu)
{
	struct figures_group *g = reallocarray(groups->items, groups->n + 1, sizeof(*g));

	if (!g)
		return NULL;
	groups->items = g;
	g += groups->n;
	*g = (struct figures_group){ .name = strdup(name),
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

struct figures_group *figures_groups_take(struct figures_groups *groups, const struct figures *f,
					  const struct analyze_task *task, const char *name,
					  uint32_t cpu)
{
	struct figures_group *g = NULL;

	for (size_t i = 0; i < groups->n && !g; i++)
		if (groups->items[i].cpu == cpu && !strcmp(groups->items[i].name, name))
			g = &groups->items[i];
	if (!g)
		g = new_group(groups, name, cpu);
	if (!g)
		return NULL;
	g->idle = task->tid == 0;
	g->lossy |= figures_lossy(f, task);
	return g;
}

void figures_groups_fini(struct figures_groups *groups)
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
