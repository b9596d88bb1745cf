/* SPDX-License-Identifier: GPL-2.0-only */
/* Unwinds stacks by unwind tables. */
#include "convert/symbols/unwind.h"

#include <asm/perf_regs.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include "base/cursor.h"
#include "convert/symbols/dwfl.h"

/* Each file has a place in the one process of libdw, at addresses that no process uses; the first
 * place is this program's. */
#define PLACE_SHIFT 36
#define PLACE_BYTES (UINT64_C(1) << PLACE_SHIFT)
#define PLACE(number) ((UINT64_C(1) << 62) + ((uint64_t)(number) << PLACE_SHIFT))
/* Limit of files with code per process: perf has no such limit, but here each frame scans them. */
#define PLACES_MAX 512u
#define PROCESS 1 /* the only process of libdw, and its only thread */

enum file_state { UNASKED, PLACED, UNUSABLE };

/* The registers that libdw needs, first to last, as indices in the sample, which has those of
 * unwind_regs in the order of their bits. Registers are numbered as by DWARF in the machine's
 * ABI. */
#if defined(__x86_64__)
#define SEGMENTS                                                                                   \
	(1ull << PERF_REG_X86_DS | 1ull << PERF_REG_X86_ES | 1ull << PERF_REG_X86_FS |             \
	 1ull << PERF_REG_X86_GS | 1ull << PERF_REG_X86_FLAGS | 1ull << PERF_REG_X86_CS |          \
	 1ull << PERF_REG_X86_SS)
const uint64_t unwind_regs = ((1ull << PERF_REG_X86_64_MAX) - 1) & ~SEGMENTS;
/* rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip */
static const uint8_t order[] = { 0, 3, 2, 1, 4, 5, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 8 };
enum { SP_AT = 7, PC_AT = 8 };
#elif defined(__aarch64__)
const uint64_t unwind_regs = (1ull << (PERF_REG_ARM64_PC + 1)) - 1;
static const uint8_t order[] = { 0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
				 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31 };
