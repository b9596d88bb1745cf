// SPDX-License-Identifier: GPL-2.0-only
/* Servers found by UUID and by instance name. */
#include "annotate/openstack_join.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static int by_id(const void *a, const void *b)
{
	const struct nova_server *const *x = a, *const *y = b;

	return strcasecmp((*x)->id, (*y)->id);
}

static int by_instance(const void *a, const void *b)
{
	const struct nova_server *const *x = a, *const *y = b;

	return strcmp((*x)->instance, (*y)->instance);
}

int openstack_join_init(struct openstack_join *j, const struct nova_servers *servers,
			const char *const *hosts)
{
	*j = (struct openstack_join){ .servers = servers, .hosts = hosts, .n = servers->all.n };
	j->by_id = calloc(servers->all.n + 1, sizeof(*j->by_id));
	j->by_instance = calloc(servers->all.n + 1, sizeof(*j->by_instance));
	if (!j->by_id || !j->by_instance) {
		openstack_join_fini(j);
		return -ENOMEM;
	}
	for (size_t i = 0; i < servers->all.n; i++)
		j->by_id[i] = j->by_instance[i] = &servers->all.at[i];
	qsort(j->by_id, j->n, sizeof(*j->by_id), by_id);
	qsort(j->by_instance, j->n, sizeof(*j->by_instance), by_instance);
	return 0;
}

void openstack_join_fini(struct openstack_join *j)
{
	free(j->by_id);
	free(j->by_instance);
	*j = (struct openstack_join){ 0 };
}

static bool on_host(const struct openstack_join *j, const struct nova_server *s)
{
	if (!*s->host && !*s->hypervisor)
		return true;
	for (const char *const *host = j->hosts; host && *host; host++) {
		if (!strcmp(s->host, *host) || !strcmp(s->hypervisor, *host))
			return true;
	}
	return false;
}

static const struct nova_server *of_instance(const struct openstack_join *j, const char *instance)
{
	const struct nova_server *found = NULL;
	size_t lo = 0, hi = j->n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (strcmp(j->by_instance[mid]->instance, instance) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	for (; lo < j->n && !strcmp(j->by_instance[lo]->instance, instance); lo++) {
		if (!on_host(j, j->by_instance[lo]))
			continue;
		if (found) /* two cells, and nothing that tells which is ours */
			return NULL;
		found = j->by_instance[lo];
	}
	return found;
}

const struct nova_server *openstack_join_find(const struct openstack_join *j,
					      const struct cdict_label *label)
{
	const struct nova_server key = { .id = label->uuid }, *at = &key;
	const struct nova_server **found;

	if (label->uuid && *label->uuid) {
		found = bsearch(&at, j->by_id, j->n, sizeof(*j->by_id), by_id);
		return found ? *found : NULL;
	}
	return label->instance && *label->instance ? of_instance(j, label->instance) : NULL;
}
