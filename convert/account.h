/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * account.h - counts what a recording lost, and which of its records are not stored.
 *
 * The kernel reports a full ring twice: by a LOST record in that ring as soon as there is room
 * again, and (since Linux 6.1) by a count per event that perf record reads at its end and writes as
 * LOST_SAMPLES records without a time. Both count the same events; the surplus of the second was
 * lost after the last LOST record.
 */
#ifndef CONVERT_ACCOUNT_H
#define CONVERT_ACCOUNT_H

#include "convert/convert.h"
#include "convert/ingest/ingest.h"

struct account {
	uint64_t types[128];    /* records by type, PERF_RECORD_* below 64 */
	ARRAY(uint64_t) events; /* samples not stored, by index of the event */
	uint64_t orphans;       /* samples of unknown events */
	uint64_t strange;       /* records of a type that no perf writes */
	uint32_t strange_type;  /* of the first one */
};

void account_fini(struct account *a);

/* account_record_of - passes a record of tasks or losses of @cpu, with the trailer @id, to @in; ignores
 * others. *lost (or NULL) is set from a LOST record, with count 0 for others. */
int account_record_of(struct ingest *in, const struct perfdata_record *rec, bool big,
		      const struct perfdata_sample_id *id, uint32_t cpu, struct cdict_loss *lost,
		      struct cdict_error *err);

/* account_record - counts a record of @pd that is not a sample, and passes it to account_record_of(). */
int account_record(struct account *a, struct ingest *in, const struct perfdata *pd,
		   const struct perfdata_record *rec, struct cdict_error *err);

/* account_unstored - counts @n samples of event @event (-1: unknown) that are not stored. */
int account_unstored(struct account *a, int event, uint64_t n, struct cdict_error *err);

/* account_close - writes to the file and to @report: which samples are not stored, the size of the
 * input, its damage, and what @samples show of how it was recorded; @wrong: a fault that only the
 * caller detected, or "". */
int account_close(struct account *a, struct cdict_writer *w, const struct perfdata *pd,
		  const char *wrong, const struct ingest *samples, struct convert_report *report,
		  struct cdict_error *err);

#endif
