/* SPDX-License-Identifier: GPL-2.0-only */
/* Files of perfwhiz: how they are recognized, and the numbers of exit reasons that they name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "convert/perfwhiz/columns.h"
#include "base/memory/buf.h"
#include "convert/perfwhiz/import.h"
#include "convert/perfwhiz/schema.h"

static int holds(const void *content, size_t size)
{
	uint8_t packed[256];
	uLongf n = sizeof(packed);

	assert_int_equal(compress2(packed, &n, content, (uLong)size, 9), Z_OK);
	return perfwhiz_holds(packed, n);
}

static void a_file_is_zlib_of_a_map_with_names_or_numbers_for_keys(void **state)
{
	(void)state;
	assert_int_equal(holds("\x81\xa5"
			       "event\x01",
			       8),
			 1);
	assert_int_equal(holds("\x81\x05\x01", 3), 1);
	assert_int_equal(holds("\x81\xc3\x01", 3), 0); /* its key is true */
	assert_int_equal(holds("\x91\xa5"
			       "event",
			       7),
			 0);
	assert_int_equal(holds("a text", 6), 0);
	assert_int_equal(holds("\x81", 1), 0);
	assert_int_equal(perfwhiz_holds((const uint8_t *)"\x81\x05\x01", 3), 0);
	assert_int_equal(perfwhiz_holds((const uint8_t *)"x", 1), 0);
	assert_int_equal(perfwhiz_holds((const uint8_t *)"", 0), 0);
}

/* The numbers and names that the kernel itself prints: of __print_symbolic() number @which in its format. */
struct kernel_reason {
	long code;
	char name[40];
};

static size_t kernel_reasons(struct kernel_reason *out, size_t room, int which)
{
	char path[600], *text = NULL, *at, *end;
	size_t size = 0, n = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/formats/kvm.kvm_exit.format", getenv("DATA"));
	f = fopen(path, "r");
	assert_non_null(f);
	assert_true(getdelim(&text, &size, '\0', f) > 0);
	fclose(f);
	at = text;
	for (int i = 0; i <= which; i++) {
		at = strstr(at + 1, "__print_symbolic(");
		assert_non_null(at);
	}
	end = strstr(at, "})");
	while ((at = strchr(at, '{')) && at < end) {
		assert_true(n < room);
		out[n].code = strtol(at + 1, &at, 0); /* "0x040 + 1" */
		if (!strncmp(at, " + ", 3))
			out[n].code += strtol(at + 3, &at, 0);
		assert_int_equal(sscanf(at, ", \"%39[^\"]", out[n++].name), 1);
	}
	free(text);
	return n;
}

/* The reasons that the format of kvm_exit lists, besides those of the file. */
static size_t assert_listed_as_by_the_kernel(const struct perfwhiz_reasons *r,
					     const struct kernel_reason *right, size_t n_right)
{
	struct buf text = { 0 };
	size_t n = 0;

	perfwhiz_format(&text, PERFWHIZ_KVM_EXIT, r);
	assert_false(text.failed);
	for (const char *at = strstr((char *)text.data, "__print_symbolic");
	     (at = strchr(at + 1, '{')); n++) {
		unsigned code;
		char name[40];
		size_t i = 0;

		assert_int_equal(sscanf(at, "{ %u, \"%39[^\"]", &code, name), 2);
		while (i < n_right && strcmp(right[i].name, name))
			i++;
		if (i == n_right || right[i].code != (long)code)
			fail_msg("{ %u, \"%s\" }", code, name);
	}
	buf_fini(&text);
	return n;
}

static void exit_reasons_have_the_numbers_of_the_kernel(void **state)
{
	struct kernel_reason right[256];

	(void)state;
	for (int amd = 0; amd < 2; amd++) {
		struct perfwhiz_reasons r = { 0 };
		size_t n = kernel_reasons(right, 256, amd), known = 0;

		assert_true(n > 60);
		for (size_t i = 0; i < n; i++) {
			int64_t code = perfwhiz_reason_named(&r, right[i].name);

			assert_true(code >= 0);
			if (code < PERFWHIZ_OTHER) {
				assert_int_equal(code, right[i].code);
				known++;
			}
		}
		assert_int_equal(r.amd, amd);
		assert_true(known > 30);
		assert_int_equal(known + r.names.n, n);
		perfwhiz_reasons_fini(&r);
		r = (struct perfwhiz_reasons){ .amd = amd };
		assert_int_equal(assert_listed_as_by_the_kernel(&r, right, n), known);
		perfwhiz_reasons_fini(&r);
	}
}

static void a_number_of_amd_shows_the_vendor(void **state)
{
	static const struct {
		int64_t code;
		bool amd;
	} cases[] = { { 0, false },    { 75, false },
		      { 0x5f, false }, { 0x60, true },
		      { 0x402, true }, { PERFWHIZ_OTHER - 1, true },
		      { -1, false },   { PERFWHIZ_OTHER, false } };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct perfwhiz_reasons r = { 0 };

		perfwhiz_reason_seen(&r, cases[i].code);
		assert_int_equal(r.amd, cases[i].amd);
	}
}

static void a_name_in_no_table_gets_a_number_of_its_own(void **state)
{
	struct perfwhiz_reasons r = { 0 };

	(void)state;
	assert_int_equal(perfwhiz_reason_named(&r, "one"), PERFWHIZ_OTHER);
	assert_int_equal(perfwhiz_reason_named(&r, "two"), PERFWHIZ_OTHER + 1);
	assert_int_equal(perfwhiz_reason_named(&r, "one"), PERFWHIZ_OTHER);
	assert_int_equal(perfwhiz_reason_named(&r, "HLT"), 12);
	assert_false(r.amd);
	perfwhiz_reasons_fini(&r);
}

static void times_are_numbers_of_microseconds(void **state)
{
	static const struct {
		struct msgpack_value v;
		uint64_t ns; /* UINT64_MAX: none */
	} cases[] = {
		{ { .type = MSGPACK_INT, .i = 7 }, 7000 },
		{ { .type = MSGPACK_FLOAT, .f = 7.0126 }, 7013 },
		{ { .type = MSGPACK_INT, .i = -1 }, UINT64_MAX },
		{ { .type = MSGPACK_INT, .i = INT64_MAX }, UINT64_MAX },
		{ { .type = MSGPACK_FLOAT, .f = -0.5 }, UINT64_MAX },
		{ { .type = MSGPACK_FLOAT, .f = 1e30 }, UINT64_MAX },
		{ { .type = MSGPACK_TEXT, .text = "7" }, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint64_t ns = 0;
		bool is = perfwhiz_ns(&cases[i].v, &ns);

		assert_int_equal(is, cases[i].ns != UINT64_MAX);
		assert_true(!is || ns == cases[i].ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_zlib_of_a_map_with_names_or_numbers_for_keys),
		cmocka_unit_test(exit_reasons_have_the_numbers_of_the_kernel),
		cmocka_unit_test(a_number_of_amd_shows_the_vendor),
		cmocka_unit_test(a_name_in_no_table_gets_a_number_of_its_own),
		cmocka_unit_test(times_are_numbers_of_microseconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
