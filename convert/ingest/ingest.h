/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ingest.h - turns the input of every source into blocks of the file.
 *
 *	source --ingest_add()--> batches of a CPU --encode.h--> blocks --store.h--> file, or
 *	       --ingest_task(), _loss()--> rows ----------------^      snapshot ring (memory)
 *
 * A source (perf.data, the kernel's rings) declares its events and the memory
 * layout of its samples (source.h), builds their schema, and passes samples as they
 * come, tasks and losses. Samples of a CPU are sorted; 64 Ki of them make a block, which any
 * thread encodes; blocks and the rows before them are stored in the order in which they were
 * cut. Cuts depend only on the input, so the bytes do not depend on threads.
 *
 * Sources that must not wait set queue_bytes: a batch that does not fit is dropped, and is a loss.
 *
 * Threads    one thread gives; any thread may call ingest_wait() and read the counts while it does not
 * Units      ns of the source's clock
 * Failure    negative code with *err filled; for a source that must not wait, nothing stops: ingest
 *            sets out_of_memory, or the store has failed
 * Ownership  ingest_init() fills caller's storage, ingest_fini() empties it
 */
#ifndef CONVERT_INGEST_INGEST_H
#define CONVERT_INGEST_INGEST_H

#include "base/text/scope.h"
#include "convert/ingest/encode.h"

struct ingest_options {
	struct store *store;
	/* Rows are written at once while no batch is being encoded: the store's writer, which holds them
	 * (format_writer_hold). NULL: rows wait for the next batch. */
	struct cdict_writer *writer;
	size_t queue_bytes; /* limit of bytes waiting for the encoder; 0: the giver waits */
};

struct ingest {
	struct ingest_options opts;
	struct source source; /* filled by the source, before ingest_start() */
	struct batcher batcher;
	struct batch_spares spares;
	struct rows rows; /* waiting for the next batch */
	struct encode *encode;
	uint64_t gives;      /* number of encode_give() calls */
	uint64_t lost;       /* events, reported on the way and at the end */
	uint64_t lost_ns;    /* latest end of a loss reported on the way */
	uint64_t dropped;    /* events dropped because the encoder was too slow */
	uint64_t disordered; /* events sorted in; valid after ingest_losses() */
	bool out_of_memory;
};

void ingest_init(struct ingest *in, const struct ingest_options *opts);
void ingest_fini(struct ingest *in);

/* ingest_start - before the first sample; in->source decides whether samples are borrowed or copied.
 * Fills in source, spares and store of @opts. */
int ingest_start(struct ingest *in, struct encode_options *opts, struct cdict_error *err);

int ingest_cut_ready(struct ingest *in, uint32_t cpu, struct cdict_error *err);
int ingest_no_memory(struct ingest *in, struct cdict_error *err);

/* ingest_add - a sample of @cpu, with a record of @size bytes. */
static inline int ingest_add(struct ingest *in, uint32_t cpu, const struct batch_sample *s,
			     uint32_t size, struct cdict_error *err)
{
	struct batcher_cpu *c = batcher_cpu(&in->batcher, cpu);

	if (!c || !batcher_add(&in->batcher, c, cpu, s, size))
		return ingest_no_memory(in, err);
	return batcher_ready(&in->batcher, c) ? ingest_cut_ready(in, cpu, err) : 0;
}

int ingest_task(struct ingest *in, const struct cdict_task_event *ev, struct cdict_error *err);
int ingest_late(struct ingest *in, const struct cdict_late *late, struct cdict_error *err);
int ingest_loss(struct ingest *in, const struct cdict_loss *loss, struct cdict_error *err);

/* ingest_lost - @count samples of @cpu were lost between its latest sample and @t_ns (0: time
 * unknown); *loss receives the row written for it, NULL: not needed. */
int ingest_lost(struct ingest *in, enum cdict_loss_what what, uint32_t cpu, uint64_t t_ns,
		uint64_t count, struct cdict_loss *loss, struct cdict_error *err);
/* ingest_counted - the kernel's count of lost samples at the end, including those of ingest_lost(). */
int ingest_counted(struct ingest *in, uint32_t cpu, uint64_t count, struct cdict_error *err);
/* ingest_throttle - @cpu is throttled since @t_ns, or until @t_ns. */
int ingest_throttle(struct ingest *in, uint32_t cpu, uint64_t t_ns, bool begins,
		    struct cdict_error *err);

/* ingest_cut - passes all waiting samples to the encoder; drops nothing. */
int ingest_cut(struct ingest *in, struct cdict_error *err);
/* ingest_age - passes on samples older than the previous call: for files that may be killed. */
void ingest_age(struct ingest *in);
/* ingest_wait - until all cut samples are stored; the schema may grow then. Not for sources that must not wait. */
int ingest_wait(struct ingest *in, struct cdict_error *err);

/* ingest_begins - the time until which the recorder enabled its events, CPU by CPU (doc/figures.md, "What was
 * recorded"); 0: all at once, as far as the samples show. After ingest_cut(). */
uint64_t ingest_begins(const struct ingest *in, const struct scope *scope);

/* ingest_losses - losses known only at the end, after ingest_cut() and ingest_wait(): those beyond the
 * reported ones, and samples too late to be sorted in. Call once. */
int ingest_losses(struct ingest *in, struct rows *out, struct cdict_error *err);

#endif
