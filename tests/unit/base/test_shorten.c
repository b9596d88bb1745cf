/* SPDX-License-Identifier: GPL-2.0-only */
/* base/text/shorten.h: texts of one column that stay different when they are shortened. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/escape.h"
#include "base/text/shorten.h"

#define N(array) (sizeof(array) / sizeof((array)[0]))

static void check(const char *const *texts, size_t n, size_t width, const char *const *want)
{
	struct shorten s = { 0 };

	for (size_t i = 0; i < n; i++)
		shorten_add(&s, texts[i]);
	shorten_fit(&s, width);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(shorten_find(&s, texts[i]), want[i]);
	assert_false(s.failed);
	shorten_fini(&s);
}

static void what_all_share_goes_first_and_the_end_stays(void **state)
{
	static const char *const names[] = { "instance-0000001b.vcpu1", "instance-0000001e.vcpu1",
					     "instance-0000001b.emulator", "swapper/0" };
	static const char *const at_14[] = { "insta..b.vcpu1", "insta..e.vcpu1", "..01b.emulator",
					     "swapper/0" };
	static const char *const alone[] = { "a_function_with_a_long_name;read" };
	static const char *const alone_at_14[] = { "a_fu..ame;read" };

	(void)state;
	check(names, N(names), 14, at_14);
	check(names, N(names), 40, names);
	check(alone, 1, 14, alone_at_14);
}

static void texts_that_end_alike_are_told_apart_elsewhere(void **state)
{
	static const char *const begins[] = { "a-service-of-the-customer",
					      "b-service-of-the-customer" };
	static const char *const begins_at_10[] = { "a-..stomer", "b-..stomer" };
	static const char *const inside[] = { "a-long-begin-of-all-1-a-long-end-of-all",
					      "a-long-begin-of-all-2-a-long-end-of-all" };
	static const char *const inside_at_10[] = { "..1-a..all", "..2-a..all" };

	(void)state;
	check(begins, 2, 10, begins_at_10);
	check(inside, 2, 10, inside_at_10);
}

static void a_text_that_was_not_added_gets_a_form_of_its_own(void **state)
{
	struct shorten s = { 0 };

	(void)state;
	shorten_add(&s, "instance-0000001b.vcpu1");
	shorten_fit(&s, 9);
	assert_string_equal(shorten_find(&s, "instance-0000001b.vcpu1"), "..b.vcpu1");
	assert_string_equal(shorten_find(&s, "instance-0000001e.vcpu1"), "..e.vcpu1");
	assert_string_equal(shorten_find(&s, "another-of-1e.vcpu1"), "an..vcpu1");
	assert_string_equal(shorten_find(&s, "vcpu"), "vcpu");
	shorten_fini(&s);
}

/* Pieces of which names are made: wide characters, combining marks, invalid UTF-8, dots, controls. */
static const char *const pieces[] = { "instance-0000000000000000",
				      "仮仮仮仮仮仮仮仮",
				      "e\xcc\x81\xcc\x81",
				      "\xff\xfe",
				      "..",
				      "..1",
				      "1",
				      "2",
				      ".vcpu",
				      "\x1b[31m",
				      "a",
				      "b",
				      "-and-the-same-end-of-all-of-them" };

static uint32_t next(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 16;
}

/* @added of @n texts are known to shorten_fit(). */
static void stay_different(char **texts, size_t n, size_t added, size_t width)
{
	struct shorten s = { 0 };

	for (size_t i = 0; i < added; i++)
		shorten_add(&s, texts[i]);
	shorten_fit(&s, width);
	for (size_t i = 0; i < n; i++) {
		const char *is = shorten_find(&s, texts[i]);
		size_t full = escape_width(texts[i], strlen(texts[i]));

		assert_in_range(escape_width(is, strlen(is)), full > width ? 1 : full,
				full > width ? width : full);
		assert_string_equal(shorten_find(&s, texts[i]), is);
		for (size_t k = 0; k < i && n == added; k++)
			assert_true(!strcmp(texts[k], texts[i]) ==
				    !strcmp(shorten_find(&s, texts[k]), is));
	}
	assert_false(s.failed);
	shorten_fini(&s);
}

static void different_texts_stay_different_in_the_width(void **state)
{
	uint32_t seed = 1;

	(void)state;
	for (unsigned round = 0; round < 200; round++) {
		char *texts[40];
		size_t width = 8 + next(&seed) % 30;

		for (size_t i = 0; i < N(texts); i++) {
			char text[512] = "";

			for (uint32_t n = 1 + next(&seed) % 6; n; n--)
				strcat(text, pieces[next(&seed) % N(pieces)]);
			texts[i] = strdup(text);
			assert_non_null(texts[i]);
		}
		stay_different(texts, N(texts), N(texts), width);
		stay_different(texts, N(texts), N(texts) / 2, width);
		for (size_t i = 0; i < N(texts); i++)
			free(texts[i]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_all_share_goes_first_and_the_end_stays),
		cmocka_unit_test(texts_that_end_alike_are_told_apart_elsewhere),
		cmocka_unit_test(a_text_that_was_not_added_gets_a_form_of_its_own),
		cmocka_unit_test(different_texts_stay_different_in_the_width),
	};

	return cmocka_run_group_tests_name("shorten", tests, NULL, NULL);
}
