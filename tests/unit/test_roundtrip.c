/* SPDX-License-Identifier: GPL-2.0-only */
/* What is written is read back: made-up schemas, extreme values, random events. */
#include "tests/unit/cdictfile.h"

/* --- what was written, kept beside the file */

struct kept {
	struct cdict_sample s;
	uint32_t type;
	uint8_t *payload;
	size_t size, seq;
};

struct book {
	const struct cdict_schema *schema;
	struct file file;
	struct kept *events;
	size_t n, cap;
};

static void book_begin(struct book *b, const struct cdict_schema *schema)
{
	*b = (struct book){ .schema = schema };
	file_begin(&b->file, schema);
}

static void book_event(struct book *b, const struct cdict_sample *s, const struct payload *p)
{
	struct kept *k;

	file_event(&b->file, s, p);
	if (b->n == b->cap) {
		b->cap = b->cap ? 2 * b->cap : 1024;
		b->events = realloc(b->events, b->cap * sizeof(*b->events));
		assert_non_null(b->events);
	}
	k = &b->events[b->n];
	*k = (struct kept){ *s, p->type->index, malloc(p->size + 1), p->size, b->n };
	assert_non_null(k->payload);
	memcpy(k->payload, p->data, p->size);
	b->n++;
}

/* The reader's order: time, pass of the recorder, CPU; then as written. */
static int in_order(const void *a, const void *b)
{
	const struct kept *x = a, *y = b;

	if (x->s.t_ns != y->s.t_ns)
		return x->s.t_ns < y->s.t_ns ? -1 : 1;
	if (x->s.order != y->s.order)
		return x->s.order < y->s.order ? -1 : 1;
	if (x->s.cpu != y->s.cpu)
		return x->s.cpu < y->s.cpu ? -1 : 1;
	return x->seq < y->seq ? -1 : 1;
}

/* Whoever asks for some fields gets in them, and in all that is no field, what a walk over
 * everything gives: for every subset, as what is predicted from what differs by type. */
static void check_some_fields(struct cdict_reader *r, uint64_t *x)
{
	const struct cdict_schema *schema = cdict_reader_schema(r);
	size_t n = cdict_schema_count(schema);
	uint64_t(*bits)[2] = calloc(n + 1, sizeof(*bits));
	const uint64_t **fields = calloc(n + 1, sizeof(*fields));
	struct cdict_query q = { .fields = fields, .n_fields = n };
	uint64_t density = next_random(x) % 5;
	struct cdict_events *all, *some;
	struct cdict_event want, ev;

	assert_true(bits && fields);
	for (size_t i = 0; i < n; i++) {
		for (size_t f = 0; f < 128; f++)
			bits[i][f / 64] |= (uint64_t)(next_random(x) % 4 < density) << f % 64;
		fields[i] = next_random(x) % 8 ? bits[i] : NULL;
	}
	assert_int_equal(cdict_events_open(&all, r, NULL, NULL), 0);
	assert_int_equal(cdict_events_open(&some, r, &q, NULL), 0);
	while (cdict_events_next(all, &want, NULL) == 1) {
		assert_int_equal(cdict_events_next(some, &ev, NULL), 1);
		assert_true(ev.t_ns == want.t_ns && ev.cpu == want.cpu && ev.tid == want.tid);
		assert_true(ev.pid == want.pid && ev.mode == want.mode && ev.type == want.type);
		for (size_t f = 0; f < ev.type->n_fields; f++) {
			const uint64_t *wanted = fields[ev.type->index];

			if (wanted && wanted[f / 64] >> f % 64 & 1)
				assert_true(ev.values[f] == want.values[f]);
		}
	}
	assert_int_equal(cdict_events_next(some, &ev, NULL), 0);
	cdict_events_close(all);
	cdict_events_close(some);
	assert_whole(r);
	free(fields);
	free(bits);
}

