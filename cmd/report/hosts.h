/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * hosts.h - pages of the hosts whose captures were pushed into a job, beside the job's own: what
 * cdict report writes of each capture, in NAME-HOST.html.
 *
 * Failure    a status; what failed was told
 * Ownership  caller's storage, zeroed at first; host_pages_fini() empties it
 */
#ifndef CMD_REPORT_HOSTS_H
#define CMD_REPORT_HOSTS_H

#include "base/memory/array.h"
#include "cmd/core/cmd.h"
#include "render/page/fleet_page.h"

struct host_pages {
	ARRAY(struct fleet_page_link) all; /* the texts are its own */
	size_t bad;                        /* captures of which there is none: told */
};

struct store;
/* host_pages_write - of job @id, beside @path. @embed: enum report_embed. */
int host_pages_write(struct host_pages *out, const struct cmd_call *call, struct store *st,
		     const char *id, const char *path, int embed);
void host_pages_fini(struct host_pages *p);

#endif
