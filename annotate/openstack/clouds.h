/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clouds.h - parses one clouds.yaml, secure.yaml or clouds.json (JSON is YAML) of the OpenStack
 * clients: `clouds:`, a name, keys, and the keys below `auth:`.
 *
 * Supports anchors, aliases and merge keys (<<). Values are text; a plain null is not a
 * value. Of a list the first entry counts (`regions`: used only when no region was
 * named).
 *
 * Failure    0 or a negative code with *err filled
 * Ownership  clouds_parse() gives; names are borrowed until clouds_free()
 */
#ifndef ANNOTATE_OPENSTACK_CLOUDS_H
#define ANNOTATE_OPENSTACK_CLOUDS_H

#include <stddef.h>

#include "annotate/openstack/values.h"
#include "cdict/error.h"

struct clouds;

/* clouds_parse - CDICT_EFORMAT with the line; CDICT_ELIMIT; -ENOMEM. An empty file has no
 * clouds. */
int clouds_parse(struct clouds **out, const char *text, size_t size, struct cdict_error *err);
void clouds_free(struct clouds *c);

/* clouds_name - the @i-th cloud's name, NULL after the last. */
const char *clouds_name(const struct clouds *c, size_t i);

/* clouds_get - stores the keys of the cloud @name in @into: its own ("region_name") and those
 * of its `auth` ("username"), with '_' for '-'; replaces existing values, as secure.yaml does
 * for clouds.yaml. CDICT_ENOTFOUND. */
int clouds_get(const struct clouds *c, const char *name, struct openstack_values *into,
	       struct cdict_error *err);

#endif
