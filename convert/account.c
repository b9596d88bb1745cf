/* SPDX-License-Identifier: GPL-2.0-only */
/* Loss, throttling and what is not stored. */
#include "convert/account.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cursor.h"
#include "base/fail.h"

/* PERF_RECORD_MISC_LOST_SAMPLES_BPF of Linux 6.12: samples a BPF filter dropped on
 * purpose, no loss. */
#define MISC_LOST_SAMPLES_BPF (1u << 15)
/* perf's own record types (PERF_RECORD_USER_TYPE_START): they describe the file. */
#define USER_TYPES 64u
/* perf of Linux 6.15 counts its own up to 84; simpleperf's begin at 32768. */
#define STRANGE_TYPES 128u
#define VENDOR_TYPES 32768u

void account_fini(struct account *a)
{
	free(a->cpus);
	free(a->events);
	*a = (struct account){ 0 };
}

static int no_memory(struct cdict_error *err)
{
	return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
}

static struct account_cpu *cpu_of(struct account *a, uint32_t cpu)
{
	size_t i = cpu == CDICT_CPU_UNKNOWN ? 0 : (size_t)cpu + 1, n = a->n ? a->n : 16;
	struct account_cpu *cpus;

	if (i < a->n)
		return &a->cpus[i];
	while (n <= i)
		n *= 2;
	cpus = realloc(a->cpus, n * sizeof(*cpus));
	if (!cpus)
		return NULL;
	memset(cpus + a->n, 0, (n - a->n) * sizeof(*cpus));
	a->cpus = cpus;
	a->n = n;
	return &cpus[i];
}

/* The CPU of a record: its trailer's, or that of its id. */
static uint32_t record_cpu(const struct perfdata *pd, const struct perfdata_sample_id *id,
			   uint64_t event_id)
{
	int cpu;

	if (id->has_cpu && id->cpu < PENDING_MAX_CPUS && id->time)
		return id->cpu;
	cpu = perfdata_id_cpu(pd, event_id);
	if (cpu >= 0 && cpu < (int)PENDING_MAX_CPUS)
		return (uint32_t)cpu;
	return id->has_cpu && id->cpu < PENDING_MAX_CPUS && id->time ? id->cpu : CDICT_CPU_UNKNOWN;
}

static int lost(struct account *a, struct cdict_writer *w, const struct perfdata *pd,
		const struct perfdata_record *rec, struct pending *pending, struct cdict_error *err)
{
	bool big = perfdata_big_endian(pd), samples = rec->type == PERF_RECORD_LOST_SAMPLES;
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, big);
	struct perfdata_sample_id id;
	struct account_cpu *cpu;
	struct pending_cpu *p;
	struct cdict_loss loss = { .type = CDICT_TYPE_ANY };
	uint64_t event_id;

	perfdata_sample_id(pd, rec, &id);
	event_id = samples ? id.id : cursor_u64(&c);
	loss.count = cursor_u64(&c);
	if (!cursor_ok(&c) || (samples && rec->misc & MISC_LOST_SAMPLES_BPF))
		return 0;
	loss.cpu = record_cpu(pd, &id, event_id);
	cpu = cpu_of(a, loss.cpu);
	p = pending_cpu(pending, loss.cpu);
	if (!cpu || !p)
		return no_memory(err);
	if (samples && !id.time) {
		cpu->counted += loss.count;
		return 0;
	}
	if (samples)
		loss.what = CDICT_LOSS_SAMPLES;
	else
		cpu->lost += loss.count;
	loss.to_ns = id.has_time ? id.time : p->max_ns;
	loss.from_ns = p->max_ns < loss.to_ns ? p->max_ns : loss.to_ns;
	a->lost += loss.count;
	return cdict_writer_loss(w, &loss, err);
}

