/* SPDX-License-Identifier: GPL-2.0-only */
/* A guest's clock from the events of both recordings: made-up vCPUs with a known offset and drift. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/guest/clock_band.h"
#include "analyze/guest/clock_fit.h"

/* The guest's clock at the host's zero, and by how much it is slower. */
struct truth {
	int64_t guest_ns;
	double drift;
};

struct made {
	struct fit_vcpu vcpus[4];
	size_t n;
	struct truth truth;
	uint64_t seed;
};

static uint64_t roll(struct made *m, uint64_t below)
{
	m->seed = m->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (m->seed >> 33) % below;
}

#define ZERO_NS UINT64_C(5000000000000) /* the host's clock when it begins to record */

static uint64_t guest_of(const struct made *m, uint64_t host_ns)
{
	double since = (double)(host_ns - ZERO_NS);

	return (uint64_t)((int64_t)ZERO_NS + m->truth.guest_ns) +
	       (uint64_t)floor(since * (1 - m->truth.drift));
}

/* Runs of 50 us to 3 ms and halts of up to 6 ms. The host's events are up to 5 us before the guest's run
 * and up to @late_ns after it. */
static void make(struct made *m, size_t n, uint64_t length_ns, uint64_t late_ns)
{
	m->n = n;
	for (size_t c = 0; c < n; c++) {
		struct fit_vcpu *v = &m->vcpus[c];
		uint64_t t = ZERO_NS + roll(m, 4000000);

		v->first_ns = t;
		assert_int_equal(array_push(&v->entered, ((struct fit_span){ 0, t })), 0);
		while (t < ZERO_NS + length_ns) {
			uint64_t begin = t + 1 + roll(m, 5000), end;

			for (end = begin + 50000 + roll(m, 3000000);;) {
				uint64_t ev = begin + roll(m, 300000);

				if (ev >= end)
					break;
				assert_int_equal(array_push(&v->events, guest_of(m, ev)), 0);
				begin = ev + 1;
			}
			v->last_ns = end + roll(m, late_ns);
			assert_int_equal(
				array_push(&v->entered, ((struct fit_span){ t, v->last_ns })), 0);
			t = v->last_ns + 20000 + roll(m, roll(m, 3) ? 200000 : 6000000);
		}
		assert_int_equal(array_push(&v->entered,
					    ((struct fit_span){ v->last_ns + 1, UINT64_MAX })),
				 0);
	}
}

static void fini(struct made *m)
{
	for (size_t i = 0; i < m->n; i++)
		fit_vcpu_fini(&m->vcpus[i]);
}

static int fit(struct guest_clock *clock, const struct made *m, const int64_t *guess_ns,
	       struct cdict_error *err)
{
	struct fit_input in = { .vcpus = m->vcpus, .n = m->n };

	if (guess_ns) {
		in.guessed = true;
		in.guess_ns = *guess_ns;
	}
	*err = (struct cdict_error){ 0 };
	return fit_clock(clock, &in, err);
}

/* The largest distance from the truth over the recording. */
static uint64_t distance(const struct guest_clock *c, const struct made *m, uint64_t length_ns)
{
	uint64_t worst = 0;

	for (int i = 0; i <= 16; i++) {
		uint64_t host = ZERO_NS + length_ns / 16 * (uint64_t)i;
		uint64_t got = guest_clock_host_ns(c, guest_of(m, host));
		uint64_t apart = got > host ? got - host : host - got;

		worst = apart > worst ? apart : worst;
	}
	return worst;
}

