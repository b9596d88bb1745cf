/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * cpulist.h - CPU lists as used by the kernel and perf: "0-3,8".
 *
 *	while (cpulist_next(&p, &from, &to))
 *		...;			// @p is after the list
 */
#ifndef BASE_TEXT_CPULIST_H
#define BASE_TEXT_CPULIST_H

#include <stdbool.h>
#include <stdint.h>

#define CPULIST_MAX 65536u /* CPUs are below it; Linux allows 8192 */

/* cpulist_next - parses the range at *@p and moves *@p after it, and after its comma when another range follows;
 * false when there is no range, or when it counts down or exceeds CPULIST_MAX. */
bool cpulist_next(const char **p, uint32_t *from, uint32_t *to);

#endif
