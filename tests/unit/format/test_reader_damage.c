/* SPDX-License-Identifier: GPL-2.0-only */
/* Opening a cdict that is cut or damaged: the damage that is noticed, and its cost. */
#include "format/file/container.h"
#include "tests/unit/wholefile.h"

/* --- cut files */

static void a_file_without_its_end_is_read_and_reported_as_cut(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks));
	size_t index = blocks[n - 1].at;
	const size_t ends[] = { whole.bytes.len - 1, whole.bytes.len - FORMAT_TRAILER_SIZE,
				whole.bytes.len - FORMAT_TRAILER_SIZE - 1, index + 5, index };
	struct cdict_reader *r = open_bytes(whole.bytes.data, whole.bytes.len);
	struct buf a = { 0 };
	struct cdict_error err = { 0 };
	struct cdict_damage d;
	uint64_t events = cdict_reader_events(r);

	(void)state;
	assert_int_equal(blocks[n - 1].type, FORMAT_INDEX);
	dump_all(r, &a);
	cdict_reader_close(r);
	for (size_t i = 0; i < COUNT(ends); i++) {
		r = open_bytes(whole.bytes.data, ends[i]);
		cdict_reader_damage(r, &d);
		assert_true(d.cut);
		assert_true(d.first[0]);
		assert_int_equal(d.events, 0);
		assert_int_equal(cdict_reader_events(r), events);
		assert_int_equal(cdict_reader_verify(r, &err), CDICT_ETRUNCATED);
		assert_holds(r, &a);
		cdict_reader_close(r);
	}
	buf_fini(&a);
}

static void a_file_cut_between_blocks_holds_what_came_before(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks)), seen = 0;

	(void)state;
	for (size_t k = 0; k + 1 < n; k++) {
		struct cdict_reader *r = open_bytes(whole.bytes.data, blocks[k].at);
		struct cdict_damage d;

		cdict_reader_damage(r, &d);
		assert_true(d.cut);
		assert_int_equal(d.cut_at, blocks[k].at);
		assert_int_equal(d.blocks, 0);
		assert_int_equal(cdict_reader_block_count(r), seen);
		seen += blocks[k].type == FORMAT_EVENTS;
		cdict_reader_close(r);
	}
	assert_int_equal(seen, 12);
}

/* A header counts only if all of it is before the end. */
static void the_next_block_is_found_up_to_the_end_and_not_beyond(void **state)
{
	enum { FIRST = 40, SECOND = 70, END = FIRST + FORMAT_BLOCK_HEADER_SIZE };
	const struct container_header h = { .type = FORMAT_EVENTS, .size = 7 };
	uint8_t data[128];

	(void)state;
	memset(data, FORMAT_SYNC & 0xff, sizeof(data)); /* many that may be one */
	container_header_write(data + FIRST, &h);
	container_header_write(data + SECOND, &h);
	for (uint64_t size = 0; size <= END; size++)
		for (uint64_t at = 0; at <= size; at++)
			assert_int_equal(container_resync(data, size, at),
					 size == END && at <= FIRST ? FIRST : size);
	for (uint64_t at = 0; at <= sizeof(data); at++)
		assert_int_equal(container_resync(data, sizeof(data), at), at <= FIRST ? FIRST
									   : at <= SECOND
										   ? SECOND
										   : sizeof(data));
}

static void a_missing_block_is_noticed_by_its_number(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks));

	(void)state;
	for (size_t k = 0; k + 1 < n; k++)
		for (int indexed = 0; indexed < 2; indexed++) {
			size_t after = blocks[k].at + blocks[k].size;
			size_t end = indexed ? whole.bytes.len : blocks[n - 1].at;
			struct buf b = { 0 };
			struct cdict_reader *r;
			struct cdict_damage d;

			if (after == end)
				continue; /* the last one: only cut */
			buf_add(&b, whole.bytes.data, blocks[k].at);
			buf_add(&b, whole.bytes.data + after, end - after);
			r = open_bytes(b.data, b.len);
			cdict_reader_damage(r, &d);
			assert_true(d.first[0]);
			assert_int_equal(d.blocks,
					 indexed && blocks[k].type == FORMAT_EVENTS ? 1 : d.blocks);
			assert_true(d.blocks >= 1);
			if (indexed && blocks[k].type == FORMAT_EVENTS)
				assert_true(d.events > 0);
			assert_int_not_equal(cdict_reader_verify(r, NULL), 0);
			cdict_reader_close(r);
			buf_fini(&b);
		}
}

