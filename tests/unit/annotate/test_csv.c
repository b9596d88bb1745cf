/* SPDX-License-Identifier: GPL-2.0-only */
/* Mapping files: reading, refusing with a message, and writing again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "annotate/csv.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct read {
	struct mapping m;
	struct mapping_csv_result result;
	struct cdict_error err;
	int rc;
};

static void parse(struct read *r, const char *text, const struct mapping_csv_options *opts)
{
	*r = (struct read){ .rc = 1 };
	r->rc = mapping_parse_csv(&r->m, text, strlen(text), opts, &r->result, &r->err);
}

/* All of a label as one line. */
static const char *line_of(const struct cdict_label *l)
{
	static char line[2048];

	snprintf(line, sizeof(line), "%d|%s|%s|%s|%s|%s|%s|%llu|%s", l->tid, l->instance, l->role,
		 l->uuid, l->group_type, l->group, l->name, (unsigned long long)l->start_ns,
		 l->project);
	return line;
}

static const struct {
	const char *text, *label; /* the only label */
} good[] = {
	{ "19236,instance-000019f4,vcpu0,8f81e3a1-6b1b,FULL,5,Firewall\n",
	  "19236|instance-000019f4|vcpu0|8f81e3a1-6b1b|FULL|5|Firewall|0|" },
	{ "19236,,vcpu0,,,5,Firewall", "19236||vcpu0|||5|Firewall|0|" },
	{ "7", "7|||||||0|" },
	{ "7,,,,,,", "7|||||||0|" },
	{ "7,,,,,,Web,123456789012", "7||||||Web|123456789012|" },
	{ "7,,,,,,Web,", "7||||||Web|0|" },
	{ "7,,,,,,Web,5,tenant", "7||||||Web|5|tenant" },
	{ "7,,,,,,\"Web, front\"\n", "7||||||Web, front|0|" },
	{ "7,,,,,,\"a \"\"b\"\" c\"\n", "7||||||a \"b\" c|0|" },
	{ "7,,,,,,\"two\nlines\"\n", "7||||||two\nlines|0|" },
	{ "7,,,,,,\" kept \"\n", "7|||||| kept |0|" },
	{ " 7 , , vcpu0 ,,, 5 , Web \n", "7||vcpu0|||5|Web|0|" },
	{ "\xef\xbb\xbf"
	  "7,,,,,,Web\r\n",
	  "7||||||Web|0|" },
	{ "7,,,,,,Web\r\n\r\n", "7||||||Web|0|" },
	{ "7,,,,,,Web\r", "7||||||Web|0|" },
	{ "# a comment, with \"a quote\n  # another\n\n \t \n7,,,,,,Web\n#end", "7||||||Web|0|" },
	{ "7,,,,,,#5\n", "7||||||#5|0|" },
	{ "7,,,,,group,Web\n", "7|||||group|Web|0|" },
	{ "7,,,,,005,Web\n", "7|||||005|Web|0|" },
	{ "tid,libvirt-instance,role,uuid,group-type,group-id,task-name\n7,,,,,5,Web\n",
	  "7|||||5|Web|0|" },
	{ "\xef\xbb\xbfTID,Libvirt_Instance,role,uuid,group_type,group_id,Task-Name\r\n7,,,,,5,W",
	  "7|||||5|W|0|" },
	{ "task-name,tid,role\nWeb,7,vcpu1\n", "7||vcpu1||||Web|0|" },
	{ "# what\n\ntid\n7\n", "7|||||||0|" },
	{ "2147483647,,,,,,Last", "2147483647||||||Last|0|" },
	{ "007,,,,,,Bond", "7||||||Bond|0|" },
	/* a later row of the same task adds and replaces, and does not empty */
	{ "7,,vcpu0,,,5,Web\n7,,,,,6,\n", "7||vcpu0|||6|Web|0|" },
	{ "7,,,,,,\xff\xfe name\n", "7||||||\xff\xfe name|0|" },
	/* the quote that a spreadsheet needs before text that is not a formula */
	{ "7,,,,,,'=1+1\n", "7||||||=1+1|0|" },
	{ "7,,,,,,''@a\n", "7||||||'@a|0|" },
	{ "7,,,,,,=1+1\n", "7||||||=1+1|0|" },
	{ "7,,,,,,'quoted'\n", "7||||||'quoted'|0|" },
	{ "7,,,,,,'-\n", "7||||||'-|0|" },
};

