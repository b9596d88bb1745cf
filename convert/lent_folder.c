/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads formats from a folder: tracefs' events, or a copy of it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/system/procfs.h"
#include "convert/lent_internal.h"

/* Whether a glob over "system:event" may match events of @system. */
static bool wanted(const struct lent *l, const char *system)
{
	for (size_t i = 0; i < l->n_globs; i++) {
		char glob[256];

		snprintf(glob, sizeof(glob), "%.*s", (int)strcspn(l->globs[i], ":"), l->globs[i]);
		if (!fnmatch(glob, system, 0))
			return true;
	}
	return !l->n_globs && (!strcmp(system, "sched") || !strcmp(system, "kvm"));
}

/* Reads and keeps the text of @path; NULL with *ret 0 when there is no such file. */
static const char *keep_file(struct lent *l, const char *path, size_t *len, int *ret)
{
	struct buf b = { 0 };
	int rc = procfs_read(l->folder, path, &b, LENT_FILE_MAX);

	*len = b.len;
	if (!rc && (l->bytes += b.len) > LENT_BYTES_MAX)
		rc = CDICT_ELIMIT;
	if (!rc && b.len && b.len < LENT_FILE_MAX && !memchr(b.data, 0, b.len)) {
		*ret = texts_take(&l->texts, (char *)b.data);
		return *ret ? NULL : l->texts.at[l->texts.n - 1];
	}
	buf_fini(&b);
	*ret = rc == -ENOMEM || rc == CDICT_ELIMIT ? rc : 0;
	return NULL;
}

static int add_file(struct lent *l, const char *path, const char *system, size_t system_len)
{
	const char *text, *name;
	size_t len;
	int ret;

	if (++l->files > LENT_FORMATS_MAX)
		return CDICT_ELIMIT;
	text = keep_file(l, path, &len, &ret);
	if (!text)
		return ret;
	/* Events of a system are consecutive: its name is stored once for all of them. */
	name = l->formats.n ? l->formats.at[l->formats.n - 1].format.system : "";
	if (l->sorted || strlen(name) != system_len || strncmp(name, system, system_len)) {
		if (texts_printf(&l->texts, "%.*s", (int)system_len, system))
			return -ENOMEM;
		name = l->texts.at[l->texts.n - 1];
	}
	return lent_add(l, name, text, len);
}

/* Adds SYSTEM/EVENT/format. */
static int add_system(struct lent *l, const char *system)
{
	int fd = openat(l->folder, system, O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	char path[2 * NAME_MAX + 16];
	struct dirent *d;

	if (!dir) {
		ret = errno == ENOMEM ? -ENOMEM : 0;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (d = readdir(dir))) {
		if (d->d_name[0] == '.' || (d->d_type != DT_DIR && d->d_type != DT_UNKNOWN))
			continue;
		snprintf(path, sizeof(path), "%s/%s/format", system, d->d_name);
		ret = add_file(l, path, system, strlen(system));
	}
	closedir(dir);
	return ret;
}

/* "sched.sched_switch.format" -> 5; 0: another kind of name. */
static size_t flat_system(const char *name)
{
	size_t n = strlen(name), system = strcspn(name, ".");

	return n > system + 8 && !strcmp(name + n - 7, ".format") ? system : 0;
}

/* Adds the entries that the globs name, or those that they do not. */
static int add_entries(struct lent *l, bool named)
{
	int fd = openat(l->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret = 0;
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *d;

	if (!dir) {
		ret = -errno;
		if (fd >= 0)
			close(fd);
		return ret;
	}
	while (!ret && (d = readdir(dir))) {
		size_t flat = flat_system(d->d_name);
		char system[NAME_MAX + 1];

		if (d->d_name[0] == '.')
			continue;
		snprintf(system, sizeof(system), "%.*s", flat ? (int)flat : (int)sizeof(system) - 1,
			 d->d_name);
		if (wanted(l, system) != named)
			continue;
		if (flat)
			ret = add_file(l, d->d_name, d->d_name, flat);
		else if (d->d_type == DT_DIR || d->d_type == DT_UNKNOWN || d->d_type == DT_LNK)
			ret = add_system(l, d->d_name);
	}
	closedir(dir);
	return ret;
}

static int fail(int code, struct cdict_error *err)
{
	if (code == -ENOMEM)
		return cdict_fail_nomem(err);
	if (code == CDICT_ELIMIT)
		return cdict_fail(err, code, CDICT_NO_OFFSET,
				  "is too large for a folder of format files: more than %u files "
				  "or %u MiB",
				  LENT_FORMATS_MAX, LENT_BYTES_MAX >> 20);
	return code ? cdict_fail(err, code, CDICT_NO_OFFSET, "%s", strerror(-code)) : 0;
}

/* The number after @key on the line that has @field. */
static unsigned long number_of(const char *text, const char *field, const char *key)
{
	const char *at = strstr(text, field), *nl = at ? strchr(at, '\n') : NULL;

	at = at ? strstr(at, key) : NULL;
	return at && (!nl || at < nl) ? strtoul(at + strlen(key), NULL, 10) : 0;
}

/* The kernel's sizes of long and page: header_page has both, the formats have the first. */
static void read_sizes(struct lent *l, const char *header_page)
{
	unsigned long size = 0, page = 0;

	if (header_page) {
		size = number_of(header_page, "field: local_t commit;", "size:");
		page = number_of(header_page, "field: char data;", "offset:") +
		       number_of(header_page, "field: char data;", "size:");
	}
	for (size_t i = 0; i < l->formats.n && !size; i++)
		size = number_of(l->formats.at[i].format.text, "field:unsigned long ", "size:");
	if (size == 4 || size == 8)
		l->long_size = (int)size;
	if (page >= 1024 && page <= 1u << 20 && !(page & (page - 1)))
		l->page_size = (uint32_t)page;
}

int lent_folder(struct lent *l, struct cdict_error *err)
{
	int events = openat(l->folder, "events", O_RDONLY | O_DIRECTORY | O_CLOEXEC), ret;
	const char *header_page;
	size_t len;

	if (events >= 0) { /* a tracefs mount */
		close(l->folder);
		l->folder = events;
	}
	ret = add_entries(l, true);
	if (!ret && !l->formats.n) {
		l->all = true;
		ret = add_entries(l, false);
	}
	header_page = ret ? NULL : keep_file(l, "header_page", &len, &ret);
	if (!ret)
		read_sizes(l, header_page);
	if (!ret) /* next to the folder; an empty one counts as missing */
		l->printk = keep_file(l, "../printk_formats", &len, &ret);
	if (!ret && !l->formats.n)
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				  "has no format files: expected SYSTEM/EVENT/format, as in "
				  "/sys/kernel/tracing/events, or SYSTEM.EVENT.format");
	return fail(ret, err);
}

int lent_folder_rest(struct lent *l, struct cdict_error *err)
{
	if (l->all)
		return 0;
	l->all = true;
	return fail(add_entries(l, false), err);
}
