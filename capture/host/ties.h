/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ties.h - what relates a recording to another one of the same machine, of its host or of its
 * guests: identities (boot, machine, SMBIOS UUID), the recording's clock and the TSC, the TSC
 * offset of each vCPU, and the steal time of each CPU. cdict(5) lists the INFO keys.
 *
 * Missing files and permissions leave pairs out: nothing here fails but for lack of memory.
 */
#ifndef CAPTURE_HOST_TIES_H
#define CAPTURE_HOST_TIES_H

#include "base/memory/buf.h"
#include "capture/host/clock.h"
#include "convert/ingest/info.h"

struct ties_vcpus {
	struct buf tids;    /* lines "PID VCPU TID" */
	struct buf offsets; /* lines "PID VCPU OFFSET [RATIO FRAC_BITS]" */
};

/* An empty text is unknown. */
struct ties {
	struct buf conversion; /* "ZERO MULT SHIFT" */
	struct buf pair;       /* "TSC TSC NS" */
	struct buf steal;      /* "CPU:NS CPU:NS ..." */
	struct ties_vcpus vcpus;
	uint64_t khz; /* of the TSC; 0: unknown */
};

/* ties_take - reads all of them, now; @clock is the recording's, or NULL. */
void ties_take(struct ties *t, struct clock *clock);
void ties_fini(struct ties *t);

/* ties_write_begin - writes identities, and what was read when the recording began.
 * ties_write_end - writes what was read when it ended; vCPUs only where they differ. */
void ties_write_begin(struct info_pairs *p, const struct ties *begin);
void ties_write_end(struct info_pairs *p, const struct ties *begin, const struct ties *end);

/* For tests: the same from text of /proc/stat, and from the folder of debugfs. */
void ties_steal(struct buf *out, const char *stat, uint64_t ticks_per_s);
void ties_vcpus(struct ties_vcpus *out, const char *folder);

#endif
