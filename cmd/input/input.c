/* SPDX-License-Identifier: GPL-2.0-only */
/* Opens the captures that a command reads. */
#include "cmd/input/input.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/buf.h"
#include "base/memory/pool.h"
#include "cmd/core/options.h"
#include "cmd/input/lending.h"
#include "cmd/input/source_kinds.h"
#include "format/file/reader.h"
#include "format/layout.h"

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

static int add_matches(struct texts *files, const char *pattern)
{
	glob_t found = { 0 };
	int rc = glob(pattern, 0, NULL, &found), ret = rc == GLOB_NOSPACE ? -ENOMEM : 0;

	if (rc == GLOB_NOMATCH)
		ret = -ENOENT;
	for (size_t i = 0; !rc && !ret && i < found.gl_pathc; i++)
		ret = texts_add(files, found.gl_pathv[i]);
	globfree(&found);
	return ret;
}

/* An existing file of that name is not a pattern. */
static bool is_pattern(const char *name)
{
	return name[strcspn(name, "*?[")] && access(name, F_OK);
}

int input_files_add(struct texts *files, const struct cmd_call *call, const char *const *names,
		    size_t n)
{
	size_t pipes = 0;
	int rc = 0;

	for (size_t i = 0; i < files->n; i++)
		pipes += !strcmp(files->at[i], "-");
	for (size_t i = 0; i < n && !rc; i++) {
		pipes += !strcmp(names[i], "-");
		if (pipes > 1)
			return cmd_usage(call, "standard input can be read only once");
		rc = is_pattern(names[i]) ? add_matches(files, names[i])
					  : texts_add(files, names[i]);
		if (rc == -ENOENT)
			return cmd_errorf(call, NULL, "no file matches '%s'", names[i]);
	}
	return rc ? cmd_errorf(call, NULL, "out of memory") : CMD_DONE;
}

int input_files(struct texts *files, const struct cmd_call *call)
{
	const char *name = call->n_operands ? NULL : input_file(call);

	return name ? input_files_add(files, call, &name, 1)
		    : input_files_add(files, call, call->operands, call->n_operands);
}

/* ---- format ---- */

bool input_is_perf(const char *file)
{
	return source_kind_of(file) == source_kind_perf();
}

bool input_is_empty(const char *file)
{
	struct stat st;

	return strcmp(file, "-") && !stat(file, &st) && S_ISREG(st.st_mode) && !st.st_size;
}

bool input_is_text(const char *file)
{
	uint8_t first[SOURCE_KIND_MAGIC] = { 0 };
	bool is_dir;
	size_t n = source_kind_peek(file, first, &is_dir);

	for (size_t i = 0; i < n; i++)
		if (!first[i])
			return false;
	/* the magic of both has no zero byte in its first part, and both are binary */
	return n && !is_dir && memcmp(first, FORMAT_MAGIC, n) && memcmp(first, "PERFILE2", n) &&
	       memcmp(first, "2ELIFREP", n);
}

/* ---- conversion in memory ---- */

/* A file that is converted, possibly beside others. */
struct conversion {
	struct pool_job job;
	const struct source_kind *kind; /* NULL: the file is not converted */
	const char *file;
	struct convert_options how;
	struct convert_report report;
	struct buf made;
	int ret;
	struct cdict_error err;
};

static void convert(struct conversion *c)
{
	void *source = NULL;

	c->ret = c->kind->open(&source, &c->file, 1, &c->err);
	if (!c->ret)
		c->ret = c->kind->run(source, &c->how, buf_write, &c->made, &c->report, &c->err);
	c->kind->close(source);
}

/* Reports the conversion and opens its result. */
static int take(struct cdict_reader **out, const struct cmd_call *call, struct conversion *c,
		unsigned flags)
{
	const struct convert_report *report = &c->report;
	const char *name = strcmp(c->file, "-") ? c->file : NULL;
	int status = CMD_DONE;

	if (c->ret < 0) {
		status = cmd_error(call, c->file, &c->err);
	} else if (!report->events && !(flags & INPUT_MAY_BE_EMPTY)) {
		if (report->damaged)
			cmd_warn(call, name, "input is damaged: %s", report->damage);
		cmd_errorf(call, name, "%s", report->missing);
		status = report->damaged ? CMD_DAMAGED : CMD_FAILED;
	} else {
		cmd_warn(call, name,
			 "recorded by %s: converted in memory; 'cdict convert' keeps the result",
			 c->kind->recorder);
		if (!report->events)
			cmd_warn(call, name, "%s", report->missing);
		if (c->kind == source_kind_perf() && report->note[0])
			cmd_warn(call, name, "%s", report->note);
		if (reader_take(out, c->made.data, c->made.len, &c->err))
			status = cmd_error(call, c->file, &c->err);
		c->made = (struct buf){ 0 };
	}
	return status;
}

