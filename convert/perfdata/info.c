/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns perf's header features into INFO pairs. */
#include "convert/perfdata/info.h"

#include <inttypes.h>
#include <string.h>

#include "base/fail.h"
#include "convert/ingest/info.h"

/* From the first event with a clock id; all have the same. */
static const char *clock_of(const struct perfdata *pd)
{
	for (size_t i = 0; i < perfdata_event_count(pd); i++) {
		const struct perfdata_event *ev = perfdata_event_at(pd, i);

		if (ev->use_clockid)
			return info_clock(true, (int)ev->clockid);
	}
	return info_clock(false, 0);
}

struct scope perfdata_info_scope(const struct perfdata *pd)
{
	const struct perfdata_features *f = perfdata_features(pd);
	struct scope s;

	scope_of_words(&s, f->cmdline, f->n_cmdline, (unsigned long)f->nrcpus_online);
	for (size_t i = 0; i < perfdata_event_count(pd); i++) {
		const struct perfdata_event *ev = perfdata_event_at(pd, i);

		s.overwritten |= ev->write_backward;
		/* perf also sets inherit with -a */
		if (!f->n_cmdline && ev->inherit && perfdata_recorded(pd) != PERFDATA_ALL)
			s.kind = SCOPE_TASKS;
	}
	if (!f->n_cmdline && perfdata_recorded(pd) == PERFDATA_SOME)
		s.kind = SCOPE_TASKS;
	return s;
}

static void words(struct buf *b, const char *const *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%s%s", i ? " " : "", text[i]);
}

int perfdata_info_write(struct cdict_writer *w, const struct perfdata *pd, struct cdict_error *err)
{
	const struct perfdata_features *f = perfdata_features(pd);
	struct info_pairs pairs = { .w = w, .err = err };
	struct buf cmdline = { 0 }, conversion = { 0 };
	struct info_host host = {
		.name = f->hostname,
		.kernel = f->osrelease,
		.arch = f->arch,
		.cpu = f->cpudesc,
		.cpuid = f->cpuid,
		.memory_kb = f->total_mem_kb,
		.cpus_online = f->nrcpus_online,
		.cpus = f->nrcpus_avail,
		.core = f->core_id,
		.socket = f->socket_id,
		.die = f->die_id,
		.n_topology = f->n_topology,
	};
	struct info_recorder recorder = {
		.perf_version = f->version,
		.scope = perfdata_info_scope(pd),
		.clock = clock_of(pd),
		.wall_ns = f->clock_data_wall_ns,
		.clock_ns = f->clock_data_clock_ns,
	};

	words(&cmdline, f->cmdline, f->n_cmdline);
	buf_u8(&cmdline, 0);
	recorder.cmdline = (const char *)cmdline.data;
	words(&host.threads, f->sibling_threads, f->n_sibling_threads);
	for (size_t i = 0; i < f->n_numa; i++)
		buf_printf(&host.numa, "%s%" PRIu32 ":%s", i ? ";" : "", f->numa[i].node,
			   f->numa[i].cpus ? f->numa[i].cpus : "");
	if (cmdline.failed)
		pairs.failed = cdict_fail_nomem(err);
	info_begin(&pairs, &host, &recorder);
	buf_fini(&cmdline);
	/* The kernel converts the TSC to perf's own clock only. */
	if (f->time_mult && !strcmp(recorder.clock, info_clock(false, 0))) {
		buf_printf(&conversion, "%" PRIu64 " %" PRIu64 " %" PRIu64, f->time_zero_ns,
			   f->time_mult, f->time_shift);
		info_take(&pairs, "clock.time_conv", &conversion);
		info_number(&pairs, "clock.tsc_khz",
			    info_tsc_khz((uint32_t)f->time_mult, (unsigned)f->time_shift));
	}
	return pairs.failed;
}
