/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * outfile.h - an output file that appears whole, or not at all.
 *
 * Data goes to a temporary name in the target's directory; commit renames it
 * over the target.  "-" is standard output, and what is no regular file (a pipe,
 * /dev/null, a terminal) is written directly: there is nothing to take back.
 * A symbolic link stays and its target is replaced.  The new file has the mode
 * (and, where allowed, the owner) of the one it replaces, else what umask says.
 *
 * Threads    one at a time
 * Failure    0 or a negative errno with *err filled; the first failed write is
 *            remembered and returned by commit
 * Ownership  open gives; commit and abort take
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct outfile;

int outfile_open(struct outfile **out, const char *path, struct cdict_error *err);

/* outfile_write - all of @size bytes or a negative errno.  Its signature is
 * cdict_write_fn, with the outfile as ctx. */
int outfile_write(void *of, const void *data, size_t size);

uint64_t outfile_bytes(const struct outfile *of); /* written so far */

/* outfile_temporary - the name to unlink should the program die, or NULL when
 * there is none (standard output, special files). */
const char *outfile_temporary(const struct outfile *of);

/* outfile_commit - closes, and renames to the target.  With @sync the data is on
 * disk before the name is.  On failure nothing is left and the old file stays. */
int outfile_commit(struct outfile *of, bool sync, struct cdict_error *err);
/* outfile_abort - closes and removes; NULL is fine. */
void outfile_abort(struct outfile *of);

/* outfile_write_all - all of @size bytes to @fd, which may be one that does not wait; adds to *@bytes what was
 * written. 0 or a negative errno. */
int outfile_write_all(int fd, const void *data, size_t size, uint64_t *bytes);
/* outfile_is_direct - whether what is there as @path stands for something else than a file that can be
 * replaced: a pipe, a device, an open file (/dev/stdout, /proc/self/fd/1). */
struct stat;
bool outfile_is_direct(const char *path, const struct stat *st);

#endif
