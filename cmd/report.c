/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict report: one HTML page with everything, which opens anywhere. */
#include "cmd/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/outfile.h"
#include "cmd/loss.h"
#include "format/reader.h"
#include "render/page.h"

#define FILES_MAX 16

struct report_opts {
	struct options_shared shared;
	struct cmd_list labels;
	int embed; /* enum report_embed */
	bool open;
};

static const char *const embeds[] = { "auto", "all", "none", NULL };

/* ---- the file ---- */

static void choose_embedded(struct report_capture *captures, size_t n, int embed)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += cdict_reader_size(captures[i].f.reader);
	for (size_t i = 0; i < n; i++)
		captures[i].embedded = embed == REPORT_EMBED_ALL ||
				       (embed == REPORT_EMBED_AUTO && bytes <= REPORT_EMBED_LIMIT);
}

static void title_of(struct sink *s, const struct report_capture *captures, size_t n,
		     const struct report_view *view)
{
	for (size_t i = 0; i < n; i++)
		sink_printf(s, "%s%s", i ? ", " : "", captures[i].label);
	sink_printf(s, ": %s", view->only ? view->only : n > 1 ? "comparison" : "cdict report");
}

static int put_head(struct sink *s, struct report_capture *captures, size_t n,
		    const struct report_view *view)
{
	struct sink title, json;
	struct json j;
	char *text;
	size_t len;
	int rc;

	sink_to_memory(&title);
	title_of(&title, captures, n, view);
	text = sink_take(&title, NULL);
	if (!text)
		return -ENOMEM;
	page_head(s, text);
	free(text);
	sink_to_memory(&json);
	json_init(&j, &json);
	j.script = true;
	rc = report_head_json(&j, captures, n, view);
	text = sink_take(&json, &len);
	if (text && !rc)
		page_json(s, "cdict-page", text, len);
	free(text);
	return text ? rc : -ENOMEM;
}

/* "tables-0" and its like */
static char *id_of(char room[32], const char *name, size_t i)
{
	snprintf(room, 32, "%s-%zu", name, i);
	return room;
}

static int put_capture(struct sink *s, struct report_capture *c, size_t i)
{
	const struct cdict_reader *r = c->f.reader;
	struct sink tables, arrays;
	char id[32], *text, *bytes;
	size_t len, n_bytes;
	struct json j;
	int rc;

	sink_to_memory(&tables);
	sink_to_memory(&arrays);
	json_init(&j, &tables);
	rc = report_tables_json(&j, c, &arrays);
	text = sink_take(&tables, &len);
	bytes = sink_take(&arrays, &n_bytes);
	if (!text || !bytes)
		rc = -ENOMEM;
	if (!rc)
		rc = page_deflated(s, id_of(id, "tables", i), text, len, 6);
	if (!rc)
		rc = page_deflated(s, id_of(id, "bins", i), bytes, n_bytes, 1);
	free(text);
	free(bytes);
	if (!rc && c->embedded)
		page_base64(s, id_of(id, "capture", i), r->data, r->size);
	return rc;
}

int report_write(const struct cmd_call *call, const char *path, struct report_capture *captures,
		 size_t n, const struct report_view *view, int embed)
{
	struct cdict_error err = { 0 };
	struct outfile *of = NULL;
	struct sink s;
	int rc, end;

	choose_embedded(captures, n, embed);
	if (cmd_output_open(&of, path, &err))
		return cmd_error(call, path, &err);
	sink_to(&s, outfile_write, of);
	rc = put_head(&s, captures, n, view);
	for (size_t i = 0; i < n && !rc; i++)
		rc = put_capture(&s, &captures[i], i);
	page_foot(&s);
	end = sink_finish(&s);
	if (rc || (end && !strcmp(path, "-"))) {
		cmd_output_abort(of);
		return rc ? cmd_errorf(call, path, "out of memory") : cmd_stdout_error(call, end);
	}
	/* what could not be written, commit tells */
	return cmd_output_commit(of, &err) ? cmd_error(call, path, &err) : CMD_DONE;
}

/* ---- names ---- */

/* "dir/run.cdict" -> "dir/run.html"; of several files "dir/run-comparison.html". */
static int default_name(const struct cmd_call *call, const char *file, size_t n, char *out,
			size_t size)
{
	size_t len = strlen(file);

	if (!strcmp(file, "-"))
		return cmd_usage(call, "needs -o FILE when it reads standard input");
	if (len > 6 && !strcmp(file + len - 6, ".cdict"))
		len -= 6;
	if ((size_t)snprintf(out, size, "%.*s%s.html", (int)len, file,
			     n > 1 ? "-comparison" : "") >= size)
		return cmd_errorf(call, file, "its name is too long: name the page with -o");
	return CMD_DONE;
}

