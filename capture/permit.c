/* SPDX-License-Identifier: GPL-2.0-only */
/* Why tracing is not allowed. */
#include "capture/permit.h"

#include <inttypes.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "capture/tracefs.h"

#define CAP_SYS_ADMIN 21
#define CAP_PERFMON 38

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
	/* To trace; to lock large rings; to read tracefs, which is root's. */
	snprintf(out, size, "setcap cap_perfmon,cap_ipc_lock,cap_dac_read_search=ep %s", self);
	return out;
}

int permit_explain(int code, struct cdict_error *err)
{
	char *paranoid = tracefs_read("/proc/sys/kernel/perf_event_paranoid", NULL);
	char setcap[PATH_MAX + 80];
	int ret;

	if (locked_down())
		ret = cdict_fail(err, code, CDICT_NO_OFFSET,
				 "the kernel is locked down (confidentiality) and lets nobody "
				 "trace: boot without lockdown=confidentiality");
	else if (capable(CAP_PERFMON) || capable(CAP_SYS_ADMIN))
		ret = cdict_fail(err, code, CDICT_NO_OFFSET,
				 "tracing is refused in spite of CAP_PERFMON: a container's "
				 "seccomp filter or a security module forbids perf_event_open");
	else
		ret = cdict_fail(err, code, CDICT_NO_OFFSET,
				 "tracing needs root or CAP_PERFMON (perf_event_paranoid is %ld): "
				 "run as root, or as root run %s",
				 paranoid ? strtol(paranoid, NULL, 10) : -1L,
				 permit_setcap(setcap, sizeof(setcap)));
	free(paranoid);
	return ret;
}
