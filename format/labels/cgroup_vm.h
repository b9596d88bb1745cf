/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * cgroup_vm.h - role and VM of a thread from its control group. libvirt puts every thread of a
 * domain into a group of its own:
 *
 *	v2	/machine.slice/machine-qemu\x2d1\x2dNAME.scope/libvirt/vcpu0
 *	v1	/machine.slice/machine-qemu\x2d1\x2dNAME.scope/vcpu0
 *	v1	/machine/NAME.libvirt-qemu/vcpu0	(without systemd)
 *
 * Text       untrusted: any bytes
 */
#ifndef FORMAT_LABELS_CGROUP_VM_H
#define FORMAT_LABELS_CGROUP_VM_H

#include <stdbool.h>
#include <stddef.h>

#include "cdict/label.h"

#define CGROUP_PATH_MAX 512

struct cgroup_place {
	char role[24];              /* "vcpu0" "iothread1" "emulator", or "" */
	char base[CGROUP_PATH_MAX]; /* the group of the whole VM, or ""; only for comparing */
	char instance[256];         /* domain name from the group's name, or "" */
};

/* cgroup_vm - adds what the @len bytes of @path say to @out, which is zero at first; @unified: of
 * cgroup v2, where a group that is no domain is a base, too. */
void cgroup_vm(struct cgroup_place *out, const char *path, size_t len, bool unified);

/* cgroup_vm_label - gives @label the instance and the role that its group @path, of cgroup v2, says,
 * if it is a domain's; both borrowed from @place, zero at first. The group for all other threads,
 * "emulator", is no role: it also has QEMU's workers and vhost. */
void cgroup_vm_label(struct cdict_label *label, struct cgroup_place *place, const char *path);

#endif
