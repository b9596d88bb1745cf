/* SPDX-License-Identifier: GPL-2.0-only */
/* What a file is that becomes a cdict, and who reads it. */
#include "cmd/source_kinds.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/tracedat.h"
#include "exchange/perfwhiz_import.h"
#include "exchange/tracedat.h"
#include "exchange/pfw_import.h"

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

/* ---- all of them ---- */

static const struct source_kind kinds[] = {
	{ .recorder = "perf",
	  .room = "perf record -m",
	  .is = perf_is,
	  .open = perf_open,
	  .run = perf_run,
	  .close = perf_close },
	{ .recorder = "trace-cmd",
	  .room = "trace-cmd record -b",
	  .is = is_tracedat,
	  .open = tracedat_begin,
	  .run = tracedat_run,
	  .close = tracedat_end },
	{ .recorder = "perfwhiz",
	  .is = perfwhiz_is,
	  .open = whiz_open,
	  .run = whiz_run,
	  .close = whiz_close },
	{ .recorder = "an I/O tracer",
	  .many = true,
	  .is = pfw_is,
	  .open = traces_open,
	  .run = traces_run,
	  .close = traces_close },
};

const struct source_kind *source_kind_perf(void)
{
	return &kinds[0];
}

/* What a pipe will give first, without taking it. */
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
		/* Its writer is slow: there is nothing to wait on but its end. */
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

/* What perf record --threads writes is a directory with a perf.data of this name. */
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
		/* A FIFO's writer would see us go: it is asked when it is read. */
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
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].is(first, n))
			return &kinds[i];
	return NULL;
}
