/* SPDX-License-Identifier: GPL-2.0-only */
/* identify.h - the parts of `cdict identify`. */
#ifndef CMD_IDENTIFY_H
#define CMD_IDENTIFY_H

#include "annotate/host.h"
#include "cmd/openstack.h"
#include "cmd/options.h"

enum { IDENTIFY_CSV, IDENTIFY_JSON };

struct identify_opts {
	struct options_shared shared;
	const char *proc_root, *libvirt, *libvirt_state;
	uint64_t timeout_ms;
	int format;
	struct openstack_opts openstack;
};

/* identify_json - the VMs and their threads as one JSON document. */
int identify_json(struct sink *s, const struct mapping *m, const struct host_report *report,
		  struct cdict_error *err);

#endif
