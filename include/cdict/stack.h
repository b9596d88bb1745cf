/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * stack.h - call chains of events recorded with perf record -g, with the
 * symbols that perf resolved.
 *
 * A frame is an address with its names; a stack is a list of frames, innermost first.
 * Each is stored once and referred to by number. Most captures have none.
 *
 * Threads    as in reader.h
 * Ownership  everything read is borrowed and dies with the reader
 */
#ifndef CDICT_STACK_H
#define CDICT_STACK_H

#include <stddef.h>
#include <stdint.h>

#include "cdict/export.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cdict_reader;
struct cdict_events;

/* An event without a stack, or one whose stack was lost to damage. */
#define CDICT_NO_STACK UINT32_MAX

struct cdict_frame {
	const char *symbol; /* "schedule", "" when not known; untrusted text */
	const char *object; /* "[kernel.kallsyms]", "/usr/lib/libc.so.6", "" */
	uint64_t address;   /* in the task's address space while recording */
	uint64_t offset;    /* from the symbol's start, 0 without a symbol */
	uint8_t mode;       /* enum cdict_mode of the code */
};

CDICT_API size_t cdict_reader_frame_count(const struct cdict_reader *r);
CDICT_API const struct cdict_frame *cdict_reader_frame_at(const struct cdict_reader *r, size_t i);

CDICT_API size_t cdict_reader_stack_count(const struct cdict_reader *r);
/* cdict_reader_stack_at - stack @i as frame numbers, innermost first; returns their number. */
CDICT_API size_t cdict_reader_stack_at(const struct cdict_reader *r, size_t i,
				       const uint32_t **frames);

/* cdict_events_stack - the stack of the event last returned by cdict_events_next(). Costs
 * nothing when the capture has no stacks. */
CDICT_API uint32_t cdict_events_stack(struct cdict_events *it);

#ifdef __cplusplus
}
#endif
#endif
