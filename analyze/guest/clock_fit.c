// SPDX-License-Identifier: LGPL-2.1-only
/* clock_fit.c - see clock_fit.h. First each bin of possible offsets is dropped in which some event of a
 * short part of the guest's recording would be outside of guest mode. The band of lines through each
 * bin left is then narrowed by all events, from the middle of that part outwards. */
#include "analyze/guest/clock_fit.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/guest/clock_band.h"
#include "base/fail.h"

/* The largest difference of speeds that is searched: NTP slews a clock by 500 ppm at most. */
#define SLOPE_MAX 1e-3
/* Beyond this the bounds are called too loose. */
#define ERROR_MAX_NS 1e6
#define EVENTS_MIN 32u
/* The part of the guest's recording for the first search. */
#define PART_NS 50e6
#define PART_MAX_NS 1e9
#define PART_EVENTS 400u
#define PART_EVENTS_MAX 2000u
#define SLACK_NS 20e3
#define SAMPLES 256u /* of each vCPU's events, to test a bin */
#define BINS_MAX ((size_t)64 << 20)
#define BINS_ONCE ((size_t)1 << 20) /* in memory */
#define GUESS_NS 2e9
#define SPREAD 1000003u /* prime */
/* Steps of a search, and of dropping bins before it: less than a second each, and more for many spans. */
#define STEPS_MAX 5e7
#define DROPS_MAX 1e8
#define DROPS_PER_SPAN 100
#define ENDLESS (UINT64_C(1) << 61)

struct fit {
	const struct fit_input *in;
	uint64_t host_ns, guest_ns; /* zero of the times below */
	double host_end, guest_end; /* last times */
	double middle;              /* of the part, guest's time */
	double half;                /* half its length */
	double from, to;            /* offsets: host's minus guest's time at the middle */
	size_t events;
	double steps, drops;
	/* of the line that came furthest */
	size_t best_events;
	double best_miss;
};

/* Exact up to some months; what is open at an end is beyond every time. */
static double relative(uint64_t t_ns, uint64_t zero_ns)
{
	if (t_ns > zero_ns)
		return t_ns - zero_ns < ENDLESS ? (double)(t_ns - zero_ns) : (double)ENDLESS;
	return -(double)(zero_ns - t_ns);
}

static double guest_at(const struct fit *f, const struct fit_vcpu *v, size_t i)
{
	return relative(v->events.at[i], f->guest_ns);
}

