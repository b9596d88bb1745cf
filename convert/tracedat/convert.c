/* SPDX-License-Identifier: GPL-2.0-only */
/* Converts a trace.dat's events, in time order over CPUs and buffers. */
#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/memory/map.h"
#include "base/saturate.h"
#include "base/text/plural.h"
#include "convert/formats.h"
#include "convert/kernel_symbols.h"
#include "convert/import.h"
#include "convert/tracedat/clock.h"
#include "convert/tracedat/contents.h"
#include "convert/tracedat/ring.h"
#include "format/file/writer.h"

#define PROGRESS_EVENTS 0xffffu
/* A record of convert/ingest counts its bytes in 16 bits. */
#define PAYLOAD_MAX (UINT16_MAX - sizeof(struct source_record))
#define ID_NONE (-1)

struct kind {
	char name[256]; /* "sched:sched_switch" */
	int32_t common_pid;
	uint64_t unstored;
	size_t owner; /* the first buffer that contains it */
};

struct conversion {
	struct tracedat *td;
	struct import in;
	struct formats formats;
	struct kernel_symbols symbols;
	ARRAY(struct kind) kinds; /* indexed like formats.source */
	int32_t by_id[UINT16_MAX + 1];
	ARRAY(struct ring) rings;
	ARRAY(uint32_t) heap; /* rings with a current event, the earliest first */
	uint64_t live, n, orphans, shadowed;
	uint64_t first_ns;  /* of the earliest event of all rings */
	struct map leaders; /* tids of processes */
	struct source_record *record;
};

/* ---- event types ---- */

static int32_t common_pid_at(const struct cdict_event_type *type)
{
	for (size_t i = 0; i < type->n_fields; i++) {
		const struct cdict_field *f = &type->fields[i];

		if (!strcmp(f->name, "common_pid") && f->size == 4)
			return (int32_t)f->offset;
	}
	return -1;
}

static int add_kind(struct conversion *c, const struct perfdata_format *format)
{
	struct source_event source = { .type = SOURCE_UNSTORED,
				       .tid = offsetof(struct source_record, pid),
				       .raw = sizeof(struct source_record) };
	struct kind k = { .owner = SIZE_MAX };
	struct cdict_error why;
	uint32_t id;

	if (!formats_name(format, k.name, sizeof(k.name), &id) || id > UINT16_MAX ||
	    c->by_id[id] != ID_NONE)
		return 0;
	if (formats_wants(&c->formats, k.name) && !cdict_schema_find(c->formats.schema, k.name)) {
		int type = formats_add(&c->formats, &c->td->tracing, format, k.name, &why);

		if (type == -ENOMEM) {
			*c->in.err = why;
			return type;
		}
		if (type >= 0) {
			k.common_pid =
				common_pid_at(cdict_schema_at(c->formats.schema, (size_t)type));
			source.type = k.common_pid < 0 ? SOURCE_UNSTORED : type;
		} else if (!c->formats.bad++) {
			snprintf(c->formats.why, sizeof(c->formats.why), "%.255s", why.text);
		}
	}
	c->by_id[id] = (int32_t)c->kinds.n;
	if (array_push(&c->kinds, k) || array_push(&c->formats.source, source))
		return cdict_fail_nomem(c->in.err);
	return 0;
}

static int add_kinds(struct conversion *c)
{
	const struct perfdata_tracing *t = &c->td->tracing;
	int ret = 0;

	for (size_t i = 0; i <= UINT16_MAX; i++)
		c->by_id[i] = ID_NONE;
	c->formats.schema = cdict_schema_new(t->big_endian, (unsigned)t->long_size, t->page_size);
	if (!c->formats.schema)
		return cdict_fail_nomem(c->in.err);
	for (size_t i = 0; i < c->td->formats.n && !ret; i++)
		ret = add_kind(c, &c->td->formats.at[i]);
	return ret;
}

/* ---- rings in a heap, the earliest event first ---- */

static bool before(const struct ring *a, const struct ring *b)
{
	if (a->ticks != b->ticks)
		return a->ticks < b->ticks;
	return a->cpu != b->cpu ? a->cpu < b->cpu : a->buffer < b->buffer;
}

