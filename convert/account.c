/* SPDX-License-Identifier: GPL-2.0-only */
/* Counts losses, throttling, and events that are not stored. */
#include "convert/account.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "base/text/plural.h"
#include "convert/perfdata/cgroups.h"
#include "convert/perfdata/info.h"

/* PERF_RECORD_MISC_LOST_SAMPLES_BPF of Linux 6.12: samples that a BPF filter dropped on purpose;
 * not a loss. */
#define MISC_LOST_SAMPLES_BPF (1u << 15)
/* perf's own record types (from PERF_RECORD_USER_TYPE_START) describe the file. */
#define USER_TYPES 64u
/* perf of Linux 6.15 has its own types up to 84; simpleperf's begin at 32768. */
#define STRANGE_TYPES 128u
#define VENDOR_TYPES 32768u

void account_fini(struct account *a)
{
	array_fini(&a->events);
	*a = (struct account){ 0 };
}

static bool is_task(uint32_t type)
{
	return type == PERF_RECORD_FORK || type == PERF_RECORD_EXIT || type == PERF_RECORD_COMM;
}

static bool is_lost(uint32_t type)
{
	return type == PERF_RECORD_LOST || type == PERF_RECORD_LOST_SAMPLES;
}

static bool is_loss(uint32_t type)
{
	return is_lost(type) || type == PERF_RECORD_THROTTLE || type == PERF_RECORD_UNTHROTTLE;
}

/* Whether it concerns only samples of an event that is no tracepoint: these are fewer for a while,
 * but no tracepoint is lost. */
static bool is_sampling_throttled(const struct perfdata *pd, const struct perfdata_record *rec)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, perfdata_big_endian(pd));
	int event;

	if (rec->type != PERF_RECORD_THROTTLE && rec->type != PERF_RECORD_UNTHROTTLE)
		return false;
	cursor_skip(&c, 8); /* time */
	event = perfdata_event_by_id(pd, cursor_u64(&c));
	if (event < 0 && perfdata_event_count(pd) == 1)
		event = 0;
	return event >= 0 &&
	       perfdata_event_at(pd, (size_t)event)->attr_type != PERF_TYPE_TRACEPOINT;
}

/* The CPU of a record: from its trailer, or from the id of the event that it is about. */
static uint32_t record_cpu(const struct perfdata *pd, const struct perfdata_record *rec,
			   const struct perfdata_sample_id *id)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, perfdata_big_endian(pd));
	bool trailed = id->has_cpu && id->cpu < INGEST_CPUS_MAX;
	uint64_t event_id = id->id;
	int cpu;

	if (trailed && id->time)
		return id->cpu;
	if (rec->type != PERF_RECORD_LOST_SAMPLES) {
		if (rec->type != PERF_RECORD_LOST)
			cursor_skip(&c, 8); /* time */
		event_id = cursor_u64(&c);
	}
	cpu = perfdata_id_cpu(pd, event_id);
	return cpu >= 0 && cpu < (int)INGEST_CPUS_MAX ? (uint32_t)cpu : CDICT_CPU_UNKNOWN;
}

static int lost(struct ingest *in, const struct perfdata_record *rec, bool big,
		const struct perfdata_sample_id *id, uint32_t cpu, struct cdict_loss *loss,
		struct cdict_error *err)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, big);
	bool samples = rec->type == PERF_RECORD_LOST_SAMPLES;
	uint64_t count;

	if (!samples)
		cursor_skip(&c, 8); /* id of the event */
	count = cursor_u64(&c);
	if (!cursor_ok(&c) || (samples && rec->misc & MISC_LOST_SAMPLES_BPF))
		return 0;
	if (samples && !id->time)
		return ingest_counted(in, cpu, count, err);
	return ingest_lost(in, samples ? CDICT_LOSS_SAMPLES : CDICT_LOSS_RING, cpu, id->time, count,
			   loss, err);
}

static int throttle(struct ingest *in, const struct perfdata_record *rec, bool big, uint32_t cpu,
		    struct cdict_error *err)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, big);
	uint64_t t_ns = cursor_u64(&c);

	cursor_u64(&c); /* id of the event */
	if (!cursor_ok(&c))
		return 0;
	return ingest_throttle(in, cpu, t_ns, rec->type == PERF_RECORD_THROTTLE, err);
}

static int task(struct ingest *in, const struct perfdata_record *rec, bool big,
		const struct perfdata_sample_id *id, struct cdict_error *err)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, big);
	struct cdict_task_event ev = { .what = CDICT_TASK_FORK };

	ev.pid = (int32_t)cursor_u32(&c);
	if (rec->type == PERF_RECORD_COMM) {
		ev.what = rec->misc & PERF_RECORD_MISC_COMM_EXEC ? CDICT_TASK_EXEC
								 : CDICT_TASK_COMM;
		ev.tid = (int32_t)cursor_u32(&c);
		ev.comm = cursor_text(&c, NULL);
		ev.t_ns = id->has_time ? id->time : 0;
	} else {
		if (rec->type == PERF_RECORD_EXIT)
			ev.what = CDICT_TASK_EXIT;
		ev.ppid = (int32_t)cursor_u32(&c);
		ev.tid = (int32_t)cursor_u32(&c);
		ev.ptid = (int32_t)cursor_u32(&c);
		ev.t_ns = cursor_u64(&c);
	}
	return cursor_ok(&c) ? ingest_task(in, &ev, err) : 0;
}

