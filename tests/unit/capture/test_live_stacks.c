/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of addresses: the kernel's symbols, and the mappings of processes over time. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "capture/host/rings.h"
#include "convert/symbols/kallsyms.h"
#include "convert/symbols/spaces.h"
#include "cdict/event.h"

#define PID 4711

static void put_file(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int read_symbols(struct kallsyms **k, const char *text)
{
	put_file("kallsyms", text);
	return kallsyms_read(k, AT_FDCWD, "kallsyms");
}

static const char symbols[] = "ffffffff81000000 T _text\n"
			      "ffffffff81000040 t schedule\n"
			      "ffffffff81000100 D data\n"
			      "ffffffff81000080 T first_name\n"
			      "ffffffff81000080 W last_name\n"
			      "not a line\n"
			      "ffffffffc0000000 t kvm_exit\t[kvm]\n"
			      "ffffffffc0400000 t e1000_up\t[e1000]\n"
			      "cut";

static void kernel_addresses_have_the_names_that_perf_gives(void **state)
{
	static const struct {
		uint64_t address, offset;
		const char *symbol, *object;
	} cases[] = {
		{ 0xffffffff80ffffff, 0, "", "" }, /* before all */
		{ 0xffffffff81000000, 0, "_text", "[kernel.kallsyms]" },
		{ 0xffffffff8100007f, 0x3f, "schedule", "[kernel.kallsyms]" },
		{ 0xffffffff81000081, 1, "last_name", "[kernel.kallsyms]" },
		{ 0xffffffff81000105, 0x85, "last_name", "[kernel.kallsyms]" }, /* data, not code */
		{ 0xffffffffc0000010, 0x10, "kvm_exit", "[kvm]" },
		{ 0xffffffffc0003000, 0, "", "" }, /* between two modules */
		{ 0xffffffffc0401fff, 0x1fff, "e1000_up", "[e1000]" },
		{ 0xffffffffc0402000, 0, "", "" }, /* after all symbols */
	};
	struct kallsyms *k;

	(void)state;
	assert_int_equal(read_symbols(&k, symbols), 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cdict_frame f = { .symbol = "", .object = "", .address = cases[i].address };

		assert_int_equal(kallsyms_resolve(k, &f), *cases[i].symbol != '\0');
		assert_string_equal(f.symbol, cases[i].symbol);
		assert_string_equal(f.object, cases[i].object);
		assert_int_equal(f.offset, cases[i].offset);
	}
	kallsyms_free(k);
}

static void hidden_or_missing_kernel_symbols_are_reported(void **state)
{
	struct kallsyms *k;

	(void)state;
	assert_int_equal(read_symbols(&k, "0000000000000000 T _text\n0000000000000000 t x\n"),
			 -EACCES);
	assert_null(k);
	assert_int_equal(read_symbols(&k, ""), -EACCES);
	assert_int_equal(kallsyms_read(&k, AT_FDCWD, "none"), -ENOENT);
}

/* --- records as the kernel writes them */

struct record {
	struct perf_event_header header;
	uint32_t words[16];
	char text[64];
};

static void feed(struct spaces *s, uint32_t type, uint16_t misc, uint64_t t_ns,
		 const uint32_t *words, size_t n, const char *text)
{
	struct record r = { .header = { .type = type, .misc = misc } };

	memcpy(r.words, words, n * sizeof(*words));
	if (text) /* after words[] where there are many: strcpy() would be held to those */
		memcpy(&r.words[n], text, strlen(text) + 1);
	r.header.size =
		(uint16_t)(sizeof(r.header) + n * sizeof(*words) + (text ? strlen(text) + 1 : 0));
	spaces_record(s, &r, r.header.size, NATIVE_BIG, t_ns);
}

static void fork_of(struct spaces *s, int32_t pid, int32_t parent, uint64_t t_ns)
{
	uint32_t w[] = { (uint32_t)pid, (uint32_t)parent, (uint32_t)pid, (uint32_t)parent, 0, 0 };

	feed(s, PERF_RECORD_FORK, 0, t_ns, w, 6, NULL);
}

static void exit_of(struct spaces *s, int32_t pid, uint64_t t_ns)
{
	uint32_t w[] = { (uint32_t)pid, 1, (uint32_t)pid, 1, 0, 0 };

	feed(s, PERF_RECORD_EXIT, 0, t_ns, w, 6, NULL);
}

static void exec_of(struct spaces *s, int32_t pid, uint64_t t_ns)
{
	uint32_t w[] = { (uint32_t)pid, (uint32_t)pid };

	feed(s, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC, t_ns, w, 2, "new");
}

static void map_of(struct spaces *s, int32_t pid, uint64_t t_ns, uint64_t start, uint64_t len,
		   uint32_t prot, const char *path)
{
	uint32_t w[16] = { (uint32_t)pid, (uint32_t)pid };
	uint64_t place[] = { start, len, 0x1000 };

	memcpy(&w[2], place, sizeof(place));
	w[14] = prot;
	feed(s, PERF_RECORD_MMAP2, 0, t_ns, w, 16, path);
}

static const char *at(const struct spaces *s, int32_t pid, uint64_t t_ns, uint64_t address)
{
	const struct vma *vma = space_vma(spaces_find(s, pid, t_ns), address);

	return vma ? vma->path : "";
}

static void a_program_is_what_it_was_at_the_time(void **state)
{
	struct spaces s = { 0 };

	(void)state;
	map_of(&s, PID, 5, 0x10000, 0x1000, 5, "/bin/shell");
	fork_of(&s, PID + 1, PID, 100);
	exec_of(&s, PID + 1, 200);
	map_of(&s, PID + 1, 210, 0x10000, 0x1000, 5, "/bin/ls");
	map_of(&s, PID + 1, 220, 0x20000, 0x1000, 3, "/not/executable");
	exit_of(&s, PID + 1, 300);
	fork_of(&s, PID + 1, PID, 400);
	assert_string_equal(at(&s, PID + 1, 99, 0x10800), "");
	assert_string_equal(at(&s, PID + 1, 150, 0x10800), "/bin/shell");
	assert_string_equal(at(&s, PID + 1, 205, 0x10800), "/bin/shell");
	assert_string_equal(at(&s, PID + 1, 210, 0x10800), "/bin/ls");
	assert_string_equal(at(&s, PID + 1, 300, 0x10fff), "/bin/ls");
	assert_string_equal(at(&s, PID + 1, 300, 0x11000), "");
	assert_string_equal(at(&s, PID + 1, 300, 0x20000), "");
	assert_string_equal(at(&s, PID + 1, 401, 0x10800), "/bin/shell");
	/* A mapping over it is known from then on, and under another number. */
	map_of(&s, PID, 500, 0x10800, 0x1000, 5, "/lib/new");
	assert_string_equal(at(&s, PID, 499, 0x10900), "/bin/shell");
	assert_string_equal(at(&s, PID, 500, 0x10900), "/lib/new");
	assert_int_not_equal(spaces_find(&s, PID, 499)->number, spaces_find(&s, PID, 500)->number);
	spaces_fini(&s);
}

static void processes_that_come_and_go_are_forgotten(void **state)
{
	struct spaces s = { 0 };

	(void)state;
	map_of(&s, PID, 1, 0x10000, 0x1000, 5, "/bin/shell");
	for (uint64_t i = 1; i <= 40000; i++) {
		fork_of(&s, 10000 + (int32_t)(i % 20000), PID, i * 100000000);
		exit_of(&s, 10000 + (int32_t)(i % 20000), i * 100000000 + 1);
	}
	assert_true(s.n_spaces < 10000);
	assert_string_equal(at(&s, PID, UINT64_C(4000000000000), 0x10800), "/bin/shell");
	spaces_fini(&s);
}

static void short_and_strange_records_do_no_harm(void **state)
{
	struct spaces s = { 0 };
	uint32_t w[16] = { PID, PID };

	(void)state;
	for (uint32_t type = 0; type < 20; type++)
		for (size_t n = 0; n < 16; n++)
			feed(&s, type, PERF_RECORD_MISC_COMM_EXEC, 1, w, n, NULL);
	map_of(&s, -1, 1, 0x1000, 0x1000, 5, "[kernel]");
	map_of(&s, PID, 1, UINT64_MAX - 10, 100, 5, "/wraps");
	assert_string_equal(at(&s, PID, 2, UINT64_MAX - 5), "");
	spaces_fini(&s);
}

static void maps_of_proc_are_read(void **state)
{
	struct spaces s = { 0 };

	(void)state;
	mkdir("proc", 0755);
	mkdir("proc/17", 0755);
	mkdir("proc/18", 0755);
	put_file("proc/17/maps", "1000-2000 r--p 00000000 fe:00 12 /bin/a b\n"
				 "2000-4000 r-xp 00001000 fe:00 12                 /bin/a b\n"
				 "5000-6000 rwxp 00000000 00:00 0 \n"
				 "7000-8000 r-xp 00000000 00:00 0                  [vdso]\n"
				 "9000-8000 r-xp 00000000 00:00 0 /wrong\n"
				 "nonsense\n");
	put_file("proc/18/maps", "");
	spaces_read(&s, "proc");
	assert_string_equal(at(&s, 17, 0, 0x1800), "");
	assert_string_equal(at(&s, 17, 7, 0x3fff), "/bin/a b");
	assert_int_equal(space_vma(spaces_find(&s, 17, 0), 0x3fff)->offset, 0x1000);
	assert_int_equal(space_vma(spaces_find(&s, 17, 0), 0x3fff)->inode, 12);
	assert_string_equal(at(&s, 17, 0, 0x5000), "//anon");
	assert_string_equal(at(&s, 17, 0, 0x7000), "[vdso]");
	assert_string_equal(at(&s, 17, 0, 0x8000), "");
	assert_string_equal(at(&s, 18, 0, 0x1800), "");
	spaces_fini(&s);
}

/* --- samples */

static void a_sample_s_chain_and_fields_are_found(void **state)
{
	struct {
		struct perf_event_header header;
		uint64_t fixed[3], n, chain[2];
		uint32_t size, raw;
	} r = { .header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(r) },
		.n = 2,
		.chain = { PERF_CONTEXT_KERNEL, 0xffffffff81000040 },
		.size = 4,
		.raw = 7 };
	const struct ring_layout layout = ring_layout(false, true);
	struct ring_sample s;

	(void)state;
	assert_true(ring_sample_read(&r, &layout, &s));
	assert_int_equal(s.n_chain, 2);
	assert_ptr_equal(s.chain, r.chain);
	assert_int_equal(s.raw_size, 4);
	assert_ptr_equal(s.raw, &r.raw);
	r.n = 3;
	assert_false(ring_sample_read(&r, &layout, &s));
	r.n = UINT64_MAX / 8 + 2;
	assert_false(ring_sample_read(&r, &layout, &s));
	r.n = 2;
	r.size = 5;
	assert_false(ring_sample_read(&r, &layout, &s));
	r.header.size = 16;
	assert_false(ring_sample_read(&r, &layout, &s));
}

