// SPDX-License-Identifier: GPL-2.0-only
/*
 * Versions of the compute API. 2.1 already tells all we need. A newer one is asked for
 * because from 2.69 on servers whose cell is down are listed (without a name) instead of
 * left out in silence, and from 2.75 on a filter that the service does not know is refused
 * instead of ignored. 2.79 (2019) is the newest of which that has been tried.
 */
#include "annotate/nova_version.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/keystone_body.h"
#include "base/fail.h"

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

		/* v2, v2.1: not the host, but a part of the path */
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

static int choose(const json_t *one, char out[NOVA_VERSION_MAX], struct cdict_error *err)
{
	const char *low = keystone_json_text(one, "min_version");
	const char *high = keystone_json_text(one, "version");
	struct version min, max, use = wanted;

	out[0] = '\0';
	if (!high) /* v2, before there were microversions */
		return 0;
	if (!read_version(high, &max) || !read_version(low, &min))
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "the compute service's versions are no numbers");
	if (newer(min, wanted))
		return cdict_fail(err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
				  "the compute service knows microversions from %s on; this cdict "
				  "knows those up to %u.%u",
				  low, wanted.major, wanted.minor);
	if (newer(use, max))
		use = max;
	snprintf(out, NOVA_VERSION_MAX, "%u.%u", use.major, use.minor);
	return 0;
}

/* Of a list of versions: v2.1, else the first one that begins with 2. */
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
	rc = json_is_object(one) ? choose(one, version, err)
				 : cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
					      "the answer holds no version of the compute API");
	json_decref(root);
	return rc;
}
