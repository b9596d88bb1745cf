/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * files.h - finds the file of a mapping after the recording, perhaps on another machine: by its
 * build id in perf's cache, else at its path, if the build id is the same there. As in perf, a file
 * whose build id was not recorded is taken from its path.
 *
 * Threads    one at a time
 */
#ifndef CONVERT_SYMBOLS_FILES_H
#define CONVERT_SYMBOLS_FILES_H

#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "base/memory/map.h"
#include "base/memory/stringset.h"
#include "convert/symbols/build_id.h"
#include "convert/symbols/vmas.h"

/* A zeroed struct knows neither a cache nor build ids. */
struct symbol_files {
	const char *symfs; /* folder that replaces "/" in paths; NULL: none */
	struct buf cache;  /* perf's folder of files by build id; empty: none */
	struct map by_path;
	ARRAY(const char *) ids; /* of by_path; in hex digits */
};

/* symbol_files_init - @symfs or NULL; @cache: NULL for perf's own, DIR/.debug with @symfs, else
 * $PERF_BUILDID_DIR, else ~/.debug. -ENOMEM. */
int symbol_files_init(struct symbol_files *f, const char *symfs, const char *cache);
void symbol_files_fini(struct symbol_files *f);

/* symbol_files_id - the file at @path, of the set that has the paths of mappings, had this build
 * id, which is borrowed. -ENOMEM. */
int symbol_files_id(struct symbol_files *f, const char *path, const char *build_id);

/* symbol_files_open - opens the file of @vma: a descriptor, -ENOENT or -ENOMEM. */
int symbol_files_open(const struct symbol_files *f, const struct vma *vma);

/* symbol_files_cached - appends to @path where the cache has @name ("elf", "kallsyms", "vdso") of
 * @build_id, with a NUL: 0, -ENOENT when there is no cache, -ENOMEM. */
int symbol_files_cached(const struct symbol_files *f, const char *build_id, const char *name,
			struct buf *path);

#endif
