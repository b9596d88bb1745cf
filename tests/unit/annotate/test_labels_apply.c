/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels put into a file and taken away. */
#include "annotate/apply.h"
#include "tests/unit/labelfile.h"

static void applied_labels_are_those_that_were_wanted_and_clearing_gives_the_old_file(void **state)
{
	static const int counts[] = { 0, 1, 20, 20000 };
	struct mapping none = { 0 };
	struct file f;

	(void)state;
	make(&f, 0, 0);
	for (size_t c = 0; c < COUNT(counts); c++) {
		struct mapping m = { 0 };
		struct buf once, twice, cleared;
		struct cdict_reader *r;

		some_labels(&m, 0, counts[c]);
		once = apply(f.bytes.data, f.bytes.len, &m, false);
		r = open_bytes(once.data, once.len);
		assert_whole(r);
		cdict_reader_close(r);
		assert_labels(&once, &m);
		twice = apply(once.data, once.len, &m, false);
		assert_same_bytes(&twice, &once);
		cleared = apply(once.data, once.len, &none, false);
		assert_same_bytes(&cleared, &f.bytes);
		buf_fini(&once);
		buf_fini(&twice);
		buf_fini(&cleared);
		mapping_fini(&m);
	}
	buf_fini(&f.bytes);
}

static void labels_from_the_start_of_a_file_go_and_no_block_changes_its_number(void **state)
{
	struct block_at old[32] = { 0 }, new[32] = { 0 };
	struct mapping m = { 0 };
	struct buf out, twice, a, b;
	struct cdict_reader *r;
	struct file f;
	size_t n_old, n_new;

	(void)state;
	make(&f, 5, 5);
	some_labels(&m, 100, 130);
	out = apply(f.bytes.data, f.bytes.len, &m, false);
	r = open_bytes(out.data, out.len);
	assert_whole(r);
	cdict_reader_close(r);
	assert_labels(&out, &m);
	n_old = find_blocks(&f.bytes, old, COUNT(old));
	n_new = find_blocks(&out, new, COUNT(new));
	/* the old ones are empty now, the new ones are before the index */
	assert_int_equal(n_new, n_old + 1);
	assert_int_equal(new[n_old - 1].type, FORMAT_LABELS);
	for (size_t i = 0; i < n_new; i++) {
		assert_true(i + 1 >= n_old || new[i].type == old[i].type);
		assert_int_equal(le32(out.data + new[i].at + 12), i);
	}
	a = dump(&f.bytes);
	b = dump(&out);
	assert_same_bytes(&a, &b);
	twice = apply(out.data, out.len, &m, false);
	assert_same_bytes(&twice, &out);
	buf_fini(&a);
	buf_fini(&b);
	buf_fini(&out);
	buf_fini(&twice);
	buf_fini(&f.bytes);
	mapping_fini(&m);
}

/* A damaged or cut file with labels is as damaged and cut as before, and without them
 * again the same bytes. */
static void compare_bad(const void *data, size_t size, const struct mapping *m)
{
	struct buf bad = { .data = (uint8_t *)data, .len = size }, with, without, a, b;
	struct mapping none = { 0 };
	struct cdict_damage before, after;
	struct cdict_reader *r;

	if (cdict_reader_parse(&r, data, size, NULL))
		return; /* the file's own header: it cannot be opened */
	cdict_reader_verify(r, NULL);
	cdict_reader_damage(r, &before);
	cdict_reader_close(r);
	with = apply(data, size, m, false);
	assert_labels(&with, m);
	r = open_bytes(with.data, with.len);
	cdict_reader_verify(r, NULL);
	cdict_reader_damage(r, &after);
	cdict_reader_close(r);
	assert_int_equal(after.cut, before.cut);
	assert_int_equal(after.blocks, before.blocks);
	assert_int_equal(after.events, before.events);
	assert_int_equal(after.skipped_bytes, before.skipped_bytes);
	assert_int_equal(!after.first[0], !before.first[0]);
	a = dump(&bad);
	b = dump(&with);
	assert_same_bytes(&a, &b);
	without = apply(with.data, with.len, &none, false);
	assert_same_bytes(&without, &bad);
	buf_fini(&with);
	buf_fini(&without);
	buf_fini(&a);
	buf_fini(&b);
}

