/* SPDX-License-Identifier: GPL-2.0-only */
/* The path of the records: read, distributed to CPUs, cut, encoded, written. */
#include "convert/convert.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <perf/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/memory/pool.h"
#include "convert/perfdata/info.h"
#include "convert/account.h"
#include "convert/kernel_symbols.h"
#include "convert/lent.h"
#include "convert/span.h"
#include "format/file/writer.h"
#include "convert/ingest/ingest.h"

/* Bounds the memory of a conversion from a pipe by the number of batches. */
#define PIPE_JOBS_MAX 2u
#define JOBS_MAX 64u
#define PROGRESS_BYTES (4u << 20)

struct conversion {
	struct perfdata *pd;
	const struct convert_options *opts;
	struct convert_report *report;
	struct cdict_error *err;
	struct cdict_writer *w;
	struct store *store;
	struct ingest ingest;
	struct formats formats;
	struct kernel_symbols symbols;
	struct account account;
	struct rounds rounds;
	struct buf bad; /* struct cdict_loss of unreadable samples */
	struct span span;
	struct passes passes;
	bool directory; /* records come from several files */
	struct convert_lent lent;
	bool asked;   /* for formats already */
	bool sampled; /* there was a sample */
	ARRAY(bool)
	misfits; /* by event: a sample did not fit the lent format; further ones are left out */
	uint64_t progress_at;
};

/* Unreadable samples are written at the end. */
static int put(void *ctx, struct store_item *item, struct cdict_error *err)
{
	struct conversion *c = ctx;

	if (item->bad.count)
		buf_add(&c->bad, &item->bad, sizeof(item->bad));
	return store_write(c->w, item, err);
}

static const struct store_ops file_ops = { .put = put };

/* Reads a sample whose fields have no fixed offsets, such as after a call chain. */
static int read_sample(const void *ctx, uint32_t event, const uint8_t *record,
		       struct source_sample *out)
{
	const struct conversion *c = ctx;
	bool big = perfdata_big_endian(c->pd);
	struct perfdata_record rec = { .data = record,
				       .size = load16(record + 6, big),
				       .type = PERF_RECORD_SAMPLE,
				       .misc = load16(record + 4, big) };
	struct perfdata_sample s;

	if (perfdata_sample(c->pd, c->formats.events.at[event], &rec, &s) < 0 || !s.raw)
		return CDICT_ECORRUPT;
	*out = (struct source_sample){ s.pid, s.tid, s.raw, s.raw_size };
	return 0;
}

/* Describes the sample of @event in @record, of @size bytes, for opts->beside. */
static struct convert_sample known_as(const struct conversion *c, uint32_t event,
				      const uint8_t *record, uint32_t size)
{
	const struct perfdata_event *ev = c->formats.events.at[event];
	const struct perfdata_sample_layout *l = &ev->layout;
	bool big = perfdata_big_endian(c->pd);
	struct convert_sample s = {
		.t_ns = UINT64_MAX,
		.cpu = CDICT_CPU_UNKNOWN,
		.config = (uint32_t)ev->config,
		.chain = l->sample_type & PERF_SAMPLE_CALLCHAIN,
		.stored = c->formats.source.at[event].type != SOURCE_UNSTORED,
	};

	if (l->time >= 0 && (uint32_t)l->time + 8 <= size)
		s.t_ns = load64(record + l->time, big);
	if (l->cpu >= 0 && (uint32_t)l->cpu + 4 <= size)
		s.cpu = load32(record + l->cpu, big);
	return s;
}

static bool wanted(const struct conversion *c, int event, const struct perfdata_record *rec)
{
	const struct convert_beside *b = c->opts->beside;
	struct convert_sample s;

	if (!b || !b->wanted)
		return true;
	s = known_as(c, (uint32_t)event, rec->data, rec->size);
	return b->wanted(b->ctx, &s);
}

