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

static int no_memory(struct cdict_error *err)
{
	return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
}

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
	struct along_unstored *list;
	char *copy;

	for (size_t i = 0; i < s->n_unstored; i++)
		if (!strcmp(s->unstored[i].name, name))
			return (int)i;
	list = realloc(s->unstored, (s->n_unstored + 1) * sizeof(*list));
	copy = strdup(name);
	if (list)
		s->unstored = list;
	if (!list || !copy) {
		free(copy);
		return no_memory(err);
	}
	list[s->n_unstored] = (struct along_unstored){ copy, 0 };
	return (int)s->n_unstored++;
}

/* Events that are new: their types. The encoding thread rests meanwhile. */
static int learn(struct session *s, const struct perf_dlfilter_sample *sample,
		 const struct perf_event_attr *attr, struct cdict_error *err)
{
	size_t bad = s->types.bad, n = s->types.n;
	char why[256];
	int ret = s->intake ? intake_idle(s->intake, err) : 0;

	if (!ret)
		ret = input_types(&s->input, &s->types, sample->event ? sample->event : "",
				  attr->config, attr->sample_type, why, sizeof(why), err);
	if (ret)
		return ret;
	if (s->types.bad > bad && !s->said_bad) {
		s->said_bad = true;
		session_say(s, "%s; such events are not stored", *why ? why : s->types.why);
	}
	if (s->types.n > n && cdict_writer_schema(s->w, types_schema(&s->types), err))
		return err->code;
	if (s->intake)
		return 0;
	return intake_new(&s->intake, s->w, types_schema(&s->types), &s->chains.dict, err);
}

/* Fills @k for the event of @attr. */
static int find_kind(struct session *s, struct session_kind *k,
		     const struct perf_dlfilter_sample *sample, const struct perf_event_attr *attr,
		     struct cdict_error *err)
{
	int event = -1, ret;

	*k = (struct session_kind){ attr, attr->config, attr->sample_type, FORMATS_UNSTORED, -1 };
	if (attr->type == PERF_TYPE_TRACEPOINT) {
		event = types_find(&s->types, attr->config, attr->sample_type);
		if (event < 0) {
			ret = learn(s, sample, attr, err);
			if (ret)
				return ret;
			event = types_find(&s->types, attr->config, attr->sample_type);
		}
	}
	if (event >= 0)
		k->type = types_of(&s->types, event);
	if (k->type == FORMATS_UNSTORED) {
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

static int late(struct session *s, const struct cdict_sample *to, struct cdict_error *err)
{
	struct cdict_late row = { to->cpu, to->t_ns, s->max_ns };

	buf_add(&s->late, &row, sizeof(row));
	return s->late.failed ? no_memory(err) : 0;
}

/* The place among samples of one time on other CPUs: as perf handed them out. */
static uint32_t order_of(struct session *s, uint64_t t_ns, uint32_t cpu)
{
	s->order += t_ns == s->prev_ns && cpu < s->prev_cpu;
	s->prev_ns = t_ns;
	s->prev_cpu = cpu;
	return s->order;
}

static int store(struct session *s, const struct perf_dlfilter_sample *sample, void *ctx,
		 struct cdict_error *err)
{
	const struct session_kind *k = kind_of(s, sample, ctx, err);
	struct intake_sample in = { .stack = CDICT_NO_STACK };
	struct cdict_sample *to = &in.sample;
	int ret;

	if (!k)
		return err->code;
	s->handed++;
	if (k->type == FORMATS_UNSTORED) {
		s->unstored[k->unstored].count++;
		return 0;
	}
	if (!sample->raw_data) {
		s->bad++;
		return 0;
	}
	to->t_ns = sample->time;
	to->cpu = sample->cpu < 0 ? CDICT_CPU_UNKNOWN : (uint32_t)sample->cpu;
	to->pid = sample->pid;
	to->tid = sample->tid;
	to->mode = sample->cpumode;
	to->order = order_of(s, to->t_ns, to->cpu);
	in.type = (uint32_t)k->type;
	in.raw = sample->raw_data;
	in.raw_size = sample->raw_size;
	if (to->t_ns < s->max_ns) {
		ret = late(s, to, err);
		if (ret)
			return ret;
	} else {
		s->max_ns = to->t_ns;
	}
	if (s->args.stacks)
		in.stack = chains_stack(&s->chains, s->fns, sample, ctx);
	ret = intake_add(s->intake, &in, err);
	if (ret == CDICT_ECORRUPT) {
		s->bad++;
		ret = 0;
	}
	return ret;
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
