/* SPDX-License-Identifier: GPL-2.0-only */
/* Written data is read back: made-up schemas, extreme values, every kind of field. */
#include "tests/unit/book.h"

/* --- tables of cases */

static void a_file_without_events_is_whole(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct book b;

	(void)state;
	book_begin(&b, schema);
	book_end(&b);
	book_begin(&b, NULL);
	book_end(&b);
	cdict_schema_free(schema);
}

static const struct {
	const char *decl;
	unsigned size;
	bool is_signed;
} scalars[] = {
	{ "u8 v", 1, false },           { "s8 v", 1, true },
	{ "u16 v", 2, false },          { "s16 v", 2, true },
	{ "u32 v", 4, false },          { "s32 v", 4, true },
	{ "u64 v", 8, false },          { "s64 v", 8, true },
	{ "pid_t pid", 4, true },       { "u32 pid", 4, false },
	{ "u32 common_pid", 4, false }, { "int target_cpu", 4, true },
};

/* The only field of the only event type holds every extreme, in every system that
 * has models of its own, in both byte orders. */
static void every_scalar_keeps_every_extreme(void **state)
{
	static const char *const systems[][2] = {
		{ "test", "scalar" },        { "kvm", "kvm_exit" },
		{ "sched", "sched_waking" }, { "sched", "sched_stat_runtime" },
		{ "sched", "sched_switch" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(scalars); i++)
		for (size_t sys = 0; sys < COUNT(systems); sys++)
			for (int big = 0; big < 2; big++) {
				struct cdict_schema *schema = cdict_schema_new(big, 8, 4096);
				const struct spec fields[] = {
					{ scalars[i].decl, scalars[i].size, scalars[i].is_signed,
					  0 },
				};
				struct cdict_sample s = { .cpu = 3 };
				struct payload p;
				struct book b;

				assert_int_equal(add_type(schema, systems[sys][0], systems[sys][1],
							  7, fields, 1),
						 0);
				book_begin(&b, schema);
				for (size_t v = 0; v < 3 * COUNT(extremes); v++) {
					s.t_ns = v;
					s.tid = (int32_t)(v % 5) - 2;
					payload_init(&p, schema, 0);
					payload_number(&p, strchr(scalars[i].decl, ' ') + 1,
						       extremes[v * 7 % COUNT(extremes)]);
					book_event(&b, &s, &p);
				}
				book_end(&b);
				cdict_schema_free(schema);
			}
}

static void values_are_extended_by_their_sign(void **state)
{
	struct cdict_schema *schema = cdict_schema_new(true, 4, 4096);
	struct cdict_sample s = { .cpu = 0 };
	struct cdict_events *it;
	struct cdict_reader *r;
	struct cdict_event ev;
	struct payload p;
	struct file f;

	(void)state;
	for (size_t i = 0; i < COUNT(scalars); i++) {
		const struct spec fields[] = { { scalars[i].decl, scalars[i].size,
						 scalars[i].is_signed, 0 } };
		char name[16];

		snprintf(name, sizeof(name), "e%zu", i);
		assert_int_equal(add_type(schema, "test", name, 7, fields, 1), i);
	}
	file_begin(&f, schema);
	for (size_t i = 0; i < COUNT(scalars); i++) {
		payload_init(&p, schema, (unsigned)i);
		payload_number(&p, strchr(scalars[i].decl, ' ') + 1, UINT64_MAX);
		file_event(&f, &s, &p);
	}
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_int_equal(cdict_events_open(&it, r, NULL, NULL), 0);
	for (size_t i = 0; i < COUNT(scalars); i++) {
		assert_int_equal(cdict_events_next(it, &ev, NULL), 1);
		assert_true(ev.values[0] == (scalars[i].is_signed
						     ? UINT64_MAX
						     : UINT64_MAX >> (64 - 8 * scalars[i].size)));
	}
	cdict_events_close(it);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
	cdict_schema_free(schema);
}

static void times_and_tasks_keep_their_extremes(void **state)
{
	static const struct cdict_sample samples[] = {
		{ 0, 0, 0, 0, 0, 0 },
		{ 0, 0, -1, -1, 1, 0 },
		{ 1, CDICT_CPU_UNKNOWN, INT32_MAX, INT32_MIN, 5, 0 },
		{ 1, 65535, INT32_MIN, INT32_MAX, 4, 0 },
		{ 1, 0, 1, 2, 3, UINT32_MAX },
		{ 2, 0, 2, 1, 3, 0 },
		{ 1ull << 62, 0, 7, 7, 7, 1 },
		{ UINT64_MAX - 1, 0, 7, 8, 2, 5 },
		{ UINT64_MAX, 0, 8, 8, 1, 5 },
		{ UINT64_MAX, CDICT_CPU_UNKNOWN, 8, 8, 1, 5 },
	};
	struct cdict_schema *schema = usual_schema();
	struct payload p;
	struct book b;

	(void)state;
	book_begin(&b, schema);
	for (size_t i = 0; i < COUNT(samples); i++) {
		payload_init(&p, schema, i % 2 ? WAKING : SWITCH);
		payload_number(&p, "common_pid", (uint64_t)samples[i].pid);
		book_event(&b, &samples[i], &p);
	}
	book_end(&b);
	cdict_schema_free(schema);
}

static void arrays_and_strings_keep_every_byte(void **state)
{
	static const struct {
		const char *name;
		size_t name_len;
		const char *list;
		size_t list_len;
		const char *mac;
		size_t mac_len;
	} cases[] = {
		{ "", 0, "", 0, "", 0 },
		{ "x\0", 2, "\0\0\0\0", 4, "\0\0\0\0\0\1", 6 },
		{ "\0\0", 2, "", 0, "abcdef", 6 },
		{ "</script>\"\n\\", 13, "\xff\xfe\0\x80", 4, "a\0b\0\0\0", 6 },
		{ "x\0", 2, "x\0", 2, "x", 1 },
		{ "x", 1, "x", 1, "x", 1 },
		{ "\xc3\xa9\xff", 3, "0123456789abcdef", 16, "\0a", 2 },
	};

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct cdict_schema *schema = cdict_schema_new(big, 8, 4096);
		struct cdict_sample s = { .cpu = 1, .tid = 4, .pid = 4 };
		struct payload p;
		struct book b;

		assert_int_equal(add_type(schema, "test", "odd", 3, odd_fields, COUNT(odd_fields)),
				 0);
		book_begin(&b, schema);
		for (size_t i = 0; i < 5 * COUNT(cases); i++) {
			size_t c = i * 3 % COUNT(cases);

			s.t_ns = i;
			payload_init(&p, schema, 0);
			payload_bytes(&p, "mac", cases[c].mac, cases[c].mac_len);
			payload_bytes(&p, "name", cases[c].name, cases[c].name_len);
			payload_bytes(&p, "list", cases[c].list, cases[c].list_len);
			book_event(&b, &s, &p);
		}
		book_end(&b);
		cdict_schema_free(schema);
	}
}

