// SPDX-License-Identifier: GPL-2.0-only
/* SQL over cdicts made in memory: interval sets, forbidden statements, the tables as a file. */
#include <unistd.h>

#include "query/sql/database.h"
#include "query/sql/query.h"
#include "tests/unit/cdictfile.h"

/* The results of statements, one line per row, cells separated by '|'. */
struct lines {
	struct buf text;
};

static int no_columns(void *ctx, const char *const *names, size_t n)
{
	(void)ctx;
	(void)names;
	(void)n;
	return 0;
}

static int add_row(void *ctx, const struct query_value *values, size_t n)
{
	struct lines *l = ctx;

	for (size_t i = 0; i < n; i++) {
		const struct query_value *v = &values[i];

		buf_printf(&l->text, "%s", i ? "|" : "");
		if (v->kind == QUERY_INTEGER)
			buf_printf(&l->text, "%lld", (long long)v->integer);
		else if (v->kind == QUERY_REAL)
			buf_printf(&l->text, "%g", v->real);
		else if (v->kind != QUERY_NULL)
			buf_printf(&l->text, "%.*s", (int)v->len, v->data);
	}
	buf_printf(&l->text, "\n");
	return 0;
}

static int ask(struct query *q, const char *sql, struct lines *l, struct cdict_error *err)
{
	const struct query_out out = { .columns = no_columns, .row = add_row, .ctx = l };

	l->text.len = 0;
	return query_run(q, sql, &out, err);
}

static void gives(struct query *q, const char *sql, const char *expected)
{
	struct lines l = { { 0 } };
	struct cdict_error err = { 0 };

	if (ask(q, sql, &l, &err))
		fail_msg("%s: %s", sql, err.text);
	buf_u8(&l.text, 0);
	assert_string_equal((char *)l.text.data, expected);
	buf_fini(&l.text);
}

static void refuses(struct query *q, const char *sql, const char *text)
{
	struct lines l = { { 0 } };
	struct cdict_error err = { 0 };

	assert_true(ask(q, sql, &l, &err) < 0);
	if (!strstr(err.text, text))
		fail_msg("%s: %s, not %s", sql, err.text, text);
	buf_fini(&l.text);
}

static struct query *open_query(const struct query_file *files, size_t n)
{
	struct cdict_error err = { 0 };
	struct query *q;

	if (query_open(&q, files, n, NULL, &err)) {
		if (strstr(err.text, "not installed"))
			skip();
		fail_msg("%s", err.text);
	}
	return q;
}

/* Task 10 runs on CPU 0 from 100 to 130, 11 from 130 to 170, IDLE after that; on CPU 1 11 from 200 on. */
static struct cdict_reader *small_capture(struct file *f)
{
	struct cdict_schema *schema = usual_schema();

	file_begin(f, schema);
	file_switch(f, schema, 0, 100, 0, 10);
	file_switch(f, schema, 0, 130, 10, 11);
	file_switch(f, schema, 0, 170, 11, 0);
	file_switch(f, schema, 1, 200, 0, 11);
	file_switch(f, schema, 1, 240, 11, 0);
	file_end(f);
	cdict_schema_free(schema);
	return open_bytes(f->bytes.data, f->bytes.len);
}

static void a_set_of_intervals_is_their_time_once(void **state)
{
	struct query *q = open_query(NULL, 0);

	(void)state;
	gives(q,
	      "WITH v(ts, dur) AS (VALUES (10, 5), (12, 10), (30, 5), (35, 1), (50, 0), (60, -3), (NULL, 4)),"
	      " s(u) AS (SELECT interval_union(ts, dur) FROM v)"
	      "SELECT ts, dur FROM s, intervals(s.u); "
	      "SELECT interval_dur((SELECT interval_union(ts, dur) FROM"
	      " (SELECT 1 AS ts, 4 AS dur UNION ALL SELECT 3, 4)))",
	      "10|12\n30|6\n6\n");
	gives(q, "SELECT interval_dur(interval_union(1, 2)) FROM (SELECT 1) WHERE 0", "0\n");
	gives(q,
	      "SELECT interval_dur(interval_union(9223372036854775000, 9223372036854775000)) FROM (SELECT 1)",
	      "807\n");
	query_close(q);
}

