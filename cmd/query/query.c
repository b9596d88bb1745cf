// SPDX-License-Identifier: GPL-2.0-only
/* cdict query: runs SQL over captures. */
#include "cmd/query/query.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/buf.h"
#include "base/system/monotonic.h"
#include "base/text/plural.h"
#include "cmd/core/pager.h"
#include "cmd/query/captures.h"
#include "cmd/tables/figures.h"

/* Those of enum table_format, and Parquet. */
static const char *const formats[] = { "text", "csv", "json", "md", "parquet", NULL };
enum { AS_PARQUET = 4 };

struct query_opts {
	struct options_shared shared;
	const char *sql; /* file with statements */
	const char *clock;
};

struct session {
	const struct cmd_call *call;
	const struct query_opts *opts;
	struct captures captures;
	char *sql;
	struct query *query;
	uint64_t begun_ns;
	int percent; /* last shown; -1: none */
};

/* A larger file is not SQL text. */
enum { SQL_MOST = 1 << 20 };

static int read_file(struct session *s, const char *file)
{
	bool pipe = !strcmp(file, "-");
	int fd = pipe ? STDIN_FILENO : open(file, O_RDONLY | O_CLOEXEC), rc;
	struct cdict_error err = { 0 };
	struct buf b = { 0 };

	rc = fd < 0 ? -errno : buf_read(&b, fd, SQL_MOST + 1);
	if (fd >= 0 && !pipe)
		close(fd);
	if (!rc && !b.len) {
		buf_fini(&b);
		cdict_fail_empty(&err, file);
		return cmd_error(s->call, pipe ? NULL : file, &err);
	}
	if (!rc && b.len > SQL_MOST)
		rc = -EFBIG;
	buf_u8(&b, 0);
	if (b.failed)
		rc = -ENOMEM;
	s->sql = (char *)b.data;
	if (rc) {
		errno = -rc;
		cdict_fail_errno(&err, NULL);
		return cmd_error(s->call, file, &err);
	}
	return strlen(s->sql) + 1 == b.len
		       ? CMD_DONE
		       : cmd_errorf(s->call, file, "is not text: contains a NUL byte");
}

/* A pipe on standard input is the capture, as for other commands, unless it holds the
 * statements. */
static bool is_piped(const struct session *s)
{
	struct stat st;

	return !(s->opts->sql && !strcmp(s->opts->sql, "-")) && !fstat(STDIN_FILENO, &st) &&
	       S_ISFIFO(st.st_mode);
}

/* Statements may follow the files: the first operand is a file then, the last one is not. */
static bool is_last(const struct cmd_call *call)
{
	size_t n = call->n_operands;

	return n > 1 && !access(call->operands[0], F_OK) && access(call->operands[n - 1], F_OK);
}

/* Reads the statements: from the first or last operand, or the file of --sql. */
static int read_sql(struct session *s)
{
	const struct cmd_call *call = s->call;
	size_t n = call->n_operands, first = 0;
	struct cmd_call files = *call;
	const char *file;
	int status;

	if (s->opts->sql) {
		status = read_file(s, s->opts->sql);
		if (status)
			return status;
	} else {
		if (!n)
			return cmd_usage(call, "needs a statement: 'SELECT ...', or --sql FILE");
		first = !is_last(call);
		if (!*call->operands[first ? 0 : n - 1])
			return cmd_usage(call, "the statement is empty");
		s->sql = strdup(call->operands[first ? 0 : n - 1]);
		if (!s->sql)
			return cmd_errorf(call, NULL, "out of memory");
		n--;
	}
	files.operands = call->operands + first;
	files.n_operands = n;
	status = guest_files_init(&s->captures.guests, &files);
	if (status)
		return status;
	s->captures.clock = s->opts->clock;
	n = s->captures.guests.call.n_operands;
	if (n)
		return input_files_add(&s->captures.files, call, s->captures.guests.operands, n);
	file = s->opts->shared.input;
	if (!file)
		file = is_piped(s) ? "-" : INPUT_DEFAULT;
	return input_files_add(&s->captures.files, call, &file, 1);
}

/* ---- running ---- */

static int on_progress(void *ctx, uint64_t read, uint64_t events)
{
	struct session *s = ctx;
	int percent = events ? (int)((double)read / (double)events * 100) : 0;

	/* show nothing for short queries */
	if (percent == s->percent || monotonic_ns() - s->begun_ns < 1000000000)
		return 0;
	s->percent = percent;
	if (percent <= 100)
		fprintf(stderr, "\rreading %3d %%", percent);
	else
		fprintf(stderr, "\rread %s million events", GROUPED(read / 1000000));
	return 0;
}

static void clear_progress(const struct session *s)
{
	if (s->percent >= 0)
		fprintf(stderr, "\r\033[K");
}

static int run_sql(struct session *s, struct query_out *out, struct cdict_error *err)
{
	int rc;

	if (!s->call->quiet && isatty(STDERR_FILENO)) {
		out->progress = on_progress;
		out->progress_ctx = s;
	}
	s->begun_ns = monotonic_ns();
	rc = query_run(s->query, s->sql, out, err);
	clear_progress(s);
	return rc;
}