/* A kernel changed sched's comms from char[16] to __data_loc: a recording may mix them. */
static void a_comm_may_be_an_array_here_and_a_string_there(void **state)
{
	static const char *const decls[] = { "__data_loc char[] comm", "__data_loc u8[] comm",
					     "__rel_loc char[] comm" };
	static const struct spec fixed[] = { COMMON,
					     { "char comm[16]", 16, false, 0 },
					     { "pid_t pid", 4, true, 0 } };
	/* The string's contents; the array holds "bash" or "worker-thread". */
	static const struct {
		const char *text;
		size_t len;
	} cases[] = { { "bash", 5 },
		      { "bash", 4 },
		      { "bash\0", 6 },
		      { "bash\0\1", 6 },
		      { "bash\0\1", 7 },
		      { "", 0 },
		      { "", 1 },
		      { "worker-thread", 14 },
		      { "worker-thread", 13 },
		      { "bash\0\1\0\1", 9 } };

	(void)state;
	for (size_t d = 0; d < COUNT(decls); d++)
		for (size_t c = 0; c < COUNT(cases); c++) {
			const struct spec dynamic[] = { COMMON,
							{ decls[d], 4, false, 0 },
							{ "pid_t pid", 4, true, 0 } };
			struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
			struct cdict_sample s = { .cpu = 0 };
			struct payload p;
			struct book b;

			assert_int_equal(add_type(schema, "sched", "sched_wakeup", 1, dynamic,
						  COUNT(dynamic)),
					 0);
			assert_int_equal(add_type(schema, "sched", "sched_waking", 2, fixed,
						  COUNT(fixed)),
					 1);
			book_begin(&b, schema);
			for (unsigned i = 0; i < 12; i++) {
				s.t_ns = i;
				payload_init(&p, schema, (i + c) & 1);
				if ((i + c) & 1)
					payload_text(&p, "comm", c < 7 ? "bash" : "worker-thread");
				else
					payload_bytes(&p, "comm", cases[c].text, cases[c].len);
				payload_number(&p, "pid", 77);
				book_event(&b, &s, &p);
			}
			book_end(&b);
			cdict_schema_free(schema);
		}
}

