/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clouds.h - one file of the OpenStack clients' clouds.yaml, secure.yaml or (as YAML knows
 * JSON) clouds.json: `clouds:`, a name, keys, and the keys below `auth:`.
 *
 * Anchors, aliases and merge keys (<<) work. Values are taken as text; a plain null is no
 * value. Of a list the first entry counts (`regions`, as regions are looked for only when no
 * one was named).
 *
 * Failure    0 or a negative code with *err filled
 * Ownership  clouds_parse() gives; names are borrowed until clouds_free()
 */
#ifndef ANNOTATE_CLOUDS_H
#define ANNOTATE_CLOUDS_H

#include <stddef.h>

#include "annotate/openstack_values.h"
#include "cdict/error.h"

struct clouds;

/* clouds_parse - CDICT_EFORMAT with the line; CDICT_ELIMIT; -ENOMEM. An empty file is a file
 * without clouds. */
int clouds_parse(struct clouds **out, const char *text, size_t size, struct cdict_error *err);
void clouds_free(struct clouds *c);

/* clouds_name - the @i-th cloud's name, NULL behind the last. */
const char *clouds_name(const struct clouds *c, size_t i);

/* clouds_get - puts what the cloud @name says into @into: each key of it ("region_name") and
 * of its `auth` ("username"), '-' turned to '_'; what @into has already of the same key is
 * replaced, as secure.yaml does with clouds.yaml. CDICT_ENOTFOUND. */
int clouds_get(const struct clouds *c, const char *name, struct openstack_values *into,
	       struct cdict_error *err);

#endif
