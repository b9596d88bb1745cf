/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * control.h - commands to a running recording, as perf record's --control takes them: "fd:N[,M]" or
 * "fifo:PATH[,PATH]", one command per line; each one that was executed is answered with "ack".
 *
 * Failure    negative code with *err filled
 * Ownership  control_open() opens, control_close() closes; descriptors of fd: stay open
 */
#ifndef CAPTURE_RECORD_CONTROL_H
#define CAPTURE_RECORD_CONTROL_H

#include <stdbool.h>
#include <stddef.h>

#include "cdict/error.h"

enum control_command {
	CONTROL_NONE = 0, /* no (more) command */
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_SNAPSHOT, /* of the flight recorder */
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_UNKNOWN,
};

struct control {
	int in, out; /* out -1: no answers are sent */
	bool own;
	char line[64];
	size_t len;
};

int control_open(struct control *c, const char *text, struct cdict_error *err);
void control_close(struct control *c);
/* control_next - returns the next pending command; never waits. */
enum control_command control_next(struct control *c);
void control_ack(const struct control *c);

#endif
