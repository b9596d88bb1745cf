/* SPDX-License-Identifier: GPL-2.0-only */
/* Files with symbols of programs and of the kernel, from made-up files: build ids, and which file is taken. */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/cursor.h"
#include "convert/symbols/kernel.h"
#include "tests/unit/elffile.h"

#define ID "0102030405060708090a0b0c0d0e0f1011121314"
#define OTHER_ID "ff02030405060708090a0b0c0d0e0f1011121314"

static char top[] = "/tmp/test_symbols.XXXXXX";
static const bool yes_no[] = { false, true };

static int enter(void **state)
{
	(void)state;
	return !mkdtemp(top);
}

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st, (void)flag, (void)ftw;
	return remove(path);
}

static int leave(void **state)
{
	(void)state;
	return nftw(top, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file below our folder, with its folders: its path, until the next but three. */
static const char *put(const char *name, const void *data, size_t n)
{
	static char paths[4][256];
	static unsigned next;
	char *path = paths[next++ % 4];
	FILE *f;

	snprintf(path, sizeof(paths[0]), "%s/%s", top, name);
	for (char *p = path + sizeof(top); (p = strchr(p, '/')); *p++ = '/') {
		*p = '\0';
		assert_true(!mkdir(path, 0700) || errno == EEXIST);
	}
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(data, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
	return path;
}

static const char *put_text(const char *name, const char *text)
{
	return put(name, text, strlen(text));
}

static struct elf_made small(bool wide, bool big, uint8_t first)
{
	struct elf_made m = { .wide = wide, .big = big };

	for (uint8_t i = 0; i < sizeof(m.build_id); i++)
		m.build_id[i] = i ? i + 1 : first;
	return m;
}

/* An ELF file of this build id, but for the first byte. */
static const char *put_elf(const char *name, uint8_t first)
{
	struct elf_made m = small(true, false, first);
	struct buf b = { 0 };
	const char *path;

	elf_make(&b, &m);
	path = put(name, b.data, b.len);
	buf_fini(&b);
	return path;
}

/* --- build ids */

static int id_of(const char *path, struct build_id *id)
{
	int fd = open(path, O_RDONLY), ret;

	assert_true(fd >= 0);
	ret = build_id_of_file(fd, id);
	close(fd);
	return ret;
}

static void files_of_any_class_and_order_have_a_build_id(void **state)
{
	struct build_id id;

	(void)state;
	for (unsigned i = 0; i < 4; i++) {
		struct elf_made m = small(yes_no[i & 1], yes_no[i >> 1], 1);
		struct buf b = { 0 };

		elf_make(&b, &m);
		assert_int_equal(id_of(put("elf", b.data, b.len), &id), 0);
		assert_string_equal(id.hex, ID);
		/* cut anywhere: none, or the same one */
		for (size_t n = 0; n < b.len; n += 7) {
			int ret = id_of(put("elf", b.data, n), &id);

			assert_true(ret == -ENOENT || (!ret && !strcmp(id.hex, ID)));
		}
		buf_fini(&b);
	}
	assert_int_equal(id_of(put_text("elf", "#!/bin/sh\n"), &id), -ENOENT);
	assert_string_equal(id.hex, "");
}

static void a_build_id_is_one_note_of_several(void **state)
{
	static const uint8_t notes[] = { /* one byte, padded to four or eight; then the build id */
					 6,   0,   0,   0, 1, 0, 0, 0, 3,   0,   0,   0, 'L',  'i',
					 'n', 'u', 'x', 0, 0, 0, 9, 0, 0,   0,   4,   0, 0,    0,
					 2,   0,   0,   0, 3, 0, 0, 0, 'G', 'N', 'U', 0, 0xab, 0xcd
	};
	uint8_t broken[sizeof(notes)];
	struct build_id id;

	(void)state;
	assert_true(build_id_in_notes(notes, sizeof(notes), false, 4, &id));
	assert_string_equal(id.hex, "abcd");
	assert_false(build_id_in_notes(notes, sizeof(notes) - 1, false, 4, &id));
	assert_false(build_id_in_notes(notes, sizeof(notes), true, 4, &id));
	assert_false(build_id_in_notes(notes, 24, false, 4, &id));
	for (size_t i = 0; i < 12; i++) {
		memcpy(broken, notes, sizeof(notes));
		broken[i] = 0xff;
		build_id_in_notes(broken, sizeof(broken), false, 4,
				  &id); /* reads nothing outside */
	}
}

/* --- files */

/* Whether the file that is found for a mapping of @path is @want, or none. */
static bool finds(const struct symbol_files *f, const char *path, const char *id, const char *want)
{
	struct vma vma = { .path = path, .build_id = id };
	int fd = symbol_files_open(f, &vma);
	struct stat is, should;
	bool same;

	if (fd < 0)
		return !want && fd == -ENOENT;
	same = want && !fstat(fd, &is) && !stat(want, &should) && is.st_ino == should.st_ino;
	close(fd);
	return same;
}

static void a_file_is_found_by_its_build_id(void **state)
{
	char cache[64], program[64];
	struct symbol_files f;
	const char *cached;

	(void)state;
	snprintf(cache, sizeof(cache), "%s/cache", top);
	snprintf(program, sizeof(program), "%s", put_elf("bin/program", 1));
	assert_int_equal(symbol_files_init(&f, NULL, cache), 0);
	assert_true(finds(&f, program, NULL, program));
	assert_true(finds(&f, program, ID, program));
	/* replaced since the recording */
	assert_true(finds(&f, program, OTHER_ID, NULL));
	assert_true(finds(&f, "/nonexistent", ID, NULL));
	/* the cache is first; what it has under a wrong name is not taken */
	put_elf("cache/.build-id/01/02030405060708090a0b0c0d0e0f1011121314/elf", 0xff);
	assert_true(finds(&f, program, ID, program));
	cached = put_elf("cache/.build-id/01/02030405060708090a0b0c0d0e0f1011121314/elf", 1);
	assert_true(finds(&f, program, ID, cached));
	assert_true(finds(&f, "/nonexistent", ID, cached));
	cached = put_elf("cache/.build-id/ff/02030405060708090a0b0c0d0e0f1011121314/vdso", 0xff);
	assert_true(finds(&f, "[vdso]", OTHER_ID, cached));
	assert_true(finds(&f, "[vdso]", NULL, NULL));
	assert_true(finds(&f, "//anon", NULL, NULL));
	/* build ids of the recording's header go with paths */
	assert_int_equal(symbol_files_id(&f, program, OTHER_ID), 0);
	assert_true(finds(&f, program, NULL, cached));
	symbol_files_fini(&f);
}

static void a_folder_replaces_the_root(void **state)
{
	char root[64];
	struct symbol_files f;
	const char *inside;

	(void)state;
	snprintf(root, sizeof(root), "%s/root", top);
	inside = put_elf("root/lib/libx.so", 1);
	put_elf("outside", 1);
	assert_int_equal(symbol_files_init(&f, root, NULL), 0);
	assert_true(finds(&f, "/lib/libx.so", ID, inside));
	assert_true(finds(&f, "/lib/libx.so", OTHER_ID, NULL));
	assert_true(finds(&f, "/../outside", NULL, NULL));
	assert_true(finds(&f, "/bin/sh", NULL, NULL));
	symbol_files_fini(&f);
}

/* --- the kernel */

static const char symbols[] = "ffffffff81000000 T _text\nffffffff81000100 T do_one\n"
			      "ffffffff81000180 d data\nffffffff81000200 T do_two\n"
			      "ffffffffc0000000 t in_module\t[kvm]\n";

static struct kernel_host host(void)
{
	struct kernel_host h = { .release = "6.1.0-13-amd64", .machine = "x86_64" };
	struct buf notes = { 0 };
	struct elf_made m = small(true, NATIVE_BIG, 1);

	elf_put(&notes, &m, 4, 4);
	elf_put(&notes, &m, 20, 4);
	elf_put(&notes, &m, NT_GNU_BUILD_ID, 4);
	buf_add(&notes, "GNU", 4);
	buf_add(&notes, m.build_id, 20);
	h.notes = put("notes", notes.data, notes.len);
	buf_fini(&notes);
	h.kallsyms = put_text("kallsyms", symbols);
	return h;
}

/* What is at an address: "do_one+0x10 [kernel.kallsyms]". */
static const char *at(const struct kallsyms *k, uint64_t address)
{
	struct cdict_frame frame = { .address = address };
	static char text[100];

	if (!kallsyms_resolve(k, &frame))
		return "none";
	snprintf(text, sizeof(text), "%s+0x%llx %s", frame.symbol, (unsigned long long)frame.offset,
		 frame.object);
	return text;
}

static const char *const another =
	"this host runs another kernel, and perf's cache does not have them";

static void the_kernel_of_the_same_boot_has_its_modules(void **state)
{
	struct kernel_host h = host();
	struct symbol_files none = { 0 };
	const char *why;
	struct kallsyms *k;

	(void)state;
	for (unsigned i = 0; i < 3; i++) { /* by build id, by release, by its address alone */
		struct kernel_recorded r = { .function = "_text", .at = 0xffffffff81000000 };

		r.build_id = i == 0 ? ID : NULL;
		r.release = i <= 1 ? h.release : NULL;
		assert_int_equal(kernel_find(&k, &r, &h, &none, &why), 0);
		assert_string_equal(at(k, 0xffffffff81000110), "do_one+0x10 [kernel.kallsyms]");
		assert_string_equal(at(k, 0xffffffff81000190), "do_one+0x90 [kernel.kallsyms]");
		assert_string_equal(at(k, 0xffffffffc0000004), "in_module+0x4 [kvm]");
		assert_string_equal(at(k, 0xffffffff80000000), "none");
		kallsyms_free(k);
	}
}

/* KASLR: another boot of the same kernel has it elsewhere, and modules anywhere. */
static void the_kernel_of_another_boot_is_moved(void **state)
{
	struct kernel_recorded r = { .build_id = ID,
				     .function = "_text",
				     .at = 0xffffffff93400000 };
	struct kernel_host h = host();
	struct symbol_files none = { 0 };
	const char *why;
	struct kallsyms *k;

	(void)state;
	assert_int_equal(kernel_find(&k, &r, &h, &none, &why), 0);
	assert_string_equal(at(k, 0xffffffff93400110), "do_one+0x10 [kernel.kallsyms]");
	assert_string_equal(at(k, 0xffffffff81000110), "none");
	assert_string_equal(at(k, 0xffffffffc0000004), "none");
	kallsyms_free(k);
	/* by its address alone it may be any kernel */
	r.build_id = NULL;
	assert_int_equal(kernel_find(&k, &r, &h, &none, &why), -ENOENT);
	assert_string_equal(why, another);
	assert_null(k);
}

static void another_kernel_is_not_taken(void **state)
{
	static const struct kernel_recorded others[] = {
		{ .build_id = OTHER_ID, .function = "_text", .at = 0xffffffff81000000 },
		{ .build_id = OTHER_ID, .release = "6.1.0-13-amd64" },
		{ .release = "6.1.0-14-amd64", .function = "_text", .at = 0xffffffff81000000 },
		{ .machine = "aarch64", .function = "_text", .at = 0xffffffff81000000 },
		{ .machine = "x86_64" },
	};
	struct kernel_host h = host();
	struct symbol_files files;
	char cache[64];
	const char *why;
	struct kallsyms *k;

	(void)state;
	snprintf(cache, sizeof(cache), "%s/kernels", top);
	assert_int_equal(symbol_files_init(&files, NULL, cache), 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		assert_int_equal(kernel_find(&k, &others[i], &h, &files, &why), -ENOENT);
		assert_string_equal(why, another);
	}
	/* perf's cache has it, of another boot */
	put_text("kernels/.build-id/ff/02030405060708090a0b0c0d0e0f1011121314/kallsyms",
		 "ffffffff8a000000 T _text\nffffffff8a000100 T its_own\n");
	assert_int_equal(kernel_find(&k, &others[0], &h, &files, &why), 0);
	assert_string_equal(at(k, 0xffffffff81000101), "its_own+0x1 [kernel.kallsyms]");
	kallsyms_free(k);
	symbol_files_fini(&files);
}

static void hidden_addresses_are_the_reason(void **state)
{
	struct kernel_recorded r = { .build_id = ID,
				     .function = "_text",
				     .at = 0xffffffff81000000 };
	struct kernel_host h = host();
	struct symbol_files none = { 0 };
	const char *why;
	struct kallsyms *k;

	(void)state;
	h.kallsyms = put_text("kallsyms", "0000000000000000 T _text\n0000000000000000 T do_one\n");
	assert_int_equal(kernel_find(&k, &r, &h, &none, &why), -ENOENT);
	assert_string_equal(why, "the kernel hides its addresses (kernel.kptr_restrict)");
	h.kallsyms = "/nonexistent";
	assert_int_equal(kernel_find(&k, &r, &h, &none, &why), -ENOENT);
	assert_string_equal(why, another);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(files_of_any_class_and_order_have_a_build_id),
		cmocka_unit_test(a_build_id_is_one_note_of_several),
		cmocka_unit_test(a_file_is_found_by_its_build_id),
		cmocka_unit_test(a_folder_replaces_the_root),
		cmocka_unit_test(the_kernel_of_the_same_boot_has_its_modules),
		cmocka_unit_test(the_kernel_of_another_boot_is_moved),
		cmocka_unit_test(another_kernel_is_not_taken),
		cmocka_unit_test(hidden_addresses_are_the_reason),
	};

	return cmocka_run_group_tests(tests, enter, leave);
}
