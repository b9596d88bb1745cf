/* SPDX-License-Identifier: GPL-2.0-only */
/* program.h - finds a program in $PATH; for root, only one that no other user could have put there. */
#ifndef CMD_CORE_PROGRAM_H
#define CMD_CORE_PROGRAM_H

/* program_run - executes @name from $PATH, like execvp(); for root it skips relative folders in
 * $PATH, and folders and programs that others own or may write. Returns if there is none, with
 * errno (EACCES: skipped). */
void program_run(const char *name, char *const argv[]);

#endif
