/* SPDX-License-Identifier: GPL-2.0-only */
/* Labels in the file, as they are written and read. */
#include "format/labels/labels.h"
#include "tests/unit/labelfile.h"

static void labels_are_read_as_they_were_written(void **state)
{
	static const int counts[][2] = { { 0, 0 },  { 1, 0 },    { 0, 1 },
					 { 3, 20 }, { 8192, 1 }, { 20000, 9000 } };

	(void)state;
	for (size_t c = 0; c < COUNT(counts); c++) {
		struct file f, again;
		struct cdict_reader *r;
		char room[4][32];

		make(&f, counts[c][0], counts[c][1]);
		make(&again, counts[c][0], counts[c][1]);
		assert_int_equal(f.bytes.len, again.bytes.len);
		assert_memory_equal(f.bytes.data, again.bytes.data, f.bytes.len);
		r = open_bytes(f.bytes.data, f.bytes.len);
		assert_whole(r);
		assert_int_equal(cdict_reader_events(r), 201);
		assert_int_equal(cdict_reader_label_count(r),
				 (size_t)(counts[c][0] + counts[c][1]));
		for (size_t i = 0; i < cdict_reader_label_count(r); i++) {
			struct cdict_label l = label_at((int)i, room);

			assert_same(cdict_reader_label_at(r, i), &l);
		}
		cdict_reader_close(r);
		buf_fini(&f.bytes);
		buf_fini(&again.bytes);
	}
}

static void a_label_that_cannot_be_stored_is_refused_and_the_next_one_is_not(void **state)
{
	struct cdict_label l = { .tid = 7, .origin = CDICT_LABEL_CSV, .name = "Web" };
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	char text[FORMAT_LABEL_TEXT + 2];
	struct file f;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = 0;
	file_begin(&f, NULL);
	l.role = text;
	assert_int_equal(cdict_writer_label(f.w, &l, &err), CDICT_ELIMIT);
	l.role = text + 1;
	l.tid = 0;
	assert_int_equal(cdict_writer_label(f.w, &l, &err), CDICT_EUSAGE);
	l.tid = 7;
	l.origin = (enum cdict_label_origin)5;
	assert_int_equal(cdict_writer_label(f.w, &l, &err), CDICT_EUSAGE);
	l.origin = CDICT_LABEL_CSV;
	assert_int_equal(cdict_writer_label(f.w, &l, &err), 0);
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_int_equal(cdict_reader_label_count(r), 1);
	assert_same(cdict_reader_label_at(r, 0), &l);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
}

/* Reading rows without a file. */
struct rows {
	size_t n;
	int32_t tids[16];
	char names[16][16];
};

static const char *keep_text(void *ctx, const void *data, size_t len)
{
	static char kept[64][64];
	static size_t n;
	char *at = kept[n++ % 64];

	(void)ctx;
	assert_true(len < 64);
	memcpy(at, data, len);
	at[len] = 0;
	return at;
}

static bool add_row(void *ctx, const struct cdict_label *l)
{
	struct rows *rows = ctx;

	assert_true(rows->n < 16);
	rows->tids[rows->n] = l->tid;
	snprintf(rows->names[rows->n++], 16, "%s", l->name);
	return true;
}

static void a_later_minor_version_may_add_texts_and_origins(void **state)
{
	/* 9 texts in a row; origin 9 is unknown here */
	static const uint8_t content[] = { 9, 4, 14,  13, 0, 1,  1, 'A', 0, 0, 0, 0, 0, 0, 0,
					   1, 1, '+', 9,  2, 13, 0, 3,   0, 0, 0, 0, 0, 0, 0,
					   0, 4, 2,   17, 0, 3,  0, 0,   0, 0, 0, 0, 0, 2 };
	static const uint8_t bad[][16] = { { 7, 4, 14 }, { 65, 4, 14 }, { 8, 4, 14, 13 } };
	struct rows rows = { 0 };

	(void)state;
	assert_int_equal(label_rows_read(content, sizeof(content), keep_text, add_row, &rows), 0);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.tids[0], 7);
	assert_string_equal(rows.names[0], "A");
	assert_int_equal(rows.tids[1], 9);
	assert_string_equal(rows.names[1], "A");
	assert_int_equal(label_rows_read("", 0, keep_text, add_row, &rows), 0);
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_int_equal(label_rows_read(bad[i], 4, keep_text, add_row, &rows),
				 CDICT_ECORRUPT);
}

static void a_row_has_as_few_texts_as_earlier_writers_gave_or_as_many_as_may_come(void **state)
{
	static const uint8_t head[] = { 4, 14, 13, 0, 1, 1, 'A' }; /* the proc origin, tid 7 */

	(void)state;
	for (unsigned n = 1; n <= FORMAT_LABEL_FIELDS + 1; n++) {
		bool good = n >= LABEL_TEXTS_MIN && n <= FORMAT_LABEL_FIELDS;
		uint8_t content[128] = { (uint8_t)n };
		struct rows rows = { 0 };

		memcpy(content + 1, head, sizeof(head)); /* then no text, n - 1 times */
		assert_int_equal(label_rows_read(content, 1 + sizeof(head) + n - 1, keep_text,
						 add_row, &rows),
				 good ? 0 : CDICT_ECORRUPT);
		assert_int_equal(rows.n, good);
		if (good)
			assert_string_equal(rows.names[0], "A");
	}
}

static void a_damaged_block_of_labels_costs_no_event(void **state)
{
	struct block_at blocks[16];
	struct file f;
	size_t n;

	(void)state;
	make(&f, 3, 0);
	n = find_blocks(&f.bytes, blocks, COUNT(blocks));
	for (size_t b = 0; b < n; b++) {
		if (blocks[b].type != FORMAT_LABELS)
			continue;
		for (size_t at = FORMAT_BLOCK_HEADER_SIZE; at < blocks[b].size; at++) {
			for (unsigned bit = 0; bit < 9; bit++) {
				uint8_t *block = f.bytes.data + blocks[b].at, was = block[at];
				struct cdict_reader *r;
				struct cdict_damage d;

				block[at] ^= (uint8_t)(1u << bit % 8);
				if (bit < 8) /* else the check sum shows it */
					fix_block(block);
				r = open_bytes(f.bytes.data, f.bytes.len);
				cdict_reader_damage(r, &d);
				assert_int_equal(cdict_reader_events(r), 201);
				assert_true(bit < 8 || d.blocks == 1);
				for (size_t i = 0; i < cdict_reader_label_count(r); i++)
					assert_true(cdict_reader_label_at(r, i)->tid > 0);
				cdict_reader_close(r);
				block[at] = was;
				fix_block(block);
			}
		}
	}
	buf_fini(&f.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(labels_are_read_as_they_were_written),
		cmocka_unit_test(a_label_that_cannot_be_stored_is_refused_and_the_next_one_is_not),
		cmocka_unit_test(a_later_minor_version_may_add_texts_and_origins),
		cmocka_unit_test(
			a_row_has_as_few_texts_as_earlier_writers_gave_or_as_many_as_may_come),
		cmocka_unit_test(a_damaged_block_of_labels_costs_no_event),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
