/* SPDX-License-Identifier: GPL-2.0-only */
/* A group's reader: rings -> batches and rows. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "base/cursor.h"
#include "base/system/monotonic.h"
#include "capture/record/cgroups.h"
#include "capture/record/group_internal.h"
#include "convert/account.h"
#include "capture/trigger/trigger.h"

#define POLL_MS 200
/* The rings of CPUs added later do not wake poll(): read them at this interval. */
#define POLL_MORE_MS 20
/* A batch this old is stored although it is small: limits the loss when the recorder is
 * killed. */
#define FLUSH_MS 1000u

/* Marks the time in which a CPU was not recorded as a gap with an unknown number of events. */
static void sees_again(struct group *g, uint32_t cpu, uint64_t t_ns)
{
	struct cdict_loss loss = { .what = CDICT_LOSS_RING,
				   .cpu = cpu,
				   .type = CDICT_TYPE_ANY,
				   .from_ns = g->cpus[cpu].blind_ns,
				   .to_ns = t_ns };

	g->cpus[cpu].blind = false;
	if (loss.from_ns > t_ns)
		return;
	ingest_loss(&g->ingest, &loss, NULL);
	if (g->feed)
		trigger_feed_loss(g->feed, loss.from_ns, loss.to_ns);
}

/* The type in the schema, or -1. */
static int type_of(const struct group *g, const uint8_t *record, const struct ring_sample *in)
{
	const uint32_t *type =
		g->layout.sampled ? map_find(&g->ids, load64(record + g->layout.id, NATIVE_BIG), 0)
				  : NULL;

	if (type)
		return (int)*type;
	return in->raw_size >= 4 ? g->opts.type_of[load16(in->raw, NATIVE_BIG)] : -1;
}

static void sample(struct group *g, uint32_t cpu, const struct perf_event_header *h)
{
	const uint8_t *p = (const uint8_t *)h;
	struct batch_sample s = { .record = p };
	struct ring_sample in;
	int type;

	if (!ring_sample_read(p, &g->layout, &in))
		return;
	type = type_of(g, p, &in);
	if (type < 0)
		return;
	s.t_ns = load64(p + g->layout.time, NATIVE_BIG);
	if (g->cpus[cpu].blind)
		sees_again(g, cpu, s.t_ns);
	if (!g->first_ns || s.t_ns < g->first_ns)
		g->first_ns = s.t_ns;
	s.event = (uint32_t)type;
	g->counts.samples++;
	if (g->opts.cgroups)
		record_cgroups_sample(g->opts.cgroups, p, h->size, g->layout.pid);
	if (g->feed && !g->sampled[type])
		trigger_feed_sample(g->feed, &s, load32(p + g->layout.pid + 4, NATIVE_BIG), in.raw,
				    in.raw_size);
	ingest_add(&g->ingest, cpu, &s, h->size, NULL);
}

/* clock_now() renames its thread to read the time: that COMM is ignored. The readers of other
 * groups do it, too, and may run on this group's CPUs. */
static bool is_own(const struct group *g, int32_t tid)
{
	return bsearch(&tid, g->added.own, g->added.n_own, sizeof(tid), group_by_tid) != NULL;
}

/* Whether it concerns only samples of an event that is no tracepoint: these are fewer for a while, but no
 * tracepoint is lost. */
static bool is_sampling_throttled(const struct group *g, const struct perf_event_header *h)
{
	/* u64 time, u64 id */
	return (h->type == PERF_RECORD_THROTTLE || h->type == PERF_RECORD_UNTHROTTLE) &&
	       g->layout.sampled && h->size >= sizeof(*h) + 16 &&
	       map_find(&g->ids, load64((const char *)(h + 1) + 8, NATIVE_BIG), 0);
}

