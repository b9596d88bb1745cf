/* SPDX-License-Identifier: GPL-2.0-only */
/* The filters of markers, and the names of system calls. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "analyze/printing/marker_filter.h"
#include "cdict/error.h"
#include "tables/names/syscalls.h"

/* An event with a number of each sign and a text. */
static const struct cdict_field fields[] = {
	{ .name = "ret", .size = 8, .kind = CDICT_FIELD_INT },
	{ .name = "flags", .size = 4, .kind = CDICT_FIELD_UINT },
	{ .name = "file", .size = 16, .kind = CDICT_FIELD_BYTES, .is_text = true },
};
static const struct cdict_event_type type = {
	.name = "made:up", .event = "up", .fields = fields, .n_fields = 3
};

/* Returns 1 or 0, or -1 when it is refused. */
static int passes(const char *text, const char *comm)
{
	static const uint8_t file[] = "data.log";
	const struct cdict_bytes bytes[] = { { file, 8 } };
	const uint64_t values[] = { (uint64_t)-11, 0x15, 0 };
	const struct cdict_event ev = {
		.cpu = 3, .pid = 70, .tid = 71, .type = &type, .values = values, .bytes = bytes
	};
	struct cdict_error err = { 0 };
	struct marker_filter *f;
	int ret = marker_filter_new(&f, &type, text, text ? strlen(text) : 0, &err);

	if (ret) {
		assert_int_equal(ret, CDICT_EUSAGE);
		assert_true(err.text[0]);
		return -1;
	}
	ret = marker_filter_passes(f, &ev, comm);
	marker_filter_free(f);
	return ret;
}

static void a_filter_is_a_condition_of_the_fields(void **state)
{
	static const struct {
		const char *text;
		int want;
	} cases[] = {
		{ NULL, 1 },
		{ "ret == -11", 1 },
		{ "ret<0", 1 },
		{ "ret >= 0", 0 },
		{ "-20 < ret && ret <= -11", 1 },
		{ "!(ret < 0)", 0 },
		{ "flags == 0x15", 1 },
		{ "flags & 4", 1 },
		{ "flags & 8 || ret", 1 },
		{ "flags & 8", 0 },
		{ "flags ? ret == -11 : 0", 1 },
		{ "tid==71 && pid == 70 && cpu == 3", 1 },
		{ "tid == 70", 0 },
		{ "file == \"data.log\"", 1 },
		{ "file == \"data\"", 0 },
		{ "file != \"data\"", 1 },
		{ "file ~ \"*.log\"", 1 },
		{ "file ~ \"d?t*l*g\"", 1 },
		{ "file ~ \"*.lo\"", 0 },
		{ "file ~ \"\"", 0 },
		{ "file ~ \"*\"", 1 },
		{ "comm == bench", 1 },
		{ "comm != bench || ret == 0", 0 },
		{ "(comm ~ \"be*\") + 1 == 2", 1 },
		/* invalid filters */
		{ "", -1 },
		{ "rat == 1", -1 },
		{ "ret ==", -1 },
		{ "ret == 1)", -1 },
		{ "file", -1 },
		{ "file < 3", -1 },
		{ "file == 3", -1 },
		{ "\"data\"", -1 },
		{ "ret ret", -1 },
		{ "comm", -1 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (passes(cases[i].text, "bench") != cases[i].want)
			fail_msg("%s", cases[i].text);
}

static void no_pattern_matches_a_task_without_a_name(void **state)
{
	(void)state;
	assert_int_equal(passes("comm == bench", NULL), 0);
	assert_int_equal(passes("comm ~ \"*\"", NULL), 0);
	assert_int_equal(passes("comm != bench", NULL), 1);
}

static void calls_are_named_as_this_machines_headers_name_them(void **state)
{
#define CALL(call)                                                                                 \
	{                                                                                          \
		SYS_##call, #call                                                                  \
	}
	static const struct {
		int64_t nr;
		const char *name;
	} calls[] = {
		CALL(read),          CALL(write),
		CALL(close),         CALL(ioctl),
		CALL(mprotect),      CALL(munmap),
		CALL(brk),           CALL(futex),
		CALL(clock_gettime), CALL(clock_nanosleep),
		CALL(openat),        CALL(execve),
		CALL(exit),          CALL(exit_group),
		CALL(wait4),         CALL(kill),
		CALL(getpid),        CALL(gettid),
		CALL(epoll_ctl),     CALL(eventfd2),
		CALL(pipe2),         CALL(dup3),
		CALL(statx),         CALL(io_uring_enter),
		CALL(ppoll),         CALL(fsync),
		CALL(getdents64),    CALL(nanosleep),
		CALL(prctl),         CALL(rt_sigreturn),
		CALL(readlinkat),    CALL(setns),
		CALL(bpf),           CALL(perf_event_open),
		CALL(getrandom),     CALL(memfd_create),
		CALL(clone),
	};
	char room[SYSCALLS_ROOM];
	struct utsname me;
	enum syscalls_abi abi;

	(void)state;
	assert_return_code(uname(&me), 0);
	/* a 32-bit build on a 64-bit machine has the numbers of 32 bits */
	abi = sizeof(long) == 4 ? SYSCALLS_I386 : syscalls_abi_of(me.machine);
	if (abi == SYSCALLS_UNKNOWN)
		skip();
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		assert_string_equal(syscalls_name(abi, calls[i].nr, room), calls[i].name);
}

static void numbers_without_a_name_are_printed_as_numbers(void **state)
{
	char room[SYSCALLS_ROOM];

	(void)state;
	assert_string_equal(syscalls_name(SYSCALLS_X86_64, 228, room), "clock_gettime");
	assert_string_equal(syscalls_name(SYSCALLS_I386, 265, room), "clock_gettime");
	assert_string_equal(syscalls_name(SYSCALLS_AARCH64, 113, room), "clock_gettime");
	assert_string_equal(syscalls_name(SYSCALLS_S390X, 260, room), "clock_gettime");
	assert_string_equal(syscalls_name(SYSCALLS_X86_64, 462, room), "mseal");
	assert_string_equal(syscalls_name(SYSCALLS_S390X, 1, room), "exit");
	assert_string_equal(syscalls_name(SYSCALLS_X86_64, 350, room), "350"); /* of i386 alone */
	assert_string_equal(syscalls_name(SYSCALLS_X86_64, 9999, room), "9999");
	assert_string_equal(syscalls_name(SYSCALLS_AARCH64, INT64_MIN, room),
			    "-9223372036854775808");
	assert_string_equal(syscalls_name(SYSCALLS_UNKNOWN, 1, room), "1");
	assert_int_equal(syscalls_abi_of("riscv64"), SYSCALLS_UNKNOWN);
	assert_int_equal(syscalls_abi_of(NULL), SYSCALLS_UNKNOWN);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_filter_is_a_condition_of_the_fields),
		cmocka_unit_test(no_pattern_matches_a_task_without_a_name),
		cmocka_unit_test(calls_are_named_as_this_machines_headers_name_them),
		cmocka_unit_test(numbers_without_a_name_are_printed_as_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
