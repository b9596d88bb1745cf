/* SPDX-License-Identifier: GPL-2.0-only */
/* Events of an I/O trace as records: each argument is in its field, or else in args. */
#include "convert/pfw/types.h"

#include "convert/ingest/source.h"
#include "tests/unit/cdictfile.h"

/* The records of a part, in their order. */
struct recorded {
	struct pfw_part part;
	struct pfw_types types;
	char *text;
	struct {
		uint8_t bytes[PFW_RECORD_MAX];
		int size;
		const struct cdict_event_type *type;
	} at[4];
	size_t n;
};

static void record(struct recorded *r, const struct buf *lines)
{
	struct cdict_error err = { 0 };
	bool grows;

	*r = (struct recorded){ .text = calloc(1, lines->len + PFW_PADDING) };
	assert_non_null(r->text);
	memcpy(r->text, lines->data, lines->len);
	assert_int_equal(pfw_parse(&r->part, r->text, lines->len), 0);
	assert_int_equal(r->part.broken, 0);
	assert_int_equal(pfw_types_init(&r->types, NULL, 0, &err), 0);
	assert_int_equal(pfw_types_bind(&r->types, &r->part, &grows, &err), 0);
	assert_true(grows);
	assert_int_equal(pfw_types_grow(&r->types, &r->part, &err), 0);
	assert_true(r->part.events.n <= COUNT(r->at));
	for (r->n = 0; r->n < r->part.events.n; r->n++) {
		uint32_t type;

		r->at[r->n].size = pfw_types_record(&r->types, &r->part, &r->part.events.at[r->n],
						    r->at[r->n].bytes, &type);
		if (r->at[r->n].size > 0)
			r->at[r->n].type = cdict_schema_at(r->types.schema, type);
	}
}

static void recorded_fini(struct recorded *r)
{
	pfw_part_fini(&r->part);
	pfw_types_fini(&r->types);
	free(r->text);
}

/* The bytes of field @name of record @i. */
static const uint8_t *field(const struct recorded *r, size_t i, const char *name)
{
	int f = cdict_event_type_field(r->at[i].type, name);

	assert_true(f >= 0);
	return r->at[i].bytes + sizeof(struct source_record) + r->at[i].type->fields[f].offset;
}

static const char *text_field(const struct recorded *r, size_t i, const char *name)
{
	return (const char *)r->at[i].bytes + sizeof(struct source_record) +
	       (le32(field(r, i, name)) & 0xffff);
}

static void add_line(struct buf *lines, const char *key, unsigned from, unsigned to)
{
	buf_printf(lines, "{\"name\":\"z0\",\"cat\":\"c\",\"ts\":1,\"dur\":2,\"args\":{");
	for (unsigned i = from; i < to; i++)
		buf_printf(lines, "%s\"%s%u\":%u", i > from ? "," : "", key, i, 1000 + i);
	buf_printf(lines, "}}\n");
}

/* All that add_line() wrote, and nothing else: in the fields that there are, the rest as JSON in args. */
static void assert_args(const struct recorded *r, size_t i, const char *key, unsigned from,
			unsigned to)
{
	struct buf rest = { 0 };
	unsigned fields = 0;
	char name[16];

	for (unsigned k = from; k < to; k++) {
		snprintf(name, sizeof(name), "%s%u", key, k);
		if (cdict_event_type_field(r->at[i].type, name) >= 0) {
			assert_int_equal(le64(field(r, i, name)), 1000 + k);
			fields++;
		} else {
			buf_printf(&rest, "%c\"%s\":%u", rest.len ? ',' : '{', name, 1000 + k);
		}
	}
	buf_printf(&rest, rest.len ? "}" : "");
	buf_u8(&rest, 0);
	assert_string_equal(text_field(r, i, "args"), (char *)rest.data);
	assert_true(fields == to - from || fields <= 48);
	buf_fini(&rest);
}

static void every_argument_is_stored_however_many_keys_there_are(void **state)
{
	static const unsigned counts[] = {
		1, PFW_KEYS_MAX - 1, PFW_KEYS_MAX, PFW_KEYS_MAX + 1, 300, 2000
	};
	struct recorded *r = malloc(sizeof(*r));

	(void)state;
	assert_non_null(r);
	for (size_t c = 0; c < COUNT(counts); c++) {
		struct buf lines = { 0 };

		add_line(&lines, "a", 0, counts[c]);
		add_line(&lines, "b", 0, 20);
		add_line(&lines, "a", counts[c] - 1, counts[c] + 10);
		add_line(&lines, "z", 0, 2); /* a key that is a name, too */
		record(r, &lines);
		assert_int_equal(r->n, 4);
		assert_args(r, 0, "a", 0, counts[c]);
		assert_args(r, 1, "b", 0, 20);
		assert_args(r, 2, "a", counts[c] - 1, counts[c] + 10);
		assert_args(r, 3, "z", 0, 2);
		recorded_fini(r);
		buf_fini(&lines);
	}
	free(r);
}

static void a_record_has_its_size_and_one_that_is_too_long_is_counted(void **state)
{
	static const unsigned lens[] = { 0, 100, 200, 300, 5000, 65000, 65600 };
	struct recorded *r = malloc(sizeof(*r));

	(void)state;
	assert_non_null(r);
	for (size_t c = 0; c < COUNT(lens); c++) {
		struct buf lines = { 0 };
		struct source_record head;

		buf_printf(&lines,
			   "{\"name\":\"n\",\"cat\":\"c\",\"ts\":1,\"dur\":2,\"pid\":3,\"tid\":4,"
			   "\"args\":{\"fname\":\"%0*d\"}}\n",
			   (int)lens[c], 0);
		record(r, &lines);
		assert_int_equal(r->n, 1);
		assert_int_equal(r->types.too_long, lens[c] > 65000);
		if (lens[c] > 65000) {
			assert_int_equal(r->at[0].size, 0);
		} else {
			memcpy(&head, r->at[0].bytes, sizeof(head));
			assert_int_equal(head.size, r->at[0].size);
			assert_int_equal(head.raw_size, r->at[0].size - (int)sizeof(head));
			assert_true(head.size > lens[c] && head.size < lens[c] + 200);
			assert_int_equal(head.pid, 3);
			assert_int_equal(head.tid, 4);
			assert_int_equal(strlen(text_field(r, 0, "fname")), lens[c] ? lens[c] : 1);
		}
		recorded_fini(r);
		buf_fini(&lines);
	}
	free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_argument_is_stored_however_many_keys_there_are),
		cmocka_unit_test(a_record_has_its_size_and_one_that_is_too_long_is_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
