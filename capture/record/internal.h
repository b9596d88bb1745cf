/* SPDX-License-Identifier: GPL-2.0-only */
/* internal.h - one recording, shared by the files of capture/record. */
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

/* Sent by an encoder to the main thread: the store failed. */
#define RECORD_SIGNAL_FAILED (SIGRTMIN + 1)

struct recording {
	const struct record_options *opts;
	struct record_report *report;
	struct cdict_error *err;

	int *cpus; /* at the start */
	size_t n_cpus;
	atomic_bool *live; /* by CPU: online, and recorded */
	uint64_t *births;  /* by CPU: host_cpu_birth() when it was added */
	bool *refused;     /* by CPU: could not be added */
	bool *recorded;    /* by CPU: at any time */
	size_t n_possible;
	const int32_t *tids; /* the only tasks to record; NULL: all */
	size_t n_tids;
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
	sigset_t mask, signals; /* the mask before; the signals that we wait for */
	atomic_flag broken;     /* RECORD_SIGNAL_FAILED is sent */

	struct record_start start; /* filled by opts->wait */

	/* Recording now, or paused; the next of opts->spans to begin or end. */
	bool on, was_on;
	size_t next_span;
	uint64_t began_ns;           /* base/system/monotonic.h */
	uint64_t first_on_ns, on_ns; /* when events were first, and last, switched on */
	uint64_t recorded_ns;        /* total until they were last switched off */

	/* Set by an encoder, for record_progress. */
	atomic_ullong put_events, put_bytes;
	atomic_ullong file_bytes; /* size of the file so far, including its end */
	atomic_bool at_limit;     /* data did not fit into --max-size and is not in the file */

	/* Recording to a file. */
	pthread_mutex_t file_lock; /* for all below, while encoders run */
	char *name;                /* name of the file when it is not opts->output */
	uint64_t name_bytes;       /* put_bytes when the file was begun */
	uint64_t rotate_at_ns;
	struct texts names; /* of finished files, oldest first */
	struct target *target;
	struct cdict_writer *writer;
	uint64_t n_blocks;   /* for the size of the index */
	uint64_t rows_bytes; /* tasks and losses that the writer holds until its next block */

	/* growing.c: shows the file while it grows, for opts->view. */
	struct growing *growing;
	uint64_t first_ns, newest_ns; /* of the events in the file */

	/* Flight recorder. */
	struct snapshot_ring *ring;
	struct trigger *trigger;
	struct stacks *stacks;  /* NULL: none */
	uint64_t stacks_at_ns;  /* when they are next written to the file */
	uint64_t stacks_bytes;  /* bytes for the stack numbers of events, not written yet, */
	uint64_t stacks_blocks; /* and their blocks, one per event block */
	uint64_t next_hit_ns;   /* triggers are ignored until then, by base/system/monotonic.h */

	const char *end; /* why the recording ended */
	char full[128];  /* buffer for @end when the disk was full */
};

/* A storm of events fills a small --max-size quickly: rings and sizes are then checked at this
 * interval. */
#define RECORD_SMALL_MS 5
static inline bool recording_is_small(const struct record_options *o)
{
	return o->max_bytes && o->max_bytes < UINT64_C(16) << 20;
}

/* Whether only some tasks are recorded. */
static inline bool recording_is_of_tasks(const struct record_options *o)
{
	return o->tids || o->only_command;
}

/* --- open.c */

/* Chooses CPUs, events, types. */
int recording_choose(struct recording *rec);
/* Starts the threads and opens the rings, disabled. */
int recording_open(struct recording *rec);
/* Adds CPUs that came online; those that went offline are added again when they are back. */
void recording_look_for_cpus(struct recording *rec);

/* --- output.c */

/* Opens the file and writes its head, or sets up the flight recorder's memory. */
int recording_output(struct recording *rec);
/* Stores the tasks that exist now; from then on the rings report them. */
int recording_tasks(struct recording *rec);
/* Opens a further file and writes its head, tasks and names; rec->file_lock is held. */
int recording_begin_file(struct recording *rec);
/* record.c: puts everything read so far into the store. */
void recording_flush(struct recording *rec);
/* rotate.c: ends the file and begins another one. */
int recording_rotate(struct recording *rec);
/* The scope as the end of the file states it. */
struct scope recording_scope_end(const struct recording *rec);
/* The name of the file being written. */
const char *recording_name(const struct recording *rec);
/* Writes the end of the file; a negative code and *err on failure. */
int recording_finish(struct recording *rec, const struct record_info_end *end,
		     struct cdict_error *err);
/* Writes the labels known now. */
int recording_labels(struct recording *rec, struct cdict_writer *w, struct cdict_error *err);
/* How to open the output @path. */
struct outfile_options recording_named(const struct recording *rec, const char *path);

/* --- dump.c: what the flight recorder holds */

/* Passes the last moments to opts->look. */
int recording_look(struct recording *rec);
/* With --keep and -o -: true when the pipe's reader has exited; the report has the reason. */
bool recording_reader_left(struct recording *rec);
/* Writes them, and reports that. */
int recording_dump(struct recording *rec, const char *why, bool flush, struct cdict_error *err);
/* The same for a trigger, which names the VM; 1: opts->dumps skipped it. */
int recording_dump_hit(struct recording *rec, const struct trigger_hit *hit,
		       struct cdict_error *err);

/* --- growing.c: for opts->view */

/* Starts the thread, which waits; *tid is its tid. 0 or a negative code. */
int recording_growing(struct recording *rec, int32_t *tid);
void recording_growing_begin(struct recording *rec);
/* Ends it: opts->view is not called after it returns. NULL rec->growing is fine. */
void recording_growing_end(struct recording *rec);

/* --- wait.c */

void recording_signals(struct recording *rec);
void recording_signals_restore(struct recording *rec);
/* Switches recording on or off; the time in between is unknown. */
void recording_switch(struct recording *rec, bool on);
/* Waits until opts->wait's start time; false: a signal came first. */
bool recording_wait_start(struct recording *rec);
/* Waits until the recording ends; handles signals and triggers. */
void recording_wait(struct recording *rec);

void recording_say(const struct recording *rec, bool warning, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
