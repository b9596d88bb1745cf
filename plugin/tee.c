/* SPDX-License-Identifier: GPL-2.0-only */
/* Copies a pipe. */
#include "plugin/tee.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"

#define PIPE_SIZE (1 << 20)
#define CHUNK (64u << 10)

struct chunk {
	struct chunk *next;
	size_t n, done;
	uint8_t data[CHUNK];
};

struct tee {
	pthread_t thread;
	int in;         /* the original input */
	int perf, copy; /* the outputs */
	int stop[2];    /* a pipe: closing one end stops reading for perf */
	bool begun, no_memory;
	struct chunk *for_perf;     /* the latest chunk, until perf has read it */
	size_t perf_done;           /* bytes of it that perf has read */
	struct chunk *first, *last; /* chunks not yet in the copy, and for_perf */
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Starts the copy with the header that perf has already read: its byte order is that of the
 * first record, whose type is a small number. */
static void begin_copy(struct chunk *header, const struct chunk *c)
{
	uint32_t little = 0, big = 0;
	bool swapped;

	for (unsigned i = 0; i < 4 && i < c->n; i++) {
		little |= (uint32_t)c->data[i] << 8 * i;
		big = big << 8 | c->data[i];
	}
	swapped = big < little;
	memcpy(header->data, swapped ? "2ELIFREP" : "PERFILE2", 8);
	header->data[swapped ? 15 : 8] = 16;
	header->n = 16;
}

static void append(struct tee *t, struct chunk *c)
{
	if (t->last)
		t->last->next = c;
	else
		t->first = c;
	t->last = c;
}

/* Reads one chunk from @in; false at its end. */
static bool read_chunk(struct tee *t)
{
	struct chunk *header = t->begun ? NULL : calloc(1, sizeof(*header));
	struct chunk *c = malloc(sizeof(*c));
	ssize_t n;

	if (!c || (!t->begun && !header)) {
		free(c);
		free(header);
		t->no_memory = true;
		return false;
	}
	n = read(t->in, c->data, sizeof(c->data));
	if (n <= 0) {
		free(c);
		free(header);
		return n < 0 && (errno == EINTR || errno == EAGAIN);
	}
	c->next = NULL;
	c->n = (size_t)n;
	c->done = 0;
	if (!t->begun) {
		begin_copy(header, c);
		append(t, header);
		t->begun = true;
	}
	append(t, c);
	t->for_perf = c;
	t->perf_done = 0;
	return true;
}

/* Writes as much of @c beyond *@done as @fd accepts; false when @fd has no reader. */
static bool write_chunk(int fd, const struct chunk *c, size_t *done)
{
	ssize_t n = write(fd, c->data + *done, c->n - *done);

	*done += n > 0 ? (size_t)n : 0;
	return n >= 0 || errno == EINTR || errno == EAGAIN;
}

static void forget_first(struct tee *t)
{
	struct chunk *c = t->first;

	t->first = c->next;
	if (!t->first)
		t->last = NULL;
	free(c);
}

/* perf waits only for its input; data for which the copy has no room is queued here. */
static void *copy_thread(void *arg)
{
	struct tee *t = arg;
	bool more = true;

	while (more || t->for_perf || (t->first && t->copy >= 0)) {
		struct pollfd fds[] = {
			{ more && !t->for_perf ? t->in : -1, POLLIN, 0 },
			{ t->for_perf ? t->perf : -1, POLLOUT, 0 },
			{ t->first && t->first->done < t->first->n ? t->copy : -1, POLLOUT, 0 },
			{ t->perf >= 0 ? t->stop[0] : -1, POLLIN, 0 },
		};

		if (poll(fds, 4, -1) < 0) {
			if (errno == EINTR)
				continue;
			break;
		}
		if (fds[3].revents ||
		    (fds[1].revents && !write_chunk(t->perf, t->for_perf, &t->perf_done))) {
			close_end(&t->perf);
			more = false;
			t->for_perf = NULL;
		}
		if (t->for_perf && t->perf_done == t->for_perf->n)
			t->for_perf = NULL;
		if (fds[2].revents && !write_chunk(t->copy, t->first, &t->first->done))
			close_end(&t->copy);
		while (t->first && t->first != t->for_perf &&
		       (t->first->done == t->first->n || t->copy < 0))
			forget_first(t);
		if (fds[0].revents)
			more = read_chunk(t);
		if (!more && !t->for_perf)
			close_end(&t->perf);
	}
	close_end(&t->copy);
	close_end(&t->perf);
	while (t->first)
		forget_first(t);
	return NULL;
}

static void close_all(struct tee *t)
{
	int *fds[] = { &t->in, &t->perf, &t->copy, &t->stop[0], &t->stop[1] };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		close_end(fds[i]);
	free(t);
}

static int start_thread(struct tee *t)
{
	sigset_t all, old;
	int ret;

	/* perf's thread handles perf's signals, and a pipe that perf has closed must not kill
	 * it. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&t->thread, NULL, copy_thread, t);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return ret ? -EAGAIN : 0;
}

int tee_open(struct tee **out, int fd, int *copy, struct cdict_error *err)
{
	struct tee *t = calloc(1, sizeof(*t));
	int to_perf[2] = { -1, -1 }, to_us[2] = { -1, -1 }, ret;

	*out = NULL;
	if (!t)
		return cdict_fail_nomem(err);
	t->in = t->perf = t->copy = t->stop[0] = t->stop[1] = -1;
	t->in = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	ret = t->in < 0 || pipe2(to_perf, O_CLOEXEC);
	t->perf = to_perf[1];
	ret = ret || pipe2(to_us, O_CLOEXEC);
	t->copy = to_us[1];
	ret = ret || pipe2(t->stop, O_CLOEXEC) || fcntl(t->perf, F_SETFL, O_NONBLOCK) ||
	      fcntl(t->copy, F_SETFL, O_NONBLOCK);
	if (ret)
		goto fail;
	/* Fails beyond the user's limit: the pipes then keep their size. */
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
	close_end(&to_perf[0]);
	close_end(&to_us[0]);
	close_all(t);
	return ret;
}

void tee_stop(struct tee *t)
{
	if (t)
		close_end(&t->stop[1]);
}

bool tee_close(struct tee *t)
{
	bool all = true;

	if (t) {
		tee_stop(t);
		pthread_join(t->thread, NULL);
		all = !t->no_memory;
		close_all(t);
	}
	return all;
}
