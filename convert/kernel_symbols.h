/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel_symbols.h - collects the kernel functions that a recording's events refer to by address,
 * from the recording's kallsyms: a cdict stores only these.
 *
 * It examines the longs of events whose print format has %ps or a similar conversion, and of all of
 * ftrace's own.
 *
 * Failure    -ENOMEM with *err filled
 * Ownership  caller's storage; a zeroed struct is empty; the kallsyms' text is borrowed
 */
#ifndef CONVERT_KERNEL_SYMBOLS_H
#define CONVERT_KERNEL_SYMBOLS_H

#include "base/text/kernel_functions.h"
#include "cdict/schema.h"
#include "cdict/writer.h"

/* The range of longs in a payload, and their distance. */
struct longs {
	uint32_t from, to, step;
};

struct kernel_symbols {
	struct kernel_functions table;
	bool parsed, big;
	unsigned long_size;
	ARRAY(struct longs) longs;
	ARRAY(uint32_t) first; /* index of the first, by type; one element more than types */
};

/* kernel_symbols_update - adds the types that are new in @schema; @kallsyms may be NULL. */
int kernel_symbols_update(struct kernel_symbols *k, const struct cdict_schema *schema,
			  const char *kallsyms, struct cdict_error *err);
void kernel_symbols_fini(struct kernel_symbols *k);

void kernel_symbols_look(struct kernel_symbols *k, uint32_t type, const uint8_t *payload,
			 size_t size);

/* kernel_symbols_wanted - whether events of the type may refer to functions. */
static inline bool kernel_symbols_wanted(const struct kernel_symbols *k, uint32_t type)
{
	return type + 1 < k->first.n && k->first.at[type] < k->first.at[type + 1];
}

/* kernel_symbols_event - collects the functions that an event of the type refers to. */
static inline void kernel_symbols_event(struct kernel_symbols *k, uint32_t type,
					const uint8_t *payload, size_t size)
{
	if (kernel_symbols_wanted(k, type))
		kernel_symbols_look(k, type, payload, size);
}

/* kernel_symbols_write - writes them as INFO trace.symbols; without symbols it writes nothing. */
int kernel_symbols_write(const struct kernel_symbols *k, struct cdict_writer *w,
			 struct cdict_error *err);

#endif
