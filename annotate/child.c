// SPDX-License-Identifier: GPL-2.0-only
/* Runs a child process for its output. */
#include "annotate/child.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/system/monotonic.h"

#define LOOK_MS 100 /* polling interval for the child's end while its output stays open */

static int open_terminal(void)
{
	return open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
}

bool child_has_terminal(void)
{
	int fd = open_terminal();

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static void run_child(const struct child_options *opts, int output)
{
	/* 1 prevents both a core file and a core_pattern pipe, which 0 would allow */
	static const struct rlimit no_core = { 1, 1 };
	int tty = opts->terminal ? open_terminal() : -1;
	int in = tty < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : tty;
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	setrlimit(RLIMIT_CORE, &no_core);
	/* SIGTERM lets a shell restore the terminal's echo */
	prctl(PR_SET_PDEATHSIG, tty < 0 ? SIGKILL : SIGTERM);
	if (tty < 0)
		setsid();
	else if (!isatty(STDERR_FILENO))
		dup2(tty, STDERR_FILENO); /* so that its prompts are visible */
	if (in < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0)
		_exit(127);
	opts->run(opts->ctx);
	_exit(0);
}

/* Reads one piece of @fd into @out: 1, 0 at its end, or a code. */
static int read_piece(const struct child_options *opts, int fd, struct buf *out,
		      struct cdict_error *err)
{
	uint8_t *room = buf_room(out, 1 << 16);
	ssize_t n = room ? read(fd, room, 1 << 16) : -1;

	if (!room)
		return cdict_fail_nomem(err);
	if (n < 0)
		return errno == EINTR ? 1 : cdict_fail_errno(err, opts->what);
	out->len += (size_t)n;
	if (out->len > opts->max_bytes)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "%s printed more than %zu bytes", opts->what, opts->max_bytes);
	return n > 0;
}

/* Reads until the child has ended and its output is read: its children may keep the pipe open. */
static int read_all(const struct child_options *opts, pid_t pid, int fd, struct buf *out,
		    struct cdict_error *err)
{
	uint64_t deadline_ns = opts->timeout_ms ? monotonic_in_ms(opts->timeout_ms) : 0;
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool ended = false;

	for (;;) {
		siginfo_t info = { 0 };
		int left = monotonic_left_ms(deadline_ns), look = p.fd < 0 ? 2 : LOOK_MS, rc = 1;

		if (!left)
			return cdict_fail(err, -ETIMEDOUT, CDICT_NO_OFFSET,
					  "%s did not answer in time", opts->what);
		if (poll(&p, 1, ended ? 0 : left < look ? left : look) > 0)
			rc = read_piece(opts, fd, out, err);
		else if (ended)
			return 0;
		if (rc < 0)
			return rc;
		if (!rc)
			p.fd = -1; /* makes poll() ignore it */
		ended = !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) &&
			info.si_pid == pid;
	}
}

int child_read(const struct child_options *opts, struct buf *out, int *status,
	       struct cdict_error *err)
{
	bool own_session = !opts->terminal || !child_has_terminal();
	int fds[2], rc;
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC))
		return cdict_fail_errno(err, opts->what);
	pid = fork();
	if (!pid)
		run_child(opts, fds[1]);
	close(fds[1]);
	if (pid < 0) {
		rc = cdict_fail_errno(err, opts->what);
		close(fds[0]);
		return rc;
	}
	rc = read_all(opts, pid, fds[0], out, err);
	close(fds[0]);
	if (rc)
		kill(pid, SIGKILL);
	if (own_session)
		kill(-pid, SIGKILL);
	while (waitpid(pid, status, 0) < 0 && errno == EINTR)
		;
	return rc;
}
