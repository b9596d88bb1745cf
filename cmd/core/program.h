/* SPDX-License-Identifier: GPL-2.0-only */
/* program.h - which program another one's name means: for root none that somebody else may put there. */
#ifndef CMD_PROGRAM_H
#define CMD_PROGRAM_H

/* program_run - becomes @name of $PATH, as execvp(); root passes over what is relative in $PATH, and over folders and
 * programs that others own or may write.  Comes back when there is none, with errno (EACCES: passed over). */
void program_run(const char *name, char *const argv[]);

#endif