/* cdict prints the letters of an unknown block, too, and "?" for a byte that is no letter. */
static void a_damaged_small_block_is_reported_by_its_name(void **state)
{
	static const struct {
		char letters[5];
		const char *name;
	} cases[] = {
		{ "AZMB", "block AZMB at byte" },
		{ "@[az", "block ???? at byte" },
		{ "ZAZA", "block ZAZA at byte" },
		{ "A0Z\n", "block A?Z? at byte" },
	};
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks)), k = 0;

	(void)state;
	while (k < n && blocks[k].type != FORMAT_UNSTORED)
		k++;
	assert_true(k < n);
	for (size_t i = 0; i < COUNT(cases); i++) {
		const uint8_t *name = (const uint8_t *)cases[i].letters;
		struct buf b = { 0 };
		struct container_header h;
		struct cdict_reader *r;
		struct cdict_damage d;

		buf_add(&b, whole.bytes.data, whole.bytes.len);
		assert_true(container_header_read(b.data + blocks[k].at, &h));
		h.type = FORMAT_FOURCC(name[0], name[1], name[2], name[3]);
		h.payload_crc ^= 1;
		container_header_write(b.data + blocks[k].at, &h);
		r = open_bytes(b.data, b.len);
		cdict_reader_damage(r, &d);
		assert_int_equal(d.blocks, 1);
		assert_int_equal(strncmp(d.first, cases[i].name, strlen(cases[i].name)), 0);
		cdict_reader_close(r);
		buf_fini(&b);
	}
}

/* --- the index */

/* Opening reads nothing of the blocks of events: their damage is noticed as they are read, or counted. */
static void a_whole_index_opens_a_file_without_its_events(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks)), types;
	struct cdict_reader *good = open_bytes(whole.bytes.data, whole.bytes.len), *r;
	uint64_t events = cdict_reader_events(good), sum = 0;
	struct cdict_events *it;
	struct cdict_event ev;
	struct cdict_damage d;
	struct buf b = { 0 };

	(void)state;
	types = cdict_schema_count(cdict_reader_schema(good));
	for (size_t i = 0; i < types; i++) {
		assert_int_equal(cdict_reader_has_type(good, i),
				 cdict_reader_type_events(good, i) > 0);
		sum += cdict_reader_type_events(good, i);
	}
	assert_int_equal(sum, events);
	assert_false(cdict_reader_has_type(good, types));
	buf_add(&b, whole.bytes.data, whole.bytes.len);
	for (size_t k = 0; k < n; k++)
		if (blocks[k].type == FORMAT_EVENTS)
			memset(b.data + blocks[k].at, 0, blocks[k].size);
	for (int counts = 0; counts < 2; counts++) {
		r = open_bytes(b.data, b.len);
		cdict_reader_damage(r, &d);
		assert_false(d.blocks || d.skipped_bytes || d.cut || d.first[0]);
		assert_int_equal(cdict_reader_events(r), events);
		assert_int_equal(cdict_reader_block_count(r), 12);
		for (size_t i = 0; i < 12; i++)
			assert_memory_equal(cdict_reader_block_at(r, i),
					    cdict_reader_block_at(good, i),
					    sizeof(struct cdict_block_info));
		if (counts) {
			assert_false(cdict_reader_has_type(r, 0));
			assert_int_equal(cdict_reader_type_events(r, 1), 0);
		} else {
			assert_int_equal(cdict_events_open(&it, r, NULL, NULL), 0);
			assert_int_equal(cdict_events_next(it, &ev, NULL), 0);
			cdict_events_close(it);
		}
		cdict_reader_damage(r, &d);
		assert_int_equal(d.blocks, 12);
		assert_int_equal(d.events, events);
		cdict_reader_close(r);
	}
	cdict_reader_close(good);
	buf_fini(&b);
}

