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
#include "convert/import.h"
#include "convert/sampled.h"
#include "convert/span.h"

/* Bounds the memory of a conversion from a pipe by the number of batches. */
#define PIPE_JOBS_MAX 2u
#define JOBS_MAX 64u
#define PROGRESS_BYTES (4u << 20)
#define RECORD_WITH "record with: perf record -e 'sched:*' -e 'kvm:*' -a"

struct conversion {
	struct perfdata *pd;
	struct import in;
	struct formats formats;
	struct kernel_symbols symbols;
	struct account account;
	struct rounds rounds;
	struct span span;
	struct passes passes;
	bool directory; /* records come from several files */
	struct convert_lent lent;
	struct perf_stacks *stacks; /* NULL: none are stored */
	bool surveyed;              /* it has the mappings of the whole recording */
	struct perfdata_cgroups cgroups;
	bool asked;   /* for formats already */
	bool sampled; /* there was a sample */
	ARRAY(bool)
	misfits; /* by event: a sample did not fit the lent format; further ones are left out */
	uint64_t progress_at;
};

/* Reads a sample whose fields have no fixed offsets, such as after a call chain. */
static int read_sample(const void *ctx, uint32_t event, const uint8_t *record,
		       struct source_sample *out)
{
	const struct conversion *c = ctx;
	const struct perfdata_event *ev = c->formats.events.at[event];
	const struct perfdata_sample_layout *l = &ev->layout;
	bool big = perfdata_big_endian(c->pd);
	struct perfdata_record rec = { .data = record,
				       .size = load16(record + 6, big),
				       .type = PERF_RECORD_SAMPLE,
				       .misc = load16(record + 4, big) };
	struct perfdata_sample s;

	if (perfdata_sample(c->pd, ev, &rec, &s) < 0)
		return CDICT_ECORRUPT;
	out->pid = s.pid;
	out->tid = s.tid;
	out->raw = s.raw;
	out->raw_size = s.raw_size;
	if (ev->attr_type != PERF_TYPE_TRACEPOINT)
		sampled_payload(out, load64(record + l->ip, big),
				l->period < 0 ? ev->period : load64(record + l->period, big),
				cdict_schema_big_endian(c->formats.schema));
	return out->raw ? 0 : CDICT_ECORRUPT;
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
	const struct convert_beside *b = c->in.opts->beside;
	struct convert_sample s;

	if (!b || !b->wanted)
		return true;
	s = known_as(c, (uint32_t)event, rec->data, rec->size);
	return b->wanted(b->ctx, &s);
}

static uint32_t stack_of(const void *ctx, uint32_t event, const uint8_t *record)
{
	const struct conversion *c = ctx;
	const struct convert_beside *b = c->in.opts->beside;
	uint32_t size = load16(record + 6, perfdata_big_endian(c->pd));
	struct convert_sample s = known_as(c, event, record, size);

	return b->stack(b->ctx, &s);
}

/* Reads a sample's stack, of its own chain. */
static uint32_t own_stack_of(const void *ctx, uint32_t event, const uint8_t *record)
{
	const struct conversion *c = ctx;
	bool big = perfdata_big_endian(c->pd);
	struct perfdata_record rec = { .data = record,
				       .size = load16(record + 6, big),
				       .type = PERF_RECORD_SAMPLE,
				       .misc = load16(record + 4, big) };

	return perf_stacks_find(c->stacks, c->formats.events.at[event], &rec);
}

/* Whether samples that may come have stacks. */
static bool wants_stacks(const struct conversion *c)
{
	if (!c->in.opts->stacks || c->in.opts->beside)
		return false;
	for (size_t i = 0; i < perfdata_event_count(c->pd); i++)
		if (perf_stacks_wanted(perfdata_event_at(c->pd, i)) &&
		    (i >= c->formats.source.n || c->formats.source.at[i].type != SOURCE_UNSTORED))
			return true;
	return false;
}

static int start_stacks(struct conversion *c)
{
	int ret = 0;

	if (!c->stacks && wants_stacks(c))
		ret = perf_stacks_new(&c->stacks, c->pd, c->in.opts->stacks, c->in.err);
	if (ret || !c->stacks)
		return ret;
	ret = perf_stacks_survey(c->stacks, c->in.err);
	c->surveyed = ret > 0;
	c->in.ingest.source.stack = own_stack_of;
	return ret < 0 ? ret : 0;
}

