/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * outdir.h - an output folder that appears whole or not at all: it is made beside its place under a hidden name, and
 * renamed at the end. Its place must be free or an empty folder: old files are neither replaced nor mixed with new ones.
 *
 * Threads    one at a time
 * Failure    0 or a negative code with *err filled (CDICT_EUSAGE: the place is taken)
 * Ownership  open gives; commit and abort take
 */
#ifndef BASE_SYSTEM_OUTDIR_H
#define BASE_SYSTEM_OUTDIR_H

#include "cdict/error.h"

struct outdir;

/* outdir_check - the errors of open, without doing anything. */
int outdir_check(const char *path, struct cdict_error *err);
int outdir_open(struct outdir **out, const char *path, struct cdict_error *err);
/* outdir_file - makes the file @name in @folder, "a/b", whose folders are made; returns its descriptor, which the caller
 * closes, or a negative code. */
int outdir_file(struct outdir *d, const char *folder, const char *name, struct cdict_error *err);
/* outdir_link - makes @name a symbolic link to the folder @target beside it. */
int outdir_link(struct outdir *d, const char *name, const char *target, struct cdict_error *err);
int outdir_commit(struct outdir *d, struct cdict_error *err);
void outdir_abort(struct outdir *d); /* NULL is fine */

/* outdir_temporary - the hidden name, in the folder of descriptor *dir, for outdir_remove() if the program dies. */
const char *outdir_temporary(const struct outdir *d, int *dir);
/* outdir_remove - removes such a folder with everything in it; safe in a signal handler. */
void outdir_remove(int dir, const char *name);

#endif
