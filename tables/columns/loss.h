/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * loss.h - how much a capture does not tell, for tables and findings.
 *
 * Units      *_ns in the recording's clock
 */
#ifndef TABLES_LOSS_H
#define TABLES_LOSS_H

#include "base/text/json.h"
#include "base/text/scope.h"
#include "base/text/sink.h"
#include "cdict/reader.h"

struct loss_sum {
	uint64_t lost;       /* events the recorder lost */
	uint64_t unreadable; /* events of the recorder's file that were damaged */
	uint64_t damaged;    /* events in damaged blocks of the cdict, as far as was read */
	uint64_t disordered; /* stored, but out of order beyond sorting */
	uint64_t throttled_ns;
	uint64_t stored;
	double percent; /* of all events that happened, also those left out: lost, unreadable, damaged */
	bool any_cpu;       /* some of it is of no known CPU */
	uint32_t worst_cpu; /* CDICT_CPU_UNKNOWN: none */
	uint64_t worst_count, worst_from_ns, worst_to_ns;
	uint32_t cpus; /* how many CPUs lost something */
};

/* loss_since - @from_ns, but 0 of a window that begins with the capture: what was lost before its first
 * event is part of it. */
uint64_t loss_since(const struct cdict_reader *r, uint64_t from_ns);

/* loss_sum - what touches [from_ns, to_ns]; a record that does counts whole, for
 * nobody knows where in its range its events were.  percent is of the capture. */
void loss_sum(struct loss_sum *out, const struct cdict_reader *r, uint64_t from_ns, uint64_t to_ns);

/* loss_line - one sentence for people, without the line's end. */
void loss_line(struct sink *s, const struct loss_sum *sum, uint64_t unknown_ns);
/* loss_finding - the same, its times as mentions (tables.h): a page shows them by the clock that it shows. */
void loss_finding(struct sink *s, const struct loss_sum *sum, uint64_t unknown_ns);
/* loss_text - loss_line, given; NULL: out of memory. */
char *loss_text(const struct loss_sum *sum, uint64_t unknown_ns);
/* loss_json - the object "loss" with its records. */
void loss_json(struct json *j, const struct loss_sum *sum, const struct cdict_reader *r,
	       uint64_t from_ns, uint64_t to_ns, const uint64_t *unknown_ns);

/* loss_scope - a line for each thing that the recorder was not asked for, so that figures are unknown:
 * "recorded: some CPUs only...". Of a window from @from_ns on. Nothing of a whole system. */
void loss_scope(struct sink *s, const struct scope *scope, uint64_t from_ns);

/* loss_record_open - opens the object of one record: what, where, of which event; its times
 * and count are the caller's. */
void loss_record_open(struct json *j, const struct cdict_loss *loss,
		      const struct cdict_schema *schema);

bool loss_missing(const struct cdict_loss *loss); /* events are missing, not only noted */
const char *loss_what(enum cdict_loss_what what); /* "ring", "throttle"... */

#endif
