/* SPDX-License-Identifier: GPL-2.0-only */
/* openrc files: what a shell would have, as far as that can be known without one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "annotate/openrc.h"

#define UNKNOWN "?"

struct expected {
	const char *script;
	const char *value; /* of X; NULL: not set; UNKNOWN */
};

static void expect(const struct expected *e)
{
	struct openstack_vars vars = { 0 };
	struct cdict_error err = { 0 };
	const char *got;

	if (openrc_parse(&vars, e->script, strlen(e->script), &err))
		fail_msg("%s: %s", e->script, err.text);
	got = openstack_vars_unknown(&vars, "X") ? UNKNOWN : openstack_vars_get(&vars, "X");
	if (!got != !e->value || (got && strcmp(got, e->value)))
		fail_msg("%s: X is '%s', not '%s'", e->script, got ? got : "(none)",
			 e->value ? e->value : "(none)");
	openstack_vars_fini(&vars);
}

#define EXPECT_ALL(table)                                                                          \
	for (size_t i = 0; i < sizeof(table) / sizeof((table)[0]); i++)                            \
	expect(&(table)[i])

static void quotes_are_taken_off(void **state)
{
	static const struct expected all[] = {
		{ "X=a", "a" },
		{ "export X=a", "a" },
		{ "  export\tX=a  ", "a" },
		{ "export Y=b X=a Z=c", "a" },
		{ "X=", "" },
		{ "X=''", "" },
		{ "X='a b'", "a b" },
		{ "X=\"a b\"", "a b" },
		{ "X='a\nb'", "a\nb" },
		{ "X=a'b'\"c\"d", "abcd" },
		{ "X='it'\\''s'", "it's" },
		{ "X='$Y `z` \\n'", "$Y `z` \\n" },
		{ "X=\"a\\\"b\\\\c\\$d\\`e\\q\"", "a\"b\\c$d`e\\q" },
		{ "X=\"a\\\nb\\\\\nc\"", "ab\\\nc" },
		{ "X=a\\ b\\;c", "a b;c" },
		{ "X=a\\\nb", "ab" },
		{ "X=a=b", "a=b" },
		{ "X=p#1", "p#1" },
		{ "X='#'", "#" },
		{ "X=a # X=b", "a" },
		{ "# X=b\nX=a\n#X=c", "a" },
		{ "X=a;Y=b", "a" },
		{ "Y=b;X=a", "a" },
		{ "X=5$", "5$" },
		{ "declare -x X=\"a\"", "a" },
		{ "typeset -x X=a", "a" },
		{ "X=a\r\nY=b\r\n", "a" },
		{ "\xef\xbb\xbfX=a", "a" },
		{ "X=\xc3\xa9", "\xc3\xa9" },
		{ "X=a\nX=b", "b" },
		{ "X=a\nunset X", NULL },
		{ "X=a\nunset -v Y X", NULL },
		{ "X =a", NULL },
		{ "1X=a", NULL },
		{ "", NULL },
	};

	(void)state;
	EXPECT_ALL(all);
}

static void only_its_own_variables_are_put_in(void **state)
{
	static const struct expected all[] = {
		{ "Y=b\nX=a$Y", "ab" },       { "Y=b; X=\"a${Y}c\"", "abc" },
		{ "X=$HOME", UNKNOWN },       { "X=\"${HOME}/ca.pem\"", UNKNOWN },
		{ "X=~/ca.pem", UNKNOWN },    { "X=a~b", "a~b" },
		{ "X=${X:-d}", "d" },         { "X=${X:-\"d e\"}", "d e" },
		{ "X=a\nX=${X:-d}", "a" },    { "X=\nX=${X:-d}", "d" },
		{ "X=${X:-$(id)}", UNKNOWN }, { "X=${Y%%/*}", UNKNOWN },
		{ "X=${#Y}", UNKNOWN },       { "X=$1", UNKNOWN },
		{ "X=$$", UNKNOWN },          { "X=$'a'", UNKNOWN },
		{ "Y=$Z\nX=$Y", UNKNOWN },    { "X=a\nX+=b", UNKNOWN },
	};

	(void)state;
	EXPECT_ALL(all);
}

static void nothing_is_executed_and_what_it_gives_is_unknown(void **state)
{
	static const struct expected all[] = {
		{ "X=$(touch /tmp/openrc-was-executed)", UNKNOWN },
		{ "X=`touch /tmp/openrc-was-executed`", UNKNOWN },
		{ "X=\"$(echo \")\" '(' \\) )\"", UNKNOWN },
		{ "X=a$(b)c; Y=1", UNKNOWN },
		{ "read -sr X", UNKNOWN },
		{ "X=a\nread -p 'Password: ' -s X", UNKNOWN },
		{ "X=a; read -t 5 Y", "a" },
		{ "echo X=b", NULL },
		{ "X=a echo b", NULL },
		{ "X=a env", NULL },
		{ "source X=b\n. X=c\neval X=d", NULL },
	};

	(void)state;
	EXPECT_ALL(all);
}

