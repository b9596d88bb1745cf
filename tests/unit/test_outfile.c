/* SPDX-License-Identifier: GPL-2.0-only */
/* Output files appear whole or not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <signal.h>
#include <unistd.h>

#include "base/outfile.h"

static char dir[] = "/tmp/test_outfile.XXXXXX";

static int enter(void **state)
{
	(void)state;
	umask(022);
	return !mkdtemp(dir) || chdir(dir);
}

static int leave(void **state)
{
	(void)state;
	return chdir("/") || rmdir(dir);
}

/* Every test leaves the folder empty: nothing half-written may stay. */
static size_t files(void)
{
	DIR *d = opendir(".");
	struct dirent *e;
	size_t n = 0;

	assert_non_null(d);
	while ((e = readdir(d)))
		n += strcmp(e->d_name, ".") && strcmp(e->d_name, "..");
	closedir(d);
	return n;
}

static void put(const char *path, const char *text, mode_t mode)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	assert_int_equal(chmod(path, mode), 0);
}

static void expect(const char *path, const char *want)
{
	char got[64] = "";
	FILE *f = fopen(path, "r");

	assert_non_null(f);
	assert_true(fread(got, 1, sizeof(got) - 1, f) == strlen(want));
	fclose(f);
	assert_string_equal(got, want);
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	assert_int_equal(stat(path, &st), 0);
	return st.st_mode & 07777;
}

static struct outfile *begin(const char *path, const char *text)
{
	struct outfile *of;

	assert_int_equal(outfile_open(&of, path, NULL), 0);
	assert_int_equal(outfile_write(of, text, strlen(text)), 0);
	assert_int_equal(outfile_bytes(of), strlen(text));
	return of;
}

static void a_file_appears_at_commit_with_the_mode_of_umask(void **state)
{
	struct outfile *of = begin("new", "hello");

	(void)state;
	assert_int_equal(access("new", F_OK), -1);
	assert_int_equal(access(outfile_temporary(of), F_OK), 0);
	assert_int_equal(outfile_commit(of, true, NULL), 0);
	expect("new", "hello");
	assert_int_equal(mode_of("new"), 0644);
	assert_int_equal(files(), 1);
	unlink("new");
}

static void an_aborted_file_leaves_the_old_one(void **state)
{
	struct outfile *of;

	(void)state;
	put("old", "before", 0600);
	of = begin("old", "after");
	outfile_abort(of);
	outfile_abort(NULL);
	expect("old", "before");
	assert_int_equal(files(), 1);
	unlink("old");
}

static void a_replaced_file_keeps_its_mode(void **state)
{
	(void)state;
	put("old", "before", 0640);
	assert_int_equal(outfile_commit(begin("old", "after"), false, NULL), 0);
	expect("old", "after");
	assert_int_equal(mode_of("old"), 0640);
	unlink("old");
}

static void a_symbolic_link_stays_and_its_target_is_replaced(void **state)
{
	struct stat st;

	(void)state;
	assert_int_equal(mkdir("sub", 0755), 0);
	put("sub/target", "before", 0644);
	assert_int_equal(symlink("sub/target", "link"), 0);
	assert_int_equal(symlink("sub/later", "dangling"), 0);
	assert_int_equal(outfile_commit(begin("link", "after"), false, NULL), 0);
	assert_int_equal(outfile_commit(begin("dangling", "made"), false, NULL), 0);
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	expect("sub/target", "after");
	expect("sub/later", "made");
	unlink("link");
	unlink("dangling");
	unlink("sub/target");
	unlink("sub/later");
	assert_int_equal(rmdir("sub"), 0);
}

static void special_files_are_written_directly(void **state)
{
	struct outfile *of = begin("/dev/null", "gone");

	(void)state;
	assert_null(outfile_temporary(of));
	assert_int_equal(outfile_commit(of, true, NULL), 0);
}

static void a_full_device_is_told(void **state)
{
	struct outfile *of;
	struct cdict_error err = { 0 };

	(void)state;
	assert_int_equal(outfile_open(&of, "/dev/full", NULL), 0);
	assert_int_equal(outfile_write(of, "x", 1), -ENOSPC);
	assert_int_equal(outfile_write(of, "x", 1), -ENOSPC);
	assert_int_equal(outfile_commit(of, false, &err), -ENOSPC);
	assert_non_null(strstr(err.text, "No space left"));
}

static void nothing_stays_when_the_disk_is_full(void **state)
{
	static char much[8192];
	struct rlimit old, small = { 4096, 4096 };
	struct outfile *of;

	(void)state;
	put("old", "before", 0644);
	of = begin("old", "");
	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small.rlim_max = old.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_int_equal(outfile_write(of, much, sizeof(much)), -EFBIG);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	assert_int_equal(outfile_commit(of, false, NULL), -EFBIG);
	expect("old", "before");
	assert_int_equal(files(), 1);
	unlink("old");
}

static void what_cannot_be_is_refused_at_open(void **state)
{
	static const struct {
		const char *path;
		int code;
	} cases[] = {
		{ ".", -EISDIR },     { "", -ENOENT },    { "none/x", -ENOENT },
		{ "none/", -EISDIR }, { "loop", -ELOOP },
	};

	(void)state;
	assert_int_equal(symlink("loop", "loop"), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct outfile *of;
		struct cdict_error err = { 0 };

		assert_int_equal(outfile_open(&of, cases[i].path, &err), cases[i].code);
		assert_null(of);
		assert_true(err.text[0] != '\0');
	}
	unlink("loop");
}

static void the_folder_is_empty_after_all_that(void **state)
{
	(void)state;
	assert_int_equal(files(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_appears_at_commit_with_the_mode_of_umask),
		cmocka_unit_test(an_aborted_file_leaves_the_old_one),
		cmocka_unit_test(a_replaced_file_keeps_its_mode),
		cmocka_unit_test(a_symbolic_link_stays_and_its_target_is_replaced),
		cmocka_unit_test(special_files_are_written_directly),
		cmocka_unit_test(a_full_device_is_told),
		cmocka_unit_test(nothing_stays_when_the_disk_is_full),
		cmocka_unit_test(what_cannot_be_is_refused_at_open),
		cmocka_unit_test(the_folder_is_empty_after_all_that),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