/* A block that differs from its row makes the reader look for the blocks themselves. */
static void an_index_that_does_not_fit_is_not_used(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks));

	(void)state;
	for (size_t k = 0; k + 1 < n; k++)
		for (unsigned field = 0; field < 3; field++) {
			struct container_header h;
			struct buf b = { 0 };
			struct cdict_reader *r;
			struct cdict_damage d;

			if (blocks[k].type == FORMAT_EVENTS)
				continue;
			buf_add(&b, whole.bytes.data, whole.bytes.len);
			assert_true(container_header_read(b.data + blocks[k].at, &h));
			h.type = field == 0 ? FORMAT_FOURCC('N', 'E', 'W', 'S') : h.type;
			h.size -= field == 1;
			h.ordinal += field == 2;
			container_header_write(b.data + blocks[k].at, &h);
			r = open_bytes(b.data, b.len);
			cdict_reader_damage(r, &d);
			assert_int_equal(d.first[0] != 0,
					 field != 0); /* an unknown type is no damage */
			assert_int_equal(cdict_reader_block_count(r), 12);
			cdict_reader_close(r);
			buf_fini(&b);
		}
}

/* --- damage isolation */

/* One changed byte in an event block, wherever: exactly its events are missing, and
 * damage says whose, when and how many. */
static void a_changed_byte_costs_one_block_which_is_named(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks)), k_events = 0;
	uint8_t *copy = malloc(whole.bytes.len);
	struct cdict_reader *good = open_bytes(whole.bytes.data, whole.bytes.len);

	(void)state;
	assert_non_null(copy);
	for (size_t k = 0; k < n; k++) {
		const struct cdict_block_info *info;
		struct buf want = { 0 };
		struct cdict_events *it;
		struct cdict_event ev;

		if (blocks[k].type != FORMAT_EVENTS)
			continue;
		info = cdict_reader_block_at(good, k_events++);
		assert_int_equal(info->offset, blocks[k].at);
		/* Its lines: those of this CPU in its time, no other block overlaps it. */
		assert_int_equal(cdict_events_open(&it, good, NULL, NULL), 0);
		while (cdict_events_next(it, &ev, NULL) == 1)
			if (ev.cpu != info->cpu || ev.t_ns < info->first_ns ||
			    ev.t_ns > info->last_ns)
				dump_line(&want, &ev);
		cdict_events_close(it);

		for (size_t i = 0; i < blocks[k].size; i++) {
			struct cdict_reader *r;
			struct cdict_damage d;
			struct buf got = { 0 };
			char cpu[32], count[32];

			memcpy(copy, whole.bytes.data, whole.bytes.len);
			copy[blocks[k].at + i] ^= (uint8_t)(1u << i % 8);
			r = open_bytes(copy, whole.bytes.len);
			dump_all(r, &got);
			cdict_reader_damage(r, &d);
			assert_int_equal(d.blocks, 1);
			assert_int_equal(d.events, info->events);
			assert_int_equal(d.cpu, info->cpu);
			assert_true(d.first_ns == info->first_ns);
			assert_true(d.last_ns == info->last_ns);
			assert_false(d.cut);
			snprintf(cpu, sizeof(cpu), "CPU %u ", info->cpu);
			snprintf(count, sizeof(count), " %u events", info->events);
			if (!strstr(d.first, cpu) || !strstr(d.first, count))
				print_message("byte %zu: %s\n", i, d.first);
			assert_non_null(strstr(d.first, cpu));
			assert_non_null(strstr(d.first, count));
			assert_int_equal(got.len, want.len);
			assert_memory_equal(got.data, want.data, want.len);
			assert_int_equal(cdict_reader_verify(r, NULL), CDICT_ECORRUPT);
			cdict_reader_close(r);
			buf_fini(&got);
		}
		buf_fini(&want);
	}
	assert_int_equal(k_events, 12);
	cdict_reader_close(good);
	free(copy);
}

/* When a block of event types is lost, the later ones keep their numbers: events are
 * never read as another type's. */
