/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Firecracker, started by its jailer or directly.
 *
 * Threads  firecracker-microvm/firecracker, src/vmm/src/vstate/vcpu.rs ("fc_vcpu {}", without the
 *          blank before 0.20), src/firecracker/src/api_server_adapter.rs ("fc_api"); the main
 *          thread emulates the devices
 * Names    src/firecracker/src/main.rs: --id, --api-sock; src/jailer/src/env.rs: the jailer passes
 *          --id, and its control group is FILE/ID
 */
#include <stdio.h>
#include <string.h>

#include "annotate/host/vmm/vmm.h"

/* Releases are called firecracker-v1.7.0-x86_64. */
static const char *const programs[] = { "firecracker", "firecracker-v*", NULL };

static const struct vmm_thread threads[] = {
	{ "fc_vcpu #", "vcpu#" },
	{ "fc_vcpu#", "vcpu#" },
	{ "fc_api", "api" },
	{ NULL, NULL },
};

/* Names of the socket and its folder that name no VM. */
static const char *const usual[] = { "firecracker", "api", "fc", "run", "tmp", "root", NULL };

/* Questions about the program and its snapshots end without a VM. */
static bool runs(const struct vmm_process *p)
{
	return !vmm_has(p, "--version") && !vmm_has(p, "--help") &&
	       !vmm_has(p, "--snapshot-version") && !vmm_has(p, "--describe-snapshot");
}

static void parse(struct vmm_args *out, const struct vmm_process *p)
{
	char path[VMM_NAME_MAX];

	/* anonymous-instance is the default. */
	if (vmm_option(p, "--id", out->instance) && strcmp(out->instance, "anonymous-instance"))
		return;
	out->instance[0] = 0;
	if (vmm_option(p, "--api-sock", path))
		vmm_socket_name(out->instance, path, usual);
}

const struct vmm vmm_firecracker = {
	.name = "firecracker",
	.programs = programs,
	.threads = threads,
	.runs = runs,
	.parse = parse,
	.nameless = "firecracker",
};
