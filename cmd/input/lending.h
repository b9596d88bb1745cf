/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lending.h - formats for a perf recording that lacks them: those of --formats, or this host's own
 * when the recording is of the running kernel.
 *
 * Ownership  lending_init() fills the caller's storage, lending_fini() empties it, after the source
 *            was closed
 */
#ifndef CMD_INPUT_LENDING_H
#define CMD_INPUT_LENDING_H

#include "cmd/core/cmd.h"
#include "convert/convert.h"

struct lent;

struct lending {
	const struct cmd_call *call;
	const char *input;
	const char *formats; /* value of --formats, or NULL */
	bool used;           /* the recording lacks formats */
	const struct convert_options *how;
	struct lent *lent;
};

/* lending_init - sets the callback of @how that lends formats; opens @formats (NULL: this host's
 * may be used): a status. */
int lending_init(struct lending *l, const struct cmd_call *call, const char *input,
		 const char *formats, struct convert_options *how);
void lending_fini(struct lending *l);

#endif
