/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * child.h - runs a function in a child process and reads its standard output.
 *
 * Threads    forks: call it before threads are started
 * Failure    0 or a negative code with *err filled; the child has ended in any case
 */
#ifndef ANNOTATE_CHILD_H
#define ANNOTATE_CHILD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/buf.h"
#include "cdict/error.h"

struct child_options {
	const char *what;       /* for messages: "the shell" */
	bool terminal;          /* may use the controlling terminal, if there is one */
	uint32_t timeout_ms;    /* 0: none */
	size_t max_bytes;       /* more output is CDICT_ELIMIT */
	void (*run)(void *ctx); /* runs in the child; returning exits with status 0 */
	void *ctx;
};

/* child_has_terminal - whether this process has a controlling terminal. */
bool child_has_terminal(void);

/* child_read - appends the standard output of @opts->run to @out, and waits for the child.
 * *@status as from waitpid(). The child's standard input is /dev/null and its standard error
 * ours or, without .terminal, /dev/null too; with .terminal, both are the controlling terminal if
 * there is one, even when ours are redirected. Without a terminal the child gets its own session,
 * and its remaining children are killed with it. -ETIMEDOUT. */
int child_read(const struct child_options *opts, struct buf *out, int *status,
	       struct cdict_error *err);

#endif
