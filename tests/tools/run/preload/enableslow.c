// SPDX-License-Identifier: GPL-2.0-only
/*
 * enableslow.c - each event of perf is switched on late, CPU by CPU, for LD_PRELOAD: live/evaluate.sh.
 *
 *	ENABLESLOW_US=n     so many microseconds late
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

int ioctl(int fd, unsigned long request, ...)
{
	int (*real)(int, unsigned long, void *) =
		(int (*)(int, unsigned long, void *))dlsym(RTLD_NEXT, "ioctl");
	const char *us = getenv("ENABLESLOW_US");
	va_list ap;
	void *arg;

	va_start(ap, request);
	arg = va_arg(ap, void *);
	va_end(ap);
	if (request == PERF_EVENT_IOC_ENABLE && us)
		usleep((useconds_t)atoi(us));
	return real(fd, request, arg);
}
