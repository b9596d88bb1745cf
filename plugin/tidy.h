/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tidy.h - signals. A perf that is ended by SIGTERM or SIGHUP leaves no unfinished file. perf
 * handles neither; whoever does keeps his handler.
 *
 * Threads    perf's thread
 */
#ifndef PLUGIN_TIDY_H
#define PLUGIN_TIDY_H

#include <signal.h>

/* tidy_begin - @path is removed should a signal end perf; NULL: nothing to do. It is copied. */
void tidy_begin(const char *path);
void tidy_end(void);

/* Between the two a pipe that nobody reads any more is an error of write(2), as for any other
 * output, and no signal that ends perf. */
void tidy_hold_pipe(sigset_t *old);
void tidy_release_pipe(const sigset_t *old);

#endif
