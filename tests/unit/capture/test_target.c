/* SPDX-License-Identifier: GPL-2.0-only */
/* The file of a recording: when it appears, space reserved for its end, leftovers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/record/target.h"

static char folder[] = "/tmp/test_target.XXXXXX";

/* The names in the folder, ascending, a blank after each. */
static const char *names(void)
{
	static char text[512];
	struct dirent **all;
	int n = scandir(".", &all, NULL, alphasort);

	assert_true(n >= 2);
	*text = '\0';
	for (int i = 0; i < n; i++) {
		if (all[i]->d_name[0] != '.')
			strcat(strcat(text, all[i]->d_name), " ");
		free(all[i]);
	}
	free(all);
	return text;
}

static void file(const char *name, const char *text)
{
	FILE *f = fopen(name, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static const char *content(const char *name)
{
	static char text[64];
	FILE *f = fopen(name, "r");

	assert_non_null(f);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void the_file_appears_when_it_is_published(void **state)
{
	struct cdict_error err = { 0 };
	struct target *t;

	(void)state;
	file("x", "precious");
	assert_int_equal(target_open(&t, &(struct outfile_options){ .path = "x", .capture = true },
				     &err),
			 0);
	assert_int_equal(target_write(t, "head", 4), 0);
	assert_string_equal(names(), "x ");
	assert_string_equal(content("x"), "precious");
	assert_int_equal(target_show(t, &err), 0);
	assert_string_equal(names(), "x x.old ");
	assert_string_equal(content("x"), "head");
	assert_string_equal(content("x.old"), "precious");
	/* Data after the mark can be taken back. */
	assert_int_equal(target_write(t, "half", 4), 0);
	target_trim(t);
	assert_int_equal(target_write(t, "+", 1), 0);
	assert_int_equal(target_bytes(t), 5);
	assert_int_equal(target_close(t, &err), 0);
	assert_string_equal(content("x"), "head+");
	unlink("x");
	unlink("x.old");
}

static void an_unpublished_file_leaves_nothing(void **state)
{
	struct cdict_error err = { 0 };
	struct target *t;

	(void)state;
	file("x", "precious");
	assert_int_equal(target_open(&t, &(struct outfile_options){ .path = "x", .capture = true },
				     &err),
			 0);
	assert_int_equal(target_write(t, "head", 4), 0);
	assert_int_equal(target_reserve(t, 100000), 0);
	assert_int_equal(target_close(t, &err), 0);
	assert_string_equal(names(), "x ");
	assert_string_equal(content("x"), "precious");
	unlink("x");
}

static void reserved_space_is_invisible_and_given_back(void **state)
{
	struct cdict_error err = { 0 };
	struct stat st;
	struct target *t;

	(void)state;
	assert_int_equal(target_open(&t, &(struct outfile_options){ .path = "x", .capture = true },
				     &err),
			 0);
	assert_int_equal(target_show(t, &err), 0);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(target_reserve(t, 70000), 0);
		assert_int_equal(target_write(t, "block", 5), 0);
		target_mark(t);
	}
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_size, 500);
	assert_int_equal(target_close(t, &err), 0);
	assert_int_equal(stat("x", &st), 0);
	assert_int_equal(st.st_size, 500);
	assert_true(st.st_blocks * 512 <= 65536);
	unlink("x");
}

/* Like a full disk: reserved space can still be written. */
static void a_limit_refuses_before_anything_is_written(void **state)
{
	struct rlimit was, limit;
	struct cdict_error err = { 0 };
	struct target *t;
	char block[1000] = "";

	(void)state;
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	limit = was;
	limit.rlim_cur = 10000;
	assert_int_equal(target_open(&t, &(struct outfile_options){ .path = "x", .capture = true },
				     &err),
			 0);
	assert_int_equal(target_show(t, &err), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	for (int i = 0; i < 8; i++) {
		assert_int_equal(target_reserve(t, 3000), 0);
		assert_int_equal(target_write(t, block, sizeof(block)), 0);
	}
	assert_int_equal(target_reserve(t, 3000), -EFBIG);
	assert_int_equal(target_write(t, block, sizeof(block)), 0);
	assert_int_equal(target_write(t, block, sizeof(block)), 0);
	assert_int_equal(target_write(t, block, sizeof(block)), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(target_close(t, &err), 0);
	unlink("x");
}

static void a_device_is_written_as_it_is(void **state)
{
	struct cdict_error err = { 0 };
	struct target *t;

	(void)state;
	assert_int_equal(
		target_open(&t, &(struct outfile_options){ .path = "/dev/full", .capture = true },
			    &err),
		0);
	assert_int_equal(target_reserve(t, UINT64_C(1) << 60), 0); /* the size is unknown */
	assert_int_equal(target_write(t, "x", 1), -ENOSPC);
	assert_int_equal(target_show(t, &err), 0);
	assert_int_equal(target_close(t, &err), 0);
	assert_int_equal(target_open(&t, &(struct outfile_options){ .path = ".", .capture = true },
				     &err),
			 -EISDIR);
	assert_int_equal(
		target_open(&t, &(struct outfile_options){ .path = "no/x", .capture = true }, &err),
		-ENOENT);
	assert_string_equal(names(), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_file_appears_when_it_is_published),
		cmocka_unit_test(an_unpublished_file_leaves_nothing),
		cmocka_unit_test(reserved_space_is_invisible_and_given_back),
		cmocka_unit_test(a_limit_refuses_before_anything_is_written),
		cmocka_unit_test(a_device_is_written_as_it_is),
	};
	int failed;

	if (!mkdtemp(folder) || chdir(folder))
		return 1;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	if (chdir("/") || rmdir(folder))
		return 1;
	return failed;
}
