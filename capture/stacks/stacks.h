/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * stacks.h - the call chains of what is recorded, named while it is recorded: programs are there then, and so are the
 * containers that they are in.
 *
 * Threads    any: readers tell of processes, encoders ask for stacks, who writes a file takes what is new
 * Ownership  stacks_new() gives, stacks_free() takes (NULL is fine)
 */
#ifndef CAPTURE_STACKS_H
#define CAPTURE_STACKS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct cdict_writer;
struct stacks;
struct unwind_sample;

/* What stacks, frames and their names may take; with more, further ones are left out. */
#define STACKS_BYTES ((size_t)64 << 20)
/* All of it: the kernel's symbols and what is mapped, too. */
#define STACKS_BYTES_ALL ((size_t)176 << 20)

int stacks_new(struct stacks **out, struct cdict_error *err);
void stacks_free(struct stacks *s);

/* stacks_why - "": kernel and programs have names; else what has none, and why. */
const char *stacks_why_kernel(const struct stacks *s);
const char *stacks_why_programs(const struct stacks *s);

/* stacks_processes - those that are there, before the records of others. */
void stacks_processes(struct stacks *s);
/* stacks_record - FORK, EXIT, COMM, MMAP2. */
void stacks_record(struct stacks *s, const struct perf_event_header *record, uint64_t t_ns);

struct stacks_sample {
	int32_t pid;
	uint64_t t_ns;
	uint8_t mode;
	const uint8_t *chain; /* u64 entries as the kernel gives them */
	uint64_t n_chain;
	const struct unwind_sample *user; /* for the program's part; NULL: the chain has it */
};

/* stacks_find - the number of a sample's stack. */
uint32_t stacks_find(struct stacks *s, const struct stacks_sample *sample);

/* stacks_begin - a file begins: nothing is in it. stacks_write - what is new since; stacks_waiting - so many bytes,
 * about. */
void stacks_begin(struct stacks *s);
int stacks_write(struct stacks *s, struct cdict_writer *w, struct cdict_error *err);
size_t stacks_waiting(struct stacks *s);
/* stacks_full - some were left out. stacks_out_of_memory - or have no names, for that. */
bool stacks_full(struct stacks *s);
bool stacks_out_of_memory(struct stacks *s);

#endif
