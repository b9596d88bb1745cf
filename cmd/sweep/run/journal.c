/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The journal of cdict sweep: a line describing the sweep, then a line per run, each on disk before the next run
 * starts.  Resuming loses only the run that was in progress.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "annotate/library.h"
#include "base/fail.h"
#include "base/system/outfile.h"
#include "cmd/sweep/run/sweep.h"

/* Length of the prefix that identifies a journal: {"schema": {"name": "cdict-sweep" */
#define OWN 36

static char *head_of(const struct sweep *s, size_t *len)
{
	struct sink out;
	struct json j;

	sink_to_memory(&out);
	json_init(&j, &out);
	json_open(&j, NULL, '{', false);
	sweep_head_json(&j, s);
	json_close(&j);
	return sink_take(&out, len);
}

/* Names the first member that differs. */
static int fail_different(const char *had, size_t had_len, const char *now, size_t now_len,
			  const char *path, struct cdict_error *err)
{
	static const char *const keys[] = { "command",    "lines",  "params", "metrics", "runs",
					    "drop_first", "warmup", "record", "prepare", "setup",
					    "cleanup",    "shell",  "select", "host",    "title" };
	json_t *a = NULL, *b = NULL;
	const char *key = NULL;
	int rc = sweep_json_parse(&a, had, had_len, path, err);

	if (!rc)
		rc = sweep_json_parse(&b, now, now_len, path, err);
	for (size_t i = 0; !rc && !key && i < sizeof(keys) / sizeof(keys[0]); i++) {
		char *x = json_dumps(json_object_get(a, keys[i]), JSON_COMPACT | JSON_ENCODE_ANY);
		char *y = json_dumps(json_object_get(b, keys[i]), JSON_COMPACT | JSON_ENCODE_ANY);

		if (!x != !y || (x && strcmp(x, y)))
			key = keys[i];
		free(x);
		free(y);
	}
	json_decref(a);
	json_decref(b);
	if (rc == -ENOMEM || rc == -ENOENT || rc == -ENOSYS)
		return rc;
	return cdict_fail(
		err, CDICT_EUSAGE, CDICT_NO_OFFSET,
		"%s belongs to a sweep with different %s: finish that sweep, use another -o, or start "
		"over with --restart",
		path, key ? key : "members");
}

/* Whether the latest run is the expected next one. */
static bool follows(const struct sweep *s)
{
	const struct sweep_done *last = &s->done.at[s->done.n - 1];
	size_t nth = s->done.n - 1;

	return last->point == nth / s->runs && last->nth == nth % s->runs;
}

/* Reads an existing journal; *@good: length of its complete lines. */
static int read_journal(struct sweep *s, const struct buf *had, const char *head, size_t head_len,
			const char *path, bool forget, size_t *good, struct cdict_error *err)
{
	const char *text = (const char *)had->data, *end;
	size_t at;
	int rc = 0;

	*good = 0;
	if (memcmp(text, head, had->len < OWN ? had->len : OWN))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "%s is not a cdict sweep journal", path);
	if (forget)
		return 0;
	end = memchr(text, '\n', had->len);
	if (!end)
		return 0; /* the writer died before its first line was complete */
	at = (size_t)(end - text) + 1;
	if (at != head_len || memcmp(text, head, head_len))
		return fail_different(text, at, head, head_len, path, err);
	*good = at;
	while (!rc && at < had->len && (end = memchr(text + at, '\n', had->len - at))) {
		size_t n = (size_t)(end - (text + at));

		rc = sweep_read_run(s, text + at, n, err);
		if (!rc && !follows(s))
			rc = cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
					"run %zu is out of order", s->done.n);
		at += n + 1;
		*good = rc ? *good : at;
	}
	/* A broken last line is a crash: repeat the run; any other broken line is damage. */
	if (rc == CDICT_EFORMAT && at == had->len)
		return 0;
	if (rc == CDICT_EFORMAT) {
		struct cdict_error why = *err;

		return cdict_fail(err, rc, CDICT_NO_OFFSET,
				  "%s: line %zu: %s; --restart starts over", path, s->done.n + 2,
				  why.text);
	}
	return rc;
}

