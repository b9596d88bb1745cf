/* SPDX-License-Identifier: GPL-2.0-only */
/* libvirt's XML: refused with a reason, or a domain whose parts are within their bounds. */
#include <stdlib.h>
#include <string.h>

#include "annotate/host/libvirt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int so)
{
	if (!so)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *texts[5];
	struct cdict_error err = { 0 };
	struct libvirt_domain d;

	if (libvirt_xml_parse(&d, data, size, &err)) {
		must(err.code && err.text[0] && !strchr(err.text, '\n'));
		must(!d.name && !d.vcpus.at);
		return 0;
	}
	texts[0] = d.name;
	texts[1] = d.title;
	texts[2] = d.nova_name;
	texts[3] = d.nova_project;
	texts[4] = d.nova_flavor;
	for (size_t i = 0; i < 5; i++)
		must(texts[i] && strlen(texts[i]) <= 1024);
	must(!d.uuid[0] || strlen(d.uuid) == 36);
	must(d.pid >= 0 && (d.name[0] || d.uuid[0]));
	for (size_t i = 0; i < d.vcpus.n; i++)
		must(d.vcpus.at[i].tid > 0 && d.vcpus.at[i].id <= 999999);
	libvirt_domain_fini(&d);
	return 0;
}
