/* SPDX-License-Identifier: GPL-2.0-only */
/* The writer as a stream: same calls give the same bytes, errors are permanent, limits hold. */
#include <errno.h>

#include "tests/unit/cdictfile.h"

/* A sink that fails after some bytes and counts the calls after that. */
struct brittle {
	size_t left, calls_after;
	bool broken;
};

static int to_brittle(void *ctx, const void *data, size_t size)
{
	struct brittle *b = ctx;

	(void)data;
	if (b->broken || size > b->left) {
		b->calls_after += b->broken;
		b->broken = true;
		return -ENOSPC;
	}
	b->left -= size;
	return 0;
}

static void some_events(struct file *f, struct cdict_schema *schema)
{
	assert_int_equal(cdict_writer_info(f->w, "key", "value", NULL), 0);
	for (uint32_t i = 0; i < 3000; i++)
		file_switch(f, schema, i % 5, i * 100 - (i % 1000 ? 0 : 90), (int32_t)(i % 13),
			    (int32_t)((i + 3) % 13));
	assert_int_equal(cdict_writer_unstored(f->w, "name", 3, NULL), 0);
}

static void the_same_calls_give_the_same_bytes(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct file a, b;

	(void)state;
	file_begin(&a, schema);
	some_events(&a, schema);
	file_end(&a);
	file_begin(&b, schema);
	some_events(&b, schema);
	file_end(&b);
	assert_int_equal(a.bytes.len, b.bytes.len);
	assert_memory_equal(a.bytes.data, b.bytes.data, a.bytes.len);
	buf_fini(&a.bytes);
	buf_fini(&b.bytes);
	cdict_schema_free(schema);
}

/* Bytes handed over are never taken back: after every call the bytes so far are
 * the beginning of the finished file. */
