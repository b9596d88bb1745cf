/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * clock.h - the time of a guest's recording as time of its host's recording.
 *
 * A clock is a line through knots, pairs of a guest's and its host's time: between two knots the
 * line joins them, before the first and after the last one it continues. One knot: the clocks run
 * at the same speed.
 *
 * Units      *_ns: times in the clocks of the two recordings
 * Ownership  caller's storage, zeroed; guest_clock_fini() empties
 */
#ifndef ANALYZE_GUEST_CLOCK_H
#define ANALYZE_GUEST_CLOCK_H

#include <stdbool.h>

#include "base/memory/array.h"
#include "base/text/sink.h"
#include "cdict/error.h"

struct guest_knot {
	uint64_t guest_ns, host_ns;
};

/* How the line was found. */
enum guest_clock_method {
	GUEST_CLOCK_GIVEN = 0, /* by the user */
	GUEST_CLOCK_TSC, /* both recordings' conversion of the TSC, and the vCPU's TSC offset */
	GUEST_CLOCK_TRACEDAT, /* trace-cmd's time synchronization */
	GUEST_CLOCK_FIT,      /* events of both sides that belong together */
	GUEST_CLOCK_METHODS,
};

/* guest_clock_method_name - "given", "tsc", "trace.dat", "fit". */
const char *guest_clock_method_name(enum guest_clock_method method);

struct guest_clock {
	ARRAY(struct guest_knot) knots; /* ascending in both */
	uint64_t error_ns;              /* a guest's time is at most so far from the line */
	enum guest_clock_method method;
};

#define GUEST_CLOCK_KNOTS 4096u

void guest_clock_fini(struct guest_clock *c);
/* guest_clock_check - 0, or CDICT_ECORRUPT unless there are 1 to GUEST_CLOCK_KNOTS knots, ascending,
 * and the clocks' speeds differ by a tenth at most. */
int guest_clock_check(const struct guest_clock *c, struct cdict_error *err);
/* guest_clock_host_ns - the host's time, rounded down; 0 or UINT64_MAX when it is out of range.
 * Never less for a later @guest_ns. */
uint64_t guest_clock_host_ns(const struct guest_clock *c, uint64_t guest_ns);
/* guest_clock_parse, guest_clock_print - the knots as text: "GUEST:HOST GUEST:HOST"; 0, -ENOMEM, or
 * CDICT_ECORRUPT, checked as by guest_clock_check(). */
int guest_clock_parse(struct guest_clock *c, const char *knots, struct cdict_error *err);
void guest_clock_print(struct sink *out, const struct guest_clock *c);
/* guest_clock_drift - by how many parts in 1e9 the host's clock is faster, over all knots. */
double guest_clock_drift(const struct guest_clock *c);
/* guest_clock_scale - a * b / c, rounded down; UINT64_MAX if it is larger. */
uint64_t guest_clock_scale(uint64_t a, uint64_t b, uint64_t c);

#endif
