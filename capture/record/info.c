/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the INFO blocks of a recording. */
#include "capture/record/info.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/fail.h"
#include "capture/host/clock.h"
#include "capture/host/host.h"
#include "convert/formats.h"
#include "convert/ingest/info.h"
#include "format/file/writer.h"

void record_info_fini(struct record_info *h)
{
	buf_fini(&h->cpus);
	ties_fini(&h->ties);
	free(h->strings);
	h->strings = NULL;
}

void record_info_cpus(struct record_info *h, const bool *cpus, size_t n)
{
	h->cpus.len = 0;
	for (size_t i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && cpus[i] && cpus[j];)
			j++;
		if (!cpus[i])
			continue;
		buf_printf(&h->cpus, h->cpus.len ? ",%zu" : "%zu", i);
		if (j > i + 1)
			buf_printf(&h->cpus, "-%zu", j - 1);
	}
	buf_u8(&h->cpus, 0);
}

int record_info_begin(const struct record_info *h, struct cdict_writer *w, struct cdict_error *err)
{
	struct info_pairs pairs = { .w = w, .err = err };
	struct info_recorder recorder = { .cmdline = h->cmdline,
					  .scope = h->scope,
					  .clock = h->clock,
					  .wall_ns = h->wall_ns,
					  .clock_ns = h->clock_ns };
	struct host host;

	host_read(&host);
	if (h->host)
		host.info.name = h->host;
	info_begin(&pairs, &host.info, &recorder);
	host_fini(&host);
	ties_write_begin(&pairs, &h->ties);
	if (!h->cpus.failed)
		info_text(&pairs, "record.cpus", (const char *)h->cpus.data);
	info_number(&pairs, "record.ring_bytes", h->ring_bytes);
	info_list(&pairs, "record.tids", h->own, h->n_own);
	for (size_t i = 0; h->start && i < sizeof(h->start->info) / sizeof(*h->start->info); i++)
		if (h->start->info[i].key)
			info_text(&pairs, h->start->info[i].key, h->start->info[i].value);
	if (formats_need_strings(h->schema))
		info_text(&pairs, "trace.strings", h->strings);
	if (!pairs.failed)
		pairs.failed = cdict_writer_schema(w, h->schema, err);
	/* Write it to the file now, not with the first events. */
	return pairs.failed ? pairs.failed : format_writer_flush(w, err);
}

int record_info_end(const struct record_info *h, const struct record_info_end *e,
		    struct cdict_writer *w, struct cdict_error *err)
{
	struct info_pairs pairs = { .w = w, .err = err };
	struct clock *clock = clock_open(h->use_clockid, h->clockid);
	struct ties ties;
	char dropped[24], scope[SCOPE_TEXT_MAX];

	snprintf(dropped, sizeof(dropped), "%" PRIu64, e->dropped);
	info_text(&pairs, "record.end", e->why);
	info_text(&pairs, "record.cpus", e->cpus);
	info_number(&pairs, "captured.at_s", (uint64_t)time(NULL));
	info_number(&pairs, "record.own_cpu_ns", e->cpu_ns);
	info_number(&pairs, "record.own_wakeups", e->wakeups);
	info_text(&pairs, "record.dropped", dropped); /* also when it is 0 */
	if (e->scope.begins_ns)
		info_text(&pairs, "record.scope", scope_text(scope, &e->scope));
	ties_take(&ties, clock);
	clock_close(clock);
	ties_write_end(&pairs, &h->ties, &ties);
	ties_fini(&ties);
	return pairs.failed;
}
