/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hosts.h - report pages of the hosts whose captures were pushed into a job, next to the job's own
 * page: like cdict report of each capture, in NAME-HOST.html.
 *
 * Failure    a status; failures are reported
 * Ownership  caller's storage, zeroed by the caller; host_pages_fini() empties it
 */
#ifndef CMD_REPORT_HOSTS_H
#define CMD_REPORT_HOSTS_H

#include "base/memory/array.h"
#include "cmd/core/cmd.h"
#include "render/page/fleet_page.h"

struct host_pages {
	ARRAY(struct fleet_page_link) all; /* owns its texts */
	size_t bad;                        /* captures without a page, reported */
};

struct store;
/* host_pages_write - writes the pages of job @id next to @path. @embed: enum report_embed. */
int host_pages_write(struct host_pages *out, const struct cmd_call *call, struct store *st,
		     const char *id, const char *path, int embed);
void host_pages_fini(struct host_pages *p);

#endif