static int throttle(struct account *a, struct cdict_writer *w, const struct perfdata *pd,
		    const struct perfdata_record *rec, struct cdict_error *err)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, perfdata_big_endian(pd));
	uint64_t time = cursor_u64(&c), event_id = cursor_u64(&c);
	struct cdict_loss loss = { .what = CDICT_LOSS_THROTTLE, .type = CDICT_TYPE_ANY };
	struct perfdata_sample_id id;
	struct account_cpu *cpu;

	if (!cursor_ok(&c))
		return 0;
	perfdata_sample_id(pd, rec, &id);
	loss.cpu = record_cpu(pd, &id, event_id);
	cpu = cpu_of(a, loss.cpu);
	if (!cpu)
		return no_memory(err);
	if (rec->type == PERF_RECORD_THROTTLE) {
		cpu->throttled_ns = time ? time : 1;
		return 0;
	}
	if (!cpu->throttled_ns)
		return 0;
	loss.from_ns = cpu->throttled_ns;
	loss.to_ns = time > loss.from_ns ? time : loss.from_ns;
	cpu->throttled_ns = 0;
	return cdict_writer_loss(w, &loss, err);
}

static int task(struct cdict_writer *w, const struct perfdata *pd,
		const struct perfdata_record *rec, struct cdict_error *err)
{
	struct cursor c = cursor_init(rec->data + 8, rec->size - 8, perfdata_big_endian(pd));
	struct cdict_task_event ev = { .what = CDICT_TASK_FORK };
	struct perfdata_sample_id id;

	ev.pid = (int32_t)cursor_u32(&c);
	if (rec->type == PERF_RECORD_COMM) {
		ev.what = rec->misc & PERF_RECORD_MISC_COMM_EXEC ? CDICT_TASK_EXEC
								 : CDICT_TASK_COMM;
		ev.tid = (int32_t)cursor_u32(&c);
		ev.comm = cursor_text(&c, NULL);
		perfdata_sample_id(pd, rec, &id);
		ev.t_ns = id.has_time ? id.time : 0;
	} else {
		if (rec->type == PERF_RECORD_EXIT)
			ev.what = CDICT_TASK_EXIT;
		ev.ppid = (int32_t)cursor_u32(&c);
		ev.tid = (int32_t)cursor_u32(&c);
		ev.ptid = (int32_t)cursor_u32(&c);
		ev.t_ns = cursor_u64(&c);
	}
	return cursor_ok(&c) ? cdict_writer_task(w, &ev, err) : 0;
}

int account_record(struct account *a, struct cdict_writer *w, const struct perfdata *pd,
		   const struct perfdata_record *rec, struct pending *pending,
		   struct cdict_error *err)
{
	switch (rec->type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
	case PERF_RECORD_COMM:
		return task(w, pd, rec, err);
	case PERF_RECORD_LOST:
	case PERF_RECORD_LOST_SAMPLES:
		return lost(a, w, pd, rec, pending, err);
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		return throttle(a, w, pd, rec, err);
	}
	if (rec->type < USER_TYPES)
		a->types[rec->type]++;
	else if (rec->type >= STRANGE_TYPES && rec->type - VENDOR_TYPES >= 256 && !a->strange++)
		a->strange_type = rec->type;
	return 0;
}

bool account_unstored(struct account *a, int event)
{
	if (event < 0) {
		a->orphans++;
		return true;
	}
	if ((size_t)event >= a->n_events) {
		size_t n = (size_t)event + 64;
		uint64_t *events = realloc(a->events, n * sizeof(*events));

		if (!events)
			return false;
		memset(events + a->n_events, 0, (n - a->n_events) * sizeof(*events));
		a->events = events;
		a->n_events = n;
	}
	a->events[event]++;
	return true;
}

static int add_row(struct convert_report *report, const char *name, uint64_t count,
		   struct cdict_error *err)
{
	struct convert_unstored *rows;

