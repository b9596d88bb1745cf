/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts and ends the recorded command. */
#include "capture/record/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"

/* Checked before the recording, so that a typing error does not cost one. */
static int can_run(const char *name, struct cdict_error *err)
{
	const char *path = getenv("PATH");
	int code = ENOENT;
	struct stat st;
	char *at;

	if (strchr(name, '/')) {
		if (!access(name, X_OK) && !stat(name, &st) && !S_ISDIR(st.st_mode))
			return 0;
		return cdict_fail(err, -(errno ? errno : EACCES), CDICT_NO_OFFSET,
				  "cannot run %s: %s", name, strerror(errno ? errno : EACCES));
	}
	for (path = path ? path : "/bin:/usr/bin"; *path;) {
		size_t n = strcspn(path, ":");
		int found;

		if (asprintf(&at, "%.*s/%s", n ? (int)n : 1, n ? path : ".", name) < 0)
			return cdict_fail_nomem(err);
		found = !access(at, X_OK) && !stat(at, &st) && S_ISREG(st.st_mode);
		free(at);
		if (found)
			return 0;
		path += n + (path[n] == ':');
	}
	return cdict_fail(err, -code, CDICT_NO_OFFSET, "cannot run %s: command not found", name);
}

static void run(int wait_on, const char *const *argv, const sigset_t *mask, bool stdout_is_ours)
{
	char c;
	ssize_t n;

	do
		n = read(wait_on, &c, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(1); /* the recorder gave up */
	signal(SIGPIPE, SIG_DFL);
	signal(SIGXFSZ, SIG_DFL);
	signal(SIGURG, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (stdout_is_ours)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], (char *const *)argv);
	dprintf(STDERR_FILENO, "cdict record: cannot run %s: %s\n", argv[0], strerror(errno));
	_exit(127);
}

int workload_prepare(struct workload *w, const char *const *argv, const sigset_t *mask,
		     bool stdout_is_ours, struct cdict_error *err)
{
	int fds[2], ret = can_run(argv[0], err);

	*w = (struct workload){ .go = -1 };
	if (ret)
		return ret;
	if (pipe2(fds, O_CLOEXEC))
		return cdict_fail_errno(err, "pipe");
	w->pid = fork();
	if (w->pid < 0) {
		ret = cdict_fail_errno(err, "fork");
		w->pid = 0;
		close(fds[0]);
		close(fds[1]);
		return ret;
	}
	if (!w->pid) {
		close(fds[1]);
		run(fds[0], argv, mask, stdout_is_ours);
	}
	close(fds[0]);
	w->go = fds[1];
	return 0;
}

void workload_go(struct workload *w)
{
	if (w->go < 0)
		return;
	while (write(w->go, "", 1) < 0 && errno == EINTR)
		;
	close(w->go);
	w->go = -1;
}

static bool reap(struct workload *w, int flags)
{
	pid_t pid;

	if (!w->pid || w->ended)
		return w->ended;
	do
		pid = waitpid(w->pid, &w->status, flags);
	while (pid < 0 && errno == EINTR);
	w->ended = pid != 0;
	return w->ended;
}

bool workload_poll(struct workload *w)
{
	return reap(w, WNOHANG);
}

void workload_end(struct workload *w)
{
	if (w->go >= 0)
		close(w->go); /* it ends by itself when the pipe closes */
	w->go = -1;
	if (!w->pid || reap(w, WNOHANG))
		return;
	w->killed = true;
	kill(w->pid, SIGTERM);
	reap(w, 0);
}

int workload_exit_status(const struct workload *w)
{
	if (WIFEXITED(w->status))
		return WEXITSTATUS(w->status);
	return WIFSIGNALED(w->status) ? 128 + WTERMSIG(w->status) : 1;
}
