/* SPDX-License-Identifier: GPL-2.0-only */
/* Call chains -> stacks. */
#include "plugin/chains.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "cdict/event.h"
#include "format/layout.h"

void chains_fini(struct chains *c)
{
	stack_dict_fini(&c->dict);
	map_fini(&c->kernel);
	free(c->frames);
	*c = (struct chains){ 0 };
}

static uint32_t resolve(struct chains *c, const struct perf_dlfilter_fns *fns, void *ctx,
			uint64_t address, uint8_t mode)
{
	struct cdict_frame f = { .symbol = "", .object = "", .address = address, .mode = mode };
	struct perf_dlfilter_al al = { .size = sizeof(al) };

	if (fns->resolve_address && !fns->resolve_address(ctx, address, &al)) {
		if (al.dso)
			f.object = al.dso;
		if (al.sym) {
			f.symbol = al.sym;
			f.offset = al.symoff;
		}
	}
	return stack_dict_frame(&c->dict, &f);
}

static uint32_t frame_of(struct chains *c, const struct perf_dlfilter_fns *fns, void *ctx,
			 uint64_t address, uint8_t mode)
{
	uint32_t *known = mode == CDICT_MODE_KERNEL ? map_add(&c->kernel, address, 0) : NULL;
	uint32_t frame;

	if (known && *known != MAP_NEW)
		return *known;
	frame = resolve(c, fns, ctx, address, mode);
	if (known && frame != CDICT_NO_STACK)
		*known = frame;
	return frame;
}

/* What a mark in the chain says of the addresses behind it; false for what is none: there
 * the chain ran into something that was no stack. */
static bool mode_of(uint64_t mark, uint8_t *mode)
{
	switch (mark) {
	case PERF_CONTEXT_HV:
		*mode = CDICT_MODE_HYPERVISOR;
		return true;
	case PERF_CONTEXT_KERNEL:
		*mode = CDICT_MODE_KERNEL;
		return true;
	case PERF_CONTEXT_USER:
		*mode = CDICT_MODE_USER;
		return true;
	case PERF_CONTEXT_GUEST:
		return true;
	case PERF_CONTEXT_GUEST_KERNEL:
		*mode = CDICT_MODE_GUEST_KERNEL;
		return true;
	case PERF_CONTEXT_GUEST_USER:
		*mode = CDICT_MODE_GUEST_USER;
		return true;
	default:
		return false;
	}
}

uint32_t chains_stack(struct chains *c, const struct perf_dlfilter_fns *fns,
		      const struct perf_dlfilter_sample *sample, void *ctx)
{
	uint8_t mode = sample->cpumode;
	uint32_t n = 0, stack;

	if (!sample->raw_callchain || !sample->raw_callchain_nr)
		return CDICT_NO_STACK;
	if (!c->frames)
		c->frames = malloc(FORMAT_STACK_DEPTH * sizeof(*c->frames));
	if (!c->frames)
		return CDICT_NO_STACK;
	for (uint64_t i = 0; i < sample->raw_callchain_nr && n < FORMAT_STACK_DEPTH; i++) {
		uint64_t address = sample->raw_callchain[i];

		if (address >= PERF_CONTEXT_MAX) {
			if (!mode_of(address, &mode))
				break;
			continue;
		}
		c->frames[n] = frame_of(c, fns, ctx, address, mode);
		if (c->frames[n++] == CDICT_NO_STACK) {
			c->full = true;
			return CDICT_NO_STACK;
		}
	}
	stack = n ? stack_dict_stack(&c->dict, c->frames, n) : CDICT_NO_STACK;
	c->full |= n && stack == CDICT_NO_STACK;
	return stack;
}
