/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * unwind.h - finds the callers of a user function, from the sampled registers and top of the stack,
 * by the unwind tables of its files (.eh_frame), which libdw reads: programs need no frame pointers
 * for that.
 *
 * libdw keeps modules per process. Here it has a single process, in which each file is placed once;
 * registers and stack contents are translated to these addresses. So a file's tables are read once,
 * not once per process.
 *
 * Threads    one at a time
 * Failure    a frame that cannot be unwound ends the chain, as in perf
 */
#ifndef CONVERT_SYMBOLS_UNWIND_H
#define CONVERT_SYMBOLS_UNWIND_H

#include "convert/symbols/elfsyms.h"

/* perf's limit, and the kernel's for chains by frame pointers. */
#define UNWIND_DEPTH 127u

/* perf_event_attr.sample_regs_user: the registers needed; 0: this machine is not supported. */
extern const uint64_t unwind_regs;

/* A sample's data after its raw fields: words as written by the kernel, in native byte order. */
struct unwind_sample {
	const uint8_t *regs; /* NULL: a kernel thread or a 32-bit program has none */
	const uint8_t *stack;
	uint64_t stack_bytes;
};

/* unwind_sample_read - parses the @n bytes @at; false: they are malformed. */
bool unwind_sample_read(struct unwind_sample *out, const uint8_t *at, size_t n);

/* A file's code, at the addresses of the process and of libdw. */
struct unwind_place {
	struct vma vma;
	uint32_t file;
	uint64_t delta; /* libdw's address minus the process's */
};

/* A zeroed struct is empty. */
struct unwinder {
	struct Dwfl *dwfl;
	bool failed;                       /* libdw cannot be used */
	ARRAY(uint8_t) files;              /* enum file_state, by number in elfsyms */
	ARRAY(struct unwind_place) places; /* of @space */
	uint64_t space;                    /* number of the address space; 0: none */
	/* The current sample, and its addresses so far. */
	struct elfsyms *symbols;
	const struct space *in;
	int32_t pid;
	const struct unwind_sample *sample;
	uint64_t chain[UNWIND_DEPTH];
	size_t n;
};

void unwinder_fini(struct unwinder *u);

/* unwind - puts the addresses of process @pid into u->chain, the innermost first; returns their
 * number. */
size_t unwind(struct unwinder *u, struct elfsyms *symbols, const struct space *space, int32_t pid,
	      const struct unwind_sample *sample);

#endif
