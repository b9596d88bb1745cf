// SPDX-License-Identifier: GPL-2.0-only
/* Which OpenStack: openrc, clouds.yaml, environment. */
#include "annotate/openstack_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/clouds.h"
#include "annotate/openrc.h"
#include "annotate/openstack_files.h"
#include "annotate/openstack_settle.h"
#include "base/fail.h"

/* Variables that choose among clouds and make none. */
static const char *const selectors[] = { "OS_CLOUD", "OS_REGION_NAME", "OS_CLIENT_CONFIG_FILE",
					 "OS_CLIENT_SECURE_FILE", "OS_CLOUD_NAME" };

/* OS_USERNAME=x -> username: x, as in clouds.yaml. */
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

/* Reads and parses the file of that stem, where it is; *out NULL and *path NULL: nowhere. */
static int load_clouds(struct clouds **out, char **path, const struct openstack_places *places,
		       const char *stem, struct cdict_error *err)
{
	struct buf text;
	int rc;

	*out = NULL;
	if (openstack_file_find(path, places, stem))
		return cdict_fail_nomem(err);
	if (!*path)
		return 0;
	rc = openstack_file_read(&text, *path, err);
	if (rc)
		return rc;
	rc = cdict_fail_in(err, clouds_parse(out, (const char *)text.data, text.len, err), *path);
	openstack_file_forget(&text);
	return rc;
}

struct cloud_files {
	struct clouds *clouds, *secure;
	char *path, *secure_path;
};

static int open_files(struct cloud_files *f, char *const *environment, struct cdict_error *err)
{
	struct openstack_places places = {
		.named = openrc_variable(environment, "OS_CLIENT_CONFIG_FILE"),
		.home = openrc_variable(environment, "HOME"),
		.config_home = openrc_variable(environment, "XDG_CONFIG_HOME"),
	};
	int rc = load_clouds(&f->clouds, &f->path, &places, "clouds", err);

	places.named = openrc_variable(environment, "OS_CLIENT_SECURE_FILE");
	return rc ? rc : load_clouds(&f->secure, &f->secure_path, &places, "secure", err);
}

static void close_files(struct cloud_files *f)
{
	clouds_free(f->clouds);
	clouds_free(f->secure);
	free(f->path);
	free(f->secure_path);
}

/* Which cloud is meant when none is named: the only one. */
static const char *only_cloud(const struct cloud_files *f, struct cdict_error *err)
{
	const char *first = f->clouds ? clouds_name(f->clouds, 0) : NULL;

	if (first && !clouds_name(f->clouds, 1))
		return first;
	if (first)
		cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			   "%s has several clouds ('%s', '%s', ...): name one with --os-cloud or "
			   "OS_CLOUD",
			   f->path, first, clouds_name(f->clouds, 1));
	else
		cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			   "nothing says which OpenStack is meant: give --openrc or --os-cloud, or "
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
		/* secure.yaml alone may have it */
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
		rc = openstack_settings_settle(s, err);
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
