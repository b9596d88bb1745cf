/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lending.h - formats for a recording of perf that lacks them: those that --formats names, or this host's own
 * when the recording is of the kernel that runs here.
 *
 * Ownership  lending_init() fills caller's storage, lending_fini() empties it, after the source was closed
 */
#ifndef CMD_LENDING_H
#define CMD_LENDING_H

#include "cmd/core/cmd.h"
#include "convert/convert.h"

struct lent;

struct lending {
	const struct cmd_call *call;
	const char *input;
	const char *formats; /* of --formats, or NULL */
	bool used;           /* the recording lacks formats */
	const struct convert_options *how;
	struct lent *lent;
};

/* lending_init - @how gets who lends formats; those of @formats (NULL: this host's may do) are opened: a status. */
int lending_init(struct lending *l, const struct cmd_call *call, const char *input,
		 const char *formats, struct convert_options *how);
void lending_fini(struct lending *l);

#endif
