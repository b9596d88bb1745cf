/* SPDX-License-Identifier: GPL-2.0-only */
/* Passes samples and rows to the store. */
#include "convert/ingest/ingest.h"

#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "base/saturate.h"

int ingest_no_memory(struct ingest *in, struct cdict_error *err)
{
	in->out_of_memory = true;
	return cdict_fail_nomem(err);
}

void ingest_init(struct ingest *in, const struct ingest_options *opts)
{
	*in = (struct ingest){ .opts = *opts, .gives = 1 };
	pthread_mutex_init(&in->spares.lock, NULL);
	in->batcher.spares = &in->spares;
}

void ingest_fini(struct ingest *in)
{
	encode_free(in->encode);
	batcher_fini(&in->batcher);
	while (in->spares.n)
		batch_free(in->spares.batches[--in->spares.n]);
	pthread_mutex_destroy(&in->spares.lock);
	rows_fini(&in->rows);
}

int ingest_start(struct ingest *in, struct encode_options *opts, struct cdict_error *err)
{
	in->batcher.copy = in->source.copy;
	in->batcher.swap = in->source.big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	opts->source = &in->source;
	opts->spares = &in->spares;
	opts->store = in->opts.store;
	return encode_new(&in->encode, opts, err);
}

/* --- samples --- */

/* Passes @b to the encoder, with the pending rows. */
static int give_batch(struct ingest *in, struct batch *b, struct cdict_error *err)
{
	int ret;

	in->gives++;
	ret = encode_give(in->encode, b, &in->rows);
	if (!ret || in->opts.queue_bytes)
		return 0;
	store_failed(in->opts.store, err);
	return ret;
}

static bool fits(struct ingest *in, const struct batch *b)
{
	size_t limit = in->opts.queue_bytes, bytes = encode_bytes(in->encode);

	return !bytes || (bytes <= limit && batch_memory(b) <= limit - bytes);
}

static void drop_batch(struct ingest *in, struct batcher_cpu *c, struct batch *b)
{
	struct cdict_loss loss = {
		.what = CDICT_LOSS_RING,
		.cpu = b->cpu,
		.type = CDICT_TYPE_ANY,
		.from_ns = b->samples[0].t_ns,
		.to_ns = b->samples[b->n - 1].t_ns,
		.count = b->n,
	};

	if (c->dropped_gives == in->gives && c->dropped_row < rows_losses(&in->rows)) {
		/* Merge consecutive drops into one loss, however long the disk stalls. */
		struct cdict_loss *last = rows_loss(&in->rows, c->dropped_row);

		last->to_ns = loss.to_ns;
		saturated_add(&last->count, loss.count);
	} else {
		c->dropped_gives = in->gives;
		c->dropped_row = rows_losses(&in->rows);
		rows_add_loss(&in->rows, &loss);
	}
	in->dropped += b->n;
	batch_done(&in->spares, b);
}

/* Notes the task that leaves with the CPU's first switch: the sample is of the task that is switched out. */
static void see_switch(const struct ingest *in, struct batcher_cpu *c, const struct batch *b)
{
	const struct cdict_event_type *type =
		cdict_schema_find(encode_schema(in->encode), "sched:sched_switch");

	for (size_t i = 0; type && i < b->n && !c->left; i++) {
		if (in->source.events[b->samples[i].event].type != (int32_t)type->index)
			continue;
		c->left_tid = encode_tid(in->encode, &b->samples[i]);
		c->left = true;
	}
}

/* 1: cut a batch of @c; 0: nothing to cut. @must: do not drop it. */
static int cut_batch(struct ingest *in, struct batcher_cpu *c, bool all, bool must,
		     struct cdict_error *err)
{
	bool oom;
	struct batch *b = batcher_cut(&in->batcher, c, all, &oom);
	int ret;

	if (!b)
		return oom ? ingest_no_memory(in, err) : 0;
	if (!c->begun && b->cpu != CDICT_CPU_UNKNOWN) {
		c->begun = true;
		c->first_ns = b->samples[0].t_ns;
		c->first_tid = encode_tid(in->encode, &b->samples[0]);
	}
	if (!c->left && b->cpu != CDICT_CPU_UNKNOWN && c->first_tid > 0)
		see_switch(in, c, b);
	if (in->opts.queue_bytes && !must && !fits(in, b)) {
		drop_batch(in, c, b);
		return 1;
	}
	ret = give_batch(in, b, err);
	return ret ? ret : 1;
}

