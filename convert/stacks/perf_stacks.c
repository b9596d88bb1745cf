/* SPDX-License-Identifier: GPL-2.0-only */
/* Stacks of the samples in a perf.data. */
#include "convert/stacks/perf_stacks.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "convert/stacks/chains.h"
#include "convert/symbols/arrivals.h"
#include "convert/symbols/dwfl.h"
#include "convert/symbols/kernel.h"
#include "convert/symbols/unwind.h"
#include "format/file/writer.h"

/* Limits: stacks with their frames and names; mappings of all processes; records of mappings that
 * wait to be sorted. */
#define STACKS_BYTES ((size_t)512 << 20)
#define VMAS_MAX ((size_t)1 << 22)
#define RECORDS_BYTES ((size_t)128 << 20)

struct perf_stacks {
	pthread_mutex_t lock; /* protects everything below */
	const struct perfdata *pd;
	bool big;
	bool same_machine; /* registers are this machine's */
	struct chains chains;
	struct spaces spaces;
	struct arrivals arrivals;
	struct symbol_files files;
	size_t n_build_ids; /* of @pd, taken already */
	struct elfsyms symbols;
	struct unwinder unwinder;
	ARRAY(uint64_t) entries; /* the current chain, in this machine's byte order */
	/* The kernel. */
	struct kernel_recorded recorded;
	struct utsname host;
	struct kallsyms *kernel;
	uint64_t text_from, text_to;
	bool kernel_sought;
	const char *why_kernel; /* it has no symbols: a clause, or "" */
	bool kernel_frames;     /* and there are frames of it */
	bool out_of_memory;     /* something is missing because of that */
	bool cut;               /* stacks were copied, and this machine cannot unwind them */
	struct cdict_error why_programs;
};

/* The task and space of the chain being resolved. */
struct whose {
	struct perf_stacks *stacks;
	const struct space *space;
	int32_t pid;
};

bool perf_stacks_wanted(const struct perfdata_event *ev)
{
	return ev->attr_type != PERF_TYPE_TRACEPOINT ||
	       ev->layout.sample_type & PERF_SAMPLE_CALLCHAIN;
}

static int open_vma(void *ctx, int32_t pid, const struct vma *vma)
{
	struct perf_stacks *s = ctx;

	(void)pid;
	return symbol_files_open(&s->files, vma);
}

int perf_stacks_new(struct perf_stacks **out, const struct perfdata *pd,
		    const struct perf_stacks_options *opts, struct cdict_error *err)
{
	struct perf_stacks *s = calloc(1, sizeof(*s));

	*out = s;
	if (!s)
		return cdict_fail_nomem(err);
	pthread_mutex_init(&s->lock, NULL);
	s->pd = pd;
	s->big = perfdata_big_endian(pd);
	s->chains.max_bytes = STACKS_BYTES;
	s->spaces.max_vmas = VMAS_MAX;
	s->spaces.keep = true;
	s->arrivals = (struct arrivals){ .big = s->big, .max_bytes = RECORDS_BYTES };
	s->symbols.open = open_vma;
	s->symbols.ctx = s;
	s->why_kernel = "";
	uname(&s->host);
	if (dwfl_load(&s->why_programs) != -ENOMEM &&
	    !symbol_files_init(&s->files, opts->symfs, opts->buildid))
		return 0;
	perf_stacks_free(s);
	*out = NULL;
	return cdict_fail_nomem(err);
}

