/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict report: writes a self-contained HTML page. */
#include "cmd/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "annotate/apply.h"
#include "base/system/ending.h"
#include "base/fail.h"
#include "base/text/plural.h"
#include "cmd/input/input.h"
#include "cmd/core/foreign.h"
#include "cmd/core/program.h"
#include "cmd/report/job.h"
#include "cmd/tables/fleet.h"
#include "cmd/tables/guests.h"
#include "format/file/reader.h"
#include "render/page/page.h"

struct report_opts {
	struct options_shared shared;
	struct cmd_list labels;
	int embed; /* enum report_embed */
	bool open;
	struct cmd_list jobs;
	bool no_host_pages;
	const char *clock;
};

static const char *const embeds[] = { "auto", "all", "none", NULL };

/* ---- captures ---- */

char *report_label(const char *file, const char *label)
{
	const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;

	if (label)
		return strdup(label);
	if (!strcmp(file, "-"))
		return strdup("standard input");
	return strndup(name, ending_cut(name, strlen(name), ".cdict"));
}

int report_open(struct report_capture *c, const struct cmd_call *call, const char *file,
		const char *label)
{
	struct cdict_error err = { 0 };
	int status = figures_open_file(&c->f, call, file);

	if (status)
		return status;
	c->label = report_label(file, label);
	c->page = (struct page_capture){ .walk = &c->f.walk, .label = c->label, .file = file };
	if (!c->label)
		return figures_no_memory(&c->f);
	if (page_capture_add(&c->page, &err))
		return figures_fail(&c->f, &err);
	status = figures_run(&c->f);
	if (!status && page_capture_fill(&c->page))
		status = figures_no_memory(&c->f);
	return status;
}

/* Joins the guests; a status. */
static int join_guests(struct report_capture *c, const struct guest_files *g)
{
	const struct report_opts *opts = g->call.opts;
	struct cdict_error err = { 0 };
	int status = guest_files_join(g, c->f.reader, c->f.file, c->f.labels, opts->clock);

	if (!status && g->files.n && apply_guests(c->f.reader, buf_write, &c->joined, &err) < 0)
		status = cmd_error(&g->call, c->f.file, &err);
	return status;
}

void report_close(struct report_capture *c)
{
	buf_fini(&c->joined);
	page_capture_fini(&c->page);
	free(c->label);
	figures_close(&c->f);
}

/* ---- the file ---- */

/* The arguments of page_write(). */
struct pages {
	struct page_capture *at[REPORT_FILES];
	size_t n;
	const struct page_view *view;
};

static int write_pages(void *ctx, struct sink *s, struct cdict_error *err)
{
	const struct pages *pages = ctx;

	return page_write(s, pages->at, pages->n, pages->view) ? cdict_fail_nomem(err) : 0;
}

int report_write(const struct cmd_call *call, const char *path, struct report_capture *captures,
		 size_t n, const struct page_view *view, int embed)
{
	struct pages pages = { .n = n, .view = view };
	uint64_t bytes = 0;

	for (size_t i = 0; i < n; i++)
		bytes += captures[i].joined.len ? captures[i].joined.len
						: cdict_reader_size(captures[i].f.reader);
	for (size_t i = 0; i < n; i++) {
		pages.at[i] = &captures[i].page;
		if (page_has_engine() &&
		    (embed == REPORT_EMBED_ALL ||
		     (embed == REPORT_EMBED_AUTO && bytes <= REPORT_EMBED_LIMIT))) {
			const struct buf *joined = &captures[i].joined;

			pages.at[i]->data = joined->len ? joined->data : captures[i].f.reader->data;
			pages.at[i]->size = joined->len ? joined->len : captures[i].f.reader->size;
		}
	}
	return cmd_output_write(call, path, 0, write_pages, &pages);
}

/* ---- names ---- */

