/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * spaces.h - what was mapped where in which process, and when: from /proc when the recording begins, from the
 * kernel's records since. Samples are resolved a second and more after they happened, when their process may have
 * become another program, or be gone.
 *
 * Units      *_ns  of the recording's clock; 0: since ever
 * Threads    one at a time
 * Failure    out of memory, and more mappings than SPACES_VMAS: some are not known
 */
#ifndef CAPTURE_SPACES_H
#define CAPTURE_SPACES_H

#include <linux/perf_event.h>

#include "base/memory/array.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"

#define SPACES_VMAS ((size_t)1 << 20)

/* Executable memory. */
struct vma {
	uint64_t start, end;
	uint64_t offset, inode; /* in the file, and which it is */
	const char *path;
};

/* Of a process, from an exec, a fork or an unmapping to the next one. */
struct space {
	struct space *older;
	uint64_t number; /* no other has it */
	uint64_t from_ns;
	ARRAY(struct vma) vmas;
};

/* The zero value is empty. */
struct spaces {
	struct map by_pid; /* index in processes */
	ARRAY(struct process_spaces {
		struct space *newest;
		uint64_t ended_ns; /* 0: it lives */
	})
	processes;
	struct stringset paths;
	uint64_t numbers;
	size_t n_vmas, n_spaces, tidy_at;
};

void spaces_fini(struct spaces *s);

/* spaces_read - all processes of @proc ("/proc"). */
void spaces_read(struct spaces *s, const char *proc);
/* spaces_record - FORK, EXIT, COMM and MMAP2 of @t_ns; other records are none of its. */
void spaces_record(struct spaces *s, const struct perf_event_header *record, uint64_t t_ns);

/* spaces_find - as it was; NULL when nothing is known. */
const struct space *spaces_find(const struct spaces *s, int32_t pid, uint64_t t_ns);
const struct vma *space_vma(const struct space *space, uint64_t address);

#endif
