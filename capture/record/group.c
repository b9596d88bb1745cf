/* SPDX-License-Identifier: GPL-2.0-only */
/* Starts, stops and joins a group's two threads. */
#include "capture/record/group_internal.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/sampled.h"
#include "convert/symbols/unwind.h"
#include "capture/trigger/trigger.h"
#include "cdict/stack.h"
#include "convert/sampled.h"

bool group_begin(struct group *g, int which)
{
	bool go;

	pthread_mutex_lock(&g->lock);
	g->tids[which] = (int32_t)syscall(SYS_gettid);
	g->ready++;
	pthread_cond_broadcast(&g->changed);
	while (!g->go && !g->give_up)
		pthread_cond_wait(&g->changed, &g->lock);
	go = g->go;
	pthread_mutex_unlock(&g->lock);
	return go;
}

static bool begin_encoding(void *ctx)
{
	if (!group_begin(ctx, 1))
		return false;
	setpriority(PRIO_PROCESS, 0, -10);
	return true;
}

/* On a saturated machine a fair share is too little to keep up: nice -10, and when the queue fills
 * up all the same, the reader's priority until it is nearly empty. */
static void hurry(void *ctx, size_t waits)
{
	struct group *g = ctx;
	struct sched_param param = { .sched_priority = g->opts.realtime };

	if (!g->opts.realtime)
		return;
	if (!g->hurried && waits > g->opts.queue_bytes / 2) {
		sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param);
		g->hurried = true;
	} else if (g->hurried && waits < g->opts.queue_bytes / 8) {
		param.sched_priority = 0;
		sched_setscheduler(0, SCHED_OTHER | SCHED_RESET_ON_FORK, &param);
		g->hurried = false;
	}
}

static void storing_failed(void *ctx)
{
	struct group *g = ctx;

	if (g->opts.failed)
		g->opts.failed(g->opts.failed_ctx);
}

static int start_threads(struct group *g, struct cdict_error *err)
{
	struct encode_options opts = { .schema = g->opts.schema,
				       .threads = 1,
				       .begin = begin_encoding,
				       .pace = hurry,
				       .failed = storing_failed,
				       .ctx = g };
	int ret = pthread_create(&g->reader, NULL, group_read, g);

	g->has_reader = !ret;
	if (ret)
		return cdict_fail(err, -ret, CDICT_NO_OFFSET, "cannot start a thread: %s",
				  strerror(ret));
	ret = ingest_start(&g->ingest, &opts, err);
	if (ret)
		return ret;
	pthread_mutex_lock(&g->lock);
	while (g->ready < 2)
		pthread_cond_wait(&g->changed, &g->lock);
	pthread_mutex_unlock(&g->lock);
	return 0;
}

static int read_sample(const void *ctx, uint32_t event, const uint8_t *record,
		       struct source_sample *out)
{
	const struct group *g = ctx;
	const struct ring_layout *l = &g->layout;
	struct ring_sample in;

	if (!ring_sample_read(record, l, &in))
		return CDICT_ECORRUPT;
	out->pid = (int32_t)load32(record + l->pid, NATIVE_BIG);
	out->tid = (int32_t)load32(record + l->pid + 4, NATIVE_BIG);
	out->raw = in.raw;
	out->raw_size = in.raw_size;
	if (g->sampled[event])
		sampled_payload(out, load64(record + l->ip, NATIVE_BIG),
				g->opts.sample_period ? g->opts.sample_period
						      : load64(record + l->period, NATIVE_BIG),
				NATIVE_BIG);
	return 0;
}

static uint32_t stack_of(const void *ctx, uint32_t event, const uint8_t *record)
{
	const struct group *g = ctx;
	struct unwind_sample user;
	struct ring_sample in;
	struct stacks_sample s;

	(void)event;
	if (!ring_sample_read(record, &g->layout, &in))
		return CDICT_NO_STACK;
	s = (struct stacks_sample){
		.pid = (int32_t)load32(record + g->layout.pid, NATIVE_BIG),
		.t_ns = load64(record + g->layout.time, NATIVE_BIG),
		.mode = load16(record + 4, NATIVE_BIG) & PERF_RECORD_MISC_CPUMODE_MASK,
		.chain = in.chain,
		.n_chain = in.n_chain,
	};
	if (g->opts.rings.stack_bytes && unwind_sample_read(&user, in.rest, in.rest_size))
		s.user = &user;
	return stacks_find(g->opts.stacks, &s);
}

/* Samples have one layout, but those of tracepoints alone have fields: describes it for each event type. */
static bool describe_samples(struct group *g)
{
	size_t n = cdict_schema_count(g->opts.schema);
	bool any = false;

	g->events = calloc(n + 1, sizeof(*g->events));
	g->sampled = calloc(n + 1, sizeof(*g->sampled));
	for (size_t i = 0; g->events && g->sampled && i < n; i++) {
		g->sampled[i] = sampled_is(cdict_schema_at(g->opts.schema, i));
		any |= g->sampled[i];
	}
	g->layout = ring_layout(any, g->opts.stacks);
	for (size_t i = 0; g->events && g->sampled && i < n; i++)
		g->events[i] = (struct source_event){ (int32_t)i, g->layout.pid,
						      g->opts.stacks || g->sampled[i]
							      ? -1
							      : g->layout.rest + 4 };
	g->ingest.source = (struct source){
		.events = g->events,
		.n_events = n,
		.big = NATIVE_BIG,
		.copy = true,
		.read = read_sample,
		.stack = g->opts.stacks ? stack_of : NULL,
		.ctx = g,
	};
	return g->events && g->sampled;
}

