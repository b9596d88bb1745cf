/* SPDX-License-Identifier: GPL-2.0-only */
/* A second reader of what perf reads: all but the samples. */
#include "plugin/along.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "base/cursor.h"
#include "base/fail.h"
#include "convert/perfdata_info.h"
#include "convert/account.h"
#include "format/writer.h"
#include "ingest/ingest.h"

#define RECORD_ATTR 64u
#define RECORD_TRACING_DATA 66u
/* Rows of tasks and losses are packed after so many. */
#define ROWS_MAX 8192u

struct along {
	struct perfdata *pd;
	int fd; /* to be opened by the thread, or -1 */
	pthread_t thread;
	bool running;
	/* The thread's own until along_finish(). */
	struct cdict_writer *rows; /* to nowhere: its rows are taken */
	struct buf packed;
	unsigned n_rows;
	struct account account;
	struct ingest ingest; /* of rows alone; of the CPUs it knows the latest time */
	struct cdict_error failed;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	ARRAY(struct perfdata_event *) events; /* copies, which stay where they are */
	bool ready;                            /* events and formats are known, or never will be */
};

/* Events that the recording named since the last call. */
static int publish(struct along *a, bool ready, struct cdict_error *err)
{
	int ret = 0;

	pthread_mutex_lock(&a->lock);
	while (a->pd && a->events.n < perfdata_event_count(a->pd) && !ret) {
		struct perfdata_event *ev = malloc(sizeof(*ev));

		if (ev)
			*ev = *perfdata_event_at(a->pd, a->events.n);
		if (!ev || array_push(&a->events, ev)) {
			free(ev);
			ret = cdict_fail_nomem(err);
		}
	}
	if (ready && !a->ready) {
		a->ready = true;
		pthread_cond_broadcast(&a->changed);
	}
	pthread_mutex_unlock(&a->lock);
	return ret;
}

static int sample(struct along *a, const struct perfdata_record *rec, struct cdict_error *err)
{
	bool big = perfdata_big_endian(a->pd);
	int event = perfdata_event_of(a->pd, rec);
	const struct perfdata_sample_layout *l;
	struct batcher_cpu *c;
	uint64_t t_ns;
	uint32_t cpu;

	if (!a->ready && publish(a, true, err))
		return err->code;
	if (event < 0)
		return account_unstored(&a->account, event, 1, err);
	l = &perfdata_event_at(a->pd, (size_t)event)->layout;
	if (l->time < 0 || l->cpu < 0 || (uint32_t)l->time + 8 > rec->size ||
	    (uint32_t)l->cpu + 4 > rec->size)
		return 0;
	cpu = load32(rec->data + l->cpu, big);
	if (cpu >= INGEST_CPUS_MAX)
		return 0;
	t_ns = load64(rec->data + l->time, big);
	c = batcher_cpu(&a->ingest.batcher, cpu);
	if (!c)
		return cdict_fail_nomem(err);
	if (t_ns > c->max_ns)
		c->max_ns = t_ns;
	return 0;
}

static int other(struct along *a, const struct perfdata_record *rec, struct cdict_error *err)
{
	int ret = 0;

	if (rec->type == RECORD_ATTR || rec->type == RECORD_TRACING_DATA)
		ret = publish(a, false, err);
	if (!ret)
		ret = account_record(&a->account, &a->ingest, a->pd, rec, err);
	if (!ret && ++a->n_rows % ROWS_MAX == 0)
		ret = format_writer_take_rows(a->rows, &a->packed, err);
	return ret;
}

static void *work(void *arg)
{
	struct along *a = arg;
	struct cdict_error *err = &a->failed;
	struct perfdata_record rec;
	char rest[4096];
	int ret = 0;

	if (a->fd >= 0)
		ret = perfdata_open_fd(&a->pd, a->fd, "standard input", err);
	while (!ret && (ret = perfdata_next(a->pd, &rec, err)) > 0)
		ret = rec.type == PERF_RECORD_SAMPLE ? sample(a, &rec, err) : other(a, &rec, err);
	publish(a, true, err);
	/* perf gets its copy even when ours cannot be read to the end. */
	if (a->fd >= 0)
		while (read(a->fd, rest, sizeof(rest)) > 0)
			;
	return NULL;
}

static int to_nowhere(void *ctx, const void *data, size_t size)
{
	(void)ctx;
	(void)data;
	(void)size;
	return 0;
}

