/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ingest.h - the one way in: whatever a source gives becomes blocks of the file here.
 *
 *	source --ingest_add()--> batches of a CPU --encode.h--> blocks --store.h--> file, or
 *	       --ingest_task(), _loss()--> rows ----------------^      snapshot ring (memory)
 *
 * A source (perf.data, the kernel's rings) says which events it has and
 * how its samples lie in memory (source.h), makes their schema, and hands in samples as they
 * come, tasks and losses. Samples of a CPU are sorted, 64 Ki of them make a block, which any
 * thread encodes; blocks and the rows before them are stored in the order in which they were
 * cut. What is cut depends on what came alone: the bytes do not depend on threads.
 *
 * Some sources must not wait (queue_bytes): what does not fit is dropped then, and is a loss.
 *
 * Threads    one thread gives; ingest_wait() and the counts are for any when it does not
 * Units      ns of the source's clock
 * Failure    negative code with *err filled; of a source that must not wait none stops anything:
 *            out_of_memory is set, or the store has failed
 * Ownership  ingest_init() fills caller's storage, ingest_fini() empties it
 */
#ifndef INGEST_INGEST_H
#define INGEST_INGEST_H

#include "base/scope.h"
#include "ingest/encode.h"

struct ingest_options {
	struct store *store;
	/* Rows go there at once while nothing is in work: the store's writer, which holds them
	 * (format_writer_hold). NULL: they wait for the next batch. */
	struct cdict_writer *writer;
	size_t queue_bytes; /* that may wait for the encoder; 0: who gives waits */
};

struct ingest {
	struct ingest_options opts;
	struct source source; /* filled by the source, before ingest_start() */
	struct batcher batcher;
	struct batch_spares spares;
	struct rows rows; /* that wait for the next batch */
	struct encode *encode;
	uint64_t gives;      /* works given */
	uint64_t lost;       /* told on the way and at the end */
	uint64_t lost_ns;    /* the latest end of those told on the way */
	uint64_t dropped;    /* because the encoder did not follow */
	uint64_t disordered; /* sorted in, known after ingest_losses() */
	bool out_of_memory;
};

void ingest_init(struct ingest *in, const struct ingest_options *opts);
void ingest_fini(struct ingest *in);

/* ingest_start - before the first sample; samples may be borrowed or must be copied as in->source
 * says then. @opts' source, spares and store are filled in. */
int ingest_start(struct ingest *in, struct encode_options *opts, struct cdict_error *err);

int ingest_cut_ready(struct ingest *in, uint32_t cpu, struct cdict_error *err);
int ingest_no_memory(struct ingest *in, struct cdict_error *err);

/* ingest_add - a sample of @cpu, whose record has @size bytes. */
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

/* ingest_lost - @count samples of @cpu were lost since the last one that came, until @t_ns (0: the
 * time is not known); *loss is what was told of it, NULL: nobody wants it. */
int ingest_lost(struct ingest *in, enum cdict_loss_what what, uint32_t cpu, uint64_t t_ns,
		uint64_t count, struct cdict_loss *loss, struct cdict_error *err);
/* ingest_counted - so many the kernel counted at the end, those included that ingest_lost() told. */
int ingest_counted(struct ingest *in, uint32_t cpu, uint64_t count, struct cdict_error *err);
/* ingest_throttle - @cpu is throttled since @t_ns, or until then. */
int ingest_throttle(struct ingest *in, uint32_t cpu, uint64_t t_ns, bool begins,
		    struct cdict_error *err);

/* ingest_cut - everything that waits goes to the encoder; nothing is dropped. */
int ingest_cut(struct ingest *in, struct cdict_error *err);
/* ingest_age - what is older than the last call: for files that are killed. */
void ingest_age(struct ingest *in);
/* ingest_wait - until all that was cut is stored; the schema may grow then. Not for who must not wait. */
int ingest_wait(struct ingest *in, struct cdict_error *err);

/* ingest_begins - until when the recorder switched its events on, CPU by CPU (doc/figures.md, "The
 * recording's begin"); 0: all at once, as far as the samples tell. After ingest_cut(). */
uint64_t ingest_begins(const struct ingest *in, const struct scope *scope);

/* ingest_losses - what is known only at the end, after ingest_cut() and ingest_wait(): losses beyond
 * those told, and samples that came too late to be sorted in. Once. */
int ingest_losses(struct ingest *in, struct rows *out, struct cdict_error *err);

#endif
