/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * values.h - settings from the files and variables of the OpenStack clients, under the
 * names of clouds.yaml; a variable is OS_ and the name in capitals. Other names are not
 * stored. Some values are secrets: memory is overwritten before it is freed.
 */
#ifndef ANNOTATE_OPENSTACK_VALUES_H
#define ANNOTATE_OPENSTACK_VALUES_H

#include <stddef.h>

#define OPENSTACK_NAMES(X)                                                                         \
	X(auth_type)                                                                               \
	X(auth_plugin) /* older name of the previous one; likewise below */                        \
	X(auth_url)                                                                                \
	X(user_id)                                                                                 \
	X(username)                                                                                \
	X(user_name)                                                                               \
	X(user_domain_id)                                                                          \
	X(user_domain_name)                                                                        \
	X(password)                                                                                \
	X(project_id)                                                                              \
	X(tenant_id)                                                                               \
	X(project_name)                                                                            \
	X(tenant_name)                                                                             \
	X(project_domain_id)                                                                       \
	X(project_domain_name)                                                                     \
	X(domain_id)                                                                               \
	X(domain_name)                                                                             \
	X(default_domain_id)                                                                       \
	X(default_domain_name)                                                                     \
	X(default_domain)                                                                          \
	X(system_scope)                                                                            \
	X(application_credential_id)                                                               \
	X(application_credential_name)                                                             \
	X(application_credential_secret)                                                           \
	X(region_name)                                                                             \
	X(interface)                                                                               \
	X(endpoint_type)                                                                           \
	X(compute_endpoint_override)                                                               \
	X(cacert)                                                                                  \
	X(cert)                                                                                    \
	X(key)                                                                                     \
	X(verify)                                                                                  \
	X(insecure)

/* The zero value is empty; NULL: not set. */
struct openstack_values {
#define X(name) char *name;
	OPENSTACK_NAMES(X)
#undef X
};

/* openstack_values_set - stores a copy of @text[@len], up to a NUL; NULL: unsets it.
 * @name in any case, with - for _. 0 or -ENOMEM. */
int openstack_values_set(struct openstack_values *v, const char *name, size_t name_len,
			 const char *text, size_t len);
void openstack_values_fini(struct openstack_values *v);

#endif
