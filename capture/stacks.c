/* SPDX-License-Identifier: GPL-2.0-only */
/* Call chains of live samples. */
#include "capture/stacks.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>

#include "base/fail.h"
#include "capture/dwfl.h"
#include "capture/kallsyms.h"
#include "capture/elfsyms.h"
#include "convert/chains.h"
#include "format/writer.h"

struct stacks {
	pthread_mutex_t lock; /* of all that follows */
	struct chains chains;
	struct spaces spaces;
	struct elfsyms symbols;
	struct kallsyms *kernel;
	const char *why_kernel;
	struct cdict_error why_programs;
};

/* Whose chain is looked at. */
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
	s->why_kernel = "";
	ret = kallsyms_read(&s->kernel, AT_FDCWD, "/proc/kallsyms");
	if (ret == -ENOMEM) {
		stacks_free(s);
		return cdict_fail_nomem(err);
	}
	if (ret)
		s->why_kernel = ret == -EACCES ? "the kernel hides its addresses "
						 "(kernel.kptr_restrict)"
					       : "/proc/kallsyms cannot be read";
	dwfl_load(&s->why_programs);
	*out = s;
	return 0;
}

void stacks_free(struct stacks *s)
{
	if (!s)
		return;
	chains_fini(&s->chains);
	elfsyms_fini(&s->symbols);
	spaces_fini(&s->spaces);
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
	spaces_record(&s->spaces, record, t_ns);
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

uint32_t stacks_find(struct stacks *s, int32_t pid, uint64_t t_ns, uint8_t mode,
		     const void *entries, uint64_t n)
{
	struct whose whose = { .stacks = s, .pid = pid };
	struct chain chain = {
		.entries = entries, .n = n, .mode = mode, .resolve = resolve, .ctx = &whose
	};
	uint32_t stack;

	pthread_mutex_lock(&s->lock);
	whose.space = spaces_find(&s->spaces, pid, t_ns);
	chain.space = whose.space ? whose.space->number : 0;
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
