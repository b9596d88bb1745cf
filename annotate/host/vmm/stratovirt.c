/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * StratoVirt.
 *
 * Threads  openeuler-mirror/stratovirt, cpu/src/lib.rs ("CPU {}/KVM"),
 *          machine_manager/src/event_loop.rs (I/O threads are called by their id)
 * Names    machine_manager/src/cmdline.rs: -name, -uuid, as QEMU's; --name and --api-channel
 *          unix:PATH before 2.0
 */
#include <stdio.h>
#include <string.h>

#include "annotate/host/vmm/vmm.h"

static const char *const programs[] = { "stratovirt", NULL };

static const struct vmm_thread threads[] = {
	{ "CPU #/*", "vcpu#" },
	{ "iothread#", "iothread#" },
	{ "iothread*", "iothread-*" },
	{ NULL, NULL },
};

static const char *const usual[] = { "stratovirt", "api", "qmp", "run", "tmp", "root", NULL };

static void parse(struct vmm_args *out, const struct vmm_process *p)
{
	static const char *const sockets[] = { "-qmp", "--api-channel" };
	char text[VMM_NAME_MAX];

	if (vmm_option(p, "-uuid", text))
		vmm_uuid(out->uuid, text, strlen(text));
	if (vmm_option(p, "-name", out->instance) || vmm_option(p, "--name", out->instance))
		return;
	for (size_t i = 0; i < 2 && !out->instance[0]; i++) {
		if (!vmm_option(p, sockets[i], text) || strncmp(text, "unix:", 5))
			continue;
		text[strcspn(text, ",")] = 0; /* unix:PATH,server,nowait */
		vmm_socket_name(out->instance, text + 5, usual);
	}
}

const struct vmm vmm_stratovirt = {
	.name = "stratovirt",
	.programs = programs,
	.threads = threads,
	.parse = parse,
	.nameless = "stratovirt",
};
