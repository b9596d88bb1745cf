/* SPDX-License-Identifier: GPL-2.0-only */
/* From perf's samples to the cdict. */
#include "plugin/session.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "plugin/chains.h"
#include "plugin/session_internal.h"
#include "plugin/tidy.h"

/* The end of storing, not of perf. */
static void give_up(struct session *s, const struct cdict_error *err)
{
	if (s->failed)
		return;
	s->failed = true;
	session_say(s, "%s%s%s; nothing more is stored", err->code > -1000 ? s->out : "",
		    err->code > -1000 ? ": " : "", err->text);
}

/* --- which event it is --- */

/* The event's place in the list of those that are not stored. */
static int unstored_of(struct session *s, const char *name, struct cdict_error *err)
{
	struct session_unstored row = { .name = NULL };

	for (size_t i = 0; i < s->unstored.n; i++)
		if (!strcmp(s->unstored.at[i].name, name))
			return (int)i;
	row.name = strdup(name);
	if (!row.name || array_push(&s->unstored, row)) {
		free(row.name);
		return cdict_fail_nomem(err);
	}
	return (int)s->unstored.n - 1;
}

/* The event with this tracepoint id and the fields that matter, or -1. */
static int find_event(const struct session *s, const struct perf_event_attr *attr)
{
	for (size_t i = 0; i < s->types.events.n; i++) {
		const struct perfdata_event *ev = s->types.events.at[i];

		if (ev->attr_type == PERF_TYPE_TRACEPOINT && ev->config == attr->config &&
		    ev->layout.has_raw == !!(attr->sample_type & PERF_SAMPLE_RAW) &&
		    (ev->layout.time >= 0) == !!(attr->sample_type & PERF_SAMPLE_TIME) &&
		    (ev->layout.tid >= 0) == !!(attr->sample_type & PERF_SAMPLE_TID))
			return (int)i;
	}
	return -1;
}

/* A sample is laid out by us, whatever its event: its type is all there is to tell. */
static int describe_samples(struct session *s, struct cdict_error *err)
{
	struct encode_options opts = { .schema = s->types.schema, .threads = 1, .depth = 2 };
	sigset_t signals;
	int ret;

	for (size_t i = 0; i < s->types.source.n; i++) {
		s->types.source.at[i].tid = offsetof(struct source_record, pid);
		s->types.source.at[i].raw = sizeof(struct source_record);
	}
	s->ingest.source.events = s->types.source.at;
	s->ingest.source.n_events = s->types.source.n;
	if (s->ingest.encode)
		return 0;
	tidy_hold_pipe(&signals); /* the thread inherits it */
	ret = ingest_start(&s->ingest, &opts, err);
	tidy_release_pipe(&signals);
	return ret;
}

/* Events that are new: their types. The encoding thread rests meanwhile. */
static int learn(struct session *s, const struct perf_dlfilter_sample *sample,
		 const struct perf_event_attr *attr, struct cdict_error *err)
{
	size_t bad = s->types.bad;
	char why[256];
	int ret = ingest_wait(&s->ingest, err);

	if (!ret)
		ret = input_types(&s->input, &s->types, sample->event ? sample->event : "", attr,
				  why, sizeof(why), err);
	if (ret)
		return ret;
	if (s->types.bad > bad && !s->said_bad) {
		s->said_bad = true;
		session_say(s, "%s; such events are not stored", *why ? why : s->types.why);
	}
	ret = s->types.schema ? cdict_writer_schema(s->w, s->types.schema, err) : 0;
	return ret || !s->types.schema ? ret : describe_samples(s, err);
}

/* Fills @k for the event of @attr. */
static int find_kind(struct session *s, struct session_kind *k,
		     const struct perf_dlfilter_sample *sample, const struct perf_event_attr *attr,
		     struct cdict_error *err)
{
	int ret;

	*k = (struct session_kind){ attr, attr->config, attr->sample_type, SOURCE_UNSTORED, -1, -1 };
	if (attr->type == PERF_TYPE_TRACEPOINT) {
		k->event = find_event(s, attr);
		if (k->event < 0) {
			ret = learn(s, sample, attr, err);
			if (ret)
				return ret;
			k->event = find_event(s, attr);
		}
	}
	if (k->event >= 0)
		k->type = s->types.source.at[k->event].type;
	if (k->type == SOURCE_UNSTORED) {
		ret = unstored_of(s, sample->event ? sample->event : "", err);
		if (ret < 0)
			return ret;
		k->unstored = ret;
	}
	return 0;
}

/* The attr of an event stays where it is, so its address says which it is. */
static const struct session_kind *kind_of(struct session *s,
					  const struct perf_dlfilter_sample *sample, void *ctx,
					  struct cdict_error *err)
{
	const struct perf_event_attr *attr = s->fns->attr ? s->fns->attr(ctx) : NULL;
	size_t at = (size_t)((uintptr_t)attr * 0x9e3779b97f4a7c15u >> 40);
	struct session_kind *k = NULL;

