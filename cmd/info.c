/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict info: what a capture says of itself. */
#include "cmd/info.h"

#include <errno.h>
#include <stdlib.h>

#include "base/fail.h"
#include "cmd/loss.h"
#include "cmd/options.h"

struct info_opts {
	struct options_shared shared;
	bool verify, labels;
};

static int count_events(struct info *info, struct cdict_error *err)
{
	size_t n = cdict_schema_count(cdict_reader_schema(info->reader));

	info->events = calloc(n + 1, sizeof(*info->events));
	if (!info->events)
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	for (size_t i = 0; i < n; i++) {
		info->events[i] = cdict_reader_type_events(info->reader, i);
		info->counted += info->events[i];
	}
	return 0;
}

static int by_number(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static size_t distinct(int32_t *ids, size_t n)
{
	size_t found = 0;

	qsort(ids, n, sizeof(*ids), by_number);
	for (size_t i = 0; i < n; i++)
		found += !i || ids[i] != ids[i - 1];
	return found;
}

static int count_tasks(struct info *info)
{
	size_t n = cdict_reader_task_count(info->reader);
	int32_t *tids = calloc(n + 1, sizeof(*tids)), *pids = calloc(n + 1, sizeof(*pids));
	int rc = tids && pids ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && !rc; i++) {
		const struct cdict_task_event *task = cdict_reader_task_at(info->reader, i);

		tids[i] = task->tid;
		pids[i] = task->pid;
	}
	if (!rc) {
		info->n_threads = distinct(tids, n);
		info->n_processes = distinct(pids, n);
	}
	free(tids);
	free(pids);
	return rc;
}

bool info_wall(const struct info *info, uint64_t t_ns, uint64_t *wall_ns)
{
	const char *wall = cdict_reader_info(info->reader, "clock.wall_ns");
	const char *mono = cdict_reader_info(info->reader, "clock.mono_ns");

	if (!wall || !mono)
		return false;
	/* unsigned on purpose: the pair may lie after @t_ns */
	*wall_ns = strtoull(wall, NULL, 10) + (t_ns - strtoull(mono, NULL, 10));
	return true;
}

static int info_run(const struct cmd_call *call)
{
	const struct info_opts *opts = call->opts;
	struct info info = { .file = options_input(call),
			     .labels = opts->labels,
			     .all_types = call->verbose > 0 };
	struct cdict_error err = { 0 };
	struct sink s;
	int rc, status;

	if (!info.file)
		return cmd_usage(call, "needs FILE");
	rc = cdict_reader_open(&info.reader, info.file, &err);
	if (rc)
		return cmd_error(call, info.file, &err);
	info.any_event = cdict_reader_window(info.reader, &info.first_ns, &info.last_ns);
	if (opts->verify) {
		/* what is wrong comes with the damage below */
		cdict_reader_verify(info.reader, &err);
		info.verified = true;
	}
	rc = count_events(&info, &err);
	if (!rc && count_tasks(&info))
		rc = cdict_fail(&err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	if (rc) {
		status = cmd_error(call, info.file, &err);
		goto out;
	}
	sink_to_file(&s, stdout);
	if (opts->shared.format == OPTIONS_TEXT)
		info_print_text(&s, &info);
	else
		info_print_json(&s, &info);
	rc = sink_finish(&s);
	if (rc) {
		status = cmd_stdout_error(call, rc);
		goto out;
	}
	status = loss_status(call, info.file, info.reader, opts->shared.max_loss_pct);
out:
	free(info.events);
	cdict_reader_close(info.reader);
	return status;
}

static const struct cmd_option info_options[] = {
	OPTION_INPUT,
	CMD_FLAG(0, "verify", struct info_opts, verify, "read and test every block of the file"),
	CMD_FLAG(0, "labels", struct info_opts, labels,
		 "list the names given to tasks, their origin, and the comms"),
	OPTION_FORMAT_TEXT_JSON,
	OPTION_MAX_LOSS,
	OPTIONS_MESSAGES,
	CMD_OPTIONS_END,
};

static const struct cmd_example info_examples[] = {
	{ "cdict info run.cdict", "where and when it was recorded, and what is in it" },
	{ "cdict info --verify run.cdict", "is the file whole? (exit status 2 when not)" },
	{ "cdict convert -i perf.data -o - | cdict info -", "without keeping the cdict" },
	{ NULL, NULL },
};

const struct cmd cmd_info = {
	.name = "info",
	.brief = "host, clock, events, loss and state of a cdict",
	.operands = "FILE",
	.about = "Tells what perf's header told of the recorded host, and what the file holds. "
		 "FILE '-' is standard input.",
	.options = info_options,
	.opts_size = sizeof(struct info_opts),
	.min_operands = 0,
	.max_operands = 1,
	.examples = info_examples,
	.run = info_run,
};
