/* SPDX-License-Identifier: GPL-2.0-only */
/* nova_version.h - versions and microversions of the compute API. */
#ifndef ANNOTATE_NOVA_VERSION_H
#define ANNOTATE_NOVA_VERSION_H

#include <stddef.h>

#include "cdict/error.h"

#define NOVA_VERSION_MAX 16

/* nova_version_base - @endpoint up to its version ("http://h/v2.1/PROJECT" -> ".../v2.1"),
 * without a slash at the end: given; NULL when out of memory. *@versioned: it has one. */
char *nova_version_base(const char *endpoint, int *versioned);

/* nova_version_choose - from the answer of the service's root: the microversion to ask for
 * ("" when it has none), and, when the answer is a list of versions, the path's last part of
 * the one to use ("v2.1"; "" for a single version). CDICT_EFORMAT; CDICT_EUNSUPPORTED when the
 * service no longer knows any that we do. */
int nova_version_choose(const char *text, size_t size, char version[NOVA_VERSION_MAX],
			char path[NOVA_VERSION_MAX], struct cdict_error *err);

#endif
