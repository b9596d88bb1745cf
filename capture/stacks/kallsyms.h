/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kallsyms.h - the running kernel's functions by address, from /proc/kallsyms.
 *
 * Threads    any number look up
 * Ownership  kallsyms_read() gives, kallsyms_free() takes (NULL is fine); what is looked up is borrowed
 */
#ifndef CAPTURE_KALLSYMS_H
#define CAPTURE_KALLSYMS_H

#include <stdbool.h>

#include "cdict/error.h"
#include "cdict/stack.h"

struct kallsyms;

/* kallsyms_read - @path below @dir: 0; -EACCES where addresses are hidden (kernel.kptr_restrict), -ENOENT, -ENOMEM. */
int kallsyms_read(struct kallsyms **out, int dir, const char *path);
void kallsyms_free(struct kallsyms *k);

/* kallsyms_resolve - the function at frame->address and "[kernel.kallsyms]" or "[module]", as perf names them; false:
 * there is none. */
bool kallsyms_resolve(const struct kallsyms *k, struct cdict_frame *frame);

#endif
