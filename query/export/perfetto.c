/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A Perfetto trace: sched_switch and sched_waking as ftrace events, and exits as slices on the tracks of the vCPUs'
 * threads.
 *
 * Perfetto makes slices of a CPU from switch to switch, and drops one whose next is not the prev of the following
 * switch. So each CPU gets an unbroken chain of switches: unknown time is a thread of its own, and a slice that is
 * cut by lost events or by the window ends with a switch that was not recorded.
 */
#include "query/export/perfetto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "base/memory/map.h"

enum {
	BUNDLE_CPU = 1,
	BUNDLE_EVENT = 2,
	BUNDLE_LOST = 3,
	EVENT_TIMESTAMP = 1,
	EVENT_PID = 2,
	EVENT_SCHED_SWITCH = 4,
	EVENT_SCHED_WAKING = 20,
	SWITCH_PREV_COMM = 1,
	SWITCH_PREV_PID,
	SWITCH_PREV_PRIO,
	SWITCH_PREV_STATE,
	SWITCH_NEXT_COMM,
	SWITCH_NEXT_PID,
	SWITCH_NEXT_PRIO,
	WAKING_COMM = 1,
	WAKING_PID,
	WAKING_PRIO,
	WAKING_SUCCESS,
	WAKING_TARGET_CPU,
};

/* Perfetto refuses a trace with a higher CPU number. */
enum { CPUS_MOST = 1024 };
/* Events of a CPU in one packet: enough that the packet's own bytes do not matter. */
enum { BUNDLE_EVENTS = 128 };
enum { PRIO_NORMAL = 120 };

/* The runner of a CPU. */
struct runner {
	enum { IDLE, TASK, STAND_IN } what;
	uint32_t task; /* TASK */
	enum perfetto_stand_in stand_in;
};

struct event_at {
	uint64_t t_ns;
	size_t at, len;
};

/* A CPU's events that wait for a packet, and its latest slice. */
struct lane {
	ARRAY(struct event_at) events;
	struct buf bytes;
	bool lost; /* events are missing before the first of them */
	bool any;  /* there is a latest slice: */
	struct runner runner;
	char comm[EXPORT_COMM];
	int32_t tid, prio;
	bool switched;
	uint64_t state, to_ns;
};

struct perfetto {
	struct lane *lanes;
	uint32_t n_lanes;
	struct perfetto_kernel kernel;
	struct map reasons; /* (isa, code) -> iid */
	struct buf packet;
	uint32_t iids;
};

/* ---- ftrace's events ---- */

static int by_time(const void *a, const void *b)
{
	const struct event_at *x = a, *y = b;

	if (x->t_ns != y->t_ns)
		return x->t_ns < y->t_ns ? -1 : 1;
	return (x->at > y->at) - (x->at < y->at);
}

static void send(struct export *x, struct buf *packet)
{
	if (packet->failed)
		export_out_of_memory(x);
	else
		sink_add(x->out, packet->data, packet->len);
	packet->len = 0;
}

/* Slices arrive when they end, and a switch-in is earlier than events in between: sort the events here. */
static void flush(struct export *x, uint32_t cpu)
{
	struct perfetto *p = x->own;
	struct lane *l = &p->lanes[cpu];
	size_t packet, bundle;

	if (!l->events.n)
		return;
	qsort(l->events.at, l->events.n, sizeof(*l->events.at), by_time);
	packet = perfetto_packet(&p->packet, ANALYZE_NO_TIME);
	bundle = proto_open(&p->packet, PACKET_FTRACE_EVENTS);
	proto_number(&p->packet, BUNDLE_CPU, cpu);
	for (size_t i = 0; i < l->events.n; i++)
		buf_add(&p->packet, l->bytes.data + l->events.at[i].at, l->events.at[i].len);
	if (l->lost)
		proto_number(&p->packet, BUNDLE_LOST, 1);
	proto_close(&p->packet, bundle);
	proto_close(&p->packet, packet);
	send(x, &p->packet);
	l->events.n = 0;
	l->bytes.len = 0;
	l->lost = false;
}