static void sift(struct conversion *c, size_t i)
{
	uint32_t *heap = c->heap.at;

	for (;;) {
		size_t least = i, k = 2 * i + 1;

		for (size_t end = k + 2; k < end && k < c->heap.n; k++)
			if (before(&c->rings.at[heap[k]], &c->rings.at[heap[least]]))
				least = k;
		if (least == i)
			return;
		k = heap[i];
		heap[i] = heap[least];
		heap[least] = (uint32_t)k;
		i = least;
	}
}

/* Instances with another clock cannot be merged by time. */
static bool usable(struct conversion *c, const struct tracedat_buffer *b)
{
	const char *clock = c->td->clock && *c->td->clock ? c->td->clock : "local";

	if (b->text)
		return false;
	if (!b->clock || !*b->clock || !strcmp(b->clock, clock))
		return true;
	tracedat_note(c->td, "buffer '%s' has another clock (%.32s, not %.32s) and is left out",
		      b->name, b->clock, clock);
	return false;
}

static int open_rings(struct conversion *c)
{
	struct tracedat *td = c->td;
	uint64_t claimed = 0;

	for (size_t i = 0; i < td->buffers.n; i++) {
		const struct tracedat_buffer *b = &td->buffers.at[i];

		for (size_t k = 0; k < b->cpus.n && (k || usable(c, b)); k++) {
			struct ring *r;

			if (!b->cpus.at[k].size)
				continue;
			if (b->cpus.at[k].cpu >= INGEST_CPUS_MAX) {
				tracedat_note(td, "CPU number %u is too large", b->cpus.at[k].cpu);
				continue;
			}
			r = array_add(&c->rings);
			if (!r)
				return cdict_fail_nomem(c->in.err);
			claimed += ring_open(r, td, b, &b->cpus.at[k], &c->live);
			/* Rings must not share pages: a small file would be endless. */
			if (claimed > td->file.size) {
				tracedat_note(td, "CPU %u shares event data with another CPU",
					      r->cpu);
				c->rings.n--;
				return 0;
			}
		}
	}
	return 0;
}

static void close_rings(struct conversion *c)
{
	for (size_t i = 0; i < c->rings.n; i++)
		ring_close(&c->rings.at[i]);
	c->rings.n = c->heap.n = 0;
}

/* The kind of the ring's current event; ID_NONE: unknown. */
static int32_t event_of(const struct conversion *c, const struct ring *r)
{
	return r->size < 2 ? ID_NONE : c->by_id[load16(r->payload, c->td->tracing.big_endian)];
}

/* An event recorded by several instances is in the file several times: only that of the first one
 * is used. */
static int find_owners(struct conversion *c)
{
	int ret = open_rings(c);

	for (size_t i = 0; i < c->rings.n && !ret; i++) {
		struct ring *r = &c->rings.at[i];
		size_t buffer = (size_t)(r->buffer - c->td->buffers.at);

		while ((ret = ring_next(r, c->in.err)) > 0) {
			int32_t event = event_of(c, r);

			if (event >= 0 && buffer < c->kinds.at[event].owner)
				c->kinds.at[event].owner = buffer;
		}
		ring_close(r);
	}
	close_rings(c);
	return ret;
}

static int fill_heap(struct conversion *c)
{
	for (uint32_t i = 0; i < c->rings.n; i++) {
		int ret = ring_next(&c->rings.at[i], c->in.err);

		if (ret < 0)
			return ret;
		if (ret && array_push(&c->heap, i))
			return cdict_fail_nomem(c->in.err);
	}
	for (size_t i = c->heap.n / 2; i-- > 0;)
		sift(c, i);
	return 0;
}

/* ---- events ---- */

/* Stores the loss before the current event of @r. */
static int lost(struct conversion *c, const struct ring *r, uint64_t t_ns)
{
	struct batcher_cpu *cpu = batcher_cpu(&c->in.ingest.batcher, r->cpu);
	struct cdict_loss loss = { .what = CDICT_LOSS_RING,
				   .cpu = r->cpu,
				   .type = CDICT_TYPE_ANY,
				   .from_ns = t_ns,
				   .to_ns = t_ns,
				   .count = r->missed_count };

	if (!cpu)
		return ingest_no_memory(&c->in.ingest, c->in.err);
	if (cpu->seen)
		return ingest_lost(&c->in.ingest, CDICT_LOSS_RING, r->cpu, t_ns, r->missed_count,
				   NULL, c->in.err);
	/* An overwritten ring begins with the first event that was kept. */
	if (c->first_ns < t_ns)
		loss.from_ns = c->first_ns;
	saturated_add(&cpu->lost, loss.count);
	saturated_add(&c->in.ingest.lost, loss.count);
	return ingest_loss(&c->in.ingest, &loss, c->in.err);
}

