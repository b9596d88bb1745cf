/* SPDX-License-Identifier: GPL-2.0-only */
/* Callers by unwind tables: of this program, whose registers and stack are given as the kernel
 * gives them. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <ucontext.h>
#include <unistd.h>

#include <cmocka.h>
#include <linux/perf_event.h>

#include "base/memory/buf.h"
#include "base/system/procfs.h"
#include "convert/symbols/dwfl.h"
#include "convert/symbols/unwind.h"

#define DUMP_BYTES 8192u

/* Registers in the order of the bits of unwind_regs. */
static uintptr_t put_registers(struct buf *b, const ucontext_t *uc)
{
#if defined(__x86_64__)
	static const int order[] = { REG_RAX, REG_RBX, REG_RCX, REG_RDX, REG_RSI, REG_RDI,
				     REG_RBP, REG_RSP, REG_RIP, REG_R8,  REG_R9,  REG_R10,
				     REG_R11, REG_R12, REG_R13, REG_R14, REG_R15 };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		buf_add(b, &uc->uc_mcontext.gregs[order[i]], 8);
	return (uintptr_t)uc->uc_mcontext.gregs[REG_RSP];
#elif defined(__aarch64__)
	buf_add(b, uc->uc_mcontext.regs, 31 * 8);
	buf_add(b, &uc->uc_mcontext.sp, 8);
	buf_add(b, &uc->uc_mcontext.pc, 8);
	return (uintptr_t)uc->uc_mcontext.sp;
#elif defined(__s390x__)
	buf_add(b, uc->uc_mcontext.gregs, 16 * 8);
	/* getcontext() gives no pc except its return address */
	buf_add(b, &uc->uc_mcontext.gregs[14], 8);
	return (uintptr_t)uc->uc_mcontext.gregs[15];
#else
	(void)b;
	(void)uc;
	return 0;
#endif
}

static void put64(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

/* The callers keep their frames: each does something after the call that the compiler cannot leave
 * out. */
#ifdef __clang__ /* it makes no clones */
#define FRAME __attribute__((noinline))
#else
#define FRAME __attribute__((noinline, noclone))
#endif
static volatile int calls;

FRAME static void deepest(struct buf *b)
{
	static const uint8_t nothing[DUMP_BYTES];
	uintptr_t sp;
	ucontext_t uc = { 0 }; /* getcontext() keeps no registers that a call may change */

	getcontext(&uc);
	put64(b, PERF_SAMPLE_REGS_ABI_64);
	sp = put_registers(b, &uc);
	put64(b, DUMP_BYTES);
	buf_add(b, sp ? (const void *)sp : nothing, DUMP_BYTES);
	put64(b, DUMP_BYTES);
	calls++;
}

FRAME static void deeper(struct buf *b, int room)
{
	volatile char used[200];

	used[room] = 1;
	deepest(b);
	calls += used[room];
}

FRAME static void outermost(struct buf *b)
{
	deeper(b, calls + 3);
	calls++;
}

/* main()'s frame and its callers may be smaller than the dump: the stack must be large enough. */
FRAME static void take_sample(struct buf *b)
{
	volatile char room[DUMP_BYTES] = { 0 };

	room[0] = 1;
	outermost(b);
	calls += room[0];
}

/* A copy of our own maps: under qemu-user only this path gives those of the program. */
static void read_own_maps(struct spaces *spaces)
{
	char folder[] = "/tmp/unwind.XXXXXX", entry[64], maps[80];
	struct buf text = { 0 };
	FILE *f;

	assert_non_null(mkdtemp(folder));
	snprintf(entry, sizeof(entry), "%s/%d", folder, (int)getpid());
	snprintf(maps, sizeof(maps), "%s/maps", entry);
	assert_int_equal(mkdir(entry, 0755), 0);
	assert_int_equal(procfs_read(AT_FDCWD, "/proc/self/maps", &text, 1 << 20), 0);
	f = fopen(maps, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text.data, 1, strlen((char *)text.data), f),
			 strlen((char *)text.data));
	fclose(f);
	buf_fini(&text);
	spaces_read(spaces, folder);
	assert_int_equal(unlink(maps) | rmdir(entry) | rmdir(folder), 0);
}

struct taken {
	struct spaces spaces;
	struct elfsyms symbols;
	struct unwinder unwinder;
	struct buf sample;
	const struct space *space;
	bool lacks; /* libdw, or the machine's registers */
};

static void take(struct taken *t)
{
	*t = (struct taken){ .lacks = !unwind_regs || dwfl_load(NULL) };
	if (t->lacks)
		return;
	calls = 0;
	take_sample(&t->sample);
	assert_false(t->sample.failed);
	read_own_maps(&t->spaces);
	t->space = spaces_find(&t->spaces, getpid(), 1);
	assert_non_null(t->space);
}

