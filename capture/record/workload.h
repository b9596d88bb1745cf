/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workload.h - the command whose run is recorded: forked before the recording starts, released when
 * it has started.
 *
 * Failure    negative code with *err filled
 */
#ifndef CAPTURE_RECORD_WORKLOAD_H
#define CAPTURE_RECORD_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cdict/error.h"

struct workload {
	pid_t pid; /* 0: no command */
	int go;    /* write end of the pipe on which it waits */
	int status;
	bool ended, killed; /* killed: by the recorder */
};

/* workload_prepare - forks; @mask is the signal mask of the command. With @stdout_is_ours its
 * output goes to standard error, as with perf record. */
int workload_prepare(struct workload *w, const char *const *argv, const sigset_t *mask,
		     bool stdout_is_ours, struct cdict_error *err);
void workload_go(struct workload *w);
/* workload_poll - returns whether it has ended. */
bool workload_poll(struct workload *w);
/* workload_end - ends it if it runs, and waits for it. */
void workload_end(struct workload *w);
/* workload_exit_status - as in a shell: 128 + n for signal n. */
int workload_exit_status(const struct workload *w);

#endif
