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

#include "convert/convert.h"
#include "convert/ingest/ingest.h"

struct account {
	uint64_t types[128];    /* records by type, PERF_RECORD_* below 64 */
	ARRAY(uint64_t) events; /* samples not stored, by event of the recording */
	uint64_t orphans;       /* samples of no known event */
	uint64_t strange;       /* records of a type that no perf writes */
	uint32_t strange_type;  /* of the first */
};

void account_fini(struct account *a);

/* account_tell - a record of tasks or losses of @cpu, which @id was read from, goes into @in; others
 * do not. *lost (or NULL) is what a LOST record told, its count 0 for any other. */
int account_tell(struct ingest *in, const struct perfdata_record *rec, bool big,
		 const struct perfdata_sample_id *id, uint32_t cpu, struct cdict_loss *lost,
		 struct cdict_error *err);

/* account_record - a record of @pd that is no sample. */
int account_record(struct account *a, struct ingest *in, const struct perfdata *pd,
		   const struct perfdata_record *rec, struct cdict_error *err);

/* account_unstored - @n samples of event @event (-1: unknown) that are not stored. */
int account_unstored(struct account *a, int event, uint64_t n, struct cdict_error *err);

/* account_close - what is told of the input at the end, in the file and in @report: what is not
 * stored, how large it was, what is damaged, and what its @samples show of how it was recorded;
 * @wrong: a reason that only the caller knows, or "". */
int account_close(struct account *a, struct cdict_writer *w, const struct perfdata *pd,
		  const char *wrong, const struct ingest *samples, struct convert_report *report,
		  struct cdict_error *err);

#endif