static void offset_and_drift_are_found_within_the_stated_error(void **state)
{
	static const struct {
		struct truth truth;
		size_t vcpus;
		uint64_t length_ns, late_ns;
		int64_t wrong_ns; /* of the guess */
	} cases[] = {
		{ { -1080736707696, 0 }, 2, 5000000000, 20000, 0 },
		{ { 733, 25e-6 }, 1, 5000000000, 20000, -10000000 },
		{ { 90061000000123, -100e-6 }, 2, 8000000000, 60000, 800000000 },
		{ { -4999999999000, 400e-6 }, 4, 3000000000, 5000, 0 },
		{ { 12345678, -3e-9 }, 1, 600000000, 20000, 1500000000 },
		{ { 55555, 990e-6 }, 4, 3000000000, 1000, 0 },
		{ { 55555, -990e-6 }, 4, 3000000000, 1000, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct made m = { .truth = cases[i].truth, .seed = i };
		int64_t guess = -cases[i].truth.guest_ns + cases[i].wrong_ns;
		struct guest_clock clock = { 0 };
		struct cdict_error err;
		uint64_t away;

		make(&m, cases[i].vcpus, cases[i].length_ns, cases[i].late_ns);
		if (fit(&clock, &m, &guess, &err))
			fail_msg("case %zu: %s", i, err.text);
		away = distance(&clock, &m, cases[i].length_ns);
		if (away > clock.error_ns + 1 || clock.error_ns > 50000)
			fail_msg("case %zu: %llu ns away, stated %llu", i, (unsigned long long)away,
				 (unsigned long long)clock.error_ns);
		assert_int_equal(clock.method, GUEST_CLOCK_FIT);
		guest_clock_fini(&clock);
		/* Without wall clocks the whole overlap is searched. */
		if (fit(&clock, &m, NULL, &err))
			fail_msg("case %zu, no guess: %s", i, err.text);
		assert_true(distance(&clock, &m, cases[i].length_ns) <= clock.error_ns + 1);
		guest_clock_fini(&clock);
		fini(&m);
	}
}

/* Keeps the guest's events of this time of the host. */
static void keep_events(struct made *m, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t from = guest_of(m, from_ns), to = guest_of(m, to_ns);

	for (size_t c = 0; c < m->n; c++) {
		struct fit_vcpu *v = &m->vcpus[c];
		size_t kept = 0;

		for (size_t i = 0; i < v->events.n; i++)
			if (v->events.at[i] >= from && v->events.at[i] <= to)
				v->events.at[kept++] = v->events.at[i];
		v->events.n = kept;
	}
}

static void expect_fit_at(const struct made *m, uint64_t host_ns)
{
	struct guest_clock clock = { 0 };
	struct cdict_error err;
	uint64_t got;

	if (fit(&clock, m, NULL, &err))
		fail_msg("%s", err.text);
	got = guest_clock_host_ns(&clock, guest_of(m, host_ns));
	assert_true(clock.error_ns <= 50000);
	assert_in_range(got, host_ns - clock.error_ns - 1, host_ns + clock.error_ns + 1);
	guest_clock_fini(&clock);
}

/* The guest recorded 3 of the host's 80 s: more offsets than are tried at once come before. */
static void a_short_recording_is_found_late_in_a_long_one(void **state)
{
	struct made m = { .truth = { -77777777, 40e-6 }, .seed = 31 };

	(void)state;
	make(&m, 2, 80000000000, 20000);
	keep_events(&m, ZERO_NS + 70000000000, ZERO_NS + 73000000000);
	expect_fit_at(&m, ZERO_NS + 71500000000);
	fini(&m);
}

/* Offsets are searched for which half of the shorter recording overlaps at least, in steps of 35 us:
 * here 5 us more overlap, and the last step is one of 20 us. */
static void the_last_offset_of_all_is_found(void **state)
{
	struct made m = { .truth = { 1000, 0 }, .seed = 32 };
	const uint64_t host_length = UINT64_C(128571) * 35000 + 20000;
	uint64_t begin = UINT64_MAX, end = 0, last;

	(void)state;
	make(&m, 4, 6000000000, 20000);
	keep_events(&m, ZERO_NS + 3000000000, ZERO_NS + 7000000000);
	for (size_t c = 0; c < m.n; c++) {
		const struct fit_vcpu *v = &m.vcpus[c];

		begin = v->events.at[0] < begin ? v->events.at[0] : begin;
		end = v->events.at[v->events.n - 1] > end ? v->events.at[v->events.n - 1] : end;
	}
	begin -= 1000;
	end -= 1000;
	last = begin + (end - begin) / 2 + 5000;
	for (size_t c = 0; c < m.n; c++) {
		struct fit_vcpu *v = &m.vcpus[c];
		size_t kept = 0;

		for (size_t i = 0; i < v->entered.n && v->entered.at[i].from_ns < last; i++)
			kept++;
		v->entered.n = kept;
		if (v->entered.at[kept - 1].to_ns > last)
			v->entered.at[kept - 1].to_ns = last;
		assert_int_equal(
			array_push(&v->entered, ((struct fit_span){ last + 1, UINT64_MAX })), 0);
		v->first_ns = last - host_length;
		v->last_ns = last;
	}
	expect_fit_at(&m, begin + (end - begin) / 4);
	fini(&m);
}

/* A shift is part of the offset: whoever claims another clock can be compared with the fit. */
static void a_shift_of_10_ms_is_found(void **state)
{
	struct made m = { .truth = { 1000, 0 }, .seed = 11 };
	struct guest_clock clock = { 0 };
	struct cdict_error err;
	int64_t guess = -1000;
	uint64_t got;

	(void)state;
	make(&m, 2, 4000000000, 20000);
	for (size_t c = 0; c < m.n; c++)
		for (size_t i = 0; i < m.vcpus[c].events.n; i++)
			m.vcpus[c].events.at[i] += 10000000;
	assert_int_equal(fit(&clock, &m, &guess, &err), 0);
	got = guest_clock_host_ns(&clock, guest_of(&m, ZERO_NS + 2000000000) + 10000000);
	assert_true(llabs((long long)(got - ZERO_NS - 2000000000)) <= 50000);
	guest_clock_fini(&clock);
	fini(&m);
}

static void expect_refused(struct made *m, const char *text)
{
	struct guest_clock clock = { 0 };
	struct cdict_error err;
	int64_t guess = -m->truth.guest_ns;

	for (int i = 0; i < 2; i++) {
		assert_int_equal(fit(&clock, m, i ? NULL : &guess, &err), CDICT_ENOTFOUND);
		assert_int_equal(clock.knots.n, 0);
		if (!strstr(err.text, text))
			fail_msg("expected '%s', got '%s'", text, err.text);
	}
	fini(m);
}

static void a_clock_that_steps_by_10_ms_is_refused(void **state)
{
	struct made m = { .truth = { 5000000, 1e-6 }, .seed = 5 };

	(void)state;
	make(&m, 2, 4000000000, 20000);
	for (size_t c = 0; c < m.n; c++)
		for (size_t i = m.vcpus[c].events.n * 2 / 3; i < m.vcpus[c].events.n; i++)
			m.vcpus[c].events.at[i] += 10000000;
	expect_refused(&m, "misses the next one by ");
}

static void the_events_of_another_guest_are_refused(void **state)
{
	struct made m = { .seed = 6 }, other = { .seed = 60 };

	(void)state;
	make(&m, 2, 4000000000, 20000);
	make(&other, 2, 4000000000, 20000);
	for (size_t c = 0; c < m.n; c++) {
		array_fini(&m.vcpus[c].events);
		for (size_t i = 0; i < other.vcpus[c].events.n; i++)
			assert_int_equal(
				array_push(&m.vcpus[c].events, other.vcpus[c].events.at[i]), 0);
	}
	fini(&other);
	expect_refused(&m, "no line fits the events of both recordings");
}

static void a_vcpu_that_never_leaves_guest_mode_bounds_nothing(void **state)
{
	struct made m = { .seed = 7, .n = 1 };
	struct fit_vcpu *v = &m.vcpus[0];

	(void)state;
	v->first_ns = ZERO_NS;
	v->last_ns = ZERO_NS + 2000000000;
	assert_int_equal(array_push(&v->entered, ((struct fit_span){ 0, UINT64_MAX })), 0);
	for (uint64_t t = 1000000; t < 2000000000; t += 1000000)
		assert_int_equal(array_push(&v->events, ZERO_NS + t), 0);
	expect_refused(&m, "fit the vCPUs' time in guest mode");
}

/* Every 4 ms the same: shifted by a period, it fits as well. */
static void a_pattern_that_repeats_is_refused(void **state)
{
	struct made m = { .seed = 8, .n = 1 };
	struct fit_vcpu *v = &m.vcpus[0];

	(void)state;
	v->first_ns = ZERO_NS;
	assert_int_equal(array_push(&v->entered, ((struct fit_span){ 0, ZERO_NS })), 0);
	for (uint64_t t = ZERO_NS + 4000000; t < ZERO_NS + 2000000000; t += 4000000) {
		assert_int_equal(array_push(&v->entered, ((struct fit_span){ t, t + 100000 })), 0);
		assert_int_equal(array_push(&v->events, t + 10000), 0);
		assert_int_equal(array_push(&v->events, t + 90000), 0);
		v->last_ns = t + 100000;
	}
	assert_int_equal(array_push(&v->entered, ((struct fit_span){ v->last_ns + 1, UINT64_MAX })),
			 0);
	expect_refused(&m, "lines 4.0");
}

static void too_few_events_are_refused(void **state)
{
	struct made m = { .seed = 9 };

	(void)state;
	make(&m, 1, 2000000000, 20000);
	m.vcpus[0].events.n = 31;
	expect_refused(&m, "31 events");
}

/* Of a long recording only parts are read, none of them in the middle. */
static void a_recording_without_events_in_the_middle_is_fitted(void **state)
{
	struct made m = { .truth = { -77777777, 40e-6 }, .seed = 21 };
	struct guest_clock clock = { 0 };
	struct cdict_error err;
	int64_t guess = -m.truth.guest_ns;

	(void)state;
	make(&m, 2, 12000000000, 20000);
	for (size_t c = 0; c < m.n; c++) {
		struct fit_vcpu *v = &m.vcpus[c];
		uint64_t from = guest_of(&m, ZERO_NS + 4650000000),
			 to = guest_of(&m, ZERO_NS + 7350000000);
		size_t kept = 0;

		for (size_t i = 0; i < v->events.n; i++)
			if (v->events.at[i] < from || v->events.at[i] > to)
				v->events.at[kept++] = v->events.at[i];
		v->events.n = kept;
	}
	if (fit(&clock, &m, &guess, &err))
		fail_msg("%s", err.text);
	assert_true(distance(&clock, &m, 12000000000) <= clock.error_ns + 1);
	assert_true(clock.error_ns <= 50000);
	guest_clock_fini(&clock);
	fini(&m);
}

/* Lost events of the host: the time bounds nothing, the rest still does. */
static void losses_of_the_host_bound_nothing(void **state)
{
	struct made m = { .truth = { 777, 10e-6 }, .seed = 10 };
	uint64_t from = ZERO_NS + 1500000000, to = from + 800000000;
	struct guest_clock clock = { 0 };
	struct cdict_error err;

	(void)state;
	make(&m, 2, 4000000000, 20000);
	for (size_t c = 0; c < m.n; c++) {
		struct fit_vcpu *v = &m.vcpus[c];
		size_t kept = 0;
		bool put = false;

		for (size_t i = 0; i < v->entered.n; i++) {
			struct fit_span s = v->entered.at[i];

			if (s.to_ns < from || s.from_ns > to) {
				v->entered.at[kept++] = s;
			} else if (!put) {
				v->entered.at[kept++] =
					(struct fit_span){ s.from_ns < from ? s.from_ns : from,
							   to };
				put = true;
			} else if (s.to_ns > to) {
				v->entered.at[kept - 1].to_ns = s.to_ns;
			}
		}
		v->entered.n = kept;
	}
	assert_int_equal(fit(&clock, &m, NULL, &err), 0);
	assert_true(distance(&clock, &m, 4000000000) <= clock.error_ns + 1);
	assert_true(clock.error_ns <= 50000);
	guest_clock_fini(&clock);
	fini(&m);
}

/* tests/data/guest-pair: a guest's CPU n is the vCPU n; offsets by both TSC conversions and KVM's TSC offset,
 * which are the same at both ends (planted.txt). */
static const struct {
	const char *file;
	struct guest_fit_vcpu vcpus[2];
	size_t n;
	uint64_t from_ns, to_ns; /* the guest's time, in both recordings */
	uint64_t offset_ns;      /* the host's minus the guest's time */
} recorded[] = {
	{ "instance-0000001b",
	  { { 0, 4657 }, { 1, 4660 } },
	  2,
	  251883266144,
	  258957507781,
	  2241479257157 },
	{ "instance-0000001c", { { 0, 4661 } }, 1, 246953197134, 253935381710, 2246490863380 },
};

static struct cdict_reader *open_pair(const char *file)
{
	const char *data = getenv("DATA");
	struct cdict_reader *r;
	struct cdict_error err;
	char path[4096];

	snprintf(path, sizeof(path), "%s/guest-pair/%s.cdict", data ? data : "tests/data", file);
	if (cdict_reader_open(&r, path, &err))
		fail_msg("%s: %s", path, err.text);
	return r;
}

static struct fit_host *read_spans(struct cdict_reader *host)
{
	static const int32_t tids[] = { 4657, 4660, 4661 };
	struct fit_host *h;
	struct cdict_error err;

	if (fit_host_new(&h, host, tids, 3, NULL, 0, &err))
		fail_msg("%s", err.text);
	return h;
}

/* How far the clock is from the truth, at the begin, the middle and the end. */
static uint64_t recorded_distance(const struct guest_clock *c, size_t i)
{
	uint64_t worst = 0;

	for (int k = 0; k < 3; k++) {
		uint64_t t = recorded[i].from_ns +
			     (recorded[i].to_ns - recorded[i].from_ns) / 2 * (uint64_t)k;
		int64_t apart = (int64_t)(guest_clock_host_ns(c, t) - t - recorded[i].offset_ns);

		worst = (uint64_t)llabs(apart) > worst ? (uint64_t)llabs(apart) : worst;
	}
	return worst;
}

static void a_recorded_pair_fits_within_50_us_of_its_tsc_offset(void **state)
{
	struct cdict_reader *host = open_pair("host");
	struct fit_host *h = read_spans(host);

	(void)state;
	for (size_t i = 0; i < sizeof(recorded) / sizeof(*recorded); i++) {
		struct cdict_reader *guest = open_pair(recorded[i].file);
		struct guest_clock clock = { 0 };
		struct cdict_error err;
		uint64_t away;

		if (guest_clock_fit(&clock, h, host, guest, recorded[i].vcpus, recorded[i].n, &err))
			fail_msg("%s: %s", recorded[i].file, err.text);
		away = recorded_distance(&clock, i);
		if (away > 50000 || away > clock.error_ns)
			fail_msg("%s: %llu ns away, stated %llu", recorded[i].file,
				 (unsigned long long)away, (unsigned long long)clock.error_ns);
		guest_clock_fini(&clock);
		cdict_reader_close(guest);
	}
	fit_host_free(h);
	cdict_reader_close(host);
}

/* Shifted as a whole by 10 ms, the fit finds the shift; from the middle on, no line fits. Neither do
 * the vCPUs of another VM, nor swapped ones. */
static void a_shift_of_a_recorded_guest_is_found_or_refused(void **state)
{
	static const struct guest_fit_vcpu swapped[] = { { 0, 4660 }, { 1, 4657 } };
	struct cdict_reader *host = open_pair("host"), *guest;
	struct fit_host *h = read_spans(host);
	struct guest_clock clock = { 0 };
	struct cdict_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(recorded) / sizeof(*recorded); i++) {
		struct fit_vcpu v[2] = { 0 };
		struct fit_input in = { .vcpus = v, .n = recorded[i].n };

		guest = open_pair(recorded[i].file);
		assert_int_equal(fit_read(v, h, guest, recorded[i].vcpus, in.n, &err), 0);
		for (size_t c = 0; c < in.n; c++)
			for (size_t e = 0; e < v[c].events.n; e++)
				v[c].events.at[e] -= 10000000;
		assert_int_equal(fit_clock(&clock, &in, &err), 0);
		for (size_t k = 0; k < clock.knots.n; k++)
			clock.knots.at[k].guest_ns += 10000000;
		assert_true(recorded_distance(&clock, i) <= 50000);
		guest_clock_fini(&clock);
		clock = (struct guest_clock){ 0 };
		for (size_t c = 0; c < in.n; c++)
			for (size_t e = 0; e < v[c].events.n; e++)
				if (v[c].events.at[e] >
				    recorded[i].from_ns +
					    (recorded[i].to_ns - recorded[i].from_ns) / 2)
					v[c].events.at[e] += 10000000;
		assert_int_equal(fit_clock(&clock, &in, &err), CDICT_ENOTFOUND);
		assert_non_null(strstr(err.text, " misses the next one by "));
		fit_read_fini(v, in.n);
		cdict_reader_close(guest);
	}
	guest = open_pair(recorded[0].file);
	assert_int_equal(guest_clock_fit(&clock, h, host, guest, swapped, 2, &err),
			 CDICT_ENOTFOUND);
	assert_int_equal(guest_clock_fit(&clock, h, host, guest, recorded[1].vcpus, 1, &err),
			 CDICT_ENOTFOUND);
	cdict_reader_close(guest);
	fit_host_free(h);
	cdict_reader_close(host);
}

