/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * child.h - what another process has to say: its standard output, read to its end.
 *
 * Threads    forks: call it before threads are started
 * Failure    0 or a negative code with *err filled; the process is gone in any case
 */
#ifndef ANNOTATE_CHILD_H
#define ANNOTATE_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "cdict/error.h"

struct child_options {
	const char *what;       /* for messages: "the shell" */
	bool terminal;          /* may talk to the controlling terminal, where there is one */
	uint32_t timeout_ms;    /* 0: none */
	size_t max_bytes;       /* more is CDICT_ELIMIT */
	void (*run)(void *ctx); /* in the process; returning ends it with status 0 */
	void *ctx;
};

/* child_has_terminal - whether this process has a controlling terminal. */
bool child_has_terminal(void);

/* child_read - appends to @out what @opts->run writes to its standard output, and waits for the
 * process. *@status as of waitpid(). Its standard input is /dev/null and its standard error
 * ours or, without .terminal, /dev/null too; with .terminal and where there is one, it is the
 * terminal, also when ours go elsewhere. Without a terminal it has a session of its own, and
 * what it started and left behind ends with it. -ETIMEDOUT. */
int child_read(const struct child_options *opts, struct buf *out, int *status,
	       struct cdict_error *err);

#endif
