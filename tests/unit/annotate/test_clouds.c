/* SPDX-License-Identifier: GPL-2.0-only */
/* clouds.yaml, and the precedence of settings. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "annotate/openstack/clouds.h"
#include "annotate/openstack/settings.h"

/* --- the files --- */

static const char *value_of(const struct openstack_values *v, const char *name)
{
#define X(known)                                                                                   \
	if (!strcmp(name, #known))                                                                 \
		return v->known;
	OPENSTACK_NAMES(X)
#undef X
	fail_msg("no request for %s is expected", name);
	return NULL;
}

static void says(const char *yaml, const char *cloud, const char *key, const char *value)
{
	struct openstack_values values = { 0 };
	struct cdict_error err = { 0 };
	struct clouds *c;
	const char *got;

	if (clouds_parse(&c, yaml, strlen(yaml), &err) || clouds_get(c, cloud, &values, &err))
		fail_msg("%s: %s", yaml, err.text);
	got = value_of(&values, key);
	if (!got != !value || (got && strcmp(got, value)))
		fail_msg("%s: %s is '%s', not '%s'", yaml, key, got ? got : "(none)",
			 value ? value : "(none)");
	openstack_values_fini(&values);
	clouds_free(c);
}

static void keys_of_a_cloud_and_of_its_auth_are_found(void **state)
{
	static const char yaml[] = "clouds:\n"
				   "  a:\n"
				   "    region_name: R\n"
				   "    auth:\n"
				   "      username: 'u:1'\n"
				   "      password: 0123\n"
				   "      project-name: \"p \\u00e9\"\n"
				   "      project_id: null\n"
				   "      user_id: ~\n"
				   "      domain_id: 'null'\n"
				   "    verify: false\n"
				   "  b: {auth: {username: v}}\n";

	(void)state;
	says(yaml, "a", "region_name", "R");
	says(yaml, "a", "username", "u:1");
	says(yaml, "a", "password", "0123");
	says(yaml, "a", "project_name", "p \xc3\xa9");
	says(yaml, "a", "project_id", NULL);
	says(yaml, "a", "user_id", NULL);
	says(yaml, "a", "domain_id", "null");
	says(yaml, "a", "verify", "false");
	says(yaml, "b", "username", "v");
	says(yaml, "b", "region_name", NULL);
	says("{\"clouds\": {\"j\": {\"auth\": {\"username\": \"w\"}}}}", "j", "username", "w");
}

static void aliases_and_merged_keys_work(void **state)
{
	static const char yaml[] = "x: &base {region_name: R, interface: internal}\n"
				   "clouds:\n"
				   "  a: &a\n"
				   "    <<: *base\n"
				   "    interface: public\n"
				   "    auth: &auth {username: u, password: p}\n"
				   "  b:\n"
				   "    <<: [{region_name: first}, *a]\n"
				   "    auth: {<<: *auth, username: v}\n"
				   "  c: *a\n";

	(void)state;
	says(yaml, "a", "region_name", "R");
	says(yaml, "a", "interface", "public");
	says(yaml, "b", "region_name", "first");
	says(yaml, "b", "interface", "public");
	says(yaml, "b", "username", "v");
	says(yaml, "b", "password", "p");
	says(yaml, "c", "username", "u");
}

static void the_first_region_of_a_list_counts(void **state)
{
	(void)state;
	says("clouds: {a: {regions: [r1, r2]}}", "a", "region_name", "r1");
	says("clouds: {a: {regions: [{name: r1}]}}", "a", "region_name", "r1");
	says("clouds: {a: {regions: [], region_name: x}}", "a", "region_name", "x");
}

static void a_file_that_is_not_a_clouds_yaml_is_reported(void **state)
{
	static const struct {
		const char *yaml, *text;
	} all[] = {
		{ "clouds:\n  a: [", "line 3: " },
		{ "- a\n", "line 1: expected a mapping with the key 'clouds'" },
		{ "a: b\n\tc: d\n", "line 2: " },
		{ "clouds: *missing\n", "line 1: " },
		{ "just text", "line 1: expected a mapping" },
	};
	struct clouds *c;
	struct cdict_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_int_equal(clouds_parse(&c, all[i].yaml, strlen(all[i].yaml), &err),
				 CDICT_EFORMAT);
		if (strncmp(err.text, all[i].text, strlen(all[i].text)))
			fail_msg("%s: %s", all[i].yaml, err.text);
	}
}

static void files_without_clouds_have_none(void **state)
{
	static const char *const all[] = { "",
					   "# nothing\n",
					   "---\n",
					   "clouds:\n",
					   "clouds: 7\n",
					   "cloudz: {a: {}}\n",
					   "clouds: {b: 1}\n" };
	struct openstack_values v = { 0 };
	struct cdict_error err;
	struct clouds *c;

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		assert_int_equal(clouds_parse(&c, all[i], strlen(all[i]), &err), 0);
		assert_int_equal(clouds_get(c, "a", &v, &err), CDICT_ENOTFOUND);
		assert_string_equal(err.text, "has no cloud 'a'");
		clouds_free(c);
	}
}

