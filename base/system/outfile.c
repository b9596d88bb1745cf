/* SPDX-License-Identifier: LGPL-2.1-only */
/* An output file that appears whole or not at all, and destroys nothing. */
#include "base/system/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "base/system/place.h"

struct outfile {
	struct outfile_options opts; /* without inputs */
	ARRAY(struct stat) inputs;
	struct place at;
	int fd;
	bool is_stdout, direct, shown;
	bool is_new;           /* the name does not exist yet */
	bool keep_old;         /* the existing file is kept as NAME.old */
	struct stat old;       /* of the existing file */
	char *temp, *old_name; /* in the directory; NULL: none */
	char *temp_path;       /* path of @temp, for signal handlers that remove it */
	uint64_t bytes;
	int error; /* of the first failed write */
};

static void destroy(struct outfile *of)
{
	place_fini(&of->at);
	array_fini(&of->inputs);
	free(of->temp);
	free(of->temp_path);
	free(of->old_name);
	free(of);
}

/* ---- what may be replaced ---- */

static bool same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Character devices (terminals, /dev/null) may be both input and output. */
static int stat_inputs(struct outfile *of, const struct outfile_options *opts)
{
	struct stat in;

	for (size_t i = 0; i < opts->n_inputs; i++) {
		const char *path = opts->inputs[i];

		if (strcmp(path, "-") ? stat(path, &in) : fstat(STDIN_FILENO, &in))
			continue;
		if (!S_ISCHR(in.st_mode) && array_push(&of->inputs, in))
			return -ENOMEM;
	}
	return 0;
}

/* Whether @st is an input, or would be a file inside an input directory. */
static bool is_input(const struct outfile *of, const struct stat *st)
{
	struct stat dir;
	bool have_dir = of->at.dir >= 0 && !fstat(of->at.dir, &dir);

	for (size_t i = 0; i < of->inputs.n; i++) {
		const struct stat *in = &of->inputs.at[i];

		if ((st && same(st, in)) || (have_dir && S_ISDIR(in->st_mode) && same(&dir, in)))
			return true;
	}
	return false;
}

/* Whether the existing file @fd may be replaced: enum outfile_may or a negative code. */
static int check_replaceable(const struct outfile *of, int fd, struct cdict_error *err)
{
	const struct outfile_there what = { .fd = fd, .dir = of->at.dir, .name = of->at.name };
	int may = of->opts.capture ? OUTFILE_KEEP_OLD : OUTFILE_REPLACE;

	if (!of->opts.capture && of->opts.there)
		may = of->opts.there(&what, of->opts.there_ctx, err);
	if (may < 0 || may == OUTFILE_REFUSE)
		return may < 0 ? may : -EEXIST;
	if (flock(fd, LOCK_SH | LOCK_NB) && errno == EWOULDBLOCK)
		return cdict_fail(err, -EBUSY, CDICT_NO_OFFSET,
				  "is being written by another process");
	return may;
}

static int fail_same_file(const struct outfile *of, const char *what, struct cdict_error *err)
{
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "%s%s is both input and output",
			  of->opts.path, what);
}

static int fail_write(struct cdict_error *err, int code)
{
	if (code == CDICT_ELIMIT)
		return cdict_fail(err, -EPERM, CDICT_NO_OFFSET,
				  "refusing to follow another user's link or special file in a "
				  "directory that others can write");
	return cdict_fail(err, code, CDICT_NO_OFFSET, "cannot be written: %s",
			  cdict_strerror(code));
}

/* Checks NAME.old, the name that the existing file will get. */
static int check_old_name(struct outfile *of, struct cdict_error *err)
{
	struct stat st;
	int ret;

	free(of->old_name);
	of->old_name = NULL;
	if (!of->keep_old || of->is_new || !of->old.st_size)
		return 0;
	if (asprintf(&of->old_name, "%s.old", of->at.name) < 0) {
		of->old_name = NULL;
		return cdict_fail_nomem(err);
	}
	ret = place_stat(&of->at, of->old_name, &st);
	if (!ret && S_ISDIR(st.st_mode))
		ret = -EISDIR;
	if (!ret && is_input(of, &st))
		return fail_same_file(of, ".old, the backup of the old file,", err);
	return ret < 0 ? cdict_fail(err, ret, CDICT_NO_OFFSET, "cannot be kept as %s: %s",
				    of->old_name, strerror(-ret))
		       : 0;
}

