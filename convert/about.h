/* SPDX-License-Identifier: GPL-2.0-only */
/* about.h - what the recording says of its host, as INFO pairs of the cdict. */
#ifndef CONVERT_ABOUT_H
#define CONVERT_ABOUT_H

#include "cdict/writer.h"
#include "convert/perfdata.h"

/* about_write - writes every pair that the recording has; cdict(5) lists the keys. */
int about_write(struct cdict_writer *w, const struct perfdata *pd, struct cdict_error *err);

#endif
