/* SPDX-License-Identifier: LGPL-2.1-only */
/* outdir.c - see outdir.h. */
#include "base/system/outdir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/system/monotonic.h"
#include "base/system/place.h"

/* Levels of folders below the folder. */
enum { DEPTH = 4 };

struct outdir {
	struct place place;
	char temporary[NAME_MAX + 1]; /* in place.dir */
	int fd;                       /* of it */
};

static int find(struct place *p, const char *path, struct cdict_error *err)
{
	char *name = strdup(path);
	size_t len = name ? strlen(name) : 0;
	int rc;

	if (!name)
		return cdict_fail_nomem(err);
	while (len > 1 && name[len - 1] == '/')
		name[--len] = 0;
	rc = place_find(p, name);
	free(name);
	if (rc)
		return cdict_fail(err, rc, CDICT_NO_OFFSET, "%s", place_strerror(rc));
	if (p->name && strcmp(p->name, ".") && strcmp(p->name, ".."))
		return 0;
	place_fini(p);
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "'%s' is not the name of a new folder", path);
}

/* 1: exists and is empty, 0: does not exist. */
static int is_free(const struct place *p, const char *path, struct cdict_error *err)
{
	int fd = openat(p->dir, p->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const struct dirent *e;
	bool empty = true;
	DIR *dir;

	if (fd < 0 && errno == ENOENT)
		return 0;
	if (fd < 0 && errno == ENOTDIR)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "'%s' exists and is not a folder", path);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		int rc = cdict_fail_errno(err, NULL);

		if (fd >= 0)
			close(fd);
		return rc;
	}
	while (empty && (e = readdir(dir)) != NULL)
		empty = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
	closedir(dir);
	if (empty)
		return 1;
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "the folder '%s' is not empty; remove it or choose another", path);
}

int outdir_check(const char *path, struct cdict_error *err)
{
	struct place p;
	int rc = find(&p, path, err);

	if (rc)
		return rc;
	rc = is_free(&p, path, err);
	place_fini(&p);
	return rc < 0 ? rc : 0;
}

static int make_hidden(struct outdir *d)
{
	/* leave room for the number */
	int most = NAME_MAX - 32, rc = -1;

	for (unsigned i = 0; i < 100 && rc; i++) {
		snprintf(d->temporary, sizeof(d->temporary), ".%.*s.%x-%llx", most, d->place.name,
			 (unsigned)getpid(), (unsigned long long)(monotonic_ns() + i) & 0xffffff);
		rc = mkdirat(d->place.dir, d->temporary, 0777);
		if (rc && errno != EEXIST)
			return -1;
	}
	return rc;
}

int outdir_open(struct outdir **out, const char *path, struct cdict_error *err)
{
	struct outdir *d = calloc(1, sizeof(*d));
	int rc;

	if (!d)
		return cdict_fail_nomem(err);
	d->fd = -1;
	rc = find(&d->place, path, err);
	if (rc) {
		free(d);
		return rc;
	}
	rc = is_free(&d->place, path, err);
	if (rc >= 0 && make_hidden(d)) {
		rc = cdict_fail_errno(err, NULL);
		*d->temporary = 0;
	}
	if (rc >= 0) {
		d->fd = openat(d->place.dir, d->temporary,
			       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		rc = d->fd < 0 ? cdict_fail_errno(err, NULL) : 0;
	}
	if (rc) {
		outdir_abort(d);
		return rc;
	}
	*out = d;
	return 0;
}

static int make_folders(const struct outdir *d, const char *folder)
{
	char name[PATH_MAX];
	size_t len = strlen(folder);

	if (len >= sizeof(name)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	for (size_t i = 1; i <= len; i++) {
		if (folder[i] && folder[i] != '/')
			continue;
		memcpy(name, folder, i);
		name[i] = 0;
		if (mkdirat(d->fd, name, 0777) && errno != EEXIST)
			return -1;
	}
	return 0;
}

int outdir_file(struct outdir *d, const char *folder, const char *name, struct cdict_error *err)
{
	char path[PATH_MAX];
	int fd = -1;

	if (!make_folders(d, folder) &&
	    (size_t)snprintf(path, sizeof(path), "%s/%s", folder, name) < sizeof(path))
		fd = openat(d->fd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	return fd < 0 ? cdict_fail_errno(err, folder) : fd;
}

int outdir_link(struct outdir *d, const char *name, const char *target, struct cdict_error *err)
{
	return symlinkat(target, d->fd, name) ? cdict_fail_errno(err, name) : 0;
}

static void fini(struct outdir *d)
{
	if (d->fd >= 0)
		close(d->fd);
	place_fini(&d->place);
	free(d);
}

int outdir_commit(struct outdir *d, struct cdict_error *err)
{
	/* an empty folder is replaced, anything else is not */
	int rc = renameat(d->place.dir, d->temporary, d->place.dir, d->place.name)
			 ? cdict_fail_errno(err, NULL)
			 : 0;

	if (rc)
		outdir_remove(d->place.dir, d->temporary);
	fini(d);
	return rc;
}

void outdir_abort(struct outdir *d)
{
	if (!d)
		return;
	if (*d->temporary)
		outdir_remove(d->place.dir, d->temporary);
	fini(d);
}

const char *outdir_temporary(const struct outdir *d, int *dir)
{
	*dir = d->place.dir;
	return d->temporary;
}

/* Only system calls: opendir() allocates memory. */
static void remove_tree(int dir, const char *name, unsigned depth)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	union {
		struct dirent64 align;
		char bytes[4096];
	} room;
	long n;

	if (fd < 0)
		return;
	while ((n = syscall(SYS_getdents64, fd, room.bytes, sizeof(room.bytes))) > 0) {
		long gone = 0;

		for (long at = 0; at < n;) {
			const struct dirent64 *e =
				(const struct dirent64 *)(const void *)(room.bytes + at);

			at += e->d_reclen;
			if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, ".."))
				continue;
			if (unlinkat(fd, e->d_name, 0) && depth)
				remove_tree(fd, e->d_name, depth - 1);
			gone++;
		}
		if (!gone)
			break;
		lseek(fd, 0, SEEK_SET); /* removing may have moved the others */
	}
	close(fd);
	unlinkat(dir, name, AT_REMOVEDIR);
}

void outdir_remove(int dir, const char *name)
{
	remove_tree(dir, name, DEPTH);
}
