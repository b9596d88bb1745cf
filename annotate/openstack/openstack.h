/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * openstack.h - labels the VMs of a mapping with their OpenStack names.
 *
 * For each label with a VM (by UUID, else by libvirt's domain name) adds one
 * of origin OPENSTACK: name, group, project, UUID, domain name.
 *
 * Requests all servers of the host (all_tenants, host); if that is forbidden, those
 * of the project; if Nova knows the host by none of the given names, all servers.
 *
 * Threads    one at a time
 * Failure    0 or a negative code with *err filled; the mapping is unchanged
 */
#ifndef ANNOTATE_OPENSTACK_OPENSTACK_H
#define ANNOTATE_OPENSTACK_OPENSTACK_H

#include "format/labels/mapping.h"
#include "annotate/openstack/settings.h"

struct namepattern;

struct openstack_options {
	const struct openstack_settings *settings;
	const char *const *hosts; /* possible names of the host in Nova, best first;
				   * NULL-terminated; may be empty */
	const struct namepattern *pattern;
	const char *name_key, *group_key; /* metadata keys; NULL: none */
	bool insecure;
	uint32_t timeout_ms; /* for all requests; 0: 30 s */
	/* Called for each exchange with the services, and for notes to the user (one line
	 * each, without a full stop); may be NULL. */
	void (*trace)(void *ctx, const char *line);
	void (*note)(void *ctx, const char *line);
	void *ctx;
};

struct openstack_result {
	size_t servers;    /* listed by OpenStack */
	size_t vms, named; /* in the mapping; found in OpenStack */
	size_t tasks;      /* labels added or replaced */
};

/* openstack_label - queries OpenStack, and adds labels to @into, which may be @known itself. */
int openstack_label(const struct mapping *known, struct mapping *into,
		    const struct openstack_options *opts, struct openstack_result *result,
		    struct cdict_error *err);

#endif
