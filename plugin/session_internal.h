/* SPDX-License-Identifier: GPL-2.0-only */
/* session_internal.h - what session.c (the samples) and session_file.c (the output) share. */
#ifndef PLUGIN_SESSION_INTERNAL_H
#define PLUGIN_SESSION_INTERNAL_H

#include "base/array.h"
#include "base/outfile.h"
#include "convert/formats.h"
#include "ingest/ingest.h"
#include "plugin/args.h"
#include "plugin/chains.h"
#include "plugin/input.h"

/* Slots for events of the recording, by where perf has them. */
#define SESSION_KINDS 4096u

/* An event of the recording. */
struct session_kind {
	const struct perf_event_attr *attr; /* perf's; NULL: free */
	uint64_t config, sample_type;
	int32_t type; /* in the schema, or SOURCE_UNSTORED */
	int event;    /* of the recording's */
	int unstored; /* then its place in the list of them */
};

/* Samples by event, of those that are not stored. */
struct session_unstored {
	char *name;
	uint64_t count;
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
	struct formats types;
	struct store *store;
	struct ingest ingest; /* begun with the first sample */
	struct buf record;    /* struct source_record and the payload */
	struct buf bad_rows;  /* struct cdict_loss of samples that could not be read */
	struct chains chains;
	struct session_kind kinds[SESSION_KINDS];
	ARRAY(struct session_unstored) unstored;
	uint64_t max_ns;  /* latest time so far */
	bool late;        /* since then one came that is earlier */
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
