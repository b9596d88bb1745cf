/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * nova.h - lists the servers of OpenStack's compute service.
 *
 * Failure    0 or a negative code with *err filled, those of keystone.h
 * Ownership  the caller's struct nova_servers, nova_servers_fini() frees it
 */
#ifndef ANNOTATE_OPENSTACK_NOVA_H
#define ANNOTATE_OPENSTACK_NOVA_H

#include <stdbool.h>
#include <stddef.h>

#include "annotate/openstack/keystone.h"
#include "base/memory/array.h"
#include "base/memory/stringset.h"

#define NOVA_SERVERS_MAX 200000
#define NOVA_TEXT_MAX 1024 /* longer texts are truncated */

/* Texts are never NULL; "" = absent. */
struct nova_server {
	const char *id, *name;
	const char *project_id;
	const char *instance;   /* OS-EXT-SRV-ATTR:instance_name, visible to administrators only */
	const char *host;       /* OS-EXT-SRV-ATTR:host */
	const char *hypervisor; /* OS-EXT-SRV-ATTR:hypervisor_hostname */
	const char *name_value, *group_value; /* of the requested metadata keys */
};

struct nova_servers {
	ARRAY(struct nova_server) all; /* ids are unique */
	struct stringset ids, texts;
	size_t unreachable; /* listed without any other data: their cell is down */
};

/* Metadata keys to keep; NULL: none. */
struct nova_keys {
	const char *name, *group;
};

void nova_servers_fini(struct nova_servers *s);

/* nova_page_parse - adds the servers of one answer to `servers/detail`, except those already
 * in the list. *@next_marker: start of the next page, given; NULL: this
 * is the last one. *@added: number of new servers. CDICT_EFORMAT, CDICT_ELIMIT, -ENOMEM. */
int nova_page_parse(struct nova_servers *s, const struct nova_keys *keys, const char *text,
		    size_t size, char **next_marker, size_t *added, struct cdict_error *err);

#define NOVA_VERSION_MAX 16

/* nova_version_base - @endpoint up to its version ("http://h/v2.1/PROJECT" -> ".../v2.1"),
 * without a trailing slash: given; NULL when out of memory. *@versioned: whether it has a version. */
char *nova_version_base(const char *endpoint, int *versioned);

/* nova_version_choose - from the answer at the service's root: the microversion to request
 * ("" when it has none), and, when the answer is a list of versions, the last path component of
 * the one to use ("v2.1"; "" for a single version). CDICT_EFORMAT; CDICT_EUNSUPPORTED when the
 * service supports no version that cdict supports. */
int nova_version_choose(const char *text, size_t size, char version[NOVA_VERSION_MAX],
			char path[NOVA_VERSION_MAX], struct cdict_error *err);

struct nova;

/* nova_open - at the catalog's @endpoint: finds the version of the API, and the newest
 * microversion that both sides support. */
int nova_open(struct nova **out, struct keystone *ks, const char *endpoint,
	      struct cdict_error *err);
void nova_close(struct nova *nova);

struct nova_query {
	bool all_projects;
	const char *host; /* NULL: any */
	struct nova_keys keys;
};

/* nova_list - lists all pages. On failure *s keeps earlier pages. -EPERM: the query is not
 * permitted (403). */
int nova_list(struct nova *nova, const struct nova_query *query, struct nova_servers *s,
	      struct cdict_error *err);

#endif
