/* SPDX-License-Identifier: GPL-2.0-only */
/* openstack_settle.h - from names and values to what Keystone is to be told. */
#ifndef ANNOTATE_OPENSTACK_SETTLE_H
#define ANNOTATE_OPENSTACK_SETTLE_H

#include "annotate/openstack_settings.h"

/* openstack_settings_settle - fills all of @s but values and from, which it reads. CDICT_EUSAGE
 * names what is missing; CDICT_EUNSUPPORTED for other ways to authenticate. */
int openstack_settings_settle(struct openstack_settings *s, struct cdict_error *err);

#endif