/* Each << names the mapping before it twice: 2^n keys. */
static void aliases_that_multiply_come_to_an_end(void **state)
{
	char yaml[4096] = "x0: &x0 {a: b, c: d, e: f, g: h, i: j}\n";
	struct openstack_values v = { 0 };
	struct clouds *c;

	(void)state;
	for (int i = 1; i < 9; i++) {
		size_t n = strlen(yaml);

		snprintf(yaml + n, sizeof(yaml) - n,
			 "x%d: &x%d {<<: [*x%d,*x%d,*x%d,*x%d,*x%d,*x%d,*x%d,*x%d,*x%d,*x%d]}\n", i,
			 i, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1, i - 1);
	}
	strcat(yaml, "clouds: {a: *x8}\n");
	assert_int_equal(clouds_parse(&c, yaml, strlen(yaml), NULL), 0);
	clouds_get(c, "a", &v, NULL); /* the result does not matter, it must return */
	clouds_free(c);
	openstack_values_fini(&v);
}

static void endless_nesting_is_refused(void **state)
{
	static const char *const opening[] = { "[", "{a: ", "- ", "? " };
	static char yaml[1 << 20];
	struct cdict_error err;
	struct clouds *c;

	(void)state;
	for (size_t i = 0; i < sizeof(opening) / sizeof(opening[0]); i++) {
		size_t len = strlen(opening[i]), n = 0;

		while (n + len <= sizeof(yaml)) {
			memcpy(yaml + n, opening[i], len);
			n += len;
		}
		assert_int_equal(clouds_parse(&c, yaml, n, &err), CDICT_ELIMIT);
		assert_string_equal(err.text, "line 1: nested more than 64 levels deep");
	}
}

/* --- precedence of settings --- */

struct place {
	char dir[64], old[4096];
};

