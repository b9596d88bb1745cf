/* SPDX-License-Identifier: GPL-2.0-only */
/* Removes the unfinished file after a signal. */
#include "plugin/tidy.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const int signals[] = { SIGTERM, SIGHUP };
#define N_SIGNALS (sizeof(signals) / sizeof(signals[0]))

/* A signal handler can use only globals. */
static char name[PATH_MAX];
static bool ours[N_SIGNALS];

static void end(int sig)
{
	if (*name)
		unlink(name);
	signal(sig, SIG_DFL);
	raise(sig);
}

void tidy_begin(const char *path)
{
	if (!path || (size_t)snprintf(name, sizeof(name), "%s", path) >= sizeof(name)) {
		*name = 0;
		return;
	}
	for (size_t i = 0; i < N_SIGNALS; i++) {
		struct sigaction now, mine = { .sa_handler = end };

		sigemptyset(&mine.sa_mask);
		ours[i] = !sigaction(signals[i], NULL, &now) && !(now.sa_flags & SA_SIGINFO) &&
			  now.sa_handler == SIG_DFL && !sigaction(signals[i], &mine, NULL);
	}
}

void tidy_end(void)
{
	*name = 0;
	for (size_t i = 0; i < N_SIGNALS; i++) {
		struct sigaction now;

		/* Unless another handler was installed since. */
		if (ours[i] && !sigaction(signals[i], NULL, &now) && now.sa_handler == end)
			signal(signals[i], SIG_DFL);
		ours[i] = false;
	}
}

void tidy_hold_pipe(sigset_t *old)
{
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &pipe, old);
}

void tidy_release_pipe(const sigset_t *old)
{
	const struct timespec now = { 0 };
	sigset_t pipe;

	sigemptyset(&pipe);
	sigaddset(&pipe, SIGPIPE);
	/* A pending SIGPIPE is ours. */
	if (!sigismember(old, SIGPIPE))
		sigtimedwait(&pipe, NULL, &now);
	pthread_sigmask(SIG_SETMASK, old, NULL);
}