static size_t begin_event(struct lane *l, uint64_t t_ns, int32_t pid)
{
	size_t at = proto_open(&l->bytes, BUNDLE_EVENT);

	proto_number(&l->bytes, EVENT_TIMESTAMP, t_ns);
	proto_number(&l->bytes, EVENT_PID, (uint64_t)(int64_t)pid);
	return at;
}

/* @first: where the event begins in the lane's bytes. */
static void end_event(struct export *x, uint32_t cpu, size_t first, size_t event, uint64_t t_ns)
{
	struct perfetto *p = x->own;
	struct lane *l = &p->lanes[cpu];

	proto_close(&l->bytes, event);
	if (l->bytes.failed ||
	    array_push(&l->events, (struct event_at){ t_ns, first, l->bytes.len - first }))
		export_out_of_memory(x);
	else if (l->events.n >= BUNDLE_EVENTS)
		flush(x, cpu);
}

/* ---- switches ---- */

static struct runner runner_of(struct export *x, const struct export_slice *s)
{
	if (s->task == ANALYZE_NO_TASK)
		return (struct runner){ .what = STAND_IN, .stand_in = STAND_IN_UNKNOWN };
	if (!export_task(x, s->task)->tid)
		return (struct runner){ .what = IDLE, .task = s->task };
	if (!export_wanted(x, s->task))
		return (struct runner){ .what = STAND_IN, .stand_in = STAND_IN_OTHERS };
	return (struct runner){ .what = TASK, .task = s->task };
}

static bool is_unknown(const struct runner *r)
{
	return r->what == STAND_IN && r->stand_in == STAND_IN_UNKNOWN;
}

static bool same(const struct runner *a, const struct runner *b)
{
	return a->what == b->what &&
	       (a->what == TASK ? a->task == b->task
				: a->what == IDLE || a->stand_in == b->stand_in);
}

/* Sets the fields of a switch to @r. */
static void describe(struct export *x, uint32_t cpu, const struct runner *r, struct lane *out)
{
	char room[EXPORT_COMM];
	const char *comm = room;

	switch (r->what) {
	case IDLE:
		out->tid = 0;
		snprintf(room, sizeof(room), "swapper/%u", cpu);
		break;
	case TASK:
		out->tid = export_task(x, r->task)->tid;
		comm = export_comm(x, r->task, room);
		break;
	case STAND_IN:
		out->tid = STAND_IN_TID(r->stand_in, cpu);
		comm = perfetto_stand_ins[r->stand_in];
		break;
	}
	snprintf(out->comm, sizeof(out->comm), "%s", comm);
	out->runner = *r;
}

/* Writes a switch at @t_ns from @l to @next. */
static void report_switch(struct export *x, uint32_t cpu, const struct lane *l,
			  const struct lane *next, uint64_t t_ns)
{
	struct perfetto *p = x->own;
	struct lane *own = &p->lanes[cpu];
	struct buf *b = &own->bytes;
	size_t first = b->len, event = begin_event(own, t_ns, l->tid), sw;

	sw = proto_open(b, EVENT_SCHED_SWITCH);
	proto_text(b, SWITCH_PREV_COMM, l->comm);
	proto_number(b, SWITCH_PREV_PID, (uint64_t)(int64_t)l->tid);
	proto_number(b, SWITCH_PREV_PRIO, (uint64_t)(int64_t)l->prio);
	proto_number(b, SWITCH_PREV_STATE, l->state);
	proto_text(b, SWITCH_NEXT_COMM, next->comm);
	proto_number(b, SWITCH_NEXT_PID, (uint64_t)(int64_t)next->tid);
	proto_number(b, SWITCH_NEXT_PRIO, (uint64_t)(int64_t)next->prio);
	proto_close(b, sw);
	end_event(x, cpu, first, event, t_ns);
}

