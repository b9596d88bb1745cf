/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * info.h - writes host, clock and recorder of a recording as INFO pairs of the file;
 * cdict(5) lists the keys.
 *
 * Failure    info.failed keeps the first one; later calls do nothing
 */
#ifndef CONVERT_INGEST_INFO_H
#define CONVERT_INGEST_INFO_H

#include "base/memory/buf.h"
#include "base/text/scope.h"
#include "cdict/writer.h"

struct info_pairs {
	struct cdict_writer *w;
	struct cdict_error *err;
	int failed;
};

/* A pair without a value (NULL, "", 0) is unknown and left out. */
void info_text(struct info_pairs *p, const char *key, const char *value);
void info_number(struct info_pairs *p, const char *key, uint64_t value);
/* info_take - writes the text in @b and empties @b. */
void info_take(struct info_pairs *p, const char *key, struct buf *b);
/* info_list - comma-separated numbers; @n 0: unknown. */
void info_list(struct info_pairs *p, const char *key, const int32_t *values, size_t n);

/* Pairs common to all sources; unknown ones stay zero. Texts are borrowed. */
struct info_host {
	const char *name, *kernel, *arch, *cpu, *cpuid;
	uint64_t memory_kb, cpus_online, cpus;
	const int32_t *core, *socket, *die; /* by CPU, n_topology entries */
	size_t n_topology;
	struct buf threads, numa; /* "0,4 1,5", "0:0-3;1:4-7" */
};
struct info_recorder {
	const char *perf_version, *cmdline;
	struct scope scope;
	const char *clock;          /* info_clock() */
	uint64_t wall_ns, clock_ns; /* at the same moment */
};

/* info_begin - writes the program's version, @host and @recorder. Empties the host's texts. */
void info_begin(struct info_pairs *p, struct info_host *host, const struct info_recorder *recorder);

/* info_tsc_khz - the TSC's frequency by perf's conversion to ns, ticks * @mult >> @shift; 0: unknown. */
uint64_t info_tsc_khz(uint32_t mult, unsigned shift);

/* info_clock - the name of a clockid_t; "perf" for its own clock. */
const char *info_clock(bool use_clockid, int clockid);

#endif