	if (!count)
		return 0;
	for (size_t i = 0; i < report->n_unstored; i++)
		if (!strcmp(report->unstored[i].name, name)) {
			report->unstored[i].count += count;
			return 0;
		}
	rows = realloc(report->unstored, (report->n_unstored + 1) * sizeof(*rows));
	if (!rows)
		return no_memory(err);
	report->unstored = rows;
	rows[report->n_unstored].name = strdup(name);
	rows[report->n_unstored].count = count;
	return rows[report->n_unstored++].name ? 0 : no_memory(err);
}

static int by_count(const void *a, const void *b)
{
	const struct convert_unstored *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	return strcmp(x->name, y->name);
}

static int list_unstored(struct account *a, struct cdict_writer *w, const struct perfdata *pd,
			 struct convert_report *report, struct cdict_error *err)
{
	char name[64];
	int ret = 0;

	for (size_t i = 0; i < a->n_events && !ret; i++) {
		const struct perfdata_event *ev =
			i < perfdata_event_count(pd) ? perfdata_event_at(pd, i) : NULL;

		if (!ev || !*ev->name) {
			snprintf(name, sizeof(name), "event %zu", i);
			ret = add_row(report, name, a->events[i], err);
		} else {
			ret = add_row(report, ev->name, a->events[i], err);
		}
	}
	if (!ret)
		ret = add_row(report, "samples of an unknown event", a->orphans, err);
	for (uint32_t i = 0; i < USER_TYPES && !ret; i++) {
		const char *type = perfdata_type_name(i);

		if (type)
			snprintf(name, sizeof(name), "PERF_RECORD_%s", type);
		else
			snprintf(name, sizeof(name), "record type %u", i);
		ret = add_row(report, name, a->types[i], err);
	}
	if (ret)
		return ret;
	if (report->n_unstored)
		qsort(report->unstored, report->n_unstored, sizeof(*report->unstored), by_count);
	for (size_t i = 0; i < report->n_unstored && !ret; i++)
		ret = cdict_writer_unstored(w, report->unstored[i].name, report->unstored[i].count,
					    err);
	return ret;
}

int account_finish(struct account *a, struct cdict_writer *w, const struct perfdata *pd,
		   struct pending *pending, struct convert_report *report, struct cdict_error *err)
{
	int ret = 0;

	for (size_t i = 0; i < a->n && !ret; i++) {
		const struct account_cpu *cpu = &a->cpus[i];
		struct cdict_loss loss = {
			.cpu = i ? (uint32_t)(i - 1) : CDICT_CPU_UNKNOWN,
			.type = CDICT_TYPE_ANY,
			.from_ns = i < pending->n ? pending->cpus[i].max_ns : 0,
			.to_ns = report->last_ns,
		};

		if (!loss.from_ns)
			loss.from_ns = report->first_ns;
		if (loss.to_ns < loss.from_ns)
			loss.to_ns = loss.from_ns;
		if (cpu->counted > cpu->lost) {
			loss.what = CDICT_LOSS_SAMPLES;
			loss.count = cpu->counted - cpu->lost;
			a->lost += loss.count;
			ret = cdict_writer_loss(w, &loss, err);
		}
		if (!ret && cpu->throttled_ns) {
			loss.what = CDICT_LOSS_THROTTLE;
			loss.count = 0;
			if (cpu->throttled_ns < loss.to_ns)
				loss.from_ns = cpu->throttled_ns;
			ret = cdict_writer_loss(w, &loss, err);
		}
	}
	for (size_t i = 0; i < pending->n && !ret; i++) {
		const struct pending_cpu *p = &pending->cpus[i];
		struct cdict_loss loss = {
			.what = CDICT_LOSS_DISORDER,
			.cpu = i ? (uint32_t)(i - 1) : CDICT_CPU_UNKNOWN,
			.type = CDICT_TYPE_ANY,
			.from_ns = p->late_first_ns,
			.to_ns = p->late_last_ns,
			.count = p->late,
		};

		report->disordered += p->sorted + p->late;
		if (p->late)
			ret = cdict_writer_loss(w, &loss, err);
	}
	report->lost = a->lost;
	return ret ? ret : list_unstored(a, w, pd, report, err);
}
