// SPDX-License-Identifier: GPL-2.0-only
/* Selects the cloud: openrc, clouds.yaml, environment. */
#include "annotate/openstack/settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/openstack/clouds.h"
#include "annotate/openstack/openrc.h"
#include "annotate/secret.h"
#include "base/fail.h"

/* Larger files are rejected before parsing. */
#define FILE_MAX ((size_t)2 << 20)

/* Variables that select a cloud but do not define one. */
static const char *const selectors[] = { "OS_CLOUD", "OS_REGION_NAME", "OS_CLIENT_CONFIG_FILE",
					 "OS_CLIENT_SECURE_FILE", "OS_CLOUD_NAME" };

/* OS_USERNAME=x becomes username: x, as in clouds.yaml. */
static int from_variables(struct openstack_values *into, char *const *environment)
{
	int rc = 0;

	for (; *environment && !rc; environment++) {
		const char *name = *environment, *eq = strchr(name, '=');

		if (!strncmp(name, "OS_", 3) && eq)
			rc = openstack_values_set(into, name + 3, (size_t)(eq - name) - 3, eq + 1,
						  strlen(eq + 1));
	}
	return rc;
}

static bool is_selector(const char *setting)
{
	size_t len = strcspn(setting, "=");

	for (size_t i = 0; i < sizeof(selectors) / sizeof(selectors[0]); i++) {
		if (strlen(selectors[i]) == len && !strncmp(setting, selectors[i], len))
			return true;
	}
	return false;
}

static bool makes_a_cloud(char *const *environment)
{
	for (; *environment; environment++) {
		const char *name = *environment;

		if (!strncmp(name, "OS_", 3) && !is_selector(name) && strncmp(name, "OS_TEST", 7) &&
		    strncmp(name, "OS_STD", 6) && strncmp(name, "OS_LOG", 6))
			return true;
	}
	return false;
}

/* --- locations of clouds.yaml and secure.yaml --- */

static bool readable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISDIR(st.st_mode) && !access(path, R_OK);
}

/* Stores the first readable @folder/@below/@stem with a suffix in *@path, unless one was found before. */
static int in_folder(char **path, const char *folder, const char *below, const char *stem)
{
	static const char *const suffixes[] = { "yaml", "yml", "json" };

	if (!folder || !*folder)
		return 0;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]) && !*path; i++) {
		if (asprintf(path, "%s%s/%s.%s", folder, below, stem, suffixes[i]) < 0) {
			*path = NULL;
			return -ENOMEM;
		}
		if (!readable(*path)) {
			free(*path);
			*path = NULL;
		}
	}
	return 0;
}

/* Finds the first readable file of: the value of the variable @named, ./, $XDG_CONFIG_HOME/openstack,
 * ~/.config/openstack, /etc/xdg/openstack, /etc/openstack, each with .yaml, .yml and .json:
 * *@path, given. NULL: none. @stem is "clouds" or "secure". 0 or -ENOMEM. */
static int find_file(char **path, char *const *environment, const char *named, const char *stem)
{
	const char *own = openrc_variable(environment, named);
	const struct {
		const char *folder, *below;
	} folders[] = { { ".", "" },
			{ openrc_variable(environment, "XDG_CONFIG_HOME"), "/openstack" },
			{ openrc_variable(environment, "HOME"), "/.config/openstack" },
			{ "/etc/xdg/openstack", "" },
			{ "/etc/openstack", "" } };
	int rc = 0;

	*path = NULL;
	if (own && *own && readable(own)) {
		*path = strdup(own);
		return *path ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && !rc; i++)
		rc = in_folder(path, folders[i].folder, folders[i].below, stem);
	return rc;
}

/* Reads and parses the file of that stem; *out NULL and *path NULL: not found. */
static int load_clouds(struct clouds **out, char **path, char *const *environment,
		       const char *named, const char *stem, struct cdict_error *err)
{
	struct buf text;
	int rc;

	*out = NULL;
	if (find_file(path, environment, named, stem))
		return cdict_fail_nomem(err);
	if (!*path)
		return 0;
	rc = secret_read(&text, *path, FILE_MAX);
	if (rc == -ENOMEM)
		cdict_fail_nomem(err);
	else if (rc)
		cdict_fail(err, rc, CDICT_NO_OFFSET, "%s: %s", *path, strerror(-rc));
	else if (text.len == FILE_MAX)
		rc = cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET, "%s: is too large", *path);
	else
		rc = cdict_fail_in(err, clouds_parse(out, (const char *)text.data, text.len, err),
				   *path);
	secret_forget(&text);
	return rc;
}

struct cloud_files {
	struct clouds *clouds, *secure;
	char *path, *secure_path;
};

static int open_files(struct cloud_files *f, char *const *environment, struct cdict_error *err)
{
	int rc = load_clouds(&f->clouds, &f->path, environment, "OS_CLIENT_CONFIG_FILE", "clouds",
			     err);

	return rc ? rc
		  : load_clouds(&f->secure, &f->secure_path, environment, "OS_CLIENT_SECURE_FILE",
				"secure", err);
}

static void close_files(struct cloud_files *f)
{
	clouds_free(f->clouds);
	clouds_free(f->secure);
	free(f->path);
	free(f->secure_path);
}

