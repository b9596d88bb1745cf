/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * outfile.h - an output file that appears whole or not at all, and destroys nothing. Commands, recorder and plugin
 * all write through it.
 *
 * The file has no name (O_TMPFILE) until show or commit links it; on file systems without O_TMPFILE, it has a
 * hidden name beside the final one. "-" is standard output; anything but a regular file (a pipe, /dev/null, a
 * terminal) is written directly and cannot be undone. A symbolic link stays and its target is replaced, unless
 * another user may have placed the link (base/system/place.h).
 *
 * If the name already exists
 *   - an input (the same file by any name, or a file in an input directory) is never replaced;
 *   - a capture is only replaced by another capture: the caller's there() recognises captures;
 *   - the file that a capture replaces is kept as NAME.old, as perf record does; that must not be an input either.
 *     Not kept: a file of the same bytes, and one for which the caller's can_be_made_again() is true;
 *   - a file that is being written (a recorder holds a lock on it) is not replaced.
 *
 * Captures are readable and writable by their owner only: the user that called sudo, if any. Other files get the mode
 * and, where permitted, the owner of the file they replace, else the umask applies.
 *
 * Threads    one at a time
 * Failure    0 or a negative code with *err filled (CDICT_EUSAGE: the output is an input); the first failed
 *            write is remembered and returned by commit
 * Ownership  open gives; commit and abort take
 */
#ifndef BASE_SYSTEM_OUTFILE_H
#define BASE_SYSTEM_OUTFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "cdict/error.h"

struct outfile;

/* The existing file. */
struct outfile_there {
	int fd;           /* open for reading */
	int dir;          /* its directory; negative: unknown */
	const char *name; /* in @dir; NULL: unknown */
};

enum outfile_may { OUTFILE_REPLACE, OUTFILE_KEEP_OLD, OUTFILE_REFUSE };

struct outfile_options {
	const char *path; /* borrowed until commit */
	bool capture;
	/* Whether the existing file may be replaced by an output that is not a capture; NULL: it may. Not called when
	 * @capture is set. OUTFILE_REFUSE and negative codes come with *err filled. */
	int (*there)(const struct outfile_there *what, const void *ctx, struct cdict_error *err);
	const void *there_ctx; /* borrowed until commit */
	/* Whether the existing file @old need not be kept, because it can be made again; NULL: it is kept. */
	bool (*can_be_made_again)(int old, int new);
	bool in_place; /* replaces the only input and gets its mode and owner */
	bool named; /* gets a hidden name at once, outfile_temporary(), which a library can open */
	/* Files it is made of, which it must not replace: "-" is standard input. Used during open only. */
	const char *const *inputs;
	size_t n_inputs;
};

/* outfile_check - the errors of open, without doing anything. */
int outfile_check(const struct outfile_options *opts, struct cdict_error *err);
int outfile_open(struct outfile **out, const struct outfile_options *opts, struct cdict_error *err);

/* outfile_write - writes all of @size bytes or returns a negative errno.  Its signature is
 * cdict_write_fn, with the outfile as ctx. */
int outfile_write(void *of, const void *data, size_t size);

uint64_t outfile_bytes(const struct outfile *of); /* written so far */
int outfile_fd(const struct outfile *of);
/* outfile_is_direct - not a temporary file: nothing can be reserved, undone or renamed. */
bool outfile_is_direct(const struct outfile *of);
bool outfile_is_shown(const struct outfile *of);

/* outfile_temporary - the name to unlink if the program dies, or NULL when
 * there is none. */
const char *outfile_temporary(const struct outfile *of);

/* outfile_show - gives the file its final name now; writing may continue. */
int outfile_show(struct outfile *of, struct cdict_error *err);
/* outfile_trim - discards bytes after the first @bytes; none of them may have been visible. */
int outfile_trim(struct outfile *of, uint64_t bytes);

enum {
	OUTFILE_SYNC = 1,  /* the data is on disk before the name is */
	OUTFILE_EMPTY = 2, /* it is empty: must not replace a non-empty file */
	OUTFILE_TOLD = 4,  /* a failed write was already reported: only later errors count */
};

/* outfile_commit - closes the file, and names it unless show did.  On failure nothing is left and the
 * old file stays. */
int outfile_commit(struct outfile *of, int flags, struct cdict_error *err);
/* outfile_abort - closes the file; without show, it disappears. NULL is fine. */
void outfile_abort(struct outfile *of);

/* outfile_write_all - writes all of @size bytes to @fd, which may be non-blocking; adds the bytes
 * written to *@bytes. 0 or a negative errno. */
int outfile_write_all(int fd, const void *data, size_t size, uint64_t *bytes);

#endif
