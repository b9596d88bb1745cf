/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Shows the growing file to a reader beside the recorder.
 *
 * The reader must know up to which time the file is complete. After a flush the file holds
 * everything that was in the rings when the flush was requested. The newest event that was in the
 * file before is older than that request: up to it, the events of all CPUs are in the file. So no
 * clock is needed; the certain time lags by one flush.
 *
 * A separate thread requests the flushes: the encoder may be slow, and the end of the recording
 * must not wait for it.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/fail.h"
#include "capture/record/internal.h"
#include "format/file/writer.h"

#define VIEW_S 1

struct growing {
	struct recording *rec;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed;
	int32_t tid;
	bool begun, ended; /* under the lock */
};

/* Writes the part of the file's end that readers need: the time at which all CPUs were on. */
static int tail_of(struct recording *rec, struct buf *tail)
{
	struct scope scope = rec->info.scope;
	char text[SCOPE_TEXT_MAX];

	if (scope.begins_ns <= rec->first_ns)
		scope.begins_ns = 0;
	return format_writer_view(rec->writer, scope.begins_ns ? "record.scope" : NULL,
				  scope.begins_ns ? scope_text(text, &scope) : NULL, tail);
}

/* @certain_ns: from the previous flush. Returns the time of the file's newest event. */
static uint64_t show(struct recording *rec, uint64_t certain_ns)
{
	struct record_view view = { .certain_ns = certain_ns };
	struct buf tail = { 0 };
	uint64_t newest_ns;
	int ret;

	pthread_mutex_lock(&rec->file_lock);
	newest_ns = rec->newest_ns;
	view.fd = target_fd(rec->target);
	view.bytes = target_bytes(rec->target);
	ret = tail_of(rec, &tail);
	pthread_mutex_unlock(&rec->file_lock);
	view.tail = tail.data;
	view.tail_size = tail.len;
	if (!ret) /* on failure, wait for the next view */
		rec->opts->view(rec->opts->view_ctx, &view);
	buf_fini(&tail);
	return newest_ns;
}

/* False: the recording has ended. */
static bool wait_a_second(struct growing *g)
{
	struct timespec until;
	bool goes_on;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += VIEW_S;
	pthread_mutex_lock(&g->lock);
	while (!g->ended && pthread_cond_timedwait(&g->changed, &g->lock, &until) != ETIMEDOUT)
		;
	goes_on = !g->ended;
	pthread_mutex_unlock(&g->lock);
	return goes_on;
}

static void *run(void *ctx)
{
	struct growing *g = ctx;
	struct recording *rec = g->rec;
	uint64_t newest_ns;

	pthread_mutex_lock(&g->lock);
	g->tid = (int32_t)syscall(SYS_gettid);
	pthread_cond_broadcast(&g->changed);
	while (!g->begun && !g->ended)
		pthread_cond_wait(&g->changed, &g->lock);
	pthread_mutex_unlock(&g->lock);
	if (!g->begun)
		return NULL;
	newest_ns = show(rec, 0);
	while (wait_a_second(g)) {
		recording_flush(rec);
		newest_ns = show(rec, newest_ns);
	}
	return NULL;
}

int recording_growing(struct recording *rec, int32_t *tid)
{
	struct growing *g = calloc(1, sizeof(*g));
	pthread_condattr_t attr;
	int ret;

	if (!g)
		return cdict_fail_nomem(rec->err);
	g->rec = rec;
	pthread_mutex_init(&g->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&g->changed, &attr);
	pthread_condattr_destroy(&attr);
	ret = pthread_create(&g->thread, NULL, run, g);
	if (ret) {
		free(g);
		return cdict_fail(rec->err, -ret, CDICT_NO_OFFSET, "cannot start a thread: %s",
				  strerror(ret));
	}
	rec->growing = g;
	pthread_mutex_lock(&g->lock);
	while (!g->tid)
		pthread_cond_wait(&g->changed, &g->lock);
	*tid = g->tid;
	pthread_mutex_unlock(&g->lock);
	return 0;
}

static void set_flag(struct growing *g, bool *what)
{
	pthread_mutex_lock(&g->lock);
	*what = true;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

void recording_growing_begin(struct recording *rec)
{
	if (rec->growing)
		set_flag(rec->growing, &rec->growing->begun);
}

void recording_growing_end(struct recording *rec)
{
	struct growing *g = rec->growing;

	if (!g)
		return;
	set_flag(g, &g->ended);
	pthread_join(g->thread, NULL);
	pthread_mutex_destroy(&g->lock);
	pthread_cond_destroy(&g->changed);
	free(g);
	rec->growing = NULL;
}
