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

static int convert(struct cdict_reader **out, const struct cmd_call *call,
		   const struct source_kind *kind, const char *file, unsigned flags)
{
	static const char *const everything[] = { "*" };
	const char *name = strcmp(file, "-") ? file : NULL;
	struct convert_options how = { .events = flags & INPUT_ALL_EVENTS ? everything : NULL,
				       .n_events = flags & INPUT_ALL_EVENTS ? 1 : 0 };
	struct convert_report report = { 0 };
	struct cdict_error err = { 0 };
	struct buf made = { 0 };
	struct lending lending;
	void *source = NULL;
	int status = lending_init(&lending, call, file, NULL, &how);

	if (kind->open(&source, &file, 1, &err) ||
	    kind->run(source, &how, buf_write, &made, &report, &err) < 0) {
		status = cmd_error(call, file, &err);
	} else if (!report.events && !(flags & INPUT_MAY_BE_EMPTY)) {
		if (report.damaged)
			cmd_warn(call, name, "input is damaged: %s", report.damage);
		cmd_errorf(call, name, "%s", report.missing);
		status = report.damaged ? CMD_DAMAGED : CMD_FAILED;
	} else {
		cmd_warn(call, name,
			 "recorded by %s: converted in memory; 'cdict convert' keeps the result",
			 kind->recorder);
		if (!report.events)
			cmd_warn(call, name, "%s", report.missing);
		if (kind == source_kind_perf() && report.note[0])
			cmd_warn(call, name, "%s", report.note);
		if (reader_take(out, made.data, made.len, &err))
			status = cmd_error(call, file, &err);
		made = (struct buf){ 0 };
	}
	buf_fini(&made);
	convert_report_fini(&report);
	kind->close(source);
	lending_fini(&lending);
	return status;
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
		return convert(out, call, kind, file, flags);
	return cdict_reader_open(out, file, &err) ? cmd_error(call, file, &err) : CMD_DONE;
}