/* Reads everything back and compares it with the book. */
static void book_check(struct book *b)
{
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	struct cdict_events *it;
	struct cdict_event ev;
	uint64_t first = 0, last = 0;
	static uint8_t raw[4096];

	file_end(&b->file);
	if (b->n)
		qsort(b->events, b->n, sizeof(*b->events), in_order);
	r = open_bytes(b->file.bytes.data, b->file.bytes.len);
	assert_whole(r);
	assert_int_equal(cdict_reader_events(r), b->n);
	assert_int_equal(cdict_reader_window(r, &first, &last), b->n != 0);
	if (b->n) {
		assert_true(first == b->events[0].s.t_ns);
		assert_true(last == b->events[b->n - 1].s.t_ns);
	}
	assert_int_equal(cdict_events_open(&it, r, NULL, &err), 0);
	for (size_t i = 0; i < b->n; i++) {
		const struct kept *k = &b->events[i];

		assert_int_equal(cdict_events_next(it, &ev, &err), 1);
		assert_true(ev.t_ns == k->s.t_ns);
		assert_int_equal(ev.cpu, k->s.cpu);
		assert_int_equal(ev.tid, k->s.tid);
		assert_int_equal(ev.pid, k->s.pid);
		assert_int_equal(ev.mode, k->s.mode);
		assert_string_equal(ev.type->name, cdict_schema_at(b->schema, k->type)->name);
		assert_int_equal(cdict_event_payload(cdict_reader_schema(r), &ev, raw, sizeof(raw)),
				 k->size);
		assert_memory_equal(raw, k->payload, k->size);
		/* Trailing NULs of fixed arrays are not part of the content. */
		for (size_t f = 0; f < ev.type->n_fields; f++)
			if (ev.type->fields[f].kind == CDICT_FIELD_BYTES) {
				struct cdict_bytes bytes = cdict_event_bytes(&ev, f);

				assert_true(!bytes.len || bytes.data[bytes.len - 1]);
			}
	}
	assert_int_equal(cdict_events_next(it, &ev, &err), 0);
	cdict_events_close(it);
	for (uint64_t round = 0, x = (b->n + 1) * UINT64_C(0x9e3779b97f4a7c15); round < 6; round++)
		check_some_fields(r, &x);
	cdict_reader_close(r);
}

static void book_end(struct book *b)
{
	book_check(b);
	for (size_t i = 0; i < b->n; i++)
		free(b->events[i].payload);
	free(b->events);
	buf_fini(&b->file.bytes);
}

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

static const uint64_t extremes[] = {
	0,          1,
	2,          3,
	0x7f,       0x80,
	0xff,       0x100,
	0x7fff,     0x8000,
	0xffff,     0x10000,
	INT32_MAX,  0x80000000,
	UINT32_MAX, 0x100000000,
	INT64_MAX,  0x8000000000000000,
	UINT64_MAX, UINT64_MAX - 1,
};

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
	/* What the string is; the array holds "bash" or "worker-thread". */
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
	for (size_t i = 0; i < b.n; i++)
		free(b.events[i].payload);
	free(b.events);
	buf_fini(&b.file.bytes);
	cdict_schema_free(schema);
}

static void more_than_256_event_types_need_another_block(void **state)
{
	static const struct spec fields[] = { COMMON, { "u32 v", 4, false, 0 } };
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
	struct cdict_sample s = { .cpu = 0 };
	struct cdict_reader *r;
	struct payload p;
	struct book b;
	char name[16];

	(void)state;
	for (unsigned i = 0; i < 700; i++) {
		snprintf(name, sizeof(name), "event_%u", i);
		assert_int_equal(add_type(schema, "many", name, i, fields, COUNT(fields)), i);
	}
	book_begin(&b, schema);
	for (unsigned i = 0; i < 2000; i++) {
		s.t_ns = i;
		s.tid = s.pid = (int32_t)i % 11;
		payload_init(&p, schema, i * 37 % 700);
		payload_number(&p, "common_type", i % 700);
		payload_number(&p, "v", i);
		book_event(&b, &s, &p);
	}
	book_check(&b);
	r = open_bytes(b.file.bytes.data, b.file.bytes.len);
	assert_int_equal(cdict_schema_count(cdict_reader_schema(r)), 700);
	assert_true(cdict_reader_block_count(r) >= 2000 / 256);
	cdict_reader_close(r);
	for (size_t i = 0; i < b.n; i++)
		free(b.events[i].payload);
	free(b.events);
	buf_fini(&b.file.bytes);
	cdict_schema_free(schema);
}

