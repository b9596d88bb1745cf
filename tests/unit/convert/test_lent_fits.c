/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a sample can be of the format that is lent to it. */
#include "convert/lent_internal.h"
#include "tests/unit/cdictfile.h"

enum { ID = 300, COMM_AT = 8, LOC_AT = 24, END = 28, ROOM = 128 };

/* A payload of the type, whose name of @len bytes begins at @at (for __rel_loc: that many bytes after the field). */
static void fill(uint8_t raw[ROOM], bool big, unsigned id, uint32_t at, uint32_t len)
{
	memset(raw, 0, ROOM);
	store_scalar(raw, id, 2, big);
	memcpy(raw + COMM_AT, "a comm of 15 by", 16);
	store_scalar(raw + LOC_AT, at | len << 16, 4, big);
}

/* Padding is at most 14 bytes after what is known. */
static void assert_fits(const struct cdict_event_type *type, const uint8_t *raw, bool big,
			uint32_t end)
{
	for (uint32_t size = 0; size < ROOM; size++)
		assert_int_equal(lent_fits(type, raw, size, big), size >= end && size <= end + 14);
}

static void a_payload_ends_with_its_data_and_padding(void **state)
{
	static const struct {
		uint32_t at, len, end;
	} cases[] = {
		{ END, 5, END + 5 },   { END, 6, END + 6 }, { END + 2, 1, END + 3 },
		{ END, 40, END + 40 }, { 0, 0, END },       { 60000, 0, END },
	};

	(void)state;
	for (unsigned k = 0; k < 4; k++) {
		const bool big = k & 1, relative = k & 2;
		const struct spec fields[] = {
			COMMON,
			{ "char comm[16]", 16, false, 0 },
			{ relative ? "__rel_loc char[] name" : "__data_loc char[] name", 4, false,
			  0 },
		};
		struct cdict_schema *schema = cdict_schema_new(big, 8, 4096);
		const struct cdict_event_type *type;
		uint8_t raw[ROOM];

		add_type(schema, "kvm", "named", ID, fields, COUNT(fields));
		type = cdict_schema_at(schema, 0);
		assert_int_equal(type->payload_size, END);
		for (size_t i = 0; i < COUNT(cases); i++) {
			fill(raw, big, ID, cases[i].at - (relative && cases[i].len ? END : 0),
			     cases[i].len);
			assert_fits(type, raw, big, cases[i].end);
		}
		/* outside of the payload, whatever its size */
		fill(raw, big, ID, 60000, 5);
		assert_fits(type, raw, big, ROOM);
		/* of another event */
		fill(raw, big, ID + 1, END, 5);
		assert_fits(type, raw, big, ROOM);
		/* a name without its NUL */
		fill(raw, big, ID, END, 5);
		raw[COMM_AT + 15] = 'x';
		assert_fits(type, raw, big, ROOM);
		cdict_schema_free(schema);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_payload_ends_with_its_data_and_padding),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