/* With events that are no tracepoints, their id and the address come first. */
static void a_sample_of_any_event_has_an_id_and_an_address(void **state)
{
	struct {
		struct perf_event_header header;
		uint64_t id, ip;
		int32_t pid, tid;
		uint64_t time, period, n, chain[1];
		uint32_t size, raw;
	} r = { .header = { .type = PERF_RECORD_SAMPLE, .size = sizeof(r) },
		.id = 5,
		.ip = 0x1000,
		.pid = 7,
		.tid = 8,
		.time = 9,
		.period = 250000,
		.n = 1,
		.chain = { 0x1000 },
		.size = 4 };
	const struct ring_layout l = ring_layout(true, true);
	struct ring_sample s;

	(void)state;
	assert_true(ring_sample_read(&r, &l, &s));
	assert_int_equal(s.n_chain, 1);
	assert_ptr_equal(s.chain, r.chain);
	assert_ptr_equal(s.raw, &r.raw);
	assert_ptr_equal((uint8_t *)&r + l.id, &r.id);
	assert_ptr_equal((uint8_t *)&r + l.ip, &r.ip);
	assert_ptr_equal((uint8_t *)&r + l.pid, &r.pid);
	assert_ptr_equal((uint8_t *)&r + l.time, &r.time);
	assert_ptr_equal((uint8_t *)&r + l.period, &r.period);
	r.header.size = l.rest;
	assert_false(ring_sample_read(&r, &l, &s));
}

