/* SPDX-License-Identifier: GPL-2.0-only */
/* Detects a file's format, and selects its reader. */
#include "cmd/input/source_kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/system/outfile.h"
#include "base/tracedat.h"
#include "convert/perfwhiz/import.h"
#include "convert/tracedat/tracedat.h"
#include "convert/pfw/import.h"
#include "format/layout.h"

/* ---- perf.data ---- */

static bool perf_is(const uint8_t *first, size_t n)
{
	return n >= 8 && (!memcmp(first, "PERFILE2", 8) || !memcmp(first, "2ELIFREP", 8));
}

static int perf_open(void **source, const char *const *files, size_t n_files,
		     struct cdict_error *err)
{
	struct perfdata *pd;
	int ret = perfdata_open(&pd, files[0], err);

	(void)n_files;
	*source = ret ? NULL : pd;
	return ret;
}

static int perf_run(void *source, const struct convert_options *opts, cdict_write_fn fn, void *ctx,
		    struct convert_report *report, struct cdict_error *err)
{
	return convert_run(source, opts, fn, ctx, report, err);
}

static void perf_close(void *source)
{
	perfdata_close(source);
}

/* ---- trace.dat ---- */

static bool is_tracedat(const uint8_t *first, size_t n)
{
	return tracedat_is(first, n);
}

static int tracedat_begin(void **source, const char *const *files, size_t n_files,
			  struct cdict_error *err)
{
	struct tracedat *td;
	int ret = tracedat_open(&td, files[0], err);

	(void)n_files;
	*source = td;
	return ret;
}

static int tracedat_run(void *source, const struct convert_options *opts, cdict_write_fn fn,
			void *ctx, struct convert_report *report, struct cdict_error *err)
{
	return tracedat_convert(source, opts, fn, ctx, report, err);
}

static void tracedat_end(void *source)
{
	tracedat_close(source);
}

/* ---- perfwhiz ---- */

static int whiz_open(void **source, const char *const *files, size_t n_files,
		     struct cdict_error *err)
{
	struct perfwhiz_file *pw;
	int ret = perfwhiz_open(&pw, files[0], err);

	(void)n_files;
	*source = ret ? NULL : pw;
	return ret;
}

static int whiz_run(void *source, const struct convert_options *opts, cdict_write_fn fn, void *ctx,
		    struct convert_report *report, struct cdict_error *err)
{
	return perfwhiz_convert(source, opts, fn, ctx, report, err);
}

static void whiz_close(void *source)
{
	perfwhiz_close(source);
}

/* ---- I/O traces ---- */

static int traces_open(void **source, const char *const *files, size_t n_files,
		       struct cdict_error *err)
{
	struct pfw *p;
	int ret = pfw_open(&p, files, n_files, err);

	*source = ret ? NULL : p;
	return ret;
}

static int traces_run(void *source, const struct convert_options *opts, cdict_write_fn fn,
		      void *ctx, struct convert_report *report, struct cdict_error *err)
{
	return pfw_run(source, opts, fn, ctx, report, err);
}

static void traces_close(void *source)
{
	pfw_close(source);
}

/* ---- all kinds ---- */

static const struct source_kind kinds[] = {
	{ .name = "perf.data",
	  .recorder = "perf",
	  .room = "perf record -m",
	  .is = perf_is,
	  .open = perf_open,
	  .run = perf_run,
	  .close = perf_close },
	{ .name = "trace.dat",
	  .recorder = "trace-cmd",
	  .room = "trace-cmd record -b",
	  .is = is_tracedat,
	  .open = tracedat_begin,
	  .run = tracedat_run,
	  .close = tracedat_end },
	{ .name = "perfwhiz",
	  .recorder = "perfwhiz",
	  .is = perfwhiz_is,
	  .holds = perfwhiz_holds,
	  .open = whiz_open,
	  .run = whiz_run,
	  .close = whiz_close },
	{ .name = "pfw",
	  .recorder = "an I/O tracer",
	  .many = true,
	  .is = pfw_is,
	  .holds = pfw_holds,
	  .open = traces_open,
	  .run = traces_run,
	  .close = traces_close },
};

#define N_KINDS (sizeof(kinds) / sizeof(kinds[0]))

const struct source_kind *source_kind_perf(void)
{
	return &kinds[0];
}

const struct source_kind *source_kind_at(size_t i)
{
	return i < N_KINDS ? &kinds[i] : NULL;
}

const struct source_kind *source_kind_named(const char *name)
{
	for (size_t i = 0; i < N_KINDS; i++)
		if (!strcmp(kinds[i].name, name))
			return &kinds[i];
	return NULL;
}

/* Reads the first bytes of a pipe without consuming them. */
static size_t peek_pipe(int fd, uint8_t *first)
{
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	size_t n = 0, before;
	int copy[2];

	if (pipe2(copy, O_CLOEXEC))
		return 0;
	do {
		ssize_t got;

		before = n;
		poll(&wait, 1, -1);
		got = tee(fd, copy[1], SOURCE_KIND_MAGIC, 0);
		n = got > 0 ? (size_t)got : 0;
		for (size_t at = 0; at < n; at += (size_t)got) {
			got = read(copy[0], first + at, n - at);
			if (got <= 0)
				n = at;
		}
		/* A slow writer: poll() cannot wait for more bytes, only for its end. */
		if (n && n < SOURCE_KIND_MAGIC)
			poll(NULL, 0, 10);
	} while (n && n < SOURCE_KIND_MAGIC && (n > before || !(wait.revents & POLLHUP)));
	close(copy[0]);
	close(copy[1]);
	return n;
}

