/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h - one recording, shared by record*.c. */
#ifndef CAPTURE_RECORD_INTERNAL_H
#define CAPTURE_RECORD_INTERNAL_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

#include "base/memory/texts.h"
#include "capture/host/choose.h"
#include "capture/record/group.h"
#include "capture/record/info.h"
#include "capture/record/record.h"
#include "capture/record/target.h"
#include "capture/trigger/trigger.h"
#include "capture/record/workload.h"
#include "convert/ingest/snapshot.h"
#include "convert/ingest/store.h"

/* From an encoder to the main thread: the store failed. */
#define RECORD_SIGNAL_FAILED (SIGRTMIN + 1)

struct recording {
	const struct record_options *opts;
	struct record_report *report;
	struct cdict_error *err;

	int *cpus; /* at the beginning */
	size_t n_cpus;
	atomic_bool *live; /* by CPU: online, and recorded */
	uint64_t *births;  /* by CPU: since when */
	bool *refused;     /* by CPU: could not be added */
	bool *recorded;    /* by CPU: at some time */
	size_t n_possible;
	struct choice choice;
	struct cdict_schema *schema;
	int16_t *type_of; /* by common_type */
	struct record_info info;
	struct store *store;
	struct group **groups;
	size_t n_groups;
	int32_t *own; /* tids, ascending */
	size_t n_own;
	struct workload workload;
	pthread_t main;
	sigset_t mask, signals; /* as it was; those we wait for */
	atomic_flag broken;     /* RECORD_SIGNAL_FAILED was sent */

	struct record_start start; /* of opts->wait */

	/* Recorded now, or paused; the next of opts->spans to begin or end. */
	bool on, was_on;
	size_t next_span;
	uint64_t began_ns;           /* base/system/monotonic.h */
	uint64_t first_on_ns, on_ns; /* events were switched on then; the last time */
	uint64_t recorded_ns; /* how long they were, up to the last time they were switched off */

	/* What an encoder told, for record_progress. */
	atomic_ullong put_events, put_bytes;
	atomic_ullong file_bytes; /* of the file so far, with what its end will take */
	atomic_bool at_limit;     /* what came did not fit into --max-size: it is not in the file */

	/* To a file. */
	pthread_mutex_t file_lock; /* of all below it, while encoders run */
	char *name;                /* of the file, when it is not opts->output */
	uint64_t name_bytes;       /* put_bytes when it was begun */
	uint64_t rotate_at_ns;
	struct texts names; /* that are done, oldest first */
	struct target *target;
	struct cdict_writer *writer;
	uint64_t n_blocks;   /* for the size of the index */
	uint64_t rows_bytes; /* in the writer, until its next block */

	/* record_growing.c: who shows the file while it grows. */
	struct growing *growing;
	uint64_t first_ns, newest_ns; /* of the events in the file */

	/* Flight recorder. */
	struct snapshot_ring *ring;
	struct trigger *trigger;
	struct stacks *stacks;  /* NULL: none */
	uint64_t stacks_at_ns;  /* they go into the file then */
	uint64_t stacks_bytes;  /* of events whose stacks did not yet, */
	uint64_t stacks_blocks; /* a block for each of theirs */
	uint64_t next_hit_ns;   /* a trigger is answered from then on, by base/system/monotonic.h */

	const char *end; /* why it ended */
	char full[128];  /* the same, of a disk that was full */
};

/* A storm fills a small --max-size in no time: rings and sizes are looked at so often then. */
#define RECORD_SMALL_MS 5
static inline bool recording_is_small(const struct record_options *o)
{
	return o->max_bytes && o->max_bytes < UINT64_C(16) << 20;
}

/* --- record_open.c */

/* CPUs, events, types. */
int recording_choose(struct recording *rec);
/* Threads and rings, disabled. */
int recording_open(struct recording *rec);
/* CPUs that came online are recorded too; those that went are recorded when they are back. */
void recording_look_for_cpus(struct recording *rec);

/* --- record_output.c */

/* The file, its head written, or the flight recorder's memory. */
int recording_output(struct recording *rec);
/* The tasks that are there; from now on the rings tell. */
int recording_tasks(struct recording *rec);
/* A further file, its head, tasks and names; rec->file_lock is held. */
int recording_begin_file(struct recording *rec);
/* record.c: all that was read so far is in the store. */
void recording_flush(struct recording *rec);
/* record_rotate.c: the file is ended, another one begun. */
int recording_rotate(struct recording *rec);
/* What the file's end says of how it began. */
struct scope recording_scope_end(const struct recording *rec);
/* The name of what is written. */
const char *recording_name(const struct recording *rec);
/* What ends the file; *err and a negative code when it cannot be ended. */
int recording_finish(struct recording *rec, const struct record_info_end *end,
		     struct cdict_error *err);
/* record_view.c: what is held of the last moments, for opts->look. */
int recording_look(struct recording *rec);
/* Writes what the flight recorder holds; says so. */
int recording_dump(struct recording *rec, const char *why, bool flush, struct cdict_error *err);

/* --- record_growing.c: for opts->view */

/* The thread, which waits; *tid is its own. 0 or a negative code. */
int recording_growing(struct recording *rec, int32_t *tid);
void recording_growing_begin(struct recording *rec);
/* Nothing is shown any more when it returns. NULL rec->growing is fine. */
void recording_growing_end(struct recording *rec);

/* --- record_wait.c */

void recording_signals(struct recording *rec);
void recording_signals_restore(struct recording *rec);
/* Events are recorded from now on, or not: what happened meanwhile is unknown. */
void recording_switch(struct recording *rec, bool on);
/* Until opts->wait's moment; false: a signal came before. */
bool recording_wait_start(struct recording *rec);
/* Until it is to end; answers signals and triggers. */
void recording_wait(struct recording *rec);

void recording_say(const struct recording *rec, bool warning, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