/* Checks the existing file under the name; repeated before it is replaced. */
static int check_target(struct outfile *of, struct cdict_error *err)
{
	int ret = place_stat(&of->at, of->at.name, &of->old), fd;

	of->is_new = ret == 1;
	if (ret < 0)
		return fail_write(err, ret);
	if (!of->is_new && S_ISDIR(of->old.st_mode))
		return cdict_fail(err, -EISDIR, CDICT_NO_OFFSET, "is a directory");
	if (is_input(of, of->is_new ? NULL : &of->old))
		return fail_same_file(of, "", err);
	if (of->is_new)
		return 0;
	of->direct = !S_ISREG(of->old.st_mode);
	if (of->direct)
		return S_ISFIFO(of->old.st_mode) && place_is_strange(&of->at, &of->old)
			       ? fail_write(err, CDICT_ELIMIT)
			       : 0;
	if (faccessat(of->at.dir, of->at.name, W_OK, AT_EACCESS)) /* rename() does not check this */
		return fail_write(err, -errno);
	/* A file that is writable but not readable cannot be checked further. */
	of->keep_old = of->opts.capture;
	fd = openat(of->at.dir, of->at.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd >= 0) {
		ret = check_replaceable(of, fd, err);
		of->keep_old = ret == OUTFILE_KEEP_OLD;
		close(fd);
	}
	return ret < 0 ? ret : check_old_name(of, err);
}

/* ---- the file without a name ---- */

static uint32_t random_bits(void)
{
	struct timespec ts;
	uint32_t v;

	if (getrandom(&v, sizeof(v), GRND_NONBLOCK) == (ssize_t)sizeof(v))
		return v;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint32_t)ts.tv_nsec ^ (uint32_t)getpid() << 12;
}

/* A hidden name beside the final one: given, NULL when out of memory. NAME_MAX is 255 bytes. */
static char *hidden_name(const struct outfile *of)
{
	char *name;

	return asprintf(&name, ".%.200s.%08x", of->at.name, random_bits()) < 0 ? NULL : name;
}

/* @name with the path of its directory. */
static char *path_of(const struct outfile *of, const char *name)
{
	char link[64], dir[PATH_MAX], *path;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", of->at.dir);
	n = readlink(link, dir, sizeof(dir) - 1);
	return n < 0 || asprintf(&path, "%.*s/%s", (int)n, dir, name) < 0 ? NULL : path;
}

/* The name by which linkat() finds a file without a name. */
static void self_name(const struct outfile *of, char *name, size_t size)
{
	snprintf(name, size, "/proc/self/fd/%d", of->fd);
}

static int create(struct outfile *of)
{
	mode_t mode = of->opts.capture ? 0600 : 0666;
	char self[64];

	errno = EOPNOTSUPP;
	of->fd = of->opts.named ? -1
				: openat(of->at.dir, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, mode);
	if (of->fd >= 0) {
		self_name(of, self, sizeof(self));
		if (!access(self, F_OK))
			return 0;
		close(of->fd); /* without /proc it cannot be linked later */
	} else if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT) {
		return -errno;
	}
	/* Some file systems (NFS, older overlayfs) do not support O_TMPFILE. O_EXCL: no other user can have placed a
	 * link there. */
	for (int tries = 0; tries < 100; tries++) {
		free(of->temp);
		of->temp = hidden_name(of);
		if (!of->temp)
			return -ENOMEM;
		of->fd = openat(of->at.dir, of->temp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
		if (of->fd >= 0 || errno != EEXIST)
			break;
	}
	if (of->fd >= 0) {
		of->temp_path = path_of(of, of->temp);
		return 0;
	}
	free(of->temp);
	of->temp = NULL;
	return -errno;
}

/* The new file replaces the old one: same mode, and same owner where permitted. */
static void inherit(const struct outfile *of)
{
	const struct stat *old = &of->old;
	mode_t mode = old->st_mode & 0777;
	struct stat now;

	if (fstat(of->fd, &now))
		return;
	if ((now.st_uid != old->st_uid || now.st_gid != old->st_gid) &&
	    fchown(of->fd, old->st_uid, old->st_gid) && fchown(of->fd, (uid_t)-1, old->st_gid))
		mode &= ~(mode_t)070; /* another group must not gain the old group's access */
	if (fchmod(of->fd, mode))
		return;
}

