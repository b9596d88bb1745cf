/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unwind.h - the callers of a program's function, from its registers and the top of its stack as they were, by the
 * unwind tables of its files (.eh_frame), which libdw reads: programs need no frame pointers for that.
 *
 * libdw knows processes, each with modules of its own. Here it knows one, in which each file has a place once; registers
 * and what is read of a stack are told as if the code lay there. So a file's tables are read once, not for each process.
 *
 * Threads    one at a time
 * Failure    what cannot be unwound ends the chain, as for perf
 */
#ifndef CAPTURE_UNWIND_H
#define CAPTURE_UNWIND_H

#include "capture/stacks/elfsyms.h"

/* perf's, and the kernel's, of chains by frame pointers. */
#define UNWIND_DEPTH 127u

/* perf_event_attr.sample_regs_user: what is needed; 0: of this machine not known. */
extern const uint64_t unwind_regs;

/* What a sample has behind its raw fields: the kernel's words, in this machine's byte order. */
struct unwind_sample {
	const uint8_t *regs; /* NULL: none, of a kernel thread or a 32-bit program */
	const uint8_t *stack;
	uint64_t stack_bytes;
};

/* unwind_sample_read - from the @n bytes there; false: they are no such fields. */
bool unwind_sample_read(struct unwind_sample *out, const uint8_t *at, size_t n);

/* A file's code, where the process has it and where libdw does. */
struct unwind_place {
	struct vma vma;
	uint32_t file;
	uint64_t delta; /* libdw's address less the process's */
};

/* The zero value is empty. */
struct unwinder {
	struct Dwfl *dwfl;
	bool failed;                       /* libdw will not */
	ARRAY(uint8_t) files;              /* by number in elfsyms: enum file_state */
	ARRAY(struct unwind_place) places; /* of @space */
	uint64_t space;                    /* its number; 0: none */
	/* The sample in work, and its addresses so far. */
	struct elfsyms *symbols;
	const struct space *in;
	int32_t pid;
	const struct unwind_sample *sample;
	uint64_t chain[UNWIND_DEPTH];
	size_t n;
};

void unwinder_fini(struct unwinder *u);

/* unwind - how many addresses of process @pid are in u->chain, the innermost first. */
size_t unwind(struct unwinder *u, struct elfsyms *symbols, const struct space *space, int32_t pid,
	      const struct unwind_sample *sample);

#endif
