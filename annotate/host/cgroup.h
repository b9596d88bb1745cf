/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cgroup.h - role and VM of a thread from its control groups. libvirt puts every thread of a
 * domain into a group of its own:
 *
 *	v2	0::/machine.slice/machine-qemu\x2d1\x2dNAME.scope/libvirt/vcpu0
 *	v1	5:cpuset:/machine.slice/machine-qemu\x2d1\x2dNAME.scope/vcpu0
 *	v1	5:cpuset:/machine/NAME.libvirt-qemu/vcpu0	(without systemd)
 */
#ifndef ANNOTATE_HOST_CGROUP_H
#define ANNOTATE_HOST_CGROUP_H

#include <stddef.h>

#include "format/labels/cgroup_vm.h"

/* cgroup_path - the group that tells most about the process, from /proc/PID/cgroup: of v1's
 * controllers that of a container or pod, else systemd's; with v2 alone, its only one. "" unknown. */
void cgroup_path(char out[CGROUP_PATH_MAX], const char *text, size_t len);

/* cgroup_parse - @text is /proc/PID/task/TID/cgroup. */
void cgroup_parse(struct cgroup_place *out, const char *text, size_t len);

#endif
