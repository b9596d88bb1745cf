/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict/table.h: a program has the rows, keys and figures that the commands print as CSV. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cdict/reader.h"
#include "cdict/table.h"

static struct cdict_reader *golden(const char *name)
{
	struct cdict_reader *r;
	char path[4096];

	snprintf(path, sizeof(path), "%s/tests/oracle/format/v1.0-%s.cdict", getenv("TOP"), name);
	assert_int_equal(cdict_reader_open(&r, path, NULL), 0);
	return r;
}

/* As CSV has it. */
static void cell_text(char *out, size_t size, const struct cdict_table *t, size_t row, size_t c)
{
	const char *text = cdict_table_text(t, row, c);
	int64_t v;
	double d;

	*out = '\0';
	assert_int_equal(text != NULL, text && cdict_table_kind(t, c) == CDICT_TABLE_TEXT);
	if (text)
		snprintf(out, size, "%s", text);
	else if (cdict_table_integer(t, row, c, &v)) {
		snprintf(out, size, "%lld", (long long)v);
		assert_true(cdict_table_number(t, row, c, &d));
		assert_true(d == (double)v);
	} else if (cdict_table_number(t, row, c, &d))
		snprintf(out, size, "%.10g", d);
}

/* The key of rows; no command prints it. */
static bool is_own(const struct cdict_table *t, size_t c)
{
	return !strcmp(cdict_table_key(t, c), "row");
}

/* The lines that `cdict COMMAND --format csv` prints of the table; no text in them is quoted. */
/* 2: the golden file @name lost events, or lacks those that the table of @command is made of. */
static int status_expected(const char *name, const char *command)
{
	bool of_kvm = !strncmp(command, "exits", 5) || !strncmp(command, "vcpu", 4);
	bool has_kvm = strcmp(name, "sched") != 0;
	bool has_switches = strcmp(name, "svm") != 0 && strcmp(name, "arm64") != 0;

	return !strcmp(name, "loss") || !(of_kvm ? has_kvm : has_switches) ? 2 : 0;
}

static void assert_as_printed(const struct cdict_table *t, const char *name, const char *command)
{
	char asked[4096], line[4096], cell[256];
	char *at = line;
	size_t row = 0;
	FILE *f;

	snprintf(asked, sizeof(asked),
		 "'%s' %s -q -n 0 --format csv '%s/tests/oracle/format/v1.0-%s.cdict'",
		 getenv("CDICT"), command, getenv("TOP"), name);
	f = popen(asked, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, sizeof(line), f));
	for (size_t c = 0; c < cdict_table_columns(t); c++) {
		const char *key;

		if (is_own(t, c))
			continue;
		key = strsep(&at, ",");
		assert_string_equal(cdict_table_key(t, c), key);
		assert_int_equal(cdict_table_find(t, key), c);
	}
	assert_string_equal(at, "lossy\r\n");
	for (; fgets(line, sizeof(line), f); row++) {
		at = line;
		for (size_t c = 0; c < cdict_table_columns(t); c++) {
			if (is_own(t, c))
				continue;
			cell_text(cell, sizeof(cell), t, row, c);
			assert_string_equal(cell, strsep(&at, ","));
		}
		assert_string_equal(cdict_table_lossy(t, row) ? "true\r\n" : "false\r\n", at);
	}
	assert_int_equal(row, cdict_table_rows(t));
	assert_int_equal(pclose(f), status_expected(name, command) << 8);
}

static void rows_are_those_of_the_commands(void **state)
{
	static const struct {
		const char *table, *command;
	} same[] = {
		{ "tasks", "tasks" },
		{ "tasks-cpus", "tasks --per-cpu" },
		{ "latency", "latency" },
		{ "latency-cpus", "latency --by cpu" },
		{ "exits", "exits" },
		{ "exits-reasons", "exits --by reason" },
		{ "exits-vms", "exits --by vm" },
		{ "vcpu", "vcpu" },
		{ "vcpu-reasons", "vcpu --by reason" },
		{ "antagonists", "vcpu --by antagonist" },
		{ "coremap", "coremap" },
	};
	static const char *const files[] = { "vmx", "svm", "arm64", "loss", "sched" };

	(void)state;
	for (size_t f = 0; f < sizeof(files) / sizeof(files[0]); f++) {
		struct cdict_reader *r = golden(files[f]);

		for (size_t i = 0; i < sizeof(same) / sizeof(same[0]); i++) {
			struct cdict_error err = { 0 };
			struct cdict_table *t;

			print_message("%s of %s\n", same[i].table, files[f]);
			assert_int_equal(cdict_table_open(&t, r, same[i].table, NULL, &err), 0);
			assert_as_printed(t, files[f], same[i].command);
			cdict_table_close(t);
		}
		cdict_reader_close(r);
	}
}

static void the_others_have_the_rows_that_the_capture_has(void **state)
{
	static const struct {
		const char *table;
		size_t rows;
	} others[] = { { "guest", 2 }, { "delays", 2 },     { "capacity", 1 },
		       { "cpus", 2 },  { "successors", 4 }, { "switches", 200 } };
	struct cdict_reader *r = golden("vmx");

	(void)state;
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		struct cdict_error err = { 0 };
		struct cdict_table *t;

		assert_int_equal(cdict_table_open(&t, r, others[i].table, NULL, &err), 0);
		print_message("%s: %zu rows\n", others[i].table, cdict_table_rows(t));
		assert_true(cdict_table_rows(t) == others[i].rows);
		cdict_table_close(t);
	}
	cdict_reader_close(r);
}

/* As the commands print them above the columns. */
static void columns_have_titles(void **state)
{
	struct cdict_reader *r = golden("vmx");
	struct cdict_table *t;

	(void)state;
	assert_int_equal(cdict_table_open(&t, r, "tasks", NULL, NULL), 0);
	assert_string_equal(cdict_table_title(t, cdict_table_find(t, "name")), "task");
	assert_string_equal(cdict_table_title(t, cdict_table_find(t, "run_ns")), "run ms");
	cdict_table_close(t);
	cdict_reader_close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_are_those_of_the_commands),
		cmocka_unit_test(the_others_have_the_rows_that_the_capture_has),
		cmocka_unit_test(columns_have_titles),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
