/* SPDX-License-Identifier: GPL-2.0-only */
/* A group's reader: rings -> batches and rows. */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "capture/group_internal.h"
#include "capture/trigger.h"

#define POLL_MS 200
/* The rings of CPUs that came later cannot wake us: they are looked at so often. */
#define POLL_MORE_MS 20
/* A batch this old goes to the file although it is small: what a killed recording misses. */
#define FLUSH_MS 1000u

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000 + (uint64_t)ts.tv_nsec / 1000000;
}

static uint64_t get64(const void *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t get32(const void *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint16_t get16(const void *p)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

/* The time in the trailer of a record that is no sample. */
static uint64_t trailer_time(const struct perf_event_header *h)
{
	return h->size >= sizeof(*h) + RING_TRAILER ? get64((const char *)h + h->size - 8) : 0;
}

/* The rows that wait leave with @w. */
static void put(struct group *g, struct work *w)
{
	w->rows = g->rows;
	g->rows = (struct rows){ 0 };
	g->puts++;
	if (w->rows.tasks.failed || w->rows.losses.failed)
		g->counts.out_of_memory = true;
	queue_put(&g->queue, w);
}

static void drop(struct group *g, struct batch *b)
{
	struct cdict_loss loss = {
		.what = CDICT_LOSS_RING,
		.cpu = b->cpu,
		.type = CDICT_TYPE_ANY,
		.from_ns = b->samples[0].t_ns,
		.to_ns = b->samples[b->n - 1].t_ns,
		.count = b->n,
	};
	struct group_cpu *c = &g->cpus[b->cpu];

	if (c->dropped_puts == g->puts && c->dropped_row < rows_losses(&g->rows)) {
		/* One after the other are one loss, however long the disk stands still. */
		struct cdict_loss *last = (struct cdict_loss *)g->rows.losses.data + c->dropped_row;

		last->to_ns = loss.to_ns;
		last->count += loss.count;
	} else {
		c->dropped_puts = g->puts;
		c->dropped_row = rows_losses(&g->rows);
		rows_add_loss(&g->rows, &loss);
	}
	g->counts.lost_queue += b->n;
	batch_done(&g->spares, b);
}

/* @must: the last batches are not dropped, however many wait. False: nothing was cut. */
static bool cut(struct group *g, struct pending_cpu *c, bool all, bool must)
{
	bool oom;
	struct batch *b = pending_cut(&g->pending, c, all, &oom);
	struct work *w;

	g->counts.out_of_memory |= oom;
	if (!b)
		return false;
	if (b->cpu < g->n_cpus)
		g->cpus[b->cpu].cut = true;
	w = calloc(1, sizeof(*w));
	if (!w || (!must && !queue_fits(&g->queue, batch_memory(b)))) {
		free(w);
		drop(g, b);
		return true;
	}
	w->batch = b;
	put(g, w);
	return true;
}

/* What a CPU did while it was not recorded nobody knows, and not how much it was. */
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
	rows_add_loss(&g->rows, &loss);
	if (g->feed)
		trigger_feed_loss(g->feed, loss.from_ns, loss.to_ns);
}

static void sample(struct group *g, uint32_t cpu, const struct perf_event_header *h)
{
	const uint8_t *p = (const uint8_t *)h;
	struct pending_sample s = { .record = p };
	struct pending_cpu *c;
	uint16_t type;

	if (h->size < RING_SAMPLE_RAW + 8 ||
	    get32(p + RING_SAMPLE_RAW_SIZE) > h->size - RING_SAMPLE_RAW) {
		g->counts.bad++;
		return;
	}
	type = get16(p + RING_SAMPLE_RAW);
	if (g->opts.type_of[type] < 0) {
		g->counts.bad++;
		return;
	}
	s.t_ns = get64(p + RING_SAMPLE_TIME);
	if (g->cpus[cpu].blind)
		sees_again(g, cpu, s.t_ns);
	if (!g->first_ns || s.t_ns < g->first_ns)
		g->first_ns = s.t_ns;
	s.event = (uint32_t)g->opts.type_of[type];
	g->counts.samples++;
	c = pending_cpu(&g->pending, cpu);
	if (!c || !pending_add(&g->pending, c, cpu, &s, h->size)) {
		g->counts.out_of_memory = true;
		return;
	}
	if (g->feed)
		trigger_feed_sample(g->feed, &s, get32(p + RING_SAMPLE_TID), p + RING_SAMPLE_RAW,
				    get32(p + RING_SAMPLE_RAW_SIZE));
	while ((c = pending_ready(&g->pending, pending_cpu(&g->pending, cpu))))
		if (!cut(g, c, false, false))
			break;
}

static void lost(struct group *g, uint32_t cpu, const struct perf_event_header *h)
{
	const struct pending_cpu *c = pending_cpu(&g->pending, cpu);
	struct cdict_loss loss = { .what = CDICT_LOSS_RING,
				   .cpu = cpu,
				   .type = CDICT_TYPE_ANY,
				   .to_ns = trailer_time(h) };

	if (h->size < sizeof(*h) + 16 || !c)
		return;
	loss.count = get64((const char *)h + sizeof(*h) + 8);
	loss.from_ns = c->max_ns && c->max_ns < loss.to_ns ? c->max_ns : loss.to_ns;
	g->cpus[cpu].lost += loss.count;
	g->counts.lost_ring += loss.count;
	rows_add_loss(&g->rows, &loss);
	if (g->feed)
		trigger_feed_loss(g->feed, loss.from_ns, loss.to_ns);
}

static void throttle(struct group *g, uint32_t cpu, const struct perf_event_header *h)
{
	struct cdict_loss loss = { .what = CDICT_LOSS_THROTTLE,
				   .cpu = cpu,
				   .type = CDICT_TYPE_ANY,
				   .from_ns = g->cpus[cpu].throttled_ns };

	if (h->size < sizeof(*h) + 8)
		return;
	loss.to_ns = get64((const char *)h + sizeof(*h));
	if (h->type == PERF_RECORD_THROTTLE) {
		g->cpus[cpu].throttled_ns = loss.to_ns;
		return;
	}
	g->cpus[cpu].throttled_ns = 0;
	if (loss.from_ns && loss.to_ns >= loss.from_ns)
		rows_add_loss(&g->rows, &loss);
}

static int by_number(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* clock_now() renames its thread to read the time: that says nothing. The readers of other groups do
 * it as well, and may run on our CPUs. */
static bool is_own(const struct group *g, int32_t tid)
{
	return bsearch(&tid, g->added.own, g->added.n_own, sizeof(tid), by_number) != NULL;
}

static void task(struct group *g, const struct perf_event_header *h)
{
	const char *p = (const char *)h + sizeof(*h);
	struct task_row row = { .t_ns = trailer_time(h) };

	if (h->size < sizeof(*h) + 8 + RING_TRAILER)
		return;
	row.pid = (int32_t)get32(p);
	if (h->type == PERF_RECORD_COMM) {
		row.what = h->misc & PERF_RECORD_MISC_COMM_EXEC ? CDICT_TASK_EXEC : CDICT_TASK_COMM;
		row.tid = (int32_t)get32(p + 4);
		if (is_own(g, row.tid))
			return;
		strncpy(row.comm, p + 8, sizeof(row.comm) - 1);
	} else if (h->size >= sizeof(*h) + 24) {
		row.what = h->type == PERF_RECORD_EXIT ? CDICT_TASK_EXIT : CDICT_TASK_FORK;
		row.ppid = (int32_t)get32(p + 4);
		row.tid = (int32_t)get32(p + 8);
		row.ptid = (int32_t)get32(p + 12);
		row.t_ns = get64(p + 16);
	} else {
		return;
	}
	buf_add(&g->rows.tasks, &row, sizeof(row));
}

static void on_record(void *ctx, uint32_t cpu, const struct perf_event_header *h)
{
	struct group *g = ctx;

	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		sample(g, cpu, h);
		break;
	case PERF_RECORD_LOST:
		lost(g, cpu, h);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		throttle(g, cpu, h);
		break;
	case PERF_RECORD_COMM:
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		task(g, h);
		break;
	}
}

/* The kernel's counters of the @i-th CPU of @r, before it is closed. */
static void count(struct group *g, struct rings *r, size_t i)
{
	uint64_t lost, events;
	bool has_lost;

	if (!rings_count(r, i, &lost, &has_lost, &events))
		return;
	g->counts.kernel_events += events;
	g->counts.kernel_lost += lost;
	if (has_lost)
		g->cpus[rings_cpu(r, i)].kernel_lost += lost;
}

/* From its last event on; of one that had none, from the first of all. */
static void gets_blind(struct group *g, uint32_t cpu)
{
	const struct pending_cpu *c = pending_cpu(&g->pending, cpu);

	if (g->cpus[cpu].blind)
		return;
	g->cpus[cpu].blind = true;
	g->cpus[cpu].blind_ns = c && c->max_ns ? c->max_ns : g->first_ns;
}

static bool is_live(const struct group *g, const struct rings *r, size_t i)
{
	return atomic_load(&g->opts.live[rings_cpu(r, i)]);
}

/* Of a CPU that comes and goes nothing stays. */
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
	/* Asked before its ring is read: of a CPU that goes only then more may be to come. */
	for (size_t i = 0; i < rings_cpus(g->rings); i++)
		g->cpus[rings_cpu(g->rings, i)].gone = !is_live(g, g->rings, i);
	g->counts.bytes += rings_read(g->rings, on_record, g);
	/* After what a CPU left behind was read: it is blind from there on. */
	take_arrived(g);
	for (size_t i = 0; i < rings_cpus(g->rings); i++)
		if (g->cpus[rings_cpu(g->rings, i)].gone)
			gets_blind(g, rings_cpu(g->rings, i));
	read_more(g);
	g->counts.passes++;
	if (g->feed)
		trigger_feed_end(g->feed);
}

