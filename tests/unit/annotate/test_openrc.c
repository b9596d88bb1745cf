/* SPDX-License-Identifier: GPL-2.0-only */
/* openrc files as a shell evaluates them. Their questions on a terminal:
 * tests/openstack/openrc.sh. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "annotate/openstack/openrc.h"

static const char *const usual[] = { "PATH=/usr/bin:/bin", "HOME=/root",
				     "OS_USERNAME=of-the-terminal", "OS_PASSWORD=of-the-terminal",
				     NULL };

static void write_rc(const char *text, size_t size)
{
	FILE *f = fopen("rc", "we");

	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, size, f), size);
	fclose(f);
}

static int run_rc(struct openrc *rc, const char *script, struct cdict_error *err)
{
	write_rc(script, strlen(script));
	*err = (struct cdict_error){ 0 };
	return openrc_run(rc, "rc", (char *const *)usual, 20000, err);
}

/* Of OS_X; NULL: not set. */
static void gives(const char *script, const char *value)
{
	struct cdict_error err;
	struct openrc rc;
	const char *got;

	if (run_rc(&rc, script, &err))
		fail_msg("%s: %s", script, err.text);
	got = openrc_variable(rc.environment, "OS_X");
	if (!got != !value || (got && strcmp(got, value)))
		fail_msg("%s: OS_X is '%s', not '%s'", script, got ? got : "(none)",
			 value ? value : "(none)");
	openrc_fini(&rc);
}

static void a_shell_reads_it(void **state)
{
	static const struct {
		const char *script, *value;
	} all[] = {
		{ "export OS_X=a", "a" },
		{ "OS_X=a", "a" }, /* users write `set -a`, or forget export */
		{ "OS_X='it'\\''s \"a\"'", "it's \"a\"" },
		{ "H=host\nOS_X=http://$H:5000/v3", "http://host:5000/v3" },
		{ "OS_X=${OS_X:-admin}", "admin" },
		{ "OS_X=$(echo printed)", "printed" },
		{ "OS_X=a\nif [ -n \"$OS_X\" ]; then unset OS_X; fi", NULL },
		{ "for k in $(set | awk -F= '/^OS_/ { print $1 }'); do unset $k; done\nOS_X=a",
		  "a" },
		{ "f() { export OS_X=$1; }\nf b", "b" },
		{ "OS_X=$'a\\nb'", "a\nb" },
		{ "OS_X=\xc3\xa9", "\xc3\xa9" },
		{ "OS_X=a\r\n", "a" },
		{ "OS_X=a\nfalse", "a" },
		{ "OS_X=a; return 1; OS_X=b", "a" },
		{ "", NULL },
		/* it is sourced, without arguments, and knows where it is */
		{ "OS_X=$#$1:$BASH_SOURCE", "0:./rc" },
		{ "[ \"$0\" = \"$BASH_SOURCE\" ] && exit 1; OS_X=sourced", "sourced" },
		/* its output is not a setting */
		{ "echo OS_X=b; printf 'OS_X=c\\0'", NULL },
		{ "OS_X=a; env() { echo OS_X=b; }; PATH=", "a" },
		{ "OS_X=a; exec >/dev/null", "a" },
		{ "OS_X=a; trap 'echo OS_X=b' EXIT", "a" },
		/* processes that it leaves running are not waited for */
		{ "OS_X=a; sleep 300 &", "a" },
		{ "OS_X=a; ( trap '' HUP TERM; while :; do sleep 300; done ) &", "a" },
		/* of the terminal's settings only secrets are missing */
		{ "OS_X=$OS_USERNAME.$OS_PASSWORD", ".of-the-terminal" },
		{ "OS_X=$HOME", "/root" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		gives(all[i].script, all[i].value);
}

static void a_file_that_ends_its_shell_is_reported(void **state)
{
	static const struct {
		const char *script, *text;
	} all[] = {
		{ "OS_X=a\nexit 0", "rc: exits the shell running it, with status 0" },
		{ "OS_X=a\nexit 4", "rc: exits the shell running it, with status 4" },
		{ "set -e\nfalse\n", "rc: exits the shell running it, with status 1" },
		{ "exec true", "rc: exits the shell running it, with status 0" },
		{ "kill -9 $$", "rc: the shell running it was killed by signal 9" },
	};
	struct cdict_error err;
	struct openrc rc;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_int_equal(run_rc(&rc, all[i].script, &err), CDICT_EUSAGE);
		assert_string_equal(err.text, all[i].text);
		assert_null(rc.environment);
	}
}

static void a_file_that_is_not_a_script_comes_to_an_end(void **state)
{
	struct cdict_error err;
	struct openrc rc;

	(void)state;
	write_rc("\x7f"
		 "ELF\0\0\0",
		 7);
	openrc_run(&rc, "rc", (char *const *)usual, 20000, &err);
	openrc_fini(&rc);
	/* more than any process may be given */
	assert_true(run_rc(&rc, "OS_X=$(printf %0200000d 1)", &err) < 0);
	assert_string_equal(err.text, "rc: exits the shell running it, with status 126");
}

static void its_shell_leaves_no_core(void **state)
{
	(void)state;
	/* in blocks of 1 KiB, rounded down; as in bash(1) */
	gives("OS_X=$(ulimit -Hc)", "0");
	gives("OS_X=$(awk '/core/ { print $5 }' /proc/self/limits)", "1");
}

static int enter(void **state)
{
	char *dir = strdup("/tmp/cdict-openrc-XXXXXX");

	*state = dir;
	return !mkdtemp(dir) || chdir(dir);
}

static int leave(void **state)
{
	int rc = unlink("rc") || chdir("/") || rmdir(*state);

	free(*state);
	return rc;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_shell_reads_it),
		cmocka_unit_test(a_file_that_ends_its_shell_is_reported),
		cmocka_unit_test(a_file_that_is_not_a_script_comes_to_an_end),
		cmocka_unit_test(its_shell_leaves_no_core),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
