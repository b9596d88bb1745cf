/* SPDX-License-Identifier: GPL-2.0-only */
/* Functions by address: those that occur are kept, and found again as libtraceevent finds them in all of kallsyms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <traceevent/event-parse.h>

#include "base/text/kernel_functions.h"

static const char all[] = "0000000000000010 A an_offset\n"
			  "ffffffff81000000 T fn_a\n"
			  "ffffffff81000000 T fn_a_too\n"
			  "ffffffff81000000 t fn_a_again\n"
			  "ffffffff81000100 t $x\n"
			  "ffffffff81001000 T fn_b\n"
			  "ffffffff81001000 a fn_c\n"
			  "ffffffffc0000000 t fn_m\t[mod]\n"
			  "ffffffffc0000040 d last\t[mod]\n";

static const uint64_t addresses[] = {
	0,
	0x10,
	0xffffffff80ffffff,
	0xffffffff81000000,
	0xffffffff81000001,
	0xffffffff81000fff,
	0xffffffff81001000,
	0xffffffff81001001,
	0xffffffffc0000000,
	0xffffffffc0000010,
	0xffffffffc0000040,
	0xffffffffc0000041,
	UINT64_MAX,
};
enum { ADDRESSES = sizeof(addresses) / sizeof(addresses[0]) };

static void keep(struct buf *text, unsigned which)
{
	struct kernel_functions k = { 0 };

	assert_int_equal(kernel_functions_parse(&k, all), 0);
	for (unsigned i = 0; i < ADDRESSES; i++)
		if (which >> i & 1)
			kernel_functions_occurs(&k, addresses[i]);
	kernel_functions_write(&k, text);
	buf_u8(text, 0);
	assert_false(text->failed);
	kernel_functions_fini(&k);
}

/* Whatever else occurs. */
static void functions_that_occur_have_the_name_that_libtraceevent_gives_them(void **state)
{
	struct tep_handle *tep = tep_alloc();
	char *copy = strdup(all);

	(void)state;
	assert_int_equal(tep_parse_kallsyms(tep, copy), 0);
	for (unsigned which = 0; which < 1u << ADDRESSES; which += 1 + which % 7) {
		struct kernel_functions k = { 0 };
		struct buf text = { 0 };

		keep(&text, which);
		assert_int_equal(kernel_functions_read(&k, (char *)text.data), 0);
		for (unsigned i = 0; i < ADDRESSES; i++) {
			const struct kernel_function *s = kernel_functions_find(&k, addresses[i]);
			const char *name = tep_find_function(tep, addresses[i]);

			/* an address that did not occur may be unknown, but never has a wrong
			 * name */
			if (!s && !(which >> i & 1))
				continue;
			assert_int_equal(!s, !name);
			if (!s)
				continue;
			assert_int_equal(s->address, tep_find_function_address(tep, addresses[i]));
			if (which >> i & 1) {
				assert_int_equal(s->len, strlen(name));
				assert_memory_equal(s->name, name, s->len);
			}
		}
		kernel_functions_fini(&k);
		buf_fini(&text);
	}
	free(copy);
	tep_free(tep);
}

static void only_functions_that_occur_are_kept(void **state)
{
	struct buf text = { 0 };

	(void)state;
	keep(&text, 0);
	assert_string_equal((char *)text.data, "");
	text.len = 0;
	keep(&text, 1u << 7);
	assert_string_equal((char *)text.data, "ffffffff81001000 3efff000 fn_b\n");
	buf_fini(&text);
}

static void broken_text_ends_the_table(void **state)
{
	static const char *const texts[] = {
		"", "x", "12", "12 ", "12 3", "1 2 a\n0 1 b\n", "1 g a\n", "11111111111111111 1 a\n"
	};
	static const char *const lists[] = {
		"", "x", "12", "12 ", "12 t", "12 t ", "12 t\nff T a\n"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct kernel_functions k = { 0 };

		assert_int_equal(kernel_functions_read(&k, texts[i]), 0);
		assert_in_range(k.all.n, 0, 1);
		kernel_functions_find(&k, 1);
		kernel_functions_fini(&k);
	}
	for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
		struct kernel_functions k = { 0 };

		assert_int_equal(kernel_functions_parse(&k, lists[i]), 0);
		assert_int_equal(k.listed.n, 0);
		kernel_functions_occurs(&k, 1);
		kernel_functions_fini(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(functions_that_occur_have_the_name_that_libtraceevent_gives_them),
		cmocka_unit_test(only_functions_that_occur_are_kept),
		cmocka_unit_test(broken_text_ends_the_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