/* Types may come while blocks of others are open. */
static void types_may_be_added_between_events(void **state)
{
	struct cdict_schema *schema = cdict_schema_new(false, 8, 4096);
	static const struct spec fields[] = { COMMON,
					      { "pid_t pid", 4, true, 0 },
					      { "char comm[16]", 16, false, 0 } };
	struct cdict_sample s = { .cpu = 0 };
	struct payload p;
	struct book b;
	char name[16];

	(void)state;
	assert_int_equal(add_type(schema, "sched", "sched_switch", 1, switch_fields,
				  COUNT(switch_fields)),
			 0);
	book_begin(&b, schema);
	for (unsigned i = 0; i < 400; i++) {
		if (i && !(i % 20)) {
			snprintf(name, sizeof(name), "late_%u", i);
			assert_true(add_type(schema, i % 40 ? "kvm" : "test", name, i, fields,
					     COUNT(fields)) > 0);
			assert_int_equal(cdict_writer_schema(b.file.w, schema, NULL), 0);
		}
		s.t_ns = i;
		s.cpu = i % 3;
		payload_init(&p, schema, (unsigned)(i % cdict_schema_count(schema)));
		payload_number(&p, "common_pid", i);
		book_event(&b, &s, &p);
	}
	book_end(&b);
	cdict_schema_free(schema);
}

static void a_block_ends_after_65536_events(void **state)
{
	struct cdict_schema *schema = usual_schema();
	const struct cdict_block_info *block;
	struct cdict_reader *r;
	struct file f;
	static const struct {
		unsigned events;
		size_t blocks;
	} cases[] = { { 65535, 1 }, { 65536, 1 }, { 65537, 2 } };

	(void)state;
	for (size_t c = 0; c < COUNT(cases); c++) {
		struct cdict_events *it;
		struct cdict_event ev;
		uint64_t n = 0;

		file_begin(&f, schema);
		for (unsigned i = 0; i < cases[c].events; i++)
			file_switch(&f, schema, 5, 1000 + 10ull * i, (int32_t)(i % 17),
				    (int32_t)((i + 1) % 17));
		file_end(&f);
		r = open_bytes(f.bytes.data, f.bytes.len);
		assert_whole(r);
		assert_int_equal(cdict_reader_block_count(r), cases[c].blocks);
		block = cdict_reader_block_at(r, 0);
		assert_int_equal(block->events, cases[c].events < 65536 ? cases[c].events : 65536);
		assert_int_equal(block->cpu, 5);
		assert_int_equal(block->first_ns, 1000);
		assert_int_equal(cdict_events_open(&it, r, NULL, NULL), 0);
		while (cdict_events_next(it, &ev, NULL) == 1) {
			assert_true(ev.t_ns == 1000 + 10 * n);
			assert_int_equal(ev.tid, n % 17);
			n++;
		}
		assert_int_equal(n, cases[c].events);
		cdict_events_close(it);
		cdict_reader_close(r);
		buf_fini(&f.bytes);
	}
	cdict_schema_free(schema);
}

/* Late events start new blocks; the walk puts every one at its time. */
static void events_that_come_late_are_read_in_their_place(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_sample s = { .cpu = 0 };
	struct payload p;
	struct book b;

	(void)state;
	book_begin(&b, schema);
	for (uint32_t i = 0; i < 600; i++) {
		/* Three interleaved runs a CPU, never two events of one time. */
		s.cpu = i % 2;
		s.t_ns = 100000 + i / 6 * 60 + (5 - i % 6) * 7;
		s.tid = s.pid = (int32_t)(i % 5);
		payload_init(&p, schema, SWITCH);
		payload_number(&p, "next_pid", i);
		book_event(&b, &s, &p);
	}
	s.t_ns = 0; /* before everything */
	book_event(&b, &s, &p);
	book_end(&b);
	cdict_schema_free(schema);
}

static void equal_times_keep_the_recorders_order(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_sample s = { 0 };
	struct payload p;
	struct book b;

	(void)state;
	book_begin(&b, schema);
	for (uint32_t i = 0; i < 3000; i++) {
		s.cpu = i * 7 % 4;
		s.t_ns = i / 100;
		s.order = i / 30;
		payload_init(&p, schema, WAKING);
		payload_number(&p, "pid", i);
		book_event(&b, &s, &p);
	}
	book_end(&b);
	cdict_schema_free(schema);
}

/* --- random schemas and events */

