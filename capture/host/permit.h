/* SPDX-License-Identifier: GPL-2.0-only */
/* permit.h - which permission for tracing is missing, and how to grant it. */
#ifndef CAPTURE_HOST_PERMIT_H
#define CAPTURE_HOST_PERMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "cdict/error.h"

/* permit_explain - one line for -EPERM or -EACCES of perf_event_open(); returns @code. */
int permit_explain(int code, struct cdict_error *err);

/* permit_in_user_namespace - true when our capabilities are those of a user namespace: for tracing
 * the kernel requires those of the initial one. */
bool permit_in_user_namespace(void);

/* permit_setcap - the command "setcap ... /usr/bin/cdict", which grants everything needed. */
const char *permit_setcap(char *out, size_t size);

#endif
