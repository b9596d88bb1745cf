/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source.h - the memory layout of a source's samples: everything the encoding threads
 * need from the source.
 *
 * A record begins as the kernel's PERF_RECORD_SAMPLE does: u32 type, u16 misc (its cpumode),
 * u16 size of the whole record. The position of task and payload is declared for each event of the
 * source. A source with other samples lays them out as struct source_record.
 *
 * Threads    must not change while batches are being encoded (encode_idle())
 */
#ifndef CONVERT_INGEST_SOURCE_H
#define CONVERT_INGEST_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Higher CPU numbers are rejected (a damaged sample). */
#define INGEST_CPUS_MAX 8192u

/* One event of the source. Offsets are from the record's start. */
struct source_event {
	int32_t type; /* in the schema; SOURCE_UNSTORED: its samples are not stored */
	int32_t tid;  /* offset of the i32 pid, which the i32 tid follows */
	int32_t raw; /* offset of the payload, after its u32 size; -1: use source.read() for both */
};

#define SOURCE_UNSTORED (-1)

/* Result of read(). */
struct source_sample {
	int32_t pid, tid;
	const uint8_t *raw;
	uint32_t raw_size;
	uint8_t made[16]; /* room for a payload that is not in the record: raw may point here */
};

struct source {
	const struct source_event *events; /* by batch_sample.event */
	size_t n_events;
	bool big;  /* byte order of the records */
	bool copy; /* records do not stay in place */
	/* Parses @record of an event without fixed offsets: 0, or CDICT_ECORRUPT. */
	int (*read)(const void *ctx, uint32_t event, const uint8_t *record,
		    struct source_sample *out);
	/* The sample's stack, in the file's dictionary, or CDICT_NO_STACK; NULL: no sample has one.
	 * Called in the order of a batch. */
	uint32_t (*stack)(const void *ctx, uint32_t event, const uint8_t *record);
	const void *ctx;
};

/* For samples built from values, in this machine's byte order; the payload follows. */
struct source_record {
	uint32_t type; /* ignored */
	uint16_t misc, size;
	int32_t pid, tid;
	uint32_t raw_size;
};

#endif