static int start_ingest(struct conversion *c)
{
	bool copy = !perfdata_stable(c->pd);
	unsigned jobs = convert_jobs(c->in.opts);
	struct encode_options opts = { .schema = c->formats.schema };
	int ret;

	c->in.ingest.source.big = perfdata_big_endian(c->pd);
	c->in.ingest.source.copy = copy;
	c->in.ingest.source.read = read_sample;
	if (c->in.opts->beside && c->in.opts->beside->stack)
		c->in.ingest.source.stack = stack_of;
	c->in.ingest.source.ctx = c;
	if (copy && jobs > PIPE_JOBS_MAX)
		jobs = PIPE_JOBS_MAX;
	/* One of the jobs is the reader. Borrowed records use no memory while they wait. */
	opts.threads = jobs - 1;
	opts.helps = true;
	opts.depth = copy ? jobs + 1 : 4 * jobs;
	ret = start_stacks(c);
	if (ret)
		return ret;
	/* Stacks are numbered in the order of the blocks; mappings must not overtake samples. */
	if (c->stacks && opts.threads) {
		opts.threads = c->surveyed;
		opts.helps = !opts.threads;
	}
	return ingest_start(&c->in.ingest, &opts, c->in.err);
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

	if (!c->in.opts->lend || c->asked || !lacks_formats(c->pd))
		return 0;
	c->asked = true;
	ret = c->in.opts->lend(c->in.opts->lend_ctx, c->pd, &c->lent, c->in.err);
	if (ret || !c->lent.tracing)
		return ret;
	return perfdata_lend(c->pd, c->lent.tracing) ? cdict_fail_nomem(c->in.err) : 0;
}

/* Whether to leave the sample out, when lent formats were not checked before: leaves out the first
 * that does not fit, and all later ones of its event. */
static int misfits(struct conversion *c, int event, const struct perfdata_record *rec)
{
	const struct perfdata_event *ev = c->formats.events.at[event];
	const struct cdict_event_type *type = NULL;
	struct perfdata_sample s;

	if ((size_t)event >= c->misfits.n && array_resize(&c->misfits, (size_t)event + 1))
		return cdict_fail_nomem(c->in.err);
	if (c->misfits.at[event])
		return 1;
	if (ev->attr_type != PERF_TYPE_TRACEPOINT)
		return 0;
	if (lent_type(c->lent.each, ev->config, &type, c->in.err) < 0)
		return -ENOMEM;
	if (!type || perfdata_sample(c->pd, ev, rec, &s) < 0 || !s.raw ||
	    lent_fits(type, s.raw, s.raw_size, perfdata_big_endian(c->pd)))
		return 0;
	c->misfits.at[event] = true;
	if (!c->lent.left_out[0])
		snprintf(
			c->lent.left_out, sizeof(c->lent.left_out),
			"%.80s (id %" PRIu64
			") is left out from the first sample of %u bytes on: its format has %u bytes",
			type->name, ev->config, s.raw_size, type->payload_size);
	return 1;
}

/* Adds new events: their types, and at first the recording's INFO. */
static int update_formats(struct conversion *c)
{
	int ret = ingest_wait(&c->in.ingest, c->in.err);

	if (!ret)
		ret = ask_for_formats(c);
	if (!ret)
		ret = formats_update(&c->formats, c->pd, c->in.err);
	if (!ret)
		ret = kernel_symbols_update(&c->symbols, c->formats.schema,
					    perfdata_tracing(c->pd)->kallsyms, c->in.err);
	if (!ret && !span_update(&c->span, &c->formats, &c->symbols))
		ret = cdict_fail_nomem(c->in.err);
	c->in.ingest.source.events = c->formats.source.at;
	c->in.ingest.source.n_events = c->formats.source.n;
	if (ret || c->in.ingest.encode)
		return ret;
	ret = perfdata_info_write(c->in.w, c->pd, c->in.err);
	if (!ret && c->lent.tracing)
		ret = cdict_writer_info(c->in.w, "formats.source", c->lent.source, c->in.err);
	if (!ret && perfdata_tracing(c->pd)->printk && formats_need_strings(c->formats.schema))
		ret = cdict_writer_info(c->in.w, "trace.strings", perfdata_tracing(c->pd)->printk,
					c->in.err);
	if (!ret)
		ret = cdict_writer_schema(c->in.w, c->formats.schema, c->in.err);
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
	if (!c->in.ingest.encode || (event >= 0 && (size_t)event >= c->formats.events.n)) {
		ret = update_formats(c);
		if (ret)
			return ret;
	}
	if (event < 0)
		return account_unstored(&c->account, event, 1, c->in.err);
	l = &c->formats.events.at[event]->layout;
	if (c->formats.source.at[event].type == SOURCE_UNSTORED) {
		if (l->time >= 0 && (uint32_t)l->time + 8 <= rec->size)
			rounds_record(&c->rounds, load64(rec->data + l->time, big));
		return wanted(c, event, rec) ? account_unstored(&c->account, event, 1, c->in.err)
					     : 0;
	}
	if (c->lent.each) {
		ret = misfits(c, event, rec);
		if (ret)
			return ret < 0 ? ret : account_unstored(&c->account, event, 1, c->in.err);
	}
	cpu = CDICT_CPU_UNKNOWN;
	if (l->cpu >= 0 && (uint32_t)l->cpu + 4 <= rec->size)
		cpu = load32(rec->data + l->cpu, big);
	if ((uint32_t)l->time + 8 > rec->size ||
	    (l->cpu >= 0 && (uint32_t)l->cpu + 4 > rec->size) ||
	    (cpu != CDICT_CPU_UNKNOWN && cpu >= INGEST_CPUS_MAX)) {
		c->in.report->bad_samples++;
		return 0;
	}
	if (l->sample_type & PERFDATA_SAMPLE_CGROUP &&
	    perfdata_cgroups_sample(&c->cgroups, l, rec->data, rec->size, big))
		return cdict_fail_nomem(c->in.err);
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

		ret = ingest_late(&c->in.ingest, &row, c->in.err);
		if (ret)
			return ret;
	}
	return ingest_add(&c->in.ingest, cpu, &s, rec->size, c->in.err);
}