static void write_file(const char *name, const char *text)
{
	FILE *f = fopen(name, "we");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int enter(void **state)
{
	struct place *p = calloc(1, sizeof(*p));

	strcpy(p->dir, "/tmp/cdict-clouds-XXXXXX");
	if (!getcwd(p->old, sizeof(p->old)) || !mkdtemp(p->dir) || chdir(p->dir))
		return -1;
	mkdir("home", 0700);
	mkdir("home/.config", 0700);
	mkdir("home/.config/openstack", 0700);
	mkdir("xdg", 0700);
	mkdir("xdg/openstack", 0700);
	*state = p;
	return 0;
}

static int leave(void **state)
{
	struct place *p = *state;
	char command[128];

	if (chdir(p->old))
		return -1;
	snprintf(command, sizeof(command), "rm -rf %s", p->dir);
	return system(command) ? -1 : (free(p), 0);
}

static const char *const nothing[] = { "HOME=home", NULL };

static int load(struct openstack_settings *s, const char *openrc, const char *cloud,
		const char *const *environment, struct cdict_error *err)
{
	struct openstack_sources from = { openrc, cloud, (char *const *)environment, 0 };

	*err = (struct cdict_error){ 0 };
	return openstack_settings_load(s, &from, err);
}

static void user_is(const char *openrc, const char *cloud, const char *const *environment,
		    const char *user)
{
	struct openstack_settings s;
	struct cdict_error err;

	if (load(&s, openrc, cloud, environment, &err))
		fail_msg("%s", err.text);
	assert_string_equal(s.auth.username, user);
	openstack_settings_fini(&s);
}

static void fails_with(const char *openrc, const char *cloud, const char *const *environment,
		       const char *text)
{
	struct openstack_settings s;
	struct cdict_error err;

	assert_true(load(&s, openrc, cloud, environment, &err) < 0);
	if (!strstr(err.text, text))
		fail_msg("'%s' is not in '%s'", text, err.text);
}

#define CLOUD(name, user)                                                                          \
	"  " name ": {auth: {auth_url: 'http://h', username: " user ", password: p}}\n"
#define ENVIRONMENT                                                                                \
	"OS_AUTH_URL=http://env", "OS_USERNAME=of-env", "OS_PASSWORD=p", "HOME=home",              \
		"XDG_CONFIG_HOME=xdg"

static void the_first_file_found_counts(void **state)
{
	static const char *const named[] = { "HOME=home", "XDG_CONFIG_HOME=xdg",
					     "OS_CLIENT_CONFIG_FILE=named.yaml", NULL };
	static const char *const gone[] = { "HOME=home", "OS_CLIENT_CONFIG_FILE=gone.yaml", NULL };
	static const char *const xdg[] = { "HOME=home", "XDG_CONFIG_HOME=xdg", NULL };

	(void)state;
	write_file("home/.config/openstack/clouds.yml", "clouds:\n" CLOUD("a", "of-home"));
	user_is(NULL, NULL, nothing, "of-home");
	write_file("home/.config/openstack/clouds.yaml", "clouds:\n" CLOUD("a", "of-home-yaml"));
	user_is(NULL, NULL, nothing, "of-home-yaml");
	write_file("xdg/openstack/clouds.yaml", "clouds:\n" CLOUD("a", "of-xdg"));
	user_is(NULL, NULL, xdg, "of-xdg");
	write_file("clouds.yaml", "clouds:\n" CLOUD("a", "of-here"));
	user_is(NULL, NULL, xdg, "of-here");
	write_file("named.yaml", "clouds:\n" CLOUD("a", "of-named"));
	user_is(NULL, NULL, named, "of-named");
	user_is(NULL, NULL, gone, "of-here");
}

static void a_named_cloud_goes_before_the_environment(void **state)
{
	static const char *const environment[] = { ENVIRONMENT, NULL };
	static const char *const with_cloud[] = { ENVIRONMENT, "OS_CLOUD=b", NULL };
	static const char *const envvars[] = { ENVIRONMENT, "OS_CLOUD=envvars", NULL };
	static const char *const selectors[] = { "OS_REGION_NAME=R", "OS_CLOUD=b", "HOME=home",
						 NULL };

	(void)state;
	write_file("clouds.yaml", "clouds:\n" CLOUD("a", "of-a") CLOUD("b", "of-b"));
	user_is(NULL, NULL, environment, "of-env");
	user_is(NULL, NULL, with_cloud, "of-b");
	user_is(NULL, "a", with_cloud, "of-a");
	user_is(NULL, NULL, envvars, "of-env");
	user_is(NULL, NULL, selectors, "of-b");
	fails_with(NULL, NULL, nothing, "several clouds ('a', 'b', ...)");
	fails_with(NULL, "c", environment, "./clouds.yaml: has no cloud 'c'");
}

static void an_openrc_file_goes_before_everything(void **state)
{
	static const char *const with_cloud[] = { ENVIRONMENT, "OS_CLOUD=a", "OS_CACERT=/mine",
						  NULL };
	static const char *const without[] = { "HOME=home", "OS_PROJECT_ID=stale", NULL };
	struct openstack_settings s;
	struct cdict_error err;

	(void)state;
	write_file("clouds.yaml", "clouds:\n" CLOUD("a", "of-a"));
	write_file("rc", "OS_AUTH_URL=http://rc\nOS_USERNAME=of-rc\nOS_PASSWORD=\n");
	user_is("rc", NULL, with_cloud, "of-rc");
	assert_int_equal(load(&s, "rc", NULL, with_cloud, &err), 0);
	assert_string_equal(s.auth.auth_url, "http://rc");
	assert_string_equal(s.auth.password, "p");
	assert_string_equal(s.cacert, "/mine");
	openstack_settings_fini(&s);
	fails_with("rc", NULL, without, "rc: lacks password (OS_PASSWORD)");
	write_file("rc", "OS_AUTH_URL=http://rc\nOS_USERNAME=of-rc\nOS_PASSWORD=q\n");
	assert_int_equal(load(&s, "rc", NULL, with_cloud, &err), 0);
	assert_string_equal(s.auth.password, "q");
	openstack_settings_fini(&s);
	assert_int_equal(load(&s, "rc", NULL, without, &err), 0);
	assert_null(s.auth.project_id);
	openstack_settings_fini(&s);
	write_file("rc", "OS_CLOUD=a\n");
	user_is("rc", NULL, nothing, "of-a");
	fails_with("gone", NULL, nothing, "gone: No such file or directory");
	fails_with("home", NULL, nothing, "home: Is a directory");
	write_file("rc", "exit 3\n");
	fails_with("rc", NULL, nothing, "rc: exits the shell running it, with status 3");
}

static void secure_yaml_lies_over_clouds_yaml(void **state)
{
	struct openstack_settings s;
	struct cdict_error err;

	(void)state;
	write_file("clouds.yaml", "clouds:\n  a:\n    auth: {auth_url: 'http://h', username: u, "
				  "password: old}\n");
	write_file("home/.config/openstack/secure.yaml", "clouds: {a: {auth: {password: new}}}\n");
	assert_int_equal(load(&s, NULL, "a", nothing, &err), 0);
	assert_string_equal(s.auth.password, "new");
	assert_string_equal(s.auth.username, "u");
	openstack_settings_fini(&s);
	write_file("secure.yaml", "clouds:\n" CLOUD("only-there", "s"));
	user_is(NULL, "only-there", nothing, "s");
	fails_with(NULL, "nowhere", nothing, "has no cloud 'nowhere'");
}

static void missing_settings_are_named(void **state)
{
	static const struct {
		const char *rc, *text;
	} all[] = {
		{ "OS_USERNAME=u\nOS_PASSWORD=p", "lacks auth_url (OS_AUTH_URL)" },
		{ "OS_AUTH_URL=u\nOS_PASSWORD=p", "lacks username (OS_USERNAME)" },
		{ "OS_AUTH_URL=u\nOS_USERNAME=u", "lacks password (OS_PASSWORD)" },
		{ "OS_AUTH_URL=u\nOS_AUTH_TYPE=v3applicationcredential",
		  "lacks application_credential_secret" },
		{ "OS_AUTH_URL=u\nOS_APPLICATION_CREDENTIAL_SECRET=s",
		  "lacks application_credential_id" },
		{ "OS_AUTH_URL=u\nOS_APPLICATION_CREDENTIAL_SECRET=s\n"
		  "OS_APPLICATION_CREDENTIAL_NAME=n",
		  "lacks username" },
		{ "OS_AUTH_URL=u\nOS_AUTH_TYPE=v3oidcpassword\nOS_USERNAME=u\nOS_PASSWORD=p",
		  "authentication type 'v3oidcpassword' is not supported" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		write_file("rc", all[i].rc);
		fails_with("rc", NULL, nothing, all[i].text);
	}
	fails_with(NULL, NULL, nothing, "no OpenStack cloud selected");
	fails_with(NULL, "x", nothing, "no clouds.yaml with the cloud 'x'");
}

static void older_names_and_shared_domains_are_known(void **state)
{
	struct openstack_settings s;
	struct cdict_error err;

	(void)state;
	write_file(
		"clouds.yaml",
		"clouds:\n  a:\n    endpoint_type: internalURL\n    cacert: /ca\n    verify: no\n"
		"    auth: {auth_url: 'http://h', username: u, password: p, tenant_name: t, "
		"domain_name: D}\n");
	assert_int_equal(load(&s, NULL, NULL, nothing, &err), 0);
	assert_string_equal(s.auth.project_name, "t");
	assert_string_equal(s.auth.user_domain_name, "D");
	assert_string_equal(s.auth.project_domain_name, "D");
	assert_null(s.auth.domain_name);
	assert_string_equal(s.interface, "internalURL");
	assert_string_equal(s.cacert, "/ca");
	assert_true(s.unverified);
	assert_string_equal(s.from, "cloud 'a' of ./clouds.yaml");
	openstack_settings_fini(&s);
	write_file("clouds.yaml", "clouds:\n  a:\n    auth: {auth_url: 'http://h', username: u, "
				  "password: p, domain_id: d}\n");
	assert_int_equal(load(&s, NULL, NULL, nothing, &err), 0);
	assert_string_equal(s.auth.domain_id, "d");
	assert_string_equal(s.interface, "public");
	assert_false(s.unverified);
	openstack_settings_fini(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(keys_of_a_cloud_and_of_its_auth_are_found),
		cmocka_unit_test(aliases_and_merged_keys_work),
		cmocka_unit_test(the_first_region_of_a_list_counts),
		cmocka_unit_test(a_file_that_is_not_a_clouds_yaml_is_reported),
		cmocka_unit_test(files_without_clouds_have_none),
		cmocka_unit_test(aliases_that_multiply_come_to_an_end),
		cmocka_unit_test(endless_nesting_is_refused),
		cmocka_unit_test_setup_teardown(the_first_file_found_counts, enter, leave),
		cmocka_unit_test_setup_teardown(a_named_cloud_goes_before_the_environment, enter,
						leave),
		cmocka_unit_test_setup_teardown(an_openrc_file_goes_before_everything, enter,
						leave),
		cmocka_unit_test_setup_teardown(secure_yaml_lies_over_clouds_yaml, enter, leave),
		cmocka_unit_test_setup_teardown(missing_settings_are_named, enter, leave),
		cmocka_unit_test_setup_teardown(older_names_and_shared_domains_are_known, enter,
						leave),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
