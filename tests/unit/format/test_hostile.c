/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A small cdict cut at every byte, with every byte changed, and with its insides
 * changed under check sums that are right again. Never a crash, never endless; and as
 * long as the reader says of no damage, exactly the lines of the whole file.
 *
 * timeout: 900
 */
#include "tests/unit/cdictfile.h"

/* More events than any changed file may give: a walk that does not end is noticed. */
#define EVENTS_MAX 2000000u

static struct cdict_schema *schema;
static struct file whole;
static struct buf lines;
static struct block_at blocks[64];
static size_t n_blocks;

/* A few KB with every coding: sparse and dense columns, tables, strings, late events;
 * of 600 events and more with a stream of its own (more than 512 symbols). */
static void make_file(unsigned events)
{
	struct payload p;
	uint64_t x = 42, t = 1000;

	file_begin(&whole, schema);
	assert_int_equal(cdict_writer_info(whole.w, "host.name", "h", NULL), 0);
	assert_int_equal(cdict_writer_info(whole.w, "topology.core", "0,1", NULL), 0);
	for (int32_t i = 0; i < 6; i++) {
		struct cdict_task_event task = {
			(uint64_t)i, (enum cdict_task_what)(i % 4), i, i + 1, i, i, "a name"
		};
		struct cdict_loss loss = {
			(enum cdict_loss_what)(i % 5), (uint32_t)i, CDICT_TYPE_ANY, 1, 2, 3
		};

		assert_int_equal(cdict_writer_task(whole.w, &task, NULL), 0);
		assert_int_equal(cdict_writer_loss(whole.w, &loss, NULL), 0);
	}
	for (unsigned i = 0; i < events; i++) {
		struct cdict_sample s = { .cpu = i < events - 30 ? 0 : i % 2,
					  .mode = i % 50 ? 1 : 4 };
		uint64_t big;
		char name[24];

		t += next_random(&x) % 1000;
		s.t_ns = i == events / 10 ? t - 5000 : t;
		s.tid = s.pid = (int32_t)(next_random(&x) % 4 ? 7 : next_random(&x) % 40);
		s.order = i / 40;
		payload_init(&p, schema, i % 11 == 0 ? ODD : i % 19 == 1 ? SWITCH : WAKING);
		payload_number(&p, "common_type", p.type->tracepoint);
		payload_number(&p, "common_pid", (uint64_t)s.tid);
		if (p.type->index == ODD) {
			payload_number(&p, "tiny", next_random(&x));
			big = next_random(&x); /* drawn first, with any compiler */
			payload_number(&p, "big", big >> next_random(&x) % 64);
			payload_bytes(&p, "mac", &x, 6);
			payload_bytes(&p, "name", "a string", i % 9);
			payload_bytes(&p, "list", &x, i % 3 * 4);
		} else {
			snprintf(name, sizeof(name), "task-%u", (unsigned)(next_random(&x) % 9));
			payload_text(&p, p.type->index == SWITCH ? "next_comm" : "comm", name);
			payload_number(&p, p.type->index == SWITCH ? "next_pid" : "pid",
				       next_random(&x) % 12);
			payload_number(&p, p.type->index == SWITCH ? "prev_state" : "prio",
				       next_random(&x) % 3);
		}
		file_event(&whole, &s, &p);
	}
	assert_int_equal(cdict_writer_unstored(whole.w, "cycles", 9, NULL), 0);
	file_end(&whole);
	n_blocks = find_blocks(&whole.bytes, blocks, COUNT(blocks));
}

static void make(unsigned events)
{
	struct cdict_reader *r;

	schema = usual_schema();
	make_file(events);
	r = open_bytes(whole.bytes.data, whole.bytes.len);
	assert_whole(r);
	lines.len = 0;
	dump_all(r, &lines);
	cdict_reader_close(r);
}

static int small(void **state)
{
	(void)state;
	make(90);
	return 0;
}

static int larger(void **state)
{
	(void)state;
	make(700);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	buf_fini(&whole.bytes);
	buf_fini(&lines);
	cdict_schema_free(schema);
	return 0;
}

