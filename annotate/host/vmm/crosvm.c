/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * crosvm, also as Android's virtmgr starts it. Each sandboxed device is a process of its own, a
 * fork.
 *
 * Threads  google/crosvm, src/crosvm/sys/linux/vcpu.rs ("crosvm_vcpu{}"), devices/src/virtio
 *          (WorkerThread::start("v_console")); a device's process is called by the device,
 *          devices/src/proxy.rs ("pcivirtio-net")
 * Names    crosvm run --name NAME, --socket PATH; Android, virtualizationmanager/src/crosvm.rs:
 *          "crosvm_NAME" as argv[0] and --name
 */
#include <stdio.h>
#include <string.h>

#include "annotate/host/vmm/vmm.h"

static const char *const programs[] = { "crosvm", NULL };

static const struct vmm_thread threads[] = {
	{ "crosvm_vcpu#", "vcpu#" },     { "v_*", "iothread-*" }, { "virtio_*", "iothread-*" },
	{ "pcivirtio-*", "iothread-*" }, { NULL, NULL },
};

static const char *const usual[] = { "crosvm", "control", "run", "tmp", "vm", "root", NULL };

/* crosvm also stops VMs, makes disks, and runs single devices. */
static bool runs(const struct vmm_process *p)
{
	return vmm_has(p, "run");
}

static void parse(struct vmm_args *out, const struct vmm_process *p)
{
	static const char android[] = "crosvm_";
	size_t n = sizeof(android) - 1;
	char path[VMM_NAME_MAX];

	if (vmm_option(p, "--name", out->instance)) {
		if (!strncmp(out->instance, android, n) && out->instance[n])
			memmove(out->instance, out->instance + n, strlen(out->instance + n) + 1);
	} else if (vmm_option(p, "--socket", path) || vmm_option(p, "-s", path)) {
		vmm_socket_name(out->instance, path, usual);
	}
}

const struct vmm vmm_crosvm = {
	.name = "crosvm",
	.programs = programs,
	.threads = threads,
	.runs = runs,
	.parse = parse,
	.nameless = "crosvm",
	.forks = true,
};
