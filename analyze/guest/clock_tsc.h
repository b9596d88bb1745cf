/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * clock_tsc.h - a guest's clock by the TSC: both kernels convert their TSC to perf's clock with
 * constants that perf records (PERF_RECORD_TIME_CONV), and KVM gives each vCPU a TSC that differs
 * from the host's by an offset and, if the hardware scales it, a factor.
 *
 *	ns = zero + (tsc * mult >> shift)
 *	guest's TSC = (host's TSC * factor >> factor_shift) + offset
 */
#ifndef ANALYZE_GUEST_CLOCK_TSC_H
#define ANALYZE_GUEST_CLOCK_TSC_H

#include "analyze/guest/clock.h"

struct tsc_conversion {
	uint64_t zero_ns;
	uint32_t mult, shift;
};

/* tsc_conversion_parse - "ZERO MULT SHIFT", the key clock.time_conv; false: it is not that. */
bool tsc_conversion_parse(struct tsc_conversion *c, const char *text);

struct tsc_offset {
	int64_t offset;
	uint64_t factor; /* 0: the same speed */
	uint32_t factor_shift;
};

/* tsc_offset_of - from the key guests.tsc_offset, lines of "PID VCPU OFFSET [FACTOR SHIFT]": that of the
 * first vCPU of the process @pid; *apart: by how much those of its other vCPUs differ at most, in
 * ticks. false: it has none. */
bool tsc_offset_of(struct tsc_offset *o, uint64_t *apart, const char *text, int32_t pid);

/* guest_clock_tsc - the clock for a guest's recording from @from_ns to @to_ns of its time. 0, -ENOMEM, or
 * CDICT_ECORRUPT: no such clock is possible. */
int guest_clock_tsc(struct guest_clock *out, const struct tsc_conversion *host,
		    const struct tsc_conversion *guest, const struct tsc_offset *offset,
		    uint64_t apart, uint64_t from_ns, uint64_t to_ns, struct cdict_error *err);

#endif