static void every_form_of_a_row_is_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(good); i++) {
		struct read r;

		parse(&r, good[i].text, NULL);
		if (r.rc || r.m.n != 1)
			print_message("example %zu: %d %s\n", i, r.rc, r.err.text);
		assert_int_equal(r.rc, 0);
		assert_int_equal(r.m.n, 1);
		assert_int_equal(r.m.labels[0].origin, CDICT_LABEL_CSV);
		assert_string_equal(line_of(&r.m.labels[0]), good[i].label);
		mapping_fini(&r.m);
	}
}

static void a_file_without_rows_is_an_empty_mapping(void **state)
{
	static const char *const texts[] = { "", "\n\n", "# only\n", "\xef\xbb\xbf", "tid,role\n" };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct read r;

		parse(&r, texts[i], NULL);
		assert_int_equal(r.rc, 0);
		assert_int_equal(r.m.n, 0);
		assert_int_equal(r.result.rows, 0);
		mapping_fini(&r.m);
	}
}

static const struct {
	const char *text, *message; /* how it begins */
} wrong[] = {
	{ "x,,,,,,Web", "line 1, column 1 (tid): 'x' is not a thread id" },
	{ "1,,,,,,Web\n0,,,,,,Web\n", "line 2, column 1 (tid): '0' is not a thread id" },
	{ "-7,,,,,,Web", "line 1, column 1 (tid): '-7' is not a thread id" },
	{ "+7,,,,,,Web", "line 1, column 1 (tid): '+7' is not a thread id" },
	{ "7.5,,,,,,Web", "line 1, column 1 (tid): '7.5' is not a thread id" },
	{ "0x7,,,,,,Web", "line 1, column 1 (tid): '0x7' is not a thread id" },
	{ "2147483648,,,,,,W", "line 1, column 1 (tid): '2147483648' is not a thread id" },
	{ "99999999999999999999999999,,,,,,W", "line 1, column 1 (tid): '9999" },
	{ "\x1b[2J,,,,,,Web", "line 1, column 1 (tid): '\\x1b[2J' is not a thread id" },
	{ ",,vcpu0,,,5,Firewall", "line 1, column 1 (tid): missing thread id" },
	{ "\n# c\r\n\"\",,,,,,Web", "line 3, column 1 (tid): missing thread id" },
	{ "7,,,,,,Web,soon", "line 1, column 8 (start-ns): 'soon' is not a number of nanoseconds" },
	{ "7,,,,,,Web,18446744073709551616",
	  "line 1, column 8 (start-ns): '18446744073709551616'" },
	{ "7,,,,,,Web,1,p,u,c,x", "line 1, column 12 (too many): 12 fields, expected at most 11" },
	{ "role,tid\nvcpu0,7,x\n", "line 2, column 3 (too many): 3 fields, expected at most 2" },
	{ "role,tid\nvcpu0,x\n", "line 2, column 2 (tid): 'x' is not a thread id" },
	{ "role,tid\nvcpu0\n", "line 2, column 1 (role): missing thread id" },
	{ "tid,tid\n7,8\n", "line 1, column 2: duplicate column 'tid' in the header" },
	{ "tid,colour\n7,red\n",
	  "line 1, column 2: unknown column 'colour' in the header; expected tid, libvirt-instance, "
	  "role, uuid, group-type, group-id, task-name, start-ns, project" },
	{ "# by hand\nTID,Task Name\n7,a\n",
	  "line 2, column 2: unknown column 'Task Name' in the header" },
	{ "role,task-name\nvcpu0,a\n", "line 1: missing column tid in the header" },
	{ "7;i;vcpu0;;;5;Web\n",
	  "line 1, column 1 (tid): fields are separated by ';'; expected commas" },
	{ "tid;role;task-name\n7;vcpu0;a\n",
	  "line 1, column 1 (tid): fields are separated by ';'" },
	{ "7\ti\tvcpu0\n", "line 1, column 1 (tid): fields are separated by tabs" },
	{ "7|i|vcpu0\n", "line 1, column 1 (tid): fields are separated by '|'" },
	{ "7 i vcpu0\n", "line 1, column 1 (tid): fields are separated by blanks" },
	{ "7,a\n8;b\n", "line 2, column 1 (tid): fields are separated by ';'" },
	{ "7,,,,,,Web\ntid,role\n", "line 2, column 1 (tid): 'tid' is not a thread id" },
	{ "7,,,,,,We\"b\n", "line 1, column 7 (task-name): quote inside an unquoted field" },
	{ "7,,,,,,\"We\"b\n", "line 1, column 7 (task-name): quote inside an unquoted field" },
	{ "7\n8,,\"vcpu0,,,,\n9\n", "line 2, column 3 (role): unclosed quote" },
};