int ingest_cut_ready(struct ingest *in, uint32_t cpu, struct cdict_error *err)
{
	struct batcher_cpu *c = batcher_cpu(&in->batcher, cpu), *ready;
	int ret = 1;

	while (c && ret > 0 && (ready = batcher_ready(&in->batcher, c)))
		ret = cut_batch(in, ready, false, false, err);
	return ret < 0 ? ret : 0;
}

int ingest_cut(struct ingest *in, struct cdict_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < in->batcher.n && ret >= 0; i++)
		while (in->batcher.cpus[i].batch &&
		       (ret = cut_batch(in, &in->batcher.cpus[i], true, true, err)) > 0)
			;
	if (ret >= 0 && !rows_empty(&in->rows))
		ret = give_batch(in, NULL, err);
	return ret < 0 ? ret : 0;
}

void ingest_age(struct ingest *in)
{
	for (size_t i = 0; i < in->batcher.n; i++) {
		struct batcher_cpu *c = &in->batcher.cpus[i];
		bool recent = c->cut;

		while (!recent && c->batch && cut_batch(in, c, true, false, NULL) > 0)
			;
		c->cut = false;
	}
	/* Without new events, no batch would carry the rows. */
	if (!rows_empty(&in->rows))
		give_batch(in, NULL, NULL);
}

int ingest_wait(struct ingest *in, struct cdict_error *err)
{
	if (in->encode)
		encode_wait(in->encode);
	return store_failed(in->opts.store, err);
}

/* A recorder on its way stood on this CPU when it was switched on, and left it. */
static bool passed_by(const struct batcher_cpu *c)
{
	return c->begun && c->left && c->first_tid > 0 && c->left_tid == c->first_tid;
}

uint64_t ingest_begins(const struct ingest *in, const struct scope *scope)
{
	const struct batcher_cpu *cpus = in->batcher.cpus;
	uint64_t first_ns = UINT64_MAX, begins_ns = 0;

	/* If some switches of a task were not recorded, it may appear on any CPU. */
	if (scope->kind == SCOPE_TASKS || scope->filtered || scope->overwritten || !in->encode ||
	    !cdict_schema_find(encode_schema(in->encode), "sched:sched_switch"))
		return 0;
	for (size_t i = 0; i < in->batcher.n; i++) {
		if (!cpus[i].begun)
			continue;
		if (cpus[i].first_ns < first_ns)
			first_ns = cpus[i].first_ns;
		if (!passed_by(&cpus[i]))
			continue;
		/* perf goes by the numbers of the CPUs */
		for (size_t k = 0; k < i; k++)
			if (passed_by(&cpus[k]) && cpus[i].first_tid == cpus[k].first_tid &&
			    cpus[i].first_ns > cpus[k].first_ns && cpus[i].first_ns > begins_ns)
				begins_ns = cpus[i].first_ns;
	}
	return begins_ns > first_ns ? begins_ns : 0;
}

/* --- rows --- */

static int write_pending_rows(struct ingest *in, struct cdict_error *err)
{
	int ret;

	if (rows_failed(&in->rows))
		return ingest_no_memory(in, err);
	if (!in->opts.writer || (in->encode && !encode_idle(in->encode)))
		return 0;
	ret = rows_write(&in->rows, in->opts.writer, err);
	in->rows.tasks.len = in->rows.losses.len = in->rows.text.len = 0;
	return ret;
}

int ingest_task(struct ingest *in, const struct cdict_task_event *ev, struct cdict_error *err)
{
	rows_add_task(&in->rows, ev);
	return write_pending_rows(in, err);
}

int ingest_late(struct ingest *in, const struct cdict_late *late, struct cdict_error *err)
{
	rows_add_late(&in->rows, late);
	return write_pending_rows(in, err);
}

int ingest_loss(struct ingest *in, const struct cdict_loss *loss, struct cdict_error *err)
{
	if (loss->to_ns > in->lost_ns)
		in->lost_ns = loss->to_ns;
	rows_add_loss(&in->rows, loss);
	return write_pending_rows(in, err);
}

/* --- losses --- */