/* A CPU begins with IDLE, which Perfetto assumes before the first switch. */
static void begin_lane(struct export *x, uint32_t cpu, struct lane *l)
{
	const struct runner idle = { .what = IDLE };

	describe(x, cpu, &idle, l);
	l->prio = PRIO_NORMAL;
	l->state = 0;
	l->any = true;
}

/* Switches to @r at the start of @s. */
static void switch_to(struct export *x, const struct export_slice *s, const struct runner *r)
{
	struct perfetto *p = x->own;
	struct lane *l = &p->lanes[s->cpu], next;

	if (!l->any)
		begin_lane(x, s->cpu, l);
	next = *l;
	describe(x, s->cpu, r, &next);
	next.prio = s->prio == ANALYZE_NO_PRIO ? PRIO_NORMAL : s->prio;
	if (is_unknown(&l->runner)) {
		flush(x, s->cpu);
		l->lost = true;
	}
	report_switch(x, s->cpu, l, &next, s->from_ns);
	l->runner = next.runner;
	memcpy(l->comm, next.comm, sizeof(l->comm));
	l->tid = next.tid;
	l->prio = next.prio;
}

static void put_slice(struct export *x, const struct export_slice *s)
{
	struct perfetto *p = x->own;
	struct runner r = runner_of(x, s);
	struct lane *l;

	if (s->cpu >= p->n_lanes)
		return;
	l = &p->lanes[s->cpu];
	/* A CPU has no slices before its first known task. */
	if (!l->any && is_unknown(&r))
		return;
	if (!l->any || l->switched || !same(&l->runner, &r))
		switch_to(x, s, &r);
	l->to_ns = s->to_ns;
	l->switched = s->switched;
	/* Without a switch-out the state is unknown: asleep, as that shows no wait for a CPU. */
	if (s->switched)
		l->state = perfetto_state(p->kernel, s->off, s->prev_state);
	else
		l->state = perfetto_state(p->kernel, ANALYZE_OFF_SLEEP, 1);
}

static void put_wake(struct export *x, const struct export_wake *w)
{
	struct perfetto *p = x->own;
	char room[EXPORT_COMM];
	struct lane *l;
	size_t first, event, waking;
	int32_t waker;

	if (w->cpu >= p->n_lanes)
		return;
	l = &p->lanes[w->cpu];
	first = l->bytes.len;
	waker = w->waker == ANALYZE_NO_TASK ? 0 : export_task(x, w->waker)->tid;
	event = begin_event(l, w->t_ns, waker);
	waking = proto_open(&l->bytes, EVENT_SCHED_WAKING);
	proto_text(&l->bytes, WAKING_COMM, export_comm(x, w->task, room));
	proto_number(&l->bytes, WAKING_PID, (uint64_t)(int64_t)export_task(x, w->task)->tid);
	proto_number(&l->bytes, WAKING_PRIO,
		     (uint64_t)(int64_t)(w->prio == ANALYZE_NO_PRIO ? PRIO_NORMAL : w->prio));
	proto_number(&l->bytes, WAKING_SUCCESS, 1);
	if (w->target_cpu != CDICT_CPU_UNKNOWN)
		proto_number(&l->bytes, WAKING_TARGET_CPU, w->target_cpu);
	proto_close(&l->bytes, waking);
	end_event(x, w->cpu, first, event, w->t_ns);
}

/* ---- exits ---- */

/* The reason's interned number on this sequence; a new one is defined in the packet. */
static uint32_t reason_iid(struct export *x, const struct export_exit *e)
{
	struct perfetto *p = x->own;
	uint32_t *iid = map_add(&p->reasons, e->isa, e->code);
	size_t data;

	if (!iid) {
		export_out_of_memory(x);
		return 0;
	}
	if (*iid != MAP_NEW)
		return *iid;
	*iid = ++p->iids;
	data = proto_open(&p->packet, PACKET_INTERNED_DATA);
	if (*iid == 1)
		perfetto_interned(&p->packet, INTERNED_CATEGORIES, 1, "kvm_exit");
	perfetto_interned(&p->packet, INTERNED_EVENT_NAMES, *iid, e->reason);
	proto_close(&p->packet, data);
	return *iid;
}

