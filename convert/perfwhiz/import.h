/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * import.h - reads the file of perfwhiz, the Python tool that first used the name cdict, as a
 * source of a cdict: zlib of a MessagePack map of columns, with an entry per event
 * (perfwhiz/mkcdict_perf_script.py).
 *
 * Each column is unpacked by its own reader, in parallel, so that memory does not grow with the
 * file.
 *
 * Threads    one thread at a time
 * Failure    negative code with *err filled; damage that leaves usable data is in the report
 * Ownership  open and parse give, close takes (NULL is fine)
 */
#ifndef CONVERT_PERFWHIZ_IMPORT_H
#define CONVERT_PERFWHIZ_IMPORT_H

#include "convert/convert.h"

struct perfwhiz_file;

/* perfwhiz_is - whether a file that begins with @n bytes is zlib; its contents are not checked. */
bool perfwhiz_is(const uint8_t *first, size_t n);

/* perfwhiz_holds - whether the first @n bytes of a file are zlib of a map, as the tool writes: 1 or
 * 0, or -ENOMEM. */
int perfwhiz_holds(const uint8_t *first, size_t n);

int perfwhiz_open(struct perfwhiz_file **out, const char *path, struct cdict_error *err);
/* perfwhiz_parse - like perfwhiz_open(), from memory, which must outlive the object. */
int perfwhiz_parse(struct perfwhiz_file **out, const void *data, size_t size,
		   struct cdict_error *err);
void perfwhiz_close(struct perfwhiz_file *pw);

/* perfwhiz_convert - like convert_run(). */
int perfwhiz_convert(struct perfwhiz_file *pw, const struct convert_options *opts,
		     cdict_write_fn fn, void *ctx, struct convert_report *report,
		     struct cdict_error *err);

#endif
