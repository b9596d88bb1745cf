/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions of made-up ELF files, as perf chooses them, and the names of linkage tables. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "convert/symbols/dwfl.h"
#include "convert/symbols/elfsyms.h"
#include "convert/symbols/plt.h"
#include "tests/unit/elffile.h"

#define FUNC(bind) ELF64_ST_INFO(bind, STT_FUNC)
static const char *const imported[] = { "read", "", "_ZN5space4waitEi", NULL };
static const struct elf_symbol functions[] = {
	/* of several names of an address: with a size, not weak, global, fewer underscores, the longer */
	{ "unsized", 0x1200, 0, FUNC(STB_GLOBAL) },
	{ "sized", 0x1200, 16, FUNC(STB_LOCAL) },
	{ "weak", 0x1210, 16, FUNC(STB_WEAK) },
	{ "local", 0x1210, 16, FUNC(STB_LOCAL) },
	{ "local2", 0x1220, 16, FUNC(STB_LOCAL) },
	{ "global", 0x1220, 16, FUNC(STB_GLOBAL) },
	{ "__read", 0x1230, 16, FUNC(STB_GLOBAL) },
	{ "_read", 0x1230, 16, FUNC(STB_GLOBAL) },
	{ "name", 0x1240, 16, FUNC(STB_GLOBAL) },
	{ "longer_name", 0x1240, 16, FUNC(STB_GLOBAL) },
	/* without a size: to the next one, which may be data */
	{ "open_ended", 0x1250, 0, FUNC(STB_GLOBAL) },
	{ "data", 0x1270, 4, ELF64_ST_INFO(STB_GLOBAL, STT_OBJECT) },
	{ "file.c", 0x1280, 16, ELF64_ST_INFO(STB_LOCAL, STT_FILE) },
	{ NULL, 0, 0, 0 },
};

static int open_made(void *ctx, int32_t pid, const struct vma *vma)
{
	(void)pid;
	(void)vma;
	return open(ctx, O_RDONLY);
}

static void functions_are_chosen_as_by_perf(void **state)
{
	static const struct {
		uint64_t address;
		const char *name;
		uint64_t offset;
	} cases[] = {
		{ 0x1205, "sized", 5 },
		{ 0x1210, "local", 0 },
		{ 0x122f, "global", 15 },
		{ 0x1230, "_read", 0 },
		{ 0x1241, "longer_name", 1 },
		{ 0x126f, "open_ended", 0x1f },
		{ 0x1270, "data", 0 },
		{ 0x1274, "", 0 },
		{ 0x1284, "", 0 },
		{ 0x11ff, "", 0 },
	};
	struct elf_made m = { .wide = true, .functions = functions, .imported = imported };
	struct vma vma = { .start = 0x400000, .end = 0x402000, .path = "/made" };
	struct elfsyms s = { .open = open_made };
	struct buf b = { 0 };
	char path[] = "/tmp/test_functions.XXXXXX";
	int fd = mkstemp(path);
	uint64_t plt;

	(void)state;
	if (dwfl_load(NULL)) {
		unlink(path);
		skip();
	}
	plt = elf_make(&b, &m);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, b.data, b.len), b.len);
	s.ctx = path;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cdict_frame frame = { .symbol = "",
					     .address = 0x400000 + cases[i].address - ELF_AT };

		elfsyms_resolve(&s, 1, &vma, &frame);
		assert_string_equal(frame.symbol, cases[i].name);
		assert_int_equal(frame.offset, cases[i].offset);
		assert_string_equal(frame.object, "/made");
	}
	for (unsigned i = 0; i < 2; i++) {
		struct cdict_frame frame = { .symbol = "",
					     .address = 0x400000 + plt + 16 * i + 3 - ELF_AT };

		elfsyms_resolve(&s, 1, &vma, &frame);
		assert_string_equal(frame.symbol, i ? "*ABS*+0x5678@plt" : "read@plt");
		assert_int_equal(frame.offset, 3);
	}
	assert_false(s.out_of_memory);
	unlink(path);
	close(fd);
	elfsyms_fini(&s);
	buf_fini(&b);
}

/* plt_read() of a copy of exactly this size, for a read past the end to be noticed. */
static size_t entries(const uint8_t *data, size_t size, struct functions *f,
		      struct stringset *names)
{
	uint8_t *exact = malloc(size ? size : 1);

	assert_non_null(exact);
	memcpy(exact, data, size);
	assert_int_equal(plt_read(f, exact, size, 0x10000, 100, names), 0);
	free(exact);
	return f->all.n;
}

static void linkage_tables_of_any_class_and_order_have_names(void **state)
{
	(void)state;
	for (unsigned kind = 0; kind < 4; kind++) {
		struct elf_made m = { .wide = kind & 1, .big = kind >> 1, .imported = imported };
		struct stringset names = { 0 };
		struct functions f = { 0 };
		struct buf b = { 0 };
		uint64_t plt;

		plt = elf_make(&b, &m) + 0x10000;
		assert_int_equal(entries(b.data, b.len, &f, &names), 3);
		assert_string_equal(f.all.at[0].name, "read@plt");
		assert_int_equal(f.all.at[0].start, plt);
		assert_int_equal(f.all.at[0].end, plt + ELF_PLT_ENTRY);
		assert_string_equal(f.all.at[1].name, "*ABS*+0x5678@plt");
		assert_int_equal(f.all.at[2].start, plt + 2 * ELF_PLT_ENTRY);
		/* cut, or with any byte wrong: whatever it reads is inside */
		for (size_t n = 0; n < b.len; n += 5) {
			f.all.n = 0;
			assert_true(entries(b.data, n, &f, &names) <= 3);
		}
		for (size_t i = 0; i < b.len; i++) {
			f.all.n = 0;
			b.data[i] ^= 0xff;
			assert_true(entries(b.data, b.len, &f, &names) <= 100);
			b.data[i] ^= 0xff;
		}
		functions_fini(&f);
		stringset_fini(&names);
		buf_fini(&b);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_are_chosen_as_by_perf),
		cmocka_unit_test(linkage_tables_of_any_class_and_order_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
