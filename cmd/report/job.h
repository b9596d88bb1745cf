/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * job.h - cdict report --job: the page of many hosts.
 *
 * Failure    a status; what failed was told
 */
#ifndef CMD_REPORT_JOB_H
#define CMD_REPORT_JOB_H

#include "cmd/core/options.h"

/* What the two pages have in common with cdict report's own options. */
struct report_job_options {
	const struct cmd_list *jobs; /* one, or two that are compared */
	bool no_host_pages;
	bool open;
	int embed; /* enum report_embed, of the hosts' pages */
};

/* report_job - the page at @path. */
int report_job(const struct cmd_call *call, const struct report_job_options *o, const char *path);

/* report_two_jobs - what changed from ids[0] to ids[1]. */
struct store;
int report_two_jobs(const struct cmd_call *call, struct store *st, const char *const *ids,
		    const char *path);

#endif