int group_new(struct group **out, const struct group_options *opts, struct cdict_error *err)
{
	struct ingest_options in = { .store = opts->store, .queue_bytes = opts->queue_bytes };
	struct group *g = calloc(1, sizeof(*g));
	int ret;

	*out = NULL;
	if (!g)
		return cdict_fail_nomem(err);
	g->opts = *opts;
	g->n_cpus = (uint32_t)opts->n_possible;
	pthread_mutex_init(&g->lock, NULL);
	pthread_cond_init(&g->changed, NULL);
	ingest_init(&g->ingest, &in);
	g->cpus = calloc(g->n_cpus, sizeof(*g->cpus));
	if (opts->trigger)
		g->feed = trigger_feed_new(opts->trigger);
	if (!g->cpus || (opts->trigger && !g->feed) || !describe_samples(g))
		ret = cdict_fail_nomem(err);
	else
		ret = start_threads(g, err);
	if (ret)
		group_free(g);
	else
		*out = g;
	return ret;
}

void group_tids(const struct group *g, int32_t tids[2])
{
	memcpy(tids, g->tids, sizeof(g->tids));
}

int group_by_tid(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Wakes the reader, which may sleep in poll(). */
static void wake_reader(struct group *g)
{
	pthread_kill(g->reader, SIGURG);
}

int group_open(struct group *g, const struct choice *choice, size_t bytes, const int32_t *own,
	       size_t n_own, struct cdict_error *err)
{
	struct rings_options opts = g->opts.rings;
	int ret;

	opts.bytes = bytes;
	opts.own = own;
	opts.n_own = n_own;
	g->added = opts;
	g->choice = choice;
	rings_close(g->rings);
	map_clear(&g->ids);
	ret = rings_open(&g->rings, choice, &opts, err);
	return !ret && rings_ids(g->rings, &g->ids) ? cdict_fail_nomem(err) : ret;
}

int group_add_cpu(struct group *g, int cpu, struct cdict_error *err)
{
	struct group_more *more = calloc(1, sizeof(*more));
	struct rings_options opts = g->added;
	int ret;

	if (!more)
		return cdict_fail_nomem(err);
	opts.cpus = &cpu;
	opts.n_cpus = 1;
	ret = rings_open(&more->rings, g->choice, &opts, err);
	if (ret) {
		free(more);
		return ret;
	}
	atomic_store(&g->opts.live[cpu], true);
	rings_enable(more->rings);
	pthread_mutex_lock(&g->lock);
	more->next = g->arrived;
	g->arrived = more;
	pthread_mutex_unlock(&g->lock);
	atomic_store(&g->has_arrived, true);
	wake_reader(g);
	return 0;
}

struct rings *group_rings(struct group *g)
{
	return g->rings;
}

static void release(struct group *g, bool go)
{
	pthread_mutex_lock(&g->lock);
	if (go)
		g->go = true;
	else
		g->give_up = true;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

void group_start(struct group *g)
{
	release(g, true);
}

void group_flush(struct group *g)
{
	atomic_fetch_add(&g->flush_wanted, 1);
	wake_reader(g);
}

void group_wait_flush(struct group *g)
{
	unsigned wanted = atomic_load(&g->flush_wanted);

	pthread_mutex_lock(&g->lock);
	while (g->flushed < wanted)
		pthread_cond_wait(&g->changed, &g->lock);
	pthread_mutex_unlock(&g->lock);
	ingest_wait(&g->ingest, NULL);
}

void group_pause(struct group *g)
{
	atomic_store(&g->paused, true);
	group_flush(g);
	group_wait_flush(g);
}

void group_resume(struct group *g)
{
	atomic_store(&g->paused, false);
	wake_reader(g);
}

uint64_t group_lost(const struct group *g)
{
	return atomic_load(&g->lost);
}

uint64_t group_samples(const struct group *g)
{
	return atomic_load(&g->samples);
}

bool group_over(const struct group *g)
{
	return rings_over(g->rings);
}

void group_stop(struct group *g)
{
	atomic_store(&g->stop, true);
	wake_reader(g);
}

void group_join(struct group *g)
{
	if (g->has_reader)
		pthread_join(g->reader, NULL);
	if (g->has_reader && g->go)
		ingest_wait(&g->ingest, NULL);
	g->has_reader = false;
}

void group_losses(struct group *g)
{
	struct store_item item = { 0 };

	ingest_losses(&g->ingest, &item.rows, NULL);
	if (!rows_empty(&item.rows))
		store_put(g->opts.store, &item);
	g->counts.lost_ring = g->ingest.lost;
	g->counts.lost_queue = g->ingest.dropped;
	g->counts.disordered = g->ingest.disordered;
	g->counts.out_of_memory = g->ingest.out_of_memory;
}

const struct group_counts *group_counts(const struct group *g)
{
	return &g->counts;
}

static void close_more(struct group_more *more)
{
	while (more) {
		struct group_more *next = more->next;

		rings_close(more->rings);
		free(more);
		more = next;
	}
}

void group_free(struct group *g)
{
	if (!g)
		return;
	if (g->go)
		group_stop(g);
	else
		release(g, false);
	group_join(g);
	rings_close(g->rings);
	close_more(g->more);
	close_more(g->arrived);
	ingest_fini(&g->ingest);
	free(g->events);
	free(g->sampled);
	map_fini(&g->ids);
	trigger_feed_free(g->feed);
	free(g->cpus);
	pthread_mutex_destroy(&g->lock);
	pthread_cond_destroy(&g->changed);
	free(g);
}