static uint32_t stack_of(const void *ctx, uint32_t event, const uint8_t *record)
{
	const struct conversion *c = ctx;
	const struct convert_beside *b = c->opts->beside;
	uint32_t size = load16(record + 6, perfdata_big_endian(c->pd));
	struct convert_sample s = known_as(c, event, record, size);

	return b->stack(b->ctx, &s);
}

static int start_ingest(struct conversion *c)
{
	bool copy = !perfdata_stable(c->pd);
	unsigned jobs = convert_jobs(c->opts);
	struct encode_options opts = { .schema = c->formats.schema };

	c->ingest.source.big = perfdata_big_endian(c->pd);
	c->ingest.source.copy = copy;
	c->ingest.source.read = read_sample;
	if (c->opts->beside && c->opts->beside->stack)
		c->ingest.source.stack = stack_of;
	c->ingest.source.ctx = c;
	if (copy && jobs > PIPE_JOBS_MAX)
		jobs = PIPE_JOBS_MAX;
	/* One of the jobs is the reader. Borrowed records use no memory while they wait. */
	opts.threads = jobs - 1;
	opts.helps = true;
	opts.depth = copy ? jobs + 1 : 4 * jobs;
	return ingest_start(&c->ingest, &opts, c->err);
}

/* Whether a tracepoint of the recording has no format. */
static bool lacks_formats(const struct perfdata *pd)
{
	for (size_t i = 0; i < perfdata_event_count(pd); i++) {
		const struct perfdata_event *ev = perfdata_event_at(pd, i);

		if (ev->attr_type == PERF_TYPE_TRACEPOINT && !perfdata_format(pd, ev))
			return true;
	}
	return false;
}

static int ask_for_formats(struct conversion *c)
{
	int ret;

	if (!c->opts->lend || c->asked || !lacks_formats(c->pd))
		return 0;
	c->asked = true;
	ret = c->opts->lend(c->opts->lend_ctx, c->pd, &c->lent, c->err);
	if (ret || !c->lent.tracing)
		return ret;
	return perfdata_lend(c->pd, c->lent.tracing) ? cdict_fail_nomem(c->err) : 0;
}

/* Whether to leave the sample out, when lent formats were not checked before: leaves out the first
 * that does not fit, and all later ones of its event. */
static int misfits(struct conversion *c, int event, const struct perfdata_record *rec)
{
	const struct perfdata_event *ev = c->formats.events.at[event];
	const struct cdict_event_type *type = NULL;
	struct perfdata_sample s;

	if ((size_t)event >= c->misfits.n && array_resize(&c->misfits, (size_t)event + 1))
		return cdict_fail_nomem(c->err);
	if (c->misfits.at[event])
		return 1;
	if (lent_type(c->lent.each, ev->config, &type, c->err) < 0)
		return -ENOMEM;
	if (!type || perfdata_sample(c->pd, ev, rec, &s) < 0 || !s.raw ||
	    lent_fits(type, s.raw, s.raw_size, perfdata_big_endian(c->pd)))
		return 0;
	c->misfits.at[event] = true;
	if (!c->lent.left_out[0])
		snprintf(c->lent.left_out, sizeof(c->lent.left_out),
			 "%.80s (id %" PRIu64 ") is left out from a sample of %u bytes on, which "
			 "does not fit its format of %u",
			 type->name, ev->config, s.raw_size, type->payload_size);
	return 1;
}

/* Adds new events: their types, and at first the recording's INFO. */
static int update_formats(struct conversion *c)
{
	int ret = ingest_wait(&c->ingest, c->err);

	if (!ret)
		ret = ask_for_formats(c);
	if (!ret)
		ret = formats_update(&c->formats, c->pd, c->err);
	if (!ret)
		ret = kernel_symbols_update(&c->symbols, c->formats.schema,
					    perfdata_tracing(c->pd)->kallsyms, c->err);
	if (!ret && !span_update(&c->span, &c->formats, &c->symbols))
		ret = cdict_fail_nomem(c->err);
	c->ingest.source.events = c->formats.source.at;
	c->ingest.source.n_events = c->formats.source.n;
	if (ret || c->ingest.encode)
		return ret;
	ret = perfdata_info_write(c->w, c->pd, c->err);
	if (!ret && c->lent.tracing)
		ret = cdict_writer_info(c->w, "formats.source", c->lent.source, c->err);
	if (!ret && perfdata_tracing(c->pd)->printk && formats_need_strings(c->formats.schema))
		ret = cdict_writer_info(c->w, "trace.strings", perfdata_tracing(c->pd)->printk,
					c->err);
	if (!ret)
		ret = cdict_writer_schema(c->w, c->formats.schema, c->err);
	return ret ? ret : start_ingest(c);
}

