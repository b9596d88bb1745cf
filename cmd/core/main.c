/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict: finds the command and runs it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/system/shared_object.h"
#include "base/text/sink.h"
#include "base/text/suggest.h"
#include "cdict/version.h"
#include "cmd/core/foreign.h"
#include "cmd/core/help.h"
#include "cmd/core/options.h"
#include "cmd/core/parse.h"

/* All commands, in the order of the help: a new one needs a line here and a file
 * cmd/<folder>/<name>.c. */
#define COMMANDS(X)                                                                                \
	X(record)                                                                                  \
	X(flight)                                                                                  \
	X(top)                                                                                     \
	X(convert)                                                                                 \
	X(identify)                                                                                \
	X(annotate)                                                                                \
	X(join)                                                                                    \
	X(info)                                                                                    \
	X(script)                                                                                  \
	X(tasks)                                                                                   \
	X(exits)                                                                                   \
	X(vcpu)                                                                                    \
	X(vm)                                                                                      \
	X(latency)                                                                                 \
	X(coremap)                                                                                 \
	X(switches)                                                                                \
	X(count)                                                                                   \
	X(successors)                                                                              \
	X(stats)                                                                                   \
	X(heatmap)                                                                                 \
	X(flame)                                                                                   \
	X(export)                                                                                  \
	X(report)                                                                                  \
	X(query)                                                                                   \
	X(diff)                                                                                    \
	X(job)                                                                                     \
	X(push)                                                                                    \
	X(pull)                                                                                    \
	X(sweep)

#define X(name) extern const struct cmd cmd_##name;
COMMANDS(X)
#undef X

static const struct cmd *const commands[] = {
#define X(name) &cmd_##name,
	COMMANDS(X)
#undef X
		NULL,
};

static const struct cmd *find_command(const char *name)
{
	for (size_t i = 0; commands[i]; i++) {
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	}
	return NULL;
}

static int no_command(const char *const *args)
{
	const struct cmd_call call = { .cmd = NULL };
	const struct foreign_command *foreign = foreign_command(args);
	const char *name = args[0];
	struct suggest s;

	if (foreign)
		return cmd_usage(&call, "'%s' is %s of %s; use %s", foreign->words,
				 name[0] == '-' ? "an option" : "a command", foreign->tool,
				 foreign->use);
	suggest_begin(&s, name, strlen(name));
	for (size_t i = 0; commands[i]; i++)
		suggest_try(&s, commands[i]->name);
	suggest_try(&s, "help");
	suggest_try(&s, "version");
	return cmd_usage(&call, "unknown command '%s'%s", name, suggest_text(&s, ""));
}

/* After a failed write errno may be overwritten; poll() still shows whether the pipe's reader is
 * gone. */
static bool reader_left(void)
{
	struct pollfd p = { .fd = STDOUT_FILENO, .events = POLLOUT };

	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

/* Reports output that did not reach stdout, unless its reader is gone. */
static int close_stdout(const struct cmd_call *call, int status)
{
	bool failed = ferror(stdout) != 0;

	errno = 0;
	if (failed && reader_left())
		errno = EPIPE;
	else if (fflush(stdout) || fclose(stdout))
		failed = true;
	if (!failed || status == CMD_FAILED) /* reported already */
		return status;
	return cmd_stdout_error(call, -errno);
}

/* Flushes output for stdout; when memory ran out, nothing was written. */
static int print(const struct cmd_call *call, struct sink *s)
{
	int rc = sink_finish(s);

	return rc == -ENOMEM ? cmd_errorf(call, NULL, "out of memory") : CMD_DONE;
}

/* If descriptor 0, 1 or 2 is closed, the next file opened would get it, and messages would be
 * written into that file. /dev/null, opened in the opposite direction, still makes its use fail. */
static void hold_standard_files(void)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
		    open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
			return;
	}
}

static int run(const struct cmd *cmd, const char *const *argv)
{
	struct cmd_call call = { .cmd = cmd };
	const struct options_shared *shared;
	struct cmd_args args;
	struct cdict_error err = { 0 };
	int status = CMD_DONE, rc;

	rc = cmd_parse(&args, cmd, argv, &err);
	if (rc == CDICT_EUSAGE) {
		status = cmd_usage(&call, "%s", err.text);
	} else if (rc) {
		status = cmd_error(&call, NULL, &err);
	} else if (args.help) {
		struct sink s;

		sink_to_file(&s, stdout);
		help_command(&s, cmd);
		status = print(&call, &s);
	} else {
		shared = args.opts;
		call.opts = args.opts;
		call.operands = args.operands;
		call.n_operands = args.n_operands;
		call.n_before = args.n_before;
		call.quiet = shared->quiet;
		call.verbose = shared->verbose;
		status = cmd->run(&call);
	}
	cmd_args_fini(&args, cmd);
	return close_stdout(&call, status);
}

static int help(const char *const *argv)
{
	const struct cmd_call call = { .cmd = NULL };
	const struct cmd *cmd = NULL;
	struct sink s;

	if (argv[0] && !strcmp(argv[0], "--"))
		argv++;
	if (argv[0] && strcmp(argv[0], "help")) {
		cmd = find_command(argv[0]);
		if (!cmd)
			return no_command(argv);
		if (argv[1])
			return cmd_usage(&call, "unexpected operand '%s'", argv[1]);
	}
	sink_to_file(&s, stdout);
	if (cmd)
		help_command(&s, cmd);
	else
		help_commands(&s, commands);
	return close_stdout(&call, print(&call, &s));
}

static int completion(const char *shell)
{
	const struct cmd_call call = { .cmd = NULL };
	struct sink s;

	sink_to_file(&s, stdout);
	if (!shell || !help_completion(&s, shell, commands))
		return cmd_usage(&call, "option --completion takes bash, zsh or fish");
	return close_stdout(&call, print(&call, &s));
}

int main(int argc, char **argv)
{
	const struct cmd_call call = { .cmd = NULL };
	const char *const *args = (const char *const *)argv + (argc > 0);
	const char *first = args[0];

	hold_standard_files();
	if (!first) {
		/* as with perf: no command is wrong usage, and prints the list */
		help(args);
		return CMD_USAGE;
	}
	if (!strcmp(first, "help") || !strcmp(first, "--help") || !strcmp(first, "-h"))
		return help(args + 1);
	if (!strcmp(first, "--version") || !strcmp(first, "-V") || !strcmp(first, "-v") ||
	    !strcmp(first, "version")) {
		printf("cdict %s\n", cdict_version());
		if (shared_object_without())
			printf("one static file, without %s\n", shared_object_without());
		return close_stdout(&call, CMD_DONE);
	}
	if (!strcmp(first, "--completion"))
		return completion(args[1]);
	if (!strncmp(first, "--completion=", 13))
		return completion(first + 13);
	if (first[0] == '-' && !foreign_command(args))
		return cmd_usage(&call, "unknown option '%s'", first);
	if (!find_command(first))
		return no_command(args);
	return run(find_command(first), args + 1);
}
