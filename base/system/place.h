/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * place.h - resolves the name of an output: an open directory, and a name in it.
 *
 * Symbolic links are followed here, one by one, not by the kernel: links that another user placed in a
 * directory others can write are refused, as protected_symlinks does, but that covers sticky directories
 * only and may be switched off. The directory stays open, so it cannot be exchanged later.
 *
 * Threads    any
 * Failure    0 or a negative errno; *p is then empty
 * Ownership  caller's storage; find fills it, fini empties it
 */
#ifndef BASE_SYSTEM_PLACE_H
#define BASE_SYSTEM_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

struct place {
	int dir;    /* O_PATH */
	char *name; /* never a symbolic link, if it exists */
	int fd;     /* /dev/stdout, /dev/fd/N: this open file instead, name is NULL; else -1 */
};

/* place_find - CDICT_ELIMIT: another user's link. */
int place_find(struct place *p, const char *path);
/* place_folder - opens directory @path for reading; missing directories are made with mode @make, 0: none is.
 * A descriptor, or an error as of place_find(). */
int place_folder(const char *path, mode_t make);
/* place_strerror - the text of such an error. */
const char *place_strerror(int code);
void place_fini(struct place *p);

/* place_stat - lstat() of the name; 1 when nothing exists. */
int place_stat(const struct place *p, const char *name, struct stat *st);

/* place_is_strange - true when another user (not us, root or the sudo caller) can create files
 * in @p's directory, and created @made. */
bool place_is_strange(const struct place *p, const struct stat *made);

/* place_sudo - the user who called sudo: 1 with *uid and *gid, else 0. */
int place_sudo(uid_t *uid, gid_t *gid);

#endif
