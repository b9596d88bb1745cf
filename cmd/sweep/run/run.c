/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs the command once, and collects its output and resource usage. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/system/monotonic.h"
#include "cmd/sweep/run/sweep.h"

#define LOOK_MS 2      /* polling interval for the command's end, on kernels without pidfd */
#define SAID_MAX 65536 /* bytes of standard error; keeps the end */

/* The signal received; handlers can only use globals. */
static volatile sig_atomic_t stopped;

static void on_signal(int sig)
{
	stopped = sig;
}

void sweep_run_watch(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		struct sigaction now, want = { .sa_handler = on_signal };

		/* keep signals ignored by the parent (nohup) ignored */
		if (!sigaction(signals[i], NULL, &now) && now.sa_handler == SIG_DFL)
			sigaction(signals[i], &want, NULL);
	}
}

int sweep_run_stopped(void)
{
	return stopped;
}

/* Sent by the child: the errno of a failed exec, or, when it records, the command's resource usage. */
struct word {
	int code; /* errno of execvp() */
	struct rusage usage;
};

static void send_report(int fd, const struct word *w)
{
	while (write(fd, w, sizeof(*w)) < 0 && errno == EINTR)
		;
}

static void exec_command(const struct sweep_exec *e, pid_t parent, const int *out,
			 const int *errors, int word)
{
	int in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	struct word w = { 0 };
	int status;

	/* The child dies with the sweep, also after kill -9. */
	prctl(PR_SET_PDEATHSIG, e->inside ? SIGTERM : SIGKILL);
	if (getppid() != parent) /* the sweep ended before prctl() */
		_exit(127);
	for (int sig = 1; sig < NSIG; sig++) {
		struct sigaction now;

		if (!sigaction(sig, NULL, &now) && now.sa_handler == on_signal)
			signal(sig, SIG_DFL);
	}
	if (in < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out[1], STDOUT_FILENO) < 0 ||
	    dup2(errors[1], STDERR_FILENO) < 0)
		_exit(127);
	if (e->inside) {
		status = e->inside(e);
		fflush(NULL);
		getrusage(RUSAGE_CHILDREN, &w.usage);
		send_report(word, &w);
		_exit(status);
	}
	execvp(e->argv[0], e->argv);
	w.code = errno;
	send_report(word, &w);
	_exit(127);
}

/* Reads one piece: 1, 0 at the end, or a code. */
static int read_piece(int fd, struct buf *to, size_t most, bool last_only, struct cdict_error *err)
{
	uint8_t *room = buf_room(to, 1 << 16);
	ssize_t n = room ? read(fd, room, 1 << 16) : -1;

	if (!room)
		return cdict_fail_nomem(err);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 1 : cdict_fail_errno(err, "its output");
	to->len += (size_t)n;
	if (to->len > most && !last_only)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET, "output exceeds %zu bytes",
				  most);
	if (to->len > most) {
		memmove(to->data, to->data + to->len - most, most);
		to->len = most;
	}
	return n > 0;
}

static bool has_ended(pid_t pid)
{
	siginfo_t info = { 0 };

	return !waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) && info.si_pid == pid;
}

/* Waits for the command's end, at *@ended_ns. Its children may keep the pipes open longer. */
static int wait_for_run(const struct sweep_exec *e, pid_t pid, int out, int errors,
			struct sweep_measured *m, struct buf *tail, uint64_t *ended_ns,
			struct cdict_error *err)
{
	struct pollfd p[3] = { { .fd = out, .events = POLLIN },
			       { .fd = errors, .events = POLLIN },
			       { .fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN } };
	bool notified = p[2].fd >= 0, ended = false;
	uint64_t second_ns = monotonic_in_ms(1000);
	int rc = 1;

	while (rc >= 0 && !stopped) {
		int n = poll(p, 3, ended ? 0 : !notified ? LOOK_MS : e->wait ? 1000 : -1);

		if (n < 0 && errno != EINTR)
			rc = cdict_fail_errno(err, "poll");
		if (!ended && (p[2].revents || !notified) && has_ended(pid)) {
			*ended_ns = monotonic_ns();
			ended = true;
			if (notified)
				close(p[2].fd);
			p[2] = (struct pollfd){ .fd = -1 };
		} else if (ended && n <= 0) {
			break;
		}
		if (e->wait && !ended && monotonic_past(second_ns)) {
			e->wait(e->wait_ctx);
			second_ns = monotonic_in_ms(1000);
		}
		for (int i = 0; i < 2 && rc >= 0; i++) {
			if (!p[i].revents)
				continue;
			rc = i ? read_piece(errors, tail, SAID_MAX, true, err)
			       : read_piece(out, &m->output, SWEEP_OUTPUT_MAX, false, err);
			if (!rc)
				p[i].fd = -1;
		}
	}
	if (p[2].fd >= 0)
		close(p[2].fd);
	return rc < 0 ? rc : 0;
}