static void what_may_not_happen_does_not_count(void **state)
{
	static const struct expected all[] = {
		{ "X=a\nif [ -z \"$X\" ]; then unset X; fi", "a" },
		{ "X=a\nif true; then\nif x; then y; fi\nX=b\nelse\nX=c\nfi\nY=1", "a" },
		{ "if true\nthen\nX=b\nfi\nX=a", "a" },
		{ "for k in $(set | awk '/^OS_/'); do unset $k; X=b; done\nX=a", "a" },
		{ "X=a\nfor X in b c; do :; done", "a" },
		{ "while read X; do X=b; done < file\nX=a", "a" },
		{ "case $Y in\na) X=b ;;\n(c) X=c;;\nesac\nX=a", "a" },
		{ "f() {\nX=b\n}\nX=a\nf", "a" },
		{ "function f { X=b; }\nX=a", "a" },
		{ "X=a\n(X=b; unset X)", "a" },
		{ "X=a\ntrue && X=b", "a" },
		{ "X=a\nfalse || X=b; Y=2", "a" },
		{ "X=a\ntrue &&\n\nX=b", "a" },
		{ "X=a && Y=b", "a" },
		{ "X=b &\nX=a", "a" },
		{ "echo if; X=a", "a" },
		{ "\"if\" x; X=a", "a" },
		{ "cat <<END\nX=b\nEND\nX=a", "a" },
		{ "cat <<-'E D' >f\nX=b\n\tE D\nX=a", "a" },
		{ "cat <<< X=b\nX=a", "a" },
		{ "X=a >f", "a" },
		{ "fi; done; }\nX=a", "a" },
	};

	(void)state;
	EXPECT_ALL(all);
}

/* As the dashboard gives it to its users, shortened. */
static void the_dashboards_file_is_understood(void **state)
{
	static const char script[] =
		"#!/usr/bin/env bash\n"
		"# To use an OpenStack cloud you need to authenticate against the Identity\n"
		"# service named keystone, which returns a **Token** and **Service Catalog**.\n"
		"export OS_AUTH_URL=https://cloud.example.org:5000/v3/\n"
		"export OS_PROJECT_ID=0123456789abcdef\n"
		"export OS_PROJECT_NAME=\"team a\"\n"
		"export OS_USER_DOMAIN_NAME=\"Default\"\n"
		"if [ -z \"$OS_USER_DOMAIN_NAME\" ]; then unset OS_USER_DOMAIN_NAME; fi\n"
		"export OS_PROJECT_DOMAIN_ID=\"default\"\n"
		"if [ -z \"$OS_PROJECT_DOMAIN_ID\" ]; then unset OS_PROJECT_DOMAIN_ID; fi\n"
		"# unset v2.0 items in case set\n"
		"unset OS_TENANT_ID\n"
		"unset OS_TENANT_NAME\n"
		"export OS_USERNAME=\"alice\"\n"
		"# With Keystone you pass the keystone password.\n"
		"echo \"Please enter your OpenStack Password for project $OS_PROJECT_NAME as user "
		"$OS_USERNAME: \"\n"
		"read -sr OS_PASSWORD_INPUT\n"
		"export OS_PASSWORD=$OS_PASSWORD_INPUT\n"
		"export OS_REGION_NAME=\"RegionOne\"\n"
		"if [ -z \"$OS_REGION_NAME\" ]; then unset OS_REGION_NAME; fi\n"
		"export OS_INTERFACE=public\n"
		"export OS_IDENTITY_API_VERSION=3\n";
	struct openstack_vars v = { 0 };
	struct cdict_error err = { 0 };

	(void)state;
	assert_int_equal(openrc_parse(&v, script, strlen(script), &err), 0);
	assert_string_equal(openstack_vars_get(&v, "OS_AUTH_URL"),
			    "https://cloud.example.org:5000/v3/");
	assert_string_equal(openstack_vars_get(&v, "OS_PROJECT_NAME"), "team a");
	assert_string_equal(openstack_vars_get(&v, "OS_USER_DOMAIN_NAME"), "Default");
	assert_string_equal(openstack_vars_get(&v, "OS_USERNAME"), "alice");
	assert_string_equal(openstack_vars_get(&v, "OS_REGION_NAME"), "RegionOne");
	assert_true(openstack_vars_unknown(&v, "OS_PASSWORD"));
	assert_null(openstack_vars_get(&v, "OS_TENANT_ID"));
	openstack_vars_fini(&v);
}

static void a_broken_file_is_told_with_its_line(void **state)
{
	static const struct {
		const char *script, *text;
		int code;
	} all[] = {
		{ "Y=1\nX='a", "line 2: a ' without its end", CDICT_EFORMAT },
		{ "X=\"a\n\n", "line 1: a \" without its end", CDICT_EFORMAT },
		{ "X=`a", "line 1: a ` without its end", CDICT_EFORMAT },
		{ "X=$(a", "line 1: a $( without its end", CDICT_EFORMAT },
		{ "\n\nX=${a", "line 3: a ${ without its end", CDICT_EFORMAT },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct openstack_vars v = { 0 };
		struct cdict_error err = { 0 };

		assert_int_equal(openrc_parse(&v, all[i].script, strlen(all[i].script), &err),
				 all[i].code);
		assert_string_equal(err.text, all[i].text);
		openstack_vars_fini(&v);
	}
}

static void what_is_no_text_or_too_long_is_refused(void **state)
{
	struct openstack_vars v = { 0 };
	size_t size = ((size_t)1 << 20) + 1;
	char *big = malloc(size);

	(void)state;
	assert_int_equal(openrc_parse(&v, "X=a\0b", 5, NULL), CDICT_EFORMAT);
	memset(big, '\n', size);
	assert_int_equal(openrc_parse(&v, big, size, NULL), CDICT_ELIMIT);
	assert_int_equal(openrc_parse(&v, big, size - 1, NULL), 0);
	assert_int_equal(openrc_parse(&v, NULL, 0, NULL), 0);
	free(big);
	openstack_vars_fini(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(quotes_are_taken_off),
		cmocka_unit_test(only_its_own_variables_are_put_in),
		cmocka_unit_test(nothing_is_executed_and_what_it_gives_is_unknown),
		cmocka_unit_test(what_may_not_happen_does_not_count),
		cmocka_unit_test(the_dashboards_file_is_understood),
		cmocka_unit_test(a_broken_file_is_told_with_its_line),
		cmocka_unit_test(what_is_no_text_or_too_long_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
