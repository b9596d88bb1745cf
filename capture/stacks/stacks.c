/* SPDX-License-Identifier: GPL-2.0-only */
/* Call chains of live samples. */
#include "capture/stacks/stacks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/memory/array.h"
#include "base/cursor.h"
#include "base/fail.h"
#include "convert/symbols/arrivals.h"
#include "convert/symbols/dwfl.h"
#include "convert/symbols/kallsyms.h"
#include "convert/symbols/elfsyms.h"
#include "convert/symbols/unwind.h"
#include "convert/stacks/chains.h"
#include "format/file/writer.h"

/* Limit of records that wait until a stack is looked up. */
#define RECORDS_BYTES ((size_t)4 << 20)

struct stacks {
	pthread_mutex_t lock; /* protects everything below */
	struct chains chains;
	struct spaces spaces;
	struct arrivals arrivals; /* for @spaces */
	struct elfsyms symbols;
	struct unwinder unwinder;
	ARRAY(uint64_t) joined; /* the kernel part plus the unwound user part */
	struct kallsyms *kernel;
	const char *why_kernel;
	struct cdict_error why_programs;
};

/* The task and space of the chain being resolved. */
struct whose {
	struct stacks *stacks;
	const struct space *space;
	int32_t pid;
};

int stacks_new(struct stacks **out, struct cdict_error *err)
{
	struct stacks *s = calloc(1, sizeof(*s));
	int ret = s ? 0 : -ENOMEM;

	*out = NULL;
	if (!s)
		return cdict_fail_nomem(err);
	pthread_mutex_init(&s->lock, NULL);
	s->chains.max_bytes = STACKS_BYTES;
	s->arrivals = (struct arrivals){ .big = NATIVE_BIG, .max_bytes = RECORDS_BYTES };
	s->why_kernel = "";
	ret = kallsyms_read(&s->kernel, AT_FDCWD, "/proc/kallsyms");
	if (ret == -ENOMEM || dwfl_load(&s->why_programs) == -ENOMEM) {
		stacks_free(s);
		return cdict_fail_nomem(err);
	}
	if (ret)
		s->why_kernel = ret == -EACCES ? "the kernel hides its addresses "
						 "(kernel.kptr_restrict)"
					       : "/proc/kallsyms cannot be read";
	*out = s;
	return 0;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	chains_fini(&s->chains);
	unwinder_fini(&s->unwinder);
	array_fini(&s->joined);
	elfsyms_fini(&s->symbols);
	spaces_fini(&s->spaces);
	arrivals_fini(&s->arrivals);
	kallsyms_free(s->kernel);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

const char *stacks_why_kernel(const struct stacks *s)
{
	return s->why_kernel;
}

const char *stacks_why_programs(const struct stacks *s)
{
	return s->why_programs.text;
}

void stacks_processes(struct stacks *s)
{
	pthread_mutex_lock(&s->lock);
	spaces_read(&s->spaces, "/proc");
	pthread_mutex_unlock(&s->lock);
}

void stacks_record(struct stacks *s, const struct perf_event_header *record, uint64_t t_ns)
{
	pthread_mutex_lock(&s->lock);
	arrivals_add(&s->arrivals, &s->spaces, record, record->size, t_ns);
	pthread_mutex_unlock(&s->lock);
}

static bool resolve(void *ctx, struct cdict_frame *frame)
{
	struct whose *whose = ctx;
	const struct vma *vma;

	if (frame->mode == CDICT_MODE_KERNEL)
		return whose->stacks->kernel && kallsyms_resolve(whose->stacks->kernel, frame);
	vma = frame->mode == CDICT_MODE_USER ? space_vma(whose->space, frame->address) : NULL;
	if (vma)
		elfsyms_resolve(&whose->stacks->symbols, whose->pid, vma, frame);
	return vma;
}

/* Copies @chain, and appends the unwound user frames. Out of memory: only @chain. */
static void add_unwound(struct stacks *s, struct chain *chain, const struct whose *whose,
			const struct unwind_sample *user)
{
	size_t n = unwind(&s->unwinder, &s->symbols, whose->space, whose->pid, user);

	if (!n || array_resize(&s->joined, chain->n + 1 + n))
		return;
	memcpy(s->joined.at, chain->entries, chain->n * sizeof(*s->joined.at));
	s->joined.at[chain->n] = PERF_CONTEXT_USER;
	memcpy(s->joined.at + chain->n + 1, s->unwinder.chain, n * sizeof(*s->joined.at));
	chain->entries = s->joined.at;
	chain->n += 1 + n;
}

uint32_t stacks_find(struct stacks *s, const struct stacks_sample *sample)
{
	struct whose whose = { .stacks = s, .pid = sample->pid };
	struct chain chain = { .entries = sample->chain,
			       .n = sample->n_chain,
			       .mode = sample->mode,
			       .resolve = resolve,
			       .ctx = &whose };
	uint32_t stack;

	pthread_mutex_lock(&s->lock);
	arrivals_take(&s->arrivals, &s->spaces);
	whose.space = spaces_find(&s->spaces, sample->pid, sample->t_ns);
	chain.space = whose.space ? whose.space->number : 0;
	if (sample->user && !s->chains.full)
		add_unwound(s, &chain, &whose, sample->user);
	stack = chains_stack(&s->chains, &chain);
	pthread_mutex_unlock(&s->lock);
	return stack;
}

void stacks_begin(struct stacks *s)
{
	pthread_mutex_lock(&s->lock);
	stack_dict_rewind(&s->chains.dict);
	pthread_mutex_unlock(&s->lock);
}

int stacks_write(struct stacks *s, struct cdict_writer *w, struct cdict_error *err)
{
	int ret;

	pthread_mutex_lock(&s->lock);
	ret = format_writer_put_stacks(w, &s->chains.dict, err);
	pthread_mutex_unlock(&s->lock);
	return ret;
}

size_t stacks_waiting(struct stacks *s)
{
	size_t bytes;

	pthread_mutex_lock(&s->lock);
	bytes = stack_dict_waiting(&s->chains.dict);
	pthread_mutex_unlock(&s->lock);
	return bytes;
}

bool stacks_full(struct stacks *s)
{
	bool full;

	pthread_mutex_lock(&s->lock);
	full = s->chains.full;
	pthread_mutex_unlock(&s->lock);
	return full;
}

bool stacks_out_of_memory(struct stacks *s)
{
	bool yes;

	pthread_mutex_lock(&s->lock);
	yes = s->chains.out_of_memory || s->symbols.out_of_memory || s->spaces.out_of_memory;
	pthread_mutex_unlock(&s->lock);
	return yes;
}
