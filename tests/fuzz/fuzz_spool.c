/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A spool: a folder of jobs with shelves of values.  Pushed to a store that refuses some values: a value is in the spool or
 * in the store, never in neither.
 *
 * The input is entries: a byte for the kind (below), one for the length of the name, the name, one for the length of the
 * content, the content.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/system/outdir.h"
#include "query/fleet/store/spool.h"
#include "tests/fuzz/lib/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum kind { JOB, SHELF, VALUE, BESIDE, LINK, KINDS };
enum { ENTRIES = 24, NAME_ROOM = 256 };

/* What the input made. */
struct made {
	int root, job, shelf; /* descriptors; -1: not made yet */
	char job_name[NAME_ROOM], shelf_name[NAME_ROOM];
	char values[ENTRIES][3 * NAME_ROOM]; /* their paths below root */
	size_t n;
	bool expires; /* reading a job that has expired removes it */
};

/* The store that values are pushed to. */
struct target {
	struct store store;
	struct cdict_error *err;
	size_t put;
};

static void must(int so)
{
	if (!so)
		abort();
}

static int target_get(struct store *st, const char *id, struct fleet_job *job,
		      struct cdict_error *err)
{
	(void)st;
	must(!fleet_job_id(id, err));
	*job = (struct fleet_job){ .bucket_ns = FLEET_BUCKET_NS };
	return 0;
}

static int target_put(struct store *st, const char *id, const char *shelf, const char *name,
		      const void *data, size_t size, bool *added, struct cdict_error *err)
{
	struct target *t = (struct target *)(void *)st;

	must(!fleet_job_id(id, err) && *shelf && strlen(shelf) <= STORE_NAME_MOST && *name &&
	     strlen(name) <= STORE_NAME_MOST && size <= STORE_VALUE_MOST);
	if (size && *(const char *)data == '!')
		return cdict_fail(err, -EIO, CDICT_NO_OFFSET, "refused");
	*added = size % 2;
	t->put++;
	return 0;
}

static const struct store_ops target_ops = { .get = target_get, .put = target_put };

static int make_folder(int in, const char *name)
{
	if (in < 0 || (mkdirat(in, name, 0700) && errno != EEXIST))
		return -1;
	return openat(in, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool make_file(int in, const char *name, const uint8_t *content, size_t size)
{
	int fd = in < 0 ? -1 : openat(in, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	if (fd < 0)
		return false;
	must(write(fd, content, size) == (ssize_t)size && !close(fd));
	return true;
}

static void replace(int *fd, int by)
{
	if (*fd >= 0)
		close(*fd);
	*fd = by;
}

static void make_entry(struct made *m, enum kind kind, const char *name, const uint8_t *content,
		       size_t size)
{
	struct fleet_job job;
	char target[NAME_ROOM];

	switch (kind) {
	case JOB:
		replace(&m->shelf, -1);
		replace(&m->job, make_folder(m->root, name));
		strcpy(m->job_name, name);
		make_file(m->job, "job", content, size);
		m->expires |= !fleet_job_decode(&job, "2001", content, size, NULL) &&
			      job.expires_ms;
		break;
	case SHELF:
		replace(&m->shelf, make_folder(m->job, name));
		strcpy(m->shelf_name, name);
		break;
	case VALUE:
		if (make_file(m->shelf, name, content, size))
			sprintf(m->values[m->n++], "%s/%s/%s", m->job_name, m->shelf_name, name);
		break;
	case BESIDE:
		make_file(m->job < 0 ? m->root : m->job, name, content, size);
		break;
	default:
		memcpy(target, content, size);
		target[size] = 0;
		if (symlinkat(target, m->shelf < 0 ? m->job : m->shelf, name))
			return; /* such a name exists */
	}
}

static void make(struct made *m, const uint8_t *data, size_t size)
{
	struct cursor c = cursor_init(data, size, false);

	for (int i = 0; i < ENTRIES && c.left; i++) {
		enum kind kind = cursor_u8(&c) % KINDS;
		size_t len = cursor_u8(&c), n;
		const uint8_t *bytes = cursor_take(&c, len), *content;
		char name[NAME_ROOM];

		n = cursor_u8(&c);
		content = cursor_take(&c, n);
		if (!cursor_ok(&c))
			return;
		memcpy(name, bytes, len);
		name[len] = 0;
		/* a file's name */
		if (*name && strcmp(name, ".") && strcmp(name, "..") && !strchr(name, '/'))
			make_entry(m, kind, name, content, n);
	}
}

static int push(void *ctx, const struct fleet_job *job)
{
	struct fleet_spool_counts n = { 0 };
	struct target *t = ((void **)ctx)[1];
	size_t before = t->put;
	int rc = fleet_spool_push(((void **)ctx)[0], job->id, &t->store, &n, t->err);

	must(n.values == t->put - before && n.added <= n.values);
	must(!rc || (t->err->code == rc && t->err->text[0]));
	return rc;
}

static size_t gone(const struct made *m)
{
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++)
		n += !!faccessat(m->root, m->values[i], F_OK, AT_SYMLINK_NOFOLLOW);
	return n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char path[PATH_MAX];
	static int above = -1;
	struct made m = { .root = -1, .job = -1, .shelf = -1 };
	struct cdict_error err = { 0 };
	struct target to = { .store = { &target_ops }, .err = &err };
	struct store *spool;
	int rc;

	if (above < 0) {
		const char *dir = getenv("TMPDIR");

		above = open(dir ? dir : "/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
		snprintf(path, sizeof(path), "%s/fuzz_spool.%ld", dir ? dir : "/tmp",
			 (long)getpid());
	}
	must(!mkdirat(above, strrchr(path, '/') + 1, 0700));
	m.root = openat(above, strrchr(path, '/') + 1, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(m.root >= 0);
	make(&m, data, size);
	limits_begin(size);
	must(!store_dir_open(&spool, path, &err));
	rc = store_list(spool, push, (void *[]){ spool, &to }, &err);
	must(!rc || (err.code == rc && err.text[0]));
	store_close(spool);
	limits_end();
	must(m.expires || gone(&m) <= to.put);
	replace(&m.shelf, -1);
	replace(&m.job, -1);
	replace(&m.root, -1);
	outdir_remove(above, strrchr(path, '/') + 1);
	return 0;
}
