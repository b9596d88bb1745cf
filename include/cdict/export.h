/* SPDX-License-Identifier: LGPL-2.1-only */
/* export.h - marks what libcdict exports; everything else is hidden. */
#ifndef CDICT_EXPORT_H
#define CDICT_EXPORT_H

#define CDICT_API __attribute__((visibility("default")))

#endif