static void ends_are_not_in_a_set(void **state)
{
	struct query *q = open_query(NULL, 0);

	(void)state;
	gives(q, "CREATE TABLE s AS SELECT interval_union(10, 10) AS u; ", "");
	gives(q,
	      "SELECT interval_overlaps(u, 0, 10), interval_overlaps(u, 0, 11), interval_overlaps(u, 19, 5),"
	      " interval_overlaps(u, 20, 5), interval_overlaps(u, 10, 0), interval_overlaps(u, 20, 0) FROM s",
	      "0|1|1|0|1|0\n");
	gives(q,
	      "SELECT interval_overlap_dur(u, 0, 10), interval_overlap_dur(u, 5, 10), interval_overlap_dur(u, 5, 50),"
	      " interval_overlap_dur(u, 12, 3), interval_overlap_dur(u, 12, 0), interval_overlap_dur(u, NULL, 3) FROM s",
	      "0|5|10|3|0|\n");
	gives(q,
	      "SELECT ts, dur FROM s, intervals(interval_intersect(u, (SELECT interval_union(column1, 3)"
	      " FROM (VALUES (8), (15), (19), (40)))))",
	      "10|1\n15|3\n19|1\n");
	query_close(q);
}

static void tables_that_are_not_a_set_are_refused(void **state)
{
	struct query *q = open_query(NULL, 0);

	(void)state;
	refuses(q, "SELECT interval_dur('cdictiv1')", "not a set of intervals");
	refuses(q, "SELECT interval_dur(CAST('cdictiv1' AS BLOB) || 'x')",
		"not a set of intervals");
	refuses(q, "SELECT interval_overlaps(x'6364696374697631ff', 1, 1)",
		"not a set of intervals");
	refuses(q, "SELECT * FROM intervals(7)", "not a set of intervals");
	gives(q, "SELECT interval_dur(NULL), interval_overlaps(x'6364696374697631', 1, 1)",
	      "0|0\n");
	/* a made-up one is read, with any result */
	gives(q,
	      "SELECT interval_overlaps(CAST(x'6364696374697631' || randomblob(32) AS BLOB), 1, 1) IS NOT NULL",
	      "1\n");
	query_close(q);
}

static void percentiles_lie_between_values(void **state)
{
	struct query *q = open_query(NULL, 0);

	(void)state;
	gives(q,
	      "SELECT percentile(column1, 50), percentile(column1, 0), percentile(column1, 100)"
	      " FROM (VALUES (4), (1), (NULL), (2), (3))",
	      "2.5|1|4\n");
	gives(q, "SELECT percentile(1, 50) FROM (SELECT 1) WHERE 0", "\n");
	refuses(q, "SELECT percentile(1, 101) FROM (SELECT 1)", "0 to 100");
	query_close(q);
}

static void spans_of_two_tables_are_joined_by_time(void **state)
{
	struct query *q = open_query(NULL, 0);

	(void)state;
	gives(q,
	      "CREATE TABLE a AS SELECT column1 AS cpu, column2 AS ts, column3 AS dur, column4 AS x FROM"
	      " (VALUES (0, 10, 20, 'p'), (0, 40, 10, 'q'), (1, 0, 100, 'r'), (NULL, 0, 9, 's'), (3, 5, 5, 't'));"
	      "CREATE TABLE b AS SELECT column1 AS cpu, column2 AS ts, column3 AS dur, column4 AS y FROM"
	      " (VALUES (0, 0, 15, 1), (0, 20, 30, 2), (1, 90, 20, 3), (2, 0, 100, 4), (0, 60, 0, 5));"
	      "CREATE VIRTUAL TABLE inner_ USING SPAN_JOIN(a PARTITIONED cpu, b PARTITIONED cpu);"
	      "CREATE VIRTUAL TABLE left_ USING SPAN_LEFT_JOIN(a PARTITIONED cpu, b PARTITIONED cpu);"
	      "CREATE VIEW all_ AS SELECT ts, dur, y FROM b WHERE cpu = 0;"
	      "CREATE VIRTUAL TABLE mixed USING span_join(a PARTITIONED cpu, all_);",
	      "");
	gives(q, "SELECT * FROM inner_", "10|5|0|p|1\n20|10|0|p|2\n40|10|0|q|2\n90|10|1|r|3\n");
	gives(q, "SELECT * FROM left_",
	      "10|5|0|p|1\n15|5|0|p|\n20|10|0|p|2\n40|10|0|q|2\n0|90|1|r|\n90|10|1|r|3\n5|5|3|t|\n");
	gives(q, "SELECT cpu, sum(dur), count(*) FROM mixed GROUP BY cpu",
	      "0|25|3\n1|45|2\n3|5|1\n");
	/* the time of the left one is counted once, whatever overlaps */
	gives(q, "INSERT INTO a VALUES (1, 50, 100, 'u'); SELECT sum(dur) FROM left_ WHERE cpu = 1",
	      "150\n");
	refuses(q, "CREATE VIRTUAL TABLE z USING span_join(a PARTITIONED nothing, b)",
		"has no column nothing");
	refuses(q, "CREATE VIRTUAL TABLE z USING span_join(a PARTITIONED cpu, b PARTITIONED y)",
		"same column");
	refuses(q, "CREATE VIRTUAL TABLE z USING span_join(a)", "two tables");
	refuses(q, "CREATE VIRTUAL TABLE z USING span_join(none, a)", "no such table");
	refuses(q, "SELECT * FROM span_join", "no such table");
	gives(q, "DROP TABLE inner_; DROP TABLE left_; SELECT 1", "1\n");
	gives(q,
	      "CREATE TABLE e AS SELECT 0 AS ts, 9 AS dur; CREATE TABLE c AS SELECT * FROM e;"
	      "CREATE VIRTUAL TABLE d USING span_join(c, e); DROP TABLE c;"
	      "CREATE VIRTUAL TABLE c USING span_join(d, e)",
	      "");
	refuses(q, "SELECT * FROM c", "contains itself");
	refuses(q, "SELECT * FROM d", "contains itself");
	query_close(q);
}

