/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * settings.h - finds the cloud and the credentials where the OpenStack clients look, in
 * the order of openstacksdk:
 *
 * 1. an openrc file named by the user, run by a shell (openrc.h): the OS_* variables that it
 *    leaves; they may name a cloud (2)
 * 2. a cloud named by --os-cloud, else OS_CLOUD: clouds.yaml overridden by secure.yaml;
 *    from the environment only OS_REGION_NAME
 * 3. OS_* variables of the environment, if any besides OS_CLOUD, OS_REGION_NAME,
 *    OS_CLIENT_CONFIG_FILE, OS_CLIENT_SECURE_FILE, OS_CLOUD_NAME is set
 * 4. the only cloud of clouds.yaml
 *
 * Threads    forks for an openrc file: load before threads are started
 * Failure    0 or a negative code with *err filled: CDICT_EUSAGE when something is missing
 * Ownership  the caller's storage; texts are borrowed until openstack_settings_fini()
 */
#ifndef ANNOTATE_OPENSTACK_SETTINGS_H
#define ANNOTATE_OPENSTACK_SETTINGS_H

#include "annotate/openstack/keystone.h"
#include "annotate/openstack/values.h"

struct openstack_sources {
	const char *openrc;       /* file; NULL: none */
	const char *cloud;        /* --os-cloud; NULL: not given */
	char *const *environment; /* "NAME=value", NULL-terminated; NULL: the process's */
	uint32_t timeout_ms;      /* for an openrc file without a terminal; 0: 30 s */
};

struct openstack_settings {
	struct keystone_auth auth;
	const char *region; /* NULL: any */
	const char *interface;
	const char *cacert, *cert, *key; /* NULL: none */
	const char *compute_url;         /* instead of the catalog's; NULL: the catalog's */
	bool unverified; /* they disable TLS verification: ignored, used only for a clear message */
	char from[160];  /* "cloud 'x' of ./clouds.yaml", "environment" */
	struct openstack_values values;
};

int openstack_settings_load(struct openstack_settings *s, const struct openstack_sources *from,
			    struct cdict_error *err);
void openstack_settings_fini(struct openstack_settings *s);

#endif
