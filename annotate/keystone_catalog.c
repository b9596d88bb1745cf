// SPDX-License-Identifier: GPL-2.0-only
/* Which address a service has, by Keystone's catalog. */
#include "annotate/keystone_catalog.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/keystone_body.h"
#include "base/fail.h"
#include "base/sink.h"

/* "publicURL" and "public" are the same. */
static bool same_interface(const char *a, const char *b)
{
	size_t n = strlen(a), m = strlen(b);

	n -= n > 3 && !strcmp(a + n - 3, "URL") ? 3 : 0;
	m -= m > 3 && !strcmp(b + m - 3, "URL") ? 3 : 0;
	return n == m && !strncmp(a, b, n);
}

static bool in_region(const json_t *endpoint, const char *region)
{
	const char *id = keystone_json_text(endpoint, "region_id");
	const char *name = keystone_json_text(endpoint, "region");

	return !region || !*region || (id && !strcmp(id, region)) ||
	       (name && !strcmp(name, region));
}

/* What there is instead: "public in RegionOne, admin in RegionTwo". */
static void other_endpoints(struct sink *s, const json_t *service, size_t *n)
{
	json_t *e;
	size_t i;

	json_array_foreach(json_object_get(service, "endpoints"), i, e)
	{
		const char *interface = keystone_json_text(e, "interface");
		const char *region = keystone_json_text(e, "region_id");

		if ((*n)++ < 6)
			sink_printf(s, "%s%s in %s", *n > 1 ? ", " : "",
				    interface ? interface : "?", region ? region : "?");
	}
}

static const char *find_endpoint(const json_t *service, const char *interface, const char *region)
{
	json_t *e;
	size_t i;

	json_array_foreach(json_object_get(service, "endpoints"), i, e)
	{
		const char *of = keystone_json_text(e, "interface");
		const char *url = keystone_json_text(e, "url");

		if (of && url && same_interface(of, interface) && in_region(e, region))
			return url;
	}
	return NULL;
}

int keystone_catalog_find(const json_t *catalog, const char *const *types, const char *interface,
			  const char *region, char **url, struct cdict_error *err)
{
	const char *found = NULL;
	struct sink others;
	size_t n = 0, i, len;
	char *text;
	json_t *service;

	sink_to_memory(&others);
	for (const char *const *type = types; *type && !found; type++) {
		json_array_foreach(catalog, i, service)
		{
			const char *of = keystone_json_text(service, "type");

			if (found || !of || strcmp(of, *type))
				continue;
			found = find_endpoint(service, interface, region);
			if (!found)
				other_endpoints(&others, service, &n);
		}
	}
	text = sink_take(&others, &len);
	*url = found ? strdup(found) : NULL;
	if (!found && !n)
		cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
			   "the catalog has no service of type %s", types[0]);
	else if (!found)
		cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
			   "the catalog has no %s %s service%s%s, only: %s", interface, types[0],
			   region && *region ? " in region " : "", region && *region ? region : "",
			   text ? text : "");
	free(text);
	if (!found)
		return CDICT_ENOTFOUND;
	return *url ? 0 : cdict_fail_nomem(err);
}
