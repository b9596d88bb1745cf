/* SPDX-License-Identifier: GPL-2.0-only */
/* session_internal.h - what session.c (the samples) and session_file.c (the output) share. */
#ifndef PLUGIN_SESSION_INTERNAL_H
#define PLUGIN_SESSION_INTERNAL_H

#include "base/outfile.h"
#include "plugin/args.h"
#include "plugin/chains.h"
#include "plugin/input.h"
#include "plugin/intake.h"
#include "plugin/types.h"

/* Slots for events of the recording, by where perf has them. */
#define SESSION_KINDS 4096u

/* An event of the recording. */
struct session_kind {
	const struct perf_event_attr *attr; /* perf's; NULL: free */
	uint64_t config, sample_type;
	int32_t type; /* in the schema, or FORMATS_UNSTORED */
	int unstored; /* then its place in the list of them */
};

struct session {
	const struct perf_dlfilter_fns *fns;
	struct args args;
	struct perf_args perf;
	bool early;  /* samples are taken before perf's own filters: it has none */
	bool failed; /* and it was said */
	char *out;
	struct outfile *of;
	struct cdict_writer *w;
	struct input input;
	struct types types;
	struct intake *intake; /* NULL before the first sample */
	struct chains chains;
	struct session_kind kinds[SESSION_KINDS];
	struct along_unstored *unstored; /* samples by event; names are ours */
	size_t n_unstored;
	struct buf late;  /* struct cdict_late */
	uint64_t max_ns;  /* latest time so far */
	uint64_t prev_ns; /* of the sample before */
	uint32_t prev_cpu, order;
	uint64_t handed, bad;
	uint64_t guest_early,
		guest_late; /* samples of guest mode before and after perf's filters */
	bool said_bad;
};

/* session_say - one line on stderr. */
void session_say(const struct session *s, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

#endif
