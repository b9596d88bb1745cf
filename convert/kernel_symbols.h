/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * kernel_symbols.h - which functions of its kernel a recording's events name by address, of those in the kallsyms that
 * the recording has: a cdict keeps these and no others.
 *
 * Looked at are the longs of events whose print format has %ps or its kin, and of all of ftrace's own.
 *
 * Failure    -ENOMEM with *err filled
 * Ownership  caller's storage, whose zero value is empty; the kallsyms' text is borrowed
 */
#ifndef CONVERT_KERNEL_SYMBOLS_H
#define CONVERT_KERNEL_SYMBOLS_H

#include "base/text/kernel_functions.h"
#include "cdict/schema.h"
#include "cdict/writer.h"

/* From where to where a payload has longs, and how far they are apart. */
struct longs {
	uint32_t from, to, step;
};

struct kernel_symbols {
	struct kernel_functions table;
	bool parsed, big;
	unsigned long_size;
	ARRAY(struct longs) longs;
	ARRAY(uint32_t) first; /* of them, by type; one more than there are types */
};

/* kernel_symbols_update - the types that @schema has more than before; @kallsyms: NULL, there are none. */
int kernel_symbols_update(struct kernel_symbols *k, const struct cdict_schema *schema,
			  const char *kallsyms, struct cdict_error *err);
void kernel_symbols_fini(struct kernel_symbols *k);

void kernel_symbols_look(struct kernel_symbols *k, uint32_t type, const uint8_t *payload,
			 size_t size);

/* kernel_symbols_wanted - whether events of the type may name functions. */
static inline bool kernel_symbols_wanted(const struct kernel_symbols *k, uint32_t type)
{
	return type + 1 < k->first.n && k->first.at[type] < k->first.at[type + 1];
}

/* kernel_symbols_event - those that an event of the type names are kept. */
static inline void kernel_symbols_event(struct kernel_symbols *k, uint32_t type,
					const uint8_t *payload, size_t size)
{
	if (kernel_symbols_wanted(k, type))
		kernel_symbols_look(k, type, payload, size);
}

/* kernel_symbols_write - as INFO trace.symbols, when there are some. */
int kernel_symbols_write(const struct kernel_symbols *k, struct cdict_writer *w,
			 struct cdict_error *err);

#endif