static size_t peek_file(int fd, uint8_t *first)
{
	ssize_t n = pread(fd, first, SOURCE_KIND_MAGIC, lseek(fd, 0, SEEK_CUR));

	return n > 0 ? (size_t)n : 0;
}

/* Whether it is a directory written by perf record --threads: it contains a perf.data named
 * "data". */
static bool is_perf_directory(const char *path)
{
	char data[4096];

	return (size_t)snprintf(data, sizeof(data), "%s/data", path) < sizeof(data) &&
	       !access(data, F_OK);
}

size_t source_kind_peek(const char *file, uint8_t first[SOURCE_KIND_MAGIC], bool *is_dir)
{
	struct stat st;
	size_t n = 0;
	int fd = STDIN_FILENO;

	*is_dir = false;
	if (!strcmp(file, "-")) {
		if (fstat(fd, &st))
			return 0;
	} else {
		/* Opening and closing a FIFO would break its writer: check it when it is read. */
		if (stat(file, &st) || S_ISFIFO(st.st_mode))
			return 0;
		if (S_ISDIR(st.st_mode)) {
			*is_dir = is_perf_directory(file);
			return 0;
		}
		fd = open(file, O_RDONLY | O_CLOEXEC);
		if (fd < 0)
			return 0;
	}
	if (S_ISFIFO(st.st_mode))
		n = peek_pipe(fd, first);
	else if (S_ISREG(st.st_mode))
		n = peek_file(fd, first);
	if (fd != STDIN_FILENO)
		close(fd);
	return n;
}

const struct source_kind *source_kind_of(const char *file)
{
	uint8_t first[SOURCE_KIND_MAGIC] = { 0 };
	bool is_dir;
	size_t n = source_kind_peek(file, first, &is_dir);

	if (is_dir)
		return source_kind_perf();
	for (size_t i = 0; i < N_KINDS; i++)
		if (kinds[i].is(first, n))
			return &kinds[i];
	return NULL;
}

/* ---- files that only a capture may replace ---- */

/* Sets *@kind to the kind of the file that begins with the @n bytes at @head, NULL: none. */
static int find_kind(const struct source_kind **kind, const uint8_t *head, size_t n)
{
	int holds = 0;

	*kind = NULL;
	for (size_t i = 0; i < N_KINDS && !holds; i++) {
		holds = kinds[i].is(head, n < SOURCE_KIND_MAGIC ? n : SOURCE_KIND_MAGIC);
		if (holds && kinds[i].holds)
			holds = kinds[i].holds(head, n);
		if (holds > 0)
			*kind = &kinds[i];
	}
	return holds < 0 ? holds : 0;
}

/* Whether it is data.0, data.1, ... written by perf record --threads: records without a header. */
static bool is_part_of_perf(const struct outfile_there *what)
{
	uint8_t first[SOURCE_KIND_MAGIC];
	bool is;
	int fd;

	if (what->dir < 0 || !what->name || strncmp(what->name, "data.", 5) ||
	    strspn(what->name + 5, "0123456789") != strlen(what->name + 5))
		return false;
	fd = openat(what->dir, "data", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return false;
	is = perf_is(first, peek_file(fd, first));
	close(fd);
	return is;
}

static int refuse(const char *recorder, struct cdict_error *err)
{
	cdict_fail(err, -EEXIST, CDICT_NO_OFFSET,
		   recorder ? "is a capture, recorded by %s: only another capture may replace it"
			    : "is a capture: only another capture may replace it",
		   recorder);
	return OUTFILE_REFUSE;
}

int source_kind_may_replace(const struct outfile_there *what, const void *makes,
			    struct cdict_error *err)
{
	const struct source_kind *kind = NULL;
	uint8_t first[SOURCE_KIND_MAGIC], *head;
	ssize_t n = pread(what->fd, first, sizeof(first), 0);
	bool may_be = false;
	int ret;

	if (n == sizeof(first) && !memcmp(first, FORMAT_MAGIC, sizeof(first)))
		return refuse(NULL, err);
	if (is_part_of_perf(what))
		return refuse(source_kind_perf()->recorder, err);
	for (size_t i = 0; n > 0 && i < N_KINDS; i++)
		may_be |= kinds[i].is(first, (size_t)n);
	if (!may_be)
		return OUTFILE_REPLACE;
	head = malloc(SOURCE_KIND_HEAD);
	n = head ? pread(what->fd, head, SOURCE_KIND_HEAD, 0) : 0;
	ret = head ? find_kind(&kind, head, n > 0 ? (size_t)n : 0) : -ENOMEM;
	free(head);
	if (ret)
		return cdict_fail_nomem(err);
	return !kind           ? OUTFILE_REPLACE
	       : kind == makes ? OUTFILE_KEEP_OLD
			       : refuse(kind->recorder, err);
}
