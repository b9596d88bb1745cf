/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A store in a folder:
 *
 *	DIR/2001/job                      the job
 *	DIR/2001/h%3Acompute-01/6b2f.17   a value of a shelf
 *
 * A job appears by rename(), a value by link(), which never replaces: any number of processes may do
 * that at once; one that is killed leaves a hidden file that readers ignore.
 */
#include "query/fleet/store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "base/system/outfile.h"
#include "base/system/place.h"

/* errno when the path contains a link of another user (base/system/place.h). */
#define STRANGE (-CDICT_ELIMIT)

struct folder {
	struct store store;
	char *path;
	unsigned made; /* number of temporary names so far */
};

static struct folder *folder_of(struct store *st)
{
	return (struct folder *)(void *)st;
}

static int fail_folder(const struct folder *f, struct cdict_error *err)
{
	int code = errno;

	if (code == STRANGE)
		return cdict_fail(err, -EPERM, CDICT_NO_OFFSET, "%s: %s", f->path,
				  place_strerror(CDICT_ELIMIT));
	errno = code;
	return cdict_fail_errno(err, f->path);
}

/* ---- names ---- */

/* Escaping needs at most three bytes per character. */
#define FILE_ROOM (STORE_NAME_MOST * 3 + 1)

static int escape(char *to, const char *name, struct cdict_error *err)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
	size_t n = 0;

	if (!*name || strlen(name) > STORE_NAME_MOST)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "name of %zu bytes; a store accepts 1 to %d", strlen(name),
				  STORE_NAME_MOST);
	for (const char *p = name; *p; p++) {
		if (strchr(plain, *p) || (*p == '.' && p > name))
			to[n++] = *p;
		else
			n += (size_t)sprintf(to + n, "%%%02X", (unsigned char)*p);
	}
	to[n] = 0;
	return 0;
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Unescapes into @name, FILE_ROOM bytes; false: not a name by escape(). */
static bool unescape(char *name, const char *file)
{
	char again[FILE_ROOM];
	size_t n = 0;

	if (strlen(file) >= FILE_ROOM || *file == '.')
		return false;
	for (const char *p = file; *p; p++) {
		if (*p != '%') {
			name[n++] = *p;
			continue;
		}
		if (hex(p[1]) < 0 || hex(p[2]) < 0)
			return false;
		name[n++] = (char)(hex(p[1]) * 16 + hex(p[2]));
		p += 2;
	}
	name[n] = 0;
	return strlen(name) == n && !escape(again, name, NULL) && !strcmp(again, file);
}

/* The names in a folder, sorted. */
struct names {
	ARRAY(char *) all;
};

static void names_free(struct names *names)
{
	for (size_t i = 0; i < names->all.n; i++)
		free(names->all.at[i]);
	array_fini(&names->all);
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Takes @fd. 0 or a negative errno. */
static int names_read(struct names *names, int fd, bool hidden)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *e;
	int rc = 0;

	if (!dir) {
		rc = -errno;
		close(fd);
		return rc;
	}
	while (!rc && (e = readdir(dir))) {
		bool dots = !strcmp(e->d_name, ".") || !strcmp(e->d_name, "..");
		char *name = dots || (*e->d_name == '.' && !hidden) ? NULL : strdup(e->d_name);

		if (name && array_push(&names->all, name)) {
			free(name);
			rc = -ENOMEM;
		} else if (!name && !dots && (*e->d_name != '.' || hidden)) {
			rc = -ENOMEM;
		}
	}
	closedir(dir);
	if (!rc && names->all.n)
		qsort(names->all.at, names->all.n, sizeof(char *), compare_names);
	return rc;
}

/* ---- files ---- */

/* -1 and errno, as open(2). */
static int open_root(const struct folder *f, bool make)
{
	int fd = place_folder(f->path, make ? 0700 : 0);

	if (fd >= 0)
		return fd;
	errno = fd == CDICT_ELIMIT ? STRANGE : -fd;
	return -1;
}

static int read_file(int dir, const char *name, struct buf *out)
{
	int fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), rc;
	struct stat st;

	if (fd < 0)
		return -errno;
	rc = fstat(fd, &st) ? -errno : 0;
	if (!rc && (!S_ISREG(st.st_mode) || st.st_size > STORE_VALUE_MOST))
		rc = -EFBIG;
	if (!rc)
		rc = buf_read(out, fd, STORE_VALUE_MOST);
	close(fd);
	return rc;
}