static void forget(struct conversion *c)
{
	buf_fini(&c->made);
	convert_report_fini(&c->report);
}

static struct conversion conversion_of(const struct source_kind *kind, const char *file,
				       unsigned flags)
{
	static const char *const everything[] = { "*" };
	static const struct perf_stacks_options stacks;

	return (struct conversion){ .kind = kind,
				    .file = file,
				    .how = { .events = flags & INPUT_ALL_EVENTS ? everything : NULL,
					     .n_events = flags & INPUT_ALL_EVENTS ? 1 : 0,
					     .stacks = &stacks } };
}

static int open_converted(struct cdict_reader **out, const struct cmd_call *call,
			  const struct source_kind *kind, const char *file, unsigned flags)
{
	struct conversion c = conversion_of(kind, file, flags);
	struct lending lending;
	int status = lending_init(&lending, call, file, NULL, &c.how);

	if (!status)
		convert(&c);
	if (!status)
		status = take(out, call, &c, flags);
	forget(&c);
	lending_fini(&lending);
	return status;
}

static void run_conversion(struct pool_job *job)
{
	struct conversion *c = (struct conversion *)job; /* its first member */

	convert(c);
}

/* Converts the I/O traces among @files beside each other; other formats may need what only one file at a time can have
 * (lending.h). */
static int convert_beside(struct conversion *all, struct pool *pool, const char *const *files,
			  size_t n, unsigned flags, unsigned jobs)
{
	size_t traces = 0;

	for (size_t i = 0; i < n; i++) {
		const struct source_kind *kind = source_kind_of(files[i]);

		if (kind && kind->many)
			all[i] = conversion_of(kind, files[i], flags);
		traces += all[i].kind != NULL;
	}
	for (size_t i = 0; i < n; i++) {
		if (!all[i].kind)
			continue;
		all[i].how.jobs = traces < jobs ? (unsigned)(jobs / traces) : 1;
		all[i].job.run = run_conversion;
		pool_submit(pool, &all[i].job);
	}
	return traces > 0;
}

/* The user did not name this file: explains the default. */
static int no_default(const struct cmd_call *call)
{
	return cmd_errorf(call, INPUT_DEFAULT,
			  "not found: name a FILE, or record one with 'cdict record'");
}

int input_open(struct cdict_reader **out, const struct cmd_call *call, const char *file,
	       unsigned flags)
{
	const struct options_shared *o = call->opts;
	const struct source_kind *kind;
	struct cdict_error err = { 0 };

	*out = NULL;
	if (!call->n_operands && !o->input && !strcmp(file, INPUT_DEFAULT) && access(file, F_OK) &&
	    errno == ENOENT)
		return no_default(call);
	kind = source_kind_of(file);
	if (kind)
		return open_converted(out, call, kind, file, flags);
	return cdict_reader_open(out, file, &err) ? cmd_error(call, file, &err) : CMD_DONE;
}

int input_open_all(struct cdict_reader **out, const struct cmd_call *call, const char *const *files,
		   size_t n, unsigned flags, unsigned jobs)
{
	struct conversion *all = calloc(n, sizeof(*all));
	struct pool *pool = pool_new(jobs);
	int status = CMD_DONE;

	if (!all || !pool)
		status = cmd_errorf(call, NULL, "out of memory");
	else if (n > 1 && jobs > 1)
		convert_beside(all, pool, files, n, flags, jobs);
	for (size_t i = 0; all && pool && i < n; i++) {
		if (all[i].kind)
			pool_wait(pool, &all[i].job);
		if (status)
			continue;
		status = all[i].kind ? take(&out[i], call, &all[i], flags)
				     : input_open(&out[i], call, files[i], flags);
	}
	pool_free(pool);
	for (size_t i = 0; all && i < n; i++)
		forget(&all[i]);
	free(all);
	return status;
}
