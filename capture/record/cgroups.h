/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroups.h - the control group of each task of a live recording: record --all-cgroups.
 *
 * Every sample has the id of its task's group (PERF_SAMPLE_CGROUP, Linux 5.7); ids have the paths
 * of the folders in the cgroup2 file system, read at the start, and of PERF_RECORD_CGROUP after that.
 *
 * Threads    the readers of all rings may call record_cgroups_sample() and _record() at once
 * Ownership  new gives, free takes (NULL is fine)
 */
#ifndef CAPTURE_RECORD_CGROUPS_H
#define CAPTURE_RECORD_CGROUPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct record_cgroups;

/* record_cgroups_new - -ENOTSUP: the kernel has no PERF_SAMPLE_CGROUP, or no cgroup2 is mounted. */
int record_cgroups_new(struct record_cgroups **out, struct cdict_error *err);
void record_cgroups_free(struct record_cgroups *c);

/* @pid: offset of the task in the sample. */
void record_cgroups_sample(struct record_cgroups *c, const void *record, size_t size, uint8_t pid);
void record_cgroups_record(struct record_cgroups *c, const void *record, size_t size);

/* record_cgroups_each - calls @fn for each task seen so far whose group has a known path, until it
 * returns other than 0; -ENOMEM when a task or path was lost. */
int record_cgroups_each(struct record_cgroups *c,
			int (*fn)(void *ctx, int32_t pid, int32_t tid, const char *path),
			void *ctx);

#endif
