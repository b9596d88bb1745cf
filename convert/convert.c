/* SPDX-License-Identifier: GPL-2.0-only */
/* The way of the records: read, routed to CPUs, cut, encoded, written. */
#include "convert/convert.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <perf/event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "convert/about.h"
#include "convert/account.h"
#include "convert/encode.h"
#include "convert/plain.h"
#include "format/writer.h"

/* Memory of a conversion from a pipe is bounded: so is the number of batches there. */
#define PIPE_JOBS_MAX 2u
#define PROGRESS_BYTES (4u << 20)

struct conversion {
	struct perfdata *pd;
	const struct convert_options *opts;
	struct convert_report *report;
	struct cdict_error *err;
	struct cdict_writer *w;
	struct formats formats;
	struct pending pending;
	struct batch_spares spares;
	struct account account;
	struct encode *encode;
	struct rounds rounds;
	struct buf bad; /* struct cdict_loss of samples that could not be read */
	size_t bad_formats;
	char bad_format[256];
	struct plain plain;
	struct passes passes;
	bool directory; /* records come from several files */
	uint64_t progress_at;
};

static int no_memory(struct conversion *c)
{
	return cdict_fail(c->err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
}

/* Writes one block that is done; 0 when there is none, 1 when there was. */
static int take_block(struct conversion *c, bool wait)
{
	struct convert_report *r = c->report;
	struct encode_block b;
	int ret = 0;

	if (!encode_take(c->encode, wait, &b))
		return 0;
	if (b.failed)
		ret = no_memory(c);
	if (!ret)
		ret = format_writer_put_rows(c->w, &b.rows, c->err);
	for (size_t i = 0, at = 0; i < b.n_parts && !ret; at += b.parts[i++].size) {
		const struct format_block *info = &b.parts[i].info;

		ret = format_writer_put(c->w, b.payload.data + at, b.parts[i].size, info, c->err);
		if (!r->events || info->first_ns < r->first_ns)
			r->first_ns = info->first_ns;
		if (info->last_ns > r->last_ns)
			r->last_ns = info->last_ns;
		r->events += info->events;
	}
	if (!ret && b.bad) {
		struct cdict_loss loss = { CDICT_LOSS_DAMAGE, b.cpu,         CDICT_TYPE_ANY,
					   b.bad_first_ns,    b.bad_last_ns, b.bad };

		r->bad_samples += b.bad;
		buf_add(&c->bad, &loss, sizeof(loss));
		ret = c->bad.failed ? no_memory(c) : 0;
	}
	buf_fini(&b.rows);
	free(b.parts);
	buf_fini(&b.payload);
	return ret < 0 ? ret : 1;
}

static int drain(struct conversion *c)
{
	int ret = 0;

	while (c->encode && !encode_idle(c->encode) && ret >= 0)
		ret = take_block(c, true);
	return ret < 0 ? ret : 0;
}

static int cut(struct conversion *c, struct pending_cpu *cpu, bool last)
{
	struct buf rows = { 0 };
	struct batch *b;
	bool oom;
	int ret;

	b = pending_cut(&c->pending, cpu, last, &oom);
	if (!b)
		return oom ? no_memory(c) : 0;
	ret = format_writer_take_rows(c->w, &rows, c->err);
	while (ret >= 0 && !encode_give(c->encode, b, &rows))
		ret = take_block(c, true);
	if (ret < 0) {
		batch_free(b);
		buf_fini(&rows);
	}
	return ret < 0 ? ret : 0;
}

/* Events that came since: their types, and what the recording says of itself. */
static int update_formats(struct conversion *c)
{
	int ret = drain(c);
	bool first = !c->encode;
	unsigned jobs = c->opts->jobs;

	if (ret)
		return ret;
	ret = formats_update(&c->formats, c->pd, &c->bad_formats, c->bad_format,
			     sizeof(c->bad_format), c->err);
	if (!ret && !plain_update(&c->plain, &c->formats))
		ret = no_memory(c);
	if (ret || !first)
		return ret;
	ret = about_write(c->w, c->pd, c->err);
	if (!ret && perfdata_tracing(c->pd)->printk && formats_need_strings(c->formats.schema))
		ret = cdict_writer_info(c->w, "trace.strings", perfdata_tracing(c->pd)->printk,
					c->err);
	if (!ret)
		ret = cdict_writer_schema(c->w, c->formats.schema, c->err);
	if (ret)
		return ret;
	if (!jobs)
		jobs = (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	if (jobs > 64)
		jobs = 64;
	c->pending.copy = !perfdata_stable(c->pd);
	c->pending.swap = perfdata_big_endian(c->pd) != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	if (c->pending.copy && jobs > PIPE_JOBS_MAX)
		jobs = PIPE_JOBS_MAX;
	jobs = jobs ? jobs : 1;
	/* Borrowed records cost nothing while they wait. */
	c->encode = encode_new(jobs, c->pending.copy ? jobs + 1 : 4 * jobs, c->pd, &c->formats,
			       &c->spares);
	return c->encode ? 0 : no_memory(c);
}

static int sample(struct conversion *c, const struct perfdata_record *rec)
{
	bool big = perfdata_big_endian(c->pd);
	int event = perfdata_event_of(c->pd, rec);
	const struct perfdata_sample_layout *l;
	struct pending_sample s;
	struct pending_cpu *p;
	uint32_t cpu;
	int ret;

	if (!c->encode || (event >= 0 && (size_t)event >= c->formats.n)) {
		ret = update_formats(c);
		if (ret)
			return ret;
	}
	if (event < 0)
		return account_unstored(&c->account, event) ? 0 : no_memory(c);
	l = &c->formats.events[event]->layout;
	if (c->formats.type_of[event] == FORMATS_UNSTORED) {
		if (l->time >= 0 && (uint32_t)l->time + 8 <= rec->size)
			rounds_record(&c->rounds, load64(rec->data + l->time, big));
		return account_unstored(&c->account, event) ? 0 : no_memory(c);
	}
	if ((uint32_t)l->time + 8 > rec->size ||
	    (l->cpu >= 0 && (uint32_t)l->cpu + 4 > rec->size)) {
		c->report->bad_samples++;
		return 0;
	}
	cpu = l->cpu >= 0 ? load32(rec->data + l->cpu, big) : CDICT_CPU_UNKNOWN;
	if (cpu != CDICT_CPU_UNKNOWN && cpu >= PENDING_MAX_CPUS) {
		c->report->bad_samples++;
		return 0;
	}
	s = (struct pending_sample){
		.t_ns = load64(rec->data + l->time, big),
		.record = rec->data,
		.event = (uint32_t)event,
		.order = rec->file ? rec->chunk : passes_sample(&c->passes, cpu),
	};
	if (rounds_record(&c->rounds, s.t_ns)) {
		struct cdict_late late = { cpu, s.t_ns, c->rounds.done_ns };

		ret = cdict_writer_late(c->w, &late, c->err);
		if (ret)
			return ret;
	}
	p = pending_cpu(&c->pending, cpu);
	if (!p || !pending_add(&c->pending, p, cpu, &s, rec->size))
		return no_memory(c);
	while ((p = pending_ready(&c->pending, pending_cpu(&c->pending, cpu)))) {
		ret = cut(c, p, false);
		if (ret)
			return ret;
	}
	return 0;
}

static void progress(struct conversion *c)
{
	uint64_t done = perfdata_bytes_read(c->pd);

	if (!c->opts->progress || done < c->progress_at)
		return;
	c->progress_at = done + PROGRESS_BYTES;
	c->opts->progress(c->opts->progress_ctx, done, perfdata_size(c->pd));
}

/* A record that is no sample. */
static int other(struct conversion *c, const struct perfdata_record *rec)
{
	struct perfdata_sample_id id;

	/* A directory's files are read otherwise: without rounds. */
	if (rec->type == PERF_RECORD_FINISHED_ROUND) {
		if (!rec->file && !c->directory)
			rounds_finished(&c->rounds);
	} else if (rec->type < PERF_RECORD_USER_TYPE_START) {
		perfdata_sample_id(c->pd, rec, &id);
		if (id.has_time)
			rounds_record(&c->rounds, id.time);
	}
	c->directory |= rec->file != 0;
	return account_record(&c->account, c->w, c->pd, rec, &c->pending, c->err);
}

static int read_records(struct conversion *c)
{
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
		plain_walk(&c->plain, c->pd, &c->pending, &c->rounds, &c->passes);
		if (!(++n & 63))
			progress(c);
	}
	if (ret < 0)
		return ret;
	if (!c->encode) {
		ret = update_formats(c);
		if (ret)
			return ret;
	}
	for (size_t i = 0; i < c->pending.n; i++)
		while (c->pending.cpus[i].batch) {
			ret = cut(c, &c->pending.cpus[i], true);
			if (ret)
				return ret;
		}
	return drain(c);
}

static void say_damage(struct conversion *c)
{
	const struct perfdata_damage *d = perfdata_damage(c->pd);
	struct convert_report *r = c->report;

	if (d->first[0])
		snprintf(r->damage, sizeof(r->damage), "%s", d->first);
	else if (c->bad_formats)
		snprintf(r->damage, sizeof(r->damage), "%s", c->bad_format);
	else if (r->bad_samples)
		snprintf(r->damage, sizeof(r->damage),
			 "%" PRIu64 " samples are shorter than their fields", r->bad_samples);
	else if (c->account.strange)
		snprintf(r->damage, sizeof(r->damage),
			 "%" PRIu64 " records are of a type that perf does not write: %u",
			 c->account.strange, c->account.strange_type);
	else if (c->account.orphans)
		snprintf(r->damage, sizeof(r->damage),
			 "%" PRIu64 " samples belong to no event that the file names",
			 c->account.orphans);
	r->damaged = r->damage[0];
}

/* Why nothing was stored, for somebody who expected a table. */
static void say_missing(struct conversion *c)
{
	struct convert_report *r = c->report;
	size_t at, n = r->n_unstored < 3 ? r->n_unstored : 3;
	bool switches = c->account.types[PERF_RECORD_SWITCH] ||
			c->account.types[PERF_RECORD_SWITCH_CPU_WIDE];

	if (r->events)
		return;
	at = (size_t)snprintf(r->missing, sizeof(r->missing), "holds no event of the wanted kind%s",
			      n ? ": it has" : "");
	for (size_t i = 0; i < n && at < sizeof(r->missing); i++)
		at += (size_t)snprintf(r->missing + at, sizeof(r->missing) - at,
				       "%s %" PRIu64 " %s", i ? "," : "", r->unstored[i].count,
				       r->unstored[i].name);
	if (at < sizeof(r->missing) && switches)
		at += (size_t)snprintf(r->missing + at, sizeof(r->missing) - at,
				       "; context-switch records tell neither why a task stopped "
				       "nor who woke it");
	if (at < sizeof(r->missing))
		snprintf(r->missing + at, sizeof(r->missing) - at,
			 "; record with: perf record -e 'sched:*' -e 'kvm:*' -a");
}

static int finish(struct conversion *c)
{
	struct convert_report *r = c->report;
	char number[24];
	int ret;

	for (size_t at = 0; at < c->bad.len; at += sizeof(struct cdict_loss)) {
		ret = cdict_writer_loss(c->w, (const struct cdict_loss *)(c->bad.data + at),
					c->err);
		if (ret)
			return ret;
	}
	ret = account_finish(&c->account, c->w, c->pd, &c->pending, r, c->err);
	if (ret)
		return ret;
	r->types = cdict_schema_count(c->formats.schema);
	r->bytes_in = perfdata_bytes_read(c->pd);
	say_damage(c);
	say_missing(c);
	snprintf(number, sizeof(number), "%" PRIu64, r->bytes_in);
	ret = cdict_writer_info(c->w, "input.bytes", number, c->err);
	if (!ret)
		ret = cdict_writer_info(c->w, "input.mode",
					perfdata_pipe_mode(c->pd) ? "pipe" : "file", c->err);
	if (!ret && r->damaged)
		ret = cdict_writer_info(c->w, "input.damage", r->damage, c->err);
	for (size_t i = 0; c->opts->labels && i < c->opts->labels->n && !ret; i++)
		ret = cdict_writer_label(c->w, &c->opts->labels->labels[i], c->err);
	if (!ret)
		ret = cdict_writer_finish(c->w, c->err);
	r->bytes_out = cdict_writer_bytes(c->w);
	return ret;
}

int convert_run(struct perfdata *pd, const struct convert_options *opts, cdict_write_fn fn,
		void *ctx, struct convert_report *report, struct cdict_error *err)
{
	struct cdict_error none;
	struct conversion c = { .pd = pd, .opts = opts, .report = report, .err = err ? err : &none };
	int ret;

	*report = (struct convert_report){ 0 };
	pthread_mutex_init(&c.spares.lock, NULL);
	c.pending.spares = &c.spares;
	formats_init(&c.formats, opts->events, opts->n_events);
	ret = cdict_writer_open(&c.w, fn, ctx, c.err);
	if (!ret) {
		format_writer_hold(c.w);
		ret = read_records(&c);
	}
	if (!ret)
		ret = finish(&c);
	encode_free(c.encode);
	cdict_writer_close(c.w);
	pending_fini(&c.pending);
	buf_fini(&c.bad);
	while (c.spares.n)
		batch_free(c.spares.batches[--c.spares.n]);
	pthread_mutex_destroy(&c.spares.lock);
	account_fini(&c.account);
	formats_fini(&c.formats);
	plain_fini(&c.plain);
	return ret;
}

void convert_report_fini(struct convert_report *report)
{
	for (size_t i = 0; i < report->n_unstored; i++)
		free(report->unstored[i].name);
	free(report->unstored);
	report->unstored = NULL;
	report->n_unstored = 0;
}
