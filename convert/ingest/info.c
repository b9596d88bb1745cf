/* SPDX-License-Identifier: GPL-2.0-only */
/* INFO pairs. */
#include "convert/ingest/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "cdict/version.h"

void info_text(struct info_pairs *p, const char *key, const char *value)
{
	if (!p->failed && value && *value)
		p->failed = cdict_writer_info(p->w, key, value, p->err);
}

void info_number(struct info_pairs *p, const char *key, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	info_text(p, key, value ? text : NULL);
}

void info_take(struct info_pairs *p, const char *key, struct buf *b)
{
	buf_u8(b, 0);
	if (!b->failed)
		info_text(p, key, (const char *)b->data);
	else if (!p->failed)
		p->failed = cdict_fail_nomem(p->err);
	buf_fini(b);
}

void info_list(struct info_pairs *p, const char *key, const int32_t *values, size_t n)
{
	struct buf b = { 0 };

	for (size_t i = 0; values && i < n; i++)
		buf_printf(&b, "%s%" PRId32, i ? "," : "", values[i]);
	info_take(p, key, &b);
}

/* Left out when the command line implies the same scope. */
static void write_scope(struct info_pairs *p, const struct scope *scope, const char *cmdline)
{
	char room[SCOPE_TEXT_MAX], known[SCOPE_TEXT_MAX];
	struct scope read;

	scope_read(&read, NULL, cmdline, false);
	if (strcmp(scope_text(room, scope), scope_text(known, &read)) ||
	    strcmp(room, scope_kind_name(SCOPE_SYSTEM)))
		info_text(p, "record.scope", room);
}

void info_begin(struct info_pairs *p, struct info_host *h, const struct info_recorder *r)
{
	char version[64];

	snprintf(version, sizeof(version), "cdict %s", cdict_version());
	info_text(p, "capture.version", version);
	info_text(p, "host.name", h->name);
	info_text(p, "host.kernel", h->kernel);
	info_text(p, "host.arch", h->arch);
	info_text(p, "host.cpu", h->cpu);
	info_text(p, "host.cpuid", h->cpuid);
	info_number(p, "host.memory_kb", h->memory_kb);
	info_number(p, "host.cpus_online", h->cpus_online);
	info_number(p, "host.cpus", h->cpus);
	info_text(p, "perf.version", r->perf_version);
	info_text(p, "perf.cmdline", r->cmdline);
	write_scope(p, &r->scope, r->cmdline);
	info_text(p, "clock.id", r->clock);
	info_number(p, "clock.wall_ns", r->wall_ns);
	info_number(p, "clock.mono_ns", r->clock_ns);
	info_list(p, "topology.core", h->core, h->n_topology);
	info_list(p, "topology.socket", h->socket, h->n_topology);
	info_list(p, "topology.die", h->die, h->n_topology);
	info_take(p, "topology.threads", &h->threads);
	info_take(p, "topology.numa", &h->numa);
}

uint64_t info_tsc_khz(uint32_t mult, unsigned shift)
{
	__extension__ unsigned __int128 khz = 1000000;

	if (!mult || shift >= 64)
		return 0;
	khz = ((khz << shift) + mult / 2) / mult;
	return khz >> 40 ? 0 : (uint64_t)khz; /* beyond 1000 THz it is no TSC's */
}

const char *info_clock(bool use_clockid, int clockid)
{
	switch (use_clockid ? clockid : -1) {
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
