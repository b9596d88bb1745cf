/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads tracefs. */
#include "capture/host/tracefs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/system/procfs.h"
#include "capture/host/permit.h"

#define FILE_MAX (64u << 20) /* printk_formats of a large kernel has 1 MiB */

char *tracefs_read(const char *path, size_t *len)
{
	struct buf b = { 0 };
	int rc = procfs_read(AT_FDCWD, path, &b, FILE_MAX);

	if (rc) {
		buf_fini(&b);
		errno = -rc;
		return NULL;
	}
	if (len)
		*len = b.len;
	return (char *)b.data;
}

static int not_readable(const char *path, struct cdict_error *err)
{
	char setcap[PATH_MAX + 80];

	if (permit_in_user_namespace())
		return cdict_fail(err, -EACCES, CDICT_NO_OFFSET,
				  "%s cannot be read in a user namespace (rootless container, "
				  "unshare -U): record outside it",
				  path);
	return cdict_fail(err, -EACCES, CDICT_NO_OFFSET,
			  "%s cannot be read: run as root, or as root run %s", path,
			  permit_setcap(setcap, sizeof(setcap)));
}

/* Finds a mount of @type in @mounts, the lines of /proc/mounts. */
static bool mounted(const char *mounts, const char *type, const char *below, char *out, size_t size)
{
	char at[PATH_MAX], fs[64];

	for (const char *line = mounts; line; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (sscanf(line, "%*s %4095s %63s", at, fs) == 2 && !strcmp(fs, type))
			return (size_t)snprintf(out, size, "%s%s", at, below) < size;
	}
	return false;
}

int tracefs_find(char *out, size_t size, struct cdict_error *err)
{
	char events[PATH_MAX + 16], *mounts = tracefs_read("/proc/mounts", NULL);
	bool found;
	DIR *dir;

	if (!mounts && errno == ENOMEM)
		return cdict_fail_nomem(err);
	/* debugfs contains another tracefs */
	found = mounted(mounts, "tracefs", "", out, size) ||
		mounted(mounts, "debugfs", "/tracing", out, size);
	free(mounts);
	if (!found)
		return cdict_fail(err, -ENOENT, CDICT_NO_OFFSET,
				  "tracefs is not mounted: as root, run "
				  "mount -t tracefs nodev /sys/kernel/tracing");
	snprintf(events, sizeof(events), "%s/events", out);
	dir = opendir(events);
	if (!dir && (errno == EACCES || errno == EPERM))
		return not_readable(events, err);
	if (!dir && errno == ENOMEM)
		return cdict_fail_nomem(err);
	if (!dir)
		return cdict_fail(err, -errno, CDICT_NO_OFFSET, "%s: %s", events, strerror(errno));
	closedir(dir);
	return 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether it is a directory; names that begin with "." are not. */
static bool is_folder(const struct dirent *d)
{
	return d->d_name[0] != '.' && (d->d_type == DT_DIR || d->d_type == DT_UNKNOWN);
}

static int add_system(struct texts *names, const char *root, const char *system, const char *glob)
{
	char path[PATH_MAX];
	struct dirent *d;
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/events/%s", root, system);
	dir = opendir(path);
	if (!dir && errno == ENOMEM)
		return -ENOMEM;
	/* Skip the files "enable" and "filter"; a system may vanish with its module. */
	while (dir && !ret && (d = readdir(dir))) {
		char *name;

		if (!is_folder(d))
			continue;
		if (asprintf(&name, "%s:%s", system, d->d_name) < 0) {
			ret = -ENOMEM;
			break;
		}
		if (!fnmatch(glob, name, FNM_NOESCAPE))
			ret = texts_take(names, name);
		else
			free(name);
	}
	if (dir)
		closedir(dir);
	return ret;
}

int tracefs_names(struct texts *names, const char *root, const char *glob, struct cdict_error *err)
{
	char path[PATH_MAX], system_glob[256];
	size_t system_len = strcspn(glob, ":");
	struct dirent *d;
	int ret = 0;
	DIR *dir;

	snprintf(path, sizeof(path), "%s/events", root);
	snprintf(system_glob, sizeof(system_glob), "%.*s", (int)system_len, glob);
	dir = opendir(path);
	if (!dir)
		return cdict_fail(err, -errno, CDICT_NO_OFFSET, "%s: %s", path, strerror(errno));
	while (!ret && (d = readdir(dir)))
		/* ftrace's own events are not tracepoints */
		if (is_folder(d) && strcmp(d->d_name, "ftrace") &&
		    !fnmatch(system_glob, d->d_name, FNM_NOESCAPE))
			ret = add_system(names, root, d->d_name, glob);
	closedir(dir);
	if (ret)
		return cdict_fail_nomem(err);
	if (names->n)
		qsort(names->at, names->n, sizeof(*names->at), by_name);
	return 0;
}

int tracefs_format(const char *root, const char *system, const char *event, char **text,
		   size_t *len, uint32_t *id, struct cdict_error *err)
{
	char path[PATH_MAX];
	const char *line;

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", root, system, event);
	*text = tracefs_read(path, len);
	if (!*text && (errno == EACCES || errno == EPERM))
		return not_readable(path, err);
	if (!*text)
		return cdict_fail(err, -errno, CDICT_NO_OFFSET, "%s: %s", path, strerror(errno));
	line = strstr(*text, "\nID: ");
	*id = line ? (uint32_t)strtoul(line + 5, NULL, 10) : 0;
	if (*id)
		return 0;
	free(*text);
	*text = NULL;
	return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET, "%s has no ID line", path);
}

char *tracefs_strings(const char *root)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/printk_formats", root);
	return tracefs_read(path, NULL);
}
