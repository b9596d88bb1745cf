// SPDX-License-Identifier: GPL-2.0-only
/* The clients' names for the same thing, defaults, and what is missing. */
#include "annotate/openstack_settle.h"

#include <string.h>
#include <strings.h>

#include "base/fail.h"

/* The first of both that says something; NULL: neither. */
static const char *either(const char *text, const char *older)
{
	return text && *text ? text : older && *older ? older : NULL;
}

static const char *given(const char *text)
{
	return either(text, NULL);
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

static void names(struct keystone_auth *a, const struct openstack_values *v)
{
	const char *default_id, *default_name;

	a->auth_url = given(v->auth_url);
	a->user_id = given(v->user_id);
	a->username = either(v->username, v->user_name);
	a->user_domain_id = given(v->user_domain_id);
	a->user_domain_name = given(v->user_domain_name);
	a->project_id = either(v->project_id, v->tenant_id);
	a->project_name = either(v->project_name, v->tenant_name);
	a->project_domain_id = given(v->project_domain_id);
	a->project_domain_name = given(v->project_domain_name);
	a->domain_id = given(v->domain_id);
	a->domain_name = given(v->domain_name);
	a->system_scope = given(v->system_scope) != NULL;
	default_id = given(v->default_domain_id);
	default_name = either(v->default_domain_name, v->default_domain);
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

static int method(struct keystone_auth *a, const struct openstack_values *v,
		  struct cdict_error *err)
{
	const char *type = either(v->auth_type, v->auth_plugin);
	bool secret = v->application_credential_secret != NULL;

	if (!type)
		a->by_appcred = secret && !v->password;
	else if (!strcmp(type, "v3applicationcredential") ||
		 !strcmp(type, "application_credential"))
		a->by_appcred = true;
	else if (strcmp(type, "password") && strcmp(type, "v3password"))
		return cdict_fail(err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
				  "authentication by '%s' is not known here, only password and "
				  "v3applicationcredential",
				  type);
	if (a->by_appcred) {
		a->appcred_id = given(v->application_credential_id);
		a->appcred_name = given(v->application_credential_name);
		a->appcred_secret = given(v->application_credential_secret);
	} else {
		a->password = given(v->password);
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
	const struct openstack_values *v = &s->values;
	const char *lacks;
	char name[64];
	int rc;

	names(&s->auth, v);
	rc = method(&s->auth, v, err);
	if (rc)
		return rc;
	s->region = given(v->region_name);
	s->interface = either(v->interface, v->endpoint_type);
	if (!s->interface)
		s->interface = "public";
	s->cacert = given(v->cacert);
	s->cert = given(v->cert);
	s->key = given(v->key);
	s->compute_url = given(v->compute_endpoint_override);
	s->unverified = is_false(given(v->verify)) || is_true(given(v->insecure));
	lacks = missing(&s->auth);
	if (lacks)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "%s: lacks %s (%s)", s->from,
				  lacks, variable(lacks, name));
	return 0;
}
