/* SPDX-License-Identifier: GPL-2.0-only */
/* A second reader of what perf reads: all but the samples. */
#include "plugin/along.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "convert/about.h"
#include "convert/account.h"
#include "format/writer.h"

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
	struct pending seen; /* of it only the latest time of each CPU */
	struct cdict_error failed;

	pthread_mutex_t lock;
	pthread_cond_t changed;
	struct types_event *events;
	size_t n_events, cap_events, n_attrs;
	bool ready; /* events and formats are known, or never will be */
};

static int no_memory(struct cdict_error *err)
{
	return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
}

/* Events that the recording named since the last call. */
static int publish(struct along *a, bool ready, struct cdict_error *err)
{
	int ret = 0;

	pthread_mutex_lock(&a->lock);
	for (; a->pd && a->n_attrs < perfdata_event_count(a->pd) && !ret; a->n_attrs++) {
		const struct perfdata_event *ev = perfdata_event_at(a->pd, a->n_attrs);
		struct types_event *events = a->events;

		if (ev->attr_type != PERF_TYPE_TRACEPOINT)
			continue;
		if (a->n_events == a->cap_events) {
			size_t cap = a->cap_events ? 2 * a->cap_events : 64;

			events = realloc(events, cap * sizeof(*events));
			if (!events) {
				ret = no_memory(err);
				break;
			}
			a->events = events;
			a->cap_events = cap;
		}
		events += a->n_events++;
		*events = (struct types_event){ .config = ev->config,
						.sample_type = ev->layout.sample_type };
		snprintf(events->name, sizeof(events->name), "%s", ev->name);
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
	struct pending_cpu *p;
	uint64_t t_ns;
	uint32_t cpu;

	if (!a->ready && publish(a, true, err))
		return err->code;
	if (event < 0)
		return account_unstored(&a->account, event) ? 0 : no_memory(err);
	l = &perfdata_event_at(a->pd, (size_t)event)->layout;
	if (l->time < 0 || l->cpu < 0 || (uint32_t)l->time + 8 > rec->size ||
	    (uint32_t)l->cpu + 4 > rec->size)
		return 0;
	cpu = load32(rec->data + l->cpu, big);
	if (cpu >= PENDING_MAX_CPUS)
		return 0;
	t_ns = load64(rec->data + l->time, big);
	p = pending_cpu(&a->seen, cpu);
	if (!p)
		return no_memory(err);
	if (t_ns > p->max_ns)
		p->max_ns = t_ns;
	return 0;
}

static int other(struct along *a, const struct perfdata_record *rec, struct cdict_error *err)
{
	int ret = 0;

	if (rec->type == RECORD_ATTR || rec->type == RECORD_TRACING_DATA)
		ret = publish(a, false, err);
	if (!ret)
		ret = account_record(&a->account, a->rows, a->pd, rec, &a->seen, err);
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
		return no_memory(err);
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
		return no_memory(err);
	}
	a->fd = fd;
	return begin(out, a, err);
}

int along_events(struct along *a, size_t *seen, struct types_event **events, size_t *n,
		 struct cdict_error *err)
{
	int ret = 0;

	pthread_mutex_lock(&a->lock);
	while (!a->ready)
		pthread_cond_wait(&a->changed, &a->lock);
	*n = a->n_events - *seen;
	*events = malloc((*n + 1) * sizeof(**events));
	if (*events) {
		if (*n)
			memcpy(*events, a->events + *seen, *n * sizeof(**events));
		*seen = a->n_events;
	} else {
		ret = no_memory(err);
	}
	pthread_mutex_unlock(&a->lock);
	return ret;
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
	pending_fini(&a->seen);
	if (a->fd >= 0)
		close(a->fd);
	free(a->events);
	pthread_mutex_destroy(&a->lock);
	pthread_cond_destroy(&a->changed);
	free(a);
}

/* --- what is written of it --- */

