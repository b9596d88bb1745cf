/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting recordings and their moment, as values of a store; any other value there is refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "cdict/error.h"
#include "query/fleet/figures/start.h"

/* A store of one shelf in memory. */
static struct {
	char names[16][STORE_NAME_MOST + 1];
	uint8_t data[16][256];
	size_t sizes[16], n;
} kept;
static unsigned asked;

static int put(struct store *st, const char *id, const char *shelf, const char *name,
	       const void *data, size_t size, bool *added, struct cdict_error *err)
{
	(void)st;
	(void)id;
	(void)shelf;
	(void)err;
	assert_true(size <= sizeof(kept.data[0]) && kept.n < 16);
	strcpy(kept.names[kept.n], name);
	memcpy(kept.data[kept.n], data, size);
	kept.sizes[kept.n++] = size;
	*added = true;
	return 0;
}

static int values(struct store *st, const char *id, const char *shelf, store_want_value *want,
		  store_value_fn *hear, void *ctx, struct cdict_error *err)
{
	int rc = 0;

	(void)st;
	(void)id;
	(void)shelf;
	(void)want;
	(void)err;
	for (size_t i = 0; i < kept.n && !rc; i++)
		rc = hear(ctx, kept.names[i], kept.data[i], kept.sizes[i]);
	return rc;
}

/* Three seconds ahead; the fourth request is quick, others take a millisecond and more. */
static int now(struct store *st, const char *id, uint64_t *ns, struct cdict_error *err)
{
	uint64_t begun = fleet_now_ns();

	(void)st;
	(void)id;
	(void)err;
	*ns = begun + UINT64_C(3000000000);
	if (++asked != 4) {
		while (fleet_now_ns() < begun + 1000000)
			;
		*ns += UINT64_C(500000000);
	}
	return 0;
}

static const struct store_ops ops = { .put = put, .values = values, .now = now };
static const struct store_ops folder = { .put = put, .values = values };
static struct store store = { &ops };

static void the_latest_state_of_each_counts(void **state)
{
	struct fleet_waiter a = { .host = "a.1", .pid = 7, .since_ns = 1000000000 }, b = a;
	struct fleet_waiters all = { 0 };
	struct cdict_error err;

	(void)state;
	kept.n = 0;
	a.clock = (struct fleet_clock){ -1234567, 89 };
	b.pid = 8;
	assert_int_equal(fleet_waiter_put(&store, "x", &a, &err), 0);
	a.state = FLEET_RECORDED;
	a.at_ns = 77;
	assert_int_equal(fleet_waiter_put(&store, "x", &a, &err), 0);
	assert_int_equal(fleet_waiter_put(&store, "x", &b, &err), 0);
	assert_int_equal(fleet_waiters_read(&all, &store, "x", &err), 0);
	assert_int_equal(all.all.n, 2);
	assert_string_equal(all.all.at[0].host, "a.1");
	assert_int_equal(all.all.at[0].state, FLEET_RECORDED);
	assert_int_equal(all.all.at[0].at_ns, 77);
	assert_int_equal(all.all.at[0].clock.offset_ns, -1234567);
	assert_int_equal(all.all.at[0].clock.round_trip_ns, 89);
	assert_int_equal(all.all.at[1].pid, 8);
	assert_int_equal(all.all.at[1].state, FLEET_WAITS);
	array_fini(&all.all);
}

