/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * place.h - where the name of an output leads: a folder that is open, and a name in it.
 *
 * Symbolic links are followed here, one by one, and not by the kernel: one that a stranger laid where
 * strangers may write is refused, as the kernel's protected_symlinks does in /tmp only, and only where it is
 * switched on. Nobody can exchange the folder afterwards: it is open.
 *
 * Threads    any
 * Failure    0 or a negative errno; *p then holds nothing
 * Ownership  caller's storage; find fills it, fini empties it
 */
#ifndef BASE_PLACE_H
#define BASE_PLACE_H

#include <stdbool.h>
#include <sys/stat.h>

struct place {
	int dir;    /* O_PATH */
	char *name; /* what is there is no link, when it is there */
	int fd;     /* /dev/stdout, /dev/fd/N: this open file and no place, name is NULL; else -1 */
};

/* place_find - CDICT_ELIMIT: a stranger's link. */
int place_find(struct place *p, const char *path);
void place_fini(struct place *p);

/* place_stat - of what is there, no link followed; 1 when nothing is. */
int place_stat(const struct place *p, const char *name, struct stat *st);

/* place_is_strange - whether somebody else than us (root, and who called sudo, are us) may put something
 * into @p's folder, and made this. */
bool place_is_strange(const struct place *p, const struct stat *made);

/* place_sudo - who called sudo: 1 with *uid and *gid, else 0. */
int place_sudo(uid_t *uid, gid_t *gid);

#endif