/* The file stays ours if chown() is not permitted. */
static void give_rights(const struct outfile *of)
{
	uid_t uid;
	gid_t gid;

	if (!of->is_new && (of->opts.in_place || !of->opts.capture) &&
	    !place_is_strange(&of->at, &of->old))
		inherit(of);
	else if (place_sudo(&uid, &gid) && fchown(of->fd, uid, gid))
		return;
}

static int open_direct(struct outfile *of, struct cdict_error *err)
{
	struct stat st;
	char self[64];
	int fd, ret;

	of->fd = of->is_stdout ? STDOUT_FILENO : of->at.fd;
	of->at.fd = -1;
	if (of->fd < 0)
		of->fd = openat(of->at.dir, of->at.name,
				O_WRONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW);
	if (of->fd < 0)
		return fail_write(err, -errno);
	of->direct = of->shown = true;
	if (fstat(of->fd, &st) || !S_ISREG(st.st_mode))
		return 0;
	if (is_input(of, &st))
		return fail_same_file(of, "", err);
	self_name(of, self, sizeof(self));
	fd = open(self, O_RDONLY | O_CLOEXEC);
	ret = fd < 0 ? 0 : check_replaceable(of, fd, err);
	if (fd >= 0)
		close(fd);
	return ret < 0 ? ret : 0;
}

/* Fills everything except the file itself. */
static int find_target(struct outfile *of, const struct outfile_options *opts,
		       struct cdict_error *err)
{
	int ret;

	of->opts = *opts;
	of->opts.inputs = NULL;
	of->at.fd = of->at.dir = of->fd = -1;
	of->is_stdout = !strcmp(opts->path, "-");
	if (!opts->in_place && stat_inputs(of, opts))
		return cdict_fail_nomem(err);
	if (of->is_stdout)
		return 0;
	ret = place_find(&of->at, opts->path);
	if (ret)
		return fail_write(err, ret);
	return of->at.name ? check_target(of, err) : 0;
}

int outfile_check(const struct outfile_options *opts, struct cdict_error *err)
{
	struct outfile *of = calloc(1, sizeof(*of));
	int ret = of ? find_target(of, opts, err) : cdict_fail_nomem(err);

	if (of && of->at.fd >= 0)
		close(of->at.fd);
	if (of)
		destroy(of);
	return ret;
}

int outfile_open(struct outfile **out, const struct outfile_options *opts, struct cdict_error *err)
{
	struct outfile *of = calloc(1, sizeof(*of));
	int ret;

	*out = NULL;
	if (!of)
		return cdict_fail_nomem(err);
	ret = find_target(of, opts, err);
	if (!ret && (!of->at.name || of->direct)) {
		ret = open_direct(of, err);
	} else if (!ret) {
		ret = create(of);
		if (ret)
			fail_write(err, ret);
		else
			give_rights(of);
		/* Other writers find it locked while it grows. */
		if (!ret && opts->capture)
			flock(of->fd, LOCK_EX | LOCK_NB);
	}
	if (ret)
		outfile_abort(of);
	else
		*out = of;
	return ret;
}

/* ---- writing ---- */

int outfile_write_all(int fd, const void *data, size_t size, uint64_t *bytes)
{
	struct pollfd wait = { .fd = fd, .events = POLLOUT };

	while (size) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EAGAIN) /* the pipe's reader made it non-blocking */
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

int outfile_trim(struct outfile *of, uint64_t bytes)
{
	if (of->direct)
		return -ESPIPE;
	if (ftruncate(of->fd, (off_t)bytes) || lseek(of->fd, (off_t)bytes, SEEK_SET) < 0)
		return -errno;
	of->bytes = bytes;
	of->error = 0;
	return 0;
}

uint64_t outfile_bytes(const struct outfile *of)
{
	return of->bytes;
}

int outfile_fd(const struct outfile *of)
{
	return of->fd;
}

bool outfile_is_direct(const struct outfile *of)
{
	return of->direct;
}

bool outfile_is_shown(const struct outfile *of)
{
	return of->shown;
}

const char *outfile_temporary(const struct outfile *of)
{
	return of->temp_path;
}

/* ---- the name ---- */

/* Links NAME to NAME.old as well, so that neither is ever missing. Without hard links, renames NAME and sets
 * *@moved. */
