/* SPDX-License-Identifier: GPL-2.0-only */
/* Frames and stacks: written stacks are read back, and damage costs the stacks only. */
#include "cdict/stack.h"
#include "format/coding/encode.h"
#include "format/file/stacks.h"
#include "format/file/writer.h"
#include "tests/unit/cdictfile.h"

#define EVENTS 100u

static const struct cdict_frame frames[] = {
	{ "schedule", "[kernel.kallsyms]", 0xffffffff81000010, 0x10, CDICT_MODE_KERNEL },
	{ "main", "/usr/bin/x", 0x400100, 0, CDICT_MODE_USER },
	{ "", "/usr/bin/x", 0x400100, 0, CDICT_MODE_USER },
	{ "", "", 0, 0, CDICT_MODE_USER },
	{ "schedule", "[kernel.kallsyms]", 0xffffffff81000020, UINT64_MAX, CDICT_MODE_KERNEL },
};

/* The stack of event @i of CPU @cpu: four of five events have one, with one to five frames. */
static uint32_t stack_of(struct stack_dict *d, uint32_t cpu, uint32_t i)
{
	uint32_t numbers[COUNT(frames)], n = (i + cpu) % (COUNT(frames) + 1);

	for (uint32_t k = 0; k < n; k++) {
		numbers[k] = stack_dict_frame(d, &frames[(k + i) % COUNT(frames)]);
		assert_int_not_equal(numbers[k], CDICT_NO_STACK);
	}
	return n ? stack_dict_stack(d, numbers, n) : CDICT_NO_STACK;
}

static void one_block(const struct cdict_schema *schema, uint32_t cpu, struct buf *payload,
		      struct format_block *info)
{
	struct format_encoder *enc = format_encoder_new(schema);
	struct payload p;

	for (uint32_t i = 0; i < EVENTS; i++) {
		struct cdict_sample s = { .t_ns = 1000 + 10 * i + cpu, .cpu = cpu, .tid = 1 };

		payload_init(&p, schema, i % 2 ? SWITCH : WAKING);
		assert_int_equal(format_encoder_add(enc, &s, p.type->index, p.data, p.size), 0);
	}
	assert_int_equal(format_encoder_finish(enc, payload, info, NULL), 0);
	format_encoder_free(enc);
}

/* A block of events of @cpu, and their stacks. */
static void put_cpu(struct file *f, const struct cdict_schema *schema, struct stack_dict *d,
		    uint32_t cpu, bool with_stacks)
{
	struct buf payload = { 0 };
	struct format_block info;
	uint32_t stacks[EVENTS];

	for (uint32_t i = 0; i < EVENTS; i++)
		stacks[i] = stack_of(d, cpu, i);
	one_block(schema, cpu, &payload, &info);
	assert_int_equal(format_writer_put(f->w, payload.data, payload.len, &info, NULL, NULL), 0);
	if (with_stacks)
		assert_int_equal(format_writer_stack_events(f->w, stacks, EVENTS, NULL), 0);
	/* All at the end, or some of them earlier. */
	if (cpu % 2)
		assert_int_equal(format_writer_put_stacks(f->w, d, NULL), 0);
	buf_fini(&payload);
}

static void usual_file(struct file *f)
{
	struct cdict_schema *schema = usual_schema();
	struct stack_dict d = { 0 };

	file_begin(f, schema);
	for (uint32_t cpu = 0; cpu < 4; cpu++)
		put_cpu(f, schema, &d, cpu, cpu != 2);
	file_end(f);
	stack_dict_fini(&d);
	cdict_schema_free(schema);
}

static void assert_stack(const struct cdict_reader *r, uint32_t stack, uint32_t cpu, uint32_t i)
{
	uint32_t want = (i + cpu) % (COUNT(frames) + 1);
	const uint32_t *got;

	if (!want || cpu == 2) {
		assert_int_equal(stack, CDICT_NO_STACK);
		return;
	}
	assert_true(stack < cdict_reader_stack_count(r));
	assert_int_equal(cdict_reader_stack_at(r, stack, &got), want);
	for (uint32_t k = 0; k < want; k++) {
		const struct cdict_frame *a = cdict_reader_frame_at(r, got[k]);
		const struct cdict_frame *b = &frames[(k + i) % COUNT(frames)];

		assert_string_equal(a->symbol, b->symbol);
		assert_string_equal(a->object, b->object);
		assert_true(a->address == b->address);
		assert_true(a->offset == b->offset);
		assert_int_equal(a->mode, b->mode);
	}
}

