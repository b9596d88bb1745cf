/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * loss.h - how many events a capture lacks, for tables and findings.
 *
 * Units      *_ns in the recording's clock
 */
#ifndef TABLES_COLUMNS_LOSS_H
#define TABLES_COLUMNS_LOSS_H

#include "base/text/json.h"
#include "base/text/scope.h"
#include "base/text/sink.h"
#include "cdict/reader.h"

struct loss_sum {
	uint64_t lost;       /* events the recorder lost */
	uint64_t unreadable; /* events of the recorder's file that were damaged */
	uint64_t damaged;    /* events in damaged blocks of the cdict file that were read */
	uint64_t disordered; /* stored, but out of order beyond sorting */
	uint64_t throttled_ns;
	uint64_t stored;
	double percent;     /* lost, unreadable and damaged events, of all that happened, also those
			 * left out */
	bool any_cpu;       /* some are of no known CPU */
	uint32_t worst_cpu; /* CDICT_CPU_UNKNOWN: none */
	uint64_t worst_count, worst_from_ns, worst_to_ns;
	uint32_t cpus; /* number of CPUs with losses */
};

/* loss_since - @from_ns, but 0 for a window that begins with the capture: losses before the first
 * event belong to it. */
uint64_t loss_since(const struct cdict_reader *r, uint64_t from_ns);

/* loss_sum - sums the losses that touch [from_ns, to_ns]; such a record counts whole, as the times
 * of its events are unknown. percent is of the capture. */
void loss_sum(struct loss_sum *out, const struct cdict_reader *r, uint64_t from_ns, uint64_t to_ns);

/* loss_line - one sentence for people, without the line's end. */
void loss_line(struct sink *s, const struct loss_sum *sum, uint64_t unknown_ns);
/* loss_finding - like loss_line(), but with times as mentions (tables.h): the page shows them in
 * its own clock. */
void loss_finding(struct sink *s, const struct loss_sum *sum, uint64_t unknown_ns);
/* loss_text - loss_line() as a string to free; NULL: out of memory. */
char *loss_text(const struct loss_sum *sum, uint64_t unknown_ns);
/* loss_json - the object "loss" with its records: the first LOSS_RECORDS, and the number of those
 * left out. */
#define LOSS_RECORDS 50000u
void loss_json(struct json *j, const struct loss_sum *sum, const struct cdict_reader *r,
	       uint64_t from_ns, uint64_t to_ns, const uint64_t *unknown_ns);

/* loss_scope - a line for each restriction of the recording that makes figures unknown: "recorded:
 * some CPUs only...", for a window from @from_ns on. Nothing for a whole system. */
void loss_scope(struct sink *s, const struct scope *scope, uint64_t from_ns);

/* loss_record_open - opens the JSON object of one record: kind, CPU, event; the caller adds times
 * and count. */
void loss_record_open(struct json *j, const struct cdict_loss *loss,
		      const struct cdict_schema *schema);

bool loss_missing(const struct cdict_loss *loss); /* whether events are missing */
const char *loss_what(enum cdict_loss_what what); /* "ring", "throttle"... */

#endif
