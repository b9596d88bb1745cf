// SPDX-License-Identifier: GPL-2.0-only
/* Which OpenStack: openrc, clouds.yaml, environment. */
#include "annotate/openstack_settings.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "annotate/clouds.h"
#include "annotate/openrc.h"
#include "annotate/openstack_files.h"
#include "annotate/openstack_settle.h"
#include "base/fail.h"

/* Variables that choose among clouds and make none. */
static const char *const selectors[] = { "OS_CLOUD",
					 "OS_REGION_NAME",
					 "OS_CLIENT_CONFIG_FILE",
					 "OS_CLIENT_SECURE_FILE",
					 "OS_CLOUD_NAME",
					 NULL };
/* What is taken from the environment although a file was named: secrets that are left out of
 * files, and what belongs to the machine. */
static const char *const beside_a_file[] = { "OS_PASSWORD", "OS_APPLICATION_CREDENTIAL_SECRET",
					     "OS_CACERT",   "OS_CERT",
					     "OS_KEY",      NULL };

static int no_memory(struct cdict_error *err)
{
	return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
}

static bool is_one_of(const char *name, const char *const *list)
{
	while (*list && strcmp(name, *list))
		list++;
	return *list != NULL;
}

static const char *getvar(char *const *environment, const char *name)
{
	size_t len = strlen(name);

	for (; *environment; environment++) {
		if (!strncmp(*environment, name, len) && (*environment)[len] == '=')
			return *environment + len + 1;
	}
	return NULL;
}

static int set(struct openstack_vars *vars, const char *name, const char *value)
{
	return openstack_vars_set(vars, name, strlen(name), value, value ? strlen(value) : 0);
}

static int os_environment(struct openstack_vars *vars, char *const *environment)
{
	for (; *environment; environment++) {
		const char *eq = strchr(*environment, '=');

		if (strncmp(*environment, "OS_", 3) || !eq)
			continue;
		if (openstack_vars_set(vars, *environment, (size_t)(eq - *environment), eq + 1,
				       strlen(eq + 1)))
			return -ENOMEM;
	}
	return 0;
}

/* "path: what" */
static int in_file(const char *path, int rc, struct cdict_error *err)
{
	char text[sizeof(err->text)];

	if (rc && err) {
		snprintf(text, sizeof(text), "%s", err->text);
		snprintf(err->text, sizeof(err->text), "%.200s: %.270s", path, text);
	}
	return rc;
}

/* The variables that the file sets, in place of those of the environment. */
static int read_openrc(struct openstack_vars *shell, const char *path, struct cdict_error *err)
{
	struct openstack_vars file = { 0 };
	size_t size;
	char *text;
	int rc = openstack_file_read(&text, &size, path, err);

	if (rc)
		return rc;
	rc = in_file(path, openrc_parse(&file, text, size, err), err);
	openstack_file_free(text, size);
	for (size_t i = 0; i < shell->n && !rc; i++) {
		const char *name = shell->vars[i].name;

		if ((is_one_of(name, beside_a_file) && !openstack_vars_get(&file, name)) ||
		    openstack_vars_unknown(&file, name))
			rc = set(&file, name, shell->vars[i].value) ? no_memory(err) : 0;
	}
	if (rc) {
		openstack_vars_fini(&file);
		return rc;
	}
	openstack_vars_fini(shell);
	*shell = file;
	return 0;
}

/* OS_USER_NAME=x -> user_name: x, as in clouds.yaml. */
static int from_shell(struct openstack_vars *into, const struct openstack_vars *shell)
{
	for (size_t i = 0; i < shell->n; i++) {
		const char *name = shell->vars[i].name;
		char key[64];
		size_t n = 0;

		if (strncmp(name, "OS_", 3))
			continue;
		for (name += 3; *name && n + 1 < sizeof(key); name++)
			key[n++] = (char)tolower((unsigned char)*name);
		key[n] = '\0';
		if (set(into, key, shell->vars[i].value))
			return -ENOMEM;
	}
	return 0;
}

