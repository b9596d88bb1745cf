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

#include "base/fail.h"

/* More than any parser of them takes. */
#define FILE_MAX ((size_t)2 << 20)

int openstack_file_read(char **text, size_t *size, const char *path, struct cdict_error *err)
{
	FILE *file = fopen(path, "re");
	struct stat st;
	char *data = NULL;
	size_t n = 0;
	int rc = 0;

	if (!file)
		return cdict_fail_errno(err, path);
	/* a folder can be opened, and says so only when it is read */
	if (!fstat(fileno(file), &st) && S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		rc = cdict_fail_errno(err, path);
		goto out;
	}
	data = malloc(FILE_MAX + 1);
	if (!data) {
		rc = cdict_fail_nomem(err);
		goto out;
	}
	/* without a buffer of its own, which would keep a copy of the secrets */
	setvbuf(file, NULL, _IONBF, 0);
	n = fread(data, 1, FILE_MAX, file);
	if (ferror(file))
		rc = cdict_fail_errno(err, path);
	else if (n == FILE_MAX)
		rc = cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				"%s: is larger than any such file", path);
out:
	fclose(file);
	if (rc) {
		openstack_file_free(data, n);
		return rc;
	}
	data[n] = '\0';
	*text = data;
	*size = n;
	return 0;
}

void openstack_file_free(char *text, size_t size)
{
	if (text)
		explicit_bzero(text, size);
	free(text);
}

static bool readable(const char *path)
{
	struct stat st;

	return !stat(path, &st) && !S_ISDIR(st.st_mode) && !access(path, R_OK);
}

/* @folder/@below/@stem with each suffix; NULL: none is there. */
static char *in_folder(const char *folder, const char *below, const char *stem)
{
	static const char *const suffixes[] = { "yaml", "yml", "json" };
	char *path;

	if (!folder || !*folder)
		return NULL;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		if (asprintf(&path, "%s%s/%s.%s", folder, below, stem, suffixes[i]) < 0)
			return NULL;
		if (readable(path))
			return path;
		free(path);
	}
	return NULL;
}

char *openstack_file_find(const struct openstack_places *p, const char *stem)
{
	char *found;

	if (p->named && *p->named && readable(p->named))
		return strdup(p->named);
	found = in_folder(".", "", stem);
	if (!found)
		found = in_folder(p->config_home, "/openstack", stem);
	if (!found)
		found = in_folder(p->home, "/.config/openstack", stem);
	if (!found)
		found = in_folder("/etc/xdg/openstack", "", stem);
	return found ? found : in_folder("/etc/openstack", "", stem);
}
