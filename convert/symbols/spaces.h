/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spaces.h - the mappings of each process over time: from /proc when the recording begins, from the
 * kernel's records later. Samples are resolved a second or more after they happened, when their
 * process may have called exec, or have ended.
 *
 * Units      *_ns  of the recording's clock; 0: since the beginning
 * Threads    one at a time
 * Failure    when out of memory, or beyond SPACES_VMAS mappings: some mappings are unknown
 */
#ifndef CONVERT_SYMBOLS_SPACES_H
#define CONVERT_SYMBOLS_SPACES_H

#include <linux/perf_event.h>

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"

#define SPACES_VMAS ((size_t)1 << 20)

/* An executable mapping. */
struct vma {
	uint64_t start, end;
	uint64_t offset, inode; /* offset in the file; the file's inode */
	const char *path;
};

/* The address space of a process, from an exec, a fork or an unmapping to the next one. */
struct space {
	struct space *older;
	uint64_t number; /* unique */
	uint64_t from_ns;
	ARRAY(struct vma) vmas;
};

/* A zeroed struct is empty. */
struct spaces {
	struct map by_pid; /* index in processes */
	ARRAY(struct process_spaces {
		struct space *newest;
		uint64_t ended_ns; /* 0: still alive */
	})
	processes;
	struct stringset paths;
	uint64_t numbers;
	size_t n_vmas, n_spaces, tidy_at;
};

void spaces_fini(struct spaces *s);

/* spaces_read - reads all processes in @proc ("/proc"). */
void spaces_read(struct spaces *s, const char *proc);
/* spaces_record - handles FORK, EXIT, COMM and MMAP2 of @t_ns; ignores other records. */
void spaces_record(struct spaces *s, const struct perf_event_header *record, uint64_t t_ns);

/* spaces_find - the address space at @t_ns; NULL when it is unknown. */
const struct space *spaces_find(const struct spaces *s, int32_t pid, uint64_t t_ns);
const struct vma *space_vma(const struct space *space, uint64_t address);

#endif
