/* SPDX-License-Identifier: GPL-2.0-only */
/* info.h - writes the recording's information about its host as INFO pairs of the cdict. */
#ifndef CONVERT_PERFDATA_INFO_H
#define CONVERT_PERFDATA_INFO_H

#include "base/text/scope.h"
#include "cdict/writer.h"
#include "convert/perfdata/perfdata.h"

/* perfdata_info_write - writes every pair that the recording has. */
int perfdata_info_write(struct cdict_writer *w, const struct perfdata *pd, struct cdict_error *err);
/* perfdata_info_scope - the scope of the recording, from its command line; without one, from the
 * events' attributes. */
struct scope perfdata_info_scope(const struct perfdata *pd);

#endif
