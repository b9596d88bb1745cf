/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * trace_pair.h - a host and its guest as trace-cmd recorded them together (trace-cmd record -A): the host's
 * trace.dat lists its guests (GUEST), the guest's has the samples that move its times to the host's clock
 * (TIME_SHIFT), which the conversion applied.
 */
#ifndef TABLES_GUEST_TRACE_PAIR_H
#define TABLES_GUEST_TRACE_PAIR_H

#include "analyze/guest/clock.h"
#include "cdict/reader.h"

#define TRACE_NAME_MAX 256u

/* trace_pair_name - @guest's name in the host's list; false: it is not there. */
bool trace_pair_name(char name[TRACE_NAME_MAX], const struct cdict_reader *host,
		     const struct cdict_reader *guest);
/* trace_pair_clock - 0; -ENOMEM; CDICT_ENOTFOUND: they were not synchronized. *known: whether out->error_ns
 * is; if not, the samples show no error. */
int trace_pair_clock(struct guest_clock *out, bool *known, const struct cdict_reader *host,
		     const struct cdict_reader *guest, struct cdict_error *err);

#endif
