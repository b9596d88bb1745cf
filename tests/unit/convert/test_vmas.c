/* SPDX-License-Identifier: GPL-2.0-only */
/* Mappings by address, compared with a table that has an entry for each address. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "convert/symbols/spaces.h"

#define ADDRESSES 512u
#define TREES 6u

/* What is mapped at an address: a file's number + 1, and the offset in it. */
struct model {
	struct {
		unsigned file;
		uint64_t offset;
	} at[ADDRESSES];
};

static const char *const paths[] = { "/bin/a", "/lib/b", "//anon", "[stack]" };

static unsigned random_below(uint64_t *state, unsigned n)
{
	*state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (unsigned)((*state >> 33) % n);
}

static void put(struct model *m, struct vma_pool *pool, struct vmas *vmas, const struct vma *vma,
		unsigned file)
{
	bool hides = false, is_file = *vma->path == '/' && vma->path[1] != '/';

	for (uint64_t i = vma->start; i < vma->end; i++)
		hides |= m->at[i].file &&
			 (m->at[i].file != file + 1 ||
			  (is_file && m->at[i].offset != vma->offset + (i - vma->start)));
	assert_int_equal(vmas_hides(vmas, vma), hides);
	for (uint64_t i = vma->start; i < vma->end; i++) {
		m->at[i].file = file + 1;
		m->at[i].offset = vma->offset + (i - vma->start);
	}
	assert_true(vmas_put(pool, vmas, vma));
}

static void assert_same(const struct model *m, const struct vmas *vmas)
{
	for (uint64_t i = 0; i < ADDRESSES; i++) {
		const struct vma *vma = vmas_find(vmas, i);

		assert_int_equal(vma != NULL, m->at[i].file != 0);
		if (!vma)
			continue;
		assert_ptr_equal(vma->path, paths[m->at[i].file - 1]);
		assert_int_equal(vma->offset + (i - vma->start), m->at[i].offset);
	}
}

static void copies_of_mappings_change_on_their_own(void **state)
{
	struct vma_pool pool = { .max = 1 << 20 };
	struct vmas trees[TREES] = { 0 };
	static struct model models[TREES];
	uint64_t seed = 43;

	(void)state;
	for (unsigned step = 0; step < 3000; step++) {
		unsigned i = random_below(&seed, TREES), file = random_below(&seed, 4);
		unsigned start = random_below(&seed, ADDRESSES);
		unsigned len = 1 + random_below(&seed, step % 7 ? 9 : ADDRESSES - start);
		struct vma vma = { .start = start, .offset = file < 2 ? start : 0 };

		if (step % 41 == 40) {
			unsigned from = random_below(&seed, TREES);
			struct vmas copy = vmas_copy(&trees[from]);

			vmas_fini(&pool, &trees[i]);
			trees[i] = copy;
			models[i] = models[from];
			continue;
		}
		vma.end = start + len > ADDRESSES ? ADDRESSES : start + len;
		vma.path = paths[file];
		put(&models[i], &pool, &trees[i], &vma, file);
		if (step % 16 == 0)
			for (unsigned t = 0; t < TREES; t++)
				assert_same(&models[t], &trees[t]);
	}
	for (unsigned t = 0; t < TREES; t++) {
		assert_same(&models[t], &trees[t]);
		vmas_fini(&pool, &trees[t]);
	}
	assert_int_equal(pool.n, 0);
	vma_pool_fini(&pool);
}

/* Ascending addresses make the worst tree where nothing balances it. */
static void many_mappings_cost_little_each(void **state)
{
	struct vma_pool pool = { .max = 300000 };
	struct vmas vmas = { 0 };

	(void)state;
	for (uint64_t i = 0; i < 200000; i++) {
		struct vma vma = { .start = 16 * i, .end = 16 * i + 8, .path = "/bin/a" };
		struct vmas copy;

		assert_true(vmas_put(&pool, &vmas, &vma));
		copy = vmas_copy(&vmas);
		vmas_fini(&pool, &copy);
	}
	assert_int_equal(pool.n, 200000);
	assert_int_equal(vmas_find(&vmas, 16 * 123456 + 7)->start, 16 * 123456);
	assert_null(vmas_find(&vmas, 16 * 123456 + 8));
	assert_null(vmas_find(&vmas, UINT64_MAX));
	vmas_fini(&pool, &vmas);
	vma_pool_fini(&pool);
}

