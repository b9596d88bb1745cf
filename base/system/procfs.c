/* SPDX-License-Identifier: LGPL-2.1-only */
/* The small files of /proc. */
#include "base/system/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PF_KTHREAD 0x00200000 /* linux/sched.h */

int procfs_read(int dir, const char *path, struct buf *out, size_t most)
{
	int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	int rc;

	out->len = 0;
	if (fd < 0)
		return -errno;
	rc = fstat(fd, &st) ? -errno : S_ISREG(st.st_mode) ? 0 : -EINVAL;
	if (!rc)
		rc = buf_read(out, fd, most);
	close(fd);
	if (!rc && !buf_room(out, 1))
		rc = -ENOMEM;
	if (!rc)
		out->data[out->len] = 0;
	if (rc)
		out->len = 0;
	return rc;
}

int32_t procfs_number(const char *name)
{
	int64_t v = 0;

	if (*name == '0') /* "017" beside "17" in a saved tree would be the same task twice */
		return 0;
	for (const char *p = name; *p; p++) {
		if (*p < '0' || *p > '9')
			return 0;
		v = v * 10 + (*p - '0');
		if (v > INT32_MAX)
			return 0;
	}
	return (int32_t)v;
}

static uint64_t ns_of_ticks(uint64_t ticks)
{
	long hz = sysconf(_SC_CLK_TCK);
	uint64_t ns;

	if (hz <= 0 || hz > 1000000000)
		hz = 100;
	return __builtin_mul_overflow(ticks, UINT64_C(1000000000) / (uint64_t)hz, &ns) ? 0 : ns;
}

/* The next blank-separated number; false at the end or when it is not a number. */
static bool next_number(const char **p, const char *end, uint64_t *v)
{
	const char *start;

	while (*p < end && (**p == ' ' || **p == '\t'))
		(*p)++;
	if (*p < end && **p == '-') /* tty_nr and others; their value is not needed */
		(*p)++;
	start = *p;
	for (*v = 0; *p < end && **p >= '0' && **p <= '9'; (*p)++) {
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(**p - '0'), v))
			return false;
	}
	return *p != start;
}

bool procfs_parse_stat(struct procfs_stat *out, const char *text, size_t len)
{
	const char *open = memchr(text, '(', len), *close = memrchr(text, ')', len);
	const char *p, *end = text + len;
	size_t n;

	memset(out, 0, sizeof(*out));
	if (!open || !close || close < open)
		return false;
	n = (size_t)(close - open - 1);
	if (n >= sizeof(out->comm))
		n = sizeof(out->comm) - 1;
	memcpy(out->comm, open + 1, n);
	out->comm[strnlen(out->comm, n)] = 0;

	/* " S 1 1774 ...": the state is field 3. */
	for (p = close + 1; p < end && *p == ' '; p++)
		;
	p += p < end;
	for (int field = 4; field <= 22; field++) {
		uint64_t v;

		if (!next_number(&p, end, &v))
			break;
		if (field == 4 && v <= INT32_MAX)
			out->ppid = (int32_t)v;
		else if (field == 9)
			out->kernel_thread = v & PF_KTHREAD;
		else if (field == 22)
			out->start_ns = ns_of_ticks(v);
	}
	return true;
}

int32_t procfs_inner_pid(const char *status, size_t len)
{
	static const char key[] = "\nNSpid:";
	const char *p = memmem(status, len, key, sizeof(key) - 1), *end;
	uint64_t v, last = 0;

	if (!p)
		return 0;
	p += sizeof(key) - 1;
	end = memchr(p, '\n', len - (size_t)(p - status));
	if (!end)
		end = status + len;
	while (next_number(&p, end, &v))
		last = v;
	return last <= INT32_MAX ? (int32_t)last : 0;
}
