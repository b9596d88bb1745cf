/* SPDX-License-Identifier: GPL-2.0-only */
/* lent_internal.h - what the files behind lent.h share. */
#ifndef CONVERT_LENT_INTERNAL_H
#define CONVERT_LENT_INTERNAL_H

#include "base/memory/texts.h"
#include "convert/lent.h"

/* Linux 6.18 with all its modules has some 3,000 tracepoints, the largest format 40 kB. */
#define LENT_FORMATS_MAX 65536u
#define LENT_FILE_MAX (1u << 20)
#define LENT_BYTES_MAX (64u << 20)

struct cdict_reader;

struct lent_format {
	uint64_t id;
	struct perfdata_format format;
	int type; /* in the schema */
};

enum { LENT_NEW = -1, LENT_UNREADABLE = -2 };

struct lent {
	ARRAY(struct lent_format) formats;
	bool sorted;
	struct cdict_schema *schema; /* of those that were asked for */
	bool big;
	int long_size;
	uint32_t page_size;
	const char *printk, *kernel, *arch;

	/* A folder: */
	int folder;          /* open; -1: none */
	bool flat;           /* its files of the form SYSTEM.EVENT.format are read */
	bool all;            /* all of it is read */
	struct texts texts;  /* of files, names of systems */
	size_t bytes, files; /* of them */
	const char *const *globs;
	size_t n_globs;
	/* A recording, a cdict: */
	struct perfdata *pd;
	struct cdict_reader *reader;

	ARRAY(struct perfdata_format) given;
	struct perfdata_tracing tracing;
};

/* lent_add - one more format, all of whose texts live as long as @l; what is none is left out. 0, -ENOMEM or
 * CDICT_ELIMIT. */
int lent_add(struct lent *l, const char *system, const char *text, size_t len);

/* lent_folder - reads of l->folder what the globs name; lent_folder_rest() the rest, once. */
int lent_folder(struct lent *l, struct cdict_error *err);
int lent_folder_rest(struct lent *l, struct cdict_error *err);

#endif