static volatile uint64_t touched;

/* Reads everything except events; every text and number is read. */
static void touch(const struct cdict_reader *r)
{
	uint64_t sum = cdict_reader_cpus(r) + cdict_reader_events(r) + cdict_reader_size(r), a, b;
	const struct cdict_schema *s = cdict_reader_schema(r);

	for (size_t i = 0; i < cdict_reader_info_count(r); i++) {
		const char *key, *value;

		cdict_reader_info_at(r, i, &key, &value);
		sum += strlen(key) + strlen(value);
	}
	for (size_t i = 0; i < cdict_reader_task_count(r); i++) {
		const struct cdict_task_event *t = cdict_reader_task_at(r, i);

		sum += t->comm ? strlen(t->comm) : (uint64_t)t->ppid;
	}
	for (size_t i = 0; i < cdict_reader_loss_count(r); i++)
		sum += cdict_reader_loss_at(r, i)->count;
	for (size_t i = 0; i < cdict_reader_late_count(r); i++)
		sum += cdict_reader_late_at(r, i)->after_ns;
	for (size_t i = 0; i < cdict_reader_unstored_count(r); i++)
		sum += strlen(cdict_reader_unstored_at(r, i)->name);
	for (size_t i = 0; i < cdict_schema_count(s); i++)
		sum += strlen(cdict_schema_at(s, i)->name) + strlen(cdict_schema_at(s, i)->format);
	for (size_t i = 0; i < cdict_reader_block_count(r); i++)
		sum += cdict_reader_block_at(r, i)->events;
	if (cdict_reader_window(r, &a, &b))
		sum += a + b;
	touched += sum;
}

static void touch_event(const struct cdict_reader *r, const struct cdict_event *ev)
{
	static uint8_t raw[8192];

	touched += cdict_event_payload(cdict_reader_schema(r), ev, raw, sizeof(raw));
	for (size_t i = 0; i < ev->type->n_fields; i++)
		if (ev->type->fields[i].kind > CDICT_FIELD_INT) {
			struct cdict_bytes b = cdict_event_bytes(ev, i);

			for (size_t k = 0; k < b.len; k++)
				touched += b.data[k];
		}
}

/* Opens, walks, verifies. When @exact, the lines are the whole file's unless damage is
 * reported. Returns whether the file was refused or reported as damaged. */
static bool survive(const uint8_t *data, size_t size, bool exact)
{
	/* An allocation of its own, so that a read past the end is noticed. */
	uint8_t *copy = malloc(size ? size : 1);
	static struct buf got;
	struct cdict_error err = { 0 };
	struct cdict_reader *r;
	struct cdict_events *it;
	struct cdict_event ev;
	struct cdict_damage d;
	size_t n = 0;
	int ret;

	assert_non_null(copy);
	if (size)
		memcpy(copy, data, size);
	ret = cdict_reader_parse(&r, copy, size, &err);
	if (ret) {
		assert_true(ret < 0 && err.text[0] && !r);
		free(copy);
		return true;
	}
	touch(r);
	got.len = 0;
	assert_int_equal(cdict_events_open(&it, r, NULL, &err), 0);
	while ((ret = cdict_events_next(it, &ev, &err)) > 0) {
		assert_true(n++ < EVENTS_MAX);
		if (exact)
			dump_line(&got, &ev);
		else
			touch_event(r, &ev);
	}
	assert_int_equal(ret, 0);
	cdict_events_close(it);
	cdict_reader_damage(r, &d);
	if (exact && !d.first[0]) {
		assert_int_equal(got.len, lines.len);
		assert_memory_equal(got.data, lines.data, lines.len);
	}
	ret = cdict_reader_verify(r, &err);
	if (d.first[0])
		assert_int_not_equal(ret, 0);
	cdict_reader_damage(r, &d);
	assert_int_equal(ret != 0, d.first[0] != 0);
	cdict_reader_close(r);
	free(copy);
	return ret != 0;
}

/* Sanitizers are slow: fewer values there. */
#ifdef __SANITIZE_ADDRESS__
#define SLOW 1
#else
#define SLOW 0
#endif

