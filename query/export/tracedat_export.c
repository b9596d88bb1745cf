/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * trace.dat: trace-cmd.dat.v6(5) describes the file, the kernel's include/linux/ring_buffer.h and
 * kernel/trace/ring_buffer.c its pages.
 *
 * The sizes of all CPUs' pages stand before the first page, so the events are read twice: to count pages, and to
 * write them.
 */
#include "query/export/tracedat_export.h"
#include "query/export/tracedat_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/saturate.h"

/* type_len of an event's first word, which has 5 bits of it and 27 of the time since the event before */
enum { TYPE_LONG = 0, TYPE_WORDS_MAX = 28, TYPE_TIME_EXTEND = 30 };
#define TIME_BITS 27
/* A longer time begins a new page. */
#define DELTA_MAX (UINT64_C(1) << (TIME_BITS + 32))
/* in a page's commit */
#define COMMIT_MISSED (1u << 31)
#define COMMIT_MISSED_STORED (1u << 30)

/* The largest CONFIG_NR_CPUS of x86 (arch/x86/Kconfig). Each CPU has a page at least. */
#define CPUS_MAX 8192u
/* A kernel's page has at most 64 KiB; a recording may have longer events. */
#define PAGE_MAX (1u << 20)
/* CPUs with so few events in all are read in one walk, and their pages kept until its end. */
#define TOGETHER_MAX (UINT64_C(1) << 17)
#define FLUSH_BYTES (1u << 20)

/* A CPU's ring. */
struct ring {
	struct tracedat_writer *wr;
	bool writes; /* or only counts */
	bool alone;  /* its pages are written as they end */
	uint64_t pages;
	bool begun;
	uint64_t first_ns, t_ns; /* of the page; of its last event */
	struct buf data;         /* of the page */
	struct buf out;          /* pages */
	bool missed;             /* before the page */
	uint64_t missed_count;
	size_t next_loss, losses_end;
};

/* ---- pages ---- */

/* What a page has room for, if it reports missed events. */
static size_t room(const struct tracedat_writer *wr)
{
	return wr->page_size - tracedat_page_head(wr) - (wr->long_size);
}

static void flush(struct ring *r)
{
	if (r->out.failed)
		r->wr->out->error = -ENOMEM;
	else if (r->out.len)
		tracedat_out(r->wr, r->out.data, r->out.len);
	r->out.len = 0;
}

static void page_end(struct ring *r)
{
	struct tracedat_writer *wr = r->wr;
	uint64_t commit = r->data.len;
	size_t end = r->out.len + wr->page_size;
	bool counted = r->missed && r->missed_count;

	if (!r->begun)
		return;
	r->begun = false;
	r->pages++;
	if (!r->writes)
		return;
	if (r->missed)
		commit |= COMMIT_MISSED | (counted ? COMMIT_MISSED_STORED : 0);
	tracedat_put(wr, &r->out, r->first_ns, 8);
	tracedat_put(wr, &r->out, commit, wr->long_size);
	buf_add(&r->out, r->data.data, r->data.len);
	if (counted)
		tracedat_put(wr, &r->out, r->missed_count, wr->long_size);
	while (r->out.len < end && !r->out.failed)
		buf_u8(&r->out, 0);
	if (r->alone && r->out.len >= FLUSH_BYTES)
		flush(r);
}

static void page_begin(struct ring *r, uint64_t t_ns)
{
	page_end(r);
	r->begun = true;
	r->missed = false;
	r->missed_count = 0;
	r->first_ns = r->t_ns = t_ns;
	r->data.len = 0;
}

static uint32_t head_of(const struct tracedat_writer *wr, unsigned type, uint64_t delta)
{
	uint32_t time = (uint32_t)(delta & ((1u << TIME_BITS) - 1));

	return wr->big ? type << TIME_BITS | time : time << 5 | type;
}

/* Bytes of an event whose payload has @size, with a long time before it. */
static size_t event_size(size_t size)
{
	size_t words = (size + 3) / 4;

	return 8 + 4 + (words > TYPE_WORDS_MAX || !words ? 4 : 0) + 4 * words;
}

static void put_event(struct ring *r, uint64_t t_ns)
{
	struct tracedat_writer *wr = r->wr;
	uint64_t delta = t_ns - r->t_ns;
	size_t size = (r->wr->payload.len + 3) & ~(size_t)3;

	if (delta >> TIME_BITS) {
		tracedat_put(wr, &r->data, head_of(wr, TYPE_TIME_EXTEND, delta), 4);
		tracedat_put(wr, &r->data, delta >> TIME_BITS, 4);
		delta = 0;
	}
	if (!size || size / 4 > TYPE_WORDS_MAX) {
		tracedat_put(wr, &r->data, head_of(wr, TYPE_LONG, delta), 4);
		tracedat_put(wr, &r->data, size + 4, 4);
	} else {
		tracedat_put(wr, &r->data, head_of(wr, (unsigned)(size / 4), delta), 4);
	}
	buf_add(&r->data, r->wr->payload.data, r->wr->payload.len);
	for (size_t i = r->wr->payload.len; i < size; i++)
		buf_u8(&r->data, 0);
	r->t_ns = t_ns;
}

