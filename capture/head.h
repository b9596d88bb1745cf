/* SPDX-License-Identifier: GPL-2.0-only */
/* head.h - how a recorded cdict begins and ends: host, clock, command line, own activity. */
#ifndef CAPTURE_HEAD_H
#define CAPTURE_HEAD_H

#include "base/buf.h"
#include "cdict/writer.h"

struct head {
	const char *cmdline;
	const char *clock; /* clock_info() */
	bool paired;
	uint64_t wall_ns, clock_ns; /* at the same moment */
	struct buf cpus;            /* "0-3,8" */
	size_t ring_bytes;
	char *strings; /* printk_formats, or NULL */
	const struct cdict_schema *schema;
	const int32_t *own; /* the recorder's threads */
	size_t n_own;
};

void head_fini(struct head *h);
/* head_cpus - fills h->cpus with those of the @n that are set. */
void head_cpus(struct head *h, const bool *cpus, size_t n);
/* head_write - everything, schema included, as whole blocks. */
int head_write(const struct head *h, struct cdict_writer *w, struct cdict_error *err);

struct head_end {
	const char *why;  /* "command ended" */
	const char *cpus; /* all that were recorded; NULL: as the head said */
	uint64_t cpu_ns, wakeups;
	uint64_t lost, dropped;
};

int head_write_end(const struct head_end *e, struct cdict_writer *w, struct cdict_error *err);

#endif
