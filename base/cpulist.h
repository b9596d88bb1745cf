/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * cpulist.h - CPUs as the kernel, perf and people list them: "0-3,8".
 *
 *	while (cpulist_next(&p, &from, &to))
 *		...;			// @p is behind what is a list
 */
#ifndef BASE_CPULIST_H
#define BASE_CPULIST_H

#include <stdbool.h>
#include <stdint.h>

#define CPULIST_MAX 65536u /* CPUs are below; Linux allows 8192 */

/* cpulist_next - the range at *@p, which goes behind it, and behind its comma when another one follows; false
 * when there is none, or one that counts down or is beyond CPULIST_MAX. */
bool cpulist_next(const char **p, uint32_t *from, uint32_t *to);

#endif
