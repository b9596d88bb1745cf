// SPDX-License-Identifier: LGPL-2.1-only
/* clock_tsc.c - see clock_tsc.h. */
#include "analyze/guest/clock_tsc.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

/* Rounding, and the kernel's own: a clock that is read in an interrupt on another CPU. */
#define ERROR_NS 1000u
#define SHIFT_MAX 63u

bool tsc_conversion_parse(struct tsc_conversion *c, const char *text)
{
	int n = 0;

	return sscanf(text, "%" SCNu64 " %" SCNu32 " %" SCNu32 "%n", &c->zero_ns, &c->mult,
		      &c->shift, &n) == 3 &&
	       !text[n] && c->mult && c->shift <= SHIFT_MAX;
}

bool tsc_offset_of(struct tsc_offset *o, uint64_t *apart, const char *text, int32_t pid)
{
	bool found = false;

	*apart = 0;
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		struct tsc_offset of = { 0 };
		int32_t its_pid;
		uint32_t vcpu;
		int n = sscanf(text, "%" SCNd32 " %" SCNu32 " %" SCNd64 " %" SCNu64 " %" SCNu32,
			       &its_pid, &vcpu, &of.offset, &of.factor, &of.factor_shift);
		uint64_t by;

		if (n < 3 || n == 4 || its_pid != pid || of.factor_shift > SHIFT_MAX)
			continue;
		if (!found)
			*o = of;
		found = true;
		by = (uint64_t)of.offset - (uint64_t)o->offset;
		by = (int64_t)by < 0 ? 0 - by : by;
		*apart = by > *apart ? by : *apart;
	}
	return found;
}

static uint64_t host_of(const struct tsc_conversion *host, const struct tsc_conversion *guest,
			const struct tsc_offset *o, uint64_t guest_ns)
{
	uint64_t tsc = guest_clock_scale(guest_ns - guest->zero_ns, UINT64_C(1) << guest->shift,
					 guest->mult) -
		       (uint64_t)o->offset;

	if (o->factor)
		tsc = guest_clock_scale(tsc, UINT64_C(1) << o->factor_shift, o->factor);
	return host->zero_ns + guest_clock_scale(tsc, host->mult, UINT64_C(1) << host->shift);
}

int guest_clock_tsc(struct guest_clock *out, const struct tsc_conversion *host,
		    const struct tsc_conversion *guest, const struct tsc_offset *offset,
		    uint64_t apart, uint64_t from_ns, uint64_t to_ns, struct cdict_error *err)
{
	out->knots.n = 0;
	out->method = GUEST_CLOCK_TSC;
	out->error_ns = ERROR_NS + guest_clock_scale(apart, host->mult, UINT64_C(1) << host->shift);
	if (array_push(&out->knots,
		       (struct guest_knot){ from_ns, host_of(host, guest, offset, from_ns) }) ||
	    (to_ns > from_ns &&
	     array_push(&out->knots,
			(struct guest_knot){ to_ns, host_of(host, guest, offset, to_ns) })))
		return cdict_fail_nomem(err);
	return guest_clock_check(out, err);
}