/* Collects the kernel functions that an event refers to. */
static void look_for_symbols(struct conversion *c, int event, const struct perfdata_record *rec)
{
	struct perfdata_sample s;

	if (!perfdata_sample(c->pd, c->formats.events.at[event], rec, &s) && s.raw)
		kernel_symbols_event(&c->symbols, (uint32_t)c->formats.source.at[event].type, s.raw,
				     s.raw_size);
}

static int sample(struct conversion *c, const struct perfdata_record *rec)
{
	bool big = perfdata_big_endian(c->pd);
	int event = perfdata_event_of(c->pd, rec);
	const struct perfdata_sample_layout *l;
	struct batch_sample s;
	uint32_t cpu;
	bool late;
	int ret;

	c->sampled = true;
	if (!c->ingest.encode || (event >= 0 && (size_t)event >= c->formats.events.n)) {
		ret = update_formats(c);
		if (ret)
			return ret;
	}
	if (event < 0)
		return account_unstored(&c->account, event, 1, c->err);
	l = &c->formats.events.at[event]->layout;
	if (c->formats.source.at[event].type == SOURCE_UNSTORED) {
		if (l->time >= 0 && (uint32_t)l->time + 8 <= rec->size)
			rounds_record(&c->rounds, load64(rec->data + l->time, big));
		return wanted(c, event, rec) ? account_unstored(&c->account, event, 1, c->err) : 0;
	}
	if (c->lent.each) {
		ret = misfits(c, event, rec);
		if (ret)
			return ret < 0 ? ret : account_unstored(&c->account, event, 1, c->err);
	}
	cpu = CDICT_CPU_UNKNOWN;
	if (l->cpu >= 0 && (uint32_t)l->cpu + 4 <= rec->size)
		cpu = load32(rec->data + l->cpu, big);
	if ((uint32_t)l->time + 8 > rec->size ||
	    (l->cpu >= 0 && (uint32_t)l->cpu + 4 > rec->size) ||
	    (cpu != CDICT_CPU_UNKNOWN && cpu >= INGEST_CPUS_MAX)) {
		c->report->bad_samples++;
		return 0;
	}
	s = (struct batch_sample){
		.t_ns = load64(rec->data + l->time, big),
		.record = rec->data,
		.event = (uint32_t)event,
	};
	late = rounds_record(&c->rounds, s.t_ns);
	if (!wanted(c, event, rec))
		return 0;
	if (kernel_symbols_wanted(&c->symbols, (uint32_t)c->formats.source.at[event].type))
		look_for_symbols(c, event, rec);
	s.order = rec->file ? rec->chunk : passes_sample(&c->passes, cpu);
	if (late) {
		struct cdict_late row = { cpu, s.t_ns, c->rounds.done_ns };

		ret = ingest_late(&c->ingest, &row, c->err);
		if (ret)
			return ret;
	}
	return ingest_add(&c->ingest, cpu, &s, rec->size, c->err);
}

static void progress(struct conversion *c)
{
	uint64_t done = perfdata_bytes_read(c->pd);

	if (!c->opts->progress || done < c->progress_at)
		return;
	c->progress_at = done + PROGRESS_BYTES;
	c->opts->progress(c->opts->progress_ctx, done, perfdata_size(c->pd));
}

