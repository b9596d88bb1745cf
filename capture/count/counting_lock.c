/* SPDX-License-Identifier: GPL-2.0-only */
/* Lets one process at a time count a whole machine: the sum of two would have each event twice. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "capture/count/counting.h"

#define LOCK "/run/lock/cdict-count"

/* Without O_CREAT first: the kernel denies it for another user's file (fs.protected_regular). */
static int open_lock(void)
{
	int fd = open(LOCK, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
	mode_t mask;

	if (fd >= 0 || errno != ENOENT)
		return fd;
	mask = umask(0111);
	fd = open(LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
	umask(mask);
	return fd;
}

/* A lock of fcntl(2), because the kernel names its holder. */
int counting_lock_machine(int *out, struct cdict_error *err)
{
	struct flock mine = { .l_type = F_WRLCK, .l_whence = SEEK_SET }, theirs = mine;
	int fd = open_lock(), code;
	char who[32] = "another process";

	*out = fd;
	if (fd < 0)
		return cdict_fail(err, -errno, CDICT_NO_OFFSET, "%s: %s", LOCK, strerror(errno));
	if (!fcntl(fd, F_SETLK, &mine))
		return 0;
	code = errno;
	if (!fcntl(fd, F_GETLK, &theirs) && theirs.l_type != F_UNLCK && theirs.l_pid > 0)
		snprintf(who, sizeof(who), "process %d", (int)theirs.l_pid);
	close(fd);
	*out = -1;
	if (code != EAGAIN && code != EACCES)
		return cdict_fail(err, -code, CDICT_NO_OFFSET, "%s: %s", LOCK, strerror(code));
	return cdict_fail(
		err, -EBUSY, CDICT_NO_OFFSET,
		"%s counts this whole machine already, and the job would have each "
		"event twice; wait for it, or count a command ('-- COMMAND') or processes "
		"(-p)",
		who);
}
