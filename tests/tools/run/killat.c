/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * killat N COMMAND... - runs COMMAND and kills it (SIGKILL) when it is about to make its
 * N-th system call.  Status 0: it was killed there; 3: it ended before; 77: tracing is
 * not allowed here.  The command's own output goes where killat's does.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static int start(char **argv)
{
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
		_exit(77);
	raise(SIGSTOP);
	execv(argv[0], argv);
	_exit(126);
}

int main(int argc, char **argv)
{
	long n = argc > 2 ? atol(argv[1]) : 0;
	int status;
	pid_t pid;

	if (n < 1) {
		fprintf(stderr, "usage: killat N COMMAND...\n");
		return 129;
	}
	pid = fork();
	if (pid < 0)
		return 77;
	if (!pid)
		start(argv + 2);
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status)) {
		fprintf(stderr, "ptrace is not allowed here\n");
		return 77;
	}
	ptrace(PTRACE_SETOPTIONS, pid, NULL, (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
	/* every call stops twice, on its way in and out */
	for (long stops = 0, pass = 0;;) {
		if (ptrace(PTRACE_SYSCALL, pid, NULL, (void *)pass) && errno == ESRCH)
			return 3;
		if (waitpid(pid, &status, 0) != pid || WIFEXITED(status) || WIFSIGNALED(status))
			return 3;
		pass = 0;
		if (WSTOPSIG(status) != (SIGTRAP | 0x80)) {
			pass = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
			continue;
		}
		if (++stops == 2 * n - 1) {
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return WIFSIGNALED(status) ? 0 : 3;
		}
	}
}
