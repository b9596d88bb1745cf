/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The contents of a store: a value or rollup as it is, and as the body of one whose checksum is right; a job;
 * waiting recordings, and a start. Accepted values can be printed, and encoded again they are the
 * same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "format/coding/codec.h"
#include "query/fleet/figures/figures.h"
#include "query/fleet/values/rollup.h"
#include "query/fleet/figures/start.h"
#include "query/fleet/values/value.h"
#include "query/fleet/store/job.h"
#include "tests/fuzz/lib/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int so)
{
	if (!so)
		abort();
}

static void print(const struct fleet_rows *rows, size_t size)
{
	const struct fleet_table_options all = { 0 }, few = { .hidden = HIDE_NAME | HIDE_VCPU };
	struct table_frame frame = { .command = "fuzz", .file = "", .wide = true };

	for (int kind = 0; kind < FLEET_BEHIND; kind++) {
		struct table *tables[] = { fleet_table(rows, (enum fleet_kind)kind, &all),
					   fleet_table(rows, (enum fleet_kind)kind, &few) };

		for (int format = TABLE_AS_TEXT; format <= TABLE_AS_OPENMETRICS; format++) {
			struct sink s;
			size_t len;

			must(tables[0] && tables[1]);
			sink_to_memory(&s);
			must(!table_print(&s, (enum table_format)format, &frame, tables, 2));
			free(sink_take(&s, &len));
			limits_output(len, size);
		}
		table_free(tables[0]);
		table_free(tables[1]);
	}
}

static void print_behind(const struct fleet_rows *rows, size_t size)
{
	struct table_frame frame = { .command = "fuzz", .file = "" };
	struct table *t = fleet_behind_table(rows, NULL);

	must(t && !t->failed);
	for (int format = TABLE_AS_TEXT; format <= TABLE_AS_OPENMETRICS; format++) {
		struct sink s;
		size_t len;

		sink_to_memory(&s);
		must(!table_print(&s, (enum table_format)format, &frame, &t, 1));
		free(sink_take(&s, &len));
		limits_output(len, size);
	}
	table_free(t);
}

static void print_figures(const struct fleet_rows *rows, size_t size)
{
	struct table_frame frame = { .command = "fuzz", .file = "" };
	struct table *t = fleet_figures_new();

	must(t != NULL);
	fleet_figures_fill(t, "host", rows);
	must(!t->failed && t->n_rows == rows->of[FLEET_COUNTS].n + rows->of[FLEET_BENCH].n);
	for (int format = TABLE_AS_TEXT; format <= TABLE_AS_OPENMETRICS; format++) {
		struct sink s;
		size_t len;

		sink_to_memory(&s);
		must(!table_print(&s, (enum table_format)format, &frame, &t, 1));
		free(sink_take(&s, &len));
		limits_output(len, size);
	}
	table_free(t);
}

/* Distinct rows stay distinct. */
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
		print(&rows, size);
		print_behind(&rows, size);
		print_figures(&rows, size);
		again(&rows, &window);
	}
	fleet_rows_fini(&rows);
}

/* What is accepted is encoded as a rollup that is accepted, with as many rows. */
static void rollup(const void *data, size_t size)
{
	struct cdict_error err = { 0 };
	struct fleet_rollup r = { 0 }, read = { 0 };
	struct fleet_rows rows = { 0 }, again = { 0 };
	struct buf b = { 0 };
	int rc = fleet_rollup_decode(&r, 7, data, size, &err);

	must(!rc || (err.code == rc && err.text[0]));
	if (!rc && !fleet_rollup_rows(&r, &rows, &err) && rows.n < 1000) {
		must(rows.values == r.n && r.n <= FLEET_ROLLUP_BUCKETS);
		must(!fleet_rollup_encode(&b, &r, &rows, NULL));
		must(!fleet_rollup_decode(&read, 7, b.data, b.len, NULL));
		must(read.n == r.n && !memcmp(read.buckets, r.buckets, sizeof(r.buckets)));
		must(!memcmp(&read.sums, &r.sums, sizeof(r.sums)));
		must(!fleet_rollup_rows(&read, &again, NULL) && again.n == rows.n);
	}
	fleet_rows_fini(&rows);
	fleet_rows_fini(&again);
	fleet_rollup_fini(&r);
	fleet_rollup_fini(&read);
	buf_fini(&b);
}

