/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * functions.h - the functions of one ELF file by address, with the names that perf prints: where
 * several symbols have one address, it prefers some (tools/perf/util/symbol.c, choose_best_symbol).
 *
 * Threads    one at a time
 * Ownership  names are borrowed from libdw, and live as long as the module, or from a set of strings
 */
#ifndef CONVERT_SYMBOLS_FUNCTIONS_H
#define CONVERT_SYMBOLS_FUNCTIONS_H

#include "base/memory/array.h"
#include "base/memory/stringset.h"
#include "convert/symbols/dwfl.h"

/* A zeroed struct is empty. */
struct functions {
	ARRAY(struct elf_function {
		uint64_t start;
		uint64_t end;
		const char *name;
		uint32_t order; /* position in the symbol table */
		uint8_t info;   /* st_info */
	})
	all; /* sorted by address */
};

void functions_fini(struct functions *f);

/* functions_read - reads the symbol table of @module, after dwfl_load(), and its procedure linkage
 * table, whose names are stored in @names: 0, -ENOMEM, or -E2BIG for more than @most symbols. */
int functions_read(struct functions *f, Dwfl_Module *module, size_t most, struct stringset *names);

/* functions_find - the function that contains @address, or NULL. */
const struct elf_function *functions_find(const struct functions *f, uint64_t address);

#endif
