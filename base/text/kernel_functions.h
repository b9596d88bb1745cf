/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * kernel_functions.h - the functions of a recording's kernel by their addresses: which of them occur, from its kallsyms, and
 * what they are called, from what a cdict keeps of those (INFO key trace.symbols).
 *
 * Of several names of one address it is the one that libtraceevent takes.
 *
 * Failure    0 or -ENOMEM; text that cannot be read ends the table: what was read before stays
 * Ownership  caller's storage, whose zero value is empty; the text is borrowed
 */
#ifndef BASE_TEXT_KERNEL_FUNCTIONS_H
#define BASE_TEXT_KERNEL_FUNCTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/array.h"
#include "base/memory/buf.h"

/* Functions that a cdict keeps; a kernel has about as many. */
#define KERNEL_FUNCTIONS_MAX (1u << 18)

struct kernel_function {
	uint64_t address;
	uint64_t size; /* 0: that address alone, by another name than what follows it */
	const char *name;
	uint32_t len;
};

/* Of kallsyms, where there are many. */
struct kernel_address {
	uint64_t address;
	uint32_t at; /* of its name in the text */
	bool occurs;
};

struct kernel_functions {
	ARRAY(struct kernel_function) all;   /* that were read, by address */
	ARRAY(struct kernel_address) listed; /* that were parsed, by address */
	const char *text;                    /* of kallsyms */
	struct buf
		name; /* of the one that was asked for last, for callers that need a trailing NUL */
};

/* kernel_functions_parse - lines "ffffffff81000000 T _text", or with "\t[module]" behind; of 4 GiB at most. */
int kernel_functions_parse(struct kernel_functions *k, const char *text);
/* kernel_functions_occurs - the function at @address, when there is one, is kept by kernel_functions_write(). O(log n). */
void kernel_functions_occurs(struct kernel_functions *k, uint64_t address);
/* kernel_functions_write - appends a line "address size name" of each that occurs, both numbers hexadecimal; of KERNEL_FUNCTIONS_MAX at
 * most. */
void kernel_functions_write(const struct kernel_functions *k, struct buf *out);

/* kernel_functions_read - these lines, KERNEL_FUNCTIONS_MAX at most. */
int kernel_functions_read(struct kernel_functions *k, const char *text);
/* kernel_functions_find - the function at @address, or NULL. */
const struct kernel_function *kernel_functions_find(const struct kernel_functions *k,
						    uint64_t address);

void kernel_functions_fini(struct kernel_functions *k);

#endif
