/* SPDX-License-Identifier: GPL-2.0-only */
/* Reads the stacks for cdict flame. */
#include "base/text/plural.h"
#include "cmd/query/flame.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/buf.h"
#include "base/sampled.h"
#include "cmd/input/input.h"

enum { FOLDERS_DEEP = 64, MOST_BYTES = 1 << 30 };

/* ---- text ---- */

static int read_text(struct buf *text, const char *name, struct cdict_error *err)
{
	int fd = strcmp(name, "-") ? open(name, O_RDONLY | O_CLOEXEC) : STDIN_FILENO, rc;

	if (fd < 0)
		return cdict_fail_errno(err, NULL);
	rc = buf_read(text, fd, MOST_BYTES);
	if (rc == -ENOMEM)
		cdict_fail_nomem(err);
	else if (rc) {
		errno = -rc;
		cdict_fail_errno(err, NULL);
	} else if (text->len == MOST_BYTES) {
		rc = cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET, "is larger than %zu MiB",
				(size_t)MOST_BYTES >> 20);
	}
	if (fd != STDIN_FILENO)
		close(fd);
	return rc;
}

/* Adds stacks with one number per line, or with two in all lines. */
static int add_stacks(struct flame_input *in, const struct buf *text, size_t *ignored,
		      struct cdict_error *err)
{
	bool compared = folded_is_comparison((const char *)text->data, text->len);

	if (in->folded.nodes.n > 1 && compared != in->compared)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "has %s per line, earlier files have %s; draw them separately",
				  compared ? "two numbers" : "one number",
				  compared ? "one" : "two");
	in->compared = compared;
	return compared ? folded_parse_comparison(&in->before, &in->folded,
						  (const char *)text->data, text->len, ignored, err)
			: folded_parse(&in->folded, (const char *)text->data, text->len, ignored,
				       err);
}

/* Adds the file to the logs, or, when no line so far is a call, to the stacks. */
static int add_text(struct flame_input *in, const struct cmd_call *call, const char *name,
		    bool only_logs)
{
	struct cdict_error err = { 0 };
	struct buf text = { 0 };
	uint64_t before = in->log.lines, odd = in->log.ignored;
	size_t ignored = 0;
	int rc = read_text(&text, name, &err);

	if (!rc)
		rc = calllog_read(&in->log, (const char *)text.data, text.len, &err);
	if (!rc && in->log.lines == before && !only_logs && !in->log.lines)
		rc = add_stacks(in, &text, &ignored, &err);
	buf_fini(&text);
	in->files++;
	if (rc)
		return cmd_error(call, name, &err);
	if (in->log.lines && in->log.ignored > odd)
		cmd_warn(call, name,
			 "ignored lines that begin with + but are not calls "
			 "('++,thread,function,calls,percent,cycles,ns'): %llu",
			 (unsigned long long)(in->log.ignored - odd));
	if (in->folded.nodes.n > 1 && ignored)
		cmd_warn(call, name, "ignored lines that are not stacks ('main;work;read 12'): %zu",
			 ignored);
	return CMD_DONE;
}

static int no_text(const struct flame_input *in, const struct cmd_call *call)
{
	if (in->from == FLAME_LOG)
		return cmd_errorf(
			call, in->name,
			"no calls ('++,thread,function,calls,percent,cycles,ns') in %s file%s",
			GROUPED(in->files), in->files == 1 ? "" : "s");
	return cmd_errorf(call, in->name,
			  "no folded stacks ('main;work;read 12') or calls "
			  "('++,thread,function,calls,percent,cycles,ns')");
}

/* ---- files in a folder ---- */

static bool is_folder(const char *name)
{
	struct stat st;

	return !lstat(name, &st) && S_ISDIR(st.st_mode);
}

