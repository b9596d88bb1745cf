/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints messages of commands to stderr. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/escape.h"
#include "tables/columns/loss.h"
#include "cmd/core/cmd.h"

/* Prints a message without allocating memory: stderr is unbuffered. */
static void say_no_memory(const struct cmd_call *call)
{
	fprintf(stderr, "cdict%s%s: out of memory\n", call && call->cmd ? " " : "",
		call && call->cmd ? call->cmd->name : "");
}

/* Prints a line in a single write, so that lines of several processes do not mix. */
static void say(const struct cmd_call *call, const char *subject, const char *text, uint64_t at)
{
	struct sink s;

	sink_to_memory(&s);
	sink_puts(&s, "cdict");
	if (call && call->cmd)
		sink_printf(&s, " %s", call->cmd->name);
	sink_puts(&s, ": ");
	if (subject) {
		escape_terminal(&s, subject, strlen(subject));
		sink_puts(&s, ": ");
	}
	escape_terminal(&s, text, strlen(text));
	if (at != CDICT_NO_OFFSET)
		sink_printf(&s, " (at byte %llu)", (unsigned long long)at);
	sink_putc(&s, '\n');
	if (s.buf.failed)
		say_no_memory(call);
	else
		fwrite(s.buf.data, 1, s.buf.len, stderr);
	sink_finish(&s);
}

static void vsay(const struct cmd_call *call, const char *subject, const char *fmt, va_list ap)
{
	char *text;

	if (vasprintf(&text, fmt, ap) < 0) {
		say_no_memory(call);
		return;
	}
	say(call, subject, text, CDICT_NO_OFFSET);
	free(text);
}

int cmd_error(const struct cmd_call *call, const char *subject, const struct cdict_error *err)
{
	if (err->code == -EPIPE)
		return CMD_FAILED;
	if (subject && !strcmp(subject, "-"))
		subject = NULL;
	say(call, subject, err->text[0] ? err->text : cdict_strerror(err->code), err->offset);
	return CMD_FAILED;
}

int cmd_stdout_error(const struct cmd_call *call, int code)
{
	struct cdict_error err = { .code = code, .offset = CDICT_NO_OFFSET };

	snprintf(err.text, sizeof(err.text), "standard output: %s",
		 code ? cdict_strerror(code) : "could not be written");
	return cmd_error(call, NULL, &err);
}

int cmd_errorf(const struct cmd_call *call, const char *subject, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(call, subject, fmt, ap);
	va_end(ap);
	return CMD_FAILED;
}

void cmd_warn(const struct cmd_call *call, const char *subject, const char *fmt, ...)
{
	va_list ap;

	if (call && call->quiet)
		return;
	va_start(ap, fmt);
	vsay(call, subject, fmt, ap);
	va_end(ap);
}

int cmd_usage(const struct cmd_call *call, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsay(call, NULL, fmt, ap);
	va_end(ap);
	if (call && call->cmd)
		fprintf(stderr, "try 'cdict help %s'\n", call->cmd->name);
	else
		fprintf(stderr, "try 'cdict help'\n");
	return CMD_USAGE;
}

int cmd_loss_status(const struct cmd_call *call, const char *file, const struct cdict_reader *r,
		    double max_loss_pct)
{
	struct cdict_damage damage;
	struct loss_sum sum;
	int status = CMD_DONE;

	if (!strcmp(file, "-"))
		file = NULL;
	cdict_reader_damage(r, &damage);
	loss_sum(&sum, r, 0, UINT64_MAX);
	if (damage.cut || damage.blocks || damage.skipped_bytes || damage.first[0]) {
		cmd_warn(call, file, "%s",
			 damage.first[0] ? damage.first : "is truncated: its writer was stopped");
		status = CMD_DAMAGED;
	}
	if (damage.input_damaged) {
		const char *what = cdict_reader_info(r, "input.damage");

		cmd_warn(call, file, "made from a damaged recording%s%s", what ? ": " : "",
			 what ? what : "");
		status = CMD_DAMAGED;
	}
	if (sum.percent > max_loss_pct) {
		cmd_warn(call, file,
			 "%.2f %% of the events are lost, more than the %.10g %% of "
			 "--max-loss",
			 sum.percent, max_loss_pct);
		status = CMD_DAMAGED;
	}
	return status;
}