static void every_prefix_is_read_as_far_as_possible_and_reported_as_cut(void **state)
{
	(void)state;
	for (size_t n = 0; n < whole.bytes.len; n++)
		assert_true(survive(whole.bytes.data, n, true));
	assert_false(survive(whole.bytes.data, whole.bytes.len, true));
}

static bool in_a_header(size_t at)
{
	if (at < FORMAT_HEADER_SIZE || at >= whole.bytes.len - FORMAT_TRAILER_SIZE)
		return true;
	for (size_t k = 0; k < n_blocks; k++)
		if (at >= blocks[k].at && at < blocks[k].at + FORMAT_BLOCK_HEADER_SIZE)
			return true;
	return false;
}

static void every_changed_byte_is_noticed(void **state)
{
	uint8_t *copy = malloc(whole.bytes.len);

	(void)state;
	assert_non_null(copy);
	memcpy(copy, whole.bytes.data, whole.bytes.len);
	for (size_t at = 0; at < whole.bytes.len; at++) {
		unsigned step = in_a_header(at) ? (SLOW ? 13 : 1) : (SLOW ? 200 : 61);

		for (unsigned v = 1; v < 256; v += step) {
			bool reported;

			copy[at] = (uint8_t)(whole.bytes.data[at] ^ v);
			reported = survive(copy, whole.bytes.len, true);
			if (!reported)
				print_message("byte %zu, xor %u\n", at, v);
			assert_true(reported);
		}
		copy[at] = whole.bytes.data[at];
	}
	free(copy);
}

/* The check sums are right, the data that they cover is not: nothing protects the decoder. */
static void changes_under_a_right_check_sum_do_no_harm(void **state)
{
	uint8_t *copy = malloc(whole.bytes.len);
	uint64_t x = 7;

	(void)state;
	assert_non_null(copy);
	for (size_t k = 0; k < n_blocks; k++)
		for (size_t i = 0; i < blocks[k].size - FORMAT_BLOCK_HEADER_SIZE; i++) {
			size_t at = blocks[k].at + FORMAT_BLOCK_HEADER_SIZE + i;
			const uint8_t values[] = { (uint8_t)(whole.bytes.data[at] ^ 1),
						   0xff,
						   (uint8_t)(whole.bytes.data[at] + 1),
						   (uint8_t)(whole.bytes.data[at] ^ 0x80),
						   0,
						   (uint8_t)next_random(&x) };

			for (size_t v = 0; v < (SLOW ? 2 : COUNT(values)); v++) {
				memcpy(copy, whole.bytes.data, whole.bytes.len);
				copy[at] = values[v];
				fix_block(copy + blocks[k].at);
				survive(copy, whole.bytes.len, false);
			}
		}
	free(copy);
}

/* The damage that a walk over @file finds, of all fields or of none. */
static struct cdict_damage walk_damage(const uint8_t *file, bool all)
{
	static const uint64_t *const none[8];
	const struct cdict_query query = { .size = sizeof(query),
					   .fields = none,
					   .n_fields = COUNT(none) };
	struct cdict_reader *r = open_bytes(file, whole.bytes.len);
	struct cdict_events *it;
	struct cdict_event ev;
	struct cdict_damage d;

	assert_true(cdict_schema_count(cdict_reader_schema(r)) <= COUNT(none));
	assert_int_equal(cdict_events_open(&it, r, all ? NULL : &query, NULL), 0);
	while (cdict_events_next(it, &ev, NULL) > 0)
		;
	cdict_events_close(it);
	cdict_reader_damage(r, &d);
	cdict_reader_close(r);
	return d;
}

static const char *const parts[] = { "a column's gaps cannot be read",
				     "a column's table cannot be read",
				     "a column's bits cannot be read",
				     "a column's symbols cannot be read",
				     "a stream has invalid sizes" };
enum { TABLE = 1 };

/* Adds 1 to each byte of the event blocks, under a right check sum, and counts the reports of each of
 * @parts: in @found[1] where columns are read, in @found[0] where they are skipped. */
