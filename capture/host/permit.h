/* SPDX-License-Identifier: GPL-2.0-only */
/* permit.h - what is missing when the kernel does not let us trace, and how to grant it. */
#ifndef CAPTURE_PERMIT_H
#define CAPTURE_PERMIT_H

#include <stdbool.h>
#include <stddef.h>

#include "cdict/error.h"

/* permit_explain - one line for -EPERM or -EACCES of perf_event_open(); gives @code. */
int permit_explain(int code, struct cdict_error *err);

/* permit_in_user_namespace - whether our capabilities are those of a user namespace: the kernel asks for those of the
 * initial one before it lets anybody trace. */
bool permit_in_user_namespace(void);

/* permit_setcap - "setcap ... /usr/bin/cdict", which grants everything needed. */
const char *permit_setcap(char *out, size_t size);

#endif
