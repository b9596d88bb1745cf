/* SPDX-License-Identifier: GPL-2.0-only */
/* Values to positions, and the ticks of an axis. */
#include "render/draw/scale.h"

#include <math.h>
#include <stdio.h>

double scale_at(const struct scale *s, double v)
{
	double lo = s->lo, hi = s->hi, part;

	if (s->log) {
		lo = log10(lo);
		hi = log10(hi);
		v = v > 0 ? log10(v) : lo;
	}
	part = hi > lo ? (v - lo) / (hi - lo) : 0;
	part = part < 0 ? 0 : part > 1 ? 1 : part;
	return s->from + part * (s->to - s->from);
}

double scale_step(double raw)
{
	static const double steps[] = { 1, 2, 5, 10 };
	double ten;

	if (!(raw > 0))
		return 1;
	ten = pow(10, floor(log10(raw)));
	for (unsigned i = 0; i < 4; i++) {
		if (steps[i] * ten >= raw * (1 - 1e-9))
			return steps[i] * ten;
	}
	return 10 * ten;
}

/* Decimals that distinguish multiples of @step. */
static int decimals(double step)
{
	int n = 0;

	while (n < 9 && fabs(step - nearbyint(step)) > 1e-6 * step) {
		step *= 10;
		n++;
	}
	return n;
}

/* Multiples of the step in [lo, hi], as numbers of @unit_size. */
static size_t linear(struct scale_tick *out, double lo, double hi, double step, double unit_size,
		     const char *unit)
{
	double k = ceil(lo / step - 1e-9) + 0.0; /* no -0 */
	char grouped[NUMBER_ROOM];
	size_t n = 0;

	for (; n < SCALE_TICKS && k * step <= hi * (1 + 1e-12); k++) {
		struct scale_tick *t = &out[n++];

		*t = (struct scale_tick){ .at = k * step };
		if (k == 0)
			snprintf(t->label, sizeof(t->label), "0");
		else if (t->at / unit_size >= 1000 && !decimals(step / unit_size))
			snprintf(t->label, sizeof(t->label), "%s%s",
				 number_grouped(grouped, (uint64_t)(t->at / unit_size + 0.5)),
				 unit);
		else
			snprintf(t->label, sizeof(t->label), "%.*f%s", decimals(step / unit_size),
				 t->at / unit_size, unit);
	}
	return n;
}

size_t scale_ticks_time(struct scale_tick *out, double lo_ns, double hi_ns, unsigned most)
{
	static const char *const units[] = { " ns", " µs", " ms", " s" };
	static const double sizes[] = { 1, 1e3, 1e6, 1e9 };
	double step = scale_step((hi_ns - lo_ns) / (most ? most : 1));
	unsigned unit = 0;

	if (step < 1)
		step = 1;
	while (unit < 3 && hi_ns >= sizes[unit + 1])
		unit++;
	return linear(out, lo_ns, hi_ns, step, sizes[unit], units[unit]);
}

size_t scale_ticks_count(struct scale_tick *out, double lo, double hi, unsigned most,
			 const char *unit)
{
	double step = scale_step((hi - lo) / (most ? most : 1)), size = 1;
	char text[TEXT_ROOM];
	const char *k = "";

	if (hi >= 1e10) {
		size = 1e9;
		k = "G";
	} else if (hi >= 1e7) {
		size = 1e6;
		k = "M";
	} else if (hi >= 1e4) {
		size = 1e3;
		k = "k";
	}
	snprintf(text, sizeof(text), "%s%s", k, unit);
	return linear(out, lo, hi, step, size, text);
}

size_t scale_ticks_log(struct scale_tick *out, double lo_ns, double hi_ns, unsigned most)
{
	int first = (int)floor(log10(lo_ns) + 1e-9), last = (int)floor(log10(hi_ns) + 1e-9);
	int every = 1;
	size_t n = 0;

	while (most && (last - first) / every + 1 > (int)most)
		every++;
	for (int e = first; e <= last; e++) {
		double ten = pow(10, e);

		for (int m = 1; m < 10 && n < SCALE_TICKS; m++) {
			double at = m * ten;

			if (at < lo_ns * (1 - 1e-9) || at > hi_ns * (1 + 1e-9))
				continue;
			out[n] = (struct scale_tick){ .at = at, .minor = m > 1 || e % every };
			if (!out[n].minor)
				text_duration(out[n].label, nearbyint(at));
			n++;
		}
	}
	return n;
}