static int look_below(struct flame_input *in, const struct cmd_call *call, const char *dir,
		      unsigned deep)
{
	const struct flame_opts *opts = call->opts;
	const char *glob = opts->glob ? opts->glob : FLAME_LOGS;
	struct dirent **found = NULL;
	int n = scandir(dir, &found, NULL, alphasort), status = CMD_DONE;

	if (n < 0)
		return cmd_errorf(call, dir, "cannot open folder: %s", strerror(errno));
	for (int i = 0; i < n; i++) {
		const char *name = found[i]->d_name;
		char *path = NULL;

		if (status || !strcmp(name, ".") || !strcmp(name, "..")) {
			free(found[i]);
			continue;
		}
		if (asprintf(&path, "%s/%s", dir, name) < 0)
			status = cmd_errorf(call, dir, "out of memory");
		else if (is_folder(path))
			status = deep < FOLDERS_DEEP ? look_below(in, call, path, deep + 1)
						     : CMD_DONE;
		else if (!fnmatch(glob, name, 0))
			status = add_text(in, call, path, true);
		free(path);
		free(found[i]);
	}
	free(found);
	return status;
}

/* ---- a capture ---- */

void flame_warn(struct figures *f, enum analyze_stacks_by by)
{
	const struct analyze_summary *sum = analyze_engine_summary(f->walk.eng);

	if (by == ANALYZE_STACKS_SAMPLES)
		return; /* without samples there was an error */
	if (by == ANALYZE_STACKS_EXITS) {
		if (!sum->has_exit || !sum->has_entry)
			figures_lacks(f, "no kvm:kvm_%s events: %s",
				      sum->has_exit ? "entry" : "exit", figures_remedy(f, "kvm"));
	} else if (by == ANALYZE_STACKS_WAKEUPS) {
		if (!tables_has_wakeups(&f->walk))
			figures_lacks(f, "no wake-up events: %s", figures_remedy(f, "sched"));
	} else {
		figures_has_switch(f, "ran");
	}
}

/* Whether the capture has events of samples, and of no other kind. */
static bool only_samples(const struct cdict_reader *r)
{
	const struct cdict_schema *schema = cdict_reader_schema(r);
	bool any = false;

	for (size_t i = 0; i < cdict_schema_count(schema); i++) {
		if (!cdict_reader_has_type(r, i))
			continue;
		if (!sampled_is(cdict_schema_at(schema, i)))
			return false;
		any = true;
	}
	return any;
}

static bool is_asked(const struct cdict_query *q, size_t type)
{
	return !q->types || (type < q->n_types && q->types[type / 64] >> type % 64 & 1);
}

/* The event whose samples are shown: the first in the file that -e names, with samples. */
static int choose_event(struct flame_input *in, const struct cmd_call *call,
			struct analyze_stacks *stacks)
{
	const struct options_shared *o = call->opts;
	const struct cdict_schema *schema = cdict_reader_schema(in->f.reader);

	for (size_t i = 0; i < cdict_schema_count(schema); i++) {
		const struct cdict_event_type *type = cdict_schema_at(schema, i);

		if (!sampled_is(type) || !cdict_reader_has_type(in->f.reader, i) ||
		    !is_asked(&in->f.filter.query, i))
			continue;
		analyze_stacks_event(stacks, (uint32_t)i);
		in->event = type->event;
		return CMD_DONE;
	}
	return o->events.n
		       ? cmd_errorf(call, in->name, "no samples of %s", o->events.at[0])
		       : cmd_errorf(call, in->name,
				    "no samples of hardware or software events: record with "
				    "'cdict record -e cpu-clock -g' or 'perf record -e cycles -g'");
}

static int read_capture(struct flame_input *in, const struct cmd_call *call, const char *name)
{
	const struct flame_opts *opts = call->opts;
	struct analyze_stacks *stacks = NULL;
	struct cdict_error err = { 0 };
	int status = figures_open_file(&in->f, call, name);

	in->opened = true;
	if (status)
		return status;
	if (!cdict_reader_stack_count(in->f.reader))
		return cmd_errorf(call, name,
				  "no stacks: record with 'cdict record -g' or 'perf record -g'");
	if (!opts->by && only_samples(in->f.reader))
		in->by = ANALYZE_STACKS_SAMPLES;
	if (analyze_stacks_new(&stacks, in->f.walk.eng, (enum analyze_stacks_by)in->by, &err))
		return figures_fail(&in->f, &err);
	if (in->by == ANALYZE_STACKS_SAMPLES)
		status = choose_event(in, call, stacks);
	if (!status)
		status = figures_run_wanted(&in->f);
	if (!status && flame_fold(&in->folded, &in->f.walk, stacks, &in->lacking, &err))
		status = figures_fail(&in->f, &err);
	if (!status)
		flame_warn(&in->f, (enum analyze_stacks_by)in->by);
	if (!status && in->folded.cut)
		cmd_warn(call, in->name, "too many frames: cut the last ones of %s stack%s",
			 GROUPED(in->folded.cut), plural(in->folded.cut));
	analyze_stacks_free(stacks);
	return status;
}

