// SPDX-License-Identifier: LGPL-2.1-only
/* clock.c - see clock.h. */
#include "analyze/guest/clock.h"

#include <errno.h>
#include <inttypes.h>

#include "base/fail.h"
#include "base/saturate.h"

static const char *const names[GUEST_CLOCK_METHODS] = { "given", "tsc", "trace.dat", "fit" };

const char *guest_clock_method_name(enum guest_clock_method method)
{
	return names[method];
}

void guest_clock_fini(struct guest_clock *c)
{
	array_fini(&c->knots);
}

int guest_clock_check(const struct guest_clock *c, struct cdict_error *err)
{
	if (!c->knots.n || c->knots.n > GUEST_CLOCK_KNOTS)
		return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
				  "the guest's clock has %zu knots, expected 1 to %u", c->knots.n,
				  GUEST_CLOCK_KNOTS);
	for (size_t i = 1; i < c->knots.n; i++) {
		const struct guest_knot *a = &c->knots.at[i - 1], *b = &c->knots.at[i];
		uint64_t guest_ns = b->guest_ns - a->guest_ns, host_ns = b->host_ns - a->host_ns,
			 apart = guest_ns > host_ns ? guest_ns - host_ns : host_ns - guest_ns;

		if (b->guest_ns <= a->guest_ns || b->host_ns <= a->host_ns)
			return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
					  "knots of the guest's clock do not ascend");
		if (apart > guest_ns / 10 + 1)
			return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
					  "the guest's clock runs at %.3f times the host's speed",
					  (double)guest_ns / (double)host_ns);
	}
	return 0;
}

/* a * b / c, rounded down or, with @up, up; UINT64_MAX if it is larger. */
static uint64_t scale(uint64_t a, uint64_t b, uint64_t c, bool up)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 p = (unsigned __int128)a * b;
	unsigned __int128 q = (p + (up ? c - 1 : 0)) / c;

	return q > UINT64_MAX ? UINT64_MAX : (uint64_t)q;
#else
	uint64_t low = (uint32_t)a * (b & UINT32_MAX), mid1 = (a >> 32) * (b & UINT32_MAX),
		 mid2 = (uint32_t)a * (b >> 32),
		 mid = (low >> 32) + (uint32_t)mid1 + (uint32_t)mid2;
	uint64_t high = (a >> 32) * (b >> 32) + (mid1 >> 32) + (mid2 >> 32) + (mid >> 32);
	uint64_t q = 0;

	low = mid << 32 | (uint32_t)low;
	if (high >= c)
		return UINT64_MAX;
	for (int i = 0; i < 64; i++) {
		bool carry = high >> 63;

		high = high << 1 | low >> 63;
		low <<= 1;
		q <<= 1;
		if (carry || high >= c) {
			high -= c;
			q |= 1;
		}
	}
	return up && high && q != UINT64_MAX ? q + 1 : q;
#endif
}

uint64_t guest_clock_scale(uint64_t a, uint64_t b, uint64_t c)
{
	return scale(a, b, c, false);
}

uint64_t guest_clock_host_ns(const struct guest_clock *c, uint64_t guest_ns)
{
	const struct guest_knot *k = c->knots.at, *a;
	size_t lo = 0, hi = c->knots.n > 1 ? c->knots.n - 2 : 0;
	uint64_t dg = 1, dh = 1, ns;

	/* The last knot that is not later, but the last one of all. */
	while (lo < hi) {
		size_t mid = lo + (hi - lo + 1) / 2;

		if (guest_ns >= k[mid].guest_ns)
			lo = mid;
		else
			hi = mid - 1;
	}
	a = &k[lo];
	if (c->knots.n > 1) {
		dg = k[lo + 1].guest_ns - a->guest_ns;
		dh = k[lo + 1].host_ns - a->host_ns;
	}
	if (guest_ns >= a->guest_ns) {
		ns = guest_ns - a->guest_ns;
		return saturated_sum(a->host_ns, dg == dh ? ns : scale(ns, dh, dg, false));
	}
	ns = a->guest_ns - guest_ns;
	ns = dg == dh ? ns : scale(ns, dh, dg, true);
	return ns < a->host_ns ? a->host_ns - ns : 0;
}

static bool number(const char **at, char end, uint64_t *v)
{
	const char *s = *at;

	*v = 0;
	if (*s < '0' || *s > '9')
		return false;
	for (; *s >= '0' && *s <= '9'; s++)
		if (__builtin_mul_overflow(*v, UINT64_C(10), v) ||
		    __builtin_add_overflow(*v, (uint64_t)(*s - '0'), v))
			return false;
	if (*s != end && !(end == ' ' && !*s))
		return false;
	*at = *s ? s + 1 : s;
	return true;
}

int guest_clock_parse(struct guest_clock *c, const char *knots, struct cdict_error *err)
{
	c->knots.n = 0;
	while (*knots && c->knots.n <= GUEST_CLOCK_KNOTS) {
		struct guest_knot *k = array_add(&c->knots);

		if (!k)
			return cdict_fail_nomem(err);
		if (!number(&knots, ':', &k->guest_ns) || !number(&knots, ' ', &k->host_ns))
			return cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
					  "the guest's clock is not a list of GUEST_NS:HOST_NS");
	}
	return guest_clock_check(c, err);
}

void guest_clock_print(struct sink *out, const struct guest_clock *c)
{
	for (size_t i = 0; i < c->knots.n; i++)
		sink_printf(out, "%s%" PRIu64 ":%" PRIu64, i ? " " : "", c->knots.at[i].guest_ns,
			    c->knots.at[i].host_ns);
}

double guest_clock_drift(const struct guest_clock *c)
{
	const struct guest_knot *first = c->knots.at, *last = first + c->knots.n - 1;
	double guest_ns = (double)(last->guest_ns - first->guest_ns);

	return c->knots.n < 2
		       ? 0
		       : ((double)(last->host_ns - first->host_ns) - guest_ns) / guest_ns * 1e9;
}
