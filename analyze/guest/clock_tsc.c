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

/* y of the line through two points at @x, rounded down. */
static uint64_t on_line(uint64_t x, const uint64_t xs[2], const uint64_t ys[2])
{
	uint64_t dx = xs[1] - xs[0], dy = ys[1] - ys[0];

	return x >= xs[0] ? ys[0] + guest_clock_scale(x - xs[0], dy, dx)
			  : ys[0] - guest_clock_scale(xs[0] - x, dy, dx);
}

static bool point(const char *text, uint64_t *tsc, uint64_t *ns, uint64_t *apart)
{
	uint64_t before, after;
	int n = 0;

	if (!text ||
	    sscanf(text, "%" SCNu64 " %" SCNu64 " %" SCNu64 "%n", &before, &after, ns, &n) != 3 ||
	    text[n] || after < before)
		return false;
	*tsc = before + (after - before) / 2;
	*apart = after - before > *apart ? after - before : *apart;
	return true;
}

bool tsc_line_of(struct tsc_line *l, const char *conversion, const char *start, const char *end)
{
	uint64_t apart = 0;
	int n = 0;

	*l = (struct tsc_line){ 0 };
	if (conversion &&
	    sscanf(conversion, "%" SCNu64 " %" SCNu32 " %" SCNu32 "%n", &l->zero_ns, &l->mult,
		   &l->shift, &n) == 3 &&
	    !conversion[n] && l->mult && l->shift <= SHIFT_MAX)
		return true;
	l->mult = 0;
	if (!point(start, &l->tsc[0], &l->ns[0], &apart) ||
	    !point(end, &l->tsc[1], &l->ns[1], &apart) || l->tsc[1] <= l->tsc[0] ||
	    l->ns[1] <= l->ns[0])
		return false;
	l->error_ns = guest_clock_scale(apart, l->ns[1] - l->ns[0], l->tsc[1] - l->tsc[0]);
	return true;
}

static uint64_t tsc_at(const struct tsc_line *l, uint64_t ns)
{
	return l->mult ? guest_clock_scale(ns - l->zero_ns, UINT64_C(1) << l->shift, l->mult)
		       : on_line(ns, l->ns, l->tsc);
}

static uint64_t ns_at(const struct tsc_line *l, uint64_t tsc)
{
	return l->mult ? l->zero_ns + guest_clock_scale(tsc, l->mult, UINT64_C(1) << l->shift)
		       : on_line(tsc, l->tsc, l->ns);
}

bool tsc_offset_of(struct tsc_offset *o, uint64_t *apart, const char *text, int32_t pid)
{
	bool found = false;

	*apart = 0;
	for (; *text; text += strcspn(text, "\n"), text += *text == '\n') {
		struct tsc_offset of = { 0 };
		char line[128]; /* sscanf() would go on in the next one */
		int32_t its_pid;
		uint32_t vcpu;
		int n;
		uint64_t by;

		snprintf(line, sizeof(line), "%.*s", (int)strcspn(text, "\n"), text);
		n = sscanf(line, "%" SCNd32 " %" SCNu32 " %" SCNd64 " %" SCNu64 " %" SCNu32,
			   &its_pid, &vcpu, &of.offset, &of.factor, &of.factor_shift);
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

static uint64_t host_of(const struct tsc_line *host, const struct tsc_line *guest,
			const struct tsc_offset *o, uint64_t guest_ns)
{
	uint64_t tsc = tsc_at(guest, guest_ns) - (uint64_t)o->offset;

	if (o->factor)
		tsc = guest_clock_scale(tsc, UINT64_C(1) << o->factor_shift, o->factor);
	return ns_at(host, tsc);
}

int guest_clock_tsc(struct guest_clock *out, const struct tsc_line *host,
		    const struct tsc_line *guest, const struct tsc_offset *offset, uint64_t apart,
		    uint64_t from_ns, uint64_t to_ns, struct cdict_error *err)
{
	uint64_t begin_ns = host_of(host, guest, offset, from_ns),
		 /* the offsets' difference in time: how far the line moves by so many ticks */
		moved_ns = ns_at(host, tsc_at(guest, from_ns) + apart) -
			   ns_at(host, tsc_at(guest, from_ns));

	out->knots.n = 0;
	out->method = GUEST_CLOCK_TSC;
	out->error_ns = ERROR_NS + moved_ns + host->error_ns + guest->error_ns;
	if (array_push(&out->knots, (struct guest_knot){ from_ns, begin_ns }) ||
	    (to_ns > from_ns &&
	     array_push(&out->knots,
			(struct guest_knot){ to_ns, host_of(host, guest, offset, to_ns) })))
		return cdict_fail_nomem(err);
	return guest_clock_check(out, err);
}
