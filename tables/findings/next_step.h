/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * next_step.h - what to do about a VM that waits, as far as the capture shows it.
 *
 * Computed from all vCPUs of the VM: whether they waited behind each other, and which CPU was idle
 * meanwhile. Each share says of what.
 */
#ifndef TABLES_FINDINGS_NEXT_STEP_H
#define TABLES_FINDINGS_NEXT_STEP_H

#include "base/text/sink.h"
#include "tables/columns/walk.h"
#include "tables/names/culprits.h"

/* next_step_say - "The VM's 2 vCPUs share CPU 1 for 62 % of their waiting (7.78 s of 2 x 8.17 s): pin
 * or spread them. Host CPU 3 was idle for 80 % of it.", or nothing; @vm: from culprits_vm(). */
void next_step_say(struct sink *s, const struct tables_walk *w, struct culprits *c, const char *vm);

#endif
