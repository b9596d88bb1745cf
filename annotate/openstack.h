/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * openstack.h - the names that OpenStack has for the VMs of a mapping.
 *
 * For each label that knows its VM (by UUID, else by libvirt's domain name) there is one more,
 * of origin OPENSTACK: name, group, project, UUID, domain name.
 *
 * All servers of the host are asked for (all_tenants, host); where that is forbidden, those
 * of the project; where Nova knows the host by no name that we know, all servers.
 *
 * Threads    one at a time
 * Failure    0 or a negative code with *err filled; the mapping keeps what it had
 */
#ifndef ANNOTATE_OPENSTACK_H
#define ANNOTATE_OPENSTACK_H

#include "format/mapping.h"
#include "annotate/openstack_settings.h"

struct namepattern;

struct openstack_options {
	const struct openstack_settings *settings;
	const char *const *hosts; /* what the host may be called in Nova, best first;
				   * NULL-terminated; may be empty */
	const struct namepattern *pattern;
	const char *name_key, *group_key; /* metadata keys; NULL: none */
	bool insecure;
	uint32_t timeout_ms; /* for everything; 0: 30 s */
	/* Told of each exchange with the services, and of what the user should know (one line
	 * each, without a full stop); may be NULL. */
	void (*trace)(void *ctx, const char *line);
	void (*note)(void *ctx, const char *line);
	void *ctx;
};

struct openstack_result {
	size_t servers;    /* that OpenStack told of */
	size_t vms, named; /* of the mapping; how many of them were found */
	size_t tasks;      /* labels added or replaced */
};

/* openstack_label - asks, and adds to @into, which may be @known itself. */
int openstack_label(const struct mapping *known, struct mapping *into,
		    const struct openstack_options *opts, struct openstack_result *result,
		    struct cdict_error *err);

#endif
