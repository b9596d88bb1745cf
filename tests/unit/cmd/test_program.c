/* SPDX-License-Identifier: GPL-2.0-only */
/* Root runs no program that another user may have put into $PATH. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/core/program.h"

static char dir[] = "/tmp/test_program.XXXXXX";

/* A folder with a program that ends with @status. */
static void put(const char *folder, mode_t folder_mode, mode_t mode, uid_t owner, int status)
{
	char path[64];
	FILE *f;

	mkdir(folder, 0755);
	snprintf(path, sizeof(path), "%s/tool", folder);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\nexit %d\n", status);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chown(path, owner, (gid_t)-1), 0);
	assert_int_equal(chmod(path, mode), 0);
	assert_int_equal(chmod(folder, folder_mode), 0);
}

/* The status of the program found as `tool`; 100 + errno if it is not found. */
static int tool(const char *format)
{
	char name[] = "tool", *argv[] = { name, NULL };
	char path[256];
	int status = -1;
	pid_t pid = fork();

	if (!pid) {
		snprintf(path, sizeof(path), format, dir, dir);
		setenv("PATH", path, 1);
		program_run("tool", argv);
		_exit(100 + errno);
	}
	assert_true(pid > 0 && waitpid(pid, &status, 0) == pid && WIFEXITED(status));
	return WEXITSTATUS(status);
}

static int enter(void **state)
{
	(void)state;
	umask(022);
	if (!mkdtemp(dir) || chdir(dir))
		return -1;
	put("ours", 0755, 0755, geteuid(), 3);
	if (!geteuid()) {
		put("anybodys", 0777, 0755, 0, 7);
		put("written", 0755, 0757, 0, 8);
		put("strangers", 0755, 0755, 65534, 9);
	}
	return 0;
}

static int leave(void **state)
{
	(void)state;
	return system("rm -r ours anybodys written strangers 2>/dev/null; :") || chdir("/") ||
	       rmdir(dir);
}

static void the_first_in_the_path_is_run(void **state)
{
	(void)state;
	assert_int_equal(tool("/nowhere:%s/ours"), 3);
	assert_int_equal(tool("/nowhere::"), 100 + ENOENT);
}

static void root_passes_over_programs_that_others_may_have_put_there(void **state)
{
	(void)state;
	if (geteuid())
		skip();
	assert_int_equal(tool("%s/anybodys:%s/ours"), 3);
	assert_int_equal(tool("%s/written:%s/ours"), 3);
	assert_int_equal(tool("%s/strangers:%s/ours"), 3);
	assert_int_equal(tool("ours:%s/ours"), 3);
	assert_int_equal(tool("%s/anybodys"), 100 + EACCES);
	assert_int_equal(tool("%s/strangers"), 100 + EACCES);
	assert_int_equal(tool("ours:."), 100 + ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_in_the_path_is_run),
		cmocka_unit_test(root_passes_over_programs_that_others_may_have_put_there),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