/* Readers find an event's type by this field. */
static void put_type(const struct tracedat_writer *wr, const struct cdict_event_type *type,
		     struct buf *payload)
{
	int i = cdict_event_type_field(type, "common_type");
	const struct cdict_field *f = i < 0 ? NULL : &type->fields[i];

	for (uint32_t k = 0; f && f->size <= 8 && k < f->size && f->offset + k < payload->len; k++)
		payload->data[f->offset + k] =
			(uint8_t)(type->tracepoint >> 8 * (wr->big ? f->size - 1 - k : k) % 32);
}

/* The raw payload of the event; false: out of memory. */
static bool payload_of(struct ring *r, const struct cdict_event *ev)
{
	uint8_t none;
	size_t size = cdict_event_payload(r->wr->schema, ev, &none, 0);
	uint8_t *at;

	r->wr->payload.len = 0;
	at = buf_room(&r->wr->payload, size ? size : 1);
	if (!at)
		return false;
	cdict_event_payload(r->wr->schema, ev, at, size);
	r->wr->payload.len = size;
	put_type(r->wr, ev->type, &r->wr->payload);
	return true;
}

/* ---- events of a CPU ---- */

static int by_value(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static bool wanted(const struct tracedat_writer *wr, const struct cdict_event *ev)
{
	return (!wr->selects ||
		bsearch(&ev->tid, wr->tids.at, wr->tids.n, sizeof(*wr->tids.at), by_value)) &&
	       !(wr->w->opts.no_guest_mode &&
		 (ev->mode == CDICT_MODE_GUEST_KERNEL || ev->mode == CDICT_MODE_GUEST_USER));
}

static int by_cpu_and_end(const void *a, const void *b)
{
	const struct cdict_loss *x = *(const struct cdict_loss *const *)a;
	const struct cdict_loss *y = *(const struct cdict_loss *const *)b;

	if (x->cpu != y->cpu)
		return x->cpu > y->cpu ? 1 : -1;
	return (x->to_ns > y->to_ns) - (x->to_ns < y->to_ns);
}

static int collect_losses(struct tracedat_writer *wr, struct cdict_error *err)
{
	for (size_t i = 0; i < cdict_reader_loss_count(wr->w->reader); i++) {
		const struct cdict_loss *loss = cdict_reader_loss_at(wr->w->reader, i);

		if (loss->what != CDICT_LOSS_DISORDER && array_push(&wr->losses, loss))
			return cdict_fail_nomem(err);
	}
	if (wr->losses.n)
		qsort(wr->losses.at, wr->losses.n, sizeof(*wr->losses.at), by_cpu_and_end);
	return 0;
}

/* Index of the first loss of @cpu or a higher one. */
static size_t first_loss(const struct tracedat_writer *wr, uint32_t cpu)
{
	size_t lo = 0, hi = wr->losses.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (wr->losses.at[mid]->cpu < cpu)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Begins a page if events were lost before @t_ns. */
static void add_losses(struct ring *r, uint64_t t_ns)
{
	const struct cdict_loss *const *all = r->wr->losses.at;
	size_t before = r->next_loss;
	uint64_t count = 0;

	for (; r->next_loss < r->losses_end && all[r->next_loss]->to_ns <= t_ns; r->next_loss++)
		saturated_add(&count, all[r->next_loss]->count);
	if (r->next_loss == before)
		return;
	page_begin(r, t_ns);
	r->missed = true;
	r->missed_count = r->wr->long_size == 4 && count > UINT32_MAX ? UINT32_MAX : count;
}

static int add_event(struct ring *r, const struct cdict_event *ev, struct cdict_error *err)
{
	struct tracedat_writer *wr = r->wr;
	size_t size;

	if (!ev->type->payload_size) {
		wr->report->left_out += r->writes;
		return 0;
	}
	if (!payload_of(r, ev))
		return cdict_fail_nomem(err);
	size = event_size(r->wr->payload.len);
	if (size > wr->longest)
		wr->longest = size;
	if (size > room(wr)) {
		wr->report->left_out += r->writes;
		return 0;
	}
	add_losses(r, ev->t_ns);
	if (!r->begun || r->data.len + size > room(wr) || ev->t_ns - r->t_ns >= DELTA_MAX)
		page_begin(r, ev->t_ns);
	put_event(r, ev->t_ns);
	return r->data.failed ? cdict_fail_nomem(err) : 0;
}

static bool selects_cpu(const struct tracedat_writer *wr, uint32_t cpu)
{
	const struct cdict_query *q = &wr->query;

	return !q->cpus || (cpu < q->n_cpus && q->cpus[cpu / 64] >> cpu % 64 & 1);
}

/* Ends the pages of a CPU and writes them. */
static void ring_end(struct ring *r, uint32_t cpu)
{
	page_end(r);
	flush(r);
	r->wr->pages[cpu] = r->pages;
	buf_fini(&r->data);
	buf_fini(&r->out);
}

/* The CPUs from @first up to @end in one walk. */
static int walk_some(struct tracedat_writer *wr, uint32_t first, uint32_t end, bool writes,
		     struct cdict_error *err)
{
	struct ring *rings = calloc(end - first, sizeof(*rings));
	uint64_t *only = calloc(end / 64 + 1, sizeof(*only));
	struct cdict_query query = wr->query;
	struct cdict_events *it = NULL;
	struct cdict_event ev;
	int rc = rings && only ? 0 : cdict_fail_nomem(err);

	for (uint32_t cpu = first; cpu < end && !rc; cpu++) {
		rings[cpu - first] = (struct ring){ .wr = wr,
						    .writes = writes,
						    .alone = end - first == 1,
						    .next_loss = first_loss(wr, cpu),
						    .losses_end = first_loss(wr, cpu + 1) };
		if (selects_cpu(wr, cpu))
			only[cpu / 64] |= UINT64_C(1) << cpu % 64;
	}
	query.cpus = only;
	query.n_cpus = end;
	if (!rc)
		rc = cdict_events_open(&it, wr->w->reader, &query, err);
	while (!rc && !wr->out->error && (rc = cdict_events_next(it, &ev, err)) > 0)
		rc = wanted(wr, &ev) ? add_event(&rings[ev.cpu - first], &ev, err) : 0;
	for (uint32_t cpu = first; cpu < end && rings; cpu++)
		ring_end(&rings[cpu - first], cpu);
	cdict_events_close(it);
	free(rings);
	free(only);
	return rc;
}

static int walk_cpus(struct tracedat_writer *wr, bool writes, struct cdict_error *err)
{
	int rc = 0;

	for (uint32_t first = 0, end; first < wr->n_cpus && !rc && !wr->out->error; first = end) {
		uint64_t events = wr->events[first];

		for (end = first + 1; end < wr->n_cpus; end++) {
			events += wr->events[end];
			if (events > TOGETHER_MAX)
				break;
		}
		rc = walk_some(wr, first, end, writes, err);
	}
	return rc;
}

/* Counts the pages, with pages that hold the longest event. */
static int count_pages(struct tracedat_writer *wr, struct cdict_error *err)
{
	int rc = walk_cpus(wr, false, err);

	if (rc || wr->longest <= room(wr) || wr->page_size >= PAGE_MAX)
		return rc;
	while (wr->page_size < PAGE_MAX && wr->longest > room(wr))
		wr->page_size *= 2;
	return walk_cpus(wr, false, err);
}

/* ---- the file ---- */

static int select_tasks(struct tracedat_writer *wr, struct cdict_error *err)
{
	const struct names_filter *f = &wr->w->opts.names.filter;

	wr->selects = f->vm || f->n_tids || f->matches || f->wanted;
	for (size_t i = 0; wr->selects && i < analyze_engine_task_count(wr->w->eng); i++) {
		const struct analyze_task *t = analyze_engine_task(wr->w->eng, (uint32_t)i);

		if (names_wanted(&wr->w->names, t) && array_push(&wr->tids, t->tid))
			return cdict_fail_nomem(err);
	}
	if (wr->tids.n)
		qsort(wr->tids.at, wr->tids.n, sizeof(*wr->tids.at), by_value);
	return 0;
}

int tracedat_export_write(struct tables_walk *w, const struct cdict_query *query, struct sink *out,
			  struct export_report *report, struct cdict_error *err)
{
	struct tracedat_writer wr = { .w = w,
				      .schema = cdict_reader_schema(w->reader),
				      .query = *query,
				      .out = out,
				      .report = report,
				      .n_cpus = cdict_reader_cpus(w->reader) };
	int rc;

	wr.big = cdict_schema_big_endian(wr.schema);
	wr.long_size = cdict_schema_long_size(wr.schema) == 4 ? 4 : 8;
	wr.page_size = 4096;
	while (wr.page_size < cdict_schema_page_size(wr.schema) && wr.page_size < PAGE_MAX)
		wr.page_size *= 2;
	if (wr.n_cpus > CPUS_MAX)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "the capture has %u CPUs; a trace.dat is written of at most %u",
				  wr.n_cpus, CPUS_MAX);
	wr.pages = calloc(wr.n_cpus + 1, sizeof(*wr.pages));
	wr.events = calloc(wr.n_cpus + 1, sizeof(*wr.events));
	rc = wr.pages && wr.events ? select_tasks(&wr, err) : cdict_fail_nomem(err);
	for (size_t i = 0; !rc && i < cdict_reader_block_count(w->reader); i++) {
		const struct cdict_block_info *block = cdict_reader_block_at(w->reader, i);

		if (block->cpu < wr.n_cpus)
			wr.events[block->cpu] += block->events;
		else
			report->left_out += block->events;
	}
	if (!rc)
		rc = collect_losses(&wr, err);
	if (!rc)
		rc = count_pages(&wr, err);
	if (!rc)
		rc = tracedat_head(&wr, err);
	if (!rc)
		rc = walk_cpus(&wr, true, err);
	free(wr.pages);
	free(wr.events);
	array_fini(&wr.tids);
	array_fini(&wr.losses);
	buf_fini(&wr.payload);
	return rc;
}
