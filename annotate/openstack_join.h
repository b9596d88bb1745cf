/* SPDX-License-Identifier: GPL-2.0-only */
/* openstack_join.h - which server a label's VM is. */
#ifndef ANNOTATE_OPENSTACK_JOIN_H
#define ANNOTATE_OPENSTACK_JOIN_H

#include "format/mapping.h"
#include "annotate/nova.h"

struct openstack_join {
	const struct nova_servers *servers;
	const char *const *hosts; /* NULL-terminated */
	const struct nova_server **by_id, **by_instance;
	size_t n;
};

/* openstack_join_init - -ENOMEM. @servers and @hosts are borrowed. */
int openstack_join_init(struct openstack_join *j, const struct nova_servers *servers,
			const char *const *hosts);
void openstack_join_fini(struct openstack_join *j);

/* openstack_join_find - by UUID. A label without one is found by its domain name, which is
 * unique within a cell only: the server must be on one of the hosts, as far as Nova tells where
 * it is, and be the only such. NULL: none. */
const struct nova_server *openstack_join_find(const struct openstack_join *j,
					      const struct cdict_label *label);

#endif
