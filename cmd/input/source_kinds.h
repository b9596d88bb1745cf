/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * source_kinds.h - the formats that can become a cdict, detected by their first bytes: one table,
 * for convert, for the commands that convert in memory, and for all that write: files of these
 * formats, and a cdict itself, are captures, which only a capture may replace.
 *
 * Failure    negative code with *err filled
 * Ownership  open() gives, close() takes (NULL is fine)
 */
#ifndef CMD_INPUT_SOURCE_KINDS_H
#define CMD_INPUT_SOURCE_KINDS_H

#include "convert/convert.h"

#define SOURCE_KIND_MAGIC 8u
#define SOURCE_KIND_HEAD (512u << 10)

struct source_kind {
	const char *name;     /* "perf.data", "pfw": unique */
	const char *recorder; /* for messages: "recorded by perf" */
	const char *room;     /* its recorder's option for larger buffers; NULL: none */
	bool many;            /* several files may become one cdict */
	/* Whether the first @n bytes of a file, SOURCE_KIND_MAGIC unless it is shorter, have this
	 * format. */
	bool (*is)(const uint8_t *first, size_t n);
	/* For formats whose first bytes other files may have, too (JSON, gzip): whether the first
	 * @n bytes, up to SOURCE_KIND_HEAD, certainly have this format: 1 or 0, or -ENOMEM. NULL:
	 * is() is certain. */
	int (*holds)(const uint8_t *first, size_t n);
	/* "-" is standard input. */
	int (*open)(void **source, const char *const *files, size_t n_files,
		    struct cdict_error *err);
	/* Like convert_run(); called once. */
	int (*run)(void *source, const struct convert_options *opts, cdict_write_fn fn, void *ctx,
		   struct convert_report *report, struct cdict_error *err);
	void (*close)(void *source);
};

/* source_kind_of - the kind of @file, NULL when unknown: a cdict, a text, a FIFO. */
const struct source_kind *source_kind_of(const char *file);
/* source_kind_perf - the kind whose messages are used for unknown input. */
const struct source_kind *source_kind_perf(void);

/* source_kind_at - the @i-th kind, NULL after the last; source_kind_named - the kind of that name, or NULL. */
const struct source_kind *source_kind_at(size_t i);
const struct source_kind *source_kind_named(const char *name);

/* source_kind_may_replace - the callback @there of struct outfile_options: refuses to replace a
 * capture. @makes, which may be NULL, is the kind being written: an existing file of the same kind
 * may be replaced and is kept. */
struct outfile_there;
int source_kind_may_replace(const struct outfile_there *what, const void *makes,
			    struct cdict_error *err);

/* source_kind_peek - reads up to SOURCE_KIND_MAGIC first bytes of @file without consuming them;
 * *is_dir: it is a directory written by perf record --threads. */
size_t source_kind_peek(const char *file, uint8_t first[SOURCE_KIND_MAGIC], bool *is_dir);

#endif
