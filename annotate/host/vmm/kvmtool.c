/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kvmtool: lkvm.
 *
 * Threads  kvmtool/kvmtool, builtin-run.c ("kvm-vcpu-%lu"), virtio/net.c ("virtio-net-rx"),
 *          virtio/blk.c, util/threadpool.c ("threadpool-worker", cut to 15 bytes)
 * Names    builtin-run.c: --name, else guest-PID
 */
#include <stdio.h>
#include <string.h>

#include "annotate/host/vmm/vmm.h"

static const char *const programs[] = { "lkvm", "lkvm-static", NULL };

static const struct vmm_thread threads[] = {
	{ "kvm-vcpu-#", "vcpu#" },
	{ "virtio-*", "iothread-*" },
	{ "threadpool-work*", "worker" },
	{ "threadpool-work", "worker" },
	{ NULL, NULL },
};

/* lkvm list, lkvm stop, lkvm debug, ... ask a running one. */
static bool runs(const struct vmm_process *p)
{
	struct vmm_walk w = vmm_walk(p);
	const char *arg;
	size_t n;

	return vmm_next(&w, &arg, &n) &&
	       ((n == 3 && !memcmp(arg, "run", n)) || (n == 7 && !memcmp(arg, "sandbox", n)));
}

static void parse(struct vmm_args *out, const struct vmm_process *p)
{
	vmm_option(p, "--name", out->instance);
}

const struct vmm vmm_kvmtool = {
	.name = "kvmtool",
	.programs = programs,
	.threads = threads,
	.runs = runs,
	.parse = parse,
	.nameless = "guest",
};
