/* SPDX-License-Identifier: GPL-2.0-only */
/* proc.h - the tasks that are there when the recording begins. */
#ifndef CAPTURE_PROC_H
#define CAPTURE_PROC_H

#include "convert/ingest/rows.h"

/* proc_tasks - a birth and a name for every thread of @proc ("/proc"), with time 0. What ends
 * meanwhile is left out. */
void proc_tasks(const char *proc, struct rows *rows);

#endif
