// SPDX-License-Identifier: GPL-2.0-only
/* Configuration files of the OpenStack clients, found and read. */
#include "annotate/openstack_files.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool readable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISDIR(st.st_mode) && !access(path, R_OK);
}

/* @folder/@below/@stem with each suffix into *@path, unless one was found. */
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

int openstack_file_find(char **path, const struct openstack_places *p, const char *stem)
{
	const struct {
		const char *folder, *below;
	} places[] = { { ".", "" },
		       { p->config_home, "/openstack" },
		       { p->home, "/.config/openstack" },
		       { "/etc/xdg/openstack", "" },
		       { "/etc/openstack", "" } };
	int rc = 0;

	*path = NULL;
	if (p->named && *p->named && readable(p->named)) {
		*path = strdup(p->named);
		return *path ? 0 : -ENOMEM;
	}
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]) && !rc; i++)
		rc = in_folder(path, places[i].folder, places[i].below, stem);
	return rc;
}