static void progress(struct conversion *c)
{
	uint64_t done = perfdata_bytes_read(c->pd);

	if (!c->in.opts->progress || done < c->progress_at)
		return;
	c->progress_at = done + PROGRESS_BYTES;
	c->in.opts->progress(c->in.opts->progress_ctx, done, perfdata_size(c->pd));
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
	if (!c->in.ingest.encode && !c->stacks && !perfdata_in_memory(c->pd) && wants_stacks(c) &&
	    perf_stacks_new(&c->stacks, c->pd, c->in.opts->stacks, c->in.err))
		return -ENOMEM;
	if (c->stacks && !c->surveyed)
		perf_stacks_record(c->stacks, rec);
	if (rec->type == PERFDATA_RECORD_CGROUP &&
	    perfdata_cgroups_record(&c->cgroups, rec, perfdata_big_endian(c->pd)))
		return cdict_fail_nomem(c->in.err);
	return account_record(&c->account, &c->in.ingest, c->pd, rec, c->in.err);
}

static int read_records(struct conversion *c)
{
	bool each = c->in.opts->beside && c->in.opts->beside->filtered;
	struct perfdata_record rec;
	unsigned n = 0;
	int ret;

	while ((ret = perfdata_next(c->pd, &rec, c->in.err)) > 0) {
		if (rec.type == PERF_RECORD_SAMPLE)
			ret = sample(c, &rec);
		else
			ret = other(c, &rec);
		if (ret < 0)
			return ret;
		if (!each && !c->lent.each)
			span_walk(&c->span, c->pd, &c->in.ingest.batcher, &c->rounds, &c->passes);
		if (!(++n & 63))
			progress(c);
	}
	if (ret < 0)
		return ret;
	return c->in.ingest.encode ? 0 : update_formats(c);
}

/* Reports that the recording's formats are missing, and no others were found. */
static void say_no_formats(struct conversion *c)
{
	struct convert_report *r = c->in.report;
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
	struct convert_report *r = c->in.report;
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
	import_missing(
		r, switches ? "context-switch records show neither why a task stopped nor which "
			      "task woke it; " RECORD_WITH
			    : RECORD_WITH);
}

static int write_stacks(struct conversion *c)
{
	const char *why;
	int ret = perf_stacks_write(c->stacks, c->in.w, &why, c->in.err);

	if (!ret && *why && !c->in.report->note[0])
		snprintf(c->in.report->note, sizeof(c->in.report->note), "%s", why);
	return ret;
}

static int finish(struct conversion *c)
{
	const struct convert_beside *beside = c->in.opts->beside;
	int ret = import_settle(&c->in, c->formats.schema);

	if (!ret)
		ret = account_close(&c->account, c->in.w, c->pd,
				    c->lent.left_out[0] ? c->lent.left_out : c->formats.why,
				    &c->in.ingest, c->in.report, c->in.err);
	if (!ret && c->lent.left_out[0])
		snprintf(c->in.report->note, sizeof(c->in.report->note), "%s", c->lent.left_out);
	say_missing(c);
	if (!ret)
		ret = kernel_symbols_write(&c->symbols, c->in.w, c->in.err);
	if (!ret)
		ret = import_cgroups(&c->in, &c->cgroups);
	if (!ret)
		ret = import_labels(&c->in);
	if (!ret && c->stacks)
		ret = write_stacks(c);
	if (!ret && beside && beside->end)
		ret = beside->end(beside->ctx, c->in.w, c->pd, c->in.err);
	return ret ? ret : import_end(&c->in);
}

unsigned convert_jobs(const struct convert_options *opts)
{
	unsigned jobs = opts->jobs ? opts->jobs : pool_cpus();

	return jobs > JOBS_MAX ? JOBS_MAX : jobs;
}

int convert_run(struct perfdata *pd, const struct convert_options *opts, cdict_write_fn fn,
		void *ctx, struct convert_report *report, struct cdict_error *err)
{
	struct conversion c = { .pd = pd };
	int ret = import_open(&c.in, opts, fn, ctx, report, err);

	formats_init(&c.formats, opts->events, opts->n_events);
	if (!ret)
		ret = read_records(&c);
	if (!ret)
		ret = finish(&c);
	import_close(&c.in);
	perf_stacks_free(c.stacks);
	account_fini(&c.account);
	perfdata_cgroups_fini(&c.cgroups);
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
