/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * tee.h - copies a recording that perf reads from a pipe: replaces perf's descriptor by a
 * pipe of cdict's, and a thread passes the data on, to perf unchanged and to the copy. The
 * copy's reader may wait for perf without blocking it: data that the reader has not read
 * yet is kept in memory.
 *
 * When a filter starts, perf has already read the recording's first 16 bytes; the copy gets
 * them again.
 *
 * Threads    call from perf's thread
 * Ownership  tee_open() gives, tee_close() takes
 */
#ifndef PLUGIN_TEE_H
#define PLUGIN_TEE_H

#include <stdbool.h>

#include "cdict/error.h"

struct tee;

/* tee_open - @fd is perf's input; *@copy is given: it ends with the recording, or
 * with tee_stop(). On failure @fd is unchanged. */
int tee_open(struct tee **out, int fd, int *copy, struct cdict_error *err);
/* tee_stop - perf has finished reading: reads no more input; the copy still gets the rest. */
void tee_stop(struct tee *t);
/* tee_close - waits until the copy is complete or closed; false when memory ran out and it is incomplete. */
bool tee_close(struct tee *t);

#endif