static void let_go(struct taken *t)
{
	unwinder_fini(&t->unwinder);
	elfsyms_fini(&t->symbols);
	spaces_fini(&t->spaces);
	buf_fini(&t->sample);
}

static const char *name_at(struct taken *t, size_t i)
{
	struct cdict_frame f = { .symbol = "", .object = "", .address = t->unwinder.chain[i] };
	const struct vma *vma = space_vma(t->space, f.address);

	if (vma)
		elfsyms_resolve(&t->symbols, getpid(), vma, &f);
	return f.symbol;
}

static size_t unwind_taken(struct taken *t)
{
	struct unwind_sample s;

	assert_true(unwind_sample_read(&s, t->sample.data, t->sample.len));
	return unwind(&t->unwinder, &t->symbols, t->space, getpid(), &s);
}

static void callers_are_found_without_frame_pointers(void **state)
{
	static const char *const names[] = { "deepest", "deeper", "outermost", "take_sample" };
	struct taken t;

	(void)state;
	take(&t);
	if (t.lacks)
		skip();
	for (int again = 0; again < 3; again++) {
		size_t n = unwind_taken(&t);

		assert_true(n >= 4);
		for (size_t i = 0; i < 4; i++)
			assert_string_equal(name_at(&t, i), names[i]);
	}
	let_go(&t);
}

/* As with a small dump: the chain ends where the stack does. */
static void a_short_stack_gives_the_frames_that_it_has(void **state)
{
	struct unwind_sample s;
	struct taken t;
	size_t all;

	(void)state;
	take(&t);
	if (t.lacks)
		skip();
	all = unwind_taken(&t);
	assert_true(unwind_sample_read(&s, t.sample.data, t.sample.len));
	for (uint64_t bytes = 0; bytes <= DUMP_BYTES; bytes += 8) {
		size_t n;

		s.stack_bytes = bytes;
		n = unwind(&t.unwinder, &t.symbols, t.space, getpid(), &s);
		assert_true(n >= 1 && n <= all);
		assert_string_equal(name_at(&t, 0), "deepest");
	}
	let_go(&t);
}

/* With any contents: no fault, and no more frames than the maximum. */
static void a_stack_of_noise_does_no_harm(void **state)
{
	struct taken t;
	uint32_t seed = 1;

	(void)state;
	take(&t);
	if (t.lacks)
		skip();
	for (int round = 0; round < 200; round++) {
		struct unwind_sample s;
		uint64_t *words;

		assert_true(unwind_sample_read(&s, t.sample.data, t.sample.len));
		words = (uint64_t *)(uintptr_t)s.stack;
		for (size_t i = 0; i < DUMP_BYTES / 8; i++) {
			seed = seed * 1103515245u + 12345u;
			if (seed >> 28 < 4)
				words[i] = seed & 1u << 27
						   ? (uintptr_t)words + (seed >> 8 & 0xfff8)
						   : t.unwinder.chain[0] + (seed >> 8 & 0xfff);
		}
		assert_true(unwind(&t.unwinder, &t.symbols, t.space, getpid(), &s) <= UNWIND_DEPTH);
	}
	let_go(&t);
}

static void samples_that_are_cut_or_without_a_program_are_reported(void **state)
{
	const size_t words = 1 + (size_t)__builtin_popcountll(unwind_regs);
	struct buf b = { 0 }, kernel = { 0 };
	struct unwind_sample s;

	(void)state;
	put64(&b, PERF_SAMPLE_REGS_ABI_64);
	for (size_t i = 1; i < words; i++)
		put64(&b, i);
	put64(&b, 16);
	put64(&b, 1);
	put64(&b, 2);
	put64(&b, 8);
	assert_true(unwind_sample_read(&s, b.data, b.len));
	assert_int_equal(s.stack_bytes, 8);
	assert_ptr_equal(s.regs, b.data + 8);
	for (size_t n = 0; n < b.len; n++)
		assert_false(unwind_sample_read(&s, b.data, n));
	b.data[b.len - 8] = 17; /* more than the room for them */
	b.data[b.len - 1] = 17;
	assert_false(unwind_sample_read(&s, b.data, b.len));
	b.data[b.len - 8] = b.data[b.len - 1] = 0;
	memset(b.data, 0, 8);
	b.data[0] = b.data[7] = PERF_SAMPLE_REGS_ABI_32;
	assert_true(unwind_sample_read(&s, b.data, b.len));
	assert_null(s.regs);
	put64(&kernel, PERF_SAMPLE_REGS_ABI_NONE);
	put64(&kernel, 0);
	assert_true(unwind_sample_read(&s, kernel.data, kernel.len));
	assert_null(s.regs);
	buf_fini(&b);
	buf_fini(&kernel);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_are_found_without_frame_pointers),
		cmocka_unit_test(a_short_stack_gives_the_frames_that_it_has),
		cmocka_unit_test(a_stack_of_noise_does_no_harm),
		cmocka_unit_test(samples_that_are_cut_or_without_a_program_are_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