static bool same_file(const char *a, const char *b)
{
	struct stat x, y;

	return strcmp(a, "-") && strcmp(b, "-") && !stat(a, &x) && !stat(b, &y) &&
	       x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

static int files_of(const struct cmd_call *call, const char **files, size_t *n)
{
	const struct report_opts *opts = call->opts;

	*n = 0;
	for (size_t i = 0; i < call->n_operands && i < FILES_MAX; i++)
		files[(*n)++] = call->operands[i];
	if (!*n && opts->shared.input)
		files[(*n)++] = opts->shared.input;
	if (!*n)
		return cmd_usage(call, "needs FILE");
	if (opts->labels.n > *n)
		return cmd_usage(call, "option --label: %zu labels for %zu file%s", opts->labels.n,
				 *n, *n > 1 ? "s" : "");
	return CMD_DONE;
}

/* The desktop's own opener; the page is written, so a failure is only told. */
static void open_page(const struct cmd_call *call, const char *path)
{
	int status = 0, null;
	pid_t pid = fork();

	if (!pid) {
		null = open("/dev/null", O_RDWR);
		if (null >= 0) {
			dup2(null, 0);
			dup2(null, 1);
		}
		execlp("xdg-open", "xdg-open", path, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		cmd_warn(call, path, "is written, but cannot be opened here (xdg-open)");
}

static int report_run(const struct cmd_call *call)
{
	const struct report_opts *opts = call->opts;
	const struct report_view everything = { 0 };
	struct report_capture captures[FILES_MAX] = { 0 };
	const char *files[FILES_MAX], *path = opts->shared.output;
	char name[PATH_MAX];
	size_t n, opened = 0;
	int status = files_of(call, files, &n), worst = CMD_DONE;

	if (!status && !path) {
		status = default_name(call, files[0], n, name, sizeof(name));
		path = name;
	}
	for (size_t i = 0; i < n && !status; i++) {
		if (same_file(files[i], path))
			status = cmd_errorf(call, path, "is the input, and would be lost");
	}
	for (; opened < n && !status; opened++)
		status = report_capture_open(&captures[opened], call, files[opened],
					     opened < opts->labels.n ? opts->labels.items[opened]
								     : NULL);
	if (!status)
		status = report_write(call, path, captures, n, &everything, opts->embed);
	for (size_t i = 0; i < n && !status; i++) {
		int loss = loss_status(call, files[i], captures[i].f.reader,
				       opts->shared.max_loss_pct);

		worst = loss ? loss : worst;
	}
	if (!status && opts->open && strcmp(path, "-"))
		open_page(call, path);
	for (size_t i = 0; i < opened; i++)
		report_capture_close(&captures[i]);
	return status ? status : worst;
}

static const struct cmd_option report_options[] = {
	OPTION_INPUT,
	CMD_STRING('o', "output", struct options_shared, output, "FILE",
		   "write FILE, whole or not at all; '-' is standard output (default: run.html "
		   "beside run.cdict)"),
	CMD_LIST(0, "label", struct report_opts, labels, "TEXT",
		 "call the first capture TEXT; again, or with commas, the next ones"),
	CMD_CHOICE(0, "embed", struct report_opts, embed, "WHAT", embeds, "auto",
		   "take the captures into the page, for zooming down to single events: auto up to "
		   "64 MiB of them, all, none"),
	CMD_FLAG(0, "open", struct report_opts, open, "show the page in the browser"),
	OPTIONS_TASKS,
	OPTIONS_WINDOW,
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example report_examples[] = {
	{ "cdict report run.cdict", "everything about it in run.html" },
	{ "cdict report run.cdict -t qemu --time 10%-20% -o qemu.html",
	  "QEMU's threads, in a part of the time" },
	{ "cdict report before.cdict after.cdict --label before,after -o change.html",
	  "two runs beside each other" },
	{ NULL, NULL },
};

const struct cmd cmd_report = {
	.name = "report",
	.brief = "one HTML page with everything, which opens anywhere",
	.operands = "FILE...",
	.about =
		"The page needs no network and no server: mail it, keep it. Its numbers are those of "
		"tasks, exits, vcpu, latency and coremap; a range of time chosen in it gives what "
		"they give with --time. With several captures it compares them, task by task by "
		"name.",
	.options = report_options,
	.opts_size = sizeof(struct report_opts),
	.min_operands = 0,
	.max_operands = FILES_MAX,
	.examples = report_examples,
	.run = report_run,
};
