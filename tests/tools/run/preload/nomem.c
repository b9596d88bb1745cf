// SPDX-License-Identifier: GPL-2.0-only
/*
 * nomem.c - allocations that fail, for LD_PRELOAD: tests/faults/nomem.
 *
 *	NOMEM_AT=n    the n-th allocation of the process fails, counted from 1
 *	NOMEM_FROM=n  the n-th and all after it fail
 *	NOMEM_OF=lib  only allocations asked for by a library of such a name are meant, as libdw
 *	NOMEM_LOG=fd  that descriptor gets the number of allocations, at the end
 *
 * libtraceevent's parser crashes on its own memory being short (1.7.1: strcmp() of what strdup() gave): within it
 * nothing fails, and nothing is counted.
 *
 * A program that counts on a call which it does not see (a buffer of stdio's, a sort's) may well
 * do the same without it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void *__libc_malloc(size_t n);
void *__libc_calloc(size_t n, size_t size);
void *__libc_realloc(void *p, size_t n);
void *__libc_memalign(size_t align, size_t n);

static atomic_ulong count;
static unsigned long at, from;
static const char *of;

__attribute__((constructor)) static void begin(void)
{
	const char *s = getenv("NOMEM_AT");

	at = s ? strtoul(s, NULL, 10) : 0;
	s = getenv("NOMEM_FROM");
	from = s ? strtoul(s, NULL, 10) : 0;
	of = getenv("NOMEM_OF");
	count = 0;
}

__attribute__((destructor)) static void end(void)
{
	const char *s = getenv("NOMEM_LOG");

	if (s)
		dprintf(atoi(s), "%lu\n", (unsigned long)count);
}

static __thread int spared;

struct tep_handle;

/* What libtraceevent exports. */
int tep_parse_event(struct tep_handle *tep, const char *buf, unsigned long size, const char *sys);
int tep_parse_event(struct tep_handle *tep, const char *buf, unsigned long size, const char *sys)
{
	static int (*theirs)(struct tep_handle *, const char *, unsigned long, const char *);
	int ret;

	spared++;
	if (!theirs)
		theirs = (__typeof__(theirs))dlsym(RTLD_NEXT, "tep_parse_event");
	ret = theirs(tep, buf, size, sys);
	spared--;
	return ret;
}

/* @caller: an address in the code of the caller */
static int fails(const void *caller)
{
	unsigned long n;
	Dl_info caller_info;

	if (spared || (of && (!dladdr(caller, &caller_info) || !strstr(caller_info.dli_fname, of))))
		return 0;
	n = ++count;

	if (n != at && !(from && n >= from))
		return 0;
	errno = ENOMEM;
	return 1;
}

void *malloc(size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

void *calloc(size_t n, size_t size)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

void *realloc(void *p, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

void *reallocarray(void *p, size_t n, size_t size)
{
	size_t all;

	if (__builtin_mul_overflow(n, size, &all)) {
		errno = ENOMEM;
		return NULL;
	}
	return fails(__builtin_return_address(0)) ? NULL : __libc_realloc(p, all);
}

void *aligned_alloc(size_t align, size_t n)
{
	return fails(__builtin_return_address(0)) ? NULL : __libc_memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
	*p = fails(__builtin_return_address(0)) ? NULL : __libc_memalign(align, n);
	return *p ? 0 : ENOMEM;
}
