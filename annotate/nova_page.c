// SPDX-License-Identifier: GPL-2.0-only
/* One answer to servers/detail. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/http_url.h"
#include "annotate/keystone_body.h"
#include "annotate/nova.h"
#include "base/fail.h"

void nova_servers_fini(struct nova_servers *s)
{
	array_fini(&s->all);
	stringset_fini(&s->ids);
	stringset_fini(&s->texts);
	*s = (struct nova_servers){ 0 };
}

/* NULL: out of memory. */
static const char *text(struct nova_servers *s, const json_t *object, const char *key)
{
	const char *value = key ? keystone_json_text(object, key) : NULL;
	size_t len = value ? strlen(value) : 0;

	if (len > NOVA_TEXT_MAX) {
		len = NOVA_TEXT_MAX;
		while (len && ((unsigned char)value[len] & 0xc0) == 0x80)
			len--; /* no half characters */
	}
	return stringset_add(&s->texts, value ? value : "", len);
}

static int add(struct nova_servers *s, const struct nova_keys *keys, const json_t *server,
	       size_t *added)
{
	const char *id = keystone_json_text(server, "id");
	const json_t *metadata = json_object_get(server, "metadata");
	size_t before = s->ids.n;
	struct nova_server v;

	if (!id)
		return 0;
	if (!stringset_add(&s->ids, id, strlen(id)))
		return -ENOMEM;
	if (s->ids.n == before)
		return 0;
	if (s->all.n == NOVA_SERVERS_MAX)
		return CDICT_ELIMIT;
	v = (struct nova_server){
		.id = text(s, server, "id"),
		.name = text(s, server, "name"),
		.project_id = text(s, server, "tenant_id"),
		.instance = text(s, server, "OS-EXT-SRV-ATTR:instance_name"),
		.host = text(s, server, "OS-EXT-SRV-ATTR:host"),
		.hypervisor = text(s, server, "OS-EXT-SRV-ATTR:hypervisor_hostname"),
		.name_value = text(s, metadata, keys->name),
		.group_value = text(s, metadata, keys->group),
	};
	if (!v.id || !v.name || !v.project_id || !v.instance || !v.host || !v.hypervisor ||
	    !v.name_value || !v.group_value || array_push(&s->all, v))
		return -ENOMEM;
	s->unreachable += !*v.name;
	(*added)++;
	return 0;
}

/* Of the link to the next page only the marker is used: its host may be one that only the
 * service itself can reach. 0 or -ENOMEM. */
static int marker(char **out, const json_t *root)
{
	const json_t *links = json_object_get(root, "servers_links");
	const json_t *servers = json_object_get(root, "servers");
	json_t *link;
	size_t i;
	int rc = 0;

	json_array_foreach(links, i, link)
	{
		const char *rel = keystone_json_text(link, "rel");
		const char *href = keystone_json_text(link, "href");
		const char *last;

		if (!rel || strcmp(rel, "next"))
			continue;
		if (href)
			rc = http_url_parameter(out, href, "marker");
		if (rc || (*out && **out))
			return rc;
		free(*out);
		last = keystone_json_text(json_array_get(servers, json_array_size(servers) - 1),
					  "id");
		*out = last ? strdup(last) : NULL;
		return last && !*out ? -ENOMEM : 0;
	}
	return 0;
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
			cdict_fail_nomem(err);
	}
	if (!rc && marker(next_marker, root))
		rc = cdict_fail_nomem(err);
	json_decref(root);
	return rc;
}