static void cut_all(struct group *g, bool must)
{
	for (size_t i = 0; i < g->pending.n; i++)
		while (g->pending.cpus[i].batch && cut(g, &g->pending.cpus[i], true, must))
			;
}

/* A piece of work without a batch, which never waits and is never dropped. */
static void put_mark(struct group *g, bool last, unsigned flush)
{
	struct work *w = calloc(1, sizeof(*w));

	if (!w) /* nothing may wait for it for ever */
		abort();
	w->last = last;
	w->flush = flush;
	put(g, w);
}

/* CPUs that fill no batch a second. */
static void cut_old(struct group *g)
{
	uint64_t now = now_ms();

	if (now < g->flush_at_ms)
		return;
	g->flush_at_ms = now + FLUSH_MS;
	for (uint32_t i = 0; i < g->n_cpus && i + 1 < g->pending.n; i++) {
		struct pending_cpu *c = &g->pending.cpus[i + 1];

		bool recent = g->cpus[i].cut;

		while (!recent && c->batch && cut(g, c, true, false))
			;
		g->cpus[i].cut = false;
	}
	/* Where no event comes for long, no batch takes them along. */
	if (rows_tasks(&g->rows) || rows_losses(&g->rows))
		put_mark(g, false, 0);
}

/* What the kernel counted beyond its LOST records: lost after the last of them. */
static void losses_at_end(struct group *g)
{
	uint64_t newest_ns = 0;

	for (size_t i = 0; i < rings_cpus(g->rings); i++)
		count(g, g->rings, i);
	for (struct group_more *more = g->more; more; more = more->next)
		count(g, more->rings, 0);
	for (size_t i = 0; i < g->pending.n; i++)
		if (g->pending.cpus[i].max_ns > newest_ns)
			newest_ns = g->pending.cpus[i].max_ns;
	for (uint32_t cpu = 0; cpu < g->n_cpus; cpu++) {
		const struct group_cpu *gc = &g->cpus[cpu];
		struct cdict_loss loss = { .what = CDICT_LOSS_SAMPLES,
					   .cpu = cpu,
					   .type = CDICT_TYPE_ANY };

		if (gc->blind && newest_ns)
			sees_again(g, cpu, newest_ns);
		if (gc->kernel_lost <= gc->lost)
			continue;
		loss.count = gc->kernel_lost - gc->lost;
		if (cpu + 1 < g->pending.n)
			loss.from_ns = loss.to_ns = g->pending.cpus[cpu + 1].max_ns;
		g->counts.lost_ring += loss.count;
		rows_add_loss(&g->rows, &loss);
	}
	for (size_t i = 0; i < g->pending.n; i++) {
		const struct pending_cpu *c = &g->pending.cpus[i];
		struct cdict_loss loss = {
			.what = CDICT_LOSS_DISORDER,
			.cpu = i ? (uint32_t)(i - 1) : CDICT_CPU_UNKNOWN,
			.type = CDICT_TYPE_ANY,
			.from_ns = c->late_first_ns,
			.to_ns = c->late_last_ns,
			.count = c->late,
		};

		g->counts.disordered += c->sorted + c->late;
		if (c->late)
			rows_add_loss(&g->rows, &loss);
	}
}

