/* SPDX-License-Identifier: GPL-2.0-only */
/* captures.h - the captures that cdict query and cdict export read as tables, each with its labels and window. */
#ifndef CMD_QUERY_CAPTURES_H
#define CMD_QUERY_CAPTURES_H

#include "cmd/input/input.h"
#include "cmd/tables/guests.h"
#include "query/sql/query.h"
#include "tables/columns/table.h"

struct capture;

struct captures {
	const struct cmd_call *call;
	struct texts files;
	struct guest_files guests; /* joined to the only one */
	const char *clock;         /* of the guest, or NULL */
	struct capture *list;
	struct query_file *of;      /* the same captures, for query/ */
	struct table_frame *frames; /* for JSON */
};

/*
 * captures_open - opens the files that @c->files names. Returns a status; captures_close() is
 * needed in any case.
 */
int captures_open(struct captures *c, const struct cmd_call *call);
uint64_t captures_blocks(const struct captures *c);
unsigned captures_jobs(const struct captures *c);
/* captures_loss_status - reports the losses of each; a status. */
int captures_loss_status(const struct captures *c);
void captures_close(struct captures *c);

#endif
