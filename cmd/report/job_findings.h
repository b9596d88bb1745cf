/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * job_findings.h - sentences about a job, worst first: VMs and hosts that waited for a CPU, tasks,
 * events that were lost, hosts without figures or counts.
 *
 * Ownership  caller's storage, zeroed; job_findings_fini() empties it
 */
#ifndef CMD_REPORT_JOB_FINDINGS_H
#define CMD_REPORT_JOB_FINDINGS_H

#include "base/memory/texts.h"
#include "query/fleet/figures/grid.h"
#include "render/page/fleet_page.h"

enum { JOB_FINDINGS = 12 };

struct job_findings {
	struct texts texts;
	struct fleet_page_finding at[JOB_FINDINGS];
	size_t n;
};

/* job_findings_make - from the page's tables, which are sorted worst first, and the hosts in @order,
 * noisiest first; 0 or -ENOMEM. */
int job_findings_make(struct job_findings *f, const struct fleet_grid *grid, const size_t *order,
		      const struct fleet_page_table *tables, size_t n);
void job_findings_fini(struct job_findings *f);

#endif
