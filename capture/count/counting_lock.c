/* SPDX-License-Identifier: GPL-2.0-only */
/* Lets one process at a time count a whole machine: the sum of two would have each event twice. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
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
		return fd >= 0 ? fd : open(LOCK, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	mask = umask(0133);
	fd = open(LOCK, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0644);
	umask(mask);
	return fd;
}

int counting_lock_machine(int *out, struct cdict_error *err)
{
	int fd = open_lock(), len;
	char pid[16] = "";
	ssize_t n;

	*out = fd;
	if (fd < 0)
		return cdict_fail(err, -errno, CDICT_NO_OFFSET, "%s: %s", LOCK, strerror(errno));
	if (!flock(fd, LOCK_EX | LOCK_NB)) {
		len = snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
		n = ftruncate(fd, 0) ? -1 : pwrite(fd, pid, (size_t)len, 0); /* only informs */
		(void)n;
		return 0;
	}
	n = pread(fd, pid, sizeof(pid) - 1, 0);
	pid[n > 0 ? strspn(pid, "0123456789") : 0] = 0;
	close(fd);
	*out = -1;
	return cdict_fail(
		err, -EBUSY, CDICT_NO_OFFSET,
		"process %s counts this whole machine already, and the job would have each "
		"event twice; wait for it, or count a command ('-- COMMAND') or processes "
		"(-p)",
		*pid ? pid : "unknown");
}
