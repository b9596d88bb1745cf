/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Pushes figures during the recording, in a separate process, so that neither a slow store, nor
 * memory usage, nor a fault in a library affects the recorder. It reads the file while it is
 * written, at the lowest priority.
 *
 * The recorder sends up to where the file is complete: a message is dropped when the previous one
 * was not received yet. The end of messages is the end of the recording, however it ended.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/record/record.h"
#include "base/text/plural.h"
#include "cmd/tables/fleet.h"
#include "query/fleet/figures/live.h"

struct message {
	uint64_t bytes, tail_size, certain_ns;
};

/* ---- the pusher ---- */

struct pusher {
	const struct cmd_call *call;
	int socket;
	int file; /* -1: no message received yet */
	struct fleet_live live;
};

static void say(void *ctx, const char *line)
{
	const struct pusher *p = ctx;

	cmd_warn(p->call, NULL, "%s", line);
}

static int open_store(void *ctx, struct store **out, struct cdict_error *err)
{
	const struct pusher *p = ctx;

	return fleet_open_store(out, p->call->opts, err);
}

/* Receives a message and both descriptors; false: the recording has ended, or no message is
 * pending. */
static bool receive(struct pusher *p, struct message *m, int *tail, bool wait)
{
	struct iovec part = { m, sizeof(*m) };
	union {
		char room[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control;
	struct msghdr msg = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = control.room,
			      .msg_controllen = sizeof(control.room) };
	struct cmsghdr *c;
	int fds[2];
	ssize_t n;

	do
		n = recvmsg(p->socket, &msg, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
	while (n < 0 && errno == EINTR);
	c = n == sizeof(*m) ? CMSG_FIRSTHDR(&msg) : NULL;
	if (!c || c->cmsg_len != CMSG_LEN(sizeof(fds)))
		return false;
	memcpy(fds, CMSG_DATA(c), sizeof(fds));
	if (p->file >= 0)
		close(p->file);
	p->file = fds[0];
	*tail = fds[1];
	return true;
}

/* Maps @bytes of the file and the tail after them contiguously: all pages except the last are the
 * file's own. */
static void *map(int file, uint64_t bytes, int tail, uint64_t tail_size)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), whole = bytes / page * page;
	uint64_t at = whole;
	char *all = mmap(NULL, bytes + tail_size + 1, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ssize_t n = 1;

	if (all == MAP_FAILED)
		return NULL;
	if (whole && mmap(all, whole, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0) == MAP_FAILED)
		n = 0;
	for (; n > 0 && at < bytes; at += (uint64_t)n)
		n = pread(file, all + at, bytes - at, (off_t)at);
	for (at = 0; n > 0 && at < tail_size; at += (uint64_t)n)
		n = pread(tail, all + bytes + at, tail_size - at, (off_t)at);
	if (n > 0)
		return all;
	munmap(all, bytes + tail_size + 1);
	return NULL;
}

/* Handles messages; of several pending ones, only the latest. */
static void view_all(struct pusher *p)
{
	struct message m;
	int tail, next;
	void *all;

	while (receive(p, &m, &tail, true)) {
		struct message later;

		while (receive(p, &later, &next, false)) {
			close(tail);
			tail = next;
			m = later;
		}
		all = map(p->file, m.bytes, tail, m.tail_size);
		close(tail);
		if (!all)
			continue;
		fleet_live_view(&p->live, all, m.bytes + m.tail_size, m.certain_ns);
		munmap(all, m.bytes + m.tail_size + 1);
	}
}

static void view_end(struct pusher *p)
{
	struct stat st;
	void *all = NULL;

	if (p->file >= 0 && !fstat(p->file, &st) && S_ISREG(st.st_mode) && st.st_size)
		all = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, p->file, 0);
	if (!all || all == MAP_FAILED)
		return;
	fleet_live_end(&p->live, all, (size_t)st.st_size);
	munmap(all, (size_t)st.st_size);
}

static int report_end(const struct pusher *p, const char *spool)
{
	const struct fleet_live_counts *n = &p->live.counts;
	const struct options_shared *o = p->call->opts;

	if (!p->call->quiet && p->file >= 0)
		fprintf(stderr, "[ cdict record: job %s: %s bucket%s pushed ]\n", o->job,
			GROUPED(n->pushed), n->pushed == 1 ? "" : "s");
	if (n->spooled)
		cmd_warn(p->call, NULL,
			 "job %s: %s bucket%s in %s: 'cdict push --job %s --spool %s' "
			 "pushes %s",
			 o->job, GROUPED(n->spooled), n->spooled == 1 ? " is" : "s are", spool,
			 o->job, spool, n->spooled == 1 ? "it" : "them");
	if (n->left)
		cmd_warn(
			p->call, NULL,
			"job %s: %s bucket%s not pushed: run 'cdict push --job %s' on the capture to add %s",
			o->job, GROUPED(n->left), n->left == 1 ? " was" : "s were", o->job,
			n->left == 1 ? "it" : "them");
	return n->spooled || n->left ? CMD_DAMAGED : CMD_DONE;
}