/* The cloud to use when none is named: the only one. */
static const char *only_cloud(const struct cloud_files *f, struct cdict_error *err)
{
	const char *first = f->clouds ? clouds_name(f->clouds, 0) : NULL;

	if (first && !clouds_name(f->clouds, 1))
		return first;
	if (first)
		cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			   "%s has several clouds ('%s', '%s', ...): choose one with --os-cloud or "
			   "OS_CLOUD",
			   f->path, first, clouds_name(f->clouds, 1));
	else
		cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			   "no OpenStack cloud selected: use --openrc or --os-cloud, or "
			   "set the OS_* variables");
	return NULL;
}

static int from_files(struct openstack_settings *s, const char *name, char *const *environment,
		      struct cdict_error *err)
{
	const char *region = openrc_variable(environment, "OS_REGION_NAME");
	struct cloud_files f = { 0 };
	bool found = false;
	int rc = open_files(&f, environment, err);

	if (!rc && !name) {
		name = only_cloud(&f, err);
		rc = name ? 0 : CDICT_EUSAGE;
	}
	if (!rc && !f.path && !f.secure_path)
		rc = cdict_fail(
			err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
			"no clouds.yaml with the cloud '%s': not in ., ~/.config/openstack, "
			"/etc/openstack",
			name);
	if (!rc && f.clouds) {
		rc = cdict_fail_in(err, clouds_get(f.clouds, name, &s->values, err), f.path);
		found = !rc;
		/* it may be in secure.yaml only */
		rc = rc == CDICT_ENOTFOUND && f.secure ? 0 : rc;
	}
	if (!rc && f.secure) {
		rc = cdict_fail_in(err, clouds_get(f.secure, name, &s->values, err), f.secure_path);
		rc = rc == CDICT_ENOTFOUND && found ? 0 : rc;
	}
	if (!rc && region && *region &&
	    openstack_values_set(&s->values, "region_name", strlen("region_name"), region,
				 strlen(region)))
		rc = cdict_fail_nomem(err);
	if (!rc)
		snprintf(s->from, sizeof(s->from), "cloud '%.40s' of %.100s", name,
			 f.path ? f.path : f.secure_path);
	close_files(&f);
	return rc;
}

/* --- alternative names of settings, defaults, and missing settings --- */

/* The first of both that is set; NULL: neither. */
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

static void set_names(struct keystone_auth *a, const struct openstack_values *v)
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
		/* a single domain, for both user and project */
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

static int set_method(struct keystone_auth *a, const struct openstack_values *v,
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
				  "authentication type '%s' is not supported, only password and "
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

static const char *missing_setting(const struct keystone_auth *a)
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

/* "auth_url" -> "OS_AUTH_URL", for messages about variables. */
static const char *variable_name(const char *key, char into[64])
{
	size_t n = 3;

	memcpy(into, "OS_", 3);
	for (; *key && n < 63; key++)
		into[n++] = *key >= 'a' && *key <= 'z' ? (char)(*key - 'a' + 'A') : *key;
	into[n] = '\0';
	return into;
}

/* Fills Keystone's credentials from names and values: all of @s except values and from, which it
 * reads. CDICT_EUSAGE names missing settings; CDICT_EUNSUPPORTED for other types of authentication. */
static int set_auth(struct openstack_settings *s, struct cdict_error *err)
{
	const struct openstack_values *v = &s->values;
	const char *lacks;
	char name[64];
	int rc;

	set_names(&s->auth, v);
	rc = set_method(&s->auth, v, err);
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
	lacks = missing_setting(&s->auth);
	if (lacks)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "%s: lacks %s (%s)", s->from,
				  lacks, variable_name(lacks, name));
	return 0;
}

int openstack_settings_load(struct openstack_settings *s, const struct openstack_sources *from,
			    struct cdict_error *err)
{
	char *const *environment = from->environment ? from->environment : environ;
	uint32_t timeout_ms = from->timeout_ms ? from->timeout_ms : 30000;
	struct openrc openrc = { 0 };
	const char *cloud, *own;
	int rc = 0;

	*s = (struct openstack_settings){ 0 };
	if (from->openrc)
		rc = openrc_run(&openrc, from->openrc, environment, timeout_ms, err);
	if (rc)
		return rc;
	if (from->openrc)
		environment = openrc.environment;
	cloud = from->cloud ? from->cloud : openrc_variable(environment, "OS_CLOUD");
	own = openrc_variable(environment, "OS_CLOUD_NAME");
	if (cloud && (!*cloud || (!strcmp(cloud, own && *own ? own : "envvars") &&
				  makes_a_cloud(environment))))
		cloud = NULL;
	if (!cloud && (from->openrc || makes_a_cloud(environment))) {
		rc = from_variables(&s->values, environment) ? cdict_fail_nomem(err) : 0;
		snprintf(s->from, sizeof(s->from), "%s%.120s",
			 from->openrc ? "" : "the environment", from->openrc ? from->openrc : "");
	} else {
		rc = from_files(s, cloud, environment, err);
	}
	if (!rc)
		rc = set_auth(s, err);
	openrc_fini(&openrc);
	if (rc)
		openstack_settings_fini(s);
	return rc;
}

void openstack_settings_fini(struct openstack_settings *s)
{
	openstack_values_fini(&s->values);
	*s = (struct openstack_settings){ 0 };
}