static void a_bad_line_is_reported_with_line_column_and_reason_and_nothing_is_taken(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(wrong); i++) {
		struct read r;

		parse(&r, wrong[i].text, NULL);
		assert_int_equal(r.rc, CDICT_EFORMAT);
		assert_int_equal(r.err.code, CDICT_EFORMAT);
		if (strncmp(r.err.text, wrong[i].message, strlen(wrong[i].message)))
			fail_msg("'%s' instead of '%s'", r.err.text, wrong[i].message);
		assert_int_equal(r.m.n, 0);
		mapping_fini(&r.m);
	}
}

static void a_nul_and_a_text_too_long_are_refused(void **state)
{
	static const char nul[] = "7,,,,,,We\0b\n";
	char text[2000];
	struct read r = { 0 };

	(void)state;
	r.rc = mapping_parse_csv(&r.m, nul, sizeof(nul) - 1, NULL, NULL, &r.err);
	assert_int_equal(r.rc, CDICT_EFORMAT);
	assert_string_equal(r.err.text, "line 1, column 7 (task-name): contains a NUL byte");
	snprintf(text, sizeof(text), "7,,,,,,%01025d", 0);
	parse(&r, text, NULL);
	assert_int_equal(r.rc, CDICT_EFORMAT);
	assert_string_equal(r.err.text,
			    "line 1, column 7 (task-name): is 1025 bytes long, the limit is 1024");
	snprintf(text, sizeof(text), "7,,,,,,%01024d", 0);
	parse(&r, text, NULL);
	assert_int_equal(r.rc, 0);
	mapping_fini(&r.m);
}

static void note(void *ctx, const char *text)
{
	char *all = ctx;

	strcat(all, text);
	strcat(all, ";");
}

static void with_skip_bad_the_other_lines_are_taken(void **state)
{
	char notes[1000] = "";
	struct mapping_csv_options opts = { .skip_bad = true, .bad_line = note, .ctx = notes };
	struct read r;

	(void)state;
	/* A quote that is never closed costs its own line only. */
	parse(&r,
	      "1,,,,,,A\nx\n2,,\"oops\n3,,,,,,C\n4,\"b\"c\n5,,,,,,\"E\n5\"\n6,,\"never\n7,,,,,,G",
	      &opts);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.result.rows, 4);
	assert_int_equal(r.result.bad, 4);
	assert_int_equal(r.m.n, 4);
	assert_int_equal(r.m.labels[0].tid, 1);
	assert_int_equal(r.m.labels[1].tid, 3);
	assert_int_equal(r.m.labels[2].tid, 5);
	assert_string_equal(r.m.labels[2].name, "E\n5");
	assert_int_equal(r.m.labels[3].tid, 7);
	assert_ptr_equal(strstr(notes, "line 2, column 1 (tid): 'x'"), notes);
	assert_non_null(strstr(notes, ";line 3, column 3 (role): "));
	assert_non_null(strstr(notes, ";line 5, column 2 (libvirt-instance): "));
	assert_non_null(strstr(notes, ";line 8, column 3 (role): unclosed quote"));
	mapping_fini(&r.m);
}

static void with_skip_bad_unknown_columns_are_left_out(void **state)
{
	char notes[1000] = "";
	struct mapping_csv_options opts = { .skip_bad = true, .bad_line = note, .ctx = notes };
	struct read r;

	(void)state;
	parse(&r, "colour,tid,role,role,task-name\nred,7,vcpu0,vcpu1,\"a\"\n", &opts);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.result.bad, 2);
	assert_int_equal(r.m.n, 1);
	assert_string_equal(line_of(&r.m.labels[0]), "7||vcpu0||||a|0|");
	assert_ptr_equal(strstr(notes, "line 1, column 1: unknown column 'colour' in the header"),
			 notes);
	assert_non_null(strstr(notes, ";line 1, column 4: duplicate column 'role' in the header;"));
	mapping_fini(&r.m);
	/* without tids there is nothing to take */
	parse(&r, "role\nvcpu0\n7\n", &opts);
	assert_int_equal(r.rc, 0);
	assert_int_equal(r.m.n, 0);
	assert_int_equal(r.result.bad, 3);
	mapping_fini(&r.m);
}

