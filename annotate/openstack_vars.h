/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * openstack_vars.h - named settings on their way to Keystone: shell variables of an openrc
 * file or of the environment, keys of clouds.yaml. Some are secrets: what is freed is
 * overwritten first.
 *
 * Failure    0 or -ENOMEM
 * Ownership  everything given is copied; texts are borrowed until the variable changes
 */
#ifndef ANNOTATE_OPENSTACK_VARS_H
#define ANNOTATE_OPENSTACK_VARS_H

#include <stdbool.h>
#include <stddef.h>

struct openstack_var {
	char *name;
	char *value; /* NULL: it has one, but only a shell could tell which */
};

/* The zero value is empty. */
struct openstack_vars {
	struct openstack_var *vars;
	size_t n, cap;
};

void openstack_vars_fini(struct openstack_vars *v);

/* openstack_vars_set - @value NULL: unknown. A NUL inside ends a text. */
int openstack_vars_set(struct openstack_vars *v, const char *name, size_t name_len,
		       const char *value, size_t value_len);
void openstack_vars_unset(struct openstack_vars *v, const char *name);

/* openstack_vars_get - NULL: not set, or unknown. */
const char *openstack_vars_get(const struct openstack_vars *v, const char *name);
/* openstack_vars_unknown - it is set, to nobody knows what. */
bool openstack_vars_unknown(const struct openstack_vars *v, const char *name);

#endif
