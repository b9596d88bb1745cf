/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sampled.h - makes event types for perf's hardware, software and cache events (base/sampled.h),
 * and the payloads of their samples.
 *
 * Threads    any; the schema must not change while payloads are made
 */
#ifndef CONVERT_SAMPLED_H
#define CONVERT_SAMPLED_H

#include "cdict/schema.h"
#include "convert/ingest/source.h"

/* sampled_add - the index of event @name ("cycles", "cpu-clock:u") in @schema, which it is added
 * to; or a negative code. */
int sampled_add(struct cdict_schema *schema, const char *name, struct cdict_error *err);

/* sampled_payload - makes the payload of a sample, in @out->made. */
void sampled_payload(struct source_sample *out, uint64_t ip, uint64_t period, bool big);

/* sampled_name - perf's name of an event without one in its file: "cycles", "page-faults"; NULL: it
 * is another kind of event. */
const char *sampled_name(uint32_t type, uint64_t config);

#endif
