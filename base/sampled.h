/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * sampled.h - the event types of samples that no tracepoint took: perf's hardware, software and
 * cache events ("cycles", "cpu-clock"). In a schema each is a type of the system "sample" with the
 * fields ip and period, which the kernel's sample has.
 *
 * Threads    no state
 */
#ifndef BASE_SAMPLED_H
#define BASE_SAMPLED_H

#include <stdbool.h>
#include <string.h>

#include "cdict/event.h"

#define SAMPLED_SYSTEM "sample"

/* Positions of the fields in the type, and their offsets in the payload. */
enum { SAMPLED_IP = 0, SAMPLED_PERIOD, SAMPLED_FIELDS };
enum { SAMPLED_AT_IP = 0, SAMPLED_AT_PERIOD = 8, SAMPLED_BYTES = 16 };

/* sampled_is - whether events of @type are such samples. */
static inline bool sampled_is(const struct cdict_event_type *type)
{
	return !strcmp(type->system, SAMPLED_SYSTEM) && type->n_fields == SAMPLED_FIELDS &&
	       !strcmp(type->fields[SAMPLED_IP].name, "ip") &&
	       type->fields[SAMPLED_IP].kind == CDICT_FIELD_UINT &&
	       !strcmp(type->fields[SAMPLED_PERIOD].name, "period") &&
	       type->fields[SAMPLED_PERIOD].kind == CDICT_FIELD_UINT;
}

#endif
