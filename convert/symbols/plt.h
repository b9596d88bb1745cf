/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * plt.h - the entries of an ELF file's procedure linkage table, which no symbol table lists. perf
 * names them "read@plt".
 *
 * Threads    one at a time
 */
#ifndef CONVERT_SYMBOLS_PLT_H
#define CONVERT_SYMBOLS_PLT_H

#include "base/memory/stringset.h"
#include "convert/symbols/functions.h"

/* plt_read - adds the entries found in the @size bytes of the file @data to @f, with @bias added to
 * their addresses, at most @most; names are stored in @names. 0 or -ENOMEM. */
int plt_read(struct functions *f, const void *data, size_t size, uint64_t bias, size_t most,
	     struct stringset *names);

#endif
