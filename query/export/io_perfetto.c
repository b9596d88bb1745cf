/* SPDX-License-Identifier: GPL-2.0-only */
/* See io_perfetto.h. */
#include "query/export/io_perfetto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "query/export/perfetto.h"

enum { ANNOTATION_STRING = 6, ANNOTATION_NAME = 10 };

/* Most tracks of a thread; latest slices that each remembers, up to twice that. */
enum { LANES = 512, KEPT = 32 };

struct slice {
	uint64_t from_ns, to_ns;
};

/* A track, with its latest outermost slices. */
struct lane {
	uint64_t track;
	uint64_t horizon_ns; /* earlier slices are forgotten */
	unsigned n;
	struct slice slices[2 * KEPT];
};

struct io_thread {
	int32_t pid, tid;
	ARRAY(struct lane *) lanes;
};

/* ---- tracks ---- */

/* Adds [from, to], which ends last of all, if it nests with the track's slices; false if not. */
static bool takes(struct lane *l, uint64_t from_ns, uint64_t to_ns)
{
	unsigned i = l->n;

	while (i && l->slices[i - 1].from_ns > from_ns)
		i--;
	/* a slice with the same start was written before it, and would contain it */
	if (i ? l->slices[i - 1].to_ns > from_ns : from_ns < l->horizon_ns)
		return false;
	l->slices[i] = (struct slice){ from_ns, to_ns };
	l->n = i + 1;
	if (l->n == 2 * KEPT) {
		l->horizon_ns = l->slices[KEPT - 1].to_ns;
		memmove(l->slices, l->slices + KEPT, KEPT * sizeof(*l->slices));
		l->n = KEPT;
	}
	return true;
}

static void report_thread(struct io_perfetto *p, const struct io_thread *t, uint64_t t_ns)
{
	uint32_t *known = map_add(&p->processes, (uint64_t)(uint32_t)t->pid, 0);
	size_t packet = perfetto_packet(&p->b, t_ns), tree = proto_open(&p->b, PACKET_PROCESS_TREE),
	       at;

	if (known && *known == MAP_NEW) {
		at = proto_open(&p->b, TREE_PROCESSES);
		proto_number(&p->b, PROCESS_PID, (uint64_t)(int64_t)t->pid);
		proto_close(&p->b, at);
		*known = 0;
	}
	p->b.failed |= !known;
	at = proto_open(&p->b, TREE_THREADS);
	proto_number(&p->b, THREAD_TID, (uint64_t)(int64_t)t->tid);
	proto_number(&p->b, THREAD_TGID, (uint64_t)(int64_t)t->pid);
	proto_close(&p->b, at);
	proto_close(&p->b, tree);
	proto_close(&p->b, packet);
}

/* Adds a track: the first is the thread's, the others are under it. */
static struct lane *add_lane(struct io_perfetto *p, struct io_thread *t, uint64_t t_ns)
{
	struct lane *l = calloc(1, sizeof(*l));
	size_t packet, track, thread;

	if (!l || array_push(&t->lanes, l)) {
		free(l);
		return NULL;
	}
	l->track = ++p->tracks;
	packet = perfetto_packet(&p->b, t_ns);
	track = proto_open(&p->b, PACKET_TRACK_DESCRIPTOR);
	proto_number(&p->b, TRACK_UUID, l->track);
	if (t->lanes.n > 1) {
		proto_text(&p->b, TRACK_NAME, "at the same time");
		proto_number(&p->b, TRACK_PARENT, t->lanes.at[0]->track);
	} else {
		thread = proto_open(&p->b, TRACK_THREAD);
		proto_number(&p->b, TRACK_THREAD_PID, (uint64_t)(int64_t)t->pid);
		proto_number(&p->b, TRACK_THREAD_TID, (uint64_t)(int64_t)t->tid);
		proto_close(&p->b, thread);
	}
	proto_close(&p->b, track);
	proto_close(&p->b, packet);
	return l;
}

static struct io_thread *thread_of(struct io_perfetto *p, const struct cdict_event *ev,
				   uint64_t t_ns)
{
	uint32_t *at =
		map_add(&p->by_tid, (uint64_t)(uint32_t)ev->pid, (uint64_t)(uint32_t)ev->tid);
	struct io_thread *t;

	if (!at)
		return NULL;
	if (*at != MAP_NEW)
		return p->threads.at[*at];
	t = calloc(1, sizeof(*t));
	if (!t || array_push(&p->threads, t)) {
		free(t);
		return NULL;
	}
	*at = (uint32_t)p->threads.n - 1;
	t->pid = ev->pid;
	t->tid = ev->tid;
	report_thread(p, t, t_ns);
	return t;
}

