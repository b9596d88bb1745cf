/* SPDX-License-Identifier: GPL-2.0-only */
/* info.h - how a recorded cdict begins and ends: host, clock, command line, own activity. */
#ifndef CAPTURE_RECORD_INFO_H
#define CAPTURE_RECORD_INFO_H

#include "base/memory/buf.h"
#include "base/text/scope.h"
#include "capture/record/record.h"
#include "cdict/writer.h"

struct record_info {
	const char *cmdline;
	const char *clock;          /* info_clock() */
	uint64_t wall_ns, clock_ns; /* at the same moment; 0: not known */
	struct scope scope;
	struct buf cpus; /* "0-3,8" */
	size_t ring_bytes;
	char *strings; /* printk_formats, or NULL */
	const struct cdict_schema *schema;
	const int32_t *own; /* the recorder's threads */
	size_t n_own;
	const struct record_start *start; /* what it says of the moment, or NULL */
};

void record_info_fini(struct record_info *h);
/* record_info_cpus - fills h->cpus with those of the @n that are set. */
void record_info_cpus(struct record_info *h, const bool *cpus, size_t n);
/* record_info_begin - everything, schema included, as whole blocks. */
int record_info_begin(const struct record_info *h, struct cdict_writer *w, struct cdict_error *err);

struct record_info_end {
	const char *why;  /* "command ended" */
	const char *cpus; /* all that were recorded; NULL: as the head said */
	uint64_t cpu_ns, wakeups;
	uint64_t dropped;
	struct scope scope; /* told again when its begins_ns is known by now */
};

int record_info_end(const struct record_info_end *e, struct cdict_writer *w,
		    struct cdict_error *err);

#endif
