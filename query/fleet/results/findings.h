/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * findings.h - sentences about the VMs of a job that waited most, behind whom.
 *
 *	VM db waited 7.78 s for a CPU, 48 % of the known time of its vCPUs: 35 % behind its own
 *	tasks, 26 % behind web; longest wait 209 ms.
 *
 * Failure    fleet_vm_findings(): @texts->failed, out of memory
 * Ownership  texts are the list's
 */
#ifndef QUERY_FLEET_RESULTS_FINDINGS_H
#define QUERY_FLEET_RESULTS_FINDINGS_H

#include "base/memory/texts.h"
#include "query/fleet/values/rows.h"
#include "tables/columns/table.h"

#define FLEET_FINDING_PERCENT 1.0 /* of its time that a VM or host waits: less is no finding */

/* fleet_vm_findings - adds the sentences to @texts, and calls @added (NULL: not) for each, with the
 * VM's name, or NULL if it is about several. @vms: a row per VM, longest waits first. */
void fleet_vm_findings(struct texts *texts, const struct table *vms, const struct table *delays,
		       void (*added)(void *ctx, const char *about), void *ctx);

#endif
