/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * rusage - runs a command and reports how often it and all its descendants were switched out, as
 * the kernel counts it (getrusage): "PID VOLUNTARY INVOLUNTARY" in a file.
 *
 *	rusage FILE COMMAND...
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage use;
	int status;
	pid_t pid;
	FILE *f;

	if (argc < 3)
		return 129;
	pid = fork();
	if (!pid) {
		execvp(argv[2], argv + 2);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || getrusage(RUSAGE_CHILDREN, &use))
		return 1;
	f = fopen(argv[1], "w");
	if (!f || fprintf(f, "%d %ld %ld\n", (int)pid, use.ru_nvcsw, use.ru_nivcsw) < 0 ||
	    fclose(f))
		return 1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
