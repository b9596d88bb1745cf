/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --keep-perf-data: runs perf record with the same events in parallel. It is started disabled,
 * enabled before our events and stopped after them, so that its file covers ours.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/buf.h"
#include "cmd/core/program.h"
#include "cmd/record/record.h"

#define START_MS 30000 /* perf first reads all of /proc */
#define STOP_MS 60000  /* perf walks its file at the end */

/* The argument list, NUL-separated texts in one buffer. */
struct words {
	struct buf text;
	size_t n;
};

static void word(struct words *w, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void word(struct words *w, const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) < 0)
		text = NULL;
	va_end(ap);
	if (!text) {
		w->text.failed = true;
		return;
	}
	buf_add(&w->text, text, strlen(text) + 1);
	w->n++;
	free(text);
}

static void cpus(struct words *w, const struct cmd_cpus *list)
{
	struct buf b = { 0 };

	for (size_t i = 0; i < list->n; i++)
		if (list->bits[i / 64] >> i % 64 & 1)
			buf_printf(&b, "%s%zu", b.len ? "," : "", i);
	buf_u8(&b, 0);
	word(w, "-C");
	word(w, "%s", b.failed ? "" : (const char *)b.data);
	buf_fini(&b);
}

static void command_line(struct words *w, const struct record_perf *p, const struct choice *choice,
			 size_t ring_bytes, int control, int ack)
{
	const struct record_opts *o = p->opts;

	word(w, "perf");
	word(w, "record");
	word(w, "-q");
	if (o->shared.cpus.bits)
		cpus(w, &o->shared.cpus);
	else
		word(w, "-a");
	word(w, "-m");
	word(w, "%zuK", ring_bytes >> 10);
	if (o->clock) {
		word(w, "-k");
		word(w, "%s", o->clock);
	}
	if (o->call_graph) {
		word(w, "--call-graph");
		word(w, "%s", o->call_graph);
	} else if (o->stacks) {
		word(w, "-g");
	}
	if (o->freq || o->count) {
		word(w, o->freq ? "-F" : "-c");
		word(w, "%s", o->freq ? o->freq : o->count);
	}
	word(w, "-D");
	word(w, "-1");
	word(w, "--control");
	word(w, "fd:%d,%d", control, ack);
	for (size_t i = 0; i < choice->events.n; i++) {
		word(w, "-e");
		word(w, "%s",
		     choice->events.at[i].sampled ? choice->events.at[i].event
						  : choice->events.at[i].name);
		if (choice->events.at[i].filter) {
			word(w, "--filter");
			word(w, "%s", choice->events.at[i].filter);
		}
	}
	word(w, "-o");
	word(w, "%s", o->perf_data);
}

static void run(const struct words *w, int control, int ack)
{
	char **argv = calloc(w->n + 1, sizeof(*argv)), *at = (char *)w->text.data;
	sigset_t none;

	for (size_t i = 0; argv && i < w->n; i++, at += strlen(at) + 1)
		argv[i] = at;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	/* Ctrl-C goes to the recorder, which stops perf; and perf must not outlive it. */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	fcntl(control, F_SETFD, 0);
	fcntl(ack, F_SETFD, 0);
	dup2(STDERR_FILENO, STDOUT_FILENO);
	if (argv)
		program_run("perf", argv);
	dprintf(STDERR_FILENO, "cdict record: cannot run perf: %s\n", strerror(errno));
	_exit(127);
}

static void forget(struct record_perf *p)
{
	if (p->control > 0)
		close(p->control);
	if (p->ack > 0)
		close(p->ack);
	p->control = p->ack = 0;
}

/* Sends a command; false when perf does not acknowledge it in time. */
static bool send_command(struct record_perf *p, const char *what, int timeout_ms)
{
	struct pollfd wait = { .fd = p->ack, .events = POLLIN };
	char answer[16];

	return write(p->control, what, strlen(what)) == (ssize_t)strlen(what) &&
	       poll(&wait, 1, timeout_ms) == 1 && read(p->ack, answer, sizeof(answer)) > 0;
}

static void end(struct record_perf *p, int *status)
{
	if (p->pid <= 0)
		return;
	kill(p->pid, SIGTERM);
	while (waitpid(p->pid, status, 0) < 0 && errno == EINTR)
		;
	p->pid = 0;
	forget(p);
}

static int start_perf(struct record_perf *p, const struct choice *choice, size_t ring_bytes,
		      struct cdict_error *err)
{
	struct words w = { 0 };
	int control[2], ack[2], status;

	if (pipe2(control, O_CLOEXEC))
		return cdict_fail_errno(err, "pipe");
	if (pipe2(ack, O_CLOEXEC)) {
		close(control[0]);
		close(control[1]);
		return cdict_fail_errno(err, "pipe");
	}
	command_line(&w, p, choice, ring_bytes, control[0], ack[1]);
	p->pid = w.text.failed ? -1 : fork();
	if (!p->pid)
		run(&w, control[0], ack[1]);
	buf_fini(&w.text);
	close(control[0]);
	close(ack[1]);
	p->control = control[1];
	p->ack = ack[0];
	if (p->pid > 0 && send_command(p, "enable\n", START_MS))
		return 0;
	end(p, &status);
	forget(p);
	return cdict_fail(
		err, -ECHILD, CDICT_NO_OFFSET,
		"perf record for --keep-perf-data did not start (its --control needs perf of Linux 5.10 or later)");
}

int record_perf_beside(void *perf, const struct choice *choice, size_t ring_bytes,
		       struct cdict_error *err)
{
	struct record_perf *p = perf;
	int status = 0;

	if (choice)
		return start_perf(p, choice, ring_bytes, err);
	if (p->pid <= 0)
		return 0;
	send_command(p, "stop\n", STOP_MS);
	end(p, &status);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	if (WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM)
		return 0; /* perf ends that way when stopped, with a complete file */
	return cdict_fail(err, -ECHILD, CDICT_NO_OFFSET,
			  "perf record failed (status %d): %s may be incomplete",
			  WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
			  p->opts->perf_data);
}
