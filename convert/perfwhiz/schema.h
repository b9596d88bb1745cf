/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * schema.h - the event types for a perfwhiz file: the kernel's, with the fields that it has, and
 * its durations in an additional field. Raw payloads are little-endian.
 *
 * Ownership  caller's storage, perfwhiz_reasons_fini() empties it
 */
#ifndef CONVERT_PERFWHIZ_SCHEMA_H
#define CONVERT_PERFWHIZ_SCHEMA_H

#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "cdict/schema.h"

enum perfwhiz_event {
	PERFWHIZ_SWITCH,
	PERFWHIZ_SLEEP,
	PERFWHIZ_IOWAIT,
	PERFWHIZ_KVM_ENTRY,
	PERFWHIZ_KVM_EXIT,
	PERFWHIZ_EVENTS,
};

/* perfwhiz_event_of - finds an event by its name in the column event; PERFWHIZ_EVENTS: unknown. */
enum perfwhiz_event perfwhiz_event_of(const char *name);
/* perfwhiz_event_name - returns "sched:sched_switch". */
const char *perfwhiz_event_name(enum perfwhiz_event e);

/* The exit reasons of a file: numbers, which show the vendor of the CPU, or names. */
struct perfwhiz_reasons {
	bool amd;
	bool no_memory;      /* a name is missing for that reason */
	ARRAY(char *) names; /* names in no table: numbered from PERFWHIZ_OTHER */
};
#define PERFWHIZ_OTHER 0x10000u

/* perfwhiz_reason_seen - notes a number of the file. */
void perfwhiz_reason_seen(struct perfwhiz_reasons *r, int64_t code);
/* perfwhiz_reason_named - returns the number of a name, adding it if new; negative: out of memory
 * or too many. */
int64_t perfwhiz_reason_named(struct perfwhiz_reasons *r, const char *name);
void perfwhiz_reasons_fini(struct perfwhiz_reasons *r);

/* perfwhiz_format - appends the format text of event @e, with its NUL, to @out. */
void perfwhiz_format(struct buf *out, enum perfwhiz_event e, const struct perfwhiz_reasons *r);

/* Offsets in the payloads, as in the format texts. */
#define PERFWHIZ_PAYLOAD_MAX 64u
enum {
	COMMON_PID = 4,
	SWITCH_PREV_COMM = 8,
	SWITCH_PREV_PID = 24,
	SWITCH_PREV_STATE = 28,
	SWITCH_NEXT_COMM = 32,
	SWITCH_NEXT_PID = 48,
	SWITCH_RUNTIME = 56,
	SWITCH_SIZE = 64,
	STAT_COMM = 8,
	STAT_PID = 24,
	STAT_DELAY = 32,
	STAT_SIZE = 40,
	KVM_NS = 8,
	KVM_ENTRY_SIZE = 16,
	KVM_REASON = 16,
	KVM_ISA = 20,
	KVM_EXIT_SIZE = 24,
};
#define PERFWHIZ_COMM 16u

#endif