/* Handles task and loss records, as convert does. */
static void other(struct group *g, uint32_t cpu, const struct perf_event_header *h)
{
	const char *p = (const char *)h;
	struct perfdata_record rec = {
		.data = (const uint8_t *)p, .size = h->size, .type = h->type, .misc = h->misc
	};
	struct perfdata_sample_id id = { .has_time = h->size >= sizeof(*h) + g->layout.trailer };
	struct cdict_loss lost;

	if (h->type == PERF_RECORD_COMM && h->size >= sizeof(*h) + 8 &&
	    is_own(g, (int32_t)load32(p + sizeof(*h) + 4, NATIVE_BIG)))
		return;
	if (id.has_time)
		id.time = load64(p + h->size - g->layout.trailer + 8, NATIVE_BIG);
	if (g->opts.cgroups && h->type == PERF_RECORD_CGROUP)
		record_cgroups_record(g->opts.cgroups, h, h->size);
	if (is_sampling_throttled(g, h)) {
		g->counts.throttled += h->type == PERF_RECORD_THROTTLE;
		return;
	}
	if (g->opts.stacks)
		stacks_record(g->opts.stacks, h, id.time);
	account_record_of(&g->ingest, &rec, g->ingest.source.big, &id, cpu, &lost, NULL);
	if (lost.count && g->feed)
		trigger_feed_loss(g->feed, lost.from_ns, lost.to_ns);
}

static void on_record(void *ctx, uint32_t cpu, const struct perf_event_header *h)
{
	struct group *g = ctx;

	if (h->type == PERF_RECORD_SAMPLE)
		sample(g, cpu, h);
	else
		other(g, cpu, h);
}

/* Adds up the kernel's counters of the @i-th CPU of @r, before it is closed. */
static void count(struct group *g, struct rings *r, size_t i)
{
	uint64_t lost, events;
	bool has_lost;

	if (!rings_count(r, i, &lost, &has_lost, &events))
		return;
	g->counts.kernel_events += events;
	g->counts.kernel_lost += lost;
	if (has_lost)
		ingest_counted(&g->ingest, rings_cpu(r, i), lost, NULL);
}

/* Since its last event; without events, since the first event of any CPU. */
static void gets_blind(struct group *g, uint32_t cpu)
{
	const struct batcher_cpu *c = batcher_cpu(&g->ingest.batcher, cpu);

	if (g->cpus[cpu].blind)
		return;
	g->cpus[cpu].blind = true;
	g->cpus[cpu].blind_ns = c && c->max_ns ? c->max_ns : g->first_ns;
}

static bool is_live(const struct group *g, const struct rings *r, size_t i)
{
	return atomic_load(&g->opts.live[rings_cpu(r, i)]);
}

/* Closes the rings of a CPU that went offline again, so that repeated hotplug leaves nothing. */
static void retire(struct group *g, struct group_more **at)
{
	struct group_more *more = *at;

	g->counts.bytes += rings_read(more->rings, on_record, g);
	gets_blind(g, rings_cpu(more->rings, 0));
	count(g, more->rings, 0);
	*at = more->next;
	rings_close(more->rings);
	free(more);
}

static void take_arrived(struct group *g)
{
	struct group_more *more, *next;

	if (!atomic_exchange(&g->has_arrived, false))
		return;
	pthread_mutex_lock(&g->lock);
	more = g->arrived;
	g->arrived = NULL;
	pthread_mutex_unlock(&g->lock);
	for (; more; more = next) {
		uint32_t cpu = rings_cpu(more->rings, 0);

		for (struct group_more **at = &g->more; *at;)
			if (rings_cpu((*at)->rings, 0) == cpu)
				retire(g, at);
			else
				at = &(*at)->next;
		gets_blind(g, cpu);
		if (rings_ids(more->rings, &g->ids))
			g->ingest.out_of_memory = true;
		next = more->next;
		more->next = g->more;
		g->more = more;
	}
}

static void read_more(struct group *g)
{
	for (struct group_more **at = &g->more; *at;) {
		if (!is_live(g, (*at)->rings, 0)) {
			retire(g, at);
			continue;
		}
		g->counts.bytes += rings_read((*at)->rings, on_record, g);
		at = &(*at)->next;
	}
}