static void a_lost_schema_block_never_renames_events(void **state)
{
	struct cdict_schema *grown = cdict_schema_new(false, 8, 4096);
	struct block_at blocks[32];
	struct cdict_sample s = { .cpu = 0 };
	struct payload p;
	struct file f;
	size_t n;

	(void)state;
	assert_int_equal(add_type(grown, "a", "one", 1, odd_fields, COUNT(odd_fields)), 0);
	file_begin(&f, grown);
	for (unsigned i = 0; i < 3; i++) {
		static const char *const later[] = { "two", "three" };

		s.t_ns += 10;
		payload_init(&p, grown, i);
		payload_number(&p, "tiny", i);
		file_event(&f, &s, &p);
		s.t_ns--; /* the block ends with the next event */
		payload_init(&p, grown, i);
		file_event(&f, &s, &p);
		if (i < 2)
			assert_int_equal(add_type(grown, "a", later[i], 1, odd_fields,
						  COUNT(odd_fields)),
					 i + 1);
	}
	file_end(&f);
	n = find_blocks(&f.bytes, blocks, COUNT(blocks));
	for (size_t k = 0; k < n; k++)
		for (size_t at = 0; at < 40 && blocks[k].type == FORMAT_SCHEMA; at += 30) {
			struct cdict_reader *good = open_bytes(f.bytes.data, f.bytes.len), *r;
			uint8_t *copy = malloc(f.bytes.len);
			struct buf a = { 0 }, line = { 0 };
			struct cdict_events *it;
			struct cdict_event ev;

			assert_non_null(copy);
			dump_all(good, &a);
			memcpy(copy, f.bytes.data, f.bytes.len);
			copy[blocks[k].at + at] ^= 1;
			r = open_bytes(copy, f.bytes.len);
			assert_int_not_equal(cdict_reader_verify(r, NULL), 0);
			assert_int_equal(cdict_events_open(&it, r, NULL, NULL), 0);
			while (cdict_events_next(it, &ev, NULL) == 1) {
				line.len = 0;
				dump_line(&line, &ev);
				assert_non_null(memmem(a.data, a.len, line.data, line.len));
			}
			cdict_events_close(it);
			cdict_reader_close(r);
			cdict_reader_close(good);
			buf_fini(&a);
			buf_fini(&line);
			free(copy);
		}
	buf_fini(&f.bytes);
	cdict_schema_free(grown);
}

static void bytes_between_blocks_are_counted(void **state)
{
	struct block_at blocks[64];
	size_t n = find_blocks(&whole.bytes, blocks, COUNT(blocks));
	struct cdict_reader *r = open_bytes(whole.bytes.data, whole.bytes.len);
	struct buf a = { 0 };

	(void)state;
	dump_all(r, &a);
	cdict_reader_close(r);
	for (size_t k = 0; k < n; k++) {
		struct buf b = { 0 };
		struct cdict_damage d;

		buf_add(&b, whole.bytes.data, blocks[k].at);
		buf_add(&b, "\xdc\x0c\xb1\x1e not a block", 16);
		buf_add(&b, whole.bytes.data + blocks[k].at, whole.bytes.len - blocks[k].at);
		r = open_bytes(b.data, b.len);
		cdict_reader_damage(r, &d);
		assert_int_equal(d.skipped_bytes, 16);
		assert_holds(r, &a);
		cdict_reader_close(r);
		buf_fini(&b);
	}
	buf_fini(&a);
}

static void a_damaged_input_is_remembered(void **state)
{
	struct cdict_reader *r;
	struct cdict_damage d;
	struct file f;

	(void)state;
	file_begin(&f, NULL);
	assert_int_equal(cdict_writer_info(f.w, "input.damage", "was cut", NULL), 0);
	file_end(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	cdict_reader_damage(r, &d);
	assert_true(d.input_damaged);
	assert_false(d.cut);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_without_its_end_is_read_and_reported_as_cut),
		cmocka_unit_test(a_file_cut_between_blocks_holds_what_came_before),
		cmocka_unit_test(the_next_block_is_found_up_to_the_end_and_not_beyond),
		cmocka_unit_test(a_missing_block_is_noticed_by_its_number),
		cmocka_unit_test(a_whole_index_opens_a_file_without_its_events),
		cmocka_unit_test(an_index_that_does_not_fit_is_not_used),
		cmocka_unit_test(a_changed_byte_costs_one_block_which_is_named),
		cmocka_unit_test(a_lost_schema_block_never_renames_events),
		cmocka_unit_test(bytes_between_blocks_are_counted),
		cmocka_unit_test(a_damaged_input_is_remembered),
		cmocka_unit_test(a_damaged_small_block_is_reported_by_its_name),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
