/* SPDX-License-Identifier: GPL-2.0-only */
/* Call chains as perf samples them become stacks: marks, symbols asked for once, bounds. */
#include <linux/perf_event.h>

#include "convert/stacks/chains.h"
#include "tests/unit/cdictfile.h"

/* A symbol resolver: how often it was asked, and the mode of the last request. */
struct asked {
	unsigned n;
	bool later; /* it may know more another time */
};

static bool resolve(void *ctx, struct cdict_frame *frame)
{
	struct asked *a = ctx;

	a->n++;
	frame->symbol = frame->mode == CDICT_MODE_KERNEL ? "schedule" : "main";
	frame->offset = frame->address & 0xf;
	return !a->later;
}

static struct asked asked;

static uint32_t stack(struct chains *c, uint64_t space, const uint64_t *entries, size_t n)
{
	return chains_stack(c, &(struct chain){ .entries = entries,
						.n = n,
						.mode = CDICT_MODE_USER,
						.space = space,
						.resolve = resolve,
						.ctx = &asked });
}
#define STACK(c, space, ...)                                                                       \
	stack(c, space, (const uint64_t[]){ __VA_ARGS__ },                                         \
	      sizeof((const uint64_t[]){ __VA_ARGS__ }) / sizeof(uint64_t))

static int fresh(void **state)
{
	(void)state;
	asked = (struct asked){ 0 };
	return 0;
}

static void an_empty_chain_has_no_stack(void **state)
{
	struct chains c = { 0 };

	(void)state;
	assert_int_equal(stack(&c, 1, NULL, 0), CDICT_NO_STACK);
	assert_int_equal(STACK(&c, 1, PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER), CDICT_NO_STACK);
	assert_false(c.full);
	assert_int_equal(asked.n, 0);
	chains_fini(&c);
}

static void kernel_addresses_are_asked_for_once(void **state)
{
	struct chains c = { 0 };
	uint32_t a, b;

	(void)state;
	a = STACK(&c, 1, PERF_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000020);
	b = STACK(&c, 2, PERF_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000020);
	assert_int_not_equal(a, CDICT_NO_STACK);
	assert_int_equal(a, b);
	assert_int_equal(asked.n, 2);
	/* nor that of another process when no space is known */
	assert_int_equal(STACK(&c, 0, PERF_CONTEXT_KERNEL, 0xffffffff81000010, 0xffffffff81000020),
			 a);
	assert_int_equal(asked.n, 2);
	assert_int_not_equal(STACK(&c, 0, PERF_CONTEXT_KERNEL, 0xffffffff81000010), a);
	assert_int_equal(c.kernel.n, 2);
	assert_int_equal(c.user.n, 0);
	chains_fini(&c);
}

static void those_of_a_process_once_in_its_address_space(void **state)
{
	struct chains c = { 0 };

	(void)state;
	STACK(&c, 1, 0x400101);
	STACK(&c, 1, 0x400101);
	assert_int_equal(asked.n, 1);
	STACK(&c, 2, 0x400101);
	assert_int_equal(asked.n, 2);
	STACK(&c, 0, 0x400101);
	STACK(&c, 0, 0x400101);
	assert_int_equal(asked.n, 4);
	assert_int_equal(c.user.n, 2);
	chains_fini(&c);
}

static void symbols_that_may_be_known_later_are_asked_for_again(void **state)
{
	struct chains c = { 0 };

	(void)state;
	asked.later = true;
	STACK(&c, 1, 0x400101);
	STACK(&c, 1, 0x400101);
	assert_int_equal(asked.n, 2);
	asked.later = false;
	STACK(&c, 1, 0x400101);
	STACK(&c, 1, 0x400101);
	assert_int_equal(asked.n, 3);
	chains_fini(&c);
}

/* The same address is another frame in each of the modes that a mark gives. */
static void marks_give_the_mode(void **state)
{
	static const uint64_t marks[] = { PERF_CONTEXT_HV, PERF_CONTEXT_KERNEL, PERF_CONTEXT_USER,
					  PERF_CONTEXT_GUEST_KERNEL, PERF_CONTEXT_GUEST_USER };
	struct chains c = { 0 };
	uint32_t stacks[COUNT(marks)];

	(void)state;
	for (size_t i = 0; i < COUNT(marks); i++) {
		stacks[i] = STACK(&c, 1, marks[i], 0x1000, 0x2000);
		for (size_t k = 0; k < i; k++)
			assert_int_equal(stacks[k] == stacks[i], false);
	}
	/* none: the sample's own; and a guest's mark gives no mode */
	assert_int_equal(STACK(&c, 1, 0x1000, 0x2000), stacks[2]);
	assert_int_equal(STACK(&c, 1, PERF_CONTEXT_GUEST, 0x1000, 0x2000), stacks[2]);
	/* in one chain */
	assert_int_equal(STACK(&c, 1, PERF_CONTEXT_KERNEL, PERF_CONTEXT_HV, 0x1000, 0x2000),
			 stacks[0]);
	/* an unknown mark ends the stack: the frames before it remain */
	assert_int_equal(STACK(&c, 1, 0x1000, 0x2000, UINT64_MAX - 7, 0x3000), stacks[2]);
	assert_int_equal(STACK(&c, 1, 0x1000, 0x2000, PERF_CONTEXT_MAX, 0x3000), stacks[2]);
	/* the address before them is an address */
	assert_int_not_equal(STACK(&c, 1, 0x1000, 0x2000, PERF_CONTEXT_MAX - 1), stacks[2]);
	chains_fini(&c);
}

static void a_deep_chain_is_cut(void **state)
{
	static uint64_t deep[FORMAT_STACK_DEPTH + 5];
	struct chains c = { 0 };

	(void)state;
	for (size_t i = 0; i < COUNT(deep); i++)
		deep[i] = 0x400000 + 0x10 * i;
	assert_int_equal(stack(&c, 1, deep, COUNT(deep)), stack(&c, 1, deep, FORMAT_STACK_DEPTH));
	assert_int_equal(asked.n, FORMAT_STACK_DEPTH);
	assert_int_not_equal(stack(&c, 1, deep, FORMAT_STACK_DEPTH - 1),
			     stack(&c, 1, deep, FORMAT_STACK_DEPTH));
	assert_false(c.full);
	chains_fini(&c);
}

static void when_it_is_full_stacks_are_left_out(void **state)
{
	struct chains c = { .max_bytes = 100000 };
	unsigned n = 0;

	(void)state;
	while (STACK(&c, 1, 0x400000 + 16 * (uint64_t)n) != CDICT_NO_STACK)
		assert_true(++n < 10000);
	assert_true(n > 100);
	assert_true(c.full);
	assert_true(stack_dict_memory(&c.dict) < c.max_bytes);
	assert_true(stack_dict_memory(&c.dict) + (c.user.n_slots + c.kernel.n_slots) * 24 >
		    c.max_bytes);
	assert_int_equal(STACK(&c, 1, 0x400000), CDICT_NO_STACK);
	chains_fini(&c);
	assert_false(c.full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(an_empty_chain_has_no_stack, fresh),
		cmocka_unit_test_setup(kernel_addresses_are_asked_for_once, fresh),
		cmocka_unit_test_setup(those_of_a_process_once_in_its_address_space, fresh),
		cmocka_unit_test_setup(symbols_that_may_be_known_later_are_asked_for_again, fresh),
		cmocka_unit_test_setup(marks_give_the_mode, fresh),
		cmocka_unit_test_setup(a_deep_chain_is_cut, fresh),
		cmocka_unit_test_setup(when_it_is_full_stacks_are_left_out, fresh),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
