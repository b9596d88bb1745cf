/* SPDX-License-Identifier: GPL-2.0-only */
/* The scope of a recording from the recorder's command line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/scope.h"

struct example {
	const char *words[14]; /* exact, as in perf.data */
	const char *scope;
};

static const struct example examples[] = {
	{ { "perf", "record", "-a", "--", "sleep", "1" }, "system" },
	{ { "/usr/bin/perf", "record", "-ag", "sleep", "1" }, "system" },
	{ { "perf", "record", "--all-cpus", "sleep", "1" }, "system" },
	{ { "perf", "record", "-e", "sched:*" }, "system" }, /* perf's default */
	{ { "perf", "sched", "record", "--", "sleep", "1" }, "system" },
	{ { "perf", "kvm", "--host", "stat", "record", "-a" }, "system" },
	{ { "tracedat2perf.py", "trace.dat" }, "system" },
	{ { NULL }, "system" },
	{ { "perf", "record", "sleep", "1" }, "tasks" },
	{ { "perf", "record", "-e", "sched:*", "ls", "-a" }, "tasks" },
	{ { "perf", "record", "-F", "99", "-o", "-", "--", "ls", "-a" }, "tasks" },
	{ { "perf", "record", "-a", "-p", "7" }, "tasks" }, /* perf: PID overrides SYSTEM */
	{ { "perf", "record", "-p7,8" }, "tasks" },
	{ { "perf", "record", "--tid=7" }, "tasks" },
	{ { "perf", "record", "-a", "-G", "machine.slice", "-e", "sched:*" }, "tasks" },
	{ { "perf", "record", "--per-thread", "-i", "true" }, "tasks no-inherit" },
	{ { "perf", "record", "--no-inherit", "true" }, "tasks no-inherit" },
	{ { "perf", "record", "-D", "100", "true" }, "tasks late" },
	{ { "perf", "record", "-a", "-D", "0", "true" }, "system" },
	{ { "perf", "record", "-C", "0" }, "cpus" },
	{ { "perf", "record", "-aC0-2", "sleep", "1" }, "cpus" },
	{ { "perf", "record", "--cpu", "0,2-3", "sleep", "1" }, "cpus" },
	{ { "perf", "record", "-C", "0-3", "sleep", "1" }, "system" }, /* all 4 */
	{ { "perf", "record", "-a", "--overwrite", "-m", "16", "true" }, "system overwrite" },
	{ { "perf", "record", "-a", "-e", "sched:sched_switch", "--filter", "prev_pid == 7" },
	  "system switch-filter" },
	{ { "perf", "record", "-e", "sched:*", "--filter=prev_pid > 7", "-a", "ls" },
	  "system switch-filter" },
	{ { "perf", "record", "-e", "{kvm:kvm_exit,sched:sched_sw*}", "--filter", "x", "-a" },
	  "system switch-filter" },
	{ { "perf", "record", "-e", "sched:sched_switch", "-e", "kvm:*", "--filter", "x", "-a" },
	  "system" },
	{ { "perf", "record", "-e", "sched:*", "--exclude-perf", "-a" }, "system" },
};
enum { EXAMPLES = sizeof(examples) / sizeof(examples[0]) };

static void a_command_line_gives_the_scope_of_a_recording(void **state)
{
	(void)state;
	for (size_t i = 0; i < EXAMPLES; i++) {
		const char *const *words = examples[i].words;
		char room[SCOPE_TEXT_MAX], line[512] = "";
		struct scope s;
		size_t n = 0;

		for (; words[n]; n++) {
			strcat(line, n ? " " : "");
			strcat(line, words[n]);
		}
		scope_of_words(&s, words, n, 4);
		assert_string_equal(scope_text(room, &s), examples[i].scope);
		/* Joined by blanks, as in INFO, without the number of CPUs. */
		scope_read(&s, NULL, n ? line : NULL, false);
		if (!strstr(line, "0-3"))
			assert_string_equal(scope_text(room, &s), examples[i].scope);
		/* A stored scope reads as it was. */
		scope_read(&s, examples[i].scope, line, false);
		assert_string_equal(scope_text(room, &s), examples[i].scope);
	}
}

static void cdict_record_selects_only_cpus(void **state)
{
	char room[SCOPE_TEXT_MAX];
	struct scope s;

	(void)state;
	scope_read(&s, NULL, "cdict record -t qemu -- perf bench", true);
	assert_string_equal(scope_text(room, &s), "system");
	scope_read(&s, NULL, "cdict record -C 1 -- perf bench", true);
	assert_string_equal(scope_text(room, &s), "cpus");
}

static void unknown_parts_of_a_stored_scope_are_left_out(void **state)
{
	char room[SCOPE_TEXT_MAX];
	struct scope s;

	(void)state;
	scope_read(&s, "tasks later-word no-inherit ", NULL, false);
	assert_string_equal(scope_text(room, &s), "tasks no-inherit");
	scope_read(&s, "system begins=18446744073709551615 later-word", NULL, false);
	assert_string_equal(scope_text(room, &s), "system begins=18446744073709551615");
	scope_read(&s, "cpus begins=x overwrite switch-filter no-inherit late foreign-pids", NULL,
		   false);
	s.begins_ns = UINT64_MAX;
	assert_string_equal(scope_text(room, &s),
			    "cpus overwrite switch-filter no-inherit late foreign-pids "
			    "begins=18446744073709551615");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_command_line_gives_the_scope_of_a_recording),
		cmocka_unit_test(cdict_record_selects_only_cpus),
		cmocka_unit_test(unknown_parts_of_a_stored_scope_are_left_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
