/* SPDX-License-Identifier: GPL-2.0-only */
/* Output files appear complete or not at all. */
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

#include "base/system/outfile.h"

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

	assert_int_equal(outfile_open(&of, &(struct outfile_options){ .path = path }, NULL), 0);
	assert_int_equal(outfile_write(of, text, strlen(text)), 0);
	assert_int_equal(outfile_bytes(of), strlen(text));
	return of;
}

static void a_file_appears_at_commit_with_the_mode_of_umask(void **state)
{
	struct outfile *of = begin("new", "hello");

	(void)state;
	assert_int_equal(access("new", F_OK), -1);
	assert_null(outfile_temporary(of)); /* the file has no name at all */
	assert_int_equal(files(), 0);
	assert_int_equal(outfile_commit(of, OUTFILE_SYNC, NULL), 0);
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
	assert_int_equal(outfile_commit(begin("old", "after"), 0, NULL), 0);
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
	assert_int_equal(outfile_commit(begin("link", "after"), 0, NULL), 0);
	assert_int_equal(outfile_commit(begin("dangling", "made"), 0, NULL), 0);
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
	assert_int_equal(outfile_commit(of, OUTFILE_SYNC, NULL), 0);
}

static void a_full_device_is_reported(void **state)
{
	struct outfile *of;
	struct cdict_error err = { 0 };

	(void)state;
	assert_int_equal(outfile_open(&of, &(struct outfile_options){ .path = "/dev/full" }, NULL),
			 0);
	assert_int_equal(outfile_write(of, "x", 1), -ENOSPC);
	assert_int_equal(outfile_write(of, "x", 1), -ENOSPC);
	assert_int_equal(outfile_commit(of, 0, &err), -ENOSPC);
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
	assert_int_equal(outfile_commit(of, 0, NULL), -EFBIG);
	expect("old", "before");
	assert_int_equal(files(), 1);
	unlink("old");
}

static void impossible_outputs_are_refused_at_open(void **state)
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

		assert_int_equal(
			outfile_open(&of, &(struct outfile_options){ .path = cases[i].path }, &err),
			cases[i].code);
		assert_null(of);
		assert_true(err.text[0] != '\0');
	}
	unlink("loop");
}

/* A file that begins with "PERF" is a capture, one that begins with "keep" is kept. */
static int there(const struct outfile_there *what, const void *ctx, struct cdict_error *err)
{
	char head[4] = "";

	(void)ctx;
	if (what->name)
		assert_int_equal(faccessat(what->dir, what->name, F_OK, 0), 0);
	if (pread(what->fd, head, sizeof(head), 0) != sizeof(head))
		return OUTFILE_REPLACE;
	if (!memcmp(head, "keep", 4))
		return OUTFILE_KEEP_OLD;
	if (memcmp(head, "PERF", 4) != 0)
		return OUTFILE_REPLACE;
	snprintf(err->text, sizeof(err->text), "is a capture");
	return OUTFILE_REFUSE;
}

static int open_as(struct outfile **of, const char *path, bool capture, const char *input)
{
	struct outfile_options opts = { .path = path, .capture = capture, .there = there };
	struct cdict_error err = { 0 };

	opts.inputs = &input;
	opts.n_inputs = input != NULL;
	return outfile_open(of, &opts, &err);
}

static void an_input_is_refused_as_output_by_any_name(void **state)
{
	static const char *const names[] = { "in", "./in", "soft", "hard", "soft2" };
	struct outfile *of;

	(void)state;
	put("in", "before", 0644);
	assert_int_equal(symlink("in", "soft"), 0);
	assert_int_equal(symlink("soft", "soft2"), 0);
	assert_int_equal(link("in", "hard"), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		assert_int_equal(open_as(&of, names[i], true, "in"), CDICT_EUSAGE);
		assert_int_equal(open_as(&of, names[i], false, "hard"), CDICT_EUSAGE);
	}
	/* nor is a file in a directory that is the input */
	assert_int_equal(mkdir("dir", 0755), 0);
	assert_int_equal(open_as(&of, "dir/new", true, "dir"), CDICT_EUSAGE);
	assert_int_equal(rmdir("dir"), 0);
	/* nor the place of the old file */
	assert_int_equal(rename("in", "out.old"), 0);
	put("out", "old", 0644);
	assert_int_equal(open_as(&of, "out", true, "out.old"), CDICT_EUSAGE);
	assert_int_equal(open_as(&of, "out", false, "out.old"), 0);
	outfile_abort(of);
	expect("hard", "before");
	unlink("out");
	unlink("out.old");
	unlink("soft");
	unlink("soft2");
	unlink("hard");
}