/* Writes a new file with all of @data, or no file. */
static int write_file(int dir, const char *name, const void *data, size_t size)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600), rc;
	uint64_t written = 0;

	if (fd < 0)
		return -errno;
	rc = outfile_write_all(fd, data, size, &written);
	if (!rc && fdatasync(fd))
		rc = -errno;
	if (close(fd) && !rc)
		rc = -errno;
	if (rc)
		unlinkat(dir, name, 0);
	return rc;
}

/* Removes a directory and its content: a job has one level of directories. */
static int remove_tree(int dir, const char *name, int levels)
{
	struct names names = { 0 };
	int fd, rc = 0;

	if (!unlinkat(dir, name, 0) || errno == ENOENT)
		return 0;
	fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || !levels) {
		rc = -errno;
		if (fd >= 0)
			close(fd);
		return rc;
	}
	rc = names_read(&names, dup(fd), true);
	for (size_t i = 0; i < names.all.n && !rc; i++)
		rc = remove_tree(fd, names.all.at[i], levels - 1);
	names_free(&names);
	close(fd);
	if (!rc && unlinkat(dir, name, AT_REMOVEDIR) && errno != ENOENT)
		rc = -errno;
	return rc;
}

static void temporary_name(struct folder *f, char *name, size_t room, const char *what)
{
	snprintf(name, room, ".%s-%ld-%u", what, (long)getpid(), f->made++);
}

/* ---- jobs ---- */

/* Reads the job in a directory, expired or not. */
static int get_from(struct folder *f, int root, const char *id, struct fleet_job *job,
		    struct cdict_error *err)
{
	struct buf b = { 0 };
	int dir = openat(root, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), rc;

	if (dir < 0)
		return errno == ENOENT || errno == ENOTDIR ? store_no_job(err, id)
							   : fail_folder(f, err);
	rc = read_file(dir, "job", &b);
	close(dir);
	if (rc == -ENOENT)
		rc = store_no_job(err, id);
	else if (rc)
		rc = cdict_fail(err, rc, CDICT_NO_OFFSET, "%s/%s/job: %s", f->path, id,
				strerror(-rc));
	else
		rc = fleet_job_decode(job, id, b.data, b.len, err);
	buf_fini(&b);
	return rc;
}

static int dir_remove(struct store *st, const char *id, struct cdict_error *err)
{
	struct folder *f = folder_of(st);
	int root = open_root(f, false), rc = 0;
	char gone[64];

	if (root < 0)
		return errno == ENOENT ? store_no_job(err, id) : fail_folder(f, err);
	temporary_name(f, gone, sizeof(gone), "removed");
	if (renameat(root, id, root, gone))
		rc = errno == ENOENT ? store_no_job(err, id) : fail_folder(f, err);
	else if (remove_tree(root, gone, 3))
		rc = fail_folder(f, err);
	close(root);
	return rc;
}

static int dir_get(struct store *st, const char *id, struct fleet_job *job, struct cdict_error *err)
{
	struct folder *f = folder_of(st);
	int root = open_root(f, false), rc;

	if (root < 0)
		return errno == ENOENT ? store_no_job(err, id) : fail_folder(f, err);
	rc = get_from(f, root, id, job, err);
	close(root);
	if (!rc && fleet_job_expired(job, fleet_now_ms())) {
		dir_remove(st, id, NULL);
		rc = store_no_job(err, id);
	}
	return rc;
}

