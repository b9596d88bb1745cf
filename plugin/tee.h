/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tee.h - a recording that comes through a pipe, for perf and for us: the descriptor that
 * perf reads is put behind a pipe of ours, and a thread hands on what comes, to perf byte
 * for byte and a copy to us. Who reads the copy may wait for perf, and perf gets on: what
 * it has not read yet is kept in memory.
 *
 * perf has read the recording's first 16 bytes when a filter starts; they are given to
 * the copy again.
 *
 * Threads    the functions are for perf's thread
 * Ownership  tee_open() gives, tee_close() takes
 */
#ifndef PLUGIN_TEE_H
#define PLUGIN_TEE_H

#include <stdbool.h>

#include "cdict/error.h"

struct tee;

/* tee_open - @fd is what perf reads; *@copy is given: it ends when the recording does, or
 * with tee_stop(). On failure @fd is as it was. */
int tee_open(struct tee **out, int fd, int *copy, struct cdict_error *err);
/* tee_stop - perf reads no more: nothing more is taken; the copy still gets what was. */
void tee_stop(struct tee *t);
/* tee_close - waits until the copy is complete or closed; false when memory was out, and it is not. */
bool tee_close(struct tee *t);

#endif