static void a_capture_is_replaced_by_captures_only_and_kept(void **state)
{
	struct outfile *of;

	(void)state;
	put("x", "PERFILE2 and so on", 0644);
	assert_int_equal(open_as(&of, "x", false, NULL), -EEXIST);
	assert_int_equal(open_as(&of, "x", true, NULL), 0);
	assert_int_equal(outfile_write(of, "new", 3), 0);
	assert_int_equal(outfile_commit(of, 0, NULL), 0);
	expect("x", "new");
	expect("x.old", "PERFILE2 and so on");
	assert_int_equal(mode_of("x"), 0600);
	assert_int_equal(mode_of("x.old"), 0644);
	/* again: the older one is deleted, as perf record does */
	assert_int_equal(open_as(&of, "x", true, NULL), 0);
	assert_int_equal(outfile_commit(of, 0, NULL), 0);
	expect("x.old", "new");
	assert_int_equal(files(), 2);
	unlink("x");
	unlink("x.old");
}

static void a_file_that_the_caller_wants_kept_is_kept(void **state)
{
	struct outfile *of;

	(void)state;
	put("x", "keep this", 0640);
	assert_int_equal(open_as(&of, "x", false, NULL), 0);
	assert_int_equal(outfile_write(of, "new", 3), 0);
	assert_int_equal(outfile_commit(of, 0, NULL), 0);
	expect("x", "new");
	expect("x.old", "keep this");
	unlink("x.old");
	assert_int_equal(open_as(&of, "x", false, NULL), 0);
	assert_int_equal(outfile_commit(of, 0, NULL), 0);
	assert_int_equal(files(), 1);
	unlink("x");
}

static bool begins_with_same(int old, int new)
{
	char a[4] = "", b[4] = "";

	return pread(old, a, 4, 0) == 4 && pread(new, b, 4, 0) == 4 && !memcmp(a, b, 4);
}

/* x.old remains "other", even when the same file is written again. */
static void a_reproducible_file_does_not_move_another_aside(void **state)
{
	static const char *const texts[] = { "sameone", "sameone", "sametwo" };
	struct outfile_options opts = { .path = "x",
					.capture = true,
					.can_be_made_again = begins_with_same };
	struct outfile *of;

	(void)state;
	put("x", "other", 0644);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		assert_int_equal(outfile_open(&of, &opts, NULL), 0);
		assert_int_equal(outfile_write(of, texts[i], strlen(texts[i])), 0);
		assert_int_equal(outfile_commit(of, 0, NULL), 0);
		expect("x", texts[i]);
		expect("x.old", "other");
	}
	/* of the same bytes, whichever program made it */
	opts.can_be_made_again = NULL;
	assert_int_equal(outfile_open(&of, &opts, NULL), 0);
	assert_int_equal(outfile_write(of, "sametwo", 7), 0);
	assert_int_equal(outfile_commit(of, 0, NULL), 0);
	expect("x.old", "other");
	assert_int_equal(files(), 2);
	unlink("x");
	unlink("x.old");
}

static void nothing_does_not_replace_something(void **state)
{
	struct cdict_error err = { 0 };

	(void)state;
	put("x", "before", 0644);
	assert_int_equal(outfile_commit(begin("x", "head"), OUTFILE_EMPTY, &err), CDICT_ENOEVENTS);
	expect("x", "before");
	put("x", "", 0644);
	assert_int_equal(outfile_commit(begin("x", "head"), OUTFILE_EMPTY, &err), 0);
	expect("x", "head");
	unlink("x");
	assert_int_equal(outfile_commit(begin("x", "head"), OUTFILE_EMPTY, &err), 0);
	unlink("x");
}

static void a_file_being_written_is_not_replaced(void **state)
{
	struct outfile *first, *second;
	struct cdict_error err = { 0 };

	(void)state;
	assert_int_equal(open_as(&first, "x", true, NULL), 0);
	/* both began when no file existed */
	assert_int_equal(open_as(&second, "x", true, NULL), 0);
	assert_int_equal(outfile_show(first, &err), 0);
	assert_int_equal(outfile_write(first, "first", 5), 0);
	assert_int_equal(outfile_commit(second, 0, &err), -EBUSY);
	assert_int_equal(open_as(&second, "x", true, NULL), -EBUSY);
	assert_int_equal(open_as(&second, "x", false, NULL), -EBUSY);
	assert_int_equal(outfile_commit(first, 0, &err), 0);
	expect("x", "first");
	assert_int_equal(files(), 1);
	unlink("x");
}

