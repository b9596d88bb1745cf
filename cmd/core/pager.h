/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pager.h - text for a terminal: its width, and a pager when the text is longer than the screen.
 *
 *	struct pager p;
 *
 *	pager_open(&p, call);
 *	sink_printf(&p.sink, ...);
 *	rc = pager_close(&p);
 *
 * The pager is $CDICT_PAGER, else $PAGER, else less, if installed; "" or "cat": none. It runs with
 * LESS=FRX unless LESS is set.
 *
 * Failure    pager_close() returns failed writes to stdout: 0 or a negative errno. It is not a
 *            failure when the pager ends before it has read everything
 */
#ifndef CMD_CORE_PAGER_H
#define CMD_CORE_PAGER_H

#include <sys/types.h>

#include "base/text/sink.h"
#include "cmd/core/cmd.h"

struct pager {
	struct sink sink;
	bool may;       /* a pager may be started */
	size_t rows;    /* of the terminal */
	size_t columns; /* width of the terminal */
	size_t lines;   /* number of terminal lines of @kept */
	struct buf kept;
	pid_t child; /* 0: none */
	int to;      /* write end of its pipe */
	bool gone;   /* it has ended: discard the rest */
};

/* pager_columns - width of stdout: for a terminal COLUMNS, else its own width; 0: not a terminal. */
unsigned pager_columns(void);

/* pager_open - @text: the output is for people; otherwise it goes to stdout directly. */
void pager_open(struct pager *p, const struct cmd_call *call, bool text);
int pager_close(struct pager *p);
/* pager_end - closes it, and reports @rc, or its own failure; being out of memory is reported for
 * @file; a status. */
int pager_end(struct pager *p, const struct cmd_call *call, const char *file, int rc);

#endif