static int keep_old(const struct outfile *of, bool *moved)
{
	char *hidden = hidden_name(of);
	int ret = 0;

	if (!hidden)
		return -ENOMEM;
	if (linkat(of->at.dir, of->at.name, of->at.dir, hidden, 0)) {
		*moved = !renameat(of->at.dir, of->at.name, of->at.dir, of->old_name);
		ret = *moved ? 0 : -errno;
	} else {
		if (renameat(of->at.dir, hidden, of->at.dir, of->old_name))
			ret = -errno;
		unlinkat(of->at.dir, hidden,
			 0); /* rename() between two links of one file leaves both */
	}
	free(hidden);
	return ret;
}

static bool same_bytes(int a, int b, off_t size)
{
	static const size_t room = 1 << 16;
	uint8_t *x = malloc(2 * room), *y = x ? x + room : NULL;
	bool same = x;

	for (off_t at = 0; at < size && same;) {
		ssize_t n = pread(a, x, room, at), m = pread(b, y, room, at);

		same = n > 0 && n == m && !memcmp(x, y, (size_t)n);
		at += n;
	}
	free(x);
	return same;
}

/* Drops @old_name when the new file has the same bytes, or the caller can make the old one again. */
static void check_lost(struct outfile *of)
{
	int fd = openat(of->at.dir, of->at.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat now;

	if (fd < 0)
		return;
	if ((!fstat(of->fd, &now) && now.st_size == of->old.st_size &&
	     same_bytes(fd, of->fd, now.st_size)) ||
	    (of->opts.can_be_made_again && of->opts.can_be_made_again(fd, of->fd))) {
		free(of->old_name);
		of->old_name = NULL;
	}
	close(fd);
}

/* Gives the unnamed file, or the one with a hidden name, its final name. */
static int link_name(struct outfile *of)
{
	char self[64];

	self_name(of, self, sizeof(self));
	if (!of->temp && of->is_new)
		return linkat(AT_FDCWD, self, of->at.dir, of->at.name, AT_SYMLINK_FOLLOW) ? -errno
											  : 0;
	if (!of->temp) {
		char *hidden = hidden_name(of);

		if (!hidden)
			return -ENOMEM;
		if (linkat(AT_FDCWD, self, of->at.dir, hidden, AT_SYMLINK_FOLLOW)) {
			free(hidden);
			return -errno;
		}
		of->temp = hidden;
	}
	if (renameat(of->at.dir, of->temp, of->at.dir, of->at.name))
		return -errno;
	free(of->temp);
	of->temp = NULL;
	return 0;
}

int outfile_show(struct outfile *of, struct cdict_error *err)
{
	bool moved = false;
	int ret;

	if (of->shown)
		return 0;
	ret = check_target(of, err);
	if (ret)
		return ret;
	if (of->direct) /* it was replaced by a device or pipe since open */
		return fail_write(err, -EEXIST);
	if (of->old_name)
		check_lost(of);
	if (of->old_name)
		ret = keep_old(of, &moved);
	if (!ret)
		ret = link_name(of);
	if (ret && moved) /* move the old file back */
		renameat(of->at.dir, of->old_name, of->at.dir, of->at.name);
	if (ret)
		return fail_write(err, ret);
	of->shown = true;
	return 0;
}

int outfile_commit(struct outfile *of, int flags, struct cdict_error *err)
{
	int ret = flags & OUTFILE_TOLD ? 0 : of->error, fd = of->fd;

	if (!ret && flags & OUTFILE_SYNC && !of->direct && fsync(fd))
		ret = -errno;
	if (ret)
		fail_write(err, ret);
	else if (flags & OUTFILE_EMPTY && !of->shown && !of->is_new && of->old.st_size)
		ret = cdict_fail(err, CDICT_ENOEVENTS, CDICT_NO_OFFSET,
				 "kept: the new output is empty");
	/* on NFS, a full disk shows only at close(); so close a duplicate before naming the file */
	if (!ret && !of->direct) {
		int copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);

		if (copy >= 0 && close(copy))
			ret = fail_write(err, -errno);
	}
	if (!ret)
		ret = outfile_show(of, err);
	if (!of->is_stdout) {
		of->fd = -1;
		if (close(fd) && !ret)
			ret = fail_write(err, -errno);
	}
	outfile_abort(of);
	return ret;
}

void outfile_abort(struct outfile *of)
{
	if (!of)
		return;
	if (!of->is_stdout && of->fd >= 0)
		close(of->fd);
	if (of->temp)
		unlinkat(of->at.dir, of->temp, 0);
	destroy(of);
}