/* The first event at @at or later. */
static size_t event_from(const struct fit *f, const struct fit_vcpu *v, double at)
{
	size_t lo = 0, hi = v->events.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (guest_at(f, v, mid) < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The first span that ends at @at or later. */
static size_t span_from(const struct fit *f, const struct fit_vcpu *v, double at)
{
	size_t lo = 0, hi = v->entered.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (relative(v->entered.at[mid].to_ns, f->host_ns) < at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static size_t events_within(const struct fit *f, double from, double to)
{
	size_t n = 0;

	for (size_t i = 0; i < f->in->n; i++)
		n += event_from(f, &f->in->vcpus[i], to) - event_from(f, &f->in->vcpus[i], from);
	return n;
}

/* --- one band --- */

struct progress {
	size_t events;
	double miss; /* by how much the first event that does not fit is outside */
};

static double span_end(const struct fit *f, const struct fit_vcpu *v, size_t i)
{
	return relative(v->entered.at[i].to_ns, f->host_ns);
}

static double span_begin(const struct fit *f, const struct fit_vcpu *v, size_t i)
{
	return relative(v->entered.at[i].from_ns, f->host_ns);
}

static bool narrow_by_event(const struct fit *f, const struct fit_vcpu *v, size_t event,
			    struct band *band, struct progress *p)
{
	double at = guest_at(f, v, event), x = at - f->middle, low = 0, high = 0, begin, end;
	size_t first, last;

	band_at(band, x, &low, &high);
	first = span_from(f, v, at + low);
	if (first == v->entered.n || span_begin(f, v, first) > at + high) {
		double after = first < v->entered.n ? span_begin(f, v, first) - (at + high)
						    : (double)ENDLESS;
		double before = first ? at + low - span_end(f, v, first - 1) : (double)ENDLESS;

		p->miss = fmin(after, before);
		return false;
	}
	for (last = first; last + 1 < v->entered.n && span_begin(f, v, last + 1) <= at + high;)
		last++;
	begin = span_begin(f, v, first) - at;
	end = span_end(f, v, last) - at;
	p->events++;
	p->miss = 0;
	return (begin <= low || band_above(band, x, begin)) &&
	       (end >= high || band_below(band, x, end));
}

/* Whether some events all over the recording could be in guest mode; *passed: how many of them, up to
 * the first that could not. */
static bool plausible(const struct fit *f, const struct band *band, size_t *passed)
{
	*passed = 0;
	for (size_t i = 0; i < f->in->n; i++) {
		const struct fit_vcpu *v = &f->in->vcpus[i];
		size_t stride = v->events.n / SAMPLES + 1;

		for (size_t e = stride / 2; e < v->events.n; e += stride) {
			double at = guest_at(f, v, e), low = 0, high = 0;
			size_t s;

			band_at(band, at - f->middle, &low, &high);
			s = span_from(f, v, at + low);
			if (s == v->entered.n || span_begin(f, v, s) > at + high)
				return false;
			(*passed)++;
		}
	}
	return true;
}

/* Narrows the band by the events up to @most from the middle, the nearest first. */
static bool narrow(struct fit *f, struct band *band, double most, struct progress *p)
{
	double done = 0, next = fmin(f->half / 8 + 1, most);

	*p = (struct progress){ 0 };
	for (;; done = next, next = fmin(next * 1.5, most)) {
		for (size_t i = 0; i < f->in->n; i++) {
			const struct fit_vcpu *v = &f->in->vcpus[i];
			size_t from = event_from(f, v, f->middle - next),
			       inner = event_from(f, v, f->middle - done),
			       outer = event_from(f, v, f->middle + done),
			       to = event_from(f, v, f->middle + next + 1);

			if (done <= 0)
				inner = outer;
			for (size_t e = inner; e-- > from;)
				if (!narrow_by_event(f, v, e, band, p))
					return false;
			for (size_t e = outer; e < to; e++)
				if (!narrow_by_event(f, v, e, band, p))
					return false;
		}
		if (next >= most)
			return true;
	}
}

/* --- all offsets --- */

/* The bins of offsets that are left: numbers, ascending. */
struct bins {
	uint32_t *left; /* owned */
	size_t n, last; /* last: one of those dropped last */
	double width, slack;
	struct {
		size_t vcpu, event;
	} * part; /* owned: the events that are tried */
	size_t n_part;
};

/* The first span from @s on that ends at @at or later: doubling steps, as it is near. */
static size_t span_on(const struct fit *f, const struct fit_vcpu *v, size_t s, double at)
{
	size_t step = 1, hi = s;

	while (hi < v->entered.n && span_end(f, v, hi) < at) {
		s = hi + 1;
		hi += step;
		step *= 2;
	}
	hi = hi < v->entered.n ? hi : v->entered.n;
	while (s < hi) {
		size_t mid = s + (hi - s) / 2;

		if (span_end(f, v, mid) < at)
			s = mid + 1;
		else
			hi = mid;
	}
	return s;
}

/* Drops the bins in which the event would be outside of guest mode whatever the offset: one sweep over
 * bins and spans. */
static void drop_bins(const struct fit *f, struct bins *b, const struct fit_vcpu *v, size_t event)
{
	double at = guest_at(f, v, event) + f->from - b->slack;
	size_t kept = 0, s = span_from(f, v, at + b->width * (double)b->left[0]);

	for (size_t i = 0; i < b->n; i++) {
		double first = at + b->width * (double)b->left[i];

		s = span_on(f, v, s, first);
		if (s && s < v->entered.n && span_begin(f, v, s) >= first + b->width + 2 * b->slack)
			b->last = b->left[i];
		else
			b->left[kept++] = b->left[i];
	}
	b->n = kept;
}

/* Keeps those of @n bins from @first on that the events of the part allow, events far apart first: the
 * first few drop most bins. */
static void choose_bins(struct fit *f, struct bins *b, size_t first, size_t n)
{
	for (b->n = 0; b->n < n; b->n++)
		b->left[b->n] = (uint32_t)(first + b->n);
	for (size_t i = 0; i < b->n_part && b->n; i++) {
		size_t k = i * SPREAD % b->n_part;

		f->drops -= (double)b->n;
		if (f->drops < 0)
			break;
		drop_bins(f, b, &f->in->vcpus[b->part[k].vcpu], b->part[k].event);
	}
}

static int bins_init(const struct fit *f, struct bins *b)
{
	size_t all = events_within(f, f->middle - f->half, f->middle + f->half);
	size_t stride = all / PART_EVENTS_MAX + 1;

	b->left = malloc(BINS_ONCE * sizeof(*b->left));
	b->part = malloc(PART_EVENTS_MAX * sizeof(*b->part));
	for (size_t i = 0; i < f->in->n && b->part; i++) {
		const struct fit_vcpu *v = &f->in->vcpus[i];
		size_t e = event_from(f, v, f->middle - f->half),
		       end = event_from(f, v, f->middle + f->half);

		for (; e < end && b->n_part < PART_EVENTS_MAX; e += stride) {
			b->part[b->n_part].vcpu = i;
			b->part[b->n_part++].event = e;
		}
	}
	return b->left && b->part ? 0 : -ENOMEM;
}

static void bins_fini(struct bins *b)
{
	free(b->left);
	free(b->part);
}

/* The lines that are left, as their range at both ends of the part that both sides recorded. */
struct left {
	double begin, end; /* guest's time */
	double begin_low, begin_high, end_low, end_high;
	size_t bin; /* the last one */
	bool any;
	double apart; /* the least distance to other lines that also fit, or 0 */
};

static void keep(struct fit *f, struct left *left, const struct band *band, size_t bin)
{
	double bl = 0, bh = 0, el = 0, eh = 0;

	if (!left->any) {
		band_at(band, 0, &bl, &bh);
		left->begin = floor(fmax(0, -bl));
		left->end = floor(fmax(left->begin, fmin(f->guest_end, f->host_end - bl)));
	}
	band_at(band, left->begin - f->middle, &bl, &bh);
	band_at(band, left->end - f->middle, &el, &eh);
	if (left->any && left->bin + 1 != bin) {
		double apart = fabs(
			(bl + bh + el + eh) / 4 -
			(left->begin_low + left->begin_high + left->end_low + left->end_high) / 4);

		left->apart = left->apart > 0 ? fmin(left->apart, apart) : apart;
		left->bin = bin;
		return;
	}
	left->bin = bin;
	left->begin_low = left->any ? fmin(left->begin_low, bl) : bl;
	left->begin_high = left->any ? fmax(left->begin_high, bh) : bh;
	left->end_low = left->any ? fmin(left->end_low, el) : el;
	left->end_high = left->any ? fmax(left->end_high, eh) : eh;
	left->any = true;
}

static void remember(struct fit *f, const struct progress *p)
{
	if (p->events < f->best_events)
		return;
	f->best_events = p->events;
	f->best_miss = p->miss;
}

/* Narrows the lines of each bin that is left. */
static void search_bins(struct fit *f, const struct bins *b, struct left *left, size_t *best)
{
	double whole = f->guest_end + 1;
	size_t best_passed = 0, passed;
	struct progress p;
	struct band band;

	for (size_t i = 0; i < b->n && f->steps < STEPS_MAX; i++) {
		double from = f->from + b->width * (double)b->left[i];
		bool plausibly;

		band_init(&band, from, from + b->width, -SLOPE_MAX, SLOPE_MAX);
		plausibly = plausible(f, &band, &passed);
		f->steps += (double)passed + 1;
		if (!plausibly) {
			*best = passed >= best_passed ? b->left[i] : *best;
			best_passed = passed >= best_passed ? passed : best_passed;
			continue;
		}
		for (int pass = 0; pass < 3; pass++) {
			bool fits = narrow(f, &band, pass ? whole : f->half, &p);

			f->steps += (double)p.events;
			if (!fits ||
			    p.events == f->events) /* pass 2 separates spans that pass 1 joined */
				remember(f, &p);
			if (!fits)
				break;
			if (pass == 2)
				keep(f, left, &band, b->left[i]);
		}
	}
}

static int search(struct fit *f, struct left *left)
{
	double range = f->to - f->from;
	struct bins b = { .slack = SLOPE_MAX * f->half + SLACK_NS };
	size_t bins, best = 0;
	struct progress p;
	struct band band;

	*left = (struct left){ 0 };
	b.width = fmax(b.slack / 2, range / (double)BINS_MAX);
	bins = (size_t)(range / b.width) + 1;
	if (bins_init(f, &b)) {
		bins_fini(&b);
		return -ENOMEM;
	}
	for (size_t first = 0; first < bins && f->steps < STEPS_MAX; first += BINS_ONCE) {
		size_t n = bins - first < BINS_ONCE ? bins - first : BINS_ONCE;

		choose_bins(f, &b, first, n);
		if (f->drops < 0 || (b.n == n && n > 1)) /* no offset is excluded */
			f->steps = STEPS_MAX;
		best = b.n ? best : b.last;
		search_bins(f, &b, left, &best);
	}
	bins_fini(&b);
	if (!left->any && !f->best_events) { /* how far the best one comes */
		band_init(&band, f->from + b.width * (double)best,
			  f->from + b.width * (double)(best + 1), -SLOPE_MAX, SLOPE_MAX);
		if (!narrow(f, &band, f->guest_end + 1, &p))
			remember(f, &p);
	}
	return 0;
}

/* --- all --- */

/* The event nearest to @at: only some parts of a long recording are read. */
static double nearest_event(const struct fit *f, double at)
{
	double nearest = 0, away = INFINITY;

	for (size_t i = 0; i < f->in->n; i++) {
		const struct fit_vcpu *v = &f->in->vcpus[i];
		size_t e = event_from(f, v, at);

		for (size_t k = e ? e - 1 : e; k < v->events.n && k <= e; k++) {
			double t = guest_at(f, v, k);

			nearest = fabs(t - at) < away ? t : nearest;
			away = fmin(away, fabs(t - at));
		}
	}
	return nearest;
}

/* Sets the middle and length of the part, within the overlap by @offset. */
static void choose_part(struct fit *f, double offset)
{
	double from = fmax(0, -offset), to = fmin(f->guest_end, f->host_end - offset);

	if (from >= to) {
		from = 0;
		to = f->guest_end;
	}
	f->middle = nearest_event(f, floor((from + to) / 2));
	for (f->half = PART_NS;
	     f->half < PART_MAX_NS &&
	     events_within(f, f->middle - f->half, f->middle + f->half) < PART_EVENTS;)
		f->half *= 1.5;
}

static void bounds(struct fit *f)
{
	uint64_t host_first = UINT64_MAX, host_last = 0, guest_first = UINT64_MAX, guest_last = 0;

	for (size_t i = 0; i < f->in->n; i++) {
		const struct fit_vcpu *v = &f->in->vcpus[i];

		if (!v->events.n || v->last_ns <= v->first_ns)
			continue;
		f->events += v->events.n;
		f->drops += DROPS_PER_SPAN * (double)v->entered.n;
		host_first = v->first_ns < host_first ? v->first_ns : host_first;
		host_last = v->last_ns > host_last ? v->last_ns : host_last;
		guest_first = v->events.at[0] < guest_first ? v->events.at[0] : guest_first;
		if (v->events.at[v->events.n - 1] > guest_last)
			guest_last = v->events.at[v->events.n - 1];
	}
	f->host_ns = host_first;
	f->guest_ns = guest_first;
	f->host_end = relative(host_last, host_first);
	f->guest_end = relative(guest_last, guest_first);
}

/* The line in the middle, and half of the width at its wider end. */
static int line(struct guest_clock *out, const struct fit *f, const struct left *left,
		struct cdict_error *err)
{
	double begin = (left->begin_low + left->begin_high) / 2,
	       end = (left->end_low + left->end_high) / 2;
	double error = fmax(left->begin_high - left->begin_low, left->end_high - left->end_low) / 2;
	struct guest_knot knots[2] = {
		{ f->guest_ns + (uint64_t)left->begin,
		  f->host_ns + (uint64_t)(int64_t)llround(left->begin + begin) },
		{ f->guest_ns + (uint64_t)left->end,
		  f->host_ns + (uint64_t)(int64_t)llround(left->end + end) },
	};
	struct guest_clock clock = { .method = GUEST_CLOCK_FIT,
				     .error_ns = (uint64_t)ceil(error) + 2 }; /* rounding */

	if (error > ERROR_MAX_NS)
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				  "the events of both recordings bound the guest's clock to "
				  "+-%.3f ms only, expected %.3f ms or less",
				  error / 1e6, ERROR_MAX_NS / 1e6);
	if (array_push(&clock.knots, knots[0]) ||
	    (knots[1].guest_ns > knots[0].guest_ns && array_push(&clock.knots, knots[1]))) {
		guest_clock_fini(&clock);
		return cdict_fail_nomem(err);
	}
	*out = clock;
	return 0;
}

static int refuse(const struct fit *f, const struct left *left, struct cdict_error *err)
{
	if (left->apart > 0)
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				  "lines %.3f ms apart fit the events of both recordings equally",
				  left->apart / 1e6);
	if (f->steps >= STEPS_MAX)
		return cdict_fail(
			err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
			"too many of the offsets that are possible%s, within %.3f s, fit the "
			"vCPUs' time in guest mode for some time",
			f->in->guessed ? "" : " without wall clocks", (f->to - f->from) / 1e9);
	return cdict_fail(
		err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
		"no line fits the events of both recordings: the best one fits %zu of the "
		"guest's %zu events, and misses the next one by %.3f ms",
		f->best_events, f->events, f->best_miss / 1e6);
}

int fit_clock(struct guest_clock *out, const struct fit_input *in, struct cdict_error *err)
{
	struct fit f = { .in = in, .drops = DROPS_MAX };
	struct left left = { 0 };
	double first, last, overlap, guess;

	bounds(&f);
	if (f.events < EVENTS_MIN)
		return cdict_fail(
			err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
			"the guest has %zu events on vCPUs that the host recorded, at least "
			"%u relate the clocks",
			f.events, EVENTS_MIN);
	overlap = fmin(f.host_end, f.guest_end) / 2;
	first = overlap - f.guest_end;
	last = f.host_end - overlap;
	guess = in->guessed ? relative((uint64_t)in->guess_ns + f.guest_ns, f.host_ns) : 0;
	if (in->guessed && guess > first - GUESS_NS && guess < last + GUESS_NS) {
		f.from = fmax(first, guess - GUESS_NS);
		f.to = fmin(last, guess + GUESS_NS);
		choose_part(&f, guess);
		if (f.from < f.to && search(&f, &left))
			return cdict_fail_nomem(err);
	}
	if (!left.any && (!in->guessed || f.from > first || f.to < last)) {
		f.from = first;
		f.to = last;
		f.steps = 0;
		choose_part(&f, (first + last) / 2);
		if (search(&f, &left))
			return cdict_fail_nomem(err);
	}
	if (!left.any || left.apart > 0 || f.steps >= STEPS_MAX)
		return refuse(&f, &left, err);
	return line(out, &f, &left, err);
}