static void rows_that_contradict_each_other_are_reported(void **state)
{
	static const struct {
		const char *text, *notes;
	} all[] = {
		{ "7,,vcpu0,,,5,Web\n\n7,,,,,6,\n",
		  "line 3, column 6 (group-id): tid 7 has '5' in an earlier row; using '6';" },
		{ "task-name,tid\nA,7\nB,8\nC,7\n",
		  "line 4, column 1 (task-name): tid 7 has 'A' in an earlier row; using 'C';" },
		{ "7,,,,,,A,5\n7,,,,,,B\n",
		  "line 2, column 7 (task-name): tid 7 has 'A' in an earlier row; using 'B';" },
		/* other tasks, or the same again, or more of it */
		{ "7,,,,,,A,5\n7,,,,,,B,6\n8,,,,,,C\n", "" },
		{ "7,,vcpu0,,,,A\n7,,vcpu0,,,,A\n7,,,,,5\n", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(all); i++) {
		char notes[1000] = "";
		struct mapping_csv_options opts = { .contradiction = note, .ctx = notes };
		struct read r;

		parse(&r, all[i].text, &opts);
		assert_int_equal(r.rc, 0);
		assert_string_equal(notes, all[i].notes);
		mapping_fini(&r.m);
	}
}

static void two_files_add_up_and_a_bad_one_changes_nothing(void **state)
{
	static const char more[] = "7,,vcpu0\n8,,,,,,B\n", wrong_one[] = "9,,,,,,C\nx";
	struct cdict_label l;
	struct read r;

	(void)state;
	parse(&r, "7,,,,,5,A\n", NULL);
	assert_int_equal(mapping_parse_csv(&r.m, more, strlen(more), NULL, NULL, &r.err), 0);
	assert_int_equal(r.m.n, 2);
	assert_int_equal(mapping_parse_csv(&r.m, wrong_one, strlen(wrong_one), NULL, NULL, &r.err),
			 CDICT_EFORMAT);
	assert_int_equal(r.m.n, 2);
	assert_true(mapping_find(&r.m, 7, 0, &l));
	assert_string_equal(line_of(&l), "7||vcpu0|||5|A|0|");
	assert_false(mapping_find(&r.m, 9, 0, &l));
	mapping_fini(&r.m);
}

static void of_several_origins_the_greatest_wins_field_by_field(void **state)
{
	const struct cdict_label csv = { .tid = 7, .origin = CDICT_LABEL_CSV, .name = "Mine" };
	const struct cdict_label nova = { .tid = 7,
					  .start_ns = 50,
					  .origin = CDICT_LABEL_OPENSTACK,
					  .name = "Theirs",
					  .group = "3",
					  .project = "p" };
	const struct cdict_label proc = { .tid = 7,
					  .pid = 5,
					  .start_ns = 50,
					  .origin = CDICT_LABEL_PROC,
					  .role = "vcpu0",
					  .group = "9",
					  .host = "h" };
	const struct cdict_label other = {
		.tid = 7, .start_ns = 80, .origin = CDICT_LABEL_LIBVIRT, .instance = "later"
	};
	const struct cdict_label *orders[][4] = { { &csv, &nova, &proc, &other },
						  { &other, &proc, &nova, &csv },
						  { &nova, &other, &csv, &proc } };

	(void)state;
	for (size_t i = 0; i < COUNT(orders); i++) {
		struct mapping m = { 0 };
		struct cdict_label l;

		for (size_t k = 0; k < 4; k++)
			assert_int_equal(mapping_add(&m, orders[i][k], NULL), 0);
		assert_true(mapping_find(&m, 7, 50, &l));
		assert_string_equal(line_of(&l), "7||vcpu0|||3|Mine|50|p");
		assert_int_equal(l.pid, 5);
		assert_string_equal(l.host, "h");
		assert_int_equal(l.origin, CDICT_LABEL_CSV);
		/* Labels of another start time do not apply to this one. */
		assert_true(mapping_find(&m, 7, 80, &l));
		assert_string_equal(line_of(&l), "7|later|||||Mine|80|");
		mapping_fini(&m);
	}
}

static void a_row_that_is_not_a_label_is_refused(void **state)
{
	char text[MAPPING_TEXT_MAX + 2];
	struct mapping m = { 0 };
	struct cdict_error err;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	assert_int_equal(mapping_add(&m, &(struct cdict_label){ .origin = 1 }, &err), CDICT_EUSAGE);
	assert_int_equal(mapping_add(&m, &(struct cdict_label){ .tid = 1 }, &err), CDICT_EUSAGE);
	assert_int_equal(mapping_add(&m, &(struct cdict_label){ .tid = 1, .origin = 5 }, &err),
			 CDICT_EUSAGE);
	assert_int_equal(
		mapping_add(&m, &(struct cdict_label){ .tid = 1, .origin = 1, .host = text }, &err),
		CDICT_ELIMIT);
	assert_int_equal(m.n, 0);
	mapping_fini(&m);
}

static void a_written_mapping_is_read_back(void **state)
{
	static const char *const texts[] = {
		"a,b",  "say \"x\"", " lead", "trail ", "two\nlines", "\r",     "#5",   "",
		"\xff", "plain",     "tab\t", ",",      "\"",         "x\r\ny", "=1+1", "'=1+1",
		"''-a", "'quoted'",  "-",     "@a",     "+a,b",       "\t=1",   "'"
	};
	char longest[MAPPING_TEXT_MAX + 1];
	struct mapping m = { 0 };
	struct read again = { 0 };
	struct sink s;
	size_t len;
	char *csv;

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct cdict_label l = { .tid = (int32_t)(90 - i), .origin = CDICT_LABEL_CSV };

		l.start_ns = i % 2 ? 1000 * i : 0;
		l.name = texts[i];
		l.instance = texts[(i + 1) % COUNT(texts)];
		l.role = texts[(i + 2) % COUNT(texts)];
		l.group = texts[(i + 3) % COUNT(texts)];
		l.project = texts[(i + 4) % COUNT(texts)];
		assert_int_equal(mapping_add(&m, &l, NULL), 0);
	}
	memset(longest, '=', MAPPING_TEXT_MAX);
	longest[MAPPING_TEXT_MAX] = '\0';
	assert_int_equal(mapping_add(&m,
				     &(struct cdict_label){ .tid = 91,
							    .origin = CDICT_LABEL_CSV,
							    .name = longest },
				     NULL),
			 0);
	sink_to_memory(&s);
	assert_int_equal(mapping_write_csv(&m, &s, NULL), 0);
	csv = sink_take(&s, &len);
	again.rc = mapping_parse_csv(&again.m, csv, len, NULL, NULL, &again.err);
	if (again.rc)
		fail_msg("%s", again.err.text);
	assert_int_equal(again.m.n, m.n);
	for (size_t i = 0; i < m.n; i++) {
		struct cdict_label a, b;
		char line[sizeof(longest) + 512];

		assert_true(mapping_find(&m, m.labels[i].tid, m.labels[i].start_ns, &a));
		assert_true(mapping_find(&again.m, m.labels[i].tid, m.labels[i].start_ns, &b));
		strcpy(line, line_of(&a));
		assert_string_equal(line_of(&b), line);
	}
	free(csv);
	mapping_fini(&m);
	mapping_fini(&again.m);
}