static int begin(struct along **out, struct along *a, struct cdict_error *err)
{
	sigset_t all, old;
	int ret = cdict_writer_open(&a->rows, to_nowhere, NULL, err);

	if (!ret) {
		format_writer_hold(a->rows);
		a->ingest.opts.writer = a->rows;
		if (a->pd)
			ret = publish(a, !perfdata_pipe_mode(a->pd), err);
	}
	if (!ret) {
		sigfillset(&all);
		pthread_sigmask(SIG_SETMASK, &all, &old);
		a->running = !pthread_create(&a->thread, NULL, work, a);
		pthread_sigmask(SIG_SETMASK, &old, NULL);
		if (!a->running)
			ret = cdict_fail(err, -EAGAIN, CDICT_NO_OFFSET, "no thread can be started");
	}
	if (ret) {
		along_close(a);
		return ret;
	}
	*out = a;
	return 0;
}

static struct along *new_along(void)
{
	struct along *a = calloc(1, sizeof(*a));

	if (a) {
		a->fd = -1;
		ingest_init(&a->ingest, &(struct ingest_options){ 0 });
		pthread_mutex_init(&a->lock, NULL);
		pthread_cond_init(&a->changed, NULL);
	}
	return a;
}

int along_open(struct along **out, const char *path, struct cdict_error *err)
{
	struct along *a = new_along();
	int ret;

	*out = NULL;
	if (!a)
		return cdict_fail_nomem(err);
	ret = perfdata_open(&a->pd, path, err);
	if (ret) {
		along_close(a);
		return ret;
	}
	return begin(out, a, err);
}

int along_open_fd(struct along **out, int fd, struct cdict_error *err)
{
	struct along *a = new_along();

	*out = NULL;
	if (!a) {
		close(fd);
		return cdict_fail_nomem(err);
	}
	a->fd = fd;
	return begin(out, a, err);
}

const struct perfdata_event *along_event(struct along *a, size_t i)
{
	const struct perfdata_event *ev;

	pthread_mutex_lock(&a->lock);
	while (!a->ready)
		pthread_cond_wait(&a->changed, &a->lock);
	ev = i < a->events.n ? a->events.at[i] : NULL;
	pthread_mutex_unlock(&a->lock);
	return ev;
}

const struct perfdata_tracing *along_tracing(const struct along *a)
{
	static const struct perfdata_tracing none;

	return a->pd ? perfdata_tracing(a->pd) : &none;
}

void along_finish(struct along *a)
{
	if (a->running)
		pthread_join(a->thread, NULL);
	a->running = false;
}

void along_close(struct along *a)
{
	if (!a)
		return;
	along_finish(a);
	perfdata_close(a->pd);
	cdict_writer_close(a->rows);
	buf_fini(&a->packed);
	account_fini(&a->account);
	ingest_fini(&a->ingest);
	if (a->fd >= 0)
		close(a->fd);
	for (size_t i = 0; i < a->events.n; i++)
		free(a->events.at[i]);
	array_fini(&a->events);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	free(a);
}

/* --- what is written of it --- */

int along_unstored(struct along *a, const char *name, uint64_t count, struct cdict_error *err)
{
	for (size_t i = 0; i < a->events.n; i++)
		if (!strcmp(a->events.at[i]->name, name))
			return account_unstored(&a->account, (int)i, count, err);
	return 0;
}

/* Its rows, and losses that are known only now. */
static int write_rows(struct along *a, struct cdict_writer *w, struct store *store,
		      struct cdict_error *err)
{
	struct rows rows = { 0 };
	int ret;

	a->ingest.opts.store = store;
	ret = ingest_losses(&a->ingest, &rows, err);
	if (!ret)
		ret = rows_write(&rows, a->rows, err);
	if (!ret)
		ret = format_writer_take_rows(a->rows, &a->packed, err);
	if (!ret)
		ret = format_writer_put_rows(w, &a->packed, err);
	rows_fini(&rows);
	return ret;
}

int along_write(struct along *a, struct cdict_writer *w, struct store *store,
		struct convert_report *report, struct cdict_error *err)
{
	int ret;

	if (!a->pd) {
		*err = a->failed;
		return err->code;
	}
	ret = write_rows(a, w, store, err);
	report->lost = a->ingest.lost;
	if (!ret)
		ret = perfdata_info_write(w, a->pd, err);
	return ret ? ret
		   : account_close(&a->account, w, a->pd, a->failed.code ? a->failed.text : "",
				   store_counts(store), report, err);
}

const char *along_kernel(const struct along *a)
{
	return a->pd ? perfdata_features(a->pd)->osrelease : NULL;
}
