/* SPDX-License-Identifier: GPL-2.0-only */
/* Explains why tracing is not permitted. */
#include "capture/host/permit.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "capture/host/tracefs.h"

#define CAP_SYS_ADMIN 21
#define CAP_PERFMON 38
/* PROC_USER_INIT_INO of the kernel's <linux/proc_ns.h>. */
#define INITIAL_USER_NAMESPACE 0xEFFFFFFDu

static bool capable(unsigned cap)
{
	char *status = tracefs_read("/proc/self/status", NULL);
	const char *line = status ? strstr(status, "\nCapEff:") : NULL;
	uint64_t caps = line ? strtoull(line + 8, NULL, 16) : 0;

	free(status);
	return caps >> cap & 1;
}

static bool locked_down(void)
{
	char *text = tracefs_read("/sys/kernel/security/lockdown", NULL);
	bool yes = text && strstr(text, "[confidentiality]");

	free(text);
	return yes;
}

const char *permit_setcap(char *out, size_t size)
{
	char self[PATH_MAX] = "cdict";
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (n > 0)
		self[n] = '\0';
	/* For tracing; for locking large rings; for reading tracefs, which belongs to root; for kernel addresses. */
	snprintf(out, size, "setcap cap_perfmon,cap_ipc_lock,cap_dac_read_search,cap_syslog=ep %s",
		 self);
	return out;
}

bool permit_in_user_namespace(void)
{
	struct stat st;

	return !stat("/proc/self/ns/user", &st) && st.st_ino != INITIAL_USER_NAMESPACE;
}

int permit_explain(int code, struct cdict_error *err)
{
	char *paranoid = tracefs_read("/proc/sys/kernel/perf_event_paranoid", NULL);
	char setcap[PATH_MAX + 80];
	int ret;

	if (locked_down())
		ret = cdict_fail(err, code, CDICT_NO_OFFSET,
				 "the kernel is locked down (confidentiality), which forbids "
				 "tracing: boot without lockdown=confidentiality");
	else if (permit_in_user_namespace())
		ret = cdict_fail(
			err, code, CDICT_NO_OFFSET,
			"tracing is not permitted in a user namespace (rootless container, unshare -U): "
			"it needs root or CAP_PERFMON in the initial one; record outside it");
	else if (capable(CAP_PERFMON) || capable(CAP_SYS_ADMIN))
		ret = cdict_fail(
			err, code, CDICT_NO_OFFSET,
			"tracing is not permitted despite CAP_PERFMON: "
			"a container's seccomp filter or a security module blocks perf_event_open");
	else
		ret = cdict_fail(err, code, CDICT_NO_OFFSET,
				 "tracing needs root or CAP_PERFMON (perf_event_paranoid is %ld): "
				 "run as root, or as root run %s",
				 paranoid ? strtol(paranoid, NULL, 10) : -1L,
				 permit_setcap(setcap, sizeof(setcap)));
	free(paranoid);
	return ret;
}
