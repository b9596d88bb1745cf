/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chains.h - turns the call chain of a sample, with symbols resolved by a callback, into a stack of
 * the file's dictionary.
 *
 * Kernel addresses are resolved once each. Those of a process are resolved once in each address
 * space, or, where the address space is unknown, every time: the process may have called exec
 * meanwhile.
 *
 * Threads    one at a time
 */
#ifndef CONVERT_STACKS_CHAINS_H
#define CONVERT_STACKS_CHAINS_H

#include "base/memory/map.h"
#include "format/file/stacks.h"

/* A zeroed struct is empty. */
struct chains {
	struct stack_dict dict;
	struct map kernel, user; /* frames, by address; for users, by address and space */
	uint32_t *frames;        /* of the current stack */
	size_t max_bytes;        /* limit of memory for all this; 0: only the format's limit */
	bool full;               /* a stack was left out because of that limit */
	bool out_of_memory;      /* or because memory ran out */
};

/* A sample's chain, and how to resolve its addresses. */
struct chain {
	const void
		*entries; /* u64 PERF_CONTEXT_* marks and addresses, in this machine's byte order */
	uint64_t n;
	uint8_t mode;   /* cpumode of the sample */
	uint64_t space; /* of user addresses; 0: unknown */
	/* Fills in symbol, offset and object, which are "" and 0, as far as they are known; they
	 * are copied. False: they may be known later; do not cache. */
	bool (*resolve)(void *ctx, struct cdict_frame *frame);
	void *ctx;
};

void chains_fini(struct chains *c);

/* chains_stack - returns CDICT_NO_STACK when the chain is empty, or does not fit. */
uint32_t chains_stack(struct chains *c, const struct chain *chain);

#endif
