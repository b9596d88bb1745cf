/* SPDX-License-Identifier: GPL-2.0-only */
/* INFO of a recording. */
#include "capture/head.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/fail.h"
#include "capture/host.h"
#include "convert/formats.h"
#include "format/writer.h"

#ifndef CDICT_BUILD_VERSION
#define CDICT_BUILD_VERSION "unknown"
#endif

void head_fini(struct head *h)
{
	buf_fini(&h->cpus);
	free(h->strings);
	h->strings = NULL;
}

void head_cpus(struct head *h, const bool *cpus, size_t n)
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

static int number(struct cdict_writer *w, const char *key, uint64_t value, struct cdict_error *err)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	return cdict_writer_info(w, key, text, err);
}

static int own_tids(const struct head *h, struct cdict_writer *w, struct cdict_error *err)
{
	struct buf b = { 0 };
	int ret;

	for (size_t i = 0; i < h->n_own; i++)
		buf_printf(&b, "%s%" PRId32, i ? "," : "", h->own[i]);
	buf_u8(&b, 0);
	ret = b.failed ? cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory")
		       : cdict_writer_info(w, "record.tids", (const char *)b.data, err);
	buf_fini(&b);
	return ret;
}

int head_write(const struct head *h, struct cdict_writer *w, struct cdict_error *err)
{
	int ret = cdict_writer_info(w, "capture.version", "cdict " CDICT_BUILD_VERSION, err);

	if (!ret)
		ret = host_info(w, err);
	if (!ret && h->cmdline)
		ret = cdict_writer_info(w, "perf.cmdline", h->cmdline, err);
	if (!ret)
		ret = cdict_writer_info(w, "clock.id", h->clock, err);
	if (!ret && h->paired)
		ret = number(w, "clock.wall_ns", h->wall_ns, err);
	if (!ret && h->paired)
		ret = number(w, "clock.mono_ns", h->clock_ns, err);
	if (!ret && !h->cpus.failed)
		ret = cdict_writer_info(w, "record.cpus", (const char *)h->cpus.data, err);
	if (!ret)
		ret = number(w, "record.ring_bytes", h->ring_bytes, err);
	if (!ret)
		ret = own_tids(h, w, err);
	if (!ret && h->strings && formats_need_strings(h->schema))
		ret = cdict_writer_info(w, "trace.strings", h->strings, err);
	if (!ret)
		ret = cdict_writer_schema(w, h->schema, err);
	/* Into the file now, not with the first events. */
	return ret ? ret : format_writer_flush(w, err);
}

int head_write_end(const struct head_end *e, struct cdict_writer *w, struct cdict_error *err)
{
	int ret = cdict_writer_info(w, "record.end", e->why, err);

	if (!ret && e->cpus)
		ret = cdict_writer_info(w, "record.cpus", e->cpus, err);
	if (!ret)
		ret = number(w, "captured.at_s", (uint64_t)time(NULL), err);
	if (!ret)
		ret = number(w, "record.own_cpu_ns", e->cpu_ns, err);
	if (!ret)
		ret = number(w, "record.own_wakeups", e->wakeups, err);
	if (!ret)
		ret = number(w, "record.dropped", e->dropped, err);
	return ret;
}
