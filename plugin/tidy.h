/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tidy.h - signals. A perf killed by SIGTERM or SIGHUP leaves no unfinished file behind. perf
 * handles neither; handlers of other code stay installed.
 *
 * Threads    perf's thread
 */
#ifndef PLUGIN_TIDY_H
#define PLUGIN_TIDY_H

#include <signal.h>

/* tidy_begin - @path is removed if a signal kills perf; NULL: none. It is copied. */
void tidy_begin(const char *path);
void tidy_end(void);

/* Between the two, a pipe without a reader is an error of write(2), as for any other output,
 * and does not kill perf. */
void tidy_hold_pipe(sigset_t *old);
void tidy_release_pipe(const sigset_t *old);

#endif