/* Names with models of their own among those without. */
static const char *const names[] = {
	"prev_pid",   "next_pid", "pid",       "child_pid",  "prev_comm", "next_comm",
	"comm",       "prio",     "prev_prio", "target_cpu", "orig_cpu",  "dest_cpu",
	"prev_state", "runtime",  "vruntime",  "delay",      "vcpu_id",   "exit_reason",
	"gpa",        "a",        "b",         "c",          "addr",      "val",
};
static const char *const events[][2] = {
	{ "sched", "sched_switch" },
	{ "sched", "sched_waking" },
	{ "sched", "sched_wakeup" },
	{ "sched", "sched_stat_runtime" },
	{ "sched", "sched_stat_sleep" },
	{ "sched", "sched_migrate_task" },
	{ "kvm", "kvm_exit" },
	{ "kvm", "kvm_entry" },
	{ "kvm", "kvm_mmio" },
	{ "test", "one" },
	{ "test", "two" },
	{ "block", "rq" },
};

struct random_field {
	char decl[48];
};

static void random_type(struct cdict_schema *schema, const char *const name[2], uint64_t *x)
{
	struct random_field decls[24];
	struct spec fields[24] = { COMMON };
	bool taken[COUNT(names)] = { false };
	size_t n = 4, want = 4 + next_random(x) % 12;

	while (n < want) {
		size_t pick = next_random(x) % COUNT(names);
		const char *field = names[pick];
		struct spec *f = &fields[n];
		unsigned kind = (unsigned)(next_random(x) % 8);
		bool is_pid = strlen(field) >= 3 && !strcmp(field + strlen(field) - 3, "pid");
		bool is_comm = strlen(field) >= 4 && !strcmp(field + strlen(field) - 4, "comm");

		if (taken[pick])
			continue;
		taken[pick] = true;
		*f = (struct spec){ .decl = decls[n].decl };
		if ((is_comm && kind > 2) || kind == 0) {
			f->size = is_comm && kind > 4 ? 16 : 1 + next_random(x) % 20;
			snprintf(decls[n].decl, sizeof(decls[n].decl), "char %s[%u]", field,
				 f->size);
		} else if (is_comm || (kind == 1 && !is_pid)) {
			f->size = 4;
			snprintf(decls[n].decl, sizeof(decls[n].decl), "__data_loc %s[] %s",
				 next_random(x) % 4 ? "char" : "u8", field);
		} else if (kind == 2 && !is_pid) {
			f->size = 4;
			snprintf(decls[n].decl, sizeof(decls[n].decl), "__rel_loc u16[] %s", field);
		} else {
			f->size = is_pid && kind != 7 ? 4 : 1u << next_random(x) % 4;
			f->is_signed = next_random(x) % 2;
			snprintf(decls[n].decl, sizeof(decls[n].decl), "int %s", field);
		}
		n++;
	}
	assert_true(add_type(schema, name[0], name[1], (unsigned)next_random(x) % 1000, fields,
			     n) >= 0);
}

/* Values repeat, as real ones do, so that models hit, miss and learn. */
static uint64_t random_value(uint64_t *x)
{
	uint64_t how = next_random(x) % 8;

	if (how < 5)
		return next_random(x) % 6;
	if (how == 5)
		return extremes[next_random(x) % COUNT(extremes)];
	if (how == 6)
		return next_random(x) >> next_random(x) % 64;
	return 100000 + next_random(x) % 1000;
}

static void random_payload(struct payload *p, uint64_t *x)
{
	for (size_t i = 0; i < p->type->n_fields; i++) {
		const struct cdict_field *f = &p->type->fields[i];
		static const char *const texts[] = {
			"", "a", "swapper/0", "qemu-system-x86", "CPU 0/KVM", "\0x", "b\0", "b"
		};
		static const size_t lens[] = { 0, 1, 9, 15, 9, 2, 2, 1 };
		uint8_t noise[40];
		size_t pick = next_random(x) % 9, len;

		if (f->kind <= CDICT_FIELD_INT) {
			payload_number(p, f->name, random_value(x));
			continue;
		}
		for (size_t b = 0; b < sizeof(noise); b++)
			noise[b] = (uint8_t)next_random(x);
		len = pick == 8 ? next_random(x) % sizeof(noise) : lens[pick];
		if (f->kind == CDICT_FIELD_BYTES && len > f->size)
			len = f->size;
		payload_bytes(p, f->name, pick == 8 ? (const void *)noise : texts[pick], len);
	}
}

