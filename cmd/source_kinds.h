/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source_kinds.h - what can become a cdict, known by its first bytes: one table, for convert and for
 * the commands that convert on the way.
 *
 * Failure    negative code with *err filled
 * Ownership  open() gives, close() takes (NULL is fine)
 */
#ifndef CMD_SOURCE_KINDS_H
#define CMD_SOURCE_KINDS_H

#include "convert/convert.h"

#define SOURCE_KIND_MAGIC 8u

struct source_kind {
	const char *recorder; /* "what perf recorded" */
	const char *room;     /* its option for larger buffers; NULL: it has none */
	bool many;            /* takes several files, which become one cdict */
	/* Whether the first @n bytes of a file, SOURCE_KIND_MAGIC unless it is shorter, are its. */
	bool (*is)(const uint8_t *first, size_t n);
	/* "-" is standard input. */
	int (*open)(void **source, const char *const *files, size_t n_files,
		    struct cdict_error *err);
	/* As convert_run(): once. */
	int (*run)(void *source, const struct convert_options *opts, cdict_write_fn fn, void *ctx,
		   struct convert_report *report, struct cdict_error *err);
	void (*close)(void *source);
};

/* source_kind_of - the kind of @file, NULL when none knows it: a cdict, a text, what a FIFO will give. */
const struct source_kind *source_kind_of(const char *file);
/* source_kind_perf - whose words are for what nobody knows. */
const struct source_kind *source_kind_perf(void);

/* source_kind_peek - up to SOURCE_KIND_MAGIC first bytes of @file, which stay there; *is_dir: it is the
 * directory that perf record --threads writes. */
size_t source_kind_peek(const char *file, uint8_t first[SOURCE_KIND_MAGIC], bool *is_dir);

#endif