static void a_cut_file_stays_as_cut_at_every_length(void **state)
{
	struct mapping m = { 0 };
	struct file f;

	(void)state;
	make(&f, 0, 0);
	some_labels(&m, 0, 4);
	for (size_t size = FORMAT_HEADER_SIZE; size <= f.bytes.len; size++)
		compare_bad(f.bytes.data, size, &m);
	buf_fini(&f.bytes);
	mapping_fini(&m);
}

static void a_damaged_file_stays_as_damaged_whichever_byte_it_is(void **state)
{
	struct mapping m = { 0 };
	struct file f;

	(void)state;
	make(&f, 0, 0);
	some_labels(&m, 0, 4);
	for (size_t at = 0; at < f.bytes.len; at++) {
		f.bytes.data[at] ^= 0x55;
		compare_bad(f.bytes.data, f.bytes.len, &m);
		f.bytes.data[at] ^= 0x55;
	}
	buf_fini(&f.bytes);
	mapping_fini(&m);
}

static void a_file_that_misses_a_block_still_misses_it(void **state)
{
	struct mapping m = { 0 };
	struct block_at blocks[16];
	struct file f;
	size_t n;

	(void)state;
	make(&f, 0, 0);
	some_labels(&m, 0, 4);
	n = find_blocks(&f.bytes, blocks, COUNT(blocks));
	assert_true(n > 4);
	for (size_t b = 0; b < n; b++) {
		struct buf rest = { 0 };

		buf_add(&rest, f.bytes.data, blocks[b].at);
		buf_add(&rest, f.bytes.data + blocks[b].at + blocks[b].size,
			f.bytes.len - blocks[b].at - blocks[b].size);
		compare_bad(rest.data, rest.len, &m);
		buf_fini(&rest);
	}
	buf_fini(&f.bytes);
	mapping_fini(&m);
}

static void a_damaged_block_of_labels_stays_until_it_is_cleared(void **state)
{
	struct mapping m = { 0 };
	struct block_at blocks[16];
	struct cdict_reader *r;
	struct cdict_damage d;
	struct file f;
	struct buf out;
	size_t n, at = 0;

	(void)state;
	make(&f, 0, 3);
	some_labels(&m, 0, 4);
	n = find_blocks(&f.bytes, blocks, COUNT(blocks));
	while (at < n && blocks[at].type != FORMAT_LABELS)
		at++;
	assert_true(at < n);
	f.bytes.data[blocks[at].at + FORMAT_BLOCK_HEADER_SIZE + 4] ^= 1;
	out = apply(f.bytes.data, f.bytes.len, &m, false);
	r = open_bytes(out.data, out.len);
	cdict_reader_damage(r, &d);
	assert_int_equal(d.blocks, 1);
	cdict_reader_close(r);
	assert_labels(&out, &m);
	buf_fini(&out);
	out = apply(f.bytes.data, f.bytes.len, &m, true);
	r = open_bytes(out.data, out.len);
	assert_whole(r);
	cdict_reader_close(r);
	assert_labels(&out, &m);
	buf_fini(&out);
	buf_fini(&f.bytes);
	mapping_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			applied_labels_are_those_that_were_wanted_and_clearing_gives_the_old_file),
		cmocka_unit_test(
			labels_from_the_start_of_a_file_go_and_no_block_changes_its_number),
		cmocka_unit_test(a_cut_file_stays_as_cut_at_every_length),
		cmocka_unit_test(a_damaged_file_stays_as_damaged_whichever_byte_it_is),
		cmocka_unit_test(a_file_that_misses_a_block_still_misses_it),
		cmocka_unit_test(a_damaged_block_of_labels_stays_until_it_is_cleared),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