static void a_band_is_cut_by_each_bound(void **state)
{
	struct band b;
	double low, high;

	(void)state;
	band_init(&b, 0, 10, -1, 1);
	band_at(&b, 10, &low, &high);
	assert_true(low == -10 && high == 20);
	assert_true(band_above(&b, 10, 5));  /* a + 10 b >= 5 */
	assert_true(band_below(&b, -10, 5)); /* a - 10 b <= 5 */
	band_at(&b, 0, &low, &high);
	assert_true(low == 0 && high == 10);
	assert_true(band_below(&b, 10, 5));
	band_at(&b, 10, &low, &high);
	assert_true(low == 5 && high == 5);
	assert_false(band_below(&b, 10, 4));
	band_at(&b, 10, &low, &high);
	assert_true(low == 5 && high == 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(offset_and_drift_are_found_within_the_stated_error),
		cmocka_unit_test(a_short_recording_is_found_late_in_a_long_one),
		cmocka_unit_test(the_last_offset_of_all_is_found),
		cmocka_unit_test(a_shift_of_10_ms_is_found),
		cmocka_unit_test(a_clock_that_steps_by_10_ms_is_refused),
		cmocka_unit_test(the_events_of_another_guest_are_refused),
		cmocka_unit_test(a_vcpu_that_never_leaves_guest_mode_bounds_nothing),
		cmocka_unit_test(a_pattern_that_repeats_is_refused),
		cmocka_unit_test(too_few_events_are_refused),
		cmocka_unit_test(a_recording_without_events_in_the_middle_is_fitted),
		cmocka_unit_test(losses_of_the_host_bound_nothing),
		cmocka_unit_test(a_recorded_pair_fits_within_50_us_of_its_tsc_offset),
		cmocka_unit_test(a_shift_of_a_recorded_guest_is_found_or_refused),
		cmocka_unit_test(a_band_is_cut_by_each_bound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
