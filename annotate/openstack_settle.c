// SPDX-License-Identifier: GPL-2.0-only
/* The clients' names for the same thing, defaults, and what is missing. */
#include "annotate/openstack_settle.h"

#include <string.h>
#include <strings.h>

#include "base/fail.h"

struct settling {
	const struct openstack_vars *vars;
	const char *unknown; /* the first that is wanted and only a shell could tell */
};

/* The value of @key, or of its older name @old; NULL: none. */
static const char *get(struct settling *g, const char *key, const char *old)
{
	const char *value = openstack_vars_get(g->vars, key);

	if (value && *value)
		return value;
	if (!g->unknown && openstack_vars_unknown(g->vars, key))
		g->unknown = key;
	return old ? get(g, old, NULL) : NULL;
}

static bool is_true(const char *value)
{
	return value && (!strcasecmp(value, "true") || !strcasecmp(value, "yes") ||
			 !strcasecmp(value, "on") || !strcmp(value, "1"));
}

static bool is_false(const char *value)
{
	return value && (!strcasecmp(value, "false") || !strcasecmp(value, "no") ||
			 !strcasecmp(value, "off") || !strcmp(value, "0"));
}

static void names(struct keystone_auth *a, struct settling *g)
{
	const char *default_id, *default_name;

	a->auth_url = get(g, "auth_url", NULL);
	a->user_id = get(g, "user_id", NULL);
	a->username = get(g, "username", "user_name");
	a->user_domain_id = get(g, "user_domain_id", NULL);
	a->user_domain_name = get(g, "user_domain_name", NULL);
	a->project_id = get(g, "project_id", "tenant_id");
	a->project_name = get(g, "project_name", "tenant_name");
	a->project_domain_id = get(g, "project_domain_id", NULL);
	a->project_domain_name = get(g, "project_domain_name", NULL);
	a->domain_id = get(g, "domain_id", NULL);
	a->domain_name = get(g, "domain_name", NULL);
	a->system_scope = get(g, "system_scope", NULL) != NULL;
	default_id = get(g, "default_domain_id", NULL);
	default_name = get(g, "default_domain_name", "default_domain");
	if (a->project_id || a->project_name) {
		/* one domain named for both user and project */
		default_id = a->domain_id ? a->domain_id : default_id;
		default_name = a->domain_name ? a->domain_name : default_name;
		a->domain_id = a->domain_name = NULL;
	}
	if (!a->user_domain_id && !a->user_domain_name) {
		a->user_domain_id = default_id;
		a->user_domain_name = default_name;
	}
	if (!a->project_domain_id && !a->project_domain_name) {
		a->project_domain_id = default_id;
		a->project_domain_name = default_name;
	}
}

static int method(struct keystone_auth *a, struct settling *g, struct cdict_error *err)
{
	const char *type = get(g, "auth_type", "auth_plugin");
	bool secret = openstack_vars_get(g->vars, "application_credential_secret") != NULL;

	if (!type)
		a->by_appcred = secret && !openstack_vars_get(g->vars, "password");
	else if (!strcmp(type, "v3applicationcredential") ||
		 !strcmp(type, "application_credential"))
		a->by_appcred = true;
	else if (strcmp(type, "password") && strcmp(type, "v3password"))
		return cdict_fail(err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
				  "authentication by '%s' is not known here, only password and "
				  "v3applicationcredential",
				  type);
	if (a->by_appcred) {
		a->appcred_id = get(g, "application_credential_id", NULL);
		a->appcred_name = get(g, "application_credential_name", NULL);
		a->appcred_secret = get(g, "application_credential_secret", NULL);
	} else {
		a->password = get(g, "password", NULL);
	}
	return 0;
}

static const char *missing(const struct keystone_auth *a)
{
	if (!a->auth_url)
		return "auth_url";
	if (a->by_appcred) {
		if (!a->appcred_secret)
			return "application_credential_secret";
		if (a->appcred_id)
			return NULL;
		if (!a->appcred_name)
			return "application_credential_id";
	} else if (!a->password) {
		return "password";
	}
	return a->username || a->user_id ? NULL : "username";
}

/* "auth_url" -> "OS_AUTH_URL" for those who think in variables. */
static const char *variable(const char *key, char into[64])
{
	size_t n = 3;

	memcpy(into, "OS_", 3);
	for (; *key && n < 63; key++)
		into[n++] = *key >= 'a' && *key <= 'z' ? (char)(*key - 'a' + 'A') : *key;
	into[n] = '\0';
	return into;
}

int openstack_settings_settle(struct openstack_settings *s, struct cdict_error *err)
{
	struct settling g = { .vars = &s->vars };
	const char *lacks;
	char name[64];
	int rc;

	names(&s->auth, &g);
	rc = method(&s->auth, &g, err);
	if (rc)
		return rc;
	s->region = get(&g, "region_name", NULL);
	s->interface = get(&g, "interface", "endpoint_type");
	if (!s->interface)
		s->interface = "public";
	s->cacert = get(&g, "cacert", NULL);
	s->cert = get(&g, "cert", NULL);
	s->key = get(&g, "key", NULL);
	s->compute_url = get(&g, "compute_endpoint_override", NULL);
	s->unverified = is_false(get(&g, "verify", NULL)) || is_true(get(&g, "insecure", NULL));
	if (g.unknown)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "%s: %s is set to what only a shell could tell; set it in the "
				  "environment",
				  s->from, variable(g.unknown, name));
	lacks = missing(&s->auth);
	if (lacks)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "%s: lacks %s (%s)", s->from,
				  lacks, variable(lacks, name));
	return 0;
}
