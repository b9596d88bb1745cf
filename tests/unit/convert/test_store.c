/* SPDX-License-Identifier: GPL-2.0-only */
/* The store of encoded blocks: its totals, and what is counted of items after a failure. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/fail.h"
#include "convert/ingest/store.h"

/* put() of a place that is full from the first item on, if @ctx says so. */
static int put(void *ctx, struct store_item *item, struct cdict_error *err)
{
	const bool *full = ctx;

	(void)item;
	return *full ? cdict_fail(err, -ENOSPC, CDICT_NO_OFFSET, "no room") : 0;
}

static const struct store_ops ops = { .put = put };

/* An item of @n blocks, each of CPU @cpu, of 10 events, 100 ns long, the first at @t_ns. */
static struct store_item item_of(size_t n, uint32_t cpu, uint64_t t_ns)
{
	struct store_item item = { .n_parts = n };

	if (n)
		item.parts = calloc(n, sizeof(*item.parts));
	for (size_t i = 0; i < n; i++)
		item.parts[i].info = (struct format_block){ .cpu = cpu,
							    .events = 10,
							    .foreign = 1,
							    .first_ns = t_ns + 1000 * i,
							    .last_ns = t_ns + 1000 * i + 100 };
	return item;
}

static void add_loss(struct store_item *item, uint64_t to_ns, uint64_t count)
{
	const struct cdict_loss loss = {
		CDICT_LOSS_RING, 9, CDICT_TYPE_ANY, to_ns - 1, to_ns, count
	};

	rows_add_loss(&item->rows, &loss);
}

static void totals_are_of_all_blocks_and_losses(void **state)
{
	bool full = false;
	struct store *s = store_new(&ops, &full);
	struct store_item items[] = { item_of(3, 0, 5000), item_of(0, 0, 0), item_of(1, 4, 4000) };
	const struct store_counts *c = store_counts(s);
	uint64_t since_ns;

	(void)state;
	add_loss(&items[1], 9000, 1);
	add_loss(&items[1], 8000, 1);
	items[2].bad = (struct cdict_loss){ .count = 6 };
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(store_put(s, &items[i]), 0);
		assert_null(items[i].parts);
	}
	assert_int_equal(c->events, 40);
	assert_int_equal(c->foreign, 4);
	assert_int_equal(c->first_ns, 4000);
	assert_int_equal(c->last_ns, 7100);
	assert_int_equal(c->lost_ns, 9000);
	assert_int_equal(c->bad, 6);
	assert_int_equal(store_failed(s, NULL), 0);
	assert_int_equal(store_dropped(s, &since_ns), 0);
	assert_true(since_ns == UINT64_MAX);
	store_free(s);
}

static void all_that_comes_after_a_failure_is_counted_by_cpu(void **state)
{
	bool full = false;
	struct store *s = store_new(&ops, &full);
	struct store_item items[] = { item_of(1, 0, 100),  item_of(2, 0, 5000), item_of(0, 0, 0),
				      item_of(1, 4, 7000), item_of(1, 0, 4000), item_of(0, 0, 0) };
	struct cdict_error err = { 0 };
	uint64_t since_ns;

	(void)state;
	add_loss(&items[2], 9000, 3);
	items[5].failed = -ENOMEM; /* it could not be encoded */
	items[5].bad = (struct cdict_loss){ CDICT_LOSS_DAMAGE, 4, CDICT_TYPE_ANY, 3000, 8000, 50 };
	assert_int_equal(store_put(s, &items[0]), 0);
	full = true;
	for (size_t i = 1; i < 6; i++) {
		assert_int_equal(store_put(s, &items[i]), -ENOSPC);
		full = false; /* it fails for good */
	}
	assert_int_equal(store_failed(s, &err), -ENOSPC);
	assert_string_equal(err.text, "no room");
	assert_int_equal(store_counts(s)->events, 10);
	assert_int_equal(store_counts(s)->last_ns, 200);
	assert_int_equal(store_dropped(s, &since_ns), 20 + 10 + 10 + 50);
	assert_int_equal(since_ns, 3000);
	store_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(totals_are_of_all_blocks_and_losses),
		cmocka_unit_test(all_that_comes_after_a_failure_is_counted_by_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