static void pass(struct group *g)
{
	if (g->feed)
		trigger_feed_begin(g->feed);
	/* Check before reading the ring: a CPU that goes offline later may still add records. */
	for (size_t i = 0; i < rings_cpus(g->rings); i++)
		g->cpus[rings_cpu(g->rings, i)].gone = !is_live(g, g->rings, i);
	g->counts.bytes += rings_read(g->rings, on_record, g);
	/* After reading what a CPU left in its ring: it is not recorded from then on. */
	take_arrived(g);
	for (size_t i = 0; i < rings_cpus(g->rings); i++)
		if (g->cpus[rings_cpu(g->rings, i)].gone)
			gets_blind(g, rings_cpu(g->rings, i));
	read_more(g);
	atomic_store(&g->lost, g->ingest.lost + g->ingest.dropped);
	atomic_store(&g->samples, g->counts.samples);
	if (g->feed)
		trigger_feed_end(g->feed);
}

/* Stores the batches of CPUs that do not fill one per second. */
static void cut_old(struct group *g)
{
	if (!monotonic_past(g->flush_at_ns))
		return;
	g->flush_at_ns = monotonic_in_ms(FLUSH_MS);
	ingest_age(&g->ingest);
}

static void flush(struct group *g, unsigned number)
{
	ingest_cut(&g->ingest, NULL);
	pthread_mutex_lock(&g->lock);
	g->flushed = number;
	pthread_cond_broadcast(&g->changed);
	pthread_mutex_unlock(&g->lock);
}

/* Reads the kernel's counters; stores losses for CPUs that did not come back. */
static void count_at_end(struct group *g)
{
	const struct batcher *b = &g->ingest.batcher;
	uint64_t newest_ns = 0;

	for (size_t i = 0; i < rings_cpus(g->rings); i++)
		count(g, g->rings, i);
	for (struct group_more *more = g->more; more; more = more->next)
		count(g, more->rings, 0);
	for (size_t i = 0; i < b->n; i++)
		if (b->cpus[i].max_ns > newest_ns)
			newest_ns = b->cpus[i].max_ns;
	for (uint32_t cpu = 0; cpu < g->n_cpus; cpu++)
		if (g->cpus[cpu].blind && newest_ns)
			sees_again(g, cpu, newest_ns);
}

/* The rings must not wait for tasks ahead of the reader in the run queue. Under a storm of switches
 * even a fair task at nice -20 sometimes waits 50 ms and more (Linux 6.18): with the lowest
 * real-time priority the reader runs at once, for a millisecond. */
static void hurry(const struct group *g)
{
	struct sched_param param = { .sched_priority = g->opts.realtime };

	if (g->opts.realtime && !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		return;
	setpriority(PRIO_PROCESS, 0, -20); /* of this thread; refused except to root */
}

/* The rings of all CPUs are disabled, or about to be enabled: a pause is a loss of unknown count. */
static void pause_or_resume(struct group *g, bool paused)
{
	for (struct group_more *more = g->more; more; more = more->next) {
		if (!paused) {
			rings_enable(more->rings);
			continue;
		}
		rings_disable(more->rings);
		g->counts.bytes += rings_read(more->rings, on_record, g);
		gets_blind(g, rings_cpu(more->rings, 0));
	}
	for (size_t i = 0; i < rings_cpus(g->rings) && paused && g->first_ns; i++)
		gets_blind(g, rings_cpu(g->rings, i));
}

void *group_read(void *arg)
{
	struct group *g = arg;
	unsigned flushed = 0;
	bool was_paused = false;

	if (!group_begin(g, 0))
		return NULL;
	hurry(g);
	g->flush_at_ns = monotonic_in_ms(FLUSH_MS);
	while (!atomic_load(&g->stop)) {
		unsigned wanted = atomic_load(&g->flush_wanted);

		if (wanted == flushed)
			rings_wait(g->rings, g->opts.poll_ms ? (int)g->opts.poll_ms
					     : g->more       ? POLL_MORE_MS
							     : POLL_MS);
		pass(g);
		if (was_paused != atomic_load(&g->paused))
			pause_or_resume(g, was_paused = !was_paused);
		cut_old(g);
		if (wanted != flushed)
			flush(g, flushed = wanted);
	}
	/* The rings of all groups are disabled; then two passes read everything. */
	pass(g);
	for (struct group_more *more = g->more; more; more = more->next)
		rings_disable(more->rings);
	pass(g);
	pass(g);
	count_at_end(g);
	flush(g, atomic_load(&g->flush_wanted));
	return NULL;
}
