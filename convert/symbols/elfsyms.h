/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * elfsyms.h - the functions of programs and libraries, read by libdw from their symbol tables
 * (.symtab or .dynsym, or that of separate debug information in /usr/lib/debug/.build-id). Without
 * libdw there are no names.
 *
 * Threads    one at a time
 */
#ifndef CONVERT_SYMBOLS_ELFSYMS_H
#define CONVERT_SYMBOLS_ELFSYMS_H

#include <stdbool.h>

#include "convert/symbols/spaces.h"
#include "cdict/stack.h"

struct Dwfl;

/* Limits of open files, of their symbols, and of cached addresses. */
#define ELFSYMS_FILES 4096u
#define ELFSYMS_SYMBOLS ((size_t)1 << 21)
#define ELFSYMS_FOUND ((size_t)1 << 18)

/* A zeroed struct is empty. */
struct elfsyms {
	/* Opens the file of a mapping of process @pid: a descriptor, or -1. NULL:
	 * elfsyms_open(). */
	int (*open)(void *ctx, int32_t pid, const struct vma *vma);
	void *ctx;
	struct map by_file; /* index in files */
	ARRAY(struct elfsyms_file) files;
	size_t n_symbols; /* of all files */
	/* A cache: every process looks up the addresses of libc, and C++ names take long. */
	struct map by_place; /* index in found, by file and address in the file */
	ARRAY(struct elfsyms_found {
		const char *name; /* owned by libdw or by @names, or NULL */
		uint64_t offset;
	})
	found;
	struct stringset names; /* demangled C++ names */
	bool out_of_memory;     /* some names are missing because memory ran out */
};

void elfsyms_fini(struct elfsyms *s);

/* elfsyms_resolve - finds the function at frame->address in @vma, a mapping of process @pid. */
void elfsyms_resolve(struct elfsyms *s, int32_t pid, const struct vma *vma,
		     struct cdict_frame *frame);

/* elfsyms_place - gets the number of @vma's file, and the file's own address for vma->start. False:
 * the file cannot be read. */
bool elfsyms_place(struct elfsyms *s, int32_t pid, const struct vma *vma, uint32_t *file,
		   uint64_t *address);
/* elfsyms_put - adds that file, open as @fd (which stays the caller's), also to @to: with @base
 * added to its addresses, all of which are below @bytes. Its name differs from the file's. */
bool elfsyms_put(const struct elfsyms *s, uint32_t file, int fd, struct Dwfl *to, uint64_t base,
		 uint64_t bytes);

/* elfsyms_open - opens a file as process @pid sees it, while the process lives: in a container our
 * path to it differs. Returns a descriptor, -ENOENT or -ENOMEM. */
int elfsyms_open(int32_t pid, const char *path);
/* elfsyms_open_vma - opens the file of a mapping, by s->open if it is set. */
int elfsyms_open_vma(const struct elfsyms *s, int32_t pid, const struct vma *vma);
/* elfsyms_open_file - opens a regular file that is on a disk, not made by the kernel: a descriptor,
 * -ENOENT or -ENOMEM. */
int elfsyms_open_file(const char *path);
/* elfsyms_dwfl - a new Dwfl, after dwfl_load() returned 0: given, to be ended by dwfl.end(). NULL:
 * out of memory. */
struct Dwfl *elfsyms_dwfl(void);

#endif