static void whatever_is_written_is_read_back(void **state)
{
	uint64_t x = 0x1234567;

	(void)state;
	for (int round = 0; round < 60; round++) {
		struct cdict_schema *schema = cdict_schema_new(round & 1, round & 2 ? 4 : 8, 4096);
		uint64_t t[4] = { 0 }, pace = 1ull << next_random(&x) % 34;
		size_t n = next_random(&x) % (round % 20 ? 700 : 5000);
		struct cdict_sample s = { 0 };
		struct payload p;
		struct book b;

		for (size_t i = 0; i < COUNT(events); i++)
			if (i < 2 || next_random(&x) % 2)
				random_type(schema, events[i], &x);
		book_begin(&b, schema);
		for (size_t i = 0; i < n; i++) {
			s.cpu = (uint32_t)(next_random(&x) % 4);
			t[s.cpu] += next_random(&x) % 4 ? next_random(&x) % pace : 0;
			/* Passes grow with time, so that the order is a total one. */
			s.order = (uint32_t)(t[s.cpu] / 50);
			s.t_ns = t[s.cpu];
			s.tid = (int32_t)random_value(&x);
			s.pid = next_random(&x) % 3 ? s.tid : (int32_t)random_value(&x);
			s.mode = next_random(&x) % 9 ? 1 : (uint8_t)(next_random(&x) % 8);
			payload_init(&p, schema,
				     (unsigned)(next_random(&x) % cdict_schema_count(schema)));
			random_payload(&p, &x);
			book_event(&b, &s, &p);
		}
		book_end(&b);
		cdict_schema_free(schema);
	}
}

/* --- windows */

static void a_query_gives_what_a_full_walk_gives_in_its_window(void **state)
{
	struct cdict_schema *schema = usual_schema();
	struct cdict_reader *r;
	struct file f;
	uint64_t x = 99;

	(void)state;
	file_begin(&f, schema);
	for (uint32_t i = 0; i < 4000; i++)
		file_switch(&f, schema, i % 3, 1000 + i * 5 - (i % 400 ? 0 : 700), (int32_t)(i % 9),
			    (int32_t)(i % 8));
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	for (int round = 0; round < 60; round++) {
		uint64_t cpus = next_random(&x) % 8, types = next_random(&x) % 8;
		struct cdict_query q = { .from_ns = next_random(&x) % 25000,
					 .cpus = round % 3 ? &cpus : NULL,
					 .n_cpus = 3,
					 .types = round % 4 ? &types : NULL,
					 .n_types = 3 };
		struct cdict_events *all, *some;
		struct cdict_event ev, want;
		struct buf a = { 0 }, b = { 0 };

		q.to_ns = round % 5 ? q.from_ns + next_random(&x) % 10000 : 0;
		assert_int_equal(cdict_events_open(&all, r, NULL, NULL), 0);
		assert_int_equal(cdict_events_open(&some, r, &q, NULL), 0);
		while (cdict_events_next(all, &want, NULL) == 1) {
			if (want.t_ns < q.from_ns || (q.to_ns && want.t_ns > q.to_ns) ||
			    (q.cpus && !(cpus >> want.cpu & 1)) ||
			    (q.types && !(types >> want.type->index & 1)))
				continue;
			dump_line(&a, &want);
			assert_int_equal(cdict_events_next(some, &ev, NULL), 1);
			dump_line(&b, &ev);
		}
		assert_int_equal(cdict_events_next(some, &ev, NULL), 0);
		assert_int_equal(a.len, b.len);
		if (a.len)
			assert_memory_equal(a.data, b.data, a.len);
		buf_fini(&a);
		buf_fini(&b);
		cdict_events_close(all);
		cdict_events_close(some);
	}
	cdict_reader_close(r);
	buf_fini(&f.bytes);
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
		cmocka_unit_test(more_than_256_event_types_need_another_block),
		cmocka_unit_test(types_may_be_added_between_events),
		cmocka_unit_test(a_block_ends_after_65536_events),
		cmocka_unit_test(events_that_come_late_are_read_in_their_place),
		cmocka_unit_test(equal_times_keep_the_recorders_order),
		cmocka_unit_test(whatever_is_written_is_read_back),
		cmocka_unit_test(a_query_gives_what_a_full_walk_gives_in_its_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
