/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tap.h - a recording that comes through a pipe, for perf and for us: the descriptor that
 * perf reads is put behind a pipe of ours, and a thread hands on what comes, to perf byte
 * for byte and a copy to us. tee(2) and splice(2) do it without touching the bytes.
 *
 * perf has read the recording's first 16 bytes when a filter starts; they are given to
 * the copy again.
 *
 * Threads    the functions are for perf's thread
 * Ownership  tap_open() gives, tap_close() takes
 */
#ifndef PLUGIN_TAP_H
#define PLUGIN_TAP_H

#include "cdict/error.h"

struct tap;

/* tap_open - @fd is what perf reads; *@copy is given: it ends when the recording does, or
 * with tap_close(). On failure @fd is as it was. */
int tap_open(struct tap **out, int fd, int *copy, struct cdict_error *err);
/* tap_close - hands nothing on any more. */
void tap_close(struct tap *t);

#endif
