/* SPDX-License-Identifier: GPL-2.0-only */
/* Turns call chains into stacks. */
#include "convert/stacks/chains.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "cdict/event.h"
#include "format/layout.h"

void chains_fini(struct chains *c)
{
	stack_dict_fini(&c->dict);
	map_fini(&c->kernel);
	map_fini(&c->user);
	free(c->frames);
	*c = (struct chains){ 0 };
}

/* Approximate size of a map's slot. */
#define SLOT_BYTES 24u

static bool is_full(const struct chains *c)
{
	size_t slots = c->kernel.n_slots + c->user.n_slots;

	return c->max_bytes && stack_dict_memory(&c->dict) + slots * SLOT_BYTES > c->max_bytes;
}

static uint32_t frame_of(struct chains *c, const struct chain *chain, uint64_t address,
			 uint8_t mode)
{
	struct cdict_frame f = { .symbol = "", .object = "", .address = address, .mode = mode };
	struct map *map = mode == CDICT_MODE_KERNEL ? &c->kernel : &c->user;
	/* a guest's address differs from its host process's own, though both have one space */
	uint64_t space = mode == CDICT_MODE_KERNEL ? 0 : chain->space << 8 | mode;
	bool once = mode == CDICT_MODE_KERNEL || chain->space;
	uint32_t *known = once ? map_find(map, address, space) : NULL, frame;

	if (known)
		return *known;
	once &= chain->resolve(chain->ctx, &f);
	frame = stack_dict_frame(&c->dict, &f);
	known = once && frame != CDICT_NO_STACK ? map_add(map, address, space) : NULL;
	if (known)
		*known = frame;
	return frame;
}

/* Gets the mode of the addresses after a mark in the chain; false if it is not a valid mark: the
 * unwinder ran into data there. */
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

static uint32_t no_room(struct chains *c)
{
	bool memory = stack_dict_out_of_memory(&c->dict);

	c->out_of_memory |= memory;
	c->full |= !memory;
	return CDICT_NO_STACK;
}

uint32_t chains_stack(struct chains *c, const struct chain *chain)
{
	uint8_t mode = chain->mode;
	uint32_t n = 0, stack;

	if (!chain->n)
		return CDICT_NO_STACK;
	c->full |= is_full(c);
	if (c->full && c->max_bytes)
		return CDICT_NO_STACK;
	if (!c->frames)
		c->frames = malloc(FORMAT_STACK_DEPTH * sizeof(*c->frames));
	if (!c->frames) {
		c->out_of_memory = true;
		return CDICT_NO_STACK;
	}
	for (uint64_t i = 0; i < chain->n && n < FORMAT_STACK_DEPTH; i++) {
		uint64_t address;

		memcpy(&address, (const uint8_t *)chain->entries + i * sizeof(address),
		       sizeof(address));
		if (address >= PERF_CONTEXT_MAX) {
			if (!mode_of(address, &mode))
				break;
			continue;
		}
		c->frames[n] = frame_of(c, chain, address, mode);
		if (c->frames[n++] == CDICT_NO_STACK)
			return no_room(c);
	}
	if (!n)
		return CDICT_NO_STACK;
	stack = stack_dict_stack(&c->dict, c->frames, n);
	return stack == CDICT_NO_STACK ? no_room(c) : stack;
}
