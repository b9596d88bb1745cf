/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An I/O trace, as it is, and as text in gzip members: converted; the output is complete, adds up
 * with the lines of the input, and its args are JSON. Threads do not change it.
 */
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "base/memory/buf.h"
#include "base/text/json_text.h"
#include "convert/pfw/import.h"
#include "query/sql/rows/active.h"
#include "tests/fuzz/lib/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool so)
{
	if (!so)
		abort();
}

static int to_buf(void *ctx, const void *data, size_t size)
{
	buf_add(ctx, data, size);
	return 0;
}

/* Into @out; false: it was refused. */
static bool converted(const char *name, unsigned jobs, struct buf *out,
		      struct convert_report *report)
{
	struct convert_options opts = { .jobs = jobs };
	struct cdict_error err = { 0 };
	struct pfw *p;
	int ret = pfw_open(&p, &name, 1, &err);

	out->len = 0;
	must(!ret);
	ret = pfw_run(p, &opts, to_buf, out, report, &err);
	must(!ret || err.text[0]);
	pfw_close(p);
	return !ret;
}

static void check_events(struct cdict_reader *r)
{
	struct cdict_error err;
	struct cdict_events *it;
	struct cdict_event ev;

	must(!cdict_events_open(&it, r, NULL, &err));
	while (cdict_events_next(it, &ev, &err) > 0) {
		int args = cdict_event_type_field(ev.type, "args");
		struct cdict_bytes b = cdict_event_bytes(&ev, (size_t)args);

		must(args >= 0 && cdict_event_type_field(ev.type, "dur") >= 0);
		must(!b.len || json_text_is_value((const char *)b.data, b.len));
	}
	cdict_events_close(it);
}

/* For each active interval, the overlapping ones are a subset of all, and complete. */
static void check_active(struct cdict_reader *r)
{
	struct active_options opts = { .file = "", .jobs = 1 };
	struct cdict_error err;
	struct active a;
	uint64_t count = 0;

	must(!active_sums(&a, r, &opts, &err));
	for (size_t i = 0; i < a.rows.n; i++)
		count += a.rows.at[i].count;
	must(count <= cdict_reader_events(r));
	for (size_t i = 1; i < a.intervals.n; i++)
		must(a.intervals.at[i - 1].to_ns < a.intervals.at[i].from_ns);
	active_fini(&a);
}

static void whole(const struct buf *out, const struct convert_report *report)
{
	struct cdict_error err;
	struct cdict_reader *r;

	must(!cdict_reader_parse(&r, out->data, out->len, &err) && !cdict_reader_verify(r, &err));
	must(cdict_reader_events(r) == report->events);
	walk_all(r);
	check_events(r);
	check_active(r);
	cdict_reader_close(r);
}

static void file(const void *data, size_t size, bool threads)
{
	int fd = memfd_create("pfw", MFD_CLOEXEC);
	struct convert_report report, again;
	struct buf out = { 0 }, other = { 0 };
	char name[64];

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	if (converted(name, 1, &out, &report)) {
		whole(&out, &report);
		if (threads) {
			must(converted(name, 3, &other, &again) && again.events == report.events &&
			     other.len == out.len && !memcmp(other.data, out.data, out.len));
			convert_report_fini(&again);
		}
	}
	convert_report_fini(&report);
	buf_fini(&out);
	buf_fini(&other);
	close(fd);
}

/* The text as members of about so many bytes each. */
static void members(struct buf *out, const uint8_t *data, size_t size, size_t each)
{
	while (size) {
		size_t n = size < each ? size : each;
		z_stream z = { .next_in = (Bytef *)data, .avail_in = (uInt)n };
		uint8_t *room;

		must(deflateInit2(&z, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) == Z_OK);
		room = buf_room(out, deflateBound(&z, n) + 64);
		must(room);
		z.next_out = room;
		z.avail_out = (uInt)deflateBound(&z, n) + 64;
		must(deflate(&z, Z_FINISH) == Z_STREAM_END);
		out->len += z.total_out;
		deflateEnd(&z);
		data += n;
		size -= n;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf gzip = { 0 };

	file(data, size, size && data[0] & 1);
	if (size > 2 && data[0] != 0x1f && !(data[size / 2] & 3)) {
		members(&gzip, data, size, 1 + size / 3);
		file(gzip.data, gzip.len, false);
	}
	buf_fini(&gzip);
	return 0;
}
