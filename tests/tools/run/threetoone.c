/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes in two functions, three times as long in the first as in the second: threetoone ROUNDS LENGTH. */
#include <stdint.h>
#include <stdlib.h>

static volatile uint64_t sink;

/* Each step waits for the previous one's product: the time does not depend on the code's alignment. */
static inline __attribute__((always_inline)) void compute(unsigned long n)
{
	uint64_t x = n;

	for (unsigned long i = 0; i < n; i++)
		x = x * UINT64_C(6364136223846793005) + 1;
	sink = x;
}

/* Asking for the frame's address makes a frame pointer, for call chains. */
static inline __attribute__((always_inline)) void frame(void)
{
	sink += (uintptr_t)__builtin_frame_address(0);
}

__attribute__((noinline)) static void three_quarters(unsigned long n)
{
	frame();
	compute(3 * n);
}

__attribute__((noinline)) static void one_quarter(unsigned long n)
{
	frame();
	compute(n);
}

int main(int argc, char **argv)
{
	unsigned long rounds = argc > 2 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long length = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;

	frame();
	for (unsigned long i = 0; i < rounds; i++) {
		three_quarters(length);
		one_quarter(length);
	}
	return 0;
}