/* Handles a record that is not a sample. */
static int other(struct conversion *c, const struct perfdata_record *rec)
{
	struct perfdata_sample_id id;

	/* perf reads the files of a directory differently: without rounds. */
	if (rec->type == PERF_RECORD_FINISHED_ROUND) {
		if (!rec->file && !c->directory)
			rounds_finished(&c->rounds);
	} else if (rec->type < PERF_RECORD_USER_TYPE_START) {
		perfdata_sample_id(c->pd, rec, &id);
		if (id.has_time)
			rounds_record(&c->rounds, id.time);
	}
	c->directory |= rec->file != 0;
	return account_record(&c->account, &c->ingest, c->pd, rec, c->err);
}

static int read_records(struct conversion *c)
{
	bool each = c->opts->beside && c->opts->beside->filtered;
	struct perfdata_record rec;
	unsigned n = 0;
	int ret;

	while ((ret = perfdata_next(c->pd, &rec, c->err)) > 0) {
		if (rec.type == PERF_RECORD_SAMPLE)
			ret = sample(c, &rec);
		else
			ret = other(c, &rec);
		if (ret < 0)
			return ret;
		if (!each && !c->lent.each)
			span_walk(&c->span, c->pd, &c->ingest.batcher, &c->rounds, &c->passes);
		if (!(++n & 63))
			progress(c);
	}
	if (ret < 0)
		return ret;
	ret = c->ingest.encode ? 0 : update_formats(c);
	if (!ret)
		ret = ingest_cut(&c->ingest, c->err);
	return ret ? ret : ingest_wait(&c->ingest, c->err);
}

/* Reports that the recording's formats are missing, and no others were found. */
static void say_no_formats(struct conversion *c)
{
	struct convert_report *r = c->report;
	const char *unfinished = perfdata_unfinished(c->pd);

	snprintf(
		r->missing, sizeof(r->missing),
		"has no tracepoint formats%s%s%s: 'cdict convert --formats SOURCE' takes them from "
		"/sys/kernel/tracing/events of its host, from another perf.data or from a cdict of the "
		"same kernel%s%s",
		unfinished ? ", because " : "", unfinished ? unfinished : "",
		unfinished ? " before perf wrote them, at the end" : "", c->lent.why[0] ? "; " : "",
		c->lent.why);
}

/* Reports why nothing was stored, for a user who expects a table. */
static void say_missing(struct conversion *c)
{
	struct convert_report *r = c->report;
	size_t at, n = r->unstored.n < 3 ? r->unstored.n : 3;
	bool switches = c->account.types[PERF_RECORD_SWITCH] ||
			c->account.types[PERF_RECORD_SWITCH_CPU_WIDE];

	if (r->events)
		return;
	if (!perfdata_tracing(c->pd)->present && lacks_formats(c->pd) && c->sampled) {
		say_no_formats(c);
		return;
	}
	if (r->damaged && !c->sampled) {
		snprintf(r->missing, sizeof(r->missing), "no events before the damage");
		return;
	}
	at = (size_t)snprintf(r->missing, sizeof(r->missing), "holds no event of the wanted kind%s",
			      n ? ": it has" : "");
	for (size_t i = 0; i < n && at < sizeof(r->missing); i++)
		at += (size_t)snprintf(r->missing + at, sizeof(r->missing) - at,
				       "%s %" PRIu64 " %s", i ? "," : "", r->unstored.at[i].count,
				       r->unstored.at[i].name);
	if (at < sizeof(r->missing) && switches)
		at += (size_t)snprintf(r->missing + at, sizeof(r->missing) - at,
				       "; context-switch records tell neither why a task stopped "
				       "nor who woke it");
	if (at < sizeof(r->missing))
		snprintf(r->missing + at, sizeof(r->missing) - at,
			 "; record with: perf record -e 'sched:*' -e 'kvm:*' -a");
}

/* Writes the losses that are known only now. */
static int write_losses(struct conversion *c)
{
	struct rows rows = { .losses = c->bad };
	int ret;

	c->bad = (struct buf){ 0 };
	ret = ingest_losses(&c->ingest, &rows, c->err);
	if (!ret)
		ret = rows_write(&rows, c->w, c->err);
	rows_fini(&rows);
	return ret;
}