static int write_line(struct sweep_journal *j, const char *line, size_t len,
		      struct cdict_error *err)
{
	uint64_t bytes = 0;
	int rc = outfile_write_all(j->fd, line, len, &bytes);

	if (!rc && fdatasync(j->fd) && errno != EINVAL)
		rc = -errno;
	return rc ? cdict_fail(err, rc, CDICT_NO_OFFSET, "%s: %s", j->path, strerror(-rc)) : 0;
}

/* A file's name is on disk once its directory is. */
static void sync_folder(const struct sweep_journal *j)
{
	int fd = openat(j->at.dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return;
	fsync(fd);
	close(fd);
}

/* The lock belongs to this process alone: a child that outlives a killed sweep does not inherit it, as it would a
 * flock(2). */
static int lock(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_SETLK, &whole) ? -errno : 0;
}

static int open_file(struct sweep_journal *j, struct cdict_error *err)
{
	int rc = place_find(&j->at, j->path);
	struct stat st;

	if (rc)
		return cdict_fail(err, rc == CDICT_ELIMIT ? -EPERM : rc, CDICT_NO_OFFSET, "%s: %s",
				  j->path, place_strerror(rc));
	if (!j->at.name)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "%s is not a regular file",
				  j->path);
	j->fd = openat(j->at.dir, j->at.name,
		       O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0666);
	if (j->fd < 0)
		return cdict_fail_errno(err, j->path);
	if (fstat(j->fd, &st) || !S_ISREG(st.st_mode))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "%s is not a regular file",
				  j->path);
	rc = lock(j->fd);
	if (rc == -EACCES || rc == -EAGAIN)
		return cdict_fail(err, -EBUSY, CDICT_NO_OFFSET, "%s is in use by another sweep",
				  j->path);
	return rc ? cdict_fail(err, rc, CDICT_NO_OFFSET, "cannot lock %s: %s", j->path,
			       strerror(-rc))
		  : 0;
}

int sweep_journal_open(struct sweep_journal *j, struct sweep *s, const char *path, bool restart,
		       struct cdict_error *err)
{
	struct buf had = { 0 };
	size_t head_len = 0, good = 0;
	char *head = head_of(s, &head_len);
	int rc;

	*j = (struct sweep_journal){ .fd = -1,
				     .path = strdup(path),
				     .at = { .dir = -1, .fd = -1 } };
	rc = head && j->path ? open_file(j, err) : cdict_fail_nomem(err);
	if (!rc) {
		rc = buf_read(&had, j->fd, (size_t)1 << 31);
		if (rc)
			rc = rc == -ENOMEM ? cdict_fail_nomem(err)
					   : cdict_fail(err, rc, CDICT_NO_OFFSET, "%s: %s", path,
							strerror(-rc));
	}
	if (!rc && had.len)
		rc = read_journal(s, &had, head, head_len, path, restart, &good, err);
	if (!rc && ftruncate(j->fd, (off_t)good))
		rc = cdict_fail_errno(err, path);
	if (!rc && !good)
		rc = write_line(j, head, head_len, err);
	if (!rc)
		sync_folder(j);
	buf_fini(&had);
	free(head);
	return rc;
}

int sweep_journal_add(struct sweep_journal *j, const struct sweep *s, const struct sweep_done *run,
		      struct cdict_error *err)
{
	struct sink out;
	struct json row;
	size_t len = 0;
	char *line;
	int rc;

	sink_to_memory(&out);
	json_init(&row, &out);
	sweep_run_json(&row, s, run);
	line = sink_take(&out, &len);
	rc = line ? write_line(j, line, len, err) : cdict_fail_nomem(err);
	free(line);
	return rc;
}

void sweep_journal_close(struct sweep_journal *j, bool over)
{
	if (over && j->fd >= 0)
		unlinkat(j->at.dir, j->at.name, 0);
	if (j->fd >= 0)
		close(j->fd);
	place_fini(&j->at);
	free(j->path);
	*j = (struct sweep_journal){ .fd = -1, .at = { .dir = -1, .fd = -1 } };
}
