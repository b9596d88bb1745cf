/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Cloud Hypervisor, also as libvirt's ch driver and Kata Containers start it.
 *
 * Threads  cloud-hypervisor/cloud-hypervisor, vmm/src/cpu.rs ("vcpu{}"), vmm/src/api/http/mod.rs
 *          ("http-server"), vmm/src/device_manager.rs (devices "_disk0", "__console"; the user may
 *          choose others), virtio-devices ("{id}_q{}", "{id}_qp{}", "{id}_ctrl")
 * Names    cloud-hypervisor/src/main.rs: --api-socket PATH or path=PATH, --platform uuid=UUID;
 *          kata-containers, virtcontainers/clh.go: /run/vc/vm/ID/clh-api.sock
 */
#include <stdio.h>
#include <string.h>

#include "annotate/host/vmm/vmm.h"

static const char *const programs[] = { "cloud-hypervisor", "cloud-hypervisor-static",
					"cloud-hypervisor-static-*", "cloud-hypervisor-v*", NULL };

static const struct vmm_thread threads[] = {
	{ "vcpu#", "vcpu#" },   { "http-server", "api" }, { "__*", "iothread-*" },
	{ "_*", "iothread-*" }, { NULL, NULL },
};

static const char *const usual[] = {
	"cloud-hypervisor", "ch",   "clh", "clh-api", "ch-api", "api", "run", "tmp", "vmm", "root",
	"socket",           "sock", NULL
};

static bool runs(const struct vmm_process *p)
{
	return !vmm_has(p, "--version") && !vmm_has(p, "-V") && !vmm_has(p, "--help");
}

/* The value of @key in "key=value,key=value". */
static const char *field(char *text, const char *key)
{
	size_t n = strlen(key);
	char *save = NULL;

	for (char *at = strtok_r(text, ",", &save); at; at = strtok_r(NULL, ",", &save)) {
		if (!strncmp(at, key, n) && at[n] == '=')
			return at + n + 1;
	}
	return NULL;
}

static void parse(struct vmm_args *out, const struct vmm_process *p)
{
	char text[VMM_NAME_MAX];
	const char *value;

	if (vmm_option(p, "--platform", text) && (value = field(text, "uuid")))
		vmm_uuid(out->uuid, value, strlen(value));
	if (!vmm_option(p, "--api-socket", text) || !strncmp(text, "fd=", 3))
		return;
	vmm_socket_name(out->instance, !strncmp(text, "path=", 5) ? text + 5 : text, usual);
}

const struct vmm vmm_cloud_hypervisor = {
	.name = "cloud-hypervisor",
	.programs = programs,
	.threads = threads,
	.runs = runs,
	.parse = parse,
	.nameless = "cloud-hypervisor",
};
