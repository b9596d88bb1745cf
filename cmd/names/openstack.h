/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * openstack.h - --openstack and its options, for identify, annotate and record.
 *
 *	struct look_opts {
 *		struct options_shared shared;
 *		struct openstack_opts openstack;
 *	};
 *	... OPENSTACK_OPTIONS(struct look_opts, openstack), ...
 *
 *	status = openstack_prepare(call, &o->openstack, &os);	// before the work begins
 *	if (status != CMD_DONE)
 *		return status;
 *	...
 *	openstack_add(call, os, NULL, &m, &m);	// os may be NULL: not asked for
 *	openstack_free(os);
 */
#ifndef CMD_NAMES_OPENSTACK_H
#define CMD_NAMES_OPENSTACK_H

#include "format/labels/mapping.h"
#include "cmd/core/cmd.h"

struct openstack_opts {
	bool on, insecure;
	const char *openrc, *cloud, *host;
	const char *pattern, *name_key, *group_key;
	uint64_t timeout_ms;
};

#define OPENSTACK_OPTIONS(type, member)                                                            \
	CMD_FLAG(0, "openstack", type, member.on, "get the names of the VMs from OpenStack"),      \
		CMD_STRING(0, "openrc", type, member.openrc, "FILE",                               \
			   "credentials: the OS_* variables of FILE, which a shell runs"),         \
		CMD_STRING(0, "os-cloud", type, member.cloud, "NAME",                              \
			   "credentials: the cloud NAME of clouds.yaml"),                          \
		CMD_STRING(0, "os-host", type, member.host, "NAME",                                \
			   "the host's name in Nova (default: the host's own name)"),              \
		CMD_STRING(0, "name-pattern", type, member.pattern, "REGEX",                       \
			   "name and group from a server's name: (?<name>...), (?<group>...)"),    \
		CMD_STRING(0, "name-key", type, member.name_key, "KEY",                            \
			   "take the name from this metadata key of the server"),                  \
		CMD_STRING(0, "group-key", type, member.group_key, "KEY",                          \
			   "take the group from this metadata key of the server"),                 \
		CMD_FLAG(0, "insecure", type, member.insecure,                                     \
			 "do not verify the OpenStack services' certificates"),                    \
		CMD_UINT(0, "os-timeout", type, member.timeout_ms, "MS", "30000",                  \
			 "give up on OpenStack after MS milliseconds")

struct openstack_ask;

/* openstack_prepare - reads pattern and settings; sends no requests yet. *@out is NULL when
 * --openstack was not given. Returns an enum cmd_status; if it is not CMD_DONE, the reason was
 * reported. */
int openstack_prepare(const struct cmd_call *call, const struct openstack_opts *opts,
		      struct openstack_ask **out);
void openstack_free(struct openstack_ask *ask);

/* openstack_add - queries OpenStack for the VMs of @known, and adds the names to @into (may be
 * @known). @host: the name of the host; NULL: from the labels, else this machine's name. Returns a
 * negative code when OpenStack could not be queried: one line on stderr says why, and @into is
 * unchanged or has partial results. */
int openstack_add(const struct cmd_call *call, const struct openstack_ask *ask, const char *host,
		  const struct mapping *known, struct mapping *into);

#endif