void perf_stacks_free(struct perf_stacks *s)
{
	if (!s)
		return;
	chains_fini(&s->chains);
	unwinder_fini(&s->unwinder);
	elfsyms_fini(&s->symbols);
	arrivals_fini(&s->arrivals);
	spaces_fini(&s->spaces);
	symbol_files_fini(&s->files);
	array_fini(&s->entries);
	kallsyms_free(s->kernel);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* --- records */

/* The kernel's mapping, of perf's first record: "[kernel.kallsyms]_text", at the address of its
 * text; the offset is the address of that function. */
static void kernel_mapped(struct perf_stacks *s, const struct perfdata_record *rec)
{
	static const char kernel[] = "[kernel.kallsyms]";
	struct cursor c = cursor_init(rec->data, rec->size, s->big);
	struct build_id id = { "" };
	uint64_t from, len, offset;
	const char *name;

	cursor_skip(&c, 16); /* header, pid, tid */
	from = cursor_u64(&c);
	len = cursor_u64(&c);
	offset = cursor_u64(&c);
	if (rec->type == PERF_RECORD_MMAP2) {
		uint8_t n = cursor_u8(&c);
		const uint8_t *bytes;

		cursor_skip(&c, 3);
		bytes = cursor_take(&c, 20);
		if (bytes && rec->misc & PERF_RECORD_MISC_MMAP_BUILD_ID)
			build_id_hex(&id, bytes, n);
		cursor_skip(&c, 8);
	}
	name = cursor_text(&c, NULL);
	if (!cursor_ok(&c) || strncmp(name, kernel, sizeof(kernel) - 1) != 0 || s->text_to)
		return;
	snprintf(s->recorded.function, sizeof(s->recorded.function), "%s",
		 name + sizeof(kernel) - 1);
	s->recorded.at = offset;
	s->text_from = from;
	s->text_to = len > UINT64_MAX - from ? UINT64_MAX : from + len;
	if (*id.hex)
		s->recorded.build_id = stringset_add(&s->spaces.texts, id.hex, strlen(id.hex));
}

/* Takes the build ids that are new. They precede the samples of their files: in a header, or in a
 * pipe. */
static void take_build_ids(struct perf_stacks *s, const struct perfdata *pd)
{
	size_t n;
	const struct perfdata_build_id *all = perfdata_build_ids(pd, &n);

	for (; s->n_build_ids < n; s->n_build_ids++) {
		const struct perfdata_build_id *b = &all[s->n_build_ids];
		uint16_t mode = b->misc & PERF_RECORD_MISC_CPUMODE_MASK;
		const char *path, *text;
		struct build_id id;

		build_id_hex(&id, b->id, b->size);
		path = stringset_add(&s->spaces.texts, b->path, strlen(b->path));
		text = stringset_add(&s->spaces.texts, id.hex, strlen(id.hex));
		s->out_of_memory |= !path || !text;
		if (!path || !text || !*text)
			continue;
		if (mode == PERF_RECORD_MISC_USER)
			s->out_of_memory |= symbol_files_id(&s->files, path, text) != 0;
		else if (mode == PERF_RECORD_MISC_KERNEL && !strcmp(path, "[kernel.kallsyms]"))
			s->recorded.build_id = text;
	}
}

static void take(struct perf_stacks *s, const struct perfdata *pd,
		 const struct perfdata_record *rec)
{
	bool map = rec->type == PERF_RECORD_MMAP || rec->type == PERF_RECORD_MMAP2;
	struct perfdata_sample_id id;

	if (map && (rec->misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL) {
		kernel_mapped(s, rec);
	} else if (map || rec->type == PERF_RECORD_FORK || rec->type == PERF_RECORD_EXIT) {
		perfdata_sample_id(pd, rec, &id);
		arrivals_add(&s->arrivals, &s->spaces, rec->data, rec->size, id.time);
	}
}

void perf_stacks_record(struct perf_stacks *s, const struct perfdata_record *rec)
{
	pthread_mutex_lock(&s->lock);
	take(s, s->pd, rec);
	take_build_ids(s, s->pd);
	pthread_mutex_unlock(&s->lock);
}

int perf_stacks_survey(struct perf_stacks *s, struct cdict_error *err)
{
	struct perfdata_record rec;
	struct perfdata *again;
	struct cdict_error damage; /* the conversion reports it */
	int ret = perfdata_again(&again, s->pd, err);

	if (ret <= 0)
		return ret;
	while ((ret = perfdata_next(again, &rec, &damage)) > 0)
		if (rec.type != PERF_RECORD_SAMPLE)
			take(s, again, &rec);
	take_build_ids(s, again);
	perfdata_close(again);
	return ret == -ENOMEM ? cdict_fail_nomem(err) : 1;
}

/* --- names */

static void find_kernel(struct perf_stacks *s)
{
	struct kernel_host host = { .kallsyms = "/proc/kallsyms",
				    .notes = "/sys/kernel/notes",
				    .release = s->host.release,
				    .machine = s->host.machine };

	if (s->kernel_sought)
		return;
	s->kernel_sought = true;
	s->recorded.release = perfdata_features(s->pd)->osrelease;
	s->recorded.machine = perfdata_features(s->pd)->arch;
	if (kernel_find(&s->kernel, &s->recorded, &host, &s->files, &s->why_kernel) == -ENOMEM)
		s->out_of_memory = true;
}

/* perf takes the symbols of code that has no file, made while its program ran, from this file. */
static const char *object_of(struct perf_stacks *s, int32_t pid, const struct vma *vma)
{
	static const char *const none[] = { "//anon", "/dev/zero", "/anon_hugepage",
					    "[stack", "/SYSV",     "[heap]" };
	char path[32];

	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (!strncmp(vma->path, none[i], strlen(none[i]))) {
			snprintf(path, sizeof(path), "/tmp/perf-%d.map", pid);
			return stringset_add(&s->spaces.texts, path, strlen(path));
		}
	return vma->path;
}

static bool resolve(void *ctx, struct cdict_frame *frame)
{
	struct whose *whose = ctx;
	struct perf_stacks *s = whose->stacks;
	const struct vma *vma;
	const char *object;

	if (frame->mode == CDICT_MODE_KERNEL) {
		find_kernel(s);
		s->kernel_frames = true;
		if ((!s->kernel || !kallsyms_resolve(s->kernel, frame)) &&
		    frame->address >= s->text_from && frame->address < s->text_to)
			frame->object = "[kernel.kallsyms]";
		return true;
	}
	vma = frame->mode == CDICT_MODE_USER ? space_vma(whose->space, frame->address) : NULL;
	if (!vma)
		return false;
	object = object_of(s, whose->pid, vma);
	if (object == vma->path)
		elfsyms_resolve(&s->symbols, whose->pid, vma, frame);
	else if (object)
		frame->object = object;
	s->out_of_memory |= !object;
	return true;
}

/* --- samples */

/* Copies the chain, in this machine's byte order, with room for @more. */
static bool copy_chain(struct perf_stacks *s, const uint8_t *chain, size_t n, size_t more)
{
	if (array_reserve(&s->entries, n + more)) {
		s->out_of_memory = true;
		return false;
	}
	for (size_t i = 0; i < n; i++)
		s->entries.at[i] = load64(chain + 8 * i, s->big);
	s->entries.n = n;
	return true;
}

/* Selects the registers that unwinding needs; false: some were not recorded. */
static bool take_registers(uint64_t *out, const struct perfdata_event *ev, const uint8_t *regs)
{
	if (!unwind_regs || (ev->regs_user & unwind_regs) != unwind_regs)
		return false;
	for (uint64_t rest = unwind_regs; rest; rest &= rest - 1) {
		uint64_t before = (rest & -rest) - 1;

		memcpy(out++, regs + 8 * __builtin_popcountll(ev->regs_user & before), 8);
	}
	return true;
}

/* Appends the callers found in the copied stack to the kernel's part of the chain. */
static void add_unwound(struct perf_stacks *s, const struct perfdata_event *ev,
			const struct perfdata_sample *sample, const struct whose *whose)
{
	uint64_t regs[64];
	struct unwind_sample user = { (const uint8_t *)regs, sample->stack, sample->stack_bytes };
	const char *arch = perfdata_features(s->pd)->arch;
	size_t n;

	if (s->big != NATIVE_BIG || (arch && strcmp(arch, s->host.machine) != 0) ||
	    !take_registers(regs, ev, sample->regs)) {
		s->cut = true;
		return;
	}
	n = unwind(&s->unwinder, &s->symbols, whose->space, whose->pid, &user);
	if (!n)
		return;
	if (array_reserve(&s->entries, s->entries.n + 1 + n)) {
		s->out_of_memory = true;
		return;
	}
	s->entries.at[s->entries.n++] = PERF_CONTEXT_USER;
	memcpy(s->entries.at + s->entries.n, s->unwinder.chain, n * sizeof(uint64_t));
	s->entries.n += n;
}

/* A chain without addresses: those before and after it are marks. */
static bool is_empty(const struct perf_stacks *s)
{
	for (size_t i = 0; i < s->entries.n; i++)
		if (s->entries.at[i] < PERF_CONTEXT_MAX)
			return false;
	return true;
}

static uint32_t find(struct perf_stacks *s, const struct perfdata_event *ev,
		     const struct perfdata_record *rec, const struct perfdata_sample *sample)
{
	struct whose whose = { .stacks = s, .pid = sample->pid };
	struct chain chain = { .mode = rec->misc & PERF_RECORD_MISC_CPUMODE_MASK,
			       .resolve = resolve,
			       .ctx = &whose };

	arrivals_take(&s->arrivals, &s->spaces);
	if (s->chains.full || !copy_chain(s, sample->chain, sample->n_chain, 2))
		return CDICT_NO_STACK;
	whose.space = spaces_find(&s->spaces, sample->pid, sample->time);
	chain.space = whose.space ? whose.space->number : 0;
	if (sample->stack && sample->regs && sample->regs_abi == PERF_SAMPLE_REGS_ABI_64)
		add_unwound(s, ev, sample, &whose);
	if (ev->attr_type != PERF_TYPE_TRACEPOINT && is_empty(s)) {
		s->entries.n = 0;
		array_push(&s->entries, load64(rec->data + ev->layout.ip, s->big));
	}
	chain.entries = s->entries.at;
	chain.n = s->entries.n;
	return chains_stack(&s->chains, &chain);
}

uint32_t perf_stacks_find(struct perf_stacks *s, const struct perfdata_event *ev,
			  const struct perfdata_record *rec)
{
	struct perfdata_sample sample;
	uint32_t stack;

	if (!perf_stacks_wanted(ev) || perfdata_sample(s->pd, ev, rec, &sample) < 0)
		return CDICT_NO_STACK;
	pthread_mutex_lock(&s->lock);
	stack = find(s, ev, rec, &sample);
	pthread_mutex_unlock(&s->lock);
	return stack;
}

int perf_stacks_write(struct perf_stacks *s, struct cdict_writer *w, const char **why,
		      struct cdict_error *err)
{
	*why = s->chains.full   ? "too many distinct stacks: some are left out"
	       : s->spaces.full ? "too many mappings: some frames have no symbols"
	       : s->cut         ? "stacks copied on another kind of machine have no callers"
	       : s->kernel_frames && !s->kernel ? s->why_kernel
						: s->why_programs.text;
	if (s->out_of_memory || s->chains.out_of_memory || s->symbols.out_of_memory ||
	    s->spaces.out_of_memory)
		return cdict_fail_nomem(err);
	return s->chains.dict.stacks.n ? format_writer_put_stacks(w, &s->chains.dict, err) : 0;
}
