/* SPDX-License-Identifier: GPL-2.0-only */
/* perfdata_info.h - what the recording says of its host, as INFO pairs of the cdict. */
#ifndef CONVERT_PERFDATA_INFO_H
#define CONVERT_PERFDATA_INFO_H

#include "cdict/writer.h"
#include "convert/perfdata.h"

/* perfdata_info_write - writes every pair that the recording has. */
int perfdata_info_write(struct cdict_writer *w, const struct perfdata *pd, struct cdict_error *err);
/* perfdata_info_foreign - what is known when all samples were read: perf counted in a PID namespace. */
int perfdata_info_foreign(struct cdict_writer *w, const struct perfdata *pd,
			  struct cdict_error *err);

#endif