	if (!attr) {
		cdict_fail(err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
			   "this perf does not tell a filter which event a sample is of");
		return NULL;
	}
	for (size_t i = 0; i < 8; i++) {
		k = &s->kinds[(at + i) % SESSION_KINDS];
		if (k->attr == attr && k->config == attr->config &&
		    k->sample_type == attr->sample_type)
			return k;
		if (!k->attr)
			break;
	}
	/* Full around there: the last one makes room. */
	return find_kind(s, k, sample, attr, err) ? NULL : k;
}

/* --- a sample --- */

static int late(struct session *s, uint32_t cpu, uint64_t t_ns, struct cdict_error *err)
{
	struct cdict_late row = { cpu, t_ns, s->max_ns };

	return ingest_late(&s->ingest, &row, err);
}

/* The place among samples of one time on other CPUs: as perf handed them out. */
static uint32_t order_of(struct session *s, uint64_t t_ns, uint32_t cpu)
{
	s->order += t_ns == s->prev_ns && cpu < s->prev_cpu;
	s->prev_ns = t_ns;
	s->prev_cpu = cpu;
	return s->order;
}

/* As ingest/source.h wants it. */
static void lay_out(struct buf *to, const struct perf_dlfilter_sample *sample, uint32_t stack)
{
	struct source_record r = {
		.type = PERF_RECORD_SAMPLE,
		.misc = sample->cpumode,
		.size = (uint16_t)(sizeof(r) + sample->raw_size),
		.pid = sample->pid,
		.tid = sample->tid,
		.stack = stack,
		.raw_size = sample->raw_size,
	};

	to->len = 0;
	buf_add(to, &r, sizeof(r));
	buf_add(to, sample->raw_data, sample->raw_size);
}

static int store(struct session *s, const struct perf_dlfilter_sample *sample, void *ctx,
		 struct cdict_error *err)
{
	const struct session_kind *k = kind_of(s, sample, ctx, err);
	uint32_t cpu = sample->cpu < 0 ? CDICT_CPU_UNKNOWN : (uint32_t)sample->cpu;
	struct batch_sample to = { .t_ns = sample->time };
	uint32_t stack = CDICT_NO_STACK;
	int ret = 0;

	if (!k)
		return err->code;
	s->handed++;
	if (k->type == SOURCE_UNSTORED) {
		s->unstored.at[k->unstored].count++;
		return 0;
	}
	/* The kernel's records have 16 bits for their size. */
	if (!sample->raw_data || sample->raw_size > UINT16_MAX - sizeof(struct source_record) ||
	    (cpu != CDICT_CPU_UNKNOWN && cpu >= INGEST_CPUS_MAX)) {
		s->bad++;
		return 0;
	}
	to.event = (uint32_t)k->event;
	to.order = order_of(s, to.t_ns, cpu);
	/* As convert/rounds.h: one of just the latest time stays behind those that were late before it. */
	if (to.t_ns < s->max_ns || (to.t_ns == s->max_ns && s->late)) {
		s->late = true;
		ret = late(s, cpu, to.t_ns, err);
	} else if (to.t_ns > s->max_ns) {
		s->late = false;
		s->max_ns = to.t_ns;
	}
	if (s->args.stacks)
		stack = chains_stack(&s->chains, s->fns, sample, ctx);
	lay_out(&s->record, sample, stack);
	to.record = s->record.data;
	if (s->record.failed)
		return cdict_fail_nomem(err);
	return ret ? ret : ingest_add(&s->ingest, cpu, &to, (uint32_t)s->record.len, err);
}

static bool is_guest(uint8_t mode)
{
	return mode == PERF_RECORD_MISC_GUEST_KERNEL || mode == PERF_RECORD_MISC_GUEST_USER;
}

int session_sample(struct session *s, const struct perf_dlfilter_sample *sample, void *ctx,
		   bool early)
{
	struct cdict_error err = { 0 };
	int pass = s->args.print ? 0 : 1;

	if (s->failed)
		return pass;
	if (sample->size < PERF_DLFILTER_SAMPLE_SIZE) {
		cdict_fail(&err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
			   "perf's samples have %u bytes where %zu are needed: it must be perf of "
			   "Linux 5.14 or later",
			   sample->size, PERF_DLFILTER_SAMPLE_SIZE);
		give_up(s, &err);
		return pass;
	}
	if (is_guest(sample->cpumode)) {
		s->guest_early += early;
		s->guest_late += !early;
	}
	if (early != s->early)
		return 0;
	if (store(s, sample, ctx, &err))
		give_up(s, &err);
	return pass;
}