/* Root only: no other user can create a link that belongs to another user. */
static void a_strangers_link_is_not_followed(void **state)
{
	struct outfile *of;
	struct stat st;

	(void)state;
	if (geteuid())
		skip();
	unsetenv("SUDO_UID");
	put("precious", "before", 0644);
	for (int sticky = 0; sticky < 2; sticky++) {
		assert_int_equal(mkdir("open", 0755), 0);
		assert_int_equal(symlink("../precious", "open/x"), 0);
		assert_int_equal(symlink("..", "open/dir"), 0);
		/* root's own, and a stranger's where only root may write */
		assert_int_equal(chmod("open", sticky ? 01777 : 0777), 0);
		assert_int_equal(open_as(&of, "open/x", false, NULL), 0);
		outfile_abort(of);
		assert_int_equal(lchown("open/x", 65534, 65534), 0);
		assert_int_equal(lchown("open/dir", 65534, 65534), 0);
		assert_int_equal(open_as(&of, "open/x", false, NULL), -EPERM);
		assert_int_equal(open_as(&of, "open/dir/new", true, NULL), -EPERM);
		/* the user that called sudo is not a stranger */
		setenv("SUDO_UID", "65534", 1);
		setenv("SUDO_GID", "65533", 1);
		assert_int_equal(open_as(&of, "open/x", false, NULL), 0);
		outfile_abort(of);
		assert_int_equal(open_as(&of, "open/new", true, NULL), 0);
		assert_int_equal(outfile_commit(of, 0, NULL), 0);
		assert_int_equal(stat("open/new", &st), 0);
		assert_int_equal(st.st_uid, 65534);
		assert_int_equal(st.st_gid, 65533);
		assert_int_equal(st.st_mode & 07777, 0600);
		unsetenv("SUDO_UID");
		unsetenv("SUDO_GID");
		assert_int_equal(chmod("open", 0755), 0);
		assert_int_equal(open_as(&of, "open/x", false, NULL), 0);
		outfile_abort(of);
		assert_int_equal(mkfifo("open/pipe", 0666), 0);
		assert_int_equal(chmod("open", 0777), 0);
		assert_int_equal(lchown("open/pipe", 65534, 65534), 0);
		assert_int_equal(open_as(&of, "open/pipe", true, NULL), -EPERM);
		unlink("open/pipe");
		unlink("open/new");
		unlink("open/x");
		unlink("open/dir");
		assert_int_equal(rmdir("open"), 0);
	}
	expect("precious", "before");
	unlink("precious");
}

static void an_open_file_is_appended_to_and_not_overwritten(void **state)
{
	struct outfile *of;
	char name[32];
	int fd;

	(void)state;
	put("log", "line\n", 0644);
	fd = open("log", O_WRONLY | O_APPEND);
	assert_true(fd >= 0);
	snprintf(name, sizeof(name), "/dev/fd/%d", fd);
	of = begin(name, "more");
	assert_int_equal(outfile_commit(of, 0, NULL), 0);
	close(fd);
	expect("log", "line\nmore");
	put("log", "PERFILE2", 0644);
	fd = open("log", O_RDWR | O_APPEND);
	assert_int_equal(open_as(&of, name, false, NULL), -EEXIST);
	close(fd);
	unlink("log");
}

static void the_folder_is_empty_at_the_end(void **state)
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
		cmocka_unit_test(a_full_device_is_reported),
		cmocka_unit_test(nothing_stays_when_the_disk_is_full),
		cmocka_unit_test(impossible_outputs_are_refused_at_open),
		cmocka_unit_test(an_input_is_refused_as_output_by_any_name),
		cmocka_unit_test(a_capture_is_replaced_by_captures_only_and_kept),
		cmocka_unit_test(a_file_that_the_caller_wants_kept_is_kept),
		cmocka_unit_test(a_reproducible_file_does_not_move_another_aside),
		cmocka_unit_test(nothing_does_not_replace_something),
		cmocka_unit_test(a_file_being_written_is_not_replaced),
		cmocka_unit_test(a_strangers_link_is_not_followed),
		cmocka_unit_test(an_open_file_is_appended_to_and_not_overwritten),
		cmocka_unit_test(the_folder_is_empty_at_the_end),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