static void find_parts_beyond_streams(unsigned found[2][COUNT(parts)])
{
	uint8_t *copy = malloc(whole.bytes.len);

	memset(found, 0, 2 * sizeof(found[0]));
	assert_non_null(copy);
	for (size_t i = 0; i < 2 * whole.bytes.len; i++) {
		size_t at = i / 2, k = 0, all = i % 2;
		struct cdict_damage d;
		char text[64];

		while (k < n_blocks && (at < blocks[k].at + FORMAT_BLOCK_HEADER_SIZE ||
					at >= blocks[k].at + blocks[k].size))
			k++;
		if (k == n_blocks || blocks[k].type != FORMAT_EVENTS)
			continue;
		memcpy(copy, whole.bytes.data, whole.bytes.len);
		copy[at]++;
		fix_block(copy + blocks[k].at);
		d = walk_damage(copy, all);
		snprintf(text, sizeof(text), "at byte %zu is damaged", blocks[k].at);
		assert_true(!strstr(d.first, "event block") || strstr(d.first, text));
		for (size_t part = 0; part < COUNT(parts); part++)
			found[all][part] += strstr(d.first, parts[part]) != NULL;
	}
	free(copy);
}

/* A directory of columns that takes more than the streams have is reported whether a column is read
 * or skipped. */
static void a_column_may_not_exceed_its_stream(void **state)
{
	unsigned found[2][COUNT(parts)];

	(void)state;
	find_parts_beyond_streams(found);
	for (size_t part = 0; part < COUNT(parts); part++) {
		assert_true(found[1][part] > 0);
		assert_int_equal(found[0][part], found[1][part]);
	}
}

/* Its symbols are coded: damage inside them is seen only where they are read. */
static void a_column_of_a_larger_block_may_not_exceed_its_stream(void **state)
{
	unsigned found[2][COUNT(parts)];

	(void)state;
	find_parts_beyond_streams(found);
	for (size_t part = 0; part < COUNT(parts); part++)
		for (size_t all = 0; all < 2; all++) /* another part exceeds before a table does */
			assert_true(found[all][part] > 0 || part == TABLE);
}

/* The file with block @k's payload replaced. */
static bool survive_payload(size_t k, const uint8_t *payload, size_t size)
{
	struct buf b = { 0 };
	size_t end = blocks[k].at + blocks[k].size;
	bool reported;

	buf_add(&b, whole.bytes.data, blocks[k].at + FORMAT_BLOCK_HEADER_SIZE);
	buf_add(&b, payload, size);
	buf_add(&b, whole.bytes.data + end, whole.bytes.len - end);
	store_scalar(b.data + blocks[k].at + 8, size, 4, false);
	fix_block(b.data + blocks[k].at);
	reported = survive(b.data, b.len, false);
	buf_fini(&b);
	return reported;
}

/* The inflated contents of a small block. */
static void open_envelope(struct codec *codec, size_t k, struct buf *raw)
{
	struct cursor c = cursor_init(whole.bytes.data + blocks[k].at + FORMAT_BLOCK_HEADER_SIZE,
				      blocks[k].size - FORMAT_BLOCK_HEADER_SIZE, false);
	uint8_t how = cursor_u8(&c);
	uint64_t n = cursor_varint(&c);

	assert_non_null(buf_room(raw, n + 1));
	raw->len = n;
	if (how == FORMAT_STORED)
		memcpy(raw->data, c.at, n);
	else
		assert_int_equal(codec_inflate(codec, c.at, c.left, raw->data, n), 0);
}

