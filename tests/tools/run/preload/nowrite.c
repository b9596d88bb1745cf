// SPDX-License-Identifier: GPL-2.0-only
/*
 * nowrite.c - calls that change files and fail, for LD_PRELOAD: tests/faults/outputs/failing.sh.
 *
 *	NOWRITE_AT=n     the n-th such call of the process fails, counted from 1
 *	NOWRITE_FROM=n   the n-th and all after it fail
 *	NOWRITE_HOW=e    with that errno; 0: a write is short by half instead, the others do as always
 *	NOWRITE_KILL=1   instead the process is killed by SIGKILL
 *	NOWRITE_LOG=fd   that descriptor gets the number of calls, at the end
 *
 * Standard output and error are no files here; a disk that is full or broken still unlinks.
 */
#undef _FORTIFY_SOURCE /* to clang (glibc 2.40) the fortified calls are overloads, whose addresses cannot be taken */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_ulong count;
static unsigned long at, from;
static int how, killed;

static unsigned long number(const char *name)
{
	const char *s = getenv(name);

	return s ? strtoul(s, NULL, 10) : 0;
}

__attribute__((constructor)) static void begin(void)
{
	at = number("NOWRITE_AT");
	from = number("NOWRITE_FROM");
	how = (int)number("NOWRITE_HOW");
	killed = (int)number("NOWRITE_KILL");
}

__attribute__((destructor)) static void end(void)
{
	const char *s = getenv("NOWRITE_LOG");

	if (s)
		dprintf(atoi(s), "%lu\n", (unsigned long)count);
}

static int fails(void)
{
	unsigned long n = ++count;

	if (n != at && !(from && n >= from))
		return 0;
	if (killed)
		kill(getpid(), SIGKILL);
	errno = how;
	return 1;
}

#define THEIRS(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))

ssize_t write(int fd, const void *data, size_t size)
{
	if (fd > 2 && fails()) {
		if (how)
			return -1;
		size = size / 2 ? size / 2 : size;
	}
	return THEIRS(write)(fd, data, size);
}

/* SQLite's: its database, and where a sort goes that memory does not hold. With 64-bit offsets both are one. */
static ssize_t pwrite_or_fail(ssize_t (*theirs)(int, const void *, size_t, off64_t), int fd,
			      const void *data, size_t size, off64_t at_byte)
{
	if (fails()) {
		if (how)
			return -1;
		size = size / 2 ? size / 2 : size;
	}
	return theirs(fd, data, size, at_byte);
}

ssize_t pwrite64(int fd, const void *data, size_t size, off64_t at_byte)
{
	return pwrite_or_fail(THEIRS(pwrite64), fd, data, size, at_byte);
}

int open64(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	if ((flags & O_ACCMODE) != O_RDONLY && fails() && how)
		return -1;
	return THEIRS(open64)(path, flags, mode);
}

#define FAILING(type, name, params, args)                                                          \
	type name params                                                                           \
	{                                                                                          \
		return fails() && how ? -1 : THEIRS(name) args;                                    \
	}

FAILING(int, fsync, (int fd), (fd))
FAILING(int, fchmod, (int fd, mode_t mode), (fd, mode))
FAILING(int, ftruncate, (int fd, off_t size), (fd, size))
FAILING(int, renameat, (int a, const char *b, int c, const char *d), (a, b, c, d))
FAILING(int, linkat, (int a, const char *b, int c, const char *d, int flags), (a, b, c, d, flags))

/* As the other: with 64-bit offsets its symbol is openat64. */
int openat(int dir, const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	va_start(ap, flags);
	if (flags & (O_CREAT | O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	if ((flags & O_ACCMODE) != O_RDONLY && fails() && how)
		return -1;
	return THEIRS(openat)(dir, path, flags, mode);
}
