// SPDX-License-Identifier: GPL-2.0-only
/* Keystone's JSON: token requests, tokens with their catalog, error messages. */
#include "annotate/openstack/keystone_body.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "base/text/sink.h"

#define SAID_MAX 200

/* @text, NULL when empty: json_pack() leaves NULL out (*). Text that is not UTF-8 makes
 * json_pack() fail as a whole. */
static const char *given(const char *text)
{
	return text && *text ? text : NULL;
}

/* {"id": ...} or {"name": ...}; prefers the id. */
static json_t *named(const char *id, const char *name)
{
	id = given(id);
	return json_pack("{s:s*, s:s*}", "id", id, "name", id ? NULL : given(name));
}

/* An id needs no domain; a name without a domain is in the one called "default". */
static json_t *in_domain(const char *id, const char *name, const char *domain_id,
			 const char *domain_name)
{
	if (given(id))
		return named(id, NULL);
	if (!given(domain_id) && !given(domain_name))
		domain_id = "default";
	return json_pack("{s:s*, s:o}", "name", given(name), "domain",
			 named(domain_id, domain_name));
}

static json_t *user(const struct keystone_auth *a)
{
	return in_domain(a->user_id, a->username, a->user_domain_id, a->user_domain_name);
}

static json_t *by_appcred(const struct keystone_auth *a)
{
	const char *id = given(a->appcred_id), *secret = given(a->appcred_secret);

	if (id)
		return json_pack("{s:s, s:s*}", "id", id, "secret", secret);
	return json_pack("{s:s*, s:o, s:s*}", "name", given(a->appcred_name), "user", user(a),
			 "secret", secret);
}

static json_t *by_password(const struct keystone_auth *a)
{
	json_t *who = user(a);

	if (!json_object_set_new(who, "password", json_string(a->password)))
		return json_pack("{s:o}", "user", who);
	json_decref(who);
	return NULL;
}

static json_t *identity(const struct keystone_auth *a)
{
	const char *method = a->by_appcred ? "application_credential" : "password";

	return json_pack("{s:[s], s:o}", "methods", method, method,
			 a->by_appcred ? by_appcred(a) : by_password(a));
}

/* NULL: none. */
static json_t *scope(const struct keystone_auth *a, const char *project_id)
{
	if (a->by_appcred)
		return NULL;
	if (given(project_id))
		return json_pack("{s:{s:s}}", "project", "id", project_id);
	if (a->system_scope)
		return json_pack("{s:{s:b}}", "system", "all", 1);
	if (given(a->project_id) || given(a->project_name))
		return json_pack("{s:o}", "project",
				 in_domain(a->project_id, a->project_name, a->project_domain_id,
					   a->project_domain_name));
	if (given(a->domain_id) || given(a->domain_name))
		return json_pack("{s:o}", "domain", named(a->domain_id, a->domain_name));
	return NULL;
}

char *keystone_body(const struct keystone_auth *a, const char *project_id)
{
	json_t *all;
	char *text;

	if (library_json(NULL))
		return NULL;
	all = json_pack("{s:{s:o, s:o*}}", "auth", "identity", identity(a), "scope",
			scope(a, project_id));
	text = all ? json_dumps(all, JSON_COMPACT) : NULL;
	json_decref(all);
	return text;
}

int keystone_json(json_t **out, const char *text, size_t size, struct cdict_error *err)
{
	json_error_t why;
	int rc = library_json(err);

	*out = NULL;
	if (rc)
		return rc;
	errno = 0; /* jansson has no error code for some of its failures */
	*out = json_loadb(text ? text : "", size, JSON_ALLOW_NUL, &why);
	if (*out)
		return 0;
	if (errno == ENOMEM)
		return cdict_fail_nomem(err);
	return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
			  "the answer is not JSON (line %d, column %d)", why.line, why.column);
}

const char *keystone_json_text(const json_t *object, const char *key)
{
	return given(json_string_value(json_object_get(object, key)));
}

/* Parses "2026-11-20T16:40:30.000000Z"; -1: not such a time. */
static time_t instant(const char *text)
{
	struct tm tm = { 0 };

	if (!text || !strptime(text, "%Y-%m-%dT%H:%M:%S", &tm))
		return -1;
	return timegm(&tm);
}

/* By the service's clock only, because ours may be wrong. */
static long life(const json_t *token)
{
	time_t from = instant(keystone_json_text(token, "issued_at"));
	time_t to = instant(keystone_json_text(token, "expires_at"));

	return from >= 0 && to > from && to - from < 1000000000 ? (long)(to - from) : 0;
}

int keystone_token_parse(struct keystone_token *out, const char *text, size_t size,
			 struct cdict_error *err)
{
	const char *id, *name;
	json_t *root, *token, *project;
	int rc = keystone_json(&root, text, size, err);

	if (rc)
		return rc;
	token = json_object_get(root, "token");
	if (!json_is_object(token)) {
		json_decref(root);
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "the answer contains no token");
	}
	project = json_object_get(token, "project");
	id = keystone_json_text(project, "id");
	name = keystone_json_text(project, "name");
	*out = (struct keystone_token){
		.life_s = life(token),
		.project_id = id ? strdup(id) : NULL,
		.project_name = name ? strdup(name) : NULL,
		.catalog = json_incref(json_object_get(token, "catalog")),
	};
	json_decref(root);
	if ((id && !out->project_id) || (name && !out->project_name)) {
		keystone_token_fini(out);
		return cdict_fail_nomem(err);
	}
	return 0;
}

void keystone_token_fini(struct keystone_token *t)
{
	free(t->project_id);
	free(t->project_name);
	json_decref(t->catalog);
	*t = (struct keystone_token){ 0 };
}

char *keystone_message(const char *text, size_t size)
{
	json_t *root = NULL, *value;
	const char *key, *message = NULL;
	char *out = NULL;

	if (keystone_json(&root, text, size, NULL))
		return NULL;
	json_object_foreach(root, key, value)
	{
		if (!message)
			message = keystone_json_text(value, "message");
	}
	if (message) {
		size_t len = strcspn(message, "\r\n");

		out = strndup(message, len < SAID_MAX ? len : SAID_MAX);
	}
	json_decref(root);
	return out;
}

/* --- the catalog --- */

/* "publicURL" and "public" are equal. */
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

/* Lists the available ones: "public in RegionOne, admin in RegionTwo". */
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
