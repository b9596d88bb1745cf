/* SPDX-License-Identifier: GPL-2.0-only */
/* The captures that a command reads. */
#include "cmd/input.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/fail.h"
#include "cmd/options.h"
#include "convert/convert.h"
#include "format/layout.h"
#include "format/reader.h"

#define MAGIC_SIZE 8u

const char *input_file(const struct cmd_call *call)
{
	const struct options_shared *o = call->opts;
	struct stat st;

	if (call->n_operands)
		return call->operands[0];
	if (o->input)
		return o->input;
	return !fstat(STDIN_FILENO, &st) && S_ISFIFO(st.st_mode) ? "-" : INPUT_DEFAULT;
}

/* ---- several ---- */

static int add_name(struct input_files *files, const char *name)
{
	char **at = files->at;

	if (files->n + 2 > files->cap) {
		at = array_grow(files->at, &files->cap, files->n + 2, sizeof(*files->at));
		if (!at)
			return -ENOMEM;
		files->at = at;
	}
	at[files->n] = strdup(name);
	if (!at[files->n])
		return -ENOMEM;
	at[++files->n] = NULL;
	return 0;
}

static int add_matches(struct input_files *files, const char *pattern)
{
	glob_t found = { 0 };
	int rc = glob(pattern, 0, NULL, &found), ret = rc == GLOB_NOSPACE ? -ENOMEM : 0;

	if (rc == GLOB_NOMATCH)
		ret = -ENOENT;
	for (size_t i = 0; !rc && !ret && i < found.gl_pathc; i++)
		ret = add_name(files, found.gl_pathv[i]);
	globfree(&found);
	return ret;
}

/* A file that is called so is that file. */
static bool is_pattern(const char *name)
{
	return name[strcspn(name, "*?[")] && access(name, F_OK);
}

int input_files_add(struct input_files *files, const struct cmd_call *call,
		    const char *const *names, size_t n)
{
	size_t pipes = 0;
	int rc = 0;

	for (size_t i = 0; i < files->n; i++)
		pipes += !strcmp(files->at[i], "-");
	for (size_t i = 0; i < n && !rc; i++) {
		pipes += !strcmp(names[i], "-");
		if (pipes > 1)
			return cmd_usage(call, "standard input can be read once only");
		rc = is_pattern(names[i]) ? add_matches(files, names[i])
					  : add_name(files, names[i]);
		if (rc == -ENOENT)
			return cmd_errorf(call, NULL, "no file matches '%s'", names[i]);
	}
	return rc ? cmd_errorf(call, NULL, "out of memory") : CMD_DONE;
}

int input_files(struct input_files *files, const struct cmd_call *call)
{
	const char *name = call->n_operands ? NULL : input_file(call);

	return name ? input_files_add(files, call, &name, 1)
		    : input_files_add(files, call, call->operands, call->n_operands);
}

void input_files_fini(struct input_files *files)
{
	for (size_t i = 0; i < files->n; i++)
		free(files->at[i]);
	free(files->at);
	*files = (struct input_files){ 0 };
}

/* ---- what it is ---- */

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
		got = tee(fd, copy[1], MAGIC_SIZE, 0);
		n = got > 0 ? (size_t)got : 0;
		for (size_t at = 0; at < n; at += (size_t)got) {
			got = read(copy[0], first + at, n - at);
			if (got <= 0)
				n = at;
		}
		/* Its writer is slow: there is nothing to wait on but its end. */
		if (n && n < MAGIC_SIZE)
			poll(NULL, 0, 10);
	} while (n && n < MAGIC_SIZE && (n > before || !(wait.revents & POLLHUP)));
	close(copy[0]);
	close(copy[1]);
	return n;
}

static size_t peek_file(int fd, uint8_t *first)
{
	ssize_t n = pread(fd, first, MAGIC_SIZE, lseek(fd, 0, SEEK_CUR));

	return n > 0 ? (size_t)n : 0;
}

/* What perf record --threads writes is a directory with a perf.data of this name. */
static bool is_perf_directory(const char *path)
{
	char data[4096];

	return (size_t)snprintf(data, sizeof(data), "%s/data", path) < sizeof(data) &&
	       !access(data, F_OK);
}

/* The first bytes of @file; *is_dir: it is what perf record --threads writes.  Fewer than MAGIC_SIZE: nobody knows. */
static size_t first_bytes(const char *file, uint8_t first[MAGIC_SIZE], bool *is_dir)
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

bool input_is_perf(const char *file)
{
	uint8_t first[MAGIC_SIZE] = { 0 };
	bool is_dir;
	size_t n = first_bytes(file, first, &is_dir);

	return is_dir || (n == MAGIC_SIZE &&
			  (!memcmp(first, "PERFILE2", 8) || !memcmp(first, "2ELIFREP", 8)));
}

bool input_is_text(const char *file)
{
	uint8_t first[MAGIC_SIZE] = { 0 };
	bool is_dir;
	size_t n = first_bytes(file, first, &is_dir);

	for (size_t i = 0; i < n; i++)
		if (!first[i])
			return false;
	/* neither has a zero byte in its name's first part, and both say what they are */
	return n && !is_dir && memcmp(first, FORMAT_MAGIC, n) && memcmp(first, "PERFILE2", n) &&
	       memcmp(first, "2ELIFREP", n);
}

/* ---- converted on the way ---- */

static int collect(void *ctx, const void *data, size_t size)
{
	struct buf *b = ctx;

	buf_add(b, data, size);
	return b->failed ? -ENOMEM : 0;
}

static int convert(struct cdict_reader **out, const struct cmd_call *call, const char *file,
		   unsigned flags)
{
	static const char *const everything[] = { "*" };
	struct convert_options how = { .events = flags & INPUT_ALL_EVENTS ? everything : NULL,
				       .n_events = flags & INPUT_ALL_EVENTS ? 1 : 0 };
	struct convert_report report = { 0 };
	struct cdict_error err = { 0 };
	struct perfdata *pd = NULL;
	struct buf made = { 0 };
	int status = CMD_DONE;

	if (perfdata_open(&pd, file, &err) ||
	    convert_run(pd, &how, collect, &made, &report, &err) < 0) {
		status = cmd_error(call, file, &err);
	} else if (!report.events && !(flags & INPUT_MAY_BE_EMPTY)) {
		status = cmd_errorf(call, file, "%s", report.missing);
	} else {
		cmd_warn(call, strcmp(file, "-") ? file : NULL,
			 "what perf recorded, converted on the way, in memory; 'cdict convert' "
			 "keeps it");
		if (!report.events)
			cmd_warn(call, file, "%s", report.missing);
		if (reader_take(out, made.data, made.len, &err))
			status = cmd_error(call, file, &err);
		made = (struct buf){ 0 };
	}
	buf_fini(&made);
	convert_report_fini(&report);
	perfdata_close(pd);
	return status;
}

/* What was looked for is not what somebody named. */
static int no_default(const struct cmd_call *call)
{
	return cmd_errorf(call, INPUT_DEFAULT,
			  "there is none here: name a FILE, or make one with 'cdict record'");
}

int input_open(struct cdict_reader **out, const struct cmd_call *call, const char *file,
	       unsigned flags)
{
	const struct options_shared *o = call->opts;
	struct cdict_error err = { 0 };

	*out = NULL;
	if (!call->n_operands && !o->input && !strcmp(file, INPUT_DEFAULT) && access(file, F_OK) &&
	    errno == ENOENT)
		return no_default(call);
	if (input_is_perf(file))
		return convert(out, call, file, flags);
	return cdict_reader_open(out, file, &err) ? cmd_error(call, file, &err) : CMD_DONE;
}
