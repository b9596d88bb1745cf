/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * clock.h - converts ticks of the trace's clock to ns, like trace-cmd report: a guest's are moved
 * to its host's time (TIME_SHIFT), those of a TSC scaled (TSC2NSEC), then the offsets added
 * (OFFSET, DATE).
 */
#ifndef CONVERT_TRACEDAT_CLOCK_H
#define CONVERT_TRACEDAT_CLOCK_H

#include "convert/tracedat/internal.h"

/* tracedat_clock_id - value of INFO clock.id; NULL and *err when the length of its ticks is
 * unknown. */
const char *tracedat_clock_id(const struct tracedat *td, struct cdict_error *err);

/* tracedat_ns - converts @ticks of @cpu; may wrap: the caller checks for implausible times. */
uint64_t tracedat_ns(const struct tracedat *td, uint32_t cpu, uint64_t ticks);

/* tracedat_shift_error - *ns: by how much the samples that moved the times differ from each other, where
 * one applies up to another, or from the line through their neighbours, where TIME_SHIFT says to
 * interpolate; false: no CPU has two of them. */
bool tracedat_shift_error(const struct tracedat *td, uint64_t *ns);

#endif
