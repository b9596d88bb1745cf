/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * label.h - who a task is: the name, group and role that somebody who knew the
 * host gave to a tid. The raw comm is never replaced, only shown beside it.
 *
 * Display    <name>.<group as %02u>.<role>, "Firewall.05.vcpu0"; parts that are
 *            not known are left out; a group that is no number is kept as text
 * Origin     where the label came from. Of several labels for one task the
 *            greatest origin wins, field by field; among equals the later.
 * Text       untrusted: any bytes except NUL, may be invalid UTF-8; "" = unknown,
 *            never NULL in what a reader gives
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
	CDICT_LABEL_CSV = 4,       /* a mapping file: the user's own word */
};

struct cdict_label {
	int32_t tid;       /* > 0 */
	int32_t pid;       /* the process, 0 = unknown */
	uint64_t start_ns; /* when the thread started, ns since boot (proc(5), starttime);
			    * 0 = unknown: the label then means every task with this tid */
	enum cdict_label_origin origin;
	const char *name;       /* "Firewall" */
	const char *group;      /* "5" */
	const char *group_type; /* "FULL" */
	const char *role;       /* "vcpu0" "emulator" "iothread1" "worker" "vhost" "kvm-pit" */
	const char *uuid;       /* of the VM */
	const char *instance;   /* libvirt's domain name, "instance-000019f4" */
	const char *project;    /* OpenStack's project */
	const char *host;
};

#ifdef __cplusplus
}
#endif
#endif
