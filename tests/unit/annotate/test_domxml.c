/* SPDX-License-Identifier: GPL-2.0-only */
/* libvirt's XML: the values taken from it, and input that is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/host/libvirt.h"

#define NOVA "http://openstack.org/xmlns/libvirt/nova/1.1"

static int parse(struct libvirt_domain *d, const char *xml, struct cdict_error *err)
{
	return libvirt_xml_parse(d, xml, strlen(xml), err);
}

/* Returns one of the state files that libvirt 9.0 wrote. */
static char *state_file(const char *name, size_t *len)
{
	const char *data = getenv("DATA");
	char path[4096], *text;
	FILE *f;

	snprintf(path, sizeof(path), "%s/identity/libvirt/%s", data ? data : "tests/data", name);
	f = fopen(path, "r");
	if (!f)
		fail_msg("%s cannot be read", path);
	text = malloc(65536);
	*len = fread(text, 1, 65535, f);
	text[*len] = 0;
	fclose(f);
	return text;
}

static void the_state_of_a_running_domain_has_its_vcpus(void **state)
{
	struct cdict_error err = { 0 };
	struct libvirt_domain d;
	size_t len;
	char *text = state_file("instance-0000001b.xml", &len);

	(void)state;
	assert_int_equal(libvirt_xml_parse(&d, text, len, &err), 0);
	assert_string_equal(d.name, "instance-0000001b");
	assert_string_equal(d.uuid, "6f1c2b9e-3d47-4b0a-9c55-0a4f1e7d2c01");
	assert_string_equal(d.title, "");
	assert_string_equal(d.nova_name, "db-primary-0");
	assert_string_equal(d.nova_project, "demo");
	assert_string_equal(d.nova_flavor, "m1.tiny");
	assert_int_equal(d.pid, 1775);
	assert_int_equal(d.iothreads, 0);
	assert_int_equal(d.vcpus.n, 2);
	assert_int_equal(d.vcpus.at[0].id, 0);
	assert_int_equal(d.vcpus.at[0].tid, 1783);
	assert_int_equal(d.vcpus.at[1].id, 1);
	assert_int_equal(d.vcpus.at[1].tid, 1784);
	libvirt_domain_fini(&d);
	free(text);
}

static void a_domain_by_itself_has_names_only(void **state)
{
	struct cdict_error err = { 0 };
	struct libvirt_domain d;

	(void)state;
	assert_int_equal(
		parse(&d,
		      "<?xml version='1.0' encoding='UTF-8'?>\n<!-- a -->\n"
		      "<domain type='kvm' id='1'><name>a&amp;b&lt;c&#x41;</name>"
		      "<uuid>6F1C2B9E-3D47-4B0A-9C55-0A4F1E7D2C01</uuid>"
		      "<title>The <![CDATA[<first>]]> one</title><iothreads>2</iothreads>"
		      "<devices><name>not this</name><interface><title>nor this</title></interface>"
		      "</devices><name>nor a second</name></domain>",
		      &err),
		0);
	assert_string_equal(d.name, "a&b<cA");
	assert_string_equal(d.title, "The <first> one");
	assert_string_equal(d.uuid, "6f1c2b9e-3d47-4b0a-9c55-0a4f1e7d2c01");
	assert_int_equal(d.iothreads, 2);
	assert_int_equal(d.pid, 0);
	assert_int_equal(d.vcpus.n, 0);
	libvirt_domain_fini(&d);
}

