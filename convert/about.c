/* SPDX-License-Identifier: GPL-2.0-only */
/* perf's header features -> INFO pairs. */
#include "convert/about.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/fail.h"

#ifndef CDICT_VERSION
#define CDICT_VERSION "0.1.0"
#endif

struct about {
	struct cdict_writer *w;
	struct cdict_error *err;
	int failed;
};

static void text(struct about *a, const char *key, const char *value)
{
	if (!a->failed && value && *value)
		a->failed = cdict_writer_info(a->w, key, value, a->err);
}

static void number(struct about *a, const char *key, uint64_t value)
{
	char s[24];

	if (!value)
		return;
	snprintf(s, sizeof(s), "%" PRIu64, value);
	text(a, key, s);
}

/* The buffer's text so far as a value; empties it. */
static void buffer(struct about *a, const char *key, struct buf *b)
{
	buf_u8(b, 0);
	if (b->failed)
		a->failed = cdict_fail(a->err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	else
		text(a, key, (const char *)b->data);
	b->len = 0;
}

static void list(struct about *a, const char *key, const int32_t *values, size_t n, struct buf *b)
{
	for (size_t i = 0; values && i < n; i++)
		buf_printf(b, "%s%" PRId32, i ? "," : "", values[i]);
	buffer(a, key, b);
}

static const char *clock_name(int id)
{
	switch (id) {
	case CLOCK_REALTIME:
		return "realtime";
	case CLOCK_MONOTONIC:
		return "monotonic";
	case CLOCK_MONOTONIC_RAW:
		return "monotonic_raw";
	case CLOCK_BOOTTIME:
		return "boottime";
	case CLOCK_TAI:
		return "tai";
	default:
		return "perf";
	}
}

static void clock_info(struct about *a, const struct perfdata *pd,
		       const struct perfdata_features *f)
{
	const char *name = "perf";

	for (size_t i = 0; i < perfdata_event_count(pd); i++) {
		const struct perfdata_event *ev = perfdata_event_at(pd, i);

		if (ev->use_clockid) {
			name = clock_name((int)ev->clockid);
			break;
		}
	}
	text(a, "clock.id", name);
	if (f->has_clock_data) {
		number(a, "clock.wall_ns", f->clock_data_wall_ns);
		number(a, "clock.mono_ns", f->clock_data_clock_ns);
	}
	if (f->captured_at_s > 0)
		number(a, "captured.at_s", (uint64_t)f->captured_at_s);
}

int about_write(struct cdict_writer *w, const struct perfdata *pd, struct cdict_error *err)
{
	const struct perfdata_features *f = perfdata_features(pd);
	struct about a = { .w = w, .err = err };
	struct buf b = { 0 };

	text(&a, "capture.version", "cdict " CDICT_VERSION);
	text(&a, "host.name", f->hostname);
	text(&a, "host.kernel", f->osrelease);
	text(&a, "host.arch", f->arch);
	text(&a, "host.cpu", f->cpudesc);
	text(&a, "host.cpuid", f->cpuid);
	number(&a, "host.memory_kb", f->total_mem_kb);
	number(&a, "host.cpus_online", f->nrcpus_online);
	number(&a, "host.cpus", f->nrcpus_avail);
	text(&a, "perf.version", f->version);
	for (size_t i = 0; i < f->n_cmdline; i++)
		buf_printf(&b, "%s%s", i ? " " : "", f->cmdline[i]);
	buffer(&a, "perf.cmdline", &b);
	clock_info(&a, pd, f);
	list(&a, "topology.core", f->core_id, f->n_topology, &b);
	list(&a, "topology.socket", f->socket_id, f->n_topology, &b);
	list(&a, "topology.die", f->die_id, f->n_topology, &b);
	for (size_t i = 0; i < f->n_sibling_threads; i++)
		buf_printf(&b, "%s%s", i ? " " : "", f->sibling_threads[i]);
	buffer(&a, "topology.threads", &b);
	for (size_t i = 0; i < f->n_numa; i++)
		buf_printf(&b, "%s%" PRIu32 ":%s", i ? ";" : "", f->numa[i].node,
			   f->numa[i].cpus ? f->numa[i].cpus : "");
	buffer(&a, "topology.numa", &b);
	buf_fini(&b);
	return a.failed;
}
