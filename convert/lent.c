/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens a folder, a recording or a cdict, and finds tracepoint formats in it. */
#include "convert/lent.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/fail.h"
#include "cdict/reader.h"
#include "convert/formats.h"
#include "convert/lent_internal.h"
#include "format/layout.h"

/* --- formats that were read --- */

int lent_add(struct lent *l, const char *system, const char *text, size_t len)
{
	struct lent_format *f;
	char name[256];
	uint32_t id;

	if (!formats_name(&(struct perfdata_format){ system, text, len }, name, sizeof(name), &id))
		return 0;
	if (l->formats.n >= LENT_FORMATS_MAX)
		return CDICT_ELIMIT;
	f = array_add(&l->formats);
	if (!f)
		return -ENOMEM;
	*f = (struct lent_format){ .id = id, .format = { system, text, len }, .type = LENT_NEW };
	l->sorted = false;
	return 0;
}

static int by_id(const void *a, const void *b)
{
	const struct lent_format *x = a, *y = b;

	return x->id < y->id ? -1 : x->id > y->id;
}

static struct lent_format *find_format(struct lent *l, uint64_t id)
{
	struct lent_format key = { .id = id };

	if (!l->formats.n)
		return NULL;
	if (!l->sorted)
		qsort(l->formats.at, l->formats.n, sizeof(*l->formats.at), by_id);
	l->sorted = true;
	return bsearch(&key, l->formats.at, l->formats.n, sizeof(key), by_id);
}

int lent_type(struct lent *l, uint64_t id, const struct cdict_event_type **type,
	      struct cdict_error *err)
{
	struct lent_format *f = find_format(l, id);
	int ret;

	*type = NULL;
	if (!f && l->folder >= 0) {
		ret = lent_folder_rest(l, err);
		if (ret)
			return ret;
		f = find_format(l, id);
	}
	if (!f || f->type == LENT_UNREADABLE)
		return 0;
	if (!l->schema)
		l->schema = cdict_schema_new(false, (unsigned)l->long_size, l->page_size);
	if (!l->schema)
		return cdict_fail_nomem(err);
	if (f->type == LENT_NEW) {
		ret = cdict_schema_add(l->schema, f->format.system, f->format.text, f->format.len,
				       err);
		if (ret == -ENOMEM)
			return ret;
		f->type = ret < 0 ? LENT_UNREADABLE : ret;
		if (ret < 0)
			return 0;
	}
	*type = cdict_schema_at(l->schema, (size_t)f->type);
	return 1;
}

const struct perfdata_tracing *lent_formats(struct lent *l, const struct lent_survey *s)
{
	l->given.n = 0;
	for (size_t i = 0; i < s->events.n; i++) {
		const struct lent_event *ev = &s->events.at[i];
		const struct lent_format *f = ev->type && !ev->misfits ? find_format(l, ev->id)
								       : NULL;

		if (f && array_push(&l->given, f->format))
			return NULL;
	}
	l->tracing = (struct perfdata_tracing){
		.present = true,
		.big_endian = s->big,
		.long_size = l->long_size,
		.page_size = l->page_size,
		.formats = l->given.at,
		.n_formats = l->given.n,
		.printk = l->printk,
	};
	return &l->tracing;
}

const char *lent_kernel(const struct lent *l)
{
	return l->kernel;
}

const char *lent_arch(const struct lent *l)
{
	return l->arch;
}

const char *lent_source(const struct lent *l)
{
	return l->pd ? "perf.data" : l->reader ? "cdict" : "folder";
}

bool lent_order_is(const struct lent *l, bool big)
{
	return !(l->pd || l->reader) || l->big == big;
}

/* --- sources --- */

static int take_tracing(struct lent *l, const struct perfdata_tracing *t, struct cdict_error *err)
{
	int ret = 0;

	l->big = t->big_endian;
	l->long_size = t->long_size;
	l->page_size = t->page_size;
	l->printk = t->printk;
	for (size_t i = 0; i < t->n_formats && !ret; i++)
		ret = lent_add(l, t->formats[i].system, t->formats[i].text, t->formats[i].len);
	return ret == -ENOMEM ? cdict_fail_nomem(err) : 0;
}