int account_record_of(struct ingest *in, const struct perfdata_record *rec, bool big,
		      const struct perfdata_sample_id *id, uint32_t cpu, struct cdict_loss *loss,
		      struct cdict_error *err)
{
	if (loss)
		*loss = (struct cdict_loss){ 0 };
	if (is_task(rec->type))
		return task(in, rec, big, id, err);
	if (is_lost(rec->type))
		return lost(in, rec, big, id, cpu, loss, err);
	return is_loss(rec->type) ? throttle(in, rec, big, cpu, err) : 0;
}

int account_record(struct account *a, struct ingest *in, const struct perfdata *pd,
		   const struct perfdata_record *rec, struct cdict_error *err)
{
	struct perfdata_sample_id id;

	if (is_task(rec->type) || (is_loss(rec->type) && !is_sampling_throttled(pd, rec))) {
		perfdata_sample_id(pd, rec, &id);
		return account_record_of(in, rec, perfdata_big_endian(pd), &id,
					 is_loss(rec->type) ? record_cpu(pd, rec, &id)
							    : CDICT_CPU_UNKNOWN,
					 NULL, err);
	}
	if (rec->type < USER_TYPES)
		a->types[rec->type]++;
	else if (rec->type >= STRANGE_TYPES && rec->type - VENDOR_TYPES >= 256 && !a->strange++)
		a->strange_type = rec->type;
	return 0;
}

int account_unstored(struct account *a, int event, uint64_t n, struct cdict_error *err)
{
	if (event < 0) {
		a->orphans += n;
		return 0;
	}
	if ((size_t)event >= a->events.n && array_resize(&a->events, (size_t)event + 1))
		return cdict_fail_nomem(err);
	a->events.at[event] += n;
	return 0;
}

static int add_row(struct convert_report *report, const char *name, uint64_t count,
		   struct cdict_error *err)
{
	for (size_t i = 0; i < report->unstored.n; i++)
		if (!strcmp(report->unstored.at[i].name, name)) {
			report->unstored.at[i].count += count;
			return 0;
		}
	return convert_unstored_add(report, name, count, err);
}

static int list_unstored(struct account *a, struct cdict_writer *w, const struct perfdata *pd,
			 struct convert_report *report, struct cdict_error *err)
{
	char name[64];
	int ret = 0;

	for (size_t i = 0; i < a->events.n && !ret; i++) {
		const struct perfdata_event *ev =
			i < perfdata_event_count(pd) ? perfdata_event_at(pd, i) : NULL;

		if (!ev || !*ev->name) {
			snprintf(name, sizeof(name), "event %zu", i);
			ret = add_row(report, name, a->events.at[i], err);
		} else {
			ret = add_row(report, ev->name, a->events.at[i], err);
		}
	}
	if (!ret)
		ret = add_row(report, "samples of an unknown event", a->orphans, err);
	for (uint32_t i = 0; i < USER_TYPES && !ret; i++) {
		const char *type = perfdata_type_name(i);

		if (i == PERFDATA_RECORD_CGROUP) /* its paths become labels */
			continue;
		if (type)
			snprintf(name, sizeof(name), "PERF_RECORD_%s", type);
		else
			snprintf(name, sizeof(name), "record type %u", i);
		ret = add_row(report, name, a->types[i], err);
	}
	return ret ? ret : convert_unstored_write(report, w, err);
}

static void say_damage(const struct account *a, const struct perfdata *pd, const char *wrong,
		       struct convert_report *r)
{
	const char *first = perfdata_damage(pd);

	if (*first)
		snprintf(r->damage, sizeof(r->damage), "%s", first);
	else if (*wrong)
		snprintf(r->damage, sizeof(r->damage), "%s", wrong);
	else if (r->bad_samples)
		snprintf(r->damage, sizeof(r->damage), "%s sample%s shorter than %s fields",
			 GROUPED(r->bad_samples), r->bad_samples == 1 ? " is" : "s are",
			 r->bad_samples == 1 ? "its" : "their");
	else if (a->strange)
		snprintf(r->damage, sizeof(r->damage),
			 "%s record%s a type that perf does not write: %u", GROUPED(a->strange),
			 a->strange == 1 ? " has" : "s have", a->strange_type);
	else if (a->orphans)
		snprintf(r->damage, sizeof(r->damage),
			 "%s sample%s an event that the file does not describe",
			 GROUPED(a->orphans), a->orphans == 1 ? " has" : "s have");
	r->damaged = r->damage[0];
}

/* Writes the scope, which is complete after all samples were read. */
static int report_scope(struct cdict_writer *w, const struct perfdata *pd,
			const struct ingest *samples, struct cdict_error *err)
{
	struct scope scope = perfdata_info_scope(pd);
	char text[SCOPE_TEXT_MAX];

	scope.foreign = store_foreign(store_counts(samples->opts.store));
	scope.begins_ns = ingest_begins(samples, &scope);
	if (!scope.foreign && !scope.begins_ns)
		return 0;
	return cdict_writer_info(w, "record.scope", scope_text(text, &scope), err);
}

int account_close(struct account *a, struct cdict_writer *w, const struct perfdata *pd,
		  const char *wrong, const struct ingest *samples, struct convert_report *r,
		  struct cdict_error *err)
{
	char number[24];
	int ret = list_unstored(a, w, pd, r, err);

	r->bytes_in = perfdata_bytes_read(pd);
	say_damage(a, pd, wrong, r);
	snprintf(number, sizeof(number), "%" PRIu64, r->bytes_in);
	if (!ret)
		ret = cdict_writer_info(w, "input.bytes", number, err);
	if (!ret)
		ret = cdict_writer_info(w, "input.mode", perfdata_pipe_mode(pd) ? "pipe" : "file",
					err);
	if (!ret)
		ret = report_scope(w, pd, samples, err);
	if (!ret && r->damaged)
		ret = cdict_writer_info(w, "input.damage", r->damage, err);
	return ret;
}
