/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict info: prints the metadata of a capture. */
#include "tables/info/info.h"

#include <stdio.h>

#include "cmd/core/options.h"
#include "cmd/core/pager.h"
#include "cmd/input/input.h"

struct info_opts {
	struct options_shared shared;
	bool verify, labels;
};

static int info_run(const struct cmd_call *call)
{
	const struct info_opts *opts = call->opts;
	const char *file = input_file(call);
	struct cdict_reader *reader = NULL;
	struct cdict_error err = { 0 };
	struct info info;
	struct pager p;
	int rc, status;

	status = input_open(&reader, call, file, INPUT_ALL_EVENTS | INPUT_MAY_BE_EMPTY);
	if (status)
		return status;
	if (opts->verify) /* errors are reported with the damage below */
		cdict_reader_verify(reader, &err);
	if (info_init(&info, reader, file)) {
		status = cmd_errorf(call, file, "out of memory");
		goto out;
	}
	info.verified = opts->verify;
	info.labels = opts->labels;
	info.all_types = call->verbose > 0;
	info.columns = pager_columns();
	pager_open(&p, call, opts->shared.format == TABLE_AS_TEXT);
	if (opts->shared.format == TABLE_AS_TEXT)
		info_print_text(&p.sink, &info);
	else
		info_print_json(&p.sink, &info);
	rc = pager_close(&p);
	if (rc) {
		status = cmd_stdout_error(call, rc);
		goto out;
	}
	status = cmd_loss_status(call, file, reader, opts->shared.max_loss_pct);
out:
	info_fini(&info);
	cdict_reader_close(reader);
	return status;
}

static const struct cmd_option info_options[] = {
	OPTION_INPUT,
	CMD_FLAG(0, "verify", struct info_opts, verify, "read and check every block of the file"),
	CMD_FLAG(0, "labels", struct info_opts, labels,
		 "list the names given to tasks, their origin, and the comms"),
	OPTION_FORMAT_TEXT_JSON,
	OPTION_NO_PAGER,
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example info_examples[] = {
	{ "cdict info run.cdict", "where and when it was recorded, and its contents" },
	{ "cdict info --verify run.cdict", "is the file complete? (exit status 2 if not)" },
	{ "cdict convert -i perf.data -o - | cdict info -", "without keeping the cdict" },
	{ NULL, NULL },
};

const struct cmd cmd_info = {
	.name = "info",
	.brief = "host, clock, events, loss and state of a cdict",
	.operands = "[FILE]",
	.about = "Prints the host information from perf's header and the contents of the file. "
		 "FILE '-' is standard input.",
	.options = info_options,
	.opts_size = sizeof(struct info_opts),
	.max_operands = 1,
	.examples = info_examples,
	.run = info_run,
};
