/* SPDX-License-Identifier: GPL-2.0-only */
/* proc.h - the tasks that exist when the recording begins. */
#ifndef CAPTURE_HOST_PROC_H
#define CAPTURE_HOST_PROC_H

#include "convert/ingest/rows.h"

/* proc_tasks - adds a birth and a name for every thread in @proc ("/proc"), with time 0. Threads
 * that end meanwhile are left out. */
void proc_tasks(const char *proc, struct rows *rows);

#endif