static void mappings_beyond_the_limit_are_not_added(void **state)
{
	struct vma_pool pool = { .max = 2 };
	struct vmas vmas = { 0 };
	struct vma vma = { .path = "/bin/a" };

	(void)state;
	for (uint64_t i = 0; i < 3; i++) {
		vma.start = 100 * i;
		vma.end = vma.start + 10;
		assert_int_equal(vmas_put(&pool, &vmas, &vma), i < 2);
	}
	vma.end = vma.start;
	assert_false(vmas_put(&pool, &vmas, &vma));
	assert_null(vmas_find(&vmas, 200));
	vmas_fini(&pool, &vmas);
	vma_pool_fini(&pool);
}

/* --- records in a recording's byte order */

static void add(uint8_t *to, size_t *at, uint64_t v, size_t size, bool big)
{
	for (size_t i = 0; i < size; i++)
		to[(*at)++] = (uint8_t)(v >> 8 * (big ? size - 1 - i : i));
}

/* An MMAP (1) or MMAP2 (10) of pid 7, 0x1000 bytes from offset 0x3000. */
static void map_record(struct spaces *s, uint32_t type, uint16_t misc, uint64_t start,
		       uint32_t prot, const char *path, uint64_t t_ns, bool big)
{
	uint8_t r[160];
	size_t at = 0;

	add(r, &at, type, 4, big);
	add(r, &at, misc, 2, big);
	add(r, &at, sizeof(r), 2, big);
	add(r, &at, 7, 4, big);
	add(r, &at, 7, 4, big);
	add(r, &at, start, 8, big);
	add(r, &at, 0x1000, 8, big);
	add(r, &at, 0x3000, 8, big);
	if (type == 10) {
		if (misc & 1 << 14)
			memcpy(r + at,
			       "\x14\0\0\0\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"
			       "\x0d\x0e\x0f\x10\x11\x12\x13\xff",
			       24);
		else
			memset(r + at, 0, 24);
		at += 24;
		add(r, &at, prot, 4, big);
		add(r, &at, 2, 4, big);
	}
	memset(r + at, 0, sizeof(r) - at);
	strcpy((char *)r + at, path);
	spaces_record(s, r, sizeof(r), big, t_ns);
}

static const struct vma *mapped(const struct spaces *s, uint64_t address, uint64_t t_ns)
{
	return space_vma(spaces_find(s, 7, t_ns), address);
}

static void mappings_are_read_in_either_byte_order(void **state)
{
	(void)state;
	for (int big = 0; big <= 1; big++) {
		struct spaces s = { .keep = true };

		map_record(&s, 1, 0, 0x10000, 0, "/old/kind", 5, big);
		map_record(&s, 1, 1 << 13, 0x20000, 0, "/data", 5, big);
		map_record(&s, 10, 2, 0x30000, 5, "/exec", 5, big);
		map_record(&s, 10, 2, 0x40000, 1, "/read", 5, big);
		map_record(&s, 10, 2 | 1 << 14, 0x50000, 5, "/with/id", 5, big);
		assert_string_equal(mapped(&s, 0x10fff, 5)->path, "/old/kind");
		assert_int_equal(mapped(&s, 0x10fff, 5)->offset, 0x3000);
		assert_null(mapped(&s, 0x10fff, 4));
		assert_null(mapped(&s, 0x20000, 5));
		assert_string_equal(mapped(&s, 0x30000, 5)->path, "/exec");
		assert_null(mapped(&s, 0x30000, 5)->build_id);
		assert_null(mapped(&s, 0x40000, 5));
		assert_string_equal(mapped(&s, 0x50000, 5)->build_id,
				    "0102030405060708090a0b0c0d0e0f10111213ff");
		spaces_fini(&s);
	}
}

/* As a program that makes code while it runs: the same memory is mapped again and again. */
static void mappings_over_each_other_stay_small(void **state)
{
	struct spaces s = { .keep = true, .max_vmas = 4000 };
	char path[32];

	(void)state;
	for (uint64_t i = 0; i < 100000; i++)
		map_record(&s, 10, 2, 0x10000 + i % 3 * 0x800, 5, "//anon", i, false);
	assert_int_equal(s.n_spaces, 1);
	assert_false(s.full);
	for (uint64_t i = 0; i < 20000; i++) {
		snprintf(path, sizeof(path), "/lib/%u", (unsigned)i);
		map_record(&s, 10, 2, 0x10000, 5, path, 100000 + i, false);
	}
	assert_true(s.full);
	assert_true(s.pool.n <= 4100);
	assert_string_equal(mapped(&s, 0x10000, 99999)->path, "//anon");
	assert_string_equal(mapped(&s, 0x10000, 100017)->path, "/lib/17");
	spaces_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_of_mappings_change_on_their_own),
		cmocka_unit_test(many_mappings_cost_little_each),
		cmocka_unit_test(mappings_beyond_the_limit_are_not_added),
		cmocka_unit_test(mappings_are_read_in_either_byte_order),
		cmocka_unit_test(mappings_over_each_other_stay_small),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