static void as_body(const uint8_t *data, size_t size, const char *magic)
{
	struct buf b = { 0 };

	buf_add(&b, magic, 4);
	buf_add(&b, "\1\0", 2);
	buf_le32(&b, codec_crc(data, size));
	buf_le32(&b, (uint32_t)size);
	buf_add(&b, data, size);
	must(!b.failed);
	if (magic[3] == 'R')
		rollup(b.data, b.len);
	else
		decode(b.data, b.len);
	buf_fini(&b);
}

/* A store with one value; values put into it are kept in memory. */
struct one {
	struct store store;
	const uint8_t *data;
	size_t size;
	struct buf put;
};

static int one_put(struct store *st, const char *id, const char *shelf, const char *name,
		   const void *data, size_t size, bool *added, struct cdict_error *err)
{
	struct one *one = (struct one *)(void *)st;

	(void)id;
	(void)shelf;
	(void)err;
	must(strlen(name) <= STORE_NAME_MOST);
	one->put.len = 0;
	buf_add(&one->put, data, size);
	*added = true;
	return 0;
}

static int one_values(struct store *st, const char *id, const char *shelf, store_want_value *want,
		      store_value_fn *hear, void *ctx, struct cdict_error *err)
{
	struct one *one = (struct one *)(void *)st;

	(void)id;
	(void)shelf;
	(void)want;
	(void)err;
	return hear(ctx, "name", one->data, one->size);
}

static const struct store_ops ops = { .put = one_put, .values = one_values };

/* A value that is accepted and put again is accepted again, and is the same. */
static void waits(const uint8_t *data, size_t size)
{
	struct one one = { .store = { &ops }, .data = data, .size = size };
	struct fleet_waiters waiters = { 0 }, again = { 0 };
	struct cdict_error err = { 0 };
	int rc = fleet_waiters_read(&waiters, &one.store, "2001", &err);

	must(!rc || (err.code == rc && err.text[0]));
	if (!rc) {
		const struct fleet_waiter *a, *b;

		must(!fleet_waiter_put(&one.store, "2001", &waiters.all.at[0], &err));
		one.data = one.put.data;
		one.size = one.put.len;
		must(!fleet_waiters_read(&again, &one.store, "2001", &err));
		a = &waiters.all.at[0];
		b = &again.all.at[0];
		must(!strcmp(a->host, b->host) && a->pid == b->pid && a->state == b->state &&
		     a->seen_ns == b->seen_ns && a->at_ns == b->at_ns &&
		     a->clock.offset_ns == b->clock.offset_ns);
	}
	array_fini(&waiters.all);
	array_fini(&again.all);
	buf_fini(&one.put);
}

static void starts(const uint8_t *data, size_t size)
{
	struct one one = { .store = { &ops }, .data = data, .size = size };
	struct cdict_error err = { 0 };
	struct fleet_start start, again;
	int rc = fleet_start_latest(&one.store, "2001", &start, &err);

	must(rc == 1 || (rc < 0 && err.code == rc && err.text[0]));
	if (rc == 1) {
		must(!fleet_start_put(&one.store, "2001", &start, &err));
		one.data = one.put.data;
		one.size = one.put.len;
		must(fleet_start_latest(&one.store, "2001", &again, &err) == 1);
		must(start.at_ns == again.at_ns && start.duration_ms == again.duration_ms);
	}
	buf_fini(&one.put);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct cdict_error err = { 0 };
	struct fleet_job job;
	struct buf b = { 0 };
	int rc;

	limits_begin(size);
	decode(data, size);
	as_body(data, size, "CDFV");
	rollup(data, size);
	as_body(data, size, "CDFR");
	waits(data, size);
	starts(data, size);
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
