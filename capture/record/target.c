/* SPDX-License-Identifier: GPL-2.0-only */
/* The output file of a recording. */
#include "capture/record/target.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/fail.h"

/* Reserved at once. */
#define RESERVE_AHEAD ((uint64_t)4 << 20)

struct target {
	struct outfile *of;
	bool is_stdout;
	uint64_t mark;
	uint64_t reserved; /* end of the reserved space; 0: none */
	bool cannot_reserve;
};

int target_open(struct target **out, const struct outfile_options *opts, struct cdict_error *err)
{
	struct target *t = calloc(1, sizeof(*t));
	int ret;

	*out = NULL;
	if (!t)
		return cdict_fail_nomem(err);
	ret = outfile_open(&t->of, opts, err);
	if (ret) {
		free(t);
		return ret;
	}
	t->is_stdout = !strcmp(opts->path, "-");
	*out = t;
	return 0;
}

int target_write(void *target, const void *data, size_t size)
{
	struct target *t = target;

	return outfile_write(t->of, data, size);
}

/* ulimit -f: no space to reserve, but still a limit. */
static bool is_allowed(uint64_t bytes)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur == RLIM_INFINITY ||
	       bytes <= limit.rlim_cur;
}

/* Reserves space up to @until without changing the file's size. */
static int reserve(struct target *t, uint64_t until)
{
	uint64_t bytes = outfile_bytes(t->of), from = t->reserved > bytes ? t->reserved : bytes;
	int ret;

	do
		ret = fallocate(outfile_fd(t->of), FALLOC_FL_KEEP_SIZE, (off_t)from,
				(off_t)(until - from));
	while (ret && errno == EINTR);
	if (ret)
		return -errno;
	t->reserved = until;
	return 0;
}

int target_reserve(struct target *t, uint64_t bytes)
{
	uint64_t until = outfile_bytes(t->of) + bytes;
	int ret;

	if (outfile_is_direct(t->of))
		return 0;
	if (!is_allowed(until))
		return -EFBIG;
	if (t->cannot_reserve || until <= t->reserved)
		return 0;
	/* Reserve in large steps: a call per block would cost more than writing the block. */
	if (!reserve(t, until + RESERVE_AHEAD))
		return 0;
	ret = reserve(t, until);
	if (!ret || ret == -ENOSPC || ret == -EDQUOT || ret == -EFBIG)
		return ret;
	t->cannot_reserve = true;
	return 0;
}

int target_show(struct target *t, struct cdict_error *err)
{
	target_mark(t);
	return outfile_show(t->of, err);
}

void target_mark(struct target *t)
{
	t->mark = outfile_bytes(t->of);
}

void target_trim(struct target *t)
{
	if (!outfile_trim(t->of, t->mark))
		t->reserved = 0;
}

uint64_t target_bytes(const struct target *t)
{
	return outfile_bytes(t->of);
}

int target_fd(const struct target *t)
{
	return outfile_fd(t->of);
}

void target_stay(struct target *t)
{
	t->is_stdout = false;
}

/* The reader sees end of file; further output is discarded. */
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
	uint64_t bytes;
	int ret = 0;

	if (!t)
		return 0;
	bytes = outfile_bytes(t->of);
	if (t->reserved > bytes && ftruncate(outfile_fd(t->of), (off_t)bytes))
		ret = cdict_fail(err, -errno, CDICT_NO_OFFSET, "cannot be written: %s",
				 strerror(errno));
	if (t->is_stdout)
		give_up_stdout();
	if (ret || !outfile_is_shown(t->of))
		outfile_abort(t->of);
	else
		ret = outfile_commit(t->of, OUTFILE_TOLD, err);
	free(t);
	return ret;
}
