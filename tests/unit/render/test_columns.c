/* SPDX-License-Identifier: GPL-2.0-only */
/* Columns of time, and the file of the page: every instant has one column, no time is lost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/bins/columns.h"
#include "render/page/page.h"

static void every_time_is_in_the_column_that_the_division_says(void **state)
{
	static const uint64_t spans[] = { 0, 1, 7, 1000, 1023, 1024, 999999937, UINT64_C(1) << 50 };

	(void)state;
	for (size_t s = 0; s < sizeof(spans) / sizeof(spans[0]); s++) {
		uint64_t from = 12345, span = spans[s];
		struct columns c;

		assert_int_equal(columns_init(&c, from, from + span, 64), 0);
		for (unsigned i = 0; i <= 2000; i++) {
			/* forwards and at random */
			uint64_t t =
				span ? (i % 2 ? (uint64_t)i * 7919 % (span + 1) : span / 2000 * i)
				     : 0;
			/* t * 64 / span: as six bits of a long division */
			uint64_t rest = t;
			unsigned want = 0;

			for (int bit = 0; span && bit < 6; bit++) {
				bool over = rest >= span - rest;

				want = 2 * want + over;
				rest = over ? rest - (span - rest) : 2 * rest;
			}
			if (span && t == span)
				want = 64;

			assert_int_equal(columns_of(&c, from + t), want > 63 ? 63 : want);
		}
		assert_int_equal(columns_of(&c, from + span), span ? 63 : 0);
		columns_fini(&c);
	}
}

static void spread_time_adds_up_to_what_was_spread(void **state)
{
	uint64_t sums[16] = { 0 }, coarse[4] = { 0 }, all = 0;
	struct columns c;

	(void)state;
	assert_int_equal(columns_init(&c, 100, 1101, 16), 0);
	for (uint64_t from = 100, to; from < 1101; from = to) {
		to = from + 1 + from % 211 < 1101 ? from + 1 + from % 211 : 1101;
		columns_spread(&c, sums, 0, from, to);
		columns_spread(&c, coarse, 2, from, to);
	}
	for (unsigned i = 0; i < 16; i++) {
		all += sums[i];
		if (i < 15)
			assert_int_equal(sums[i], c.edges[i + 1] - c.edges[i]);
	}
	assert_int_equal(all, 1001);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(coarse[i],
				 sums[4 * i] + sums[4 * i + 1] + sums[4 * i + 2] + sums[4 * i + 3]);
	columns_fini(&c);
}

static void a_piece_of_no_length_adds_nothing(void **state)
{
	uint64_t sums[4] = { 0 };
	struct columns c;

	(void)state;
	assert_int_equal(columns_init(&c, 0, 40, 4), 0);
	columns_spread(&c, sums, 0, 10, 10);
	columns_spread(&c, sums, 0, 40, 40);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(sums[i], 0);
	columns_fini(&c);
}

/* The contents of the element that page_base64() writes. */
static char *base64_of(const void *data, size_t size)
{
	char *text, *start, *end;
	struct sink s;

	sink_to_memory(&s);
	page_base64(&s, "x", data, size);
	text = sink_take(&s, NULL);
	assert_non_null(text);
	start = strchr(text, '>') + 1;
	end = strchr(start, '<');
	memmove(text, start, (size_t)(end - start));
	text[end - start] = 0;
	return text;
}

static void base64_is_that_of_RFC_4648(void **state)
{
	static const char *const pairs[][2] = {
		{ "", "" },
		{ "f", "Zg==" },
		{ "fo", "Zm8=" },
		{ "foo", "Zm9v" },
		{ "foob", "Zm9vYg==" },
		{ "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
		{ "\xff\xef\xbe~?>", "/+++fj8+" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		char *text = base64_of(pairs[i][0], strlen(pairs[i][0]));

		assert_string_equal(text, pairs[i][1]);
		free(text);
	}
}

static void base64_of_more_than_one_step_has_no_seam(void **state)
{
	size_t n = 3 * 8192 * 2 + 1;
	uint8_t *bytes = calloc(1, n);
	char *text;

	(void)state;
	assert_non_null(bytes);
	text = base64_of(bytes, n);
	assert_int_equal(strlen(text), (n + 2) / 3 * 4);
	assert_int_equal(strspn(text, "A"), strlen(text) - 2);
	assert_string_equal(text + strlen(text) - 2, "==");
	free(text);
	free(bytes);
}

static void a_title_cannot_end_its_element(void **state)
{
	struct sink s;
	char *text;

	(void)state;
	sink_to_memory(&s);
	page_head(&s, "</title><script>alert(1)</script>\xff");
	text = sink_take(&s, NULL);
	assert_non_null(text);
	assert_null(strstr(text, "<script>"));
	assert_non_null(strstr(text, "&lt;/title&gt;"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_time_is_in_the_column_that_the_division_says),
		cmocka_unit_test(spread_time_adds_up_to_what_was_spread),
		cmocka_unit_test(a_piece_of_no_length_adds_nothing),
		cmocka_unit_test(base64_is_that_of_RFC_4648),
		cmocka_unit_test(base64_of_more_than_one_step_has_no_seam),
		cmocka_unit_test(a_title_cannot_end_its_element),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
