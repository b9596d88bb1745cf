/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * outfile.h - an output file that appears whole, or not at all, and destroys nothing: the one way in which
 * commands, recorder and plugin write.
 *
 * The data has no name (O_TMPFILE) until show or commit gives it one; where the file system has no such files, a
 * hidden one beside it. "-" is standard output, and what is no regular file (a pipe, /dev/null, a terminal) is
 * written directly: there is nothing to take back. A symbolic link stays and its target is replaced, unless a
 * stranger may have laid it (base/place.h).
 *
 * Of what is there under the name
 *   - an input (the same file by whatever name, or in a directory that is one) is never replaced;
 *   - a capture (cdict, perf.data) is never replaced by something else;
 *   - whatever a capture replaces is kept as NAME.old, as perf record does, which must be no input either;
 *   - what somebody writes at this moment (a recorder: it holds a lock on it) is not replaced.
 *
 * A capture is read and written by its owner only, who is the user that called sudo. Other files have the mode and,
 * where allowed, the owner of the one they replace, else what umask says.
 *
 * Threads    one at a time
 * Failure    0 or a negative code with *err filled (CDICT_EUSAGE: the output is an input); the first failed
 *            write is remembered and returned by commit
 * Ownership  open gives; commit and abort take
 */
#ifndef BASE_OUTFILE_H
#define BASE_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct outfile;

struct outfile_options {
	const char *path; /* borrowed until commit */
	bool capture;
	bool in_place; /* of the only input, whose mode and owner it gets */
	bool named; /* it has a hidden name at once, outfile_temporary(), by which a library can open it */
	/* What it is made of, and must not replace: "-" is standard input. Needed by open only, which looks what they are. */
	const char *const *inputs;
	size_t n_inputs;
};

/* outfile_check - what open would say, with nothing done. */
int outfile_check(const struct outfile_options *opts, struct cdict_error *err);
int outfile_open(struct outfile **out, const struct outfile_options *opts, struct cdict_error *err);

/* outfile_write - all of @size bytes or a negative errno.  Its signature is
 * cdict_write_fn, with the outfile as ctx. */
int outfile_write(void *of, const void *data, size_t size);

uint64_t outfile_bytes(const struct outfile *of); /* written so far */
int outfile_fd(const struct outfile *of);
/* outfile_is_direct - no file of ours: nothing can be reserved, taken back or renamed. */
bool outfile_is_direct(const struct outfile *of);
bool outfile_is_shown(const struct outfile *of);

/* outfile_temporary - the name to unlink should the program die, or NULL when
 * there is none. */
const char *outfile_temporary(const struct outfile *of);

/* outfile_show - gives the file its name now; more may be written. */
int outfile_show(struct outfile *of, struct cdict_error *err);
/* outfile_trim - takes back what was written after the first @bytes; none of it was shown to anybody. */
int outfile_trim(struct outfile *of, uint64_t bytes);

enum {
	OUTFILE_SYNC = 1,  /* the data is on disk before the name is */
	OUTFILE_EMPTY = 2, /* it holds nothing: it does not replace what does */
	OUTFILE_TOLD = 4,  /* a write that failed was told: only what comes now counts */
};

/* outfile_commit - closes, and gives the name when show did not.  On failure nothing is left and the
 * old file stays. */
int outfile_commit(struct outfile *of, int flags, struct cdict_error *err);
/* outfile_abort - closes; what was not shown is gone. NULL is fine. */
void outfile_abort(struct outfile *of);

/* outfile_write_all - all of @size bytes to @fd, which may be one that does not wait; adds to *@bytes what was
 * written. 0 or a negative errno. */
int outfile_write_all(int fd, const void *data, size_t size, uint64_t *bytes);

#endif