static void slices_have_their_ends_and_states(void **state)
{
	struct file f;
	struct query_file file = { .name = "a", .reader = small_capture(&f) };
	struct query *q = open_query(&file, 1);

	(void)state;
	gives(q,
	      "SELECT ts, dur, cpu, tid, end_state FROM sched_slice JOIN thread USING (utid) WHERE tid ORDER BY ts",
	      "100|30|0|10|S\n130|40|0|11|D\n200|40|1|11|D\n");
	gives(q,
	      "SELECT ts, dur, tid FROM sched_slice JOIN thread USING (utid) WHERE tid AND ts BETWEEN 130 AND 199",
	      "130|40|11\n");
	gives(q,
	      "SELECT ts, dur, tid FROM sched_slice(110, 140) JOIN thread USING (utid) WHERE tid ORDER BY ts",
	      "110|20|10\n130|10|11\n");
	gives(q,
	      "SELECT state, ts, dur FROM thread_state JOIN thread USING (utid) WHERE tid = 11 ORDER BY ts",
	      "Running|130|40\nD|170|30\nRunning|200|40\n");
	gives(q, "SELECT count(*), sum(next_pid) FROM sched_switch WHERE cpu = 1", "2|11\n");
	gives(q, "SELECT count(*) FROM sched_switch WHERE ts > 169.5 AND ts < 200.0", "1\n");
	gives(q,
	      "SELECT count(*) FROM sched_switch WHERE ts < 131 AND ts > 129; SELECT count(*) FROM sched_switch WHERE ts <= 130 AND"
	      " ts >= 130; SELECT count(*) FROM sched_switch WHERE ts < 130 AND ts > 100; SELECT count(*) FROM sched_switch WHERE ts = 130",
	      "1\n1\n0\n1\n");
	gives(q, "SELECT count(*) FROM sched_switch WHERE ts = 'x' OR ts IS NULL", "0\n");
	gives(q, "SELECT count(*) FROM sched_switch WHERE ts < NULL", "0\n");
	gives(q, "SELECT count(*) FROM sched_switch WHERE cpu = -1 OR cpu = 4294967295", "0\n");
	gives(q, "SELECT count(*) FROM sched_switch WHERE cpu = 0.5", "0\n");
	gives(q, "SELECT run, start_ts, end_ts, events FROM trace_bounds", "a|100|240|5\n");
	query_close(q);
	cdict_reader_close(file.reader);
	buf_fini(&f.bytes);
}