/* Its last message counts, in whatever order it is read; a killed one does not wait for ever. */
static void a_silent_recording_does_not_wait(void **state)
{
	struct fleet_waiter w = { .host = "a", .pid = 7, .since_ns = 1000000000000 };
	const uint64_t seen[] = { 0, 9, 10, 2, 1 };
	struct fleet_waiters all = { 0 };
	struct cdict_error err;

	(void)state;
	kept.n = 0;
	for (size_t i = 0; i < 5; i++) {
		w.seen_ns = w.since_ns + seen[i] * FLEET_RENEW_NS;
		assert_int_equal(fleet_waiter_put(&store, "x", &w, &err), 0);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(kept.names[k], kept.names[i]);
	}
	assert_int_equal(fleet_waiters_read(&all, &store, "x", &err), 0);
	assert_int_equal(all.all.n, 1);
	assert_int_equal(all.all.at[0].seen_ns, w.since_ns + 10 * FLEET_RENEW_NS);
	w = all.all.at[0];
	assert_true(FLEET_SILENT_NS > 2 * FLEET_RENEW_NS);
	assert_true(fleet_waiter_waits(&w, w.seen_ns));
	assert_true(fleet_waiter_waits(&w, w.seen_ns + FLEET_SILENT_NS));
	assert_false(fleet_waiter_waits(&w, w.seen_ns + FLEET_SILENT_NS + 1));
	w.state = FLEET_STARTS;
	assert_false(fleet_waiter_waits(&w, w.seen_ns));
	array_fini(&all.all);
}

static void the_latest_start_counts(void **state)
{
	struct fleet_start first = { 50, 10000 }, second = { 40, 0 }, got;
	struct cdict_error err;

	(void)state;
	kept.n = 0;
	assert_int_equal(fleet_start_latest(&store, "x", &got, &err), 0);
	assert_int_equal(fleet_start_put(&store, "x", &first, &err), 0);
	assert_int_equal(fleet_start_put(&store, "x", &second, &err), 0);
	assert_int_equal(fleet_start_latest(&store, "x", &got, &err), 1);
	assert_int_equal(got.at_ns, 50);
	assert_int_equal(got.duration_ms, 10000);
}

static void cut_or_changed_values_are_refused(void **state)
{
	struct fleet_waiter w = { .host = "compute", .pid = 7, .since_ns = 1000000000 };
	struct fleet_start start = { 50, 10000 };
	struct fleet_waiters all = { 0 };
	struct cdict_error err = { 0 };
	size_t size;

	(void)state;
	for (int which = 0; which < 2; which++) {
		kept.n = 0;
		if (which)
			assert_int_equal(fleet_start_put(&store, "x", &start, &err), 0);
		else
			assert_int_equal(fleet_waiter_put(&store, "x", &w, &err), 0);
		size = kept.sizes[0];
		for (kept.sizes[0] = 0; kept.sizes[0] <= size + 1; kept.sizes[0]++) {
			int rc = which ? fleet_start_latest(&store, "x", &start, &err)
				       : fleet_waiters_read(&all, &store, "x", &err);

			assert_int_equal(rc, kept.sizes[0] == size ? which : CDICT_ECORRUPT);
		}
		kept.sizes[0] = size;
		for (size_t i = 0; i < size; i++) {
			kept.data[0][i] ^= 0xff;
			/* it is refused, or has another value: the test only requires that it does
			 * not crash */
			if (which)
				fleet_start_latest(&store, "x", &start, &err);
			else
				fleet_waiters_read(&all, &store, "x", &err);
			kept.data[0][i] ^= 0xff;
		}
	}
	array_fini(&all.all);
}

static void the_quickest_answer_gives_the_clock(void **state)
{
	struct fleet_clock clock;
	struct cdict_error err;

	(void)state;
	asked = 0;
	assert_int_equal(fleet_clock_compare(&store, "x", &clock, &err), 0);
	assert_true(asked > 4);
	assert_in_range(clock.offset_ns, 2900000000, 3100000000);
	store.ops = &folder;
	assert_int_equal(fleet_clock_compare(&store, "x", &clock, &err), 0);
	assert_int_equal(clock.offset_ns, 0);
	store.ops = &ops;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_latest_state_of_each_counts),
		cmocka_unit_test(a_silent_recording_does_not_wait),
		cmocka_unit_test(the_latest_start_counts),
		cmocka_unit_test(cut_or_changed_values_are_refused),
		cmocka_unit_test(the_quickest_answer_gives_the_clock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
