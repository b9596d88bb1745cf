/* SPDX-License-Identifier: LGPL-2.1-only */
/* An output file that appears whole, or not at all. */
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"

struct outfile {
	int fd;
	bool is_stdout;
	char *shown;  /* as the user called it */
	char *target; /* where it will be, symbolic links followed */
	char *temp;   /* NULL: written directly */
	uint64_t bytes;
	int error; /* of the first failed write */
};

static void destroy(struct outfile *of)
{
	free(of->shown);
	free(of->target);
	free(of->temp);
	free(of);
}

/* Follows symbolic links in the last component, also to what is not there yet.
 * Given; NULL with errno set. */
static char *follow(const char *path)
{
	char *now = strdup(path), link[PATH_MAX];

	for (int depth = 0; now && depth < 40; depth++) {
		ssize_t n = readlink(now, link, sizeof(link) - 1);
		char *slash, *next;

		if (n < 0)
			return now;
		link[n] = '\0';
		slash = strrchr(now, '/');
		if (link[0] == '/' || !slash) {
			next = strdup(link);
		} else if (asprintf(&next, "%.*s/%s", (int)(slash - now), now, link) < 0) {
			next = NULL;
		}
		free(now);
		now = next;
	}
	if (now)
		errno = ELOOP;
	free(now);
	return NULL;
}

static uint64_t random_bits(void)
{
	struct timespec ts;
	uint64_t v;

	if (getrandom(&v, sizeof(v), GRND_NONBLOCK) == (ssize_t)sizeof(v))
		return v;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_nsec << 20 ^ (uint64_t)getpid();
}

/* Opens "<directory>/.<name>.<random>"; O_EXCL, so nobody can have laid a link there. */
static int open_temporary(struct outfile *of, mode_t mode)
{
	const char *slash = strrchr(of->target, '/');
	int dir_len = slash ? (int)(slash - of->target) + 1 : 0;
	const char *name = of->target + dir_len;

	for (int tries = 0; tries < 100; tries++) {
		/* NAME_MAX is 255 bytes: leave room for the suffix */
		if (asprintf(&of->temp, "%.*s.%.200s.%08x", dir_len, of->target, name,
			     (unsigned)random_bits()) < 0) {
			of->temp = NULL;
			errno = ENOMEM;
			return -1;
		}
		of->fd = open(of->temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (of->fd >= 0)
			return 0;
		free(of->temp);
		of->temp = NULL;
		if (errno != EEXIST)
			return -1;
	}
	return -1;
}

/* The new file takes the place of @old: same owner where allowed, same mode. */
static void inherit(int fd, const struct stat *old)
{
	struct stat now;
	mode_t mode = old->st_mode & 0777;

	if (fstat(fd, &now))
		return;
	if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
	    fchown(fd, old->st_uid, old->st_gid) && fchown(fd, (uid_t)-1, old->st_gid))
		mode &= ~(mode_t)070; /* another group must not gain what the old one had */
	if (fchmod(fd, mode))
		return;
}

bool outfile_is_direct(const char *path, const struct stat *st)
{
	/* /dev/stdout, /proc/self/fd/1: the name stands for an open file */
	if (!strncmp(path, "/dev/", 5) || !strncmp(path, "/proc/", 6))
		return true;
	return !S_ISREG(st->st_mode);
}

int outfile_open(struct outfile **out, const char *path, struct cdict_error *err)
{
	struct outfile *of = calloc(1, sizeof(*of));
	struct stat old;
	bool exists;
	int rc;

	*out = NULL;
	if (!of || !(of->shown = strdup(path))) {
		free(of);
		return cdict_fail_nomem(err);
	}
	of->fd = -1;
	if (!strcmp(path, "-")) {
		of->fd = STDOUT_FILENO;
		of->is_stdout = true;
		*out = of;
		return 0;
	}
	exists = !stat(path, &old);
	if (exists && S_ISDIR(old.st_mode)) {
		rc = cdict_fail(err, -EISDIR, CDICT_NO_OFFSET, "is a directory");
		goto fail;
	}
	if (exists && outfile_is_direct(path, &old)) {
		of->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		if (of->fd < 0)
			goto fail_errno;
		*out = of;
		return 0;
	}
	if (exists && access(path, W_OK)) /* a rename would not ask */
		goto fail_errno;
	of->target = follow(path);
	if (of->target && (!*of->target || of->target[strlen(of->target) - 1] == '/')) {
		errno = *of->target ? EISDIR : ENOENT;
		goto fail_errno;
	}
	if (!of->target || open_temporary(of, 0666))
		goto fail_errno;
	if (exists)
		inherit(of->fd, &old);
	*out = of;
	return 0;

fail_errno:
	rc = -errno;
	cdict_fail(err, rc, CDICT_NO_OFFSET, "cannot be written: %s", strerror(-rc));
fail:
	destroy(of);
	return rc;
}

int outfile_write_all(int fd, const void *data, size_t size, uint64_t *bytes)
{
	struct pollfd wait = { .fd = fd, .events = POLLOUT };

	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EAGAIN) /* the reader of our pipe made it so */
			poll(&wait, 1, -1);
		else if (n < 0 && errno != EINTR)
			return -errno;
		if (n < 0)
			continue;
		data = (const uint8_t *)data + n;
		size -= (size_t)n;
		*bytes += (uint64_t)n;
	}
	return 0;
}

int outfile_write(void *ctx, const void *data, size_t size)
{
	struct outfile *of = ctx;

	if (!of->error)
		of->error = outfile_write_all(of->fd, data, size, &of->bytes);
	return of->error;
}

uint64_t outfile_bytes(const struct outfile *of)
{
	return of->bytes;
}

const char *outfile_temporary(const struct outfile *of)
{
	return of->temp;
}

int outfile_commit(struct outfile *of, bool sync, struct cdict_error *err)
{
	int rc = of->error;

	if (!rc && sync && of->temp && fsync(of->fd))
		rc = -errno;
	/* a full disk on NFS shows only here */
	if (!of->is_stdout && close(of->fd) && !rc)
		rc = -errno;
	if (!rc && of->temp && rename(of->temp, of->target))
		rc = -errno;
	if (rc && of->temp)
		unlink(of->temp);
	if (rc)
		cdict_fail(err, rc, CDICT_NO_OFFSET, "cannot be written: %s", strerror(-rc));
	destroy(of);
	return rc;
}

void outfile_abort(struct outfile *of)
{
	if (!of)
		return;
	if (!of->is_stdout)
		close(of->fd);
	if (of->temp)
		unlink(of->temp);
	destroy(of);
}
