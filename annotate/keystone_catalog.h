/* SPDX-License-Identifier: GPL-2.0-only */
/* keystone_catalog.h - the list of services that comes with a token. */
#ifndef ANNOTATE_KEYSTONE_CATALOG_H
#define ANNOTATE_KEYSTONE_CATALOG_H

#include <jansson.h>

#include "cdict/error.h"

/* keystone_catalog_find - see keystone_endpoint(). */
int keystone_catalog_find(const json_t *catalog, const char *const *types, const char *interface,
			  const char *region, char **url, struct cdict_error *err);

#endif
