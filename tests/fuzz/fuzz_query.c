// SPDX-License-Identifier: GPL-2.0-only
/*
 * SQL over a cdict: the bytes before the first NUL are the statements, the rest is the file.
 * Without statements those below are run; without a file one of two tasks and an exit. Statements
 * end by themselves, or when the target stops them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory/buf.h"
#include "cdict/writer.h"
#include "query/sql/query.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char usual[] =
	"SELECT * FROM sched_slice JOIN thread USING (utid) LEFT JOIN process USING (upid) LIMIT 50;"
	"SELECT state, sum(dur), max(waker_utid) FROM thread_state GROUP BY state;"
	"SELECT count(*) FROM thread_state WHERE ts > 100 AND ts_end < 1000000000000;"
	"SELECT * FROM kvm_exit WHERE dur > 0 LIMIT 50; SELECT * FROM wakeup LIMIT 50;"
	"SELECT * FROM sched_slice(1, 1000000000000) WHERE cpu = 1 LIMIT 50;"
	"SELECT name, count(*), min(utid) FROM ftrace_event GROUP BY name;"
	"SELECT * FROM slice LIMIT 50; SELECT * FROM thread_track; SELECT * FROM loss LIMIT 50;"
	"SELECT * FROM cpu LIMIT 50; SELECT * FROM metadata; SELECT * FROM trace_bounds;"
	"SELECT * FROM sched_switch LIMIT 50;"
	"SELECT interval_dur(interval_union(ts, dur)) FROM sched_slice";

static int to_buf(void *ctx, const void *bytes, size_t n)
{
	buf_add(ctx, bytes, n);
	return ((struct buf *)ctx)->failed ? -12 : 0;
}

/* The lines of one field in a format file. */
static void add_type(struct cdict_schema *schema, const char *system, const char *event,
		     const char *fields)
{
	char text[1024];
	struct cdict_error err;
	int len = snprintf(
		text, sizeof(text),
		"name: %s\nID: %d\nformat:\n\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n%s\nprint fmt: \"\"\n",
		event, event[0], fields);

	if (cdict_schema_add(schema, system, text, (size_t)len, &err) < 0)
		abort();
}

static void put(struct cdict_writer *w, uint32_t type, uint64_t t_ns, uint32_t cpu, int32_t tid,
		const uint32_t *values, size_t n)
{
	struct cdict_sample s = { .t_ns = t_ns, .cpu = cpu, .pid = tid, .tid = tid, .mode = 1 };

	if (cdict_writer_event(w, &s, type, values, n * sizeof(*values), NULL))
		abort();
}

static void make_file(struct buf *out)
{
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
	struct cdict_writer *w;

	add_type(schema, "sched", "sched_switch",
		 "\tfield:int prev_pid;\toffset:8;\tsize:4;\tsigned:1;\n"
		 "\tfield:int prev_state;\toffset:12;\tsize:4;\tsigned:1;\n"
		 "\tfield:int next_pid;\toffset:16;\tsize:4;\tsigned:1;\n");
	add_type(schema, "sched", "sched_waking",
		 "\tfield:int pid;\toffset:8;\tsize:4;\tsigned:1;\n");
	add_type(schema, "kvm", "kvm_exit",
		 "\tfield:unsigned int exit_reason;\toffset:8;\tsize:4;\tsigned:0;\n");
	add_type(schema, "kvm", "kvm_entry",
		 "\tfield:unsigned int vcpu_id;\toffset:8;\tsize:4;\tsigned:0;\n");
	if (cdict_writer_open(&w, to_buf, out, NULL) || cdict_writer_schema(w, schema, NULL))
		abort();
	for (uint32_t i = 0; i < 40; i++) {
		uint32_t cpu = i % 2, a = 10 + cpu, b = i % 4 < 2 ? a : 0, prev = b ? 0 : a;

		put(w, 1, 1000 + i * 100, cpu, (int32_t)prev, (uint32_t[]){ 0, prev, a }, 3);
		put(w, 0, 1010 + i * 100, cpu, (int32_t)prev,
		    (uint32_t[]){ 0, prev, prev, i % 3, b }, 5);
		put(w, 3, 1020 + i * 100, cpu, (int32_t)b, (uint32_t[]){ 0, b, cpu }, 3);
		put(w, 2, 1030 + i * 100, cpu, (int32_t)b, (uint32_t[]){ 0, b, i }, 3);
	}
	if (cdict_writer_finish(w, NULL))
		abort();
	cdict_writer_close(w);
	cdict_schema_free(schema);
}

static unsigned steps;
static size_t sum;

static int on_columns(void *ctx, const char *const *names, size_t n)
{
	(void)ctx;
	for (size_t i = 0; i < n; i++)
		sum += strlen(names[i]);
	return 0;
}

static int on_row(void *ctx, const struct query_value *values, size_t n)
{
	(void)ctx;
	for (size_t i = 0; i < n; i++)
		if (values[i].len)
			sum += (unsigned char)values[i].data[0] +
			       (unsigned char)values[i].data[values[i].len - 1];
	return ++steps > 3000;
}

static int on_progress(void *ctx, uint64_t read, uint64_t events)
{
	(void)ctx;
	(void)read;
	(void)events;
	steps += 300;
	return steps > 3000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct buf small;
	const struct query_options opts = { .memory_bytes = 32 << 20 };
	const struct query_out out = { .columns = on_columns,
				       .row = on_row,
				       .progress = on_progress };
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	size_t n_sql = nul ? (size_t)(nul - data) : size, n_file = nul ? size - n_sql - 1 : 0;
	struct query_file file = { .name = "input" };
	struct cdict_error err = { 0 };
	struct query *q;
	char *sql;

	if (!small.len)
		make_file(&small);
	sql = calloc(1, n_sql + 1);
	if (!sql)
		return 0;
	if (n_sql)
		memcpy(sql, data, n_sql);
	steps = 0;
	if (cdict_reader_parse(&file.reader, n_file ? nul + 1 : small.data,
			       n_file ? n_file : small.len, &err) == 0) {
		if (query_open(&q, &file, 1, &opts, &err) == 0) {
			int rc = query_run(q, n_sql ? sql : usual, &out, &err);

			/* a failure is one line */
			if (rc < 0 && (!err.text[0] || strchr(err.text, '\n')) &&
			    !strchr(sql, '\n'))
				abort();
			query_close(q);
		}
		cdict_reader_close(file.reader);
	}
	free(sql);
	return 0;
}
