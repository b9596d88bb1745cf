// SPDX-License-Identifier: GPL-2.0-only
/* One answer to servers/detail. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/http_url.h"
#include "annotate/keystone_body.h"
#include "annotate/nova.h"
#include "base/fail.h"

static void server_fini(struct nova_server *v)
{
	free(v->id);
	free(v->name);
	free(v->project_id);
	free(v->instance);
	free(v->host);
	free(v->hypervisor);
	free(v->name_value);
	free(v->group_value);
}

void nova_servers_fini(struct nova_servers *s)
{
	for (size_t i = 0; i < s->n; i++)
		server_fini(&s->servers[i]);
	free(s->servers);
	stringset_fini(&s->ids);
	*s = (struct nova_servers){ 0 };
}

static char *text(const json_t *object, const char *key, bool *failed)
{
	const char *value = key ? keystone_json_text(object, key) : NULL;
	size_t len = value ? strlen(value) : 0;
	char *copy;

	if (len > NOVA_TEXT_MAX) {
		len = NOVA_TEXT_MAX;
		while (len && ((unsigned char)value[len] & 0xc0) == 0x80)
			len--; /* no half characters */
	}
	copy = strndup(value ? value : "", len);

	*failed = *failed || !copy;
	return copy;
}

static bool room(struct nova_servers *s)
{
	size_t cap = s->cap ? 2 * s->cap : 128;
	struct nova_server *servers;

	if (s->n < s->cap)
		return true;
	servers = realloc(s->servers, cap * sizeof(*servers));
	if (!servers)
		return false;
	s->servers = servers;
	s->cap = cap;
	return true;
}

static int add(struct nova_servers *s, const struct nova_keys *keys, const json_t *server,
	       size_t *added)
{
	const char *id = keystone_json_text(server, "id");
	const json_t *metadata = json_object_get(server, "metadata");
	struct nova_server *v;
	size_t before = s->ids.n;
	bool failed = false;

	if (!id)
		return 0;
	if (!stringset_add(&s->ids, id, strlen(id)) || !room(s))
		return -ENOMEM;
	if (s->ids.n == before)
		return 0;
	if (s->n == NOVA_SERVERS_MAX)
		return CDICT_ELIMIT;
	v = &s->servers[s->n];
	v->id = text(server, "id", &failed);
	v->name = text(server, "name", &failed);
	v->project_id = text(server, "tenant_id", &failed);
	v->instance = text(server, "OS-EXT-SRV-ATTR:instance_name", &failed);
	v->host = text(server, "OS-EXT-SRV-ATTR:host", &failed);
	v->hypervisor = text(server, "OS-EXT-SRV-ATTR:hypervisor_hostname", &failed);
	v->name_value = text(metadata, keys->name, &failed);
	v->group_value = text(metadata, keys->group, &failed);
	if (failed) {
		server_fini(v);
		return -ENOMEM;
	}
	s->unreachable += !*v->name;
	s->n++;
	(*added)++;
	return 0;
}

/* Of the link to the next page only the marker is used: its host may be one that only the
 * service itself can reach. */
static char *marker(const json_t *root)
{
	const json_t *links = json_object_get(root, "servers_links");
	const json_t *servers = json_object_get(root, "servers");
	json_t *link;
	size_t i;

	json_array_foreach(links, i, link)
	{
		const char *rel = keystone_json_text(link, "rel");
		const char *href = keystone_json_text(link, "href");
		const char *last;
		char *found;

		if (!rel || strcmp(rel, "next"))
			continue;
		found = href ? http_url_parameter(href, "marker") : NULL;
		if (found && *found)
			return found;
		free(found);
		last = keystone_json_text(json_array_get(servers, json_array_size(servers) - 1),
					  "id");
		return last ? strdup(last) : NULL;
	}
	return NULL;
}

int nova_page_parse(struct nova_servers *s, const struct nova_keys *keys, const char *page,
		    size_t size, char **next_marker, size_t *added, struct cdict_error *err)
{
	json_t *root, *servers, *server;
	size_t i;
	int rc = keystone_json(&root, page, size, err);

	*next_marker = NULL;
	*added = 0;
	if (rc)
		return rc;
	servers = json_object_get(root, "servers");
	if (!json_is_array(servers))
		rc = cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				"the answer holds no list of servers");
	json_array_foreach(servers, i, server)
	{
		if (rc)
			break;
		rc = add(s, keys, server, added);
		if (rc == CDICT_ELIMIT)
			cdict_fail(err, rc, CDICT_NO_OFFSET, "more than %d servers",
				   NOVA_SERVERS_MAX);
		else if (rc)
			cdict_fail(err, rc, CDICT_NO_OFFSET, "out of memory");
	}
	if (!rc)
		*next_marker = marker(root);
	json_decref(root);
	return rc;
}
