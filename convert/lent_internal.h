/* SPDX-License-Identifier: GPL-2.0-only */
/* lent_internal.h - shared by the files that implement lent.h. */
#ifndef CONVERT_LENT_INTERNAL_H
#define CONVERT_LENT_INTERNAL_H

#include "base/memory/texts.h"
#include "convert/lent.h"

/* Linux 6.18 with all its modules has about 3,000 tracepoints; the largest format has 40 kB. */
#define LENT_FORMATS_MAX 65536u
#define LENT_FILE_MAX (1u << 20)
#define LENT_BYTES_MAX (64u << 20)

struct cdict_reader;

struct lent_format {
	uint64_t id;
	struct perfdata_format format;
	int type; /* index in the schema */
};

enum { LENT_NEW = -1, LENT_UNREADABLE = -2 };

struct lent {
	ARRAY(struct lent_format) formats;
	bool sorted;
	struct cdict_schema *schema; /* of the types looked up so far */
	bool big;
	int long_size;
	uint32_t page_size;
	const char *printk, *kernel, *arch;

	/* When the source is a folder: */
	int folder;          /* its descriptor; -1: none */
	bool flat;           /* its files SYSTEM.EVENT.format were read */
	bool all;            /* everything in it was read */
	struct texts texts;  /* file contents, and names of systems */
	size_t bytes, files; /* read so far */
	const char *const *globs;
	size_t n_globs;
	/* When it is a recording, or a cdict: */
	struct perfdata *pd;
	struct cdict_reader *reader;

	ARRAY(struct perfdata_format) given;
	struct perfdata_tracing tracing;
};

/* lent_add - adds a format, whose texts must live as long as @l; ignores text that is not a format.
 * 0, -ENOMEM or CDICT_ELIMIT. */
int lent_add(struct lent *l, const char *system, const char *text, size_t len);

/* lent_folder - reads the part of l->folder that the globs name; lent_folder_rest() reads the rest,
 * once. */
int lent_folder(struct lent *l, struct cdict_error *err);
int lent_folder_rest(struct lent *l, struct cdict_error *err);

#endif