/* If memory runs out, the kernel should kill this process, not the recorder. */
static void stand_back(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0) {
		if (write(fd, "800", 3) != 3)
			errno = 0;
		close(fd);
	}
	setpriority(PRIO_PROCESS, 0, 19);
}

static int run(const struct cmd_call *call, int socket, const char *spool)
{
	const struct options_shared *o = call->opts;
	struct pusher p = { .call = call, .socket = socket, .file = -1 };
	struct fleet_live_options opts = { .job = o->job,
					   .spool = spool,
					   .open = open_store,
					   .open_ctx = &p,
					   .say = say,
					   .say_ctx = &p };
	int status, nice = getpriority(PRIO_PROCESS, 0);

	/* Ctrl-C ends the recording; the rest is pushed after that. */
	signal(SIGINT, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	stand_back();
	fleet_live_init(&p.live, &opts);
	view_all(&p);
	signal(SIGINT, SIG_DFL);
	/* no recording is left to disturb, and the user waits */
	if (setpriority(PRIO_PROCESS, 0, nice))
		errno = 0;
	view_end(&p);
	status = report_end(&p, spool);
	fleet_live_fini(&p.live);
	return status;
}

/* ---- the recorder ---- */

void record_push_view(void *push, const struct record_view *view)
{
	const struct record_push *p = push;
	struct message m = { view->bytes, view->tail_size, view->certain_ns };
	struct iovec part = { &m, sizeof(m) };
	union {
		char room[CMSG_SPACE(2 * sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct msghdr msg = { .msg_iov = &part,
			      .msg_iovlen = 1,
			      .msg_control = control.room,
			      .msg_controllen = sizeof(control.room) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	int tail = memfd_create("cdict", MFD_CLOEXEC);
	int fds[2] = { view->fd, tail };

	if (tail < 0)
		return;
	if (!view->tail_size ||
	    write(tail, view->tail, view->tail_size) == (ssize_t)view->tail_size) {
		c->cmsg_level = SOL_SOCKET;
		c->cmsg_type = SCM_RIGHTS;
		c->cmsg_len = CMSG_LEN(sizeof(fds));
		memcpy(CMSG_DATA(c), fds, sizeof(fds));
		/* If the pusher is busy, it gets the next message. */
		if (sendmsg(p->socket, &msg, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
			errno = 0;
	}
	close(tail);
}

int record_push_begin(struct record_push *p, const struct cmd_call *call, const char *output)
{
	const struct record_opts *o = call->opts;
	char *spool = NULL;
	int pair[2], small = 4096;
	pid_t pid;

	if (o->spool ? !(spool = strdup(o->spool)) : asprintf(&spool, "%s.spool", output) < 0)
		return cmd_errorf(call, NULL, "out of memory");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair)) {
		free(spool);
		return cmd_errorf(call, NULL, "cannot push while recording: %s", strerror(errno));
	}
	setsockopt(pair[0], SOL_SOCKET, SO_SNDBUF, &small, sizeof(small));
	pid = fork();
	if (!pid) {
		close(pair[0]);
		_exit(run(call, pair[1], spool));
	}
	close(pair[1]);
	free(spool);
	if (pid < 0) {
		close(pair[0]);
		return cmd_errorf(call, NULL, "cannot push while recording: %s", strerror(errno));
	}
	p->pid = pid;
	p->socket = pair[0];
	return CMD_DONE;
}

void record_push_over(struct record_push *p)
{
	if (p->pid && p->socket >= 0)
		close(p->socket);
	p->socket = -1;
}

int record_push_end(struct record_push *p, const struct cmd_call *call)
{
	int status = 0;
	pid_t pid;

	if (!p->pid)
		return CMD_DONE;
	record_push_over(p);
	do
		pid = waitpid(p->pid, &status, 0);
	while (pid < 0 && errno == EINTR);
	p->pid = 0;
	if (pid < 0 || !WIFSIGNALED(status))
		return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : CMD_DAMAGED;
	cmd_warn(
		call, NULL,
		"the pushing process was killed by signal %d: run 'cdict push' on the capture to add the missing buckets",
		WTERMSIG(status));
	return CMD_DAMAGED;
}
