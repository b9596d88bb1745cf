/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * chains.h - the call chain of a sample, with symbols that somebody resolves, as a stack
 * of the file's dictionary.
 *
 * Kernel addresses are asked for once each. Those of a process are asked for once in each
 * address space, or, where nobody tells which it is, every time: another program may have been
 * loaded there meanwhile.
 *
 * Threads    one at a time
 */
#ifndef CONVERT_CHAINS_H
#define CONVERT_CHAINS_H

#include "base/memory/map.h"
#include "format/file/stacks.h"

/* The zero value is empty. */
struct chains {
	struct stack_dict dict;
	struct map kernel, user; /* frames, by address, of users by address and space */
	uint32_t *frames;        /* of one stack */
	size_t max_bytes;        /* of all this; 0: no bound but the format's */
	bool full;               /* some stack found no room: it is left out */
	bool out_of_memory;      /* the same, for that */
};

/* A sample's chain, and who knows what lies at its addresses. */
struct chain {
	const void
		*entries; /* u64 PERF_CONTEXT_* marks and addresses, in this machine's byte order */
	uint64_t n;
	uint8_t mode;   /* cpumode of the sample */
	uint64_t space; /* of user addresses, 0: not known */
	/* Fills symbol, offset and object, which are "" and 0, as far as they are known; they are copied. False: it
	 * may be known later, and is to be asked again. */
	bool (*resolve)(void *ctx, struct cdict_frame *frame);
	void *ctx;
};

void chains_fini(struct chains *c);

/* chains_stack - CDICT_NO_STACK when the chain is empty, or there is no room. */
uint32_t chains_stack(struct chains *c, const struct chain *chain);

#endif