static void put_exit(struct export *x, const struct export_exit *e)
{
	struct perfetto *p = x->own;
	struct buf *b = &p->packet;
	size_t packet = perfetto_packet(b, e->t_ns), event;
	uint32_t iid;

	proto_number(b, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	iid = reason_iid(x, e);
	event = proto_open(b, PACKET_TRACK_EVENT);
	proto_number(b, TRACK_EVENT_TYPE, SLICE_BEGIN);
	proto_number(b, TRACK_EVENT_TRACK, perfetto_track(e->task));
	proto_number(b, TRACK_EVENT_CATEGORY_IID, 1);
	proto_number(b, TRACK_EVENT_NAME_IID, iid);
	proto_close(b, event);
	proto_close(b, packet);
	packet = perfetto_packet(b, e->t_ns + e->ns);
	event = proto_open(b, PACKET_TRACK_EVENT);
	proto_number(b, TRACK_EVENT_TYPE, SLICE_END);
	proto_number(b, TRACK_EVENT_TRACK, perfetto_track(e->task));
	proto_close(b, event);
	proto_close(b, packet);
	send(x, b);
}

/* ---- begin and end ---- */

static int begin_perfetto(struct export *x, struct cdict_error *err)
{
	struct perfetto *p = x->own;
	const struct analyze_summary *sum = x->sum;
	const bool needed[STAND_INS] = {
		[STAND_IN_UNKNOWN] = sum->unknown_ns > 0, [STAND_IN_OTHERS] = export_filtered(x)
	};
	uint32_t cpus = cdict_reader_cpus(x->walk->reader);

	p->n_lanes = cpus < CPUS_MOST ? cpus : CPUS_MOST;
	x->report->cpus_left_out = cpus - p->n_lanes;
	p->lanes = calloc((size_t)p->n_lanes + 1, sizeof(*p->lanes));
	if (!p->lanes)
		return cdict_fail_nomem(err);
	p->kernel = perfetto_kernel(x->walk);
	return perfetto_names(x, needed, p->n_lanes, err);
}

/* Ends the last slice of each CPU with a switch to IDLE at the window's end: else it would have no end. */
static int end(struct export *x, struct cdict_error *err)
{
	struct perfetto *p = x->own;
	const struct runner idle = { .what = IDLE };

	for (uint32_t cpu = 0; cpu < p->n_lanes; cpu++) {
		struct lane *l = &p->lanes[cpu], next = *l;

		if (l->any) {
			describe(x, cpu, &idle, &next);
			next.prio = PRIO_NORMAL;
			/* cut by the window: still running */
			l->state = l->switched ? l->state : 0;
			report_switch(x, cpu, l, &next, l->to_ns);
		}
		flush(x, cpu);
		if (l->bytes.failed || p->packet.failed)
			return cdict_fail_nomem(err);
	}
	return 0;
}

static void fini(struct export *x)
{
	struct perfetto *p = x->own;

	for (uint32_t cpu = 0; p->lanes && cpu < p->n_lanes; cpu++) {
		array_fini(&p->lanes[cpu].events);
		buf_fini(&p->lanes[cpu].bytes);
	}
	free(p->lanes);
	map_fini(&p->reasons);
	buf_fini(&p->packet);
}

const struct export_format export_perfetto = {
	.name = "perfetto",
	.own_size = sizeof(struct perfetto),
	.begin = begin_perfetto,
	.slice = put_slice,
	.exit = put_exit,
	.wake = put_wake,
	.end = end,
	.fini = fini,
};
