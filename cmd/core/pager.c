/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts a pager for output longer than the terminal. */
#include "cmd/core/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/core/options.h"

#define COLUMNS_MAX 10000

static bool size_of(struct winsize *ws)
{
	const char *columns = getenv("COLUMNS"), *lines = getenv("LINES");

	if (!isatty(STDOUT_FILENO))
		return false;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, ws) || !ws->ws_col || !ws->ws_row)
		*ws = (struct winsize){ .ws_col = 80, .ws_row = 24 };
	/* set by the user; shells do not export theirs */
	if (columns && atoi(columns) > 0 && atoi(columns) <= COLUMNS_MAX)
		ws->ws_col = (unsigned short)atoi(columns);
	if (lines && atoi(lines) > 0 && atoi(lines) <= COLUMNS_MAX)
		ws->ws_row = (unsigned short)atoi(lines);
	return true;
}

unsigned pager_columns(void)
{
	struct winsize ws;

	return size_of(&ws) ? ws.ws_col : 0;
}

/* The shell command of the pager, or NULL. */
static const char *command(void)
{
	const char *pager = getenv("CDICT_PAGER");

	if (!pager)
		pager = getenv("PAGER");
	if (!pager)
		/* the shell checks for less: without it, no pager */
		pager = "command -v less >/dev/null && exec less || exec cat";
	return *pager && strcmp(pager, "cat") ? pager : NULL;
}

static void start(struct pager *p)
{
	int pipe_of[2];

	p->may = false;
	if (pipe2(pipe_of, O_CLOEXEC))
		return;
	fflush(stdout);
	p->child = fork();
	if (p->child < 0) {
		p->child = 0;
		close(pipe_of[0]);
		close(pipe_of[1]);
		return;
	}
	if (!p->child) {
		signal(SIGPIPE, SIG_DFL);
		setenv("LESS", "FRX", 0);
		setenv("LV", "-c", 0);
		if (dup2(pipe_of[0], STDIN_FILENO) >= 0)
			execl("/bin/sh", "sh", "-c", command(), (char *)NULL);
		_exit(127);
	}
	close(pipe_of[0]);
	p->to = pipe_of[1];
	/* quitting the pager early is not an error */
	signal(SIGPIPE, SIG_IGN);
}

static int write_all(struct pager *p, const char *data, size_t size)
{
	int to = p->child ? p->to : STDOUT_FILENO;

	if (!p->child)
		fflush(stdout);
	while (size && !p->gone) {
		ssize_t n = write(to, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && p->child && errno == EPIPE)
			p->gone = true;
		else if (n < 0)
			return -errno;
		else
			data += n, size -= (size_t)n;
	}
	return 0;
}

/* Counts terminal lines of the kept text, up to the number at which the pager starts. */
static void count(struct pager *p, const char *data, size_t size)
{
	for (const char *end = data + size; data < end && p->lines <= p->rows;) {
		const char *line = memchr(data, '\n', (size_t)(end - data));
		size_t len = (size_t)((line ? line : end) - data);

		p->lines += len ? (len + p->columns - 1) / p->columns : 1;
		data += len + 1;
	}
}

static int write_some(void *ctx, const void *data, size_t size)
{
	struct pager *p = ctx;
	int rc;

	if (!p->may)
		return write_all(p, data, size);
	buf_add(&p->kept, data, size);
	if (p->kept.failed)
		return -ENOMEM;
	count(p, data, size);
	if (p->lines < p->rows)
		return 0;
	start(p);
	rc = write_all(p, (const char *)p->kept.data, p->kept.len);
	buf_fini(&p->kept);
	return rc;
}

void pager_open(struct pager *p, const struct cmd_call *call, bool text)
{
	const struct options_shared *shared = call->opts;
	struct winsize ws = { 0 };

	*p = (struct pager){ .may = text && !shared->no_pager && size_of(&ws) && command() };
	p->rows = ws.ws_row;
	p->columns = ws.ws_col;
	if (text && isatty(STDOUT_FILENO))
		sink_to(&p->sink, write_some, p);
	else
		sink_to_file(&p->sink, stdout);
}

int pager_close(struct pager *p)
{
	int rc = sink_finish(&p->sink);

	/* it fits the terminal */
	p->may = false;
	if (!rc && p->kept.len)
		rc = write_all(p, (const char *)p->kept.data, p->kept.len);
	buf_fini(&p->kept);
	if (!p->child)
		return rc;
	close(p->to);
	/* Ctrl-C belongs to the pager while it runs */
	signal(SIGINT, SIG_IGN);
	while (waitpid(p->child, NULL, 0) < 0 && errno == EINTR)
		;
	return rc;
}

int pager_end(struct pager *p, const struct cmd_call *call, const char *file, int rc)
{
	int end = pager_close(p);

	rc = rc ? rc : end;
	return rc == -ENOMEM ? cmd_errorf(call, file, "out of memory")
	       : rc          ? cmd_stdout_error(call, rc)
			     : CMD_DONE;
}