/* The track that takes the slice, maybe a new one; NULL: none (*left_out), or out of memory. */
static struct lane *lane_of(struct io_perfetto *p, struct io_thread *t, uint64_t from_ns,
			    uint64_t to_ns, bool *left_out)
{
	struct lane *l;

	*left_out = false;
	for (size_t i = 0; i < t->lanes.n; i++)
		if (takes(t->lanes.at[i], from_ns, to_ns))
			return t->lanes.at[i];
	*left_out = t->lanes.n == LANES;
	l = *left_out ? NULL : add_lane(p, t, from_ns);
	if (l)
		takes(l, from_ns, to_ns);
	return l;
}

/* ---- events ---- */

static void annotate(struct buf *b, struct cdict_bytes fname)
{
	char text[4096];
	size_t n = fname.len < sizeof(text) - 1 ? fname.len : sizeof(text) - 1, at;

	if (!n)
		return;
	memcpy(text, fname.data, n);
	text[n] = '\0';
	at = proto_open(b, TRACK_EVENT_ANNOTATION);
	proto_text(b, ANNOTATION_NAME, "fname");
	proto_text(b, ANNOTATION_STRING, text);
	proto_close(b, at);
}

/* Writes the packet of a slice's start or end, or of an instant. */
static void write_slice(struct io_perfetto *p, const struct cdict_event *ev, uint64_t t_ns,
			unsigned type, uint64_t track, struct cdict_bytes fname)
{
	uint32_t iid = ev->type->index + 1;
	size_t packet = perfetto_packet(&p->b, t_ns), data, event;

	proto_number(&p->b, PACKET_SEQUENCE_FLAGS, SEQUENCE_NEEDS_STATE);
	if (!p->named[ev->type->index]) {
		data = proto_open(&p->b, PACKET_INTERNED_DATA);
		perfetto_interned(&p->b, INTERNED_CATEGORIES, iid, ev->type->system);
		perfetto_interned(&p->b, INTERNED_EVENT_NAMES, iid, ev->type->event);
		proto_close(&p->b, data);
		p->named[ev->type->index] = true;
	}
	event = proto_open(&p->b, PACKET_TRACK_EVENT);
	proto_number(&p->b, TRACK_EVENT_TYPE, type);
	proto_number(&p->b, TRACK_EVENT_TRACK, track);
	if (type != SLICE_END) {
		proto_number(&p->b, TRACK_EVENT_CATEGORY_IID, iid);
		proto_number(&p->b, TRACK_EVENT_NAME_IID, iid);
		annotate(&p->b, fname);
	}
	proto_close(&p->b, event);
	proto_close(&p->b, packet);
}

static int on_slice(struct io_perfetto *p, struct io_thread *t, const struct cdict_event *ev,
		    uint64_t dur_ns, struct cdict_bytes fname)
{
	uint64_t from_ns = ev->t_ns - dur_ns;
	bool left_out;
	struct lane *l = lane_of(p, t, from_ns, ev->t_ns, &left_out);

	if (!l) {
		p->left_out += left_out;
		return left_out ? 0 : -ENOMEM;
	}
	write_slice(p, ev, from_ns, SLICE_BEGIN, l->track, fname);
	write_slice(p, ev, ev->t_ns, SLICE_END, l->track, fname);
	return 0;
}

static int put_instant(struct io_perfetto *p, struct io_thread *t, const struct cdict_event *ev,
		       struct cdict_bytes fname)
{
	struct lane *l = t->lanes.n ? t->lanes.at[0] : add_lane(p, t, ev->t_ns);

	if (!l)
		return -ENOMEM;
	write_slice(p, ev, ev->t_ns, INSTANT, l->track, fname);
	return 0;
}

int io_perfetto_event(struct io_perfetto *p, struct sink *out, const struct cdict_event *ev,
		      uint64_t dur_ns, bool instant, struct cdict_bytes fname)
{
	struct io_thread *t = thread_of(p, ev, ev->t_ns - dur_ns);
	int rc;

	if (!t)
		return -ENOMEM;
	rc = instant ? put_instant(p, t, ev, fname) : on_slice(p, t, ev, dur_ns, fname);
	if (rc || p->b.failed)
		return -ENOMEM;
	sink_add(out, p->b.data, p->b.len);
	p->b.len = 0;
	return 0;
}

int io_perfetto_begin(struct io_perfetto *p, const struct tables_walk *w, struct sink *out)
{
	p->named =
		calloc(cdict_schema_count(cdict_reader_schema(w->reader)) + 1, sizeof(*p->named));
	if (!p->named)
		return -ENOMEM;
	perfetto_first(&p->b, w);
	if (p->b.failed)
		return -ENOMEM;
	sink_add(out, p->b.data, p->b.len);
	p->b.len = 0;
	return 0;
}

void io_perfetto_fini(struct io_perfetto *p)
{
	for (size_t i = 0; i < p->threads.n; i++) {
		for (size_t l = 0; l < p->threads.at[i]->lanes.n; l++)
			free(p->threads.at[i]->lanes.at[l]);
		array_fini(&p->threads.at[i]->lanes);
		free(p->threads.at[i]);
	}
	array_fini(&p->threads);
	map_fini(&p->by_tid);
	map_fini(&p->processes);
	free(p->named);
	buf_fini(&p->b);
}
