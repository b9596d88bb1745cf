/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * job.h - cdict report --job: writes the page of many hosts.
 *
 * Failure    a status; failures are reported
 */
#ifndef CMD_REPORT_JOB_H
#define CMD_REPORT_JOB_H

#include "cmd/core/options.h"

/* Options of cdict report that apply to both pages. */
struct report_job_options {
	const struct cmd_list *jobs; /* one, or two to compare */
	bool no_host_pages;
	bool open;
	int embed; /* enum report_embed, for the hosts' pages */
};

/* report_job - writes the page to @path. */
int report_job(const struct cmd_call *call, const struct report_job_options *o, const char *path);

/* report_two_jobs - writes the page of the changes from ids[0] to ids[1]. */
struct store;
int report_two_jobs(const struct cmd_call *call, struct store *st, const char *const *ids,
		    const char *path);

#endif