/* The rings do not wait for those who are before us in the run queue. Under a storm of switches
 * a fair task, at nice -20 too, waits 50 ms and more now and then (Linux 6.18): with the lowest
 * real-time priority it runs at once, for a millisecond. */
static void hurry(const struct group *g)
{
	struct sched_param param = { .sched_priority = g->opts.realtime };

	if (g->opts.realtime && !sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param))
		return;
	setpriority(PRIO_PROCESS, 0, -20); /* of this thread; refused to others than root */
}

void *group_read(void *arg)
{
	struct group *g = arg;
	unsigned flushed = 0;

	if (!group_begin(g, 0))
		return NULL;
	hurry(g);
	g->flush_at_ms = now_ms() + FLUSH_MS;
	g->puts = 1;
	while (!atomic_load(&g->stop)) {
		unsigned wanted = atomic_load(&g->flush_wanted);

		if (wanted == flushed)
			rings_wait(g->rings, g->more ? POLL_MORE_MS : POLL_MS);
		pass(g);
		cut_old(g);
		if (wanted != flushed) {
			cut_all(g, true);
			put_mark(g, false, wanted);
			flushed = wanted;
		}
	}
	/* Those of the others are disabled; then two passes see all that is there. */
	pass(g);
	for (struct group_more *more = g->more; more; more = more->next)
		rings_disable(more->rings);
	pass(g);
	pass(g);
	cut_all(g, true);
	losses_at_end(g);
	put_mark(g, true, atomic_load(&g->flush_wanted));
	return NULL;
}
