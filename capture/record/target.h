/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * target.h - the output file of a running recording.
 *
 * It appears under its name as soon as its head is complete (the scope and the event types), so
 * that however the recorder ends, even by kill -9, the file can be opened and holds everything up
 * to the last whole block. Before that the file has no name: nothing is visible, and nothing is
 * left behind. base/system/outfile.h does the rest.
 *
 * A full disk must not cost the end of the file, its index: space for it is reserved ahead, after
 * the end of the file, where it is invisible. Unused space is released at the end.
 *
 * Threads    one at a time
 * Failure    negative code with *err filled
 * Ownership  target_open() gives, target_close() takes
 */
#ifndef CAPTURE_RECORD_TARGET_H
#define CAPTURE_RECORD_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/system/outfile.h"

struct target;

int target_open(struct target **out, const struct outfile_options *opts, struct cdict_error *err);
/* target_write - writes all of @data, or returns a negative errno; a cdict_write_fn. */
int target_write(void *target, const void *data, size_t size);
/* target_reserve - reserves space for @bytes more: 0 or a negative errno; on failure the previous
 * reservation stays. Returns 0 where space cannot be reserved: a pipe, some file systems. */
int target_reserve(struct target *t, uint64_t bytes);
/* target_show - gives the file its name; its head is complete. */
int target_show(struct target *t, struct cdict_error *err);
/* target_mark - notes that everything written so far is whole; target_trim removes what was written
 * since. */
void target_mark(struct target *t);
void target_trim(struct target *t);
uint64_t target_bytes(const struct target *t);
int target_fd(const struct target *t);
/* target_stay - standard output stays open at the end: a further file follows. */
void target_stay(struct target *t);
/* target_close - closes, standard output too; a full disk of a network file system is reported only
 * here. */
int target_close(struct target *t, struct cdict_error *err);

#endif
