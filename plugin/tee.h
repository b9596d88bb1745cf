/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tee.h - a recording that comes through a pipe, for perf and for us: the descriptor that
 * perf reads is put behind a pipe of ours, and a thread hands on what comes, to perf byte
 * for byte and a copy to us. tee(2) and splice(2) do it without touching the bytes.
 *
 * perf has read the recording's first 16 bytes when a filter starts; they are given to
 * the copy again.
 *
 * Threads    the functions are for perf's thread
 * Ownership  tee_open() gives, tee_close() takes
 */
#ifndef PLUGIN_TEE_H
#define PLUGIN_TEE_H

#include "cdict/error.h"

struct tee;

/* tee_open - @fd is what perf reads; *@copy is given: it ends when the recording does, or
 * with tee_close(). On failure @fd is as it was. */
int tee_open(struct tee **out, int fd, int *copy, struct cdict_error *err);
/* tee_close - hands nothing on any more. */
void tee_close(struct tee *t);

#endif
