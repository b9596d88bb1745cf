/* SPDX-License-Identifier: GPL-2.0-only */
/* Event blocks made by hand that contradict themselves: each is refused, and the message says where. */
#include "format/coding/decode.h"
#include "tests/unit/cdictfile.h"

#define DENSE_RAW (FORMAT_DENSE | FORMAT_C_RAW)
/* The id of a column of a later minor version, which the reader skips. */
#define LATER 1000u

static struct cdict_schema *schema;

static int setup(void **state)
{
	(void)state;
	schema = usual_schema();
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	cdict_schema_free(schema);
	return 0;
}

static void varints(struct buf *out, const uint64_t *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		buf_varint(out, values[i]);
}
#define VARINTS(out, ...)                                                                          \
	varints(out, (const uint64_t[]){ __VA_ARGS__ }, COUNT(((const uint64_t[]){ __VA_ARGS__ })))

/* The head of a block with one event of type 0 on CPU 0, up to the number of its own streams. */
static void head(struct buf *out, uint64_t dir_len, uint64_t n_own)
{
	out->len = 0;
	VARINTS(out, 1, 1, 0, 0);    /* CPU, events, time, length */
	VARINTS(out, 1, 0, 1, 0, 1); /* one type: 0, one event; tasks, strings */
	VARINTS(out, dir_len, n_own);
}

/* The decoder's text about a block. */
static const char *refused(const struct buf *block)
{
	static struct cdict_error err;
	struct format_decoder *dec = format_decoder_new(schema);

	assert_non_null(dec);
	assert_false(block->failed);
	err = (struct cdict_error){ 0 };
	assert_int_equal(format_decoder_open(dec, block->data, block->len, &err), CDICT_ECORRUPT);
	format_decoder_free(dec);
	return err.text;
}

static void a_stream_has_possible_sizes(void **state)
{
	static const struct {
		uint64_t codec, raw, stored;
	} bad[] = {
		{ FORMAT_STORED, 8, 4 }, /* stored bytes are the raw ones */
		{ FORMAT_STORED, 4, 8 },
		{ FORMAT_DEFLATE + 1, 4, 4 }, /* no such codec */
		{ FORMAT_DEFLATE, FORMAT_BLOCK_MAX + 1, FORMAT_BLOCK_MAX },
		{ FORMAT_STORED, FORMAT_BLOCK_MAX + 1, FORMAT_BLOCK_MAX + 1 },
		{ FORMAT_DEFLATE, 4, FORMAT_BLOCK_MAX + 1 },
		{ FORMAT_DEFLATE, FORMAT_BLOCK_MAX, 16 }, /* deflate packs 1032:1 at best */
	};
	struct buf block = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		head(&block, 0, 1);
		VARINTS(&block, 0, 0, 0, bad[i].codec, bad[i].raw, bad[i].stored);
		buf_add(&block, "data", 4);
		assert_string_equal(refused(&block), "event block: a stream has invalid sizes");
	}
	/* a byte is missing in the table of streams itself */
	head(&block, 0, 1);
	VARINTS(&block, 0, 0, 0, FORMAT_STORED);
	buf_add(&block, "\x80\x80", 2);
	assert_string_equal(refused(&block), "event block: a stream has invalid sizes");
	buf_fini(&block);
}

/* The reader skips a column that it does not know or that nobody asks for. It still checks that the column ends within its
 * streams: otherwise it would read the next column from the wrong place. */
static void a_skipped_column_lies_in_its_streams(void **state)
{
	static const struct {
		uint64_t dir[6];
		size_t n;
		const char *text;
	} bad[] = {
		/* coding; gaps if sparse: number, bytes; table or bits: bytes; symbols: stream, bytes */
		{ { FORMAT_C_CODE + 1 }, 1, "a column has an unknown coding" },
		{ { FORMAT_C_CODE, 1, 999 }, 3, "a column's gaps cannot be read" },
		{ { FORMAT_DENSE | FORMAT_C_DICT, 1, 999 }, 3, "a column's table cannot be read" },
		{ { DENSE_RAW, 999, 1, 0 }, 4, "a column's bits cannot be read" },
		{ { DENSE_RAW, 4, 1, 999 }, 4, "a column's symbols cannot be read" },
		{ { DENSE_RAW, 4, 9, 0 }, 4, "a column's symbols cannot be read" },
	};
	struct buf block = { 0 }, dir = { 0 };
	char text[64];

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		dir.len = 0;
		buf_varint(&dir, LATER);
		buf_u8(&dir, (uint8_t)bad[i].dir[0]);
		varints(&dir, bad[i].dir + 1, bad[i].n - 1);
		head(&block, dir.len, 0);
		VARINTS(&block, 4, dir.len, 0); /* bits of 4 bytes, the pool is stored as it is */
		buf_add(&block, "bits", 4);
		buf_add(&block, dir.data, dir.len);
		snprintf(text, sizeof(text), "event block: %s", bad[i].text);
		assert_string_equal(refused(&block), text);
	}
	buf_fini(&dir);
	buf_fini(&block);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stream_has_possible_sizes),
		cmocka_unit_test(a_skipped_column_lies_in_its_streams),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
