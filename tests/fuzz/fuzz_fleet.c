/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a store holds: a value as it is, and as the body of one whose checksum is right; a job. What is taken can be
 * printed, and encoded again it tells the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fleet/job.h"
#include "fleet/value.h"
#include "format/codec.h"
#include "tests/fuzz/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int so)
{
	if (!so)
		abort();
}

static void print(const struct fleet_rows *rows)
{
	const struct fleet_table_options all = { 0 }, few = { .hidden = HIDE_NAME | HIDE_VCPU };
	struct table_frame frame = { .command = "fuzz", .file = "", .wide = true };

	for (int kind = 0; kind < FLEET_KINDS; kind++) {
		struct table *tables[] = { fleet_table(rows, (enum fleet_kind)kind, &all),
					   fleet_table(rows, (enum fleet_kind)kind, &few) };

		for (int format = TABLE_AS_TEXT; format <= TABLE_AS_MD; format++) {
			struct sink s;

			must(tables[0] && tables[1]);
			sink_to_memory(&s);
			must(!table_print(&s, (enum table_format)format, &frame, tables, 2));
			free(sink_take(&s, NULL));
		}
		table_free(tables[0]);
		table_free(tables[1]);
	}
}

/* Rows that were told apart are told apart again. */
static void again(const struct fleet_rows *rows, const struct fleet_window *window)
{
	struct fleet_rows read = { 0 };
	struct fleet_window w;
	struct buf b = { 0 };

	must(!fleet_value_encode(&b, rows, window, NULL));
	must(!fleet_value_decode(&read, b.data, b.len, &w, NULL));
	must(!memcmp(&w.from_ns, &window->from_ns, sizeof(w.from_ns)) && w.cpus == window->cpus &&
	     w.lost == window->lost && w.window_ns == window->window_ns);
	for (int kind = 0; kind < FLEET_KINDS; kind++)
		must(read.of[kind].n == rows->of[kind].n);
	fleet_rows_fini(&read);
	buf_fini(&b);
}

static void decode(const void *data, size_t size)
{
	struct cdict_error err = { 0 };
	struct fleet_rows rows = { 0 };
	struct fleet_window window;
	int rc = fleet_value_decode(&rows, data, size, &window, &err);

	must(!rc || (err.code == rc && err.text[0]));
	if (!rc && rows.n < 1000) {
		print(&rows);
		again(&rows, &window);
	}
	fleet_rows_fini(&rows);
}

static void as_body(const uint8_t *data, size_t size)
{
	struct buf b = { 0 };

	buf_add(&b, "CDFV\1\0", 6);
	buf_le32(&b, codec_crc(data, size));
	buf_le32(&b, (uint32_t)size);
	buf_add(&b, data, size);
	must(!b.failed);
	decode(b.data, b.len);
	buf_fini(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cdict_error err = { 0 };
	struct fleet_job job;
	struct buf b = { 0 };
	int rc;

	limits_begin(size);
	decode(data, size);
	as_body(data, size);
	rc = fleet_job_decode(&job, "2001", data, size, &err);
	must(!rc || (err.code == rc && err.text[0]));
	if (!rc) {
		fleet_job_encode(&b, &job);
		must(b.len <= size);
		buf_fini(&b);
	}
	limits_end();
	return 0;
}
