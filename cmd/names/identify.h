/* SPDX-License-Identifier: GPL-2.0-only */
/* identify.h - the parts of cdict identify. */
#ifndef CMD_NAMES_IDENTIFY_H
#define CMD_NAMES_IDENTIFY_H

#include "annotate/host/host.h"
#include "cmd/core/cmd.h"

/* identify_capture - adds the threads of the VMs in the command's capture; a status. The caller frees
 * @m and @report, also after a failure. */
int identify_capture(const struct cmd_call *call, struct mapping *m, struct host_report *report);

#endif
