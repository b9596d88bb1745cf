/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elfsyms.h - the functions of programs and libraries, from their symbol tables (.symtab or .dynsym, that of separate
 * debug information in /usr/lib/debug/.build-id), by libdw. Without libdw there are no names.
 *
 * Threads    one at a time
 */
#ifndef CAPTURE_ELFSYMS_H
#define CAPTURE_ELFSYMS_H

#include <stdbool.h>

#include "capture/stacks/spaces.h"
#include "cdict/stack.h"

struct Dwfl;

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
	bool out_of_memory;     /* something has no name for that */
};

void elfsyms_fini(struct elfsyms *s);

/* elfsyms_resolve - the function at frame->address in @vma, which process @pid has mapped. */
void elfsyms_resolve(struct elfsyms *s, int32_t pid, const struct vma *vma,
		     struct cdict_frame *frame);

/* elfsyms_place - the number of @vma's file, and the address that the file has for what lies at vma->start. False: it
 * cannot be read. */
bool elfsyms_place(struct elfsyms *s, int32_t pid, const struct vma *vma, uint32_t *file,
		   uint64_t *address);
/* elfsyms_put - that file, open as @fd, which stays the caller's, also into @to: @base is added to its addresses, all of
 * them below @bytes. Its name is not the file's. */
bool elfsyms_put(const struct elfsyms *s, uint32_t file, int fd, struct Dwfl *to, uint64_t base,
		 uint64_t bytes);

/* elfsyms_open - a file as process @pid sees it, while it lives: in a container the path is another one for us. A
 * descriptor, or -1. */
int elfsyms_open(int32_t pid, const char *path);
/* elfsyms_dwfl - files for libdw, once dwfl_load() gave 0: given, for dwfl.end(). NULL: no memory. */
struct Dwfl *elfsyms_dwfl(void);

#endif