/* ---- any input ---- */

static int wrong_by(const struct cmd_call *call, const struct flame_input *in)
{
	static const char *const what[] = { "captures", "folded stacks", "logs of calls" };
	const struct flame_opts *opts = call->opts;

	return cmd_usage(call, "option --by %s cannot be used with %s", flame_by_names[opts->by],
			 what[in->from]);
}

static int read_texts(struct flame_input *in, const struct cmd_call *call, const char *const *names,
		      size_t n, const char *dir)
{
	const struct flame_opts *opts = call->opts;
	struct cdict_error err = { 0 };
	int status = CMD_DONE, rc;

	if (folded_init(&in->folded) || folded_init(&in->before) || calllog_init(&in->log))
		return cmd_errorf(call, in->name, "out of memory");
	in->folded.parts = in->before.parts = 100;
	in->from = dir ? FLAME_LOG : FLAME_STACKS;
	if (dir)
		status = look_below(in, call, dir, 0);
	for (size_t i = 0; i < n && !status; i++)
		status = add_text(in, call, names[i], false);
	if (status)
		return status;
	if (dir && !in->files)
		return cmd_errorf(call, dir, "no files match '%s'",
				  opts->glob ? opts->glob : FLAME_LOGS);
	if (!in->log.lines && in->folded.nodes.n == 1)
		return no_text(in, call);
	if (in->log.lines && in->folded.nodes.n > 1)
		return cmd_errorf(call, in->name,
				  "some files are logs of calls, others folded stacks");
	if (in->log.lines)
		in->from = FLAME_LOG;
	if (opts->by && (in->from != FLAME_LOG || opts->by < FLAME_BY_LOG))
		return wrong_by(call, in);
	in->by = in->from == FLAME_STACKS ? -1
		 : opts->by               ? opts->by - FLAME_BY_LOG
					  : CALLLOG_PERCENT;
	if (in->from == FLAME_LOG)
		rc = calllog_done(&in->log, (enum calllog_figure)in->by, &err);
	else
		rc = folded_done(&in->folded) || folded_done(&in->before) ? cdict_fail_nomem(&err)
									  : 0;
	in->tree = in->from == FLAME_LOG ? &in->log.tree : &in->folded;
	return rc ? cmd_error(call, in->name, &err) : CMD_DONE;
}

int flame_input_init(struct flame_input *in, const struct cmd_call *call, const char *const *names,
		     size_t n, const char *dir)
{
	const struct flame_opts *opts = call->opts;
	struct cdict_error err = { 0 };
	int status;

	*in = (struct flame_input){ .name = dir ? dir : names[0] };
	if (!dir && n == 1 && is_folder(names[0]) && !input_is_perf(names[0])) {
		in->name = dir = names[0];
		n = 0;
	}
	for (size_t i = 0; i < n; i++)
		if (!dir && n > 1 && input_is_empty(names[i])) {
			cdict_fail_empty(&err, names[i]);
			return cmd_error(call, names[i], &err);
		} else if (!dir && n > 1 && !input_is_text(names[i]))
			return cmd_usage(call,
					 "takes one capture; several files must be logs or stacks");
	if (dir || input_is_text(names[0]))
		return read_texts(in, call, names, dir ? 0 : n, dir);
	if (opts->by >= FLAME_BY_LOG)
		return wrong_by(call, in);
	in->by = opts->by ? opts->by - FLAME_BY_CAPTURE : ANALYZE_STACKS_OFF_CPU;
	status = read_capture(in, call, names[0]);
	in->tree = &in->folded;
	return status;
}

void flame_input_fini(struct flame_input *in)
{
	if (in->opened)
		figures_close(&in->f);
	calllog_fini(&in->log);
	folded_fini(&in->folded);
	folded_fini(&in->before);
}
