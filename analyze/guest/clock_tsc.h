/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * clock_tsc.h - a guest's clock by the TSC: each recording shows which time of its clock is which TSC,
 * and KVM gives a guest a TSC that differs from the host's by an offset and, if the hardware scales
 * it, a factor.
 *
 *	guest's TSC = (host's TSC * factor >> factor_shift) + offset
 */
#ifndef ANALYZE_GUEST_CLOCK_TSC_H
#define ANALYZE_GUEST_CLOCK_TSC_H

#include "analyze/guest/clock.h"

/* The time of a recording's clock at a TSC. */
struct tsc_line {
	/* perf's conversion (PERF_RECORD_TIME_CONV): zero_ns + (tsc * mult >> shift); mult 0: none */
	uint64_t zero_ns;
	uint32_t mult, shift;
	/* ... then two points, read at the recording's begin and end, each at most error_ns wrong */
	uint64_t tsc[2], ns[2], error_ns;
};

/* tsc_line_of - from the keys clock.time_conv, "ZERO MULT SHIFT", or clock.tsc_start and clock.tsc_end,
 * "TSC_BEFORE TSC_AFTER NS" (each may be NULL); false: they do not show it. */
bool tsc_line_of(struct tsc_line *l, const char *conversion, const char *start, const char *end);

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
int guest_clock_tsc(struct guest_clock *out, const struct tsc_line *host,
		    const struct tsc_line *guest, const struct tsc_offset *offset, uint64_t apart,
		    uint64_t from_ns, uint64_t to_ns, struct cdict_error *err);

#endif
