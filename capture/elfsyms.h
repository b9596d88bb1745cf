/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elfsyms.h - the functions of programs and libraries, from their symbol tables (.symtab or .dynsym, that of separate
 * debug information in /usr/lib/debug/.build-id), by libdw. Without libdw there are no names.
 *
 * Threads    one at a time
 */
#ifndef CAPTURE_ELFSYMS_H
#define CAPTURE_ELFSYMS_H

#include "capture/spaces.h"
#include "cdict/stack.h"

/* Files that are open at most, and addresses that are remembered. */
#define ELFSYMS_FILES 4096u
#define ELFSYMS_FOUND ((size_t)1 << 18)

/* The zero value is empty. */
struct elfsyms {
	struct map by_file; /* index in files */
	ARRAY(struct elfsyms_file) files;
	/* libdw walks a whole symbol table for an address, and each process asks for those of libc anew. */
	struct map by_place; /* index in found, by address in the file and file */
	ARRAY(struct elfsyms_found {
		const char *name; /* libdw's or of @names, or NULL */
		uint64_t offset;
	})
	found;
	struct stringset names; /* of C++ */
};

void elfsyms_fini(struct elfsyms *s);

/* elfsyms_resolve - the function at frame->address in @vma, which process @pid has mapped. */
void elfsyms_resolve(struct elfsyms *s, int32_t pid, const struct vma *vma,
		     struct cdict_frame *frame);

#endif
