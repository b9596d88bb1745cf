/* SPDX-License-Identifier: GPL-2.0-only */
/* Guests' recordings put into a file, and what a reader makes of a damaged or hostile one. */
#include "annotate/apply.h"
#include "format/file/container.h"
#include "format/file/guests.h"
#include "tests/unit/labelfile.h"

/* @host with the file @guest in it. */
static struct buf join(const struct buf *host, const struct buf *guest)
{
	struct cdict_reader *r = open_bytes(host->data, host->len), *g;
	struct cdict_error err = { 0 };
	struct buf out = { 0 };

	assert_int_equal(cdict_reader_parse(&g, guest->data, guest->len, &err), 0);
	assert_int_equal(reader_guest_add(r, g), 0);
	assert_int_equal(reader_guest_set(r, GUEST_VM, "web"), 0);
	assert_int_equal(reader_guest_set(r, GUEST_CLOCK, "0:7"), 0);
	if (apply_guests(r, to_buf, &out, &err))
		fail_msg("%s", err.text);
	cdict_reader_close(r);
	return out;
}

static void assert_guest(struct cdict_reader *r, size_t i, const struct buf *guest)
{
	struct cdict_reader *g;
	struct cdict_error err = { 0 };

	assert_string_equal(reader_guest_info(r, i, GUEST_VM), "web");
	assert_string_equal(reader_guest_info(r, i, GUEST_CLOCK), "0:7");
	assert_null(reader_guest_info(r, i, GUEST_FOUND));
	if (reader_guest_open(&g, r, i, &err))
		fail_msg("%s", err.text);
	assert_int_equal(cdict_reader_size(g), guest->len);
	assert_int_equal(cdict_reader_verify(g, &err), 0);
}

static void a_guest_comes_out_as_it_went_in_and_the_host_is_unchanged(void **state)
{
	struct file host, guest;
	struct buf one, two;
	struct cdict_reader *r;

	(void)state;
	make(&host, 3, 3);
	make(&guest, 0, 20000);
	one = join(&host.bytes, &guest.bytes);
	two = join(&one, &guest.bytes);
	/* before its index the host's file is the same */
	assert_memory_equal(one.data, host.bytes.data, host.bytes.len / 2);
	r = open_bytes(two.data, two.len);
	assert_whole(r);
	assert_int_equal(reader_guest_count(r), 2);
	assert_int_equal(cdict_reader_events(r), 201);
	assert_int_equal(cdict_reader_label_count(r), 6);
	assert_guest(r, 0, &guest.bytes);
	assert_guest(r, 1, &guest.bytes);
	cdict_reader_close(r);
	buf_fini(&one);
	buf_fini(&two);
	buf_fini(&host.bytes);
	buf_fini(&guest.bytes);
}

/* The guest's file is made of the same blocks: if their headers stood in the host's file, a reader that looks for the next
 * block after damage would take the tenant's events for the host's. */
static void after_damage_no_block_of_the_guest_is_taken_for_the_hosts(void **state)
{
	struct file host, guest;
	struct buf both;
	uint64_t plain;

	(void)state;
	make(&host, 0, 0);
	make(&guest, 0, 50);
	both = join(&host.bytes, &guest.bytes);
	for (size_t i = 16; i < both.len; i++) {
		struct buf cut = { 0 };
		struct cdict_reader *r, *g;
		struct cdict_error err = { 0 };

		buf_add(&cut, both.data, both.len);
		cut.data[i] ^= 0x41;
		if (cdict_reader_parse(&r, cut.data, cut.len, &err)) {
			buf_fini(&cut);
			continue;
		}
		cdict_reader_verify(r, NULL);
		/* 201 events are the host's; the guest's would double them */
		plain = cdict_reader_events(r);
		assert_true(plain <= 201);
		assert_int_equal(cdict_reader_label_count(r), 0);
		for (size_t k = 0; k < reader_guest_count(r); k++)
			reader_guest_open(&g, r, k, &err);
		cdict_reader_close(r);
		/* and cut there */
		if (!cdict_reader_parse(&r, both.data, i, &err)) {
			assert_true(cdict_reader_events(r) <= 201);
			assert_int_equal(cdict_reader_label_count(r), 0);
			for (size_t k = 0; k < reader_guest_count(r); k++)
				reader_guest_open(&g, r, k, &err);
			cdict_reader_close(r);
		}
		buf_fini(&cut);
	}
	buf_fini(&both);
	buf_fini(&host.bytes);
	buf_fini(&guest.bytes);
}

/* A part that claims to lie at the end of a huge file must not make the reader allocate it. */
static void a_part_beyond_the_file_is_damage(void **state)
{
	static const uint64_t offsets[] = { UINT64_C(1) << 40, UINT64_MAX - 5, 1u << 30 };
	struct cdict_reader *r;
	struct file host, guest;
	struct buf both;

	(void)state;
	make(&host, 0, 0);
	make(&guest, 0, 0);
	both = join(&host.bytes, &guest.bytes);
	for (size_t i = 0; i < COUNT(offsets); i++) {
		struct cdict_error err = { 0 };
		uint64_t at = FORMAT_HEADER_SIZE;
		struct cdict_reader *g;
		struct container_header h;
		uint8_t *p;

		while (container_header_read(both.data + at, &h) && h.type != FORMAT_GUEST_PART)
			at += FORMAT_BLOCK_HEADER_SIZE + h.size;
		assert_int_equal(h.type, FORMAT_GUEST_PART);
		p = both.data + at + FORMAT_BLOCK_HEADER_SIZE;
		for (int k = 0; k < 8; k++)
			p[4 + k] = (uint8_t)(offsets[i] >> 8 * k);
		h.payload_crc = codec_crc(p, h.size);
		container_header_write(both.data + at, &h);
		r = open_bytes(both.data, both.len);
		assert_int_equal(reader_guest_bytes(r, 0), 0);
		assert_int_not_equal(reader_guest_open(&g, r, 0, &err), 0);
		assert_int_not_equal(cdict_reader_verify(r, &err), 0);
		cdict_reader_close(r);
	}
	buf_fini(&both);
	buf_fini(&host.bytes);
	buf_fini(&guest.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_guest_comes_out_as_it_went_in_and_the_host_is_unchanged),
		cmocka_unit_test(after_damage_no_block_of_the_guest_is_taken_for_the_hosts),
		cmocka_unit_test(a_part_beyond_the_file_is_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
