/* SPDX-License-Identifier: GPL-2.0-only */
/* The pipe behind the pipe. */
#include "plugin/tee.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"

#define PIPE_SIZE (1 << 20)
#define CHUNK (64u << 10)

struct tee {
	pthread_t thread;
	int in;         /* what perf would have read */
	int perf, copy; /* where it goes */
	int stop[2];    /* a pipe: closed at one end, it says stop */
	bool spliced;   /* @in is a pipe */
	uint8_t chunk[CHUNK];
};

/* Waits until @fd is ready; false when told to stop. */
static bool ready(const struct tee *t, int fd, short what)
{
	struct pollfd fds[2] = { { fd, what, 0 }, { t->stop[0], POLLIN, 0 } };

	while (1) {
		int n = poll(fds, 2, -1);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0)
			return !fds[1].revents;
	}
}

/* All of @data to @fd; the other end may be gone. */
static bool put(const struct tee *t, int fd, const uint8_t *data, size_t size)
{
	while (size) {
		ssize_t n;

		if (!ready(t, fd, POLLOUT))
			return false;
		/* A pipe with room takes PIPE_BUF bytes without waiting. */
		n = write(fd, data, size < PIPE_BUF ? size : PIPE_BUF);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		data += n;
		size -= (size_t)n;
	}
	return true;
}

static ssize_t take(struct tee *t)
{
	ssize_t n;

	do {
		if (!ready(t, t->in, POLLIN))
			return -1;
		n = read(t->in, t->chunk, sizeof(t->chunk));
	} while (n < 0 && (errno == EINTR || errno == EAGAIN));
	return n;
}

/* The copy begins with the header that perf has read: its byte order is that of the
 * first record, whose type is a small number. */
static bool begin_copy(struct tee *t, size_t n)
{
	uint8_t header[16] = { 0 };
	uint32_t little = 0, big = 0;
	bool swapped;

	for (unsigned i = 0; i < 4 && i < n; i++) {
		little |= (uint32_t)t->chunk[i] << 8 * i;
		big = big << 8 | t->chunk[i];
	}
	swapped = big < little;
	memcpy(header, swapped ? "2ELIFREP" : "PERFILE2", 8);
	header[swapped ? 15 : 8] = 16;
	return put(t, t->copy, header, sizeof(header));
}

/* The copy first: when perf has an event, all that came before it is in the copy. */
static bool pass_chunk(struct tee *t, size_t n)
{
	if (t->copy >= 0 && !put(t, t->copy, t->chunk, n)) {
		close(t->copy);
		t->copy = -1;
	}
	return put(t, t->perf, t->chunk, n);
}

/* One piece from @in into both pipes; false at the end. */
static bool pass_spliced(struct tee *t)
{
	ssize_t n = 0;

	if (!ready(t, t->in, POLLIN) || !ready(t, t->copy, POLLOUT))
		return false;
	n = tee(t->in, t->copy, PIPE_SIZE, SPLICE_F_NONBLOCK);
	if (n < 0 && errno == EPIPE) {
		close(t->copy);
		t->copy = -1;
		return true;
	}
	if (n <= 0)
		return n < 0 && (errno == EINTR || errno == EAGAIN);
	while (n > 0) {
		ssize_t moved;

		if (!ready(t, t->perf, POLLOUT))
			return false;
		moved = splice(t->in, NULL, t->perf, NULL, (size_t)n, SPLICE_F_NONBLOCK);
		if (moved < 0 && errno != EINTR && errno != EAGAIN)
			return false;
		if (moved == 0)
			return false;
		n -= moved > 0 ? moved : 0;
	}
	return true;
}

static void *work(void *arg)
{
	struct tee *t = arg;
	ssize_t n = take(t);
	bool more = n > 0 && begin_copy(t, (size_t)n) && pass_chunk(t, (size_t)n);

	while (more && t->spliced && t->copy >= 0)
		more = pass_spliced(t);
	while (more) {
		n = take(t);
		more = n > 0 && pass_chunk(t, (size_t)n);
	}
	if (t->copy >= 0)
		close(t->copy);
	close(t->perf);
	t->copy = t->perf = -1;
	return NULL;
}

static void close_all(struct tee *t)
{
	int fds[] = { t->in, t->perf, t->copy, t->stop[0], t->stop[1] };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	free(t);
}

static int start_thread(struct tee *t)
{
	sigset_t all, old;
	int ret;

	/* perf's signals are for perf's thread, and a pipe that perf has closed is no reason
	 * to die. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&t->thread, NULL, work, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ret ? -EAGAIN : 0;
}

int tee_open(struct tee **out, int fd, int *copy, struct cdict_error *err)
{
	struct tee *t = calloc(1, sizeof(*t));
	int to_perf[2] = { -1, -1 }, to_us[2] = { -1, -1 }, ret;
	struct stat st;

	*out = NULL;
	if (!t)
		return cdict_fail_nomem(err);
	t->in = t->perf = t->copy = t->stop[0] = t->stop[1] = -1;
	t->in = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (t->in < 0 || fstat(t->in, &st) || pipe2(to_perf, O_CLOEXEC) ||
	    pipe2(to_us, O_CLOEXEC) || pipe2(t->stop, O_CLOEXEC))
		goto fail;
	t->spliced = S_ISFIFO(st.st_mode);
	t->perf = to_perf[1];
	t->copy = to_us[1];
	/* Not allowed beyond a limit of the user's: then they stay as they are. */
	fcntl(to_perf[1], F_SETPIPE_SZ, PIPE_SIZE);
	fcntl(to_us[1], F_SETPIPE_SZ, PIPE_SIZE);
	if (dup2(to_perf[0], fd) < 0)
		goto fail;
	errno = -start_thread(t);
	if (errno) {
		dup2(t->in, fd);
		goto fail;
	}
	close(to_perf[0]);
	*copy = to_us[0];
	*out = t;
	return 0;
fail:
	ret = cdict_fail_errno(err, "standard input");
	if (to_perf[0] >= 0)
		close(to_perf[0]);
	if (to_us[0] >= 0)
		close(to_us[0]);
	if (t->perf < 0 && to_perf[1] >= 0)
		close(to_perf[1]);
	if (t->copy < 0 && to_us[1] >= 0)
		close(to_us[1]);
	close_all(t);
	return ret;
}

void tee_close(struct tee *t)
{
	if (!t)
		return;
	close(t->stop[1]);
	t->stop[1] = -1;
	pthread_join(t->thread, NULL);
	close_all(t);
}