static void metadata_is_novas_by_its_namespace_not_its_prefix(void **state)
{
	static const struct {
		const char *xml, *name, *project, *flavor;
	} cases[] = {
		{ "<i:instance xmlns:i='" NOVA "'><i:name>N</i:name><i:flavor name='F'/><i:owner>"
		  "<i:project uuid='1'>P</i:project></i:owner></i:instance>",
		  "N", "P", "F" },
		{ "<instance xmlns='http://openstack.org/xmlns/libvirt/nova/1.0'><name>N</name>"
		  "</instance>",
		  "N", "", "" },
		{ "<nova:instance xmlns:nova='http://example.org/'><nova:name>N</nova:name>"
		  "</nova:instance>",
		  "", "", "" },
		{ "<instance><name>N</name></instance>", "", "", "" },
		{ "<x><nova:instance xmlns:nova='" NOVA "'><nova:name>N</nova:name>"
		  "</nova:instance></x>",
		  "", "", "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cdict_error err = { 0 };
		struct libvirt_domain d;
		char xml[1024];

		snprintf(xml, sizeof(xml), "<domain><name>d</name><metadata>%s</metadata></domain>",
			 cases[i].xml);
		if (parse(&d, xml, &err))
			fail_msg("%s: %s", xml, err.text);
		assert_string_equal(d.name, "d");
		assert_string_equal(d.nova_name, cases[i].name);
		assert_string_equal(d.nova_project, cases[i].project);
		assert_string_equal(d.nova_flavor, cases[i].flavor);
		libvirt_domain_fini(&d);
	}
}

static void odd_vcpus_are_left_out(void **state)
{
	struct cdict_error err = { 0 };
	struct libvirt_domain d;

	(void)state;
	assert_int_equal(
		parse(&d,
		      "<domstatus pid='9'><vcpus><vcpu id='0' pid='0'/><vcpu id='x' pid='5'/>"
		      "<vcpu pid='6'/><vcpu id='1'/><vcpu id='2' pid='-7'/>"
		      "<vcpu id='3' pid='99999999999'/><vcpu id='4' pid='8'/></vcpus>"
		      "<domain><name>d</name><vcpus><vcpu id='5' pid='9'/></vcpus></domain>"
		      "</domstatus>",
		      &err),
		0);
	assert_int_equal(d.pid, 9);
	assert_int_equal(d.vcpus.n, 1);
	assert_int_equal(d.vcpus.at[0].id, 4);
	assert_int_equal(d.vcpus.at[0].tid, 8);
	libvirt_domain_fini(&d);
}

static void xml_that_is_not_a_domain_is_refused(void **state)
{
	static const struct {
		const char *xml;
		int code;
		const char *says;
	} cases[] = {
		{ "", CDICT_EFORMAT, "is not XML" },
		{ "text", CDICT_EFORMAT, "is not XML" },
		{ "<domain><name>d</name>", CDICT_EFORMAT, "is not XML" },
		{ "<domain><name>d</title></domain>", CDICT_EFORMAT, "is not XML" },
		{ "<domain><name>\xff</name></domain>", CDICT_EFORMAT, "is not XML" },
		{ "<network><name>d</name></network>", CDICT_EFORMAT, "neither a domain" },
		{ "<domain/>", CDICT_EFORMAT, "neither a domain's name" },
		{ "<domstatus pid='5'/>", CDICT_EFORMAT, "neither a domain's name" },
		{ "<!DOCTYPE domain SYSTEM 'file:///etc/passwd'><domain><name>d</name></domain>",
		  CDICT_EFORMAT, "DOCTYPE" },
		{ "<!DOCTYPE domain [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;'>"
		  "<!ENTITY c SYSTEM 'file:///etc/passwd'>]><domain><name>&b;&c;</name></domain>",
		  CDICT_EFORMAT, "DOCTYPE" },
		{ "<domain><name>&undefined;</name></domain>", CDICT_EFORMAT, "is not XML" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct cdict_error err = { 0 };
		struct libvirt_domain d;
		int rc = parse(&d, cases[i].xml, &err);

		if (rc != cases[i].code || !strstr(err.text, cases[i].says))
			fail_msg("%s: %d %s", cases[i].xml, rc, err.text);
		assert_null(d.name);
	}
}

static void nesting_length_and_number_are_bounded(void **state)
{
	struct cdict_error err = { 0 };
	struct libvirt_domain d;
	char *xml = malloc(8 << 20), *p;

	(void)state;
	p = stpcpy(xml, "<domain><name>d</name>");
	for (int i = 0; i < 150; i++)
		p = stpcpy(p, "<a>");
	for (int i = 0; i < 150; i++)
		p = stpcpy(p, "</a>");
	strcpy(p, "<title>t</title></domain>");
	assert_int_equal(parse(&d, xml, &err), 0);
	assert_string_equal(d.title, "t"); /* the way back up is found */
	libvirt_domain_fini(&d);

	p = stpcpy(xml, "<domain>");
	for (int i = 0; i < 300; i++)
		p = stpcpy(p, "<a>");
	assert_int_equal(parse(&d, xml, &err), CDICT_ELIMIT);

	p = stpcpy(xml, "<domain><name>");
	memset(p, 'x', 1 << 20);
	strcpy(p + (1 << 20), "</name></domain>");
	assert_int_equal(parse(&d, xml, &err), 0);
	assert_int_equal(strlen(d.name), 1024);
	libvirt_domain_fini(&d);

	/* an element's name longer than the path that is kept */
	p = stpcpy(xml, "<domain><name>d</name><");
	memset(p, 'x', 1 << 16);
	strcpy(p + (1 << 16), "><name>e</name></");
	p += strlen(p);
	memset(p, 'x', 1 << 16);
	strcpy(p + (1 << 16), "><title>t</title></domain>");
	assert_int_equal(parse(&d, xml, &err), 0);
	assert_string_equal(d.name, "d");
	assert_string_equal(d.title, "t");
	libvirt_domain_fini(&d);

	p = stpcpy(xml, "<domstatus pid='1'><vcpus>");
	for (int i = 0; i < 70000; i++)
		p += sprintf(p, "<vcpu id='%d' pid='%d'/>", i, i + 1);
	strcpy(p, "</vcpus><domain><name>d</name></domain></domstatus>");
	assert_int_equal(parse(&d, xml, &err), CDICT_ELIMIT);
	assert_null(d.vcpus.at);
	free(xml);

	assert_int_equal(libvirt_xml_parse(&d, "", LIBVIRT_XML_MAX + 1, &err), CDICT_ELIMIT);
}

static void a_cut_state_file_is_refused_at_every_byte(void **state)
{
	size_t len, end;
	char *text = state_file("instance-0000001d.xml", &len);

	(void)state;
	end = (size_t)(strstr(text, "</domstatus>") - text) + strlen("</domstatus>");
	for (size_t n = 0; n < end; n++) {
		struct cdict_error err = { 0 };
		struct libvirt_domain d;
		char *exact = malloc(n ? n : 1); /* so that a read past the end is noticed */

		memcpy(exact, text, n);
		if (libvirt_xml_parse(&d, exact, n, &err) != CDICT_EFORMAT)
			fail_msg("accepted with %zu of %zu bytes", n, len);
		free(exact);
	}
	free(text);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_state_of_a_running_domain_has_its_vcpus),
		cmocka_unit_test(a_domain_by_itself_has_names_only),
		cmocka_unit_test(metadata_is_novas_by_its_namespace_not_its_prefix),
		cmocka_unit_test(odd_vcpus_are_left_out),
		cmocka_unit_test(xml_that_is_not_a_domain_is_refused),
		cmocka_unit_test(nesting_length_and_number_are_bounded),
		cmocka_unit_test(a_cut_state_file_is_refused_at_every_byte),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
