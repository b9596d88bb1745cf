/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens an event of perf in the form in which this machine has it. */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "capture/host/events.h"

int event_open(struct perf_event_attr *attr, int tid, int cpu, int group)
{
	return (int)syscall(SYS_perf_event_open, attr, tid, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

bool event_is_uncountable(int code)
{
	return code == ENOENT || code == EOPNOTSUPP || code == ENODEV || code == EINVAL ||
	       code == ENOSYS;
}

int event_try(struct perf_event_attr *attr, int tid, int cpu, bool *user_only)
{
	struct perf_event_attr try = *attr;
	int fd;

	try.size = sizeof(try);
	try.disabled = 1;
	fd = event_open(&try, tid, cpu, -1);
	while (fd < 0 && (errno == EINVAL || errno == EOPNOTSUPP) && try.precise_ip) {
		try.precise_ip--;
		fd = event_open(&try, tid, cpu, -1);
	}
	if (fd < 0 && (errno == EINVAL || errno == EOPNOTSUPP) && try.exclude_guest) {
		try.exclude_guest = 0;
		fd = event_open(&try, tid, cpu, -1);
	}
	if (fd < 0 && errno == EACCES && user_only && !try.exclude_kernel) {
		try.exclude_kernel = try.exclude_hv = 1;
		fd = event_open(&try, tid, cpu, -1);
		*user_only = fd >= 0;
	}
	if (fd < 0)
		return -errno;
	attr->precise_ip = try.precise_ip;
	attr->exclude_guest = try.exclude_guest;
	attr->exclude_kernel = try.exclude_kernel;
	attr->exclude_hv = try.exclude_hv;
	return fd;
}
