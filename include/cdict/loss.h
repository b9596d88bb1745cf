/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * loss.h - events that happened but are missing from the recording.
 *
 * Units      from_ns..to_ns in the recording's clock: the events are missing
 *            somewhere in [from_ns, to_ns]
 */
#ifndef CDICT_LOSS_H
#define CDICT_LOSS_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum cdict_loss_what {
	/* The ring buffer was full (PERF_RECORD_LOST); count 0: the CPU was not recorded
	 * (it came online later, the disk was full), the number of events is unknown. */
	CDICT_LOSS_RING = 0,
	/* Samples the kernel counted as lost (PERF_RECORD_LOST_SAMPLES) beyond those in
	 * the LOST records of the same CPU: the loss after the last LOST record. */
	CDICT_LOSS_SAMPLES = 1,
	/* The kernel throttled the event between THROTTLE and UNTHROTTLE; count is 0,
	 * the number of events is unknown. */
	CDICT_LOSS_THROTTLE = 2,
	/* Events that ran backwards in time by more than could be sorted; they are
	 * stored, count is their number. Not a loss. */
	CDICT_LOSS_DISORDER = 3,
	/* Events of the input that could not be read (damage). */
	CDICT_LOSS_DAMAGE = 4,
};

struct cdict_loss {
	enum cdict_loss_what what;
	uint32_t cpu;  /* or CDICT_CPU_UNKNOWN: any CPU */
	uint32_t type; /* event type's index, or CDICT_TYPE_ANY */
	uint64_t from_ns, to_ns;
	uint64_t count; /* events */
};

#define CDICT_TYPE_ANY UINT32_MAX

/* An event that reached the recording so late that perf's own reader delivers it
 * after everything up to after_ns, although it happened before. It is stored at its
 * own time; this records where perf script prints it. */
struct cdict_late {
	uint32_t cpu;
	uint64_t t_ns;     /* the event's own time */
	uint64_t after_ns; /* > t_ns */
};

#ifdef __cplusplus
}
#endif
#endif