static int finish(struct conversion *c)
{
	struct convert_report *r = c->report;
	int ret = write_losses(c);

	r->lost = c->ingest.lost;
	r->disordered = c->ingest.disordered;
	r->types = cdict_schema_count(c->formats.schema);
	if (!ret)
		ret = account_close(&c->account, c->w, c->pd,
				    c->lent.left_out[0] ? c->lent.left_out : c->formats.why,
				    &c->ingest, r, c->err);
	if (!ret && c->lent.left_out[0])
		snprintf(r->note, sizeof(r->note), "%s", c->lent.left_out);
	say_missing(c);
	if (!ret)
		ret = kernel_symbols_write(&c->symbols, c->w, c->err);
	for (size_t i = 0; c->opts->labels && i < c->opts->labels->n && !ret; i++)
		ret = cdict_writer_label(c->w, &c->opts->labels->labels[i], c->err);
	if (!ret && c->opts->beside && c->opts->beside->end)
		ret = c->opts->beside->end(c->opts->beside->ctx, c->w, c->pd, c->err);
	if (!ret)
		ret = cdict_writer_finish(c->w, c->err);
	r->bytes_out = cdict_writer_bytes(c->w);
	return ret;
}

unsigned convert_jobs(const struct convert_options *opts)
{
	unsigned jobs = opts->jobs ? opts->jobs : pool_cpus();

	return jobs > JOBS_MAX ? JOBS_MAX : jobs;
}

int convert_run(struct perfdata *pd, const struct convert_options *opts, cdict_write_fn fn,
		void *ctx, struct convert_report *report, struct cdict_error *err)
{
	struct cdict_error none;
	struct conversion c = { .pd = pd, .opts = opts, .report = report, .err = err ? err : &none };
	struct ingest_options in = { 0 };
	int ret;

	*report = (struct convert_report){ 0 };
	formats_init(&c.formats, opts->events, opts->n_events);
	ret = cdict_writer_open(&c.w, fn, ctx, c.err);
	c.store = store_new(&file_ops, &c);
	if (!ret && !c.store)
		ret = cdict_fail_nomem(c.err);
	in.store = c.store;
	in.writer = c.w;
	ingest_init(&c.ingest, &in);
	if (!ret) {
		format_writer_hold(c.w);
		ret = read_records(&c);
	}
	if (!ret)
		ret = finish(&c);
	ingest_fini(&c.ingest);
	store_free(c.store);
	cdict_writer_close(c.w);
	buf_fini(&c.bad);
	account_fini(&c.account);
	formats_fini(&c.formats);
	kernel_symbols_fini(&c.symbols);
	span_fini(&c.span);
	array_fini(&c.misfits);
	return ret;
}

void convert_report_fini(struct convert_report *report)
{
	for (size_t i = 0; i < report->unstored.n; i++)
		free(report->unstored.at[i].name);
	array_fini(&report->unstored);
}

int convert_unstored_add(struct convert_report *report, const char *name, uint64_t count,
			 struct cdict_error *err)
{
	struct convert_unstored *row = count ? array_add(&report->unstored) : NULL;

	if (!count)
		return 0;
	if (!row)
		return cdict_fail_nomem(err);
	row->count = count;
	row->name = strdup(name);
	return row->name ? 0 : cdict_fail_nomem(err);
}

static int by_count(const void *a, const void *b)
{
	const struct convert_unstored *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name, y->name);
}

int convert_unstored_write(struct convert_report *report, struct cdict_writer *w,
			   struct cdict_error *err)
{
	const struct convert_unstored *all = report->unstored.at;
	int ret = 0;

	if (report->unstored.n)
		qsort(report->unstored.at, report->unstored.n, sizeof(*all), by_count);
	for (size_t i = 0; i < report->unstored.n && !ret; i++)
		ret = cdict_writer_unstored(w, all[i].name, all[i].count, err);
	return ret;
}
