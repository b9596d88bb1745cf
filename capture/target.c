/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of a recording. */
#include "capture/target.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/outfile.h"

/* Reserved at a time. */
#define RESERVE_AHEAD ((uint64_t)4 << 20)

struct target {
	int fd;
	bool is_stdout, direct, shown;
	char *path; /* symbolic links followed */
	char *temp; /* NULL: the file has no name yet */
	uint64_t bytes, mark;
	uint64_t reserved; /* up to there; 0: nothing */
	bool cannot_reserve;
};

static void destroy(struct target *t)
{
	free(t->path);
	free(t->temp);
	free(t);
}

static int cannot(struct cdict_error *err, int code)
{
	return cdict_fail(err, code, CDICT_NO_OFFSET, "cannot be written: %s", strerror(-code));
}

/* "dir" of "dir/name", "." of "name". Given. */
static char *folder_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (!slash)
		return strdup(".");
	return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

static int open_unnamed(struct target *t)
{
	char *folder = folder_of(t->path);
	int ret = 0;

	if (!folder)
		return -ENOMEM;
	t->fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
	/* Some file systems (NFS, older kernels' overlays) have no such files. */
	if (t->fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR || errno == EINVAL)) {
		if (asprintf(&t->temp, "%s.%d.tmp", t->path, (int)getpid()) < 0)
			t->temp = NULL;
		else
			t->fd = open(t->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	}
	if (t->fd < 0)
		ret = -errno;
	free(folder);
	return ret;
}

int target_open(struct target **out, const char *path, struct cdict_error *err)
{
	struct target *t = calloc(1, sizeof(*t));
	bool exists, special;
	struct stat st;
	int ret = 0;

	*out = NULL;
	if (!t)
		return cdict_fail_nomem(err);
	t->fd = -1;
	if (!strcmp(path, "-")) {
		t->fd = STDOUT_FILENO;
		t->is_stdout = t->direct = t->shown = true;
		*out = t;
		return 0;
	}
	exists = !stat(path, &st);
	special = exists && outfile_is_direct(path, &st);
	if (exists && S_ISDIR(st.st_mode)) {
		destroy(t);
		return cdict_fail(err, -EISDIR, CDICT_NO_OFFSET, "is a directory");
	}
	if (special) {
		t->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		ret = t->fd < 0 ? -errno : 0;
		t->direct = t->shown = true;
	} else {
		t->path = exists ? realpath(path, NULL) : strdup(path);
		ret = t->path ? open_unnamed(t) : -errno;
	}
	if (ret) {
		destroy(t);
		return cannot(err, ret);
	}
	*out = t;
	return 0;
}

int target_write(void *target, const void *data, size_t size)
{
	struct target *t = target;

	return outfile_write_all(t->fd, data, size, &t->bytes);
}

/* ulimit -f: no space to reserve, and yet an end. */
static bool is_allowed(uint64_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	       bytes <= limit.rlim_cur;
}

/* Up to @until; the size of the file stays. */
static int reserve(struct target *t, uint64_t until)
{
	uint64_t from = t->reserved > t->bytes ? t->reserved : t->bytes;
	int ret;

	do
		ret = fallocate(t->fd, FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(until - from));
	while (ret && errno == EINTR);
	if (ret)
		return -errno;
	t->reserved = until;
	return 0;
}

int target_reserve(struct target *t, uint64_t bytes)
{
	uint64_t until = t->bytes + bytes;
	int ret;

	if (t->direct)
		return 0;
	if (!is_allowed(until))
		return -EFBIG;
	if (t->cannot_reserve || until <= t->reserved)
		return 0;
	/* A call for each block would cost more than it takes to write some. */
	if (!reserve(t, until + RESERVE_AHEAD))
		return 0;
	ret = reserve(t, until);
	if (!ret || ret == -ENOSPC || ret == -EDQUOT || ret == -EFBIG)
		return ret;
	t->cannot_reserve = true;
	return 0;
}

/* NAME -> NAME.old, when there is one; then it is in *@old. */
static int keep_old(const char *path, char **old)
{
	int ret = 0;

	if (asprintf(old, "%s.old", path) < 0) {
		*old = NULL;
		return -ENOMEM;
	}
	if (rename(path, *old)) {
		ret = errno == ENOENT ? 0 : -errno;
		free(*old);
		*old = NULL;
	}
	return ret;
}

int target_show(struct target *t, struct cdict_error *err)
{
	char self[64], *old;
	int ret;

	target_mark(t);
	if (t->shown)
		return 0;
	ret = keep_old(t->path, &old);
	if (!ret && t->temp)
		ret = rename(t->temp, t->path) ? -errno : 0;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", t->fd);
	if (!ret && !t->temp)
		ret = linkat(AT_FDCWD, self, AT_FDCWD, t->path, AT_SYMLINK_FOLLOW) ? -errno : 0;
	if (ret && old) /* what was there is there again */
		rename(old, t->path);
	free(old);
	if (ret)
		return cannot(err, ret);
	t->shown = true;
	return 0;
}

bool target_shown(const struct target *t)
{
	return t->shown;
}

void target_mark(struct target *t)
{
	t->mark = t->bytes;
}

void target_trim(struct target *t)
{
	if (!t->direct && !ftruncate(t->fd, (off_t)t->mark) &&
	    lseek(t->fd, (off_t)t->mark, SEEK_SET) >= 0)
		t->bytes = t->mark, t->reserved = 0;
}

uint64_t target_bytes(const struct target *t)
{
	return t->bytes;
}

/* Who reads it sees its end; what else is written there goes nowhere. */
static void give_up_stdout(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0)
		return;
	dup2(null, STDOUT_FILENO);
	close(null);
}

int target_close(struct target *t, struct cdict_error *err)
{
	int ret = 0;

	if (!t)
		return 0;
	if (t->reserved > t->bytes && ftruncate(t->fd, (off_t)t->bytes))
		ret = -errno;
	if (t->is_stdout)
		give_up_stdout();
	else if (t->fd >= 0 && close(t->fd) && !ret)
		ret = -errno;
	if (!t->shown && t->temp)
		unlink(t->temp);
	destroy(t);
	return ret ? cannot(err, ret) : 0;
}
