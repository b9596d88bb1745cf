/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacks.h - the call chains of recorded samples, with names resolved during the recording: the
 * programs, and the containers that they run in, still exist then.
 *
 * Threads    any: readers report processes, encoders look up stacks, the thread that writes the
 *            file takes new ones
 * Ownership  stacks_new() gives, stacks_free() takes (NULL is fine)
 */
#ifndef CAPTURE_STACKS_STACKS_H
#define CAPTURE_STACKS_STACKS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct cdict_writer;
struct stacks;
struct unwind_sample;

/* Limit of memory for stacks, frames and their names; beyond it, further ones are left out. */
#define STACKS_BYTES ((size_t)64 << 20)
/* Limit in total: with the kernel's symbols and the mappings. */
#define STACKS_BYTES_ALL ((size_t)176 << 20)

int stacks_new(struct stacks **out, struct cdict_error *err);
void stacks_free(struct stacks *s);

/* stacks_why_* - "": kernel or programs have names; else what has no names, and why. */
const char *stacks_why_kernel(const struct stacks *s);
const char *stacks_why_programs(const struct stacks *s);

/* stacks_processes - reads the existing processes, before the first stacks_record(). */
void stacks_processes(struct stacks *s);
/* stacks_record - handles FORK, EXIT, COMM, MMAP2. */
void stacks_record(struct stacks *s, const struct perf_event_header *record, uint64_t t_ns);

struct stacks_sample {
	int32_t pid;
	uint64_t t_ns;
	uint8_t mode;
	const uint8_t *chain; /* u64 entries as in the kernel's sample */
	uint64_t n_chain;
	const struct unwind_sample *user; /* to unwind the user part; NULL: it is in the chain */
};

/* stacks_find - returns the number of a sample's stack, adding it if new. */
uint32_t stacks_find(struct stacks *s, const struct stacks_sample *sample);

/* stacks_begin - a new file begins, with no stacks in it. stacks_write - writes the stacks added
 * since; stacks_waiting - their approximate bytes. */
void stacks_begin(struct stacks *s);
int stacks_write(struct stacks *s, struct cdict_writer *w, struct cdict_error *err);
size_t stacks_waiting(struct stacks *s);
/* stacks_full - true when some stacks were left out. stacks_out_of_memory - or have no names,
 * because memory ran out. */
bool stacks_full(struct stacks *s);
bool stacks_out_of_memory(struct stacks *s);

#endif
