/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pager.h - text for a terminal: how wide it is, and a pager when it is longer than the terminal is high.
 *
 *	struct pager p;
 *
 *	pager_open(&p, call);
 *	sink_printf(&p.sink, ...);
 *	rc = pager_close(&p);
 *
 * The pager is $CDICT_PAGER, else $PAGER, else less, where it is there; "" or "cat": none.  It runs with LESS=FRX
 * unless LESS is set.
 *
 * Failure    what could not be written to stdout, by pager_close(): 0 or a negative errno. A pager that ends
 *            before all is read is no failure
 */
#ifndef CMD_PAGER_H
#define CMD_PAGER_H

#include <sys/types.h>

#include "base/text/sink.h"
#include "cmd/core/cmd.h"

struct pager {
	struct sink sink;
	bool may;       /* start one */
	size_t rows;    /* of the terminal */
	size_t columns; /* and how wide it is */
	size_t lines;   /* that @kept takes on it */
	struct buf kept;
	pid_t child; /* 0: there is none */
	int to;      /* it reads here */
	bool gone;   /* it has ended: the rest is for nobody */
};

/* pager_columns - how wide stdout is: of a terminal what COLUMNS says, else what it says itself; 0: it is none. */
unsigned pager_columns(void);

/* pager_open - @text: what is written is for people; else it goes to stdout as it is. */
void pager_open(struct pager *p, const struct cmd_call *call, bool text);
int pager_close(struct pager *p);
/* pager_end - closes it, and reports @rc, or that it failed; out of memory as of @file; a status. */
int pager_end(struct pager *p, const struct cmd_call *call, const char *file, int rc);

#endif