/* What the converter's account takes from its own queues is known to the intake here. */
static int take_counts(struct along *a, const struct intake *in, struct convert_report *r,
		       struct cdict_error *err)
{
	for (size_t i = 0; i < intake_cpus(in); i++) {
		const struct intake_cpu_counts *c = intake_counts(in, i);
		struct cdict_loss bad = { CDICT_LOSS_DAMAGE, (uint32_t)i - 1u, CDICT_TYPE_ANY,
					  c->bad_first_ns,   c->bad_last_ns,   c->bad };
		struct pending_cpu *p = pending_cpu(&a->seen, (uint32_t)i - 1u);

		if (!p)
			return no_memory(err);
		p->late = c->late;
		p->late_first_ns = c->late_first_ns;
		p->late_last_ns = c->late_last_ns;
		p->sorted = c->sorted;
		r->bad_samples += c->bad;
		if (c->events && (!r->events || c->first_ns < r->first_ns))
			r->first_ns = c->first_ns;
		if (c->last_ns > r->last_ns)
			r->last_ns = c->last_ns;
		r->events += c->events;
		if (c->bad && cdict_writer_loss(a->rows, &bad, err))
			return err->code;
	}
	return 0;
}

static int take_unstored(struct along *a, const struct along_unstored *unstored, size_t n,
			 struct cdict_error *err)
{
	for (size_t i = 0; i < n; i++)
		for (size_t e = 0; a->pd && e < perfdata_event_count(a->pd); e++) {
			if (strcmp(perfdata_event_at(a->pd, e)->name, unstored[i].name))
				continue;
			if (!account_unstored(&a->account, (int)e))
				return no_memory(err);
			a->account.events[e] += unstored[i].count - 1;
			break;
		}
	return 0;
}

static void say_damage(const struct along *a, const struct convert_report *r,
		       struct along_result *out)
{
	const struct perfdata_damage *d = perfdata_damage(a->pd);
	char *to = out->damage;
	size_t size = sizeof(out->damage);

	if (d->first[0])
		snprintf(to, size, "%s", d->first);
	else if (a->failed.code)
		snprintf(to, size, "%s", a->failed.text);
	else if (r->bad_samples)
		snprintf(to, size, "%" PRIu64 " samples are shorter than their fields",
			 r->bad_samples);
	else if (a->account.strange)
		snprintf(to, size, "%" PRIu64 " records are of a type that perf does not write: %u",
			 a->account.strange, a->account.strange_type);
	else if (a->account.orphans)
		snprintf(to, size, "%" PRIu64 " samples belong to no event that the file names",
			 a->account.orphans);
	out->damaged = *to;
}

static int write_rows(struct along *a, struct cdict_writer *w, struct convert_report *r,
		      struct along_result *out, struct cdict_error *err)
{
	char number[24];
	int ret = about_write(a->rows, a->pd, err);

	if (!ret)
		ret = account_finish(&a->account, a->rows, a->pd, &a->seen, r, err);
	if (ret)
		return ret;
	say_damage(a, r, out);
	out->lost = r->lost;
	snprintf(number, sizeof(number), "%" PRIu64, out->bytes);
	ret = cdict_writer_info(a->rows, "input.bytes", number, err);
	if (!ret)
		ret = cdict_writer_info(a->rows, "input.mode", out->pipe ? "pipe" : "file", err);
	if (!ret && out->damaged)
		ret = cdict_writer_info(a->rows, "input.damage", out->damage, err);
	if (!ret)
		ret = format_writer_take_rows(a->rows, &a->packed, err);
	if (!ret)
		ret = format_writer_put_rows(w, &a->packed, err);
	for (size_t i = 0; i < r->n_unstored && !ret; i++)
		ret = cdict_writer_unstored(w, r->unstored[i].name, r->unstored[i].count, err);
	return ret;
}

int along_write(struct along *a, struct cdict_writer *w, const struct intake *in,
		const struct along_unstored *unstored, size_t n_unstored,
		struct along_result *result, struct cdict_error *err)
{
	struct convert_report report = { 0 };
	int ret;

	*result = (struct along_result){ 0 };
	if (!a->pd) {
		*err = a->failed;
		return err->code;
	}
	result->bytes = perfdata_bytes_read(a->pd);
	result->pipe = perfdata_pipe_mode(a->pd);
	ret = in ? take_counts(a, in, &report, err) : 0;
	if (!ret)
		ret = take_unstored(a, unstored, n_unstored, err);
	if (!ret)
		ret = write_rows(a, w, &report, result, err);
	convert_report_fini(&report);
	return ret;
}

const char *along_kernel(const struct along *a)
{
	return a->pd ? perfdata_features(a->pd)->osrelease : NULL;
}