static void every_event_has_its_stack(void **state)
{
	struct cdict_events *it;
	struct cdict_event ev;
	struct cdict_reader *r;
	struct file f;
	uint32_t n = 0;

	(void)state;
	usual_file(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_int_equal(cdict_reader_frame_count(r), COUNT(frames));
	assert_int_equal(cdict_events_open(&it, r, NULL, NULL), 0);
	assert_int_equal(cdict_events_stack(it), CDICT_NO_STACK);
	for (; cdict_events_next(it, &ev, NULL) > 0; n++)
		assert_stack(r, cdict_events_stack(it), ev.cpu, (uint32_t)(ev.t_ns - 1000) / 10);
	assert_int_equal(n, 4 * EVENTS);
	assert_int_equal(cdict_events_stack(it), CDICT_NO_STACK);
	cdict_events_close(it);
	assert_whole(r);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
}

static void a_query_does_not_mix_stacks_up(void **state)
{
	const uint64_t cpus = 1u << 1 | 1u << 3, types = 1u << WAKING;
	struct cdict_query q = { .from_ns = 1205,
				 .to_ns = 1800,
				 .cpus = &cpus,
				 .n_cpus = 4,
				 .types = &types,
				 .n_types = 2 };
	struct cdict_events *it;
	struct cdict_event ev;
	struct cdict_reader *r;
	struct file f;
	uint32_t n = 0;

	(void)state;
	usual_file(&f);
	r = open_bytes(f.bytes.data, f.bytes.len);
	assert_int_equal(cdict_events_open(&it, r, &q, NULL), 0);
	for (; cdict_events_next(it, &ev, NULL) > 0; n++)
		if (n % 3) /* asking is optional */
			assert_stack(r, cdict_events_stack(it), ev.cpu,
				     (uint32_t)(ev.t_ns - 1000) / 10);
	assert_int_equal(n, 58);
	cdict_events_close(it);
	cdict_reader_close(r);
	buf_fini(&f.bytes);
}

static void frames_and_stacks_are_kept_once(void **state)
{
	struct stack_dict d = { 0 };
	struct buf out = { 0 };
	uint32_t a, b;

	(void)state;
	a = stack_dict_frame(&d, &frames[0]);
	assert_int_equal(stack_dict_frame(&d, &frames[0]), a);
	b = stack_dict_frame(&d, &frames[1]);
	assert_int_not_equal(a, b);
	assert_int_equal(stack_dict_stack(&d, (uint32_t[]){ a, b }, 2), 0);
	assert_int_equal(stack_dict_stack(&d, (uint32_t[]){ b, a }, 2), 1);
	assert_int_equal(stack_dict_stack(&d, (uint32_t[]){ a, b }, 2), 0);
	stack_dict_take(&d, &out);
	assert_true(out.len > 0);
	out.len = 0;
	stack_dict_take(&d, &out);
	assert_int_equal(out.len, 0);
	buf_fini(&out);
	stack_dict_fini(&d);
}

static void many_frames_find_their_numbers(void **state)
{
	struct stack_dict d = { 0 };

	(void)state;
	for (unsigned round = 0; round < 2; round++)
		for (uint32_t i = 0; i < 50000; i++) {
			struct cdict_frame f = { "", "", i * 4096ull, 0, CDICT_MODE_USER };

			assert_int_equal(stack_dict_frame(&d, &f), i);
		}
	stack_dict_fini(&d);
}

/* --- damage */

/* All events exist; returns how many of them have a stack. */
static unsigned with_stacks(struct cdict_reader *r, unsigned *events)
{
	struct cdict_events *it;
	struct cdict_event ev;
	unsigned n = 0;

	*events = 0;
	assert_int_equal(cdict_events_open(&it, r, NULL, NULL), 0);
	while (cdict_events_next(it, &ev, NULL) > 0) {
		n += cdict_events_stack(it) != CDICT_NO_STACK;
		++*events;
	}
	cdict_events_close(it);
	return n;
}

/* Rows as format_writer_put_rows() takes them: one block with stored @content. */
static void put_content(struct file *f, uint32_t type, const uint8_t *content, size_t size)
{
	struct buf rows = { 0 }, payload = { 0 };

	buf_u8(&payload, FORMAT_STORED);
	buf_varint(&payload, size);
	buf_add(&payload, content, size);
	buf_le32(&rows, type);
	buf_le32(&rows, (uint32_t)payload.len);
	buf_add(&rows, payload.data, payload.len);
	assert_int_equal(format_writer_put_rows(f->w, &rows, NULL), 0);
	buf_fini(&payload);
	buf_fini(&rows);
}

#define GOOD_DICT 0, 0, 0, 1, 1, 'f', 1, 1, 2, 1, 0, 0, 1, 1, 0
#define HUGE 0xff, 0xff, 0xff, 0xff, 0x0f

/* A file of one dictionary, one block of events (ordinal 2, of EVENTS) and one of theirs. */
static const struct bad {
	const char *what;
	uint8_t dict[40];
	size_t dict_len;
	uint8_t events[16];
	size_t events_len; /* the rest: EVENTS times the number 1 */
	bool whole;        /* nothing is wrong with it */
} bads[] = {
	{ "good", { GOOD_DICT }, 15, { 2, EVENTS }, 2, true },
	{ "more after the dictionary", { GOOD_DICT, 7, 7 }, 17, { 2, EVENTS }, 2, true },
	{ "empty dictionary", { 0 }, 0, { 2, EVENTS }, 2, false },
	{ "only its numbers", { 0, 0, 0 }, 3, { 2, EVENTS }, 2, false },
	{ "texts begin elsewhere", { 1, 0, 0, 0, 0, 0 }, 6, { 2, EVENTS }, 2, false },
	{ "stacks begin elsewhere", { 0, 0, 9, 0, 0, 0 }, 6, { 2, EVENTS }, 2, false },
	{ "more texts than bytes", { 0, 0, 0, HUGE }, 8, { 2, EVENTS }, 2, false },
	{ "text longer than the block", { 0, 0, 0, 1, 99, 'x' }, 6, { 2, EVENTS }, 2, false },
	{ "more frames than bytes", { 0, 0, 0, 0, HUGE }, 9, { 2, EVENTS }, 2, false },
	{ "frame of an unknown text",
	  { 0, 0, 0, 0, 1, 1, 2, 1, 0, 0, 0 },
	  11,
	  { 2, EVENTS },
	  2,
	  false },
	{ "more stacks than bytes", { 0, 0, 0, 0, 0, HUGE }, 10, { 2, EVENTS }, 2, false },
	{ "stack of an unknown frame", { 0, 0, 0, 0, 0, 1, 1, 5 }, 8, { 2, EVENTS }, 2, false },
	{ "stack of more frames than bytes",
	  { 0, 0, 0, 0, 0, 1, HUGE },
	  11,
	  { 2, EVENTS },
	  2,
	  false },
	{ "too few events", { GOOD_DICT }, 15, { 2, EVENTS - 1 }, 2, false },
	{ "too many events", { GOOD_DICT }, 15, { 2, EVENTS + 1 }, 2, false },
	{ "an unknown stack", { GOOD_DICT }, 15, { 2, EVENTS, 2 }, 3, false },
	{ "an invalid number", { GOOD_DICT }, 15, { 2, EVENTS, HUGE, 0xff, 0xff, 0xff }, 10, false },
	{ "of no block of events", { GOOD_DICT }, 15, { 1, EVENTS }, 2, true },
	{ "of a block that is not there", { GOOD_DICT }, 15, { 77, EVENTS }, 2, true },
};

static void bad_contents_cost_the_stacks_only(void **state)
{
	struct cdict_schema *schema = usual_schema();

	(void)state;
	for (size_t i = 0; i < COUNT(bads); i++) {
		const struct bad *b = &bads[i];
		struct buf payload = { 0 }, events = { 0 };
		struct format_block info;
		struct cdict_reader *r;
		unsigned all, n;
		struct file f;
		int verified;

		file_begin(&f, schema);
		/* Block 0 is the dictionary, 1 the schema. */
		one_block(schema, 0, &payload, &info);
		put_content(&f, FORMAT_STACKS, b->dict, b->dict_len);
		assert_int_equal(
			format_writer_put(f.w, payload.data, payload.len, &info, NULL, NULL), 0);
		buf_add(&events, b->events, b->events_len);
		for (unsigned k = (unsigned)b->events_len - 2; k < EVENTS; k++)
			buf_u8(&events, 1);
		put_content(&f, FORMAT_STACK_EVENTS, events.data, events.len);
		file_end(&f);
		r = open_bytes(f.bytes.data, f.bytes.len);
		n = with_stacks(r, &all);
		verified = cdict_reader_verify(r, NULL);
		if (all != EVENTS || !verified != b->whole || (n && !b->whole))
			print_message("%s: %u events, %u with stacks, verify %d\n", b->what, all, n,
				      verified);
		assert_int_equal(all, EVENTS);
		assert_int_equal(!verified, b->whole);
		assert_true(!n || b->whole);
		if (!i)
			assert_int_equal(n, EVENTS);
		cdict_reader_close(r);
		buf_fini(&f.bytes);
		buf_fini(&payload);
		buf_fini(&events);
	}
	cdict_schema_free(schema);
}

/* Texts, frames and stacks take from the room of all rows and texts, and never more than is left. */
static void a_dictionary_takes_no_more_than_its_room(void **state)
{
	static const uint8_t dict[] = { GOOD_DICT };
	uint64_t least = 0;

	(void)state;
	for (uint64_t room = 0; room < 4096; room++) {
		struct stack_table *t = NULL;
		uint64_t left = room;
		int ret = stack_table_read(&t, dict, sizeof(dict), &left);

		assert_in_range(left, 0, room);
		assert_true(ret == CDICT_ELIMIT || !ret);
		if (!ret && !least)
			least = room;
		assert_int_equal(!ret, least != 0);
		assert_true(ret || room - left == least);
		stack_table_free(t);
	}
	assert_in_range(least, sizeof(struct cdict_frame), 4095);
}

/* Every byte of the blocks of stacks, changed, with a corrected check sum; and without. */
static void changed_bytes_never_crash(void **state)
{
	static const uint8_t changes[] = { 0x01, 0x80, 0xff, 0x55 };
	struct block_at blocks[32];
	struct file f;
	size_t n;

	(void)state;
	usual_file(&f);
	n = find_blocks(&f.bytes, blocks, COUNT(blocks));
	for (size_t i = 0; i < n; i++) {
		if (blocks[i].type != FORMAT_STACKS && blocks[i].type != FORMAT_STACK_EVENTS)
			continue;
		for (size_t at = FORMAT_BLOCK_HEADER_SIZE; at < blocks[i].size; at++)
			for (size_t k = 0; k < 2 * COUNT(changes); k++) {
				struct cdict_reader *r;
				unsigned all;
				uint8_t *copy = malloc(f.bytes.len);

				memcpy(copy, f.bytes.data, f.bytes.len);
				copy[blocks[i].at + at] ^= changes[k / 2];
				if (k % 2)
					fix_block(copy + blocks[i].at);
				r = open_bytes(copy, f.bytes.len);
				with_stacks(r, &all);
				assert_int_equal(all, 4 * EVENTS);
				if (!(k % 2))
					assert_int_not_equal(cdict_reader_verify(r, NULL), 0);
				cdict_reader_close(r);
				free(copy);
			}
	}
	buf_fini(&f.bytes);
}

/* A file that ends in the middle, also within a block of stacks: everything before it is
 * complete. */
static void every_prefix_keeps_what_it_has(void **state)
{
	struct block_at blocks[32];
	struct file f;
	size_t n;

	(void)state;
	usual_file(&f);
	n = find_blocks(&f.bytes, blocks, COUNT(blocks));
	for (size_t len = FORMAT_HEADER_SIZE; len < f.bytes.len; len++) {
		struct cdict_reader *r = open_bytes(f.bytes.data, len);
		unsigned all, want = 0;

		for (size_t i = 0; i < n; i++)
			want += blocks[i].type == FORMAT_EVENTS &&
						blocks[i].at + blocks[i].size <= len
					? EVENTS
					: 0;
		with_stacks(r, &all);
		assert_int_equal(all, want);
		cdict_reader_close(r);
	}
	buf_fini(&f.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_has_its_stack),
		cmocka_unit_test(a_query_does_not_mix_stacks_up),
		cmocka_unit_test(frames_and_stacks_are_kept_once),
		cmocka_unit_test(many_frames_find_their_numbers),
		cmocka_unit_test(bad_contents_cost_the_stacks_only),
		cmocka_unit_test(a_dictionary_takes_no_more_than_its_room),
		cmocka_unit_test(changed_bytes_never_crash),
		cmocka_unit_test(every_prefix_keeps_what_it_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