/* Every string after every other one, as the name of the same task. */
static void a_string_is_not_taken_for_one_that_is_kept_alike(void **state)
{
	static const struct {
		const char *text;
		size_t len;
	} cases[] = { { "ab", 2 },
		      { "ab", 3 },
		      { "ab\0", 4 },
		      { "ab\0\1", 4 },
		      { "ab\0\1", 5 },
		      { "ab\0\1\0\1", 6 },
		      { "ab\0\1\0\1", 7 },
		      { "", 0 },
		      { "", 1 },
		      { "\0\1", 2 },
		      { "\0\1", 3 },
		      { "\1", 1 },
		      { "\1", 2 },
		      { "\0", 2 },
		      { "0123456789abcd", 14 },
		      { "0123456789abcd", 15 } };
	static const char *const decls[] = { "__data_loc char[] comm", "__data_loc u8[] comm",
					     "__rel_loc char[] comm", "__data_loc char[] text" };

	(void)state;
	for (size_t d = 0; d < COUNT(decls); d++) {
		const struct spec fields[] = { COMMON,
					       { decls[d], 4, false, 0 },
					       { "pid_t pid", 4, true, 0 } };
		struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
		struct cdict_sample s = { .cpu = 0 };
		struct payload p;
		struct book b;

		assert_int_equal(add_type(schema, "a", "one", 1, fields, COUNT(fields)), 0);
		assert_int_equal(add_type(schema, "a", "two", 2, fields, COUNT(fields)), 1);
		book_begin(&b, schema);
		for (size_t i = 0; i < 2 * COUNT(cases) * COUNT(cases); i++) {
			size_t k = i / 2, c = i & 1 ? k / COUNT(cases) : k % COUNT(cases);

			s.t_ns = i;
			payload_init(&p, schema, i % 3 == 0);
			payload_bytes(&p, strrchr(decls[d], ' ') + 1, cases[c].text, cases[c].len);
			payload_number(&p, "pid", 77);
			book_event(&b, &s, &p);
		}
		book_end(&b);
		cdict_schema_free(schema);
	}
}

static void a_32_bit_kernel_has_longs_of_four_bytes(void **state)
{
	static const struct spec fields[] = { COMMON,
					      { "pid_t prev_pid", 4, true, 0 },
					      { "long prev_state", 4, true, 0 },
					      { "pid_t next_pid", 4, true, 0 } };
	struct cdict_schema *schema = cdict_schema_new(true, 4, 65536);
	struct cdict_sample s = { .cpu = 0 };
	struct cdict_reader *r;
	struct payload p;
	struct book b;

	(void)state;
	assert_int_equal(add_type(schema, "sched", "sched_switch", 1, fields, COUNT(fields)), 0);
	book_begin(&b, schema);
	for (uint32_t i = 0; i < 100; i++) {
		s.t_ns = i * 1000;
		s.tid = s.pid = (int32_t)(i % 7);
		payload_init(&p, schema, 0);
		payload_number(&p, "prev_pid", i % 7);
		payload_number(&p, "next_pid", (i + 1) % 7);
		payload_number(&p, "prev_state", i % 3 ? 0x402 : UINT32_MAX);
		book_event(&b, &s, &p);
	}
	book_check(&b);
	r = open_bytes(b.file.bytes.data, b.file.bytes.len);
	assert_true(cdict_schema_big_endian(cdict_reader_schema(r)));
	assert_int_equal(cdict_schema_long_size(cdict_reader_schema(r)), 4);
	assert_int_equal(cdict_schema_page_size(cdict_reader_schema(r)), 65536);
	cdict_reader_close(r);
	book_free(&b);
	cdict_schema_free(schema);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_without_events_is_whole),
		cmocka_unit_test(every_scalar_keeps_every_extreme),
		cmocka_unit_test(values_are_extended_by_their_sign),
		cmocka_unit_test(times_and_tasks_keep_their_extremes),
		cmocka_unit_test(arrays_and_strings_keep_every_byte),
		cmocka_unit_test(a_comm_may_be_an_array_here_and_a_string_there),
		cmocka_unit_test(a_string_is_not_taken_for_one_that_is_kept_alike),
		cmocka_unit_test(a_32_bit_kernel_has_longs_of_four_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
