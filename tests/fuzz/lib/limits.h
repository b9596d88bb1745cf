/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * limits.h - the memory that a target may hold at a time: as in DESIGN, 64 MiB and eight times the
 * input; and how much it may print.  In a build without ASan memory is not counted; libFuzzer's -timeout
 * counts the time.
 */
#ifndef TESTS_FUZZ_LIB_LIMITS_H
#define TESTS_FUZZ_LIB_LIMITS_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* <sanitizer/allocator_interface.h>, which gcc and clang keep in folders of their own. */
int __sanitizer_install_malloc_and_free_hooks(void (*taken)(const volatile void *, size_t),
					      void (*given)(const volatile void *))
	__attribute__((weak));
size_t __sanitizer_get_allocated_size(const volatile void *p) __attribute__((weak));

static atomic_long limits_held;
static long limits_most = INT64_MAX;

static void limits_taken(const volatile void *p, size_t size)
{
	(void)p;
	if (atomic_fetch_add(&limits_held, (long)size) + (long)size > limits_most) {
		limits_most = INT64_MAX;
		fprintf(stderr, "%ld bytes are held at a time\n", (long)limits_held);
		abort();
	}
}

static void limits_given(const volatile void *p)
{
	if (p)
		atomic_fetch_sub(&limits_held, (long)__sanitizer_get_allocated_size(p));
}

/* limits_begin - from now on, for an input of @size bytes. */
static inline void limits_begin(size_t size)
{
	static int installed;

	if (!installed) {
		installed = 1;
		if (__sanitizer_install_malloc_and_free_hooks)
			__sanitizer_install_malloc_and_free_hooks(limits_taken, limits_given);
	}
	limits_most = limits_held + (64l << 20) + 8 * (long)size;
}

/* limits_end - allocations from here on are not the target's. */
static inline void limits_end(void)
{
	limits_most = INT64_MAX;
}

/* limits_output - after @printed bytes of output for an input of @size: at most 64 times as many, or 20 MB. */
static inline void limits_output(size_t printed, size_t size)
{
	if (printed > 20000000 && printed / 64 > size) {
		fprintf(stderr, "%zu bytes are printed of %zu\n", printed, size);
		abort();
	}
}

#endif
