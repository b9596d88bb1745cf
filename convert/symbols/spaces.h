/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spaces.h - the mappings of each process over time: from /proc when the recording begins, from the
 * records of the kernel later. Samples are resolved after they happened, when their process may have
 * called exec, or have ended.
 *
 * Units      *_ns  of the recording's clock; 0: since the beginning
 * Threads    one at a time
 * Failure    when out of memory, or beyond the limit of mappings: some are unknown
 */
#ifndef CONVERT_SYMBOLS_SPACES_H
#define CONVERT_SYMBOLS_SPACES_H

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "convert/symbols/vmas.h"

#define SPACES_VMAS ((size_t)1 << 19)

/* The address space of a process, from a fork or a mapping over another one to the next. As in
 * perf, an exec removes no mappings: until the new program runs, its callers are the old one's. */
struct space {
	uint64_t number; /* unique */
	uint64_t from_ns;
	struct vmas vmas;
};

/* A zeroed struct is empty. */
struct spaces {
	size_t max_vmas;    /* limit of mappings; 0: SPACES_VMAS */
	bool keep;          /* all spaces, not only those of the last seconds */
	bool full;          /* some mappings are unknown, beyond that limit */
	bool out_of_memory; /* or because memory ran out */
	struct map by_pid;  /* index in processes */
	ARRAY(struct process_spaces {
		ARRAY(struct space) all; /* the oldest first */
		uint64_t ended_ns;       /* 0: still alive */
	})
	processes;
	struct vma_pool pool;
	struct stringset texts; /* paths and build ids */
	uint64_t numbers;
	size_t n_spaces, tidy_at;
};

void spaces_fini(struct spaces *s);

/* spaces_read - reads all processes in @proc ("/proc"). */
void spaces_read(struct spaces *s, const char *proc);
/* spaces_record - handles the record of @size bytes at @data, in big-endian byte order if @big:
 * FORK, EXIT, MMAP and MMAP2 of @t_ns; ignores others. */
void spaces_record(struct spaces *s, const void *data, size_t size, bool big, uint64_t t_ns);

/* spaces_find - the address space at @t_ns; NULL when it is unknown. Valid until the next record. */
const struct space *spaces_find(const struct spaces *s, int32_t pid, uint64_t t_ns);
const struct vma *space_vma(const struct space *space, uint64_t address);

#endif
