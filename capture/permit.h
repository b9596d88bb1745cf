/* SPDX-License-Identifier: GPL-2.0-only */
/* permit.h - what is missing when the kernel does not let us trace, and how to grant it. */
#ifndef CAPTURE_PERMIT_H
#define CAPTURE_PERMIT_H

#include <stddef.h>

#include "cdict/error.h"

/* permit_explain - one line for -EPERM or -EACCES of perf_event_open(); gives @code. */
int permit_explain(int code, struct cdict_error *err);

/* permit_setcap - "setcap ... /usr/bin/cdict", which grants everything needed. */
const char *permit_setcap(char *out, size_t size);

#endif
