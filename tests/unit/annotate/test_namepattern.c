/* SPDX-License-Identifier: GPL-2.0-only */
/* Server names -> task names and groups. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "annotate/openstack/namepattern.h"

struct expected {
	const char *server, *name, *group;
};

static void become(const char *pattern, const struct expected *e, size_t n)
{
	struct namepattern_result got;
	struct namepattern *p;
	struct cdict_error err = { 0 };

	if (namepattern_new(&p, pattern, &err))
		fail_msg("%s", err.text);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(namepattern_apply(p, e[i].server, &got), 0);
		if (strcmp(got.name, e[i].name) || strcmp(got.group, e[i].group))
			fail_msg("'%s' became '%s' of group '%s'", e[i].server, got.name,
				 got.group);
	}
	namepattern_free(p);
}

#define EXPECT(pattern, ...)                                                                       \
	do {                                                                                       \
		static const struct expected all[] = { __VA_ARGS__ };                              \
		become(pattern, all, sizeof(all) / sizeof(all[0]));                                \
	} while (0)

static void the_default_finds_numbers_of_groups(void **state)
{
	(void)state;
	EXPECT(NULL, { "chain-05-Firewall", "Firewall", "5" },
	       { "Chain05-Load Balancer", "Load Balancer", "5" }, { "group_12_db", "db", "12" },
	       { "sfc.3.nat-gw", "nat-gw", "3" }, { "Firewall.05", "Firewall", "5" },
	       { "fw-05", "fw", "5" }, { "web_10", "web", "10" }, { "a b 7", "a b", "7" },
	       { "chain-05", "chain", "5" }, { "n-000", "n", "0" });
}

static void the_default_keeps_everything_else_whole(void **state)
{
	(void)state;
	EXPECT(NULL, { "", "", "" }, { "build", "build", "" }, { "fw05", "fw05", "" },
	       { "05", "05", "" }, { "-05", "-05", "" }, { "debian-12.1", "debian-12.1", "" },
	       { "ip-10-0-0-12", "ip-10-0-0-12", "" }, { "a-1-b", "a-1-b", "" },
	       { "x-1234567890", "x-1234567890", "" },
	       { "db \"main\" \xc3\xa9\xe4\xb8\xad", "db \"main\" \xc3\xa9\xe4\xb8\xad", "" },
	       { "\xff\xfe-05", "\xff\xfe-05", "" });
}

static void a_pattern_of_ones_own_counts_instead(void **state)
{
	(void)state;
	EXPECT("chain-(?<group>\\d+)-(?<name>\\w+)", { "my-chain-05-Firewall-x", "Firewall", "5" },
	       { "fw-05", "fw-05", "" });
	EXPECT("^(?<name>[a-z]+)", { "fw-05", "fw", "" });
	EXPECT("(?<group>east|west)", { "fw-east", "fw-east", "east" });
	EXPECT("^(?<name>[a-z]*)(?<group>\\d*)", { "05", "05", "5" }, { "fw", "fw", "" });
}

static void an_invalid_pattern_is_refused(void **state)
{
	static const char *const bad[] = { "(", "a(b)", "(?<nome>x)", "", "(?<name>x)(?<name>y)" };
	struct namepattern *p;
	struct cdict_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		assert_int_equal(namepattern_new(&p, bad[i], &err), CDICT_EUSAGE);
		assert_non_null(strstr(err.text, "name pattern"));
	}
}

static void a_name_that_takes_too_many_steps_is_kept(void **state)
{
	EXPECT("^(?<name>(a+)+)$",
	       { "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab",
		 "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", "" });
	(void)state;
}

static void a_long_name_is_cut_between_characters(void **state)
{
	struct namepattern_result got;
	struct namepattern *p;
	char server[2 * NAMEPATTERN_TEXT_MAX + 2];

	(void)state;
	assert_int_equal(namepattern_new(&p, NULL, NULL), 0);
	server[0] = 'x';
	for (size_t i = 1; i + 2 < sizeof(server); i += 2)
		memcpy(server + i, "\xc3\xa9", 3);
	assert_int_equal(namepattern_apply(p, server, &got), 0);
	assert_int_equal(strlen(got.name), NAMEPATTERN_TEXT_MAX - 1);
	namepattern_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_default_finds_numbers_of_groups),
		cmocka_unit_test(the_default_keeps_everything_else_whole),
		cmocka_unit_test(a_pattern_of_ones_own_counts_instead),
		cmocka_unit_test(an_invalid_pattern_is_refused),
		cmocka_unit_test(a_name_that_takes_too_many_steps_is_kept),
		cmocka_unit_test(a_long_name_is_cut_between_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