static void changes_inside_an_envelope_do_no_harm(void **state)
{
	struct codec *codec = codec_new();
	uint64_t x = 11;

	(void)state;
	for (size_t k = 0; k < n_blocks; k++) {
		struct buf raw = { 0 }, out = { 0 };

		if (blocks[k].type == FORMAT_EVENTS)
			continue;
		open_envelope(codec, k, &raw);
		for (size_t i = 0; i < raw.len; i++)
			for (int v = 0; v < (SLOW ? 3 : 6); v++) {
				size_t len = v ? raw.len : i; /* cut, or changed */

				out.len = 0;
				buf_u8(&out, FORMAT_STORED);
				buf_varint(&out, len);
				buf_add(&out, raw.data, len);
				if (v)
					out.data[out.len - len + i] =
						v == 1   ? 0xff
						: v == 2 ? (uint8_t)(raw.data[i] + 1)
						: v == 3 ? 0
							 : (uint8_t)next_random(&x);
				survive_payload(k, out.data, out.len);
			}
		buf_fini(&raw);
		buf_fini(&out);
	}
	codec_free(codec);
}

/* Random bytes, and pieces moved about, as payloads. */
static void noise_in_place_of_a_payload_does_no_harm(void **state)
{
	uint64_t x = 3;
	uint8_t noise[400];

	(void)state;
	for (int round = 0; round < (SLOW ? 400 : 3000); round++) {
		size_t k = next_random(&x) % n_blocks, n = next_random(&x) % sizeof(noise);
		const uint8_t *payload = whole.bytes.data + blocks[k].at + FORMAT_BLOCK_HEADER_SIZE;
		size_t size = blocks[k].size - FORMAT_BLOCK_HEADER_SIZE;

		for (size_t i = 0; i < n; i++)
			noise[i] = round % 2 ? (uint8_t)next_random(&x)
					     : payload[next_random(&x) % size];
		if (round % 3 == 0 && n < size)
			memcpy(noise, payload, n < 20 ? n : 20);
		survive_payload(k, noise, n);
	}
}

static void a_payload_cut_under_a_right_check_sum_does_no_harm(void **state)
{
	(void)state;
	for (size_t k = 0; k < n_blocks; k++)
		for (size_t n = 0; n < blocks[k].size - FORMAT_BLOCK_HEADER_SIZE; n += SLOW ? 5 : 1)
			survive_payload(
				k, whole.bytes.data + blocks[k].at + FORMAT_BLOCK_HEADER_SIZE, n);
}

static void changes_anywhere_in_a_larger_block_do_no_harm(void **state)
{
	uint8_t *copy = malloc(whole.bytes.len);
	uint64_t x = 19;

	(void)state;
	assert_non_null(copy);
	for (int round = 0; round < (SLOW ? 300 : 2000); round++) {
		size_t k = next_random(&x) % n_blocks;
		size_t room = blocks[k].size - FORMAT_BLOCK_HEADER_SIZE;
		uint8_t *payload = copy + blocks[k].at + FORMAT_BLOCK_HEADER_SIZE;

		if (blocks[k].type != FORMAT_EVENTS)
			continue;
		memcpy(copy, whole.bytes.data, whole.bytes.len);
		for (int n = 1 + round % 3; n; n--)
			payload[next_random(&x) % room] = (uint8_t)next_random(&x);
		/* A change without a check sum is noticed, one with it does no harm. */
		if (memcmp(copy, whole.bytes.data, whole.bytes.len))
			assert_true(survive(copy, whole.bytes.len, true));
		fix_block(copy + blocks[k].at);
		survive(copy, whole.bytes.len, false);
	}
	free(copy);
}

int main(void)
{
#define SMALL(test) cmocka_unit_test_setup_teardown(test, small, teardown)
	const struct CMUnitTest tests[] = {
		SMALL(every_prefix_is_read_as_far_as_possible_and_reported_as_cut),
		SMALL(every_changed_byte_is_noticed),
		SMALL(changes_under_a_right_check_sum_do_no_harm),
		SMALL(changes_inside_an_envelope_do_no_harm),
		SMALL(a_column_may_not_exceed_its_stream),
		SMALL(noise_in_place_of_a_payload_does_no_harm),
		SMALL(a_payload_cut_under_a_right_check_sum_does_no_harm),
		cmocka_unit_test_setup_teardown(
			a_column_of_a_larger_block_may_not_exceed_its_stream, larger, teardown),
		cmocka_unit_test_setup_teardown(changes_anywhere_in_a_larger_block_do_no_harm,
						larger, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