enum { SP_AT = 31, PC_AT = 32 };
#elif defined(__s390x__)
const uint64_t unwind_regs = 0xffffull << PERF_REG_S390_R0 | 1ull << PERF_REG_S390_PC;
static const uint8_t order[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
enum { SP_AT = 15, PC_AT = 16 };
#else
const uint64_t unwind_regs = 0;
static const uint8_t order[] = { 0 };
enum { SP_AT = 0, PC_AT = 0 };
#endif

/* On arm64 the upper bits of return addresses may contain a signature. */
#if defined(__aarch64__)
#define CODE_BITS ((UINT64_C(1) << 48) - 1)
#else
#define CODE_BITS UINT64_MAX
#endif

bool unwind_sample_read(struct unwind_sample *out, const uint8_t *at, size_t n)
{
	struct cursor c = cursor_init(at, n, NATIVE_BIG);
	uint64_t abi = cursor_u64(&c), size, used;
	const uint8_t *regs = NULL;

	*out = (struct unwind_sample){ 0 };
	if (abi)
		regs = cursor_take(&c, (size_t)__builtin_popcountll(unwind_regs) * 8);
	size = cursor_u64(&c);
	if (!size)
		return cursor_ok(&c);
	if (size > c.left)
		return false;
	out->stack = cursor_take(&c, (size_t)size);
	used = cursor_u64(&c);
	if (!cursor_ok(&c) || used > size)
		return false;
	out->stack_bytes = used;
	out->regs = abi == PERF_SAMPLE_REGS_ABI_64 ? regs : NULL;
	return true;
}

void unwinder_fini(struct unwinder *u)
{
	if (u->dwfl)
		dwfl.end(u->dwfl);
	array_fini(&u->files);
	array_fini(&u->places);
	*u = (struct unwinder){ 0 };
}

/* --- addresses of the process and of libdw */

/* Puts the file into libdw's process, at its place. */
static bool place(struct unwinder *u, uint32_t file, const struct vma *vma)
{
	int fd = elfsyms_open_vma(u->symbols, u->pid, vma);
	bool placed = fd >= 0 &&
		      elfsyms_put(u->symbols, file, fd, u->dwfl, PLACE(file + 1), PLACE_BYTES);

	u->symbols->out_of_memory |= fd == -ENOMEM;
	if (fd >= 0)
		close(fd);
	return placed;
}

static bool place_once(struct unwinder *u, uint32_t file, const struct vma *vma)
{
	if (file >= u->files.n && array_resize(&u->files, file + 1)) {
		u->symbols->out_of_memory = true;
		return false;
	}
	if (u->files.at[file] == UNASKED)
		u->files.at[file] = place(u, file, vma) ? PLACED : UNUSABLE;
	return u->files.at[file] == PLACED;
}

static const struct unwind_place *place_at(struct unwinder *u, uint64_t address)
{
	struct unwind_place new = { 0 };
	const struct vma *vma;
	uint64_t in_file;

	for (size_t i = 0; i < u->places.n; i++)
		if (u->places.at[i].vma.start <= address && address < u->places.at[i].vma.end)
			return &u->places.at[i];
	vma = space_vma(u->in, address);
	if (!vma || u->places.n == PLACES_MAX ||
	    !elfsyms_place(u->symbols, u->pid, vma, &new.file, &in_file) ||
	    !place_once(u, new.file, vma))
		return NULL;
	new.vma = *vma;
	new.delta = PLACE(new.file + 1) + in_file - vma->start;
	/* If a process maps a file at two addresses, a libdw address would be ambiguous. */
	for (size_t i = 0; i < u->places.n; i++)
		if (u->places.at[i].file == new.file && u->places.at[i].delta != new.delta)
			return NULL;
	if (!array_push(&u->places, new))
		return &u->places.at[u->places.n - 1];
	u->symbols->out_of_memory = true;
	return NULL;
}

static uint64_t to_libdw(struct unwinder *u, uint64_t value)
{
	uint64_t address = value & CODE_BITS;
	const struct unwind_place *p = place_at(u, address);

	return p ? address + p->delta : value;
}

static uint64_t from_libdw(const struct unwinder *u, uint64_t value)
{
	for (size_t i = 0; i < u->places.n && value >= PLACE(1); i++)
		if (value >> PLACE_SHIFT == PLACE(u->places.at[i].file + 1) >> PLACE_SHIFT)
			return value - u->places.at[i].delta;
	return value;
}

/* --- callbacks of libdw */

static uint64_t reg(const struct unwind_sample *s, size_t i)
{
	return load64(s->regs + 8 * i, NATIVE_BIG);
}

static pid_t next_thread(Dwfl *d, void *arg, void **thread)
{
	(void)d;
	if (*thread)
		return 0;
	*thread = arg;
	return PROCESS;
}

static bool read_memory(Dwfl *d, Elf64_Addr address, uint64_t *result, void *arg)
{
	struct unwinder *u = arg;
	const struct unwind_sample *s = u->sample;
	uint64_t sp = reg(s, SP_AT);

	(void)d;
	if (address < sp || s->stack_bytes < 8 || address - sp > s->stack_bytes - 8)
		return false;
	*result = to_libdw(u, load64(s->stack + (address - sp), NATIVE_BIG));
	return true;
}

static bool first_registers(Dwfl_Thread *thread, void *arg)
{
	struct unwinder *u = arg;
	uint64_t values[sizeof(order)];

	for (size_t i = 0; i < sizeof(order); i++)
		values[i] = to_libdw(u, reg(u->sample, order[i]));
	dwfl.thread_state_register_pc(thread, to_libdw(u, reg(u->sample, PC_AT)));
	return dwfl.thread_state_registers(thread, 0, sizeof(order), values);
}

static int frame(Dwfl_Frame *f, void *arg)
{
	struct unwinder *u = arg;
	bool is_activation;
	Elf64_Addr pc;

	if (!dwfl.frame_pc(f, &pc, &is_activation) || !pc)
		return DWFL_ENOUGH;
	/* For a caller, use the address of the call, not the return address, as perf does. */
	u->chain[u->n++] = from_libdw(u, pc) - !is_activation;
	return u->n < UNWIND_DEPTH ? DWFL_GO_ON : DWFL_ENOUGH;
}

/* The program's own file, at PLACE(0), gives libdw the machine's architecture. */
static bool begin_unwinding(struct unwinder *u)
{
	static const Dwfl_Thread_Callbacks callbacks = {
		.next_thread = next_thread,
		.memory_read = read_memory,
		.set_initial_registers = first_registers,
	};
	int fd;

	if (u->failed || u->dwfl)
		return !u->failed;
	u->failed = true;
	u->dwfl = unwind_regs && !dwfl_load(NULL) ? elfsyms_dwfl() : NULL;
	fd = u->dwfl ? elfsyms_open(0, "/proc/self/exe") : -1;
	if (fd < 0)
		return false;
	dwfl.report_begin(u->dwfl);
	if (!dwfl.report_elf(u->dwfl, "", "", fd, PLACE(0), true))
		close(fd);
	dwfl.report_end(u->dwfl, NULL, NULL);
	u->failed = !dwfl.attach_state(u->dwfl, NULL, PROCESS, &callbacks, u);
	return !u->failed;
}

size_t unwind(struct unwinder *u, struct elfsyms *symbols, const struct space *space, int32_t pid,
	      const struct unwind_sample *sample)
{
	u->n = 0;
	u->symbols = symbols;
	errno = 0; /* libdw has only a text for lack of memory */
	if (!sample->regs || !space || !begin_unwinding(u)) {
		symbols->out_of_memory |= errno == ENOMEM;
		return 0;
	}
	if (u->space != space->number)
		u->places.n = 0;
	u->space = space->number;
	u->in = space;
	u->pid = pid;
	u->sample = sample;
	errno = 0;
	dwfl.getthread_frames(u->dwfl, PROCESS, frame, u);
	symbols->out_of_memory |= errno == ENOMEM;
	return u->n;
}
