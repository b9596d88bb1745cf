/* SPDX-License-Identifier: GPL-2.0-only */
/* maps.h - the mapping files of --map. */
#ifndef CMD_INPUT_MAPS_H
#define CMD_INPUT_MAPS_H

#include "annotate/csv.h"
#include "cmd/core/options.h"

/* maps_read - reads all --map files, in order, into @m (to be freed with mapping_fini(), also after
 * a failure). Reports bad lines; a status. */
int maps_read(struct mapping *m, const struct cmd_call *call, const struct options_shared *o);

#endif