static int event(struct conversion *c, struct ring *r)
{
	int32_t number = event_of(c, r), tid;
	uint64_t t_ns = tracedat_ns(c->td, r->cpu, r->ticks);
	struct batch_sample s = { .t_ns = t_ns, .event = (uint32_t)number };
	struct source_record *record = c->record;
	struct kind *k;

	if (!c->first_ns)
		c->first_ns = t_ns;
	if (r->missed) {
		int ret = lost(c, r, t_ns);

		if (ret)
			return ret;
	}
	if (number < 0) {
		c->orphans++;
		return 0;
	}
	k = &c->kinds.at[number];
	if (c->formats.source.at[number].type == SOURCE_UNSTORED) {
		k->unstored++;
		return 0;
	}
	if (c->td->buffers.n > 1 && r->buffer != &c->td->buffers.at[k->owner]) {
		c->shadowed++;
		return 0;
	}
	if (t_ns > INT64_MAX || r->size > PAYLOAD_MAX || r->size < (uint32_t)k->common_pid + 4) {
		c->in.report->bad_samples++;
		return 0;
	}
	tid = (int32_t)load32(r->payload + k->common_pid, c->td->tracing.big_endian);
	*record = (struct source_record){
		.type = PERF_RECORD_SAMPLE,
		.misc = PERF_RECORD_MISC_KERNEL,
		.size = (uint16_t)(sizeof(*record) + r->size),
		.pid = !tid || map_find(&c->leaders, (uint32_t)tid, 0) ? tid : -1,
		.tid = tid,
		.raw_size = r->size,
	};
	memcpy(record + 1, r->payload, r->size);
	kernel_symbols_event(&c->symbols, (uint32_t)c->formats.source.at[number].type, r->payload,
			     r->size);
	s.record = (const uint8_t *)record;
	return ingest_add(&c->in.ingest, r->cpu, &s, record->size, c->in.err);
}

static void progress(struct conversion *c)
{
	uint64_t done = 0;

	if (!c->in.opts->progress || ++c->n & PROGRESS_EVENTS)
		return;
	for (size_t i = 0; i < c->rings.n; i++)
		done += ring_read(&c->rings.at[i]);
	c->in.opts->progress(c->in.opts->progress_ctx, done, c->td->file.size);
}

static int read_events(struct conversion *c)
{
	int ret = open_rings(c);

	if (!ret)
		ret = fill_heap(c);
	while (!ret && c->heap.n) {
		struct ring *r = &c->rings.at[c->heap.at[0]];

		ret = event(c, r);
		if (ret)
			break;
		progress(c);
		ret = ring_next(r, c->in.err);
		if (ret < 0)
			break;
		if (!ret)
			c->heap.at[0] = c->heap.at[--c->heap.n];
		sift(c, 0);
		ret = 0;
	}
	close_rings(c);
	return ret;
}

/* ---- begin and end ---- */

static int start(struct conversion *c)
{
	c->record = malloc(sizeof(*c->record) + PAYLOAD_MAX);
	if (!c->record)
		return cdict_fail_nomem(c->in.err);
	return import_start(&c->in, c->formats.schema, c->formats.source.at, c->formats.source.n);
}

