/* SPDX-License-Identifier: GPL-2.0-only */
/* coverage.h - included by every file of `make coverage`: counts coverage of a child before its _exit(), too. */
#ifndef TESTS_TOOLS_SOURCE_COVERAGE_H
#define TESTS_TOOLS_SOURCE_COVERAGE_H

#include <unistd.h>

void __gcov_dump(void);

static inline _Noreturn void coverage_exit(int status)
{
	__gcov_dump();
	_exit(status);
}
#define _exit(status) coverage_exit(status)

#endif