static bool makes_a_cloud(const struct openstack_vars *shell)
{
	for (size_t i = 0; i < shell->n; i++) {
		const char *name = shell->vars[i].name;

		if (!strncmp(name, "OS_", 3) && !is_one_of(name, selectors) &&
		    strncmp(name, "OS_TEST", 7) && strncmp(name, "OS_STD", 6) &&
		    strncmp(name, "OS_LOG", 6))
			return true;
	}
	return false;
}

/* Reads and parses the file of that stem, where it is; *out NULL and *path NULL: nowhere. */
static int load_clouds(struct clouds **out, char **path, const struct openstack_places *places,
		       const char *stem, struct cdict_error *err)
{
	size_t size;
	char *text;
	int rc;

	*out = NULL;
	*path = openstack_file_find(places, stem);
	if (!*path)
		return 0;
	rc = openstack_file_read(&text, &size, *path, err);
	if (rc)
		return rc;
	rc = in_file(*path, clouds_parse(out, text, size, err), err);
	openstack_file_free(text, size);
	return rc;
}

struct cloud_files {
	struct clouds *clouds, *secure;
	char *path, *secure_path;
};

static int open_files(struct cloud_files *f, const struct openstack_vars *shell,
		      char *const *environment, struct cdict_error *err)
{
	struct openstack_places places = {
		.named = openstack_vars_get(shell, "OS_CLIENT_CONFIG_FILE"),
		.home = getvar(environment, "HOME"),
		.config_home = getvar(environment, "XDG_CONFIG_HOME"),
	};
	int rc = load_clouds(&f->clouds, &f->path, &places, "clouds", err);

	places.named = openstack_vars_get(shell, "OS_CLIENT_SECURE_FILE");
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

static int from_files(struct openstack_settings *s, const char *name,
		      const struct openstack_vars *shell, char *const *environment,
		      struct cdict_error *err)
{
	const char *region = openstack_vars_get(shell, "OS_REGION_NAME");
	struct cloud_files f = { 0 };
	bool found = false;
	int rc = open_files(&f, shell, environment, err);

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
		rc = in_file(f.path, clouds_get(f.clouds, name, &s->vars, err), err);
		found = !rc;
		/* secure.yaml alone may have it */
		rc = rc == CDICT_ENOTFOUND && f.secure ? 0 : rc;
	}
	if (!rc && f.secure) {
		rc = in_file(f.secure_path, clouds_get(f.secure, name, &s->vars, err), err);
		rc = rc == CDICT_ENOTFOUND && found ? 0 : rc;
	}
	if (!rc && region && *region && set(&s->vars, "region_name", region))
		rc = no_memory(err);
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
	struct openstack_vars shell = { 0 };
	const char *cloud, *own;
	int rc = 0;

	*s = (struct openstack_settings){ 0 };
	if (os_environment(&shell, environment))
		rc = no_memory(err);
	if (!rc && from->openrc)
		rc = read_openrc(&shell, from->openrc, err);
	cloud = from->cloud ? from->cloud : openstack_vars_get(&shell, "OS_CLOUD");
	own = openstack_vars_get(&shell, "OS_CLOUD_NAME");
	if (cloud &&
	    (!*cloud || (!strcmp(cloud, own && *own ? own : "envvars") && makes_a_cloud(&shell))))
		cloud = NULL;
	if (!rc && !cloud && (from->openrc || makes_a_cloud(&shell))) {
		rc = from_shell(&s->vars, &shell) ? no_memory(err) : 0;
		snprintf(s->from, sizeof(s->from), "%s%.120s",
			 from->openrc ? "" : "the environment", from->openrc ? from->openrc : "");
	} else if (!rc) {
		rc = from_files(s, cloud, &shell, environment, err);
	}
	if (!rc)
		rc = openstack_settings_settle(s, err);
	openstack_vars_fini(&shell);
	if (rc)
		openstack_settings_fini(s);
	return rc;
}

void openstack_settings_fini(struct openstack_settings *s)
{
	openstack_vars_fini(&s->vars);
	*s = (struct openstack_settings){ 0 };
}
