/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * info.h - what a recording says of its host, its clock and its recorder, as INFO pairs of the file;
 * cdict(5) lists the keys.
 *
 * Failure    the first one stays in info.failed, later calls do nothing
 */
#ifndef INGEST_INFO_H
#define INGEST_INFO_H

#include "base/buf.h"
#include "base/scope.h"
#include "cdict/writer.h"

struct info_pairs {
	struct cdict_writer *w;
	struct cdict_error *err;
	int failed;
};

/* A pair with no value (NULL, "", 0, no text) is not known, and left out. */
void info_text(struct info_pairs *p, const char *key, const char *value);
void info_number(struct info_pairs *p, const char *key, uint64_t value);
/* info_take - the text in @b, which is emptied. */
void info_take(struct info_pairs *p, const char *key, struct buf *b);
/* info_list - numbers with commas between; of @n no value: none of them is known. */
void info_list(struct info_pairs *p, const char *key, const int32_t *values, size_t n);

/* The pairs that every source has; what a source does not know stays zero. Texts are borrowed. */
struct info_host {
	const char *name, *kernel, *arch, *cpu, *cpuid;
	uint64_t memory_kb, cpus_online, cpus;
	const int32_t *core, *socket, *die; /* by CPU, n_topology of them */
	size_t n_topology;
	struct buf threads, numa; /* "0,4 1,5", "0:0-3;1:4-7" */
};
struct info_recorder {
	const char *perf_version, *cmdline;
	struct scope scope;
	const char *clock;          /* info_clock() */
	uint64_t wall_ns, clock_ns; /* at the same moment */
};

/* info_begin - who wrote the file, @host and @recorder. The host's texts are emptied. */
void info_begin(struct info_pairs *p, struct info_host *host, const struct info_recorder *recorder);

/* info_clock - the name of a clockid_t; "perf" for its own clock. */
const char *info_clock(bool use_clockid, int clockid);

#endif
