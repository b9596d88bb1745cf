// SPDX-License-Identifier: GPL-2.0-only
/* Nova's JSON: answers to servers/detail, and at the service's root. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/openstack/http_url.h"
#include "annotate/openstack/keystone_body.h"
#include "annotate/openstack/nova.h"
#include "base/fail.h"
#include "base/text/escape.h"

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

	value = value ? value : "";
	return stringset_add(&s->texts, value, escape_cut(value, strlen(value), NOVA_TEXT_MAX));
}

static int add_server(struct nova_servers *s, const struct nova_keys *keys, const json_t *server,
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

/* Of the link to the next page only the marker is used: its host may be reachable only for the
 * service itself. 0 or -ENOMEM. */
static int find_next_marker(char **out, const json_t *root)
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
				"the answer contains no list of servers");
	json_array_foreach(servers, i, server)
	{
		if (rc)
			break;
		rc = add_server(s, keys, server, added);
		if (rc == CDICT_ELIMIT)
			cdict_fail(err, rc, CDICT_NO_OFFSET, "more than %d servers",
				   NOVA_SERVERS_MAX);
		else if (rc)
			cdict_fail_nomem(err);
	}
	if (!rc && find_next_marker(next_marker, root))
		rc = cdict_fail_nomem(err);
	json_decref(root);
	return rc;
}

/* --- versions --- */

/*
 * Versions of the compute API. 2.1 has all required data. Newer ones are requested because
 * from 2.69 on servers whose cell is down are listed (without a name) instead of
 * silently left out, and from 2.75 on the service rejects unknown filters
 * instead of ignoring them. 2.79 (2019) is the newest version tested.
 */
struct version {
	unsigned major, minor;
};

static const struct version wanted = { 2, 79 };

static bool read_version(const char *text, struct version *v)
{
	int end = 0;

	return text && strlen(text) < NOVA_VERSION_MAX &&
	       sscanf(text, "%3u.%6u%n", &v->major, &v->minor, &end) == 2 && !text[end];
}

static bool newer(struct version a, struct version b)
{
	return a.major > b.major || (a.major == b.major && a.minor > b.minor);
}

char *nova_version_base(const char *endpoint, int *versioned)
{
	size_t len = strcspn(endpoint, "?#"), at = 0;
	const char *host = strstr(endpoint, "://");

	if (host)
		at = (size_t)(host - endpoint) + 3;
	*versioned = 0;
	while (at < len) {
		size_t part = strcspn(endpoint + at, "/?#");

		/* v2, v2.1: a path component, not the host */
		if (at && endpoint[at - 1] == '/' && part >= 2 && endpoint[at] == 'v' &&
		    strspn(endpoint + at + 1, "0123456789.") == part - 1 &&
		    endpoint + at != host + 3) {
			*versioned = 1;
			return strndup(endpoint, at + part);
		}
		at += part + 1;
	}
	while (len && endpoint[len - 1] == '/')
		len--;
	return strndup(endpoint, len);
}

static int choose_version(const json_t *one, char out[NOVA_VERSION_MAX], struct cdict_error *err)
{
	const char *low = keystone_json_text(one, "min_version");
	const char *high = keystone_json_text(one, "version");
	struct version min, max, use = wanted;

	out[0] = '\0';
	if (!high) /* v2, which predates microversions */
		return 0;
	if (!read_version(high, &max) || !read_version(low, &min))
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "the compute service's versions are not numbers");
	if (newer(min, wanted))
		return cdict_fail(
			err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
			"the compute service supports microversions from %s on; this cdict "
			"supports up to %u.%u",
			low, wanted.major, wanted.minor);
	if (newer(use, max))
		use = max;
	snprintf(out, NOVA_VERSION_MAX, "%u.%u", use.major, use.minor);
	return 0;
}

/* Chooses from a list of versions: v2.1, else the first 2.x. */
static const json_t *of_list(const json_t *list)
{
	const json_t *found = NULL;
	json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
	{
		const char *id = keystone_json_text(v, "id");

		if (!id || strncmp(id, "v2", 2) || strlen(id) >= NOVA_VERSION_MAX)
			continue;
		if (!found || !strncmp(id, "v2.1", 4))
			found = v;
	}
	return found;
}

int nova_version_choose(const char *text, size_t size, char version[NOVA_VERSION_MAX],
			char path[NOVA_VERSION_MAX], struct cdict_error *err)
{
	const json_t *one;
	json_t *root;
	int rc = keystone_json(&root, text, size, err);

	version[0] = path[0] = '\0';
	if (rc)
		return rc;
	one = json_object_get(root, "version");
	if (!one) {
		one = of_list(json_object_get(root, "versions"));
		if (one)
			snprintf(path, NOVA_VERSION_MAX, "%s", keystone_json_text(one, "id"));
	}
	rc = json_is_object(one) ? choose_version(one, version, err)
				 : cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
					      "the answer contains no version of the compute API");
	json_decref(root);
	return rc;
}
