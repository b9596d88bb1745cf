/* SPDX-License-Identifier: GPL-2.0-only */
/* info.h - the first and last records of a live recording: host, clock, command line, own
 * activity. */
#ifndef CAPTURE_RECORD_INFO_H
#define CAPTURE_RECORD_INFO_H

#include "base/memory/buf.h"
#include "base/text/scope.h"
#include "capture/host/ties.h"
#include "capture/record/record.h"
#include "cdict/writer.h"

struct record_info {
	const char *host; /* its name; NULL: this machine's */
	const char *cmdline;
	const char *clock;          /* info_clock() */
	uint64_t wall_ns, clock_ns; /* taken at the same moment; 0: unknown */
	struct ties ties;           /* taken then, too */
	bool use_clockid;
	int clockid;
	struct scope scope;
	struct buf cpus; /* "0-3,8" */
	size_t ring_bytes;
	char *strings; /* printk_formats, or NULL */
	const struct cdict_schema *schema;
	const int32_t *own; /* the recorder's threads */
	size_t n_own;
	const struct record_start *start; /* its INFO pairs, or NULL */
};

void record_info_fini(struct record_info *h);
/* record_info_cpus - fills h->cpus with the set ones of the @n. */
void record_info_cpus(struct record_info *h, const bool *cpus, size_t n);
/* record_info_begin - writes all of it, schema included, as whole blocks. */
int record_info_begin(const struct record_info *h, struct cdict_writer *w, struct cdict_error *err);

struct record_info_end {
	const char *why;  /* "command ended" */
	const char *cpus; /* all recorded CPUs; NULL: as in the head */
	uint64_t cpu_ns, wakeups;
	uint64_t dropped;
	struct scope scope; /* stored again when its begins_ns is known by now */
};

/* record_info_end - also reads the clocks again. @h is what the file began with. */
int record_info_end(const struct record_info *h, const struct record_info_end *e,
		    struct cdict_writer *w, struct cdict_error *err);

#endif
