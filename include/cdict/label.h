/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * label.h - the identity of a task: name, group and role given to a tid by a mapping
 * file, libvirt, OpenStack or /proc. Labels never replace the raw comm; both are shown.
 *
 * Display    <name>.<group as %02u>.<role>, "Firewall.05.vcpu0"; unknown parts are
 *            left out; a group that is not a number is kept as text
 * Origin     the source of the label. If a task has several labels, the greatest
 *            origin wins, field by field; among equals, the later one.
 * Text       untrusted: any bytes except NUL, may be invalid UTF-8; "" = unknown,
 *            readers never return NULL
 */
#ifndef CDICT_LABEL_H
#define CDICT_LABEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cdict_label_origin {
	CDICT_LABEL_PROC = 1,      /* the host's own /proc and cgroups */
	CDICT_LABEL_LIBVIRT = 2,   /* libvirt's API or state XML */
	CDICT_LABEL_OPENSTACK = 3, /* Nova */
	CDICT_LABEL_CSV = 4,       /* a mapping file, written by the user */
};

struct cdict_label {
	int32_t tid;       /* > 0 */
	int32_t pid;       /* the process, 0 = unknown */
	uint64_t start_ns; /* when the thread started, ns since boot (proc(5), starttime);
			    * 0 = unknown: the label then applies to every task with this tid */
	enum cdict_label_origin origin;
	const char *name;       /* "Firewall" */
	const char *group;      /* "5" */
	const char *group_type; /* "FULL" */
	const char *role;       /* "vcpu0" "emulator" "iothread1" "worker" "vhost" "kvm-pit" */
	const char *uuid;       /* of the VM */
	const char *instance;   /* libvirt's domain name, "instance-000019f4" */
	const char *project;    /* OpenStack's project */
	const char *host;
	/* Of a process or thread, not inherited by display names: */
	const char *unit;   /* what it belongs to: "nginx.service", "docker web", "pod shop/cart" */
	const char *cgroup; /* its control group's path */
};

#ifdef __cplusplus
}
#endif
#endif
