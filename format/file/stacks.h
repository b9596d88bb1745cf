/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * stacks.h - STAK and STEV blocks: frames and stacks, each once, and which event has
 * which; cdict(5). The writing half collects, the reading half belongs to an open
 * reader.
 *
 * Threads    a dictionary: one at a time. Reading: as the reader
 */
#ifndef FORMAT_FILE_STACKS_H
#define FORMAT_FILE_STACKS_H

#include <stdbool.h>

#include "base/memory/buf.h"
#include "cdict/stack.h"

/* --- writing --- */

/* Byte strings, each once, numbered in the order of arrival. */
struct stack_keys {
	struct buf bytes;
	struct stack_key {
		size_t at;
		uint32_t len, hash;
	} * keys;
	uint32_t n, cap;
	uint32_t *slots; /* key + 1 */
	uint32_t n_slots;
	bool out_of_memory;
};

/* The zero value is empty. */
struct stack_dict {
	struct stack_keys texts, frames, stacks;
	uint32_t n_texts, n_frames, n_stacks; /* of them taken already */
};

void stack_dict_fini(struct stack_dict *d);

/* stack_dict_frame - the number of @frame; texts are cut at FORMAT_STACK_TEXT bytes.
 * CDICT_NO_STACK when out of memory or when there are too many. */
uint32_t stack_dict_frame(struct stack_dict *d, const struct cdict_frame *frame);
/* stack_dict_stack - the number of the stack of these frames; the same failures. */
uint32_t stack_dict_stack(struct stack_dict *d, const uint32_t *frames, size_t n);

/* stack_dict_out_of_memory - whether a call failed for lack of memory, not for too many entries. */
bool stack_dict_out_of_memory(const struct stack_dict *d);

/* stack_dict_memory - bytes in use; stack_dict_waiting - bytes that stack_dict_take() will append, or a few more;
 * stack_dict_rewind - marks everything as new again, for another file. */
size_t stack_dict_memory(const struct stack_dict *d);
size_t stack_dict_waiting(const struct stack_dict *d);
void stack_dict_rewind(struct stack_dict *d);

/* stack_dict_take - appends to @out the content of a STAK block with the new entries since
 * the last call, at most some MiB of them; nothing if there are none. */
void stack_dict_take(struct stack_dict *d, struct buf *out);

/* stack_events_write - the content of a STEV block for the EVNT block of number @ordinal;
 * @stacks holds a number or CDICT_NO_STACK for each of its events. */
void stack_events_write(struct buf *out, uint32_t ordinal, const uint32_t *stacks, size_t n);

/* --- reading --- */

struct stack_table; /* the stacks of a reader; NULL: no stacks */
struct codec;
struct cdict_reader;
struct cdict_error;

void stack_table_free(struct stack_table *t);
/* stack_table_read - takes in a STAK block's content: 0, CDICT_ECORRUPT or -ENOMEM; CDICT_ELIMIT when it
 * takes more than *@room bytes, which become fewer. */
int stack_table_read(struct stack_table **t, const void *data, size_t size, uint64_t *room);
/* stack_table_note - remembers the STEV block at @offset, whose content begins with @data, for
 * one of the reader's event blocks, whose @n @ordinals ascend. The same failures. */
int stack_table_note(struct stack_table **t, const void *data, size_t size, uint64_t offset,
		     const uint32_t *ordinals, size_t n);

/* stack_table_block - the stacks of the events of event block @block: 1 and *stacks
 * (given, @events of them), 0 when it has none, CDICT_ECORRUPT or -ENOMEM; *offset: of
 * the STEV block. */
int stack_table_block(const struct cdict_reader *r, size_t block, uint32_t **stacks,
		      uint64_t *offset);
/* stack_table_bad - marks the STEV block of @block as damaged; false when it already was. Call
 * with the reader's lock held. */
bool stack_table_bad(const struct cdict_reader *r, size_t block);

#endif