/* "dir/run.cdict" -> "dir/run.html"; for several files "dir/run-comparison.html". */
static int default_name(const struct cmd_call *call, const char *file, size_t n, char *out,
			size_t size)
{
	size_t len = strlen(file), stem = ending_cut(file, len, ".cdict");

	if (!strcmp(file, "-"))
		return cmd_usage(call, "needs -o FILE when it reads standard input");
	if (stem == len)
		stem = ending_cut(file, len, ".data");
	if ((size_t)snprintf(out, size, "%.*s%s.html", (int)stem, file,
			     n > 1 ? "-comparison" : "") >= size)
		return cmd_errorf(call, file, "its name is too long: name the page with -o");
	return CMD_DONE;
}

static int files_of(const struct cmd_call *call, struct texts *files)
{
	const struct report_opts *opts = call->opts;
	int status = input_files(files, call);

	if (!status && files->n > REPORT_FILES)
		return cmd_usage(call, "compares at most %d files, not %zu", REPORT_FILES,
				 files->n);
	if (!status && opts->labels.n > files->n)
		return cmd_usage(call, "option --label: %s label%s for %s file%s",
				 GROUPED(opts->labels.n), plural(opts->labels.n), GROUPED(files->n),
				 plural(files->n));
	return status;
}

/* Starts the desktop's opener; as the page is written, a failure is only a warning. */
static void open_page(const struct cmd_call *call, const char *path)
{
	char name[] = "xdg-open", *argv[] = { name, (char *)path, NULL };
	int status = 0, null;
	pid_t pid = fork();

	if (!pid) {
		null = open("/dev/null", O_RDWR);
		if (null >= 0) {
			dup2(null, 0);
			dup2(null, 1);
		}
		program_run(argv[0], argv);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		cmd_warn(call, path, "is written, but xdg-open cannot show it");
}

/* --job ID: writes job-ID.html; for two jobs job-A-B.html. */
static int run_jobs(const struct cmd_call *call)
{
	const struct report_opts *opts = call->opts;
	const struct report_job_options how = { .jobs = &opts->jobs,
						.no_host_pages = opts->no_host_pages,
						.open = opts->open,
						.embed = opts->embed };
	const char *path = opts->shared.output;
	char name[2 * FLEET_ID_ROOM + 16];
	int status = fleet_refuse(call);

	if (!status && opts->jobs.n > 2)
		return cmd_usage(call, "compares two jobs, not %zu", opts->jobs.n);
	if (!status && (opts->labels.n || opts->shared.task || opts->shared.vm))
		return cmd_usage(call, "%s cannot be used with --job",
				 opts->labels.n      ? "--label"
				 : opts->shared.task ? "--task"
						     : "--vm");
	if (!status && !path) {
		snprintf(name, sizeof(name), "job-%.*s%s%.*s.html", FLEET_ID_ROOM, opts->jobs.at[0],
			 opts->jobs.n > 1 ? "-" : "", FLEET_ID_ROOM,
			 opts->jobs.n > 1 ? opts->jobs.at[1] : "");
		path = name;
	}
	if (!status)
		status = report_job(call, &how, path);
	if ((!status || status == CMD_DAMAGED) && opts->open && strcmp(path, "-"))
		open_page(call, path);
	return status;
}

static int run_files(const struct guest_files *guests)
{
	const struct cmd_call *call = &guests->call;
	const struct report_opts *opts = call->opts;
	const struct page_view everything = { 0 };
	struct report_capture captures[REPORT_FILES] = { 0 };
	struct texts files = { 0 };
	const char *path = opts->shared.output;
	char name[PATH_MAX];
	size_t opened = 0;
	bool any = false;
	int status, worst = CMD_DONE;
	size_t n;

	status = files_of(call, &files);
	n = files.n;
	if (!status && guests->files.n && n != 1)
		status = cmd_usage(call, "guests are joined to one recording of a host, not to %zu",
				   n);
	if (!status && opts->clock && !guests->files.n)
		status = cmd_usage(call, "--clock needs a guest, VM=FILE");
	if (!status && !path) {
		status = default_name(call, files.at[0], n, name, sizeof(name));
		path = name;
	}
	if (!status)
		status = cmd_output_check(call, NULL, path);
	for (; opened < n && !status; opened++)
		status = report_open(&captures[opened], call, files.at[opened],
				     opened < opts->labels.n ? opts->labels.at[opened] : NULL);
	if (!status)
		status = join_guests(&captures[0], guests);
	for (size_t i = 0; i < opened && !status && !any; i++)
		any = figures_any_task(&captures[i].f);
	if (!status && !any)
		status = figures_no_task(&captures[0].f);
	if (!status)
		status = report_write(call, path, captures, n, &everything, opts->embed);
	for (size_t i = 0; i < n && !status; i++) {
		int loss = cmd_loss_status(call, files.at[i], captures[i].f.reader,
					   opts->shared.max_loss_pct);

		worst = loss ? loss : worst;
	}
	if (!status && opts->open && strcmp(path, "-"))
		open_page(call, path);
	for (size_t i = 0; i < opened; i++)
		report_close(&captures[i]);
	texts_fini(&files);
	return status ? status : worst;
}

static int report_run(const struct cmd_call *call)
{
	const struct report_opts *opts = call->opts;
	struct guest_files guests;
	int status;

	if (opts->jobs.n)
		return run_jobs(call);
	status = guest_files_init(&guests, call);
	if (!status)
		status = run_files(&guests);
	guest_files_fini(&guests);
	return status;
}

static const struct cmd_option report_options[] = {
	OPTION_INPUT,
	CMD_STRING('o', "output", struct options_shared, output, "FILE",
		   "write FILE, whole or not at all; '-' is standard output (default: run.html "
		   "next to run.cdict)"),
	CMD_LIST(0, "label", struct report_opts, labels, "TEXT",
		 "titles of the captures, in order; repeat it, or separate them with commas"),
	CMD_CHOICE(0, "embed", struct report_opts, embed, "WHAT", embeds, "auto",
		   "embed the captures in the page, to zoom down to single events: auto (up to "
		   "64 MiB of them), all or none"),
	CMD_FLAG(0, "open", struct report_opts, open, "show the page in the browser"),
	CMD_LIST(0, "job", struct report_opts, jobs, "ID",
		 "show all hosts of this job ('cdict job') instead of files; compare two jobs, "
		 "separated by a comma or given by repeating the option"),
	CMD_FLAG(0, "no-host-pages", struct report_opts, no_host_pages,
		 "with --job: write no pages for the hosts whose captures were pushed"),
	OPTION_CLOCK(struct report_opts, clock),
	OPTIONS_STORE,
	OPTIONS_TASKS,
	OPTIONS_WINDOW,
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example report_examples[] = {
	{ "cdict report run.cdict", "all views of the capture, in run.html" },
	{ "cdict report run.cdict -t qemu --time 10%-20% -o qemu.html",
	  "QEMU's threads, in the second tenth of the time" },
	{ "cdict report before.cdict after.cdict --label before,after -o change.html",
	  "two runs side by side" },
	{ "cdict report host.cdict =guest.cdict -o both.html",
	  "a host with a guest that was recorded at the same time: its tasks in the VM's timeline" },
	{ "cdict report --job 2001 -o fleet.html", "all hosts of a job by time, noisy hosts, VMs" },
	{ NULL, NULL },
};

const struct cmd cmd_report = {
	.name = "report",
	.brief = "write one self-contained HTML page",
	.operands = "[FILE...] [[VM]=GUEST...]",
	.about =
		"The page needs no network and no server: mail it, archive it. It shows the numbers of "
		"tasks, exits, vcpu, latency and coremap; selecting a time range in it is the same as "
		"--time. With several captures it compares them, matching tasks by name. With --job "
		"it shows many hosts: which host was noisy, when, and which VMs waited. With "
		"recordings of guests ('cdict join', or VM=GUEST), a VM's timeline shows the guest's "
		"tasks, too, and what kept each of them waiting.",
	.options = report_options,
	.foreign = foreign_report_options,
	.opts_size = sizeof(struct report_opts),
	.max_operands = 256,
	.examples = report_examples,
	.one_window = true,
	.run = report_run,
};