static int begin_conversion(struct conversion *c)
{
	const char *clock = tracedat_clock_id(c->td, c->in.err);
	int ret = clock ? add_kinds(c) : c->in.err->code;

	if (!ret)
		ret = tracedat_store_host(c->td, c->in.w, clock, c->in.err);
	if (!ret && c->td->tracing.printk && formats_need_strings(c->formats.schema))
		ret = cdict_writer_info(c->in.w, "trace.strings", c->td->tracing.printk, c->in.err);
	if (!ret)
		ret = kernel_symbols_update(&c->symbols, c->formats.schema, c->td->tracing.kallsyms,
					    c->in.err);
	if (!ret)
		ret = cdict_writer_schema(c->in.w, c->formats.schema, c->in.err);
	if (!ret)
		ret = start(c);
	if (!ret)
		ret = tracedat_store_tasks(c->td, &c->in.ingest, &c->leaders, c->in.err);
	if (!ret && c->td->buffers.n > 1)
		ret = find_owners(c);
	return ret;
}

static int list_unstored(struct conversion *c)
{
	int ret = 0;

	for (size_t i = 0; i < c->kinds.n && !ret; i++)
		ret = convert_unstored_add(c->in.report, c->kinds.at[i].name,
					   c->kinds.at[i].unstored, c->in.err);
	if (!ret)
		ret = convert_unstored_add(c->in.report, "events of an unknown type", c->orphans,
					   c->in.err);
	if (!ret)
		ret = convert_unstored_add(c->in.report, "events that are also in another buffer",
					   c->shadowed, c->in.err);
	return ret ? ret : convert_unstored_write(c->in.report, c->in.w, c->in.err);
}

static void say_damage(struct conversion *c)
{
	struct convert_report *r = c->in.report;

	if (c->td->damage[0])
		snprintf(r->damage, sizeof(r->damage), "%s", c->td->damage);
	else if (c->formats.why[0])
		snprintf(r->damage, sizeof(r->damage), "%s", c->formats.why);
	else if (r->bad_samples)
		snprintf(r->damage, sizeof(r->damage),
			 "%s event%s shorter than %s fields or without a time",
			 GROUPED(r->bad_samples), r->bad_samples == 1 ? " is" : "s are",
			 r->bad_samples == 1 ? "its" : "their");
	else if (c->orphans)
		snprintf(r->damage, sizeof(r->damage),
			 "%s event%s a type that the file does not describe", GROUPED(c->orphans),
			 c->orphans == 1 ? " has" : "s have");
	r->damaged = r->damage[0];
}

static bool only_text(const struct tracedat *td)
{
	for (size_t i = 0; i < td->buffers.n; i++)
		if (!td->buffers.at[i].text)
			return false;
	return td->buffers.n;
}

static int finish(struct conversion *c)
{
	struct convert_report *r = c->in.report;
	int ret = 0;

	for (size_t i = 0; i < c->td->stats.n && !ret; i++)
		ret = ingest_counted(&c->in.ingest, c->td->stats.at[i].cpu, c->td->stats.at[i].lost,
				     c->in.err);
	if (!ret)
		ret = import_settle(&c->in, c->formats.schema);
	if (!ret)
		ret = kernel_symbols_write(&c->symbols, c->in.w, c->in.err);
	if (!ret)
		ret = list_unstored(c);
	r->bytes_in = c->td->file.size;
	say_damage(c);
	import_missing(r, only_text(c->td) ? "it has only a latency tracer's text"
					   : "record with: trace-cmd record -e sched -e kvm");
	if (!ret)
		ret = tracedat_store_end(c->td, &c->in.ingest, r, c->in.w, c->in.err);
	return ret ? ret : import_finish(&c->in);
}

int tracedat_convert(struct tracedat *td, const struct convert_options *opts, cdict_write_fn fn,
		     void *ctx, struct convert_report *report, struct cdict_error *err)
{
	struct conversion *c = calloc(1, sizeof(*c));
	int ret;

	*report = (struct convert_report){ 0 };
	if (!c)
		return cdict_fail_nomem(err);
	c->td = td;
	formats_init(&c->formats, opts->events, opts->n_events);
	ret = import_open(&c->in, opts, fn, ctx, report, err);
	if (!ret)
		ret = begin_conversion(c);
	if (!ret)
		ret = read_events(c);
	if (!ret)
		ret = finish(c);
	close_rings(c);
	import_close(&c->in);
	formats_fini(&c->formats);
	kernel_symbols_fini(&c->symbols);
	map_fini(&c->leaders);
	array_fini(&c->kinds);
	array_fini(&c->rings);
	array_fini(&c->heap);
	free(c->record);
	free(c);
	return ret;
}