static int write_parquet(struct session *s, struct sink *sink, struct cdict_error *err)
{
	struct query_parquet parquet;
	struct query_out out = { .columns = query_parquet_columns,
				 .row = query_parquet_row,
				 .ctx = &parquet };
	int rc;

	query_parquet_init(&parquet, sink, err);
	rc = run_sql(s, &out, err);
	if (!rc)
		rc = query_parquet_end(&parquet);
	query_parquet_fini(&parquet);
	return rc;
}

static int write_results(void *ctx, struct sink *sink, struct cdict_error *err)
{
	struct session *s = ctx;
	struct query_printer printer;
	struct query_out out = { .columns = query_print_columns,
				 .row = query_print_row,
				 .ctx = &printer };
	int rc;

	if (s->opts->shared.format == AS_PARQUET)
		return write_parquet(s, sink, err);
	query_printer_init(&printer, sink, (enum table_format)s->opts->shared.format,
			   s->captures.frames);
	rc = run_sql(s, &out, err);
	if (!rc)
		rc = query_printer_end(&printer);
	query_printer_fini(&printer);
	return rc;
}

static int run(struct session *s)
{
	const struct options_shared *o = &s->opts->shared;
	struct query_options opts = { .jobs = captures_jobs(&s->captures) };
	struct cdict_error err = { 0 };
	struct pager p;
	int rc;

	if (query_open(&s->query, s->captures.of, s->captures.files.n, &opts, &err))
		return cmd_error(s->call, NULL, &err);
	if (o->output)
		return cmd_output_write(s->call, o->output, 0, write_results, s);
	pager_open(&p, s->call, o->format == TABLE_AS_TEXT);
	s->captures.frames[0].columns = pager_columns();
	s->captures.frames[0].wide = s->call->verbose > 0;
	rc = write_results(s, &p.sink, &err);
	if (rc && err.code) {
		pager_close(&p);
		return cmd_error(s->call, NULL, &err);
	}
	return pager_end(&p, s->call, NULL, rc);
}

static int report_loss(const struct session *s)
{
	if (s->call->verbose && s->query)
		cmd_warn(s->call, NULL, "%s of %s event blocks read",
			 GROUPED(query_blocks_read(s->query)),
			 GROUPED(captures_blocks(&s->captures)));
	return captures_loss_status(&s->captures);
}

static int query_cmd_run(const struct cmd_call *call)
{
	struct session s = { .call = call, .opts = call->opts, .percent = -1 };
	int status = CMD_DONE;

	if (s.opts->shared.format == AS_PARQUET && isatty(STDOUT_FILENO) &&
	    (!s.opts->shared.output || !strcmp(s.opts->shared.output, "-")))
		return cmd_usage(call, "cannot write binary output to a terminal; use -o FILE");
	if (s.opts->shared.output)
		status = cmd_output_check(call, NULL, s.opts->shared.output);
	if (!status)
		status = read_sql(&s);
	if (!status)
		status = captures_open(&s.captures, call);
	if (!status)
		status = run(&s);
	if (!status)
		status = report_loss(&s);
	query_close(s.query);
	captures_close(&s.captures);
	free(s.sql);
	return status;
}

static const struct cmd_option query_options[] = {
	OPTION_INPUT,
	OPTION_OUTPUT_OR_STDOUT,
	CMD_STRING(
		0, "sql", struct query_opts, sql, "FILE",
		"read the statements from FILE; all operands are captures; '-' is standard input"),
	OPTIONS_MAP,
	OPTION_CLOCK(struct query_opts, clock),
	OPTION_TIME,
	OPTION_FROM,
	OPTION_CAP,
	CMD_CHOICE(0, "format", struct options_shared, format, "FORMAT", formats, "text",
		   "output format: text, csv, json, md or parquet"),
	OPTION_JSON(formats),
	OPTION_NO_PAGER,
	OPTIONS_READ,
	CMD_OPTIONS_END,
};

static const struct cmd_example query_examples[] = {
	{ "cdict query 'SELECT name, sum(dur) / 1e6 AS run_ms FROM sched_slice JOIN thread USING (utid) "
	  "GROUP BY utid ORDER BY 2 DESC LIMIT 10' run.cdict",
	  "the tasks that ran longest" },
	{ "cdict query \"SELECT reason, count(*), sum(dur) FROM kvm_exit GROUP BY reason\" before.cdict after.cdict",
	  "exits of two captures; `run` distinguishes them" },
	{ "cdict query --sql report.sql --format csv -o report.csv run.cdict",
	  "statements from a file, as CSV" },
	{ NULL, NULL },
};

const struct cmd cmd_query = {
	.name = "query",
	.brief = "SQL over captures: slices, thread states, exits, wake-ups, every tracepoint",
	.operands = "SQL [FILE...] [[VM]=GUEST...]",
	.about =
		"Tables: sched_slice thread_state thread process kvm_exit wakeup slice loss cpu "
		"metadata trace_bounds ftrace_event guest_thread guest_thread_state, and one for each stored tracepoint "
		"(sched_switch, \"kvm:kvm_entry\"). ts and dur are nanoseconds. Conditions on ts "
		"and cpu in WHERE limit the blocks that are read. Nothing is imported and no file "
		"is written.",
	.options = query_options,
	.opts_size = sizeof(struct query_opts),
	.max_operands = FIGURES_FILES,
	.one_window = true,
	.all_events = true,
	.examples = query_examples,
	.run = query_cmd_run,
};
