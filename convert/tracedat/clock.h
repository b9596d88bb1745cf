/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - ticks of the trace's clock -> ns, as trace-cmd report does it: a guest's are moved to
 * its host's time (TIME_SHIFT), those of a TSC scaled (TSC2NSEC), then the offsets added (OFFSET, DATE).
 */
#ifndef EXCHANGE_TRACEDAT_CLOCK_H
#define EXCHANGE_TRACEDAT_CLOCK_H

#include "convert/tracedat/internal.h"

/* tracedat_clock_id - INFO clock.id; NULL and *err when nothing tells how long its ticks are. */
const char *tracedat_clock_id(const struct tracedat *td, struct cdict_error *err);

/* tracedat_ns - of @ticks on @cpu; what wraps is the caller's to doubt. */
uint64_t tracedat_ns(const struct tracedat *td, uint32_t cpu, uint64_t ticks);

#endif
