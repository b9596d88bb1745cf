/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source_kinds.h - what can become a cdict, known by its first bytes: one table, for convert, for the commands
 * that convert on the way, and for all that write: what is in it, and a cdict itself, is a capture, which nothing
 * else replaces.
 *
 * Failure    negative code with *err filled
 * Ownership  open() gives, close() takes (NULL is fine)
 */
#ifndef CMD_SOURCE_KINDS_H
#define CMD_SOURCE_KINDS_H

#include "convert/convert.h"

#define SOURCE_KIND_MAGIC 8u
#define SOURCE_KIND_HEAD (512u << 10)

struct source_kind {
	const char *name;     /* "perf.data", "pfw": no two are alike */
	const char *recorder; /* "what perf recorded" */
	const char *room;     /* its option for larger buffers; NULL: it has none */
	bool many;            /* takes several files, which become one cdict */
	/* Whether the first @n bytes of a file, SOURCE_KIND_MAGIC unless it is shorter, are its. */
	bool (*is)(const uint8_t *first, size_t n);
	/* Of a kind whose first bytes other files have, too (JSON, gzip): whether the first @n bytes, up to
	 * SOURCE_KIND_HEAD, are surely its: 1 or 0, or -ENOMEM.  NULL: is() is sure. */
	int (*holds)(const uint8_t *first, size_t n);
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

/* source_kind_at - the kinds, one after the other, NULL after the last; source_kind_named - by its name, or NULL. */
const struct source_kind *source_kind_at(size_t i);
const struct source_kind *source_kind_named(const char *name);

/* source_kind_may_replace - struct outfile_options' there: refuses to replace a capture.  @makes, which may be NULL,
 * is the kind of what is written: one of the same kind may be replaced and is kept. */
struct outfile_there;
int source_kind_may_replace(const struct outfile_there *what, const void *makes,
			    struct cdict_error *err);

/* source_kind_peek - up to SOURCE_KIND_MAGIC first bytes of @file, which stay there; *is_dir: it is the
 * directory that perf record --threads writes. */
size_t source_kind_peek(const char *file, uint8_t first[SOURCE_KIND_MAGIC], bool *is_dir);

#endif
