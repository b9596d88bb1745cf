/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import.h - the frame of an import: a writer, a store and ingest/ from its first byte to its last.
 *
 *     ret = import_open(&in, ...);        then INFO pairs, cdict_writer_schema()
 *     ret = import_start(&in, ...);       then in.ingest takes tasks and samples (convert/ingest/ingest.h)
 *     ret = import_settle(&in);           all is stored; then what is unstored, missing, damaged
 *     ret = import_finish(&in);
 *     import_close(&in);                  in every case
 *
 * Failure    0 or a negative code with *in->err filled
 */
#ifndef EXCHANGE_IMPORT_H
#define EXCHANGE_IMPORT_H

#include "base/memory/buf.h"
#include "convert/convert.h"
#include "convert/ingest/ingest.h"

/* All bytes of an input. */
struct import_bytes {
	const uint8_t *data;
	size_t size;
	bool mapped;      /* else they were read, as those of a pipe are, or are the caller's */
	struct buf piped; /* those that were read */
};

/* import_bytes_open - of the file @path, or "-": standard input. */
int import_bytes_open(struct import_bytes *in, const char *path, struct cdict_error *err);
void import_bytes_close(struct import_bytes *in);

struct import {
	const struct convert_options *opts;
	struct convert_report *report;
	struct cdict_error *err; /* never NULL */
	struct cdict_writer *w;
	struct store *store;
	struct ingest ingest;
	struct buf bad; /* struct cdict_loss of what blocks could not take */
	struct cdict_error none;
};

/* import_open - @report is emptied. @in must stay where it is. */
int import_open(struct import *in, const struct convert_options *opts, cdict_write_fn fn, void *ctx,
		struct convert_report *report, struct cdict_error *err);

/* import_start - threads of the options' jobs take samples that are laid out as struct
 * source_record; @events (borrowed) tells of each what it is in @schema. */
int import_start(struct import *in, const struct cdict_schema *schema,
		 const struct source_event *events, size_t n_events);

/* import_settle - waits for the last sample, writes losses, and tells the report what there is. */
int import_settle(struct import *in, const struct cdict_schema *schema);

/* import_finish - labels of the options, and the end of the file. */
int import_finish(struct import *in);

void import_close(struct import *in);

/* import_missing - the report says what there was when nothing was stored, and @instead. */
void import_missing(struct convert_report *r, const char *instead);

#endif
