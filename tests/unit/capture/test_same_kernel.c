// SPDX-License-Identifier: GPL-2.0-only
/* Whether a recording without formats is of the running kernel: the message for each difference. */
#include <fcntl.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/host/same_kernel.h"

#define S 1000000000ull

static const char kallsyms[] = "ffffffff81000000 T startup_64\n"
			       "ffffffff81000000 T _stext\n"
			       "ffffffff81000000 T _text\n"
			       "ffffffff81000010 t not_etext\n"
			       "ffffffff82276f48 T _etext\n";
static const char hidden[] = "0000000000000000 T _text\n0000000000000000 T _etext\n";

static int proc_with(const char *text)
{
	char folder[] = "same-kernel.XXXXXX", path[64];
	int fd;

	assert_non_null(mkdtemp(folder));
	fd = open(folder, O_RDONLY | O_DIRECTORY);
	assert_true(fd >= 0);
	snprintf(path, sizeof(path), "%s/kallsyms", folder);
	if (text) {
		FILE *f = fopen(path, "w");

		assert_non_null(f);
		fputs(text, f);
		fclose(f);
	}
	return fd;
}

/* A killed recording of this machine: no header features, the kernel's MMAP record. */
static const struct lent_survey of_here = {
	.symbol = "_text",
	.text_at = 0xffffffff81000000,
	.text_from = 0xffffffff81000000,
	.text_to = 0xffffffff82276f48,
	.last_ns = 500 * S,
};

static bool compare(const char *symbols, const struct lent_survey *survey,
		    const struct same_kernel_file *header, char *text, size_t size)
{
	struct same_kernel_host host = { .release = "6.18.0",
					 .machine = "x86_64",
					 .proc = proc_with(symbols),
					 .boot_ns = 10000 * S };
	struct same_kernel_file file = { .written_ns = 10501 * S, .survey = survey };
	bool same;

	if (header) {
		file = *header;
		file.survey = survey;
		file.written_ns = header->written_ns ? header->written_ns : 10501 * S;
	}
	*text = 0;
	same = same_kernel(&host, &file, text, size);
	close(host.proc);
	return same;
}

static void a_killed_recording_of_this_boot_is_of_this_kernel(void **state)
{
	char text[256];

	(void)state;
	assert_true(compare(kallsyms, &of_here, NULL, text, sizeof(text)));
	assert_string_equal(
		text, "kernel text at 0xffffffff81000000-0xffffffff82276f48, written since boot");
}

static void every_difference_is_named_and_nothing_is_taken(void **state)
{
	struct lent_survey s;
	char text[256];

	(void)state;
	s = of_here;
	s.text_at += 0x200000; /* KASLR: another boot */
	s.text_to += 0x200000;
	assert_false(compare(kallsyms, &s, NULL, text, sizeof(text)));
	assert_non_null(strstr(text, "its kernel text is at 0xffffffff81200000"));
	s = of_here;
	s.text_to -= 0x1000; /* another build */
	assert_false(compare(kallsyms, &s, NULL, text, sizeof(text)));
	s = of_here;
	strcpy(s.release, "6.1.0-51-amd64"); /* of a module's path */
	assert_false(compare(kallsyms, &s, NULL, text, sizeof(text)));
	assert_string_equal(text, "it is from kernel 6.1.0-51-amd64, this host runs 6.18.0");
	s = of_here;
	s.big = true;
	assert_false(compare(kallsyms, &s, NULL, text, sizeof(text)));
	assert_false(
		compare(kallsyms, &of_here,
			&(struct same_kernel_file){ .release = "6.18.0", .machine = "aarch64" },
			text, sizeof(text)));
	assert_string_equal(text, "its architecture is aarch64, this machine's is x86_64");
	assert_false(compare(kallsyms, &of_here,
			     &(struct same_kernel_file){ .written_ns = 9999 * S }, text,
			     sizeof(text)));
	assert_string_equal(text, "it was written before this machine booted");
	s = of_here;
	s.last_ns = 5000 * S; /* this machine has not been up for so long */
	assert_false(compare(kallsyms, &s, NULL, text, sizeof(text)));
	assert_non_null(strstr(text, "its last event is 5000 s after its machine's boot"));
	/* with another clock that proves nothing */
	assert_true(compare(kallsyms, &s, &(struct same_kernel_file){ .clocked = true }, text,
			    sizeof(text)));
}

static void data_that_cannot_be_compared_proves_nothing(void **state)
{
	struct lent_survey s = of_here;
	struct same_kernel_file header = { .release = "6.18.0", .machine = "x86_64" };
	char text[256];

	(void)state;
	assert_false(compare(NULL, &of_here, NULL, text, sizeof(text)));
	assert_false(compare(hidden, &of_here, NULL, text, sizeof(text)));
	assert_non_null(strstr(text, "only root sees them in /proc/kallsyms"));
	s.symbol[0] = 0;
	assert_false(compare(kallsyms, &s, NULL, text, sizeof(text)));
	assert_non_null(strstr(text, "its kernel cannot be identified"));
	/* but a header with release and machine does */
	assert_true(compare(hidden, &s, &header, text, sizeof(text)));
	assert_string_equal(text, "kernel 6.18.0, written since boot");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_killed_recording_of_this_boot_is_of_this_kernel),
		cmocka_unit_test(every_difference_is_named_and_nothing_is_taken),
		cmocka_unit_test(data_that_cannot_be_compared_proves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