static int dir_create(struct store *st, const struct fleet_job *job, struct cdict_error *err)
{
	struct folder *f = folder_of(st);
	struct fleet_job there;
	struct buf b = { 0 };
	char new[64];
	int root, dir, rc;

	dir_get(st, job->id, &there, NULL); /* removes an expired job */
	root = open_root(f, true);
	if (root < 0)
		return fail_folder(f, err);
	fleet_job_encode(&b, job);
	temporary_name(f, new, sizeof(new), "new");
	rc = b.failed ? -ENOMEM : mkdirat(root, new, 0700) ? -errno : 0;
	dir = rc ? -1 : openat(root, new, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (!rc)
		rc = dir < 0 ? -errno : write_file(dir, "job", b.data, b.len);
	if (!rc && renameat(root, new, root, job->id))
		rc = -errno;
	if (rc)
		remove_tree(root, new, 3);
	if (dir >= 0)
		close(dir);
	close(root);
	buf_fini(&b);
	if (rc == -ENOTEMPTY || rc == -EEXIST || rc == -ENOTDIR)
		return store_job_is_there(err, job->id);
	return !rc ? 0
	       : rc == -ENOMEM
		       ? cdict_fail_nomem(err)
		       : cdict_fail(err, rc, CDICT_NO_OFFSET, "%s: %s", f->path, strerror(-rc));
}

static int dir_list(struct store *st, store_job_fn *visit, void *ctx, struct cdict_error *err)
{
	struct folder *f = folder_of(st);
	struct names names = { 0 };
	struct fleet_job job;
	int fd = open_root(f, false), rc;

	if (fd < 0)
		return errno == ENOENT ? 0 : fail_folder(f, err);
	rc = names_read(&names, fd, false);
	if (rc)
		rc = cdict_fail(err, rc, CDICT_NO_OFFSET, "%s: %s", f->path, strerror(-rc));
	for (size_t i = 0; i < names.all.n && !rc; i++) {
		/* skip entries that are not jobs, or vanished */
		if (fleet_job_id(names.all.at[i], NULL))
			continue;
		rc = dir_get(st, names.all.at[i], &job, err);
		if (!rc)
			rc = visit(ctx, &job);
		else if (rc == CDICT_ENOTFOUND || rc == CDICT_EFORMAT || rc == CDICT_EVERSION ||
			 rc == CDICT_ECORRUPT)
			rc = 0;
	}
	names_free(&names);
	return rc;
}

/* ---- values ---- */

/* Opens the job's directory, which must exist. */
static int open_job(struct folder *f, const char *id, struct cdict_error *err)
{
	struct fleet_job job;
	int root, dir, rc = dir_get(&f->store, id, &job, err);

	if (rc)
		return rc;
	root = open_root(f, false);
	dir = root < 0 ? -1 : openat(root, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir < 0)
		rc = errno == ENOENT ? store_no_job(err, id) : fail_folder(f, err);
	if (root >= 0)
		close(root);
	return rc ? rc : dir;
}

static int open_shelf(int job, const char *shelf, bool make)
{
	int fd = openat(job, shelf, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 && errno == ENOENT && make && (!mkdirat(job, shelf, 0700) || errno == EEXIST))
		fd = openat(job, shelf, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int put_value(struct folder *f, int dir, const char *name, const void *data, size_t size,
		     bool *added)
{
	char new[64];
	int rc;

	if (!faccessat(dir, name, F_OK, AT_SYMLINK_NOFOLLOW))
		return 0;
	temporary_name(f, new, sizeof(new), "new");
	unlinkat(dir, new, 0); /* left by a killed process with the same pid */
	rc = write_file(dir, new, data, size);
	if (!rc) {
		*added = !linkat(dir, new, dir, name, 0);
		rc = *added || errno == EEXIST ? 0 : -errno;
		unlinkat(dir, new, 0);
	}
	return rc;
}

/* The location of a value: directory and file name. */
struct shelf_place {
	char on[FILE_ROOM], as[FILE_ROOM];
	int job, dir; /* dir: negative: error of opening the shelf */
};

static int open_place(struct shelf_place *at, struct folder *f, const char *id, const char *shelf,
		      const char *name, bool make, struct cdict_error *err)
{
	int rc = escape(at->on, shelf, err);

	rc = rc ? rc : escape(at->as, name, err);
	if (rc)
		return rc;
	at->job = open_job(f, id, err);
	if (at->job < 0)
		return at->job;
	at->dir = open_shelf(at->job, at->on, make);
	return 0;
}

/* @rc: the result so far. */
static int close_place(struct shelf_place *at, const struct folder *f, const char *id, int rc,
		       struct cdict_error *err)
{
	if (at->dir >= 0)
		close(at->dir);
	close(at->job);
	return rc ? cdict_fail(err, rc, CDICT_NO_OFFSET, "%s/%s/%s: %s", f->path, id, at->on,
			       strerror(-rc))
		  : 0;
}

static int dir_put(struct store *st, const char *id, const char *shelf, const char *name,
		   const void *data, size_t size, bool *added, struct cdict_error *err)
{
	struct folder *f = folder_of(st);
	struct shelf_place at;
	int rc;

	*added = false;
	if (size > STORE_VALUE_MOST)
		return store_too_large(err, size);
	rc = open_place(&at, f, id, shelf, name, true, err);
	if (rc)
		return rc;
	rc = at.dir < 0 ? at.dir : put_value(f, at.dir, at.as, data, size, added);
	return close_place(&at, f, id, rc, err);
}

static int count_values(int job, const char *shelf, uint64_t *n)
{
	struct names names = { 0 };
	int fd = open_shelf(job, shelf, false), rc;

	if (fd < 0)
		return fd;
	rc = names_read(&names, fd, false);
	*n = names.all.n;
	names_free(&names);
	return rc;
}

static int dir_shelves(struct store *st, const char *id, store_shelf_fn *visit, void *ctx,
		       struct cdict_error *err)
{
	struct folder *f = folder_of(st);
	struct names names = { 0 };
	char name[FILE_ROOM];
	int job = open_job(f, id, err), rc;
	uint64_t n;

	if (job < 0)
		return job;
	rc = names_read(&names, dup(job), false);
	if (rc)
		rc = cdict_fail(err, rc, CDICT_NO_OFFSET, "%s/%s: %s", f->path, id, strerror(-rc));
	for (size_t i = 0; i < names.all.n && !rc; i++) {
		if (!unescape(name, names.all.at[i]))
			continue;
		rc = count_values(job, names.all.at[i], &n);
		if (!rc)
			rc = visit(ctx, name, n);
		else if (rc == -ENOTDIR || rc == -ENOENT || rc == -ELOOP) /* not a shelf */
			rc = 0;
		else
			rc = cdict_fail(err, rc, CDICT_NO_OFFSET, "%s/%s/%s: %s", f->path, id,
					names.all.at[i], strerror(-rc));
	}
	names_free(&names);
	close(job);
	return rc;
}

static int dir_values(struct store *st, const char *id, const char *shelf, store_want_value *want,
		      store_value_fn *visit, void *ctx, struct cdict_error *err)
{
	struct folder *f = folder_of(st);
	struct names names = { 0 };
	char on[FILE_ROOM], name[FILE_ROOM];
	struct buf b = { 0 };
	int job, dir, rc = escape(on, shelf, err);

	if (rc)
		return rc;
	job = open_job(f, id, err);
	if (job < 0)
		return job;
	dir = open_shelf(job, on, false);
	close(job);
	if (dir == -ENOENT)
		return 0;
	rc = dir < 0 ? dir : names_read(&names, dup(dir), false);
	if (rc)
		rc = cdict_fail(err, rc, CDICT_NO_OFFSET, "%s/%s/%s: %s", f->path, id, on,
				strerror(-rc));
	for (size_t i = 0; i < names.all.n && !rc; i++) {
		if (!unescape(name, names.all.at[i]) || (want && !want(ctx, name)))
			continue;
		b.len = 0;
		rc = read_file(dir, names.all.at[i], &b);
		if (rc)
			rc = cdict_fail(err, rc, CDICT_NO_OFFSET, "%s/%s/%s/%s: %s", f->path, id,
					on, names.all.at[i], strerror(-rc));
		else
			rc = visit(ctx, name, b.data, b.len);
	}
	buf_fini(&b);
	names_free(&names);
	if (dir >= 0)
		close(dir);
	return rc;
}

int store_dir_drop(struct store *st, const char *id, const char *shelf, const char *name,
		   struct cdict_error *err)
{
	struct folder *f = folder_of(st);
	struct shelf_place at;
	int rc = open_place(&at, f, id, shelf, name, false, err);

	if (rc)
		return rc;
	rc = at.dir < 0 ? at.dir : unlinkat(at.dir, at.as, 0) && errno != ENOENT ? -errno : 0;
	return close_place(&at, f, id, rc, err);
}

/* Removes the root directory when it is empty. */
static void remove_root(const struct folder *f)
{
	struct place at;

	if (place_find(&at, f->path))
		return;
	if (at.name)
		unlinkat(at.dir, at.name, AT_REMOVEDIR);
	place_fini(&at);
}

void store_dir_tidy(struct store *st, const char *id)
{
	struct folder *f = folder_of(st);
	int job = open_job(f, id, NULL), root;
	struct names names = { 0 };
	bool empty = true;

	if (job < 0)
		return;
	names_read(&names, dup(job), false);
	for (size_t i = 0; i < names.all.n; i++)
		if (strcmp(names.all.at[i], "job") && unlinkat(job, names.all.at[i], AT_REMOVEDIR))
			empty = false;
	names_free(&names);
	if (empty && !unlinkat(job, "job", 0)) {
		root = open_root(f, false);
		if (root >= 0) {
			unlinkat(root, id, AT_REMOVEDIR);
			close(root);
		}
		remove_root(f);
	}
	close(job);
}

static void dir_close(struct store *st)
{
	struct folder *f = folder_of(st);

	free(f->path);
	free(f);
}

static const struct store_ops ops = {
	.create = dir_create,
	.get = dir_get,
	.list = dir_list,
	.remove = dir_remove,
	.put = dir_put,
	.shelves = dir_shelves,
	.values = dir_values,
	.close = dir_close,
};

int store_dir_open(struct store **out, const char *path, struct cdict_error *err)
{
	struct folder *f = calloc(1, sizeof(*f));

	if (!f || !*path || !(f->path = strdup(path))) {
		free(f);
		return *path ? cdict_fail_nomem(err)
			     : cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "--store needs a folder or an address");
	}
	f->store.ops = &ops;
	*out = &f->store;
	return 0;
}
