/* SPDX-License-Identifier: LGPL-2.1-only */
/* Resolves the name of an output. */
#include "base/system/place.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cdict/error.h"

#define LINKS_MAX 40 /* as the kernel */

static bool id_of(const char *name, uint32_t *value)
{
	const char *text = getenv(name);
	unsigned long long v;
	char *end;

	if (!text || *text < '0' || *text > '9')
		return false;
	errno = 0;
	v = strtoull(text, &end, 10);
	*value = (uint32_t)v;
	return !*end && !errno && v < UINT32_MAX; /* the last id means "no change": chown(2) */
}

int place_sudo(uid_t *uid, gid_t *gid)
{
	uint32_t u, g;

	if (geteuid() || !id_of("SUDO_UID", &u) || !id_of("SUDO_GID", &g))
		return 0;
	*uid = (uid_t)u;
	*gid = (gid_t)g;
	return 1;
}

static bool is_us(uid_t owner)
{
	uid_t uid;
	gid_t gid;

	return !owner || owner == geteuid() || (place_sudo(&uid, &gid) && owner == uid);
}

bool place_is_strange(const struct place *p, const struct stat *made)
{
	struct stat dir;

	if (is_us(made->st_uid))
		return false;
	if (fstat(p->dir, &dir))
		return true;
	/* The owner of a directory may put links into it; but another user's link must not redirect root. */
	if (made->st_uid == dir.st_uid && geteuid())
		return false;
	return dir.st_mode & (S_IWGRP | S_IWOTH) || !is_us(dir.st_uid);
}

int place_stat(const struct place *p, const char *name, struct stat *st)
{
	if (!fstatat(p->dir, name, st, AT_SYMLINK_NOFOLLOW))
		return 0;
	return errno == ENOENT ? 1 : -errno;
}

static int enter(struct place *p, const char *name)
{
	int next = openat(p->dir, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (next < 0)
		return -errno;
	if (p->dir >= 0)
		close(p->dir);
	p->dir = next;
	return 0;
}

/* /proc/self/fd: its names are open files, used with their shared position. */
static bool holds_our_files(const struct place *p)
{
	struct stat here, ours;

	return !fstat(p->dir, &here) && !stat("/proc/self/fd", &ours) &&
	       here.st_dev == ours.st_dev && here.st_ino == ours.st_ino;
}

/* Sets *@path to the target of link @name, followed by @rest. */
static int follow(struct place *p, const char *name, const struct stat *st, const char *rest,
		  char **path)
{
	char to[PATH_MAX];
	ssize_t n;
	char *next;

	if (place_is_strange(p, st))
		return CDICT_ELIMIT;
	n = readlinkat(p->dir, name, to, sizeof(to) - 1);
	if (n < 0)
		return -errno;
	to[n] = '\0';
	if (asprintf(&next, "%s%s", to, rest) < 0)
		return -ENOMEM;
	free(*path);
	*path = next;
	if (!*next)
		return -ENOENT;
	return *next == '/' ? enter(p, "/") : 0;
}

/* Resolves one component of *@path; 1 when it was the last. Makes missing directories with mode @make; 0: does not. */
static int step(struct place *p, char **path, int *links, mode_t make)
{
	char *name = *path + strspn(*path, "/"), *rest = name + strcspn(name, "/"), *copy;
	struct stat st;
	bool last = !*rest;
	int ret;

	if (!*name) /* "/", "x/" */
		return -EISDIR;
	copy = strndup(name, (size_t)(rest - name));
	if (!copy)
		return -ENOMEM;
	ret = place_stat(p, copy, &st);
	if (!ret && S_ISLNK(st.st_mode)) {
		if (last && holds_our_files(p)) {
			p->fd = fcntl(atoi(copy), F_DUPFD_CLOEXEC, 3);
			ret = p->fd < 0 ? -errno : 1;
		} else {
			ret = (*links)++ < LINKS_MAX ? follow(p, copy, &st, rest, path) : -ELOOP;
		}
	} else if (last && ret >= 0) {
		p->name = copy;
		return 1;
	} else if (ret >= 0) {
		rest += strspn(rest, "/");
		/* EEXIST: another process made it meanwhile */
		if (ret && make && (!mkdirat(p->dir, copy, make) || errno == EEXIST))
			ret = 0;
		else if (ret && make)
			ret = -errno;
		if (ret >= 0)
			ret = !ret ? enter(p, copy) : *rest ? -ENOENT : -EISDIR;
		memmove(*path, rest, strlen(rest) + 1);
	}
	free(copy);
	return ret;
}

/* Takes @left. */
static int walk(struct place *p, char *left, mode_t make)
{
	int ret = left ? 0 : -ENOMEM, links = 0;

	*p = (struct place){ .dir = -1, .fd = -1 };
	if (!ret && !*left)
		ret = -ENOENT;
	if (!ret) {
		p->dir = open(*left == '/' ? "/" : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
		ret = p->dir < 0 ? -errno : 0;
	}
	while (!ret)
		ret = step(p, &left, &links, make);
	free(left);
	if (ret < 0)
		place_fini(p);
	return ret < 0 ? ret : 0;
}

int place_find(struct place *p, const char *path)
{
	return walk(p, strdup(path), 0);
}

int place_folder(const char *path, mode_t make)
{
	struct place p;
	char *left = NULL;
	int ret;

	if (!*path)
		return -ENOENT;
	ret = asprintf(&left, "%s/.", path) < 0 ? -ENOMEM : walk(&p, left, make);
	if (ret)
		return ret;
	ret = openat(p.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ret = ret < 0 ? -errno : ret;
	place_fini(&p);
	return ret;
}

const char *place_strerror(int code)
{
	return code == CDICT_ELIMIT
		       ? "refusing to follow another user's link in a directory that others can write: "
			 "name the directory that it leads to"
		       : cdict_strerror(code);
}

void place_fini(struct place *p)
{
	if (p->dir >= 0)
		close(p->dir);
	free(p->name);
	*p = (struct place){ .dir = -1, .fd = -1 };
}
