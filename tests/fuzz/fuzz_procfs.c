/* SPDX-License-Identifier: GPL-2.0-only */
/* The files of a saved /proc; the first byte chooses which one this is. */
#include <stdlib.h>
#include <string.h>

#include "annotate/host/cgroup.h"
#include "annotate/host/proc_role.h"
#include "annotate/host/vmm/vmm.h"
#include "base/system/procfs.h"
#include "format/labels/cgroup_unit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(int so)
{
	if (!so)
		abort();
}

static void cmdline(const char *text, size_t size)
{
	struct vmm_process p = { "", "qemu-kvm", text, size };

	vmm_of(&p);
	for (const struct vmm *const *vmm = vmm_all; *vmm; vmm++) {
		struct vmm_args args = { 0 };

		vmm_is(*vmm, &p);
		(*vmm)->parse(&args, &p);
		must(strlen(args.instance) < VMM_NAME_MAX);
		must(!args.uuid[0] || strlen(args.uuid) == 36);
	}
}

static void cgroup(const char *text, size_t size)
{
	char path[CGROUP_PATH_MAX];
	struct cgroup_place place;
	struct cgroup_unit unit;

	cgroup_path(path, text, size);
	must(strlen(path) < sizeof(path));
	cgroup_unit(&unit, text, size);
	must(strlen(unit.text) < sizeof(unit.text) && (unit.kind == CGROUP_NONE) == !unit.text[0]);
	cgroup_parse(&place, text, size);
	must(strlen(place.base) < sizeof(place.base));
	must(strlen(place.instance) < sizeof(place.instance));
	must(!place.role[0] || !strcmp(place.role, "emulator") || proc_role_is_single(place.role));
}

static void stat(const char *text, size_t size)
{
	char role[PROC_ROLE_MAX];
	struct procfs_stat st;
	int32_t owner = 0;
	bool named = false;

	if (!procfs_parse_stat(&st, text, size))
		return;
	must(strlen(st.comm) < sizeof(st.comm) && st.ppid >= 0);
	for (const struct vmm *const *vmm = vmm_all; *vmm; vmm++, named = false) {
		proc_role_of_comm(*vmm, role, st.comm, &named);
		must(strlen(role) < sizeof(role) && (role[0] || !named));
	}
	must(proc_kernel_thread(st.comm, &owner) == PROC_KERNEL_NONE || owner >= 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *exact;

	if (!size)
		return 0;
	exact = malloc(size > 1 ? size - 1 : 1); /* so that a read past the end is noticed */
	memcpy(exact, data + 1, size - 1);
	switch (data[0] % 4) {
	case 0:
		cmdline(exact, size - 1);
		break;
	case 1:
		cgroup(exact, size - 1);
		break;
	case 2:
		stat(exact, size - 1);
		break;
	default:
		must(procfs_inner_pid(exact, size - 1) >= 0);
	}
	free(exact);
	return 0;
}
