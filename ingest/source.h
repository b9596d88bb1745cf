/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - how the samples of a source lie in memory: all that the threads that encode must
 * know of it.
 *
 * A record begins as the kernel's PERF_RECORD_SAMPLE does: u32 type, u16 misc (its cpumode),
 * u16 size of the whole record. Where task and payload lie in it is told for each event of the
 * source. A source whose samples are made otherwise lays them out as struct source_record.
 *
 * Threads    nothing of it changes while batches are in work (ingest_idle())
 */
#ifndef INGEST_SOURCE_H
#define INGEST_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* CPUs beyond this are not believed (a damaged sample). */
#define INGEST_CPUS_MAX 8192u

/* One event of the source. Offsets are from the record's start. */
struct source_event {
	int32_t type; /* in the schema; SOURCE_UNSTORED: it has no samples here */
	int32_t tid;  /* of the i32 pid, followed by the i32 tid */
	int32_t raw; /* of the payload, which its u32 size precedes; -1: source.read() tells both */
};

#define SOURCE_UNSTORED (-1)

/* What read() finds. */
struct source_sample {
	int32_t pid, tid;
	const uint8_t *raw;
	uint32_t raw_size;
};

struct source {
	const struct source_event *events; /* by batch_sample.event */
	size_t n_events;
	bool big;  /* byte order of the records */
	bool copy; /* records do not stay where they are */
	/* The sample in @record of an event without a fixed place: 0, or CDICT_ECORRUPT. */
	int (*read)(const void *ctx, uint32_t event, const uint8_t *record,
		    struct source_sample *out);
	/* The stack of the sample, in the file's dictionary, or CDICT_NO_STACK; NULL: none has one.
	 * Asked for in the order of a batch. */
	uint32_t (*stack)(const void *ctx, uint32_t event, const uint8_t *record);
	const void *ctx;
};

/* For samples that come as values, in this machine's byte order; the payload follows. */
struct source_record {
	uint32_t type; /* not looked at */
	uint16_t misc, size;
	int32_t pid, tid;
	uint32_t raw_size;
};

#endif