/* The last line of standard error, as the reason of a failure. */
static char *last_line(const struct buf *errors)
{
	size_t end = errors->len, from;

	while (end && (errors->data[end - 1] == '\n' || errors->data[end - 1] == ' '))
		end--;
	for (from = end; from && errors->data[from - 1] != '\n' && end - from < 300; from--)
		;
	return strndup((const char *)errors->data + from, end - from);
}

static int why_it_failed(const struct buf *errors, int status, char **why, struct cdict_error *err)
{
	char *line = errors->len ? last_line(errors) : strdup("");
	int n = -1;

	if (line)
		n = status > 128
			    ? asprintf(why, "killed by signal %d%s%s", status - 128,
				       *line ? ": " : "", line)
			    : asprintf(why, "exit status %d%s%s", status, *line ? ": " : "", line);
	free(line);
	if (n >= 0)
		return 0;
	*why = NULL;
	return cdict_fail_nomem(err);
}

static void close_both(int *fds)
{
	for (int i = 0; i < 2; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
		fds[i] = -1;
	}
}

/* After the end: status, resource usage, and the reason of a failure. */
static int collect_status(const struct sweep_exec *e, pid_t pid, int word, const struct buf *errors,
			  struct sweep_measured *m, int *status, char **why,
			  struct cdict_error *err)
{
	struct word w = { 0 };
	int raw = 0;
	ssize_t n;

	while (wait4(pid, &raw, 0, &m->usage) < 0 && errno == EINTR)
		;
	n = read(word, &w, sizeof(w));
	if (n == sizeof(w) && w.code)
		return cdict_fail(err, -w.code, CDICT_NO_OFFSET, "cannot run %s: %s", e->argv[0],
				  strerror(w.code));
	if (n == sizeof(w))
		m->usage = w.usage;
	*status = WIFEXITED(raw) ? WEXITSTATUS(raw) : WIFSIGNALED(raw) ? 128 + WTERMSIG(raw) : 1;
	return *status ? why_it_failed(errors, *status, why, err) : 0;
}

int sweep_run(const struct sweep_exec *e, struct sweep_measured *m, int *status, char **why,
	      struct cdict_error *err)
{
	int out[2] = { -1, -1 }, errors[2] = { -1, -1 }, word[2] = { -1, -1 }, rc = 0;
	uint64_t from_ns, to_ns = 0;
	struct buf tail = { 0 };
	pid_t pid, parent;

	*why = NULL;
	*status = 0;
	if (pipe2(out, O_CLOEXEC) || pipe2(errors, O_CLOEXEC) || pipe2(word, O_CLOEXEC))
		rc = cdict_fail_errno(err, "pipe");
	fcntl(out[0], F_SETFL, O_NONBLOCK);
	fcntl(errors[0], F_SETFL, O_NONBLOCK);
	fcntl(word[0], F_SETFL, O_NONBLOCK);
	fflush(NULL); /* otherwise the child would write buffered output again */
	from_ns = monotonic_ns();
	parent = getpid();
	pid = rc ? -1 : fork();
	if (!rc && pid < 0)
		rc = cdict_fail_errno(err, "fork");
	if (!pid)
		exec_command(e, parent, out, errors, word[1]);
	if (!rc) {
		close(out[1]);
		close(errors[1]);
		close(word[1]);
		out[1] = errors[1] = word[1] = -1;
		rc = wait_for_run(e, pid, out[0], errors[0], m, &tail, &to_ns, err);
		if (rc || stopped)
			kill(pid, e->inside ? SIGTERM : SIGKILL);
		if (rc || stopped)
			while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
				;
		else
			rc = collect_status(e, pid, word[0], &tail, m, status, why, err);
		m->wall_ns = to_ns - from_ns;
	}
	close_both(out);
	close_both(errors);
	close_both(word);
	buf_fini(&tail);
	return rc;
}
