/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kallsyms.h - a kernel's functions by address, from /proc/kallsyms or a copy of it.
 *
 * Threads    any number of threads may look up
 * Ownership  kallsyms_read() gives, kallsyms_free() takes (NULL is fine); results are borrowed
 */
#ifndef CONVERT_SYMBOLS_KALLSYMS_H
#define CONVERT_SYMBOLS_KALLSYMS_H

#include <stdbool.h>

#include "cdict/error.h"
#include "cdict/stack.h"

struct kallsyms;

/* kallsyms_read - reads @path below @dir: 0; -EACCES if addresses are hidden
 * (kernel.kptr_restrict), -ENOENT, -ENOMEM. */
int kallsyms_read(struct kallsyms **out, int dir, const char *path);
void kallsyms_free(struct kallsyms *k);

/* kallsyms_address - the address of a function of the kernel itself; 0: none. */
uint64_t kallsyms_address(const struct kallsyms *k, const char *function);
/* kallsyms_move - subtracts @delta from the addresses of the kernel itself, which another boot had
 * elsewhere; leaves out modules, whose addresses were others. */
void kallsyms_move(struct kallsyms *k, uint64_t delta);

/* kallsyms_resolve - finds the function at frame->address and "[kernel.kallsyms]" or "[module]",
 * named as in perf; false: no function. */
bool kallsyms_resolve(const struct kallsyms *k, struct cdict_frame *frame);

#endif