static int from_perf(struct lent *l, const char *path, struct cdict_error *err)
{
	struct perfdata_record rec;
	const struct perfdata_features *f;
	int ret = perfdata_open(&l->pd, path, err);

	/* In pipe mode they arrive in a record. */
	while (!ret && !perfdata_tracing(l->pd)->present) {
		ret = perfdata_next(l->pd, &rec, err);
		if (ret <= 0 || rec.type == 9 /* PERF_RECORD_SAMPLE */)
			break;
		ret = 0;
	}
	if (ret < 0)
		return ret;
	if (!perfdata_tracing(l->pd)->present)
		return cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				  "has no tracepoint formats%s%s",
				  perfdata_unfinished(l->pd) ? ": " : "",
				  perfdata_unfinished(l->pd) ? perfdata_unfinished(l->pd) : "");
	f = perfdata_features(l->pd);
	l->kernel = f->osrelease;
	l->arch = f->arch;
	return take_tracing(l, perfdata_tracing(l->pd), err);
}

static int from_cdict(struct lent *l, const char *path, struct cdict_error *err)
{
	int ret = cdict_reader_open(&l->reader, path, err);
	const struct cdict_schema *s;

	if (ret)
		return ret;
	s = cdict_reader_schema(l->reader);
	l->big = cdict_schema_big_endian(s);
	l->long_size = (int)cdict_schema_long_size(s);
	l->page_size = cdict_schema_page_size(s);
	l->printk = cdict_reader_info(l->reader, "trace.strings");
	l->kernel = cdict_reader_info(l->reader, "host.kernel");
	l->arch = cdict_reader_info(l->reader, "host.arch");
	for (size_t i = 0; i < cdict_schema_count(s) && !ret; i++) {
		const struct cdict_event_type *t = cdict_schema_at(s, i);

		ret = lent_add(l, t->system, t->format, t->format_len);
	}
	return ret == -ENOMEM ? cdict_fail_nomem(err) : 0;
}

static int open_path(struct lent *l, const char *path, struct cdict_error *err)
{
	uint8_t first[16] = { 0 };
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = 0;

	if (fd < 0)
		return cdict_fail_errno(err, NULL);
	if (fstat(fd, &st)) {
		int ret = cdict_fail_errno(err, NULL);

		close(fd);
		return ret;
	}
	if (S_ISREG(st.st_mode))
		n = pread(fd, first, sizeof(first), 0);
	if (S_ISDIR(st.st_mode) && faccessat(fd, "data", F_OK, 0)) {
		l->folder = fd;
		return lent_folder(l, err);
	}
	close(fd);
	if (S_ISREG(st.st_mode) && !st.st_size)
		return cdict_fail_empty(err, path);
	if (S_ISDIR(st.st_mode) ||
	    (n >= 8 && (!memcmp(first, "PERFILE2", 8) || !memcmp(first, "2ELIFREP", 8))))
		return from_perf(l, path, err);
	if (n >= FORMAT_MAGIC_SIZE && !memcmp(first, FORMAT_MAGIC, FORMAT_MAGIC_SIZE))
		return from_cdict(l, path, err);
	return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
			  "has no formats: expected a folder of format files (tracefs' events), a "
			  "perf.data or a cdict");
}

int lent_open(struct lent **out, const char *path, const char *const *globs, size_t n_globs,
	      struct cdict_error *err)
{
	struct lent *l = calloc(1, sizeof(*l));
	int ret;

	*out = NULL;
	if (!l)
		return cdict_fail_nomem(err);
	l->long_size = 8;
	l->page_size = 4096;
	l->folder = -1;
	l->globs = globs;
	l->n_globs = n_globs;
	ret = open_path(l, path, err);
	if (!ret && !l->formats.n && l->folder < 0)
		ret = cdict_fail(err, CDICT_ENOTFOUND, CDICT_NO_OFFSET,
				 "has no tracepoint formats");
	if (ret)
		lent_close(l);
	else
		*out = l;
	return ret;
}

void lent_close(struct lent *l)
{
	if (!l)
		return;
	if (l->folder >= 0)
		close(l->folder);
	perfdata_close(l->pd);
	cdict_reader_close(l->reader);
	cdict_schema_free(l->schema);
	texts_fini(&l->texts);
	array_fini(&l->formats);
	array_fini(&l->given);
	free(l);
}
