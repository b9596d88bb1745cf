/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import.h - what all imports share: a writer, a store and convert/ingest/, from the first byte to
 * the last.
 *
 *     ret = import_open(&in, ...);        then INFO pairs, cdict_writer_schema()
 *     ret = import_start(&in, ...);       then in.ingest takes tasks and samples (convert/ingest/ingest.h)
 *     ret = import_settle(&in);           all is stored; then what is not stored, missing, damaged
 *     ret = import_finish(&in);
 *     import_close(&in);                  in every case
 *
 * Failure    0 or a negative code with *in->err filled
 */
#ifndef CONVERT_IMPORT_H
#define CONVERT_IMPORT_H

#include "base/memory/buf.h"
#include "convert/convert.h"
#include "convert/ingest/ingest.h"
#include "convert/perfdata/cgroups.h"

/* The bytes of an input. */
struct import_bytes {
	const uint8_t *data;
	size_t size;
	bool mapped;      /* false: they were read, from a pipe for example, or are the caller's */
	struct buf piped; /* bytes that were read */
};

/* import_bytes_open - maps or reads the file @path, or "-": standard input. */
int import_bytes_open(struct import_bytes *in, const char *path, struct cdict_error *err);
void import_bytes_close(struct import_bytes *in);

struct import {
	const struct convert_options *opts;
	struct convert_report *report;
	struct cdict_error *err; /* never NULL */
	struct cdict_writer *w;
	struct store *store;
	struct ingest ingest;
	struct buf bad; /* struct cdict_loss of samples that could not be stored in blocks */
	struct cdict_error none;
};

/* import_open - clears @report. @in must stay where it is. */
int import_open(struct import *in, const struct convert_options *opts, cdict_write_fn fn, void *ctx,
		struct convert_report *report, struct cdict_error *err);

/* import_start - starts threads, as many as the options' jobs; they take samples laid out as struct
 * source_record; @events (borrowed) maps each event to its type in @schema. */
int import_start(struct import *in, const struct cdict_schema *schema,
		 const struct source_event *events, size_t n_events);

/* import_settle - waits for the last sample, writes losses, and fills in the report. */
int import_settle(struct import *in, const struct cdict_schema *schema);

/* import_cgroups - writes a label for each task of @groups whose group has a path other than "/". */
int import_cgroups(struct import *in, const struct perfdata_cgroups *groups);

/* import_finish - writes the options' labels, and the end of the file; import_labels() and
 * import_end() one each. */
int import_labels(struct import *in);
int import_end(struct import *in);
int import_finish(struct import *in);

void import_close(struct import *in);

/* import_missing - when nothing was stored, the report gets what there was, and @instead. */
void import_missing(struct convert_report *r, const char *instead);

#endif
