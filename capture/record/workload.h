/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * workload.h - the command whose run is recorded: ready before the recording, let go when it
 * has begun.
 *
 * Failure    negative code with *err filled
 */
#ifndef CAPTURE_WORKLOAD_H
#define CAPTURE_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "cdict/error.h"

struct workload {
	pid_t pid; /* 0: none */
	int go;    /* write end of the pipe on which it waits */
	int status;
	bool ended, killed; /* killed: by us */
};

/* workload_prepare - forks; @mask is the signal mask that the command gets. With @stdout_is_ours
 * what it prints goes to standard error, as perf record does. */
int workload_prepare(struct workload *w, const char *const *argv, const sigset_t *mask,
		     bool stdout_is_ours, struct cdict_error *err);
void workload_go(struct workload *w);
/* workload_poll - whether it has ended. */
bool workload_poll(struct workload *w);
/* workload_end - ends it when it runs, and waits for it. */
void workload_end(struct workload *w);
/* workload_exit_status - as a shell tells it: 128 + n for signal n. */
int workload_exit_status(const struct workload *w);

#endif
