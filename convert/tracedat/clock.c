/* SPDX-License-Identifier: GPL-2.0-only */
/* The clocks of tracefs (Documentation/trace/ftrace.rst, trace_clock). */
#include "convert/tracedat/clock.h"

/* TRACECMD_TSYNC_FLAG_INTERPOLATE */
#define SHIFT_INTERPOLATE 1u

/* Clocks that count ns, and their names in a cdict. */
static const struct {
	const char *name, *id;
} clocks[] = {
	{ "local", "perf" }, /* sched_clock(), like perf's */
	{ "global", "perf" },
	{ "perf", "perf" },
	{ "mono", "monotonic" },
	{ "mono_raw", "monotonic_raw" },
	{ "boot", "boottime" },
	{ "tai", "tai" },
	{ "uptime", "uptime" },
	{ "tsc2nsec", "tsc" }, /* trace-cmd's name of a TSC that it scales itself */
};

const char *tracedat_clock_id(const struct tracedat *td, struct cdict_error *err)
{
	const char *clock = td->clock && *td->clock ? td->clock : "local";

	if (td->has_date)
		return "realtime";
	if (td->tsc_mult) {
		if (td->tsc_shift <= 32)
			return "tsc";
		cdict_fail(err, CDICT_ECORRUPT, CDICT_NO_OFFSET,
			   "its TSC2NSEC option shifts by %u bits", td->tsc_shift);
		return NULL;
	}
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcmp(clocks[i].name, clock))
			return clocks[i].id;
	cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
		   "its clock is '%.32s', whose tick length is not in the file; "
		   "record with trace-cmd record -C mono, or -C tsc2nsec",
		   clock);
	return NULL;
}

/* ticks * mult >> shift, exactly, without 128-bit arithmetic. */
static uint64_t scaled(uint64_t ticks, uint32_t mult, uint32_t shift)
{
	uint64_t low = (ticks & UINT32_MAX) * mult, high = (ticks >> 32) * mult;

	return (low >> shift) + (high << (32 - shift));
}

static uint64_t shifted(uint64_t ticks, uint32_t flags, const struct tracedat_shift_at *a,
			const struct tracedat_shift_at *b)
{
	uint64_t by = (uint64_t)a->offset;

	if (flags & SHIFT_INTERPOLATE) {
		int64_t span = (int64_t)((uint64_t)b->t - (uint64_t)a->t);
		int64_t rise = (int64_t)((ticks - (uint64_t)a->t) *
					 ((uint64_t)b->offset - (uint64_t)a->offset));

		/* the times differ, @a is earlier; but their difference may exceed INT64_MAX */
		if (span > 0)
			by += (uint64_t)((int64_t)((uint64_t)rise + (uint64_t)span / 2) / span);
	}
	/* before 3.1 nothing was scaled: the option contains zeros */
	if (a->scaling)
		ticks = (ticks * (uint64_t)a->scaling) >> (a->fraction & 63);
	return ticks + by;
}

static uint64_t to_host(const struct tracedat *td, uint32_t cpu, uint64_t ticks)
{
	const struct tracedat_shift *s;
	size_t lo = 0, hi;

	if (cpu >= td->shifts.n)
		return ticks;
	s = &td->shifts.at[cpu];
	if (!s->at.n)
		return ticks;
	if (s->at.n == 1)
		return ticks + (uint64_t)s->at.at[0].offset;
	/* the last entry that is not later, except the last of all */
	hi = s->at.n - 2;
	while (lo < hi) {
		size_t mid = lo + (hi - lo + 1) / 2;

		if ((int64_t)ticks >= s->at.at[mid].t)
			lo = mid;
		else
			hi = mid - 1;
	}
	return shifted(ticks, td->shift_flags, &s->at.at[lo], &s->at.at[lo + 1]);
}

uint64_t tracedat_ns(const struct tracedat *td, uint32_t cpu, uint64_t ticks)
{
	ticks = to_host(td, cpu, ticks);
	if (td->tsc_mult)
		ticks = scaled(ticks, td->tsc_mult, td->tsc_shift);
	return ticks + (uint64_t)td->offset_ns;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Of sample @k, the second or a later one. */
static uint64_t scatter(const struct tracedat *td, const struct tracedat_shift *s, size_t k)
{
	const struct tracedat_shift_at *at = &s->at.at[k];
	uint64_t ticks = (uint64_t)at->t, to = shifted(ticks, 0, at, at);

	if (!(td->shift_flags & SHIFT_INTERPOLATE) || s->at.n == 2)
		return distance(shifted(ticks, 0, at - 1, at), to);
	return k + 1 < s->at.n ? distance(shifted(ticks, td->shift_flags, at - 1, at + 1), to) : 0;
}

bool tracedat_shift_error(const struct tracedat *td, uint64_t *ns)
{
	bool any = false;

	*ns = 0;
	for (size_t i = 0; i < td->shifts.n; i++) {
		for (size_t k = 1; k < td->shifts.at[i].at.n; k++) {
			uint64_t by = scatter(td, &td->shifts.at[i], k);

			by = td->tsc_mult ? scaled(by, td->tsc_mult, td->tsc_shift) : by;
			*ns = by > *ns ? by : *ns;
			any = true;
		}
	}
	return any;
}
