/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * target.h - the file that a recording is written to while it goes on.
 *
 * It appears under its own name as soon as its head is whole (what it is a recording of, and
 * the event types), so that whatever ends the recorder, kill -9 included, leaves a file that
 * opens and holds everything up to the last whole block. Before that nothing is seen, and
 * nothing is left behind: the file has no name yet. The rest is base/system/outfile.h's.
 *
 * A disk that gets full must not take the end of the file, its index: space for that is reserved
 * ahead, behind the file's end, where nobody sees it. What was not used is given back at the end.
 *
 * Threads    one at a time
 * Failure    negative code with *err filled
 * Ownership  open gives, close takes
 */
#ifndef CAPTURE_TARGET_H
#define CAPTURE_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/system/outfile.h"

struct target;

int target_open(struct target **out, const struct outfile_options *opts, struct cdict_error *err);
/* target_write - all of it or a negative errno; a cdict_write_fn. */
int target_write(void *target, const void *data, size_t size);
/* target_reserve - whether so many @bytes more can be written: 0 or a negative errno; then what was
 * reserved before is still there. 0 where it cannot be told: a pipe, some file systems. */
int target_reserve(struct target *t, uint64_t bytes);
/* target_show - the head is whole: the file gets its name. */
int target_show(struct target *t, struct cdict_error *err);
/* target_mark - what was written so far is whole; target_trim takes back what came after. */
void target_mark(struct target *t);
void target_trim(struct target *t);
uint64_t target_bytes(const struct target *t);
int target_fd(const struct target *t);
/* target_close - closes, standard output too; a full disk of a network file system shows only here. */
int target_close(struct target *t, struct cdict_error *err);

#endif