int ingest_lost(struct ingest *in, enum cdict_loss_what what, uint32_t cpu, uint64_t t_ns,
		uint64_t count, struct cdict_loss *loss, struct cdict_error *err)
{
	struct batcher_cpu *c = batcher_cpu(&in->batcher, cpu);
	struct cdict_loss row = { .what = what, .cpu = cpu, .type = CDICT_TYPE_ANY };

	if (!c)
		return ingest_no_memory(in, err);
	row.count = count;
	row.to_ns = t_ns ? t_ns : c->max_ns;
	row.from_ns = c->max_ns < row.to_ns ? c->max_ns : row.to_ns;
	if (what == CDICT_LOSS_RING)
		saturated_add(&c->lost, count);
	saturated_add(&in->lost, count);
	if (loss)
		*loss = row;
	return ingest_loss(in, &row, err);
}

int ingest_counted(struct ingest *in, uint32_t cpu, uint64_t count, struct cdict_error *err)
{
	struct batcher_cpu *c = batcher_cpu(&in->batcher, cpu);

	if (!c)
		return ingest_no_memory(in, err);
	saturated_add(&c->counted, count);
	return 0;
}

int ingest_throttle(struct ingest *in, uint32_t cpu, uint64_t t_ns, bool begins,
		    struct cdict_error *err)
{
	struct batcher_cpu *c = batcher_cpu(&in->batcher, cpu);
	struct cdict_loss loss = { .what = CDICT_LOSS_THROTTLE,
				   .cpu = cpu,
				   .type = CDICT_TYPE_ANY };

	if (!c)
		return ingest_no_memory(in, err);
	loss.from_ns = c->throttled_ns;
	loss.to_ns = t_ns > loss.from_ns ? t_ns : loss.from_ns;
	c->throttled_ns = begins ? (t_ns ? t_ns : 1) : 0;
	return begins || !loss.from_ns ? 0 : ingest_loss(in, &loss, err);
}

static uint32_t cpu_at(size_t i)
{
	return (uint32_t)i - 1u; /* the first is CDICT_CPU_UNKNOWN */
}

/* Losses beyond those reported on the way: from the last event to the end. */
static void losses_to_the_end(struct ingest *in, size_t i, struct rows *out)
{
	const struct store_counts *counts = store_counts(in->opts.store);
	const struct batcher_cpu *c = &in->batcher.cpus[i];
	struct cdict_loss loss = {
		.cpu = cpu_at(i),
		.type = CDICT_TYPE_ANY,
		.from_ns = c->max_ns ? c->max_ns : counts->first_ns,
		.to_ns = counts->last_ns,
	};

	/* A loss on another CPU may end after all events. */
	if (loss.to_ns < counts->lost_ns)
		loss.to_ns = counts->lost_ns;
	if (loss.to_ns < in->lost_ns)
		loss.to_ns = in->lost_ns;
	if (loss.to_ns < loss.from_ns)
		loss.to_ns = loss.from_ns;
	if (c->counted > c->lost) {
		loss.what = CDICT_LOSS_SAMPLES;
		loss.count = c->counted - c->lost;
		saturated_add(&in->lost, loss.count);
		rows_add_loss(out, &loss);
	}
	if (c->throttled_ns) {
		loss.what = CDICT_LOSS_THROTTLE;
		loss.count = 0;
		if (c->throttled_ns < loss.to_ns)
			loss.from_ns = c->throttled_ns;
		rows_add_loss(out, &loss);
	}
}

int ingest_losses(struct ingest *in, struct rows *out, struct cdict_error *err)
{
	for (size_t i = 0; i < in->batcher.n; i++)
		losses_to_the_end(in, i, out);
	for (size_t i = 0; i < in->batcher.n; i++) {
		const struct batcher_cpu *c = &in->batcher.cpus[i];
		struct cdict_loss loss = {
			.what = CDICT_LOSS_DISORDER,
			.cpu = cpu_at(i),
			.type = CDICT_TYPE_ANY,
			.from_ns = c->late_first_ns,
			.to_ns = c->late_last_ns,
			.count = c->late,
		};

		in->disordered += c->sorted + c->late;
		if (c->late)
			rows_add_loss(out, &loss);
	}
	return rows_failed(out) ? ingest_no_memory(in, err) : 0;
}