static void two_files_share_idle_and_nothing_else(void **state)
{
	struct file f, g;
	struct query_file files[] = { { .name = "a", .reader = small_capture(&f) },
				      { .name = "b", .reader = small_capture(&g) } };
	struct query *q = open_query(files, 2);

	(void)state;
	gives(q, "SELECT count(*), count(DISTINCT utid), sum(utid = 0) FROM thread", "5|5|1\n");
	gives(q, "SELECT run, sum(dur) FROM sched_slice WHERE utid != 0 GROUP BY run",
	      "a|110\nb|110\n");
	gives(q,
	      "SELECT s.run = t.run, count(*) FROM sched_slice s JOIN thread t USING (utid) WHERE utid GROUP BY 1",
	      "1|6\n");
	gives(q, "SELECT count(*) FROM sched_slice WHERE run = 'b' AND utid", "3\n");
	gives(q, "SELECT count(*) FROM sched_slice WHERE run = 7", "0\n");
	query_close(q);
	cdict_reader_close(files[0].reader);
	cdict_reader_close(files[1].reader);
	buf_fini(&f.bytes);
	buf_fini(&g.bytes);
}

static void statements_touch_no_file(void **state)
{
	struct query *q = open_query(NULL, 0);

	(void)state;
	refuses(q, "ATTACH ':memory:' AS x", "not authorized");
	refuses(q, "SELECT load_extension('x')", "not authorized");
	refuses(q, "PRAGMA journal_mode = wal", "not authorized");
	refuses(q, "SELECT cdict_open('x')", "not authorized");
	refuses(q, "DELETE FROM sched_slice", "may not be modified");
	refuses(q, "UPDATE thread SET tid = 1", "may not be modified");
	gives(q, "PRAGMA table_info(cpu)",
	      "0|cpu|INTEGER|0||0\n1|node|INTEGER|0||0\n2|core|INTEGER|0||0\n3|run|TEXT|0||0\n");
	gives(q, "CREATE TEMP VIEW v AS SELECT 1 AS x; SELECT x FROM v; -- nothing\n ;", "1\n");
	query_close(q);
}

static void the_tables_as_a_file_are_the_tables(void **state)
{
	char path[] = "/tmp/cdict-query-XXXXXX";
	struct file f;
	struct query_file file = { .name = "a", .reader = small_capture(&f) };
	struct query *q = open_query(&file, 1);
	struct cdict_error err = { 0 };
	struct sqlite3_stmt *stmt;
	int fd = mkstemp(path);
	char *attach;
	sqlite3 *db;

	(void)state;
	assert_true(fd >= 0);
	close(fd);
	if (query_export_sqlite(&file, 1, NULL, path, &err))
		fail_msg("%s", err.text);
	assert_int_equal(query_connect(&db, &err), 0);
	attach = sqlite3_mprintf("ATTACH %Q AS e", path);
	assert_int_equal(sqlite3_exec(db, attach, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_free(attach);
	assert_int_equal(
		sqlite3_prepare_v2(
			db,
			"SELECT (SELECT sum(dur) FROM e.sched_slice WHERE utid), (SELECT count(*) FROM e.ftrace_event),"
			" (SELECT sum(next_pid) FROM e.\"sched:sched_switch\"), (SELECT count(*) FROM e.thread),"
			" (SELECT count(*) FROM e.sched)",
			-1, &stmt, NULL),
		SQLITE_OK);
	assert_int_equal(sqlite3_step(stmt), SQLITE_ROW);
	assert_int_equal(sqlite3_column_int(stmt, 0), 110);
	assert_int_equal(sqlite3_column_int(stmt, 1), 5);
	assert_int_equal(sqlite3_column_int(stmt, 2), 32);
	assert_int_equal(sqlite3_column_int(stmt, 3), 3);
	assert_int_equal(sqlite3_column_int(stmt, 4), 5);
	sqlite3_finalize(stmt);
	sqlite3_close(db);
	unlink(path);
	err = (struct cdict_error){ 0 };
	assert_true(query_export_sqlite(&file, 1, NULL, "/nowhere/at/all.db", &err) < 0);
	assert_true(strlen(err.text));
	query_close(q);
	cdict_reader_close(file.reader);
	buf_fini(&f.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_set_of_intervals_is_their_time_once),
		cmocka_unit_test(ends_are_not_in_a_set),
		cmocka_unit_test(tables_that_are_not_a_set_are_refused),
		cmocka_unit_test(percentiles_lie_between_values),
		cmocka_unit_test(spans_of_two_tables_are_joined_by_time),
		cmocka_unit_test(slices_have_their_ends_and_states),
		cmocka_unit_test(two_files_share_idle_and_nothing_else),
		cmocka_unit_test(statements_touch_no_file),
		cmocka_unit_test(the_tables_as_a_file_are_the_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