static void a_written_file_has_one_row_a_task_in_order_of_tids(void **state)
{
	struct mapping m = { 0 };
	struct sink s;
	char *csv;

	(void)state;
	mapping_add(&m, &(struct cdict_label){ .tid = 9, .origin = 1, .role = "worker" }, NULL);
	mapping_add(&m, &(struct cdict_label){ .tid = 7, .origin = 4, .name = "Web" }, NULL);
	mapping_add(&m,
		    &(struct cdict_label){ .tid = 7, .start_ns = 5, .origin = 1, .role = "vcpu0" },
		    NULL);
	sink_to_memory(&s);
	assert_int_equal(mapping_write_csv(&m, &s, NULL), 0);
	csv = sink_take(&s, NULL);
	assert_string_equal(
		csv, "tid,libvirt-instance,role,uuid,group-type,group-id,task-name,start-ns\n"
		     "7,,vcpu0,,,,Web,5\n"
		     "9,,worker,,,,,\n");
	free(csv);
	mapping_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_form_of_a_row_is_read),
		cmocka_unit_test(a_file_without_rows_is_an_empty_mapping),
		cmocka_unit_test(
			a_bad_line_is_reported_with_line_column_and_reason_and_nothing_is_taken),
		cmocka_unit_test(a_nul_and_a_text_too_long_are_refused),
		cmocka_unit_test(with_skip_bad_the_other_lines_are_taken),
		cmocka_unit_test(with_skip_bad_unknown_columns_are_left_out),
		cmocka_unit_test(rows_that_contradict_each_other_are_reported),
		cmocka_unit_test(two_files_add_up_and_a_bad_one_changes_nothing),
		cmocka_unit_test(of_several_origins_the_greatest_wins_field_by_field),
		cmocka_unit_test(a_row_that_is_not_a_label_is_refused),
		cmocka_unit_test(a_written_mapping_is_read_back),
		cmocka_unit_test(a_written_file_has_one_row_a_task_in_order_of_tids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
