/* SPDX-License-Identifier: LGPL-2.1-only */
/* version.h - which libcdict is linked. */
#ifndef CDICT_VERSION_H
#define CDICT_VERSION_H

#include "cdict/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* cdict_version - "0.1.0": major, minor, patch. Until major is 1 a new minor may change anything,
 * and then has another soname. */
CDICT_API const char *cdict_version(void);

#ifdef __cplusplus
}
#endif
#endif