static int enter_folder(void **state)
{
	char *folder = strdup("/tmp/live-stacks.XXXXXX");

	*state = folder;
	return folder && mkdtemp(folder) && !chdir(folder) ? 0 : -1;
}

static int leave_folder(void **state)
{
	static const char *const files[] = { "kallsyms", "proc/17/maps", "proc/18/maps" };
	static const char *const folders[] = { "proc/17", "proc/18", "proc" };
	int ret = 0;

	for (size_t i = 0; i < 3; i++)
		ret |= unlink(files[i]);
	for (size_t i = 0; i < 3; i++)
		ret |= rmdir(folders[i]);
	ret |= chdir("/") | rmdir(*state);
	free(*state);
	return ret;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_addresses_have_the_names_that_perf_gives),
		cmocka_unit_test(hidden_or_missing_kernel_symbols_are_reported),
		cmocka_unit_test(a_program_is_what_it_was_at_the_time),
		cmocka_unit_test(processes_that_come_and_go_are_forgotten),
		cmocka_unit_test(short_and_strange_records_do_no_harm),
		cmocka_unit_test(maps_of_proc_are_read),
		cmocka_unit_test(a_sample_s_chain_and_fields_are_found),
		cmocka_unit_test(a_sample_of_any_event_has_an_id_and_an_address),
	};

	return cmocka_run_group_tests(tests, enter_folder, leave_folder);
}
