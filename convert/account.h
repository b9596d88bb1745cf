/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * account.h - what a recording lost, and what it held that is not stored.
 *
 * The kernel tells of a full ring twice: a LOST record in that ring as soon as
 * there is room again, and (Linux 6.1 on) a count per event that perf record reads
 * at its end and writes as LOST_SAMPLES records without a time. Both count the same
 * events; what the second has more came after the last LOST record.
 */
#ifndef CONVERT_ACCOUNT_H
#define CONVERT_ACCOUNT_H

#include "cdict/writer.h"
#include "convert/convert.h"
#include "convert/formats.h"
#include "convert/pending.h"

struct account_cpu {
	uint64_t lost, counted; /* by LOST records, by LOST_SAMPLES at the end */
	uint64_t throttled_ns;  /* since when, 0: not */
};

struct account {
	struct account_cpu *cpus; /* as in struct pending */
	size_t n;
	uint64_t lost;
	uint64_t types[128]; /* records by type, PERF_RECORD_* below 64 */
	uint64_t *events;    /* samples not stored, by event of the recording */
	size_t n_events;
	uint64_t orphans;      /* samples of no known event */
	uint64_t strange;      /* records of a type that no perf writes */
	uint32_t strange_type; /* of the first */
};

void account_fini(struct account *a);

/* account_record - a record that is no sample. Losses go to @w at once. */
int account_record(struct account *a, struct cdict_writer *w, const struct perfdata *pd,
		   const struct perfdata_record *rec, struct pending *pending,
		   struct cdict_error *err);

/* account_unstored - a sample of event @event (-1: unknown) that is not stored. */
bool account_unstored(struct account *a, int event);

/* account_finish - losses only known at the end, and the list of what is not stored
 * (in the file and in the report). */
int account_finish(struct account *a, struct cdict_writer *w, const struct perfdata *pd,
		   struct pending *pending, struct convert_report *report, struct cdict_error *err);

#endif