static void bytes_once_written_never_change(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct buf before = { 0 };
	struct file f;

	(void)state;
	file_begin(&f, schema);
	assert_int_equal(f.bytes.len, FORMAT_HEADER_SIZE);
	for (uint32_t i = 0; i < 500; i++) {
		before.len = 0;
		buf_add(&before, f.bytes.data, f.bytes.len);
		file_switch(&f, schema, i % 2, i % 50 ? i : 0, 1, 2);
		assert_true(f.bytes.len >= before.len);
		assert_memory_equal(f.bytes.data, before.data, before.len);
	}
	assert_true(f.bytes.len > FORMAT_HEADER_SIZE);
	before.len = 0;
	buf_add(&before, f.bytes.data, f.bytes.len);
	file_end(&f);
	assert_memory_equal(f.bytes.data, before.data, before.len);
	buf_fini(&before);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

static void a_failed_write_fails_every_later_call(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct payload p;

	(void)state;
	payload_init(&p, schema, WAKING);
	for (size_t room = 0; room < 3000; room += 7) {
		struct brittle sink = { .left = room };
		struct cdict_task_event task = { .what = CDICT_TASK_EXIT };
		struct cdict_loss loss = { 0 };
		struct cdict_sample s = { 0 };
		struct cdict_error err = { 0 };
		struct cdict_writer *w;
		int ret = cdict_writer_open(&w, to_brittle, &sink, &err);

		if (room < FORMAT_HEADER_SIZE) {
			assert_int_equal(ret, -ENOSPC);
			assert_null(w);
			continue;
		}
		assert_int_equal(ret, 0);
		assert_int_equal(cdict_writer_schema(w, schema, &err), 0);
		/* Every second event goes back in time and ends a block. */
		for (uint64_t i = 0; i < 200 && !ret; i++) {
			s.t_ns = i & 1 ? 1 : 1000;
			ret = cdict_writer_event(w, &s, WAKING, p.data, p.size, &err);
		}
		if (!ret)
			ret = cdict_writer_finish(w, &err);
		if (!sink.broken) {
			assert_int_equal(ret, 0);
			cdict_writer_close(w);
			continue;
		}
		assert_int_equal(ret, -ENOSPC);
		assert_int_equal(err.code, -ENOSPC);
		assert_true(err.text[0]);
		assert_int_equal(cdict_writer_event(w, &s, WAKING, p.data, p.size, &err), -ENOSPC);
		assert_int_equal(cdict_writer_info(w, "a", "b", &err), -ENOSPC);
		assert_int_equal(cdict_writer_task(w, &task, &err), -ENOSPC);
		assert_int_equal(cdict_writer_loss(w, &loss, &err), -ENOSPC);
		assert_int_equal(cdict_writer_unstored(w, "a", 1, &err), -ENOSPC);
		assert_int_equal(cdict_writer_finish(w, &err), -ENOSPC);
		assert_int_equal(sink.calls_after, 0);
		cdict_writer_close(w);
	}
	cdict_schema_free(schema);
}

static void an_event_that_cannot_be_is_refused_and_the_rest_is_stored(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_sample s = { .t_ns = 5 };
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	struct payload p;
	struct file f;

	(void)state;
	file_begin(&f, schema);
	payload_init(&p, schema, ODD);
	payload_bytes(&p, "name", "name", 5);
	payload_bytes(&p, "list", "12345678", 8);
	for (size_t n = 0; n < p.size; n++)
		assert_int_equal(cdict_writer_event(f.w, &s, ODD, p.data, n, &err), CDICT_ECORRUPT);
	assert_int_equal(cdict_writer_event(f.w, &s, 3, p.data, p.size, &err), CDICT_ENOTFOUND);
	assert_int_equal(cdict_writer_event(f.w, &s, UINT32_MAX, p.data, p.size, &err),
			 CDICT_ENOTFOUND);
	file_event(&f, &s, &p);
	for (size_t n = 0; n < p.size; n++)
		assert_int_equal(cdict_writer_event(f.w, &s, ODD, p.data, n, &err), CDICT_ECORRUPT);
	s.t_ns = 6;
	file_event(&f, &s, &p);
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_whole(r);
	assert_int_equal(cdict_reader_events(r), 2);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

static void events_before_a_schema_are_refused(void **state)
{
	struct cdict_sample s = { 0 };
	struct file f;

	(void)state;
	file_begin(&f, NULL);
	assert_int_equal(cdict_writer_event(f.w, &s, 0, "", 0, NULL), CDICT_ENOTFOUND);
	file_end(&f);
	buf_fini(&f.bytes);
}

/* --- the file's layout, byte by byte, as in cdict(5) */

static void the_header_and_an_empty_file_are_these_bytes(void **state)
{
	struct file f;
	struct block_at blocks[2];

	(void)state;
	file_begin(&f, NULL);
	file_end(&f);
	assert_memory_equal(f.bytes.data,
			    "\x89"
			    "CDICT\r\n\1\0\1\0",
			    12);
	assert_int_equal(le32(f.bytes.data + 12), codec_crc(f.bytes.data, 12));
	assert_int_equal(find_blocks(&f.bytes, blocks, 2), 1);
	assert_int_equal(blocks[0].at, 16);
	assert_memory_equal(f.bytes.data + 16, "\xdc\x0c\xb1\x1eINDX", 8);
	assert_int_equal(le32(f.bytes.data + 24), 2); /* bytes of payload */
	assert_int_equal(le32(f.bytes.data + 28), 0); /* ordinal */
	assert_int_equal(le32(f.bytes.data + 32), codec_crc(f.bytes.data + 40, 2));
	assert_int_equal(le32(f.bytes.data + 36), codec_crc(f.bytes.data + 16, 20));
	assert_memory_equal(f.bytes.data + 40, "\0\0", 2); /* stored, 0 bytes */
	assert_int_equal(le64(f.bytes.data + 42), 16);
	assert_int_equal(le32(f.bytes.data + 50), codec_crc(f.bytes.data + 42, 8));
	assert_memory_equal(f.bytes.data + 54, "CDND", 4);
	assert_int_equal(f.bytes.len, 58);
	buf_fini(&f.bytes);
}

static void the_check_sum_is_that_of_zlib(void **state)
{
	(void)state;
	assert_int_equal(codec_crc("123456789", 9), 0xcbf43926);
	assert_int_equal(codec_crc("", 0), 0);
}

static void blocks_are_numbered_and_carry_their_check_sums(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct block_at blocks[64];
	struct file f;
	size_t n;

	(void)state;
	file_begin(&f, schema);
	some_events(&f, schema);
	file_end(&f);
	n = find_blocks(&f.bytes, blocks, COUNT(blocks));
	assert_true(n > 5);
	for (size_t k = 0; k < n; k++) {
		const uint8_t *b = f.bytes.data + blocks[k].at;

		assert_int_equal(le32(b + 12), k);
		assert_int_equal(le32(b + 16),
				 codec_crc(b + FORMAT_BLOCK_HEADER_SIZE,
					   blocks[k].size - FORMAT_BLOCK_HEADER_SIZE));
		assert_int_equal(le32(b + 20), codec_crc(b, 20));
	}
	assert_int_equal(blocks[n - 1].type, FORMAT_INDEX);
	assert_int_equal(le64(f.bytes.data + f.bytes.len - 16), blocks[n - 1].at);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

/* --- schemas */

static void format_files_that_cannot_be_read_are_refused(void **state)
{
	static const struct {
		const char *text;
		int ret;
	} cases[] = {
		{ "", CDICT_EFORMAT },
		{ "name: x\nID: 1\nformat:\n", CDICT_EFORMAT },
		{ "ID: 1\nformat:\n\tfield:int a;\toffset:0;\tsize:4;\tsigned:1;\n",
		  CDICT_EFORMAT },
		{ "name: x\n\tfield:int a;\toffset:0;\tsize:4;\tsigned:1;\n", 0 },
		{ "name: x\n\tfield:int a;\toffset:0;\tsize:4;", 0 },
		{ "name: x\n\tfield:int a;\toffset:0;\n", CDICT_EFORMAT },
		{ "name: x\n\tfield:int a;\tsize:4;\n", CDICT_EFORMAT },
		{ "name: x\n\tfield:int a offset:0;\tsize:4;\n", CDICT_EFORMAT },
		{ "name: x\n\tfield:;\toffset:0;\tsize:4;\n", CDICT_EFORMAT },
		{ "name: x\n\tfield:int a;\toffset:-1;\tsize:4;\n", CDICT_EFORMAT },
		{ "name: x\n\tfield:int a;\toffset:99999999999;\tsize:4;\n", CDICT_EFORMAT },
		{ "name: x\n\tfield:int a;\toffset:0;\tsize:99999999;\n", CDICT_EFORMAT },
		{ "name: x\n\tfield:__data_loc char[] a;\toffset:0;\tsize:8;\n", CDICT_EFORMAT },
		{ "name: x\n\tfield:char a];\toffset:0;\tsize:8;\n", CDICT_EFORMAT },
		{ "name: x\n\tfield:struct s a;\toffset:0;\tsize:12;\n", 0 },
		{ "name: x\n\tfield:char a[0];\toffset:0;\tsize:0;\n", 0 },
		{ "name: x\n\tfield:u8 a[3][4];\toffset:0;\tsize:12;\n", 0 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
		struct cdict_error err = { 0 };
		int ret = cdict_schema_add(schema, "s", cases[i].text, strlen(cases[i].text), &err);

		if (ret != cases[i].ret)
			print_message("%s: %d\n", cases[i].text, ret);
		assert_int_equal(ret, cases[i].ret);
		assert_int_equal(cdict_schema_count(schema), ret == 0);
		if (ret)
			assert_true(err.text[0]);
		cdict_schema_free(schema);
	}
}

static void a_nul_in_a_format_file_is_refused(void **state)
{
	static const char text[] = "name: x\n\tfield:int a;\toffset:0;\tsize:4;\n\0print fmt: 1";
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);

	(void)state;
	assert_int_equal(cdict_schema_add(schema, "s", text, sizeof(text) - 1, NULL),
			 CDICT_EFORMAT);
	cdict_schema_free(schema);
}

static void a_type_is_added_once(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct buf text = { 0 };

	(void)state;
	spec_text(&text, "sched_switch", 9, odd_fields, COUNT(odd_fields));
	assert_int_equal(cdict_schema_add(schema, "sched", (const char *)text.data, text.len, NULL),
			 CDICT_EFORMAT);
	assert_int_equal(cdict_schema_add(schema, "other", (const char *)text.data, text.len, NULL),
			 3);
	assert_int_equal(cdict_schema_count(schema), 4);
	buf_fini(&text);
	cdict_schema_free(schema);
}

static void fields_are_of_the_kind_their_declaration_says(void **state)
{
	static const struct {
		const char *line, *name;
		enum cdict_field_kind kind;
		bool is_text;
	} cases[] = {
		{ "pid_t pid;\toffset:8;\tsize:4;\tsigned:1", "pid", CDICT_FIELD_INT, false },
		{ "bool b;\toffset:8;\tsize:1;\tsigned:0", "b", CDICT_FIELD_UINT, false },
		{ "char c;\toffset:8;\tsize:1;\tsigned:1", "c", CDICT_FIELD_INT, false },
		{ "char comm[16];\toffset:8;\tsize:16;\tsigned:1", "comm", CDICT_FIELD_BYTES,
		  true },
		{ "u32 words[4];\toffset:8;\tsize:16;\tsigned:0", "words", CDICT_FIELD_BYTES,
		  false },
		{ "u8 one[1];\toffset:8;\tsize:1;\tsigned:0", "one", CDICT_FIELD_BYTES, false },
		{ "struct timespec ts;\toffset:8;\tsize:12;\tsigned:0", "ts", CDICT_FIELD_BYTES,
		  false },
		{ "__data_loc char[] name;\toffset:8;\tsize:4;\tsigned:1", "name",
		  CDICT_FIELD_DATA_LOC, true },
		{ "__rel_loc u32[] list;\toffset:8;\tsize:4;\tsigned:0", "list",
		  CDICT_FIELD_REL_LOC, false },
		{ "const char * ptr;\toffset:8;\tsize:8;\tsigned:0", "ptr", CDICT_FIELD_UINT,
		  false },
		{ "unsigned long long x_9;\toffset:8;\tsize:8;\tsigned:0", "x_9", CDICT_FIELD_UINT,
		  false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
		const struct cdict_field *f;
		char text[200];

		snprintf(text, sizeof(text), "name: x\nID: 5\nformat:\n\tfield:%s;\n\nprint fmt: 1",
			 cases[i].line);
		assert_int_equal(cdict_schema_add(schema, "s", text, strlen(text), NULL), 0);
		f = &cdict_schema_at(schema, 0)->fields[0];
		assert_string_equal(f->name, cases[i].name);
		assert_int_equal(f->kind, cases[i].kind);
		assert_int_equal(f->is_text, cases[i].is_text);
		assert_int_equal(f->offset, 8);
		assert_int_equal(cdict_schema_at(schema, 0)->tracepoint, 5);
		assert_int_equal(cdict_schema_at(schema, 0)->payload_size, 8 + f->size);
		cdict_schema_free(schema);
	}
}

/* Everything that may be added must be readable again, however long. */
static void every_schema_that_is_taken_is_read_back(void **state)
{
	static const char *const lines[] = {
		"char a[1048576];\toffset:0;\tsize:1048576",
		"char a[1048577];\toffset:0;\tsize:1048577",
		"int a;\toffset:1048576;\tsize:4",
		"int a;\toffset:1048577;\tsize:4",
		"int a;\toffset:16777215;\tsize:4",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(lines); i++) {
		struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
		struct cdict_reader *r;
		struct file f;
		char text[200];
		int ret;

		snprintf(text, sizeof(text), "name: x\n\tfield:%s;\n", lines[i]);
		ret = cdict_schema_add(schema, "s", text, strlen(text), NULL);
		assert_true(ret == 0 || ret == CDICT_EFORMAT);
		file_begin(&f, schema);
		file_end(&f);
		r = open_bytes(f.bytes.data, f.bytes.len);
		assert_whole(r);
		assert_int_equal(cdict_schema_count(cdict_reader_schema(r)), ret == 0);
		cdict_reader_close(r);
		buf_fini(&f.bytes);
		cdict_schema_free(schema);
	}
}

/* --- deflate */

static void every_codec_strategy_is_undone_by_inflate(void **state)
{
	struct codec *codec = codec_new();
	static uint8_t raw[300000], back[300000];
	uint64_t x = 5;

	(void)state;
	for (int round = 0; round < 80; round++) {
		static const size_t sizes[] = { 0, 1, 2, 3, 100, 511, 4096, 131071, 131072, 131073 };
		size_t n = round < 40 ? sizes[round % 10] : next_random(&x) % sizeof(raw);
		/* From one symbol to all; skewed, so that codes get long. */
		unsigned spread = (unsigned)(next_random(&x) % 257);

		for (size_t i = 0; i < n; i++) {
			unsigned bits = (unsigned)__builtin_ctzll(next_random(&x) | 1ull << 40);

			raw[i] = round % 4 == 0   ? 7
				 : round % 4 == 1 ? (uint8_t)(bits * 5)
				 : spread         ? (uint8_t)(next_random(&x) % spread)
						  : (uint8_t)i;
		}
		for (int strategy = 0; strategy < CODEC_STRATEGIES; strategy++) {
			struct buf out = { 0 };
			size_t size;

			buf_add(&out, "before", 6);
			size = codec_deflate(codec, (enum codec_strategy)strategy, raw, n, &out);
			assert_int_equal(out.len, 6 + size);
			assert_memory_equal(out.data, "before", 6);
			assert_true(size < n || !size);
			if (round % 4 == 0 && n > 100)
				assert_true(size > 0); /* one symbol presses well */
			if (size) {
				memset(back, 0xee, n);
				assert_int_equal(codec_inflate(codec, out.data + 6, size, back, n),
						 0);
				assert_memory_equal(raw, back, n);
				assert_true(codec_plausible(size, n));
				assert_int_equal(codec_inflate(codec, out.data + 6, size, back,
							       n - 1),
						 CDICT_ECORRUPT);
				assert_int_equal(codec_inflate(codec, out.data + 6, size - 1, back,
							       n),
						 CDICT_ECORRUPT);
			}
			buf_fini(&out);
		}
	}
	codec_free(codec);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_calls_give_the_same_bytes),
		cmocka_unit_test(bytes_once_written_never_change),
		cmocka_unit_test(a_failed_write_fails_every_later_call),
		cmocka_unit_test(an_event_that_cannot_be_is_refused_and_the_rest_is_stored),
		cmocka_unit_test(events_before_a_schema_are_refused),
		cmocka_unit_test(the_header_and_an_empty_file_are_these_bytes),
		cmocka_unit_test(the_check_sum_is_that_of_zlib),
		cmocka_unit_test(blocks_are_numbered_and_carry_their_check_sums),
		cmocka_unit_test(format_files_that_cannot_be_read_are_refused),
		cmocka_unit_test(a_nul_in_a_format_file_is_refused),
		cmocka_unit_test(a_type_is_added_once),
		cmocka_unit_test(fields_are_of_the_kind_their_declaration_says),
		cmocka_unit_test(every_schema_that_is_taken_is_read_back),
		cmocka_unit_test(every_codec_strategy_is_undone_by_inflate),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
