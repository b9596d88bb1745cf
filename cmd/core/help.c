/* SPDX-License-Identifier: GPL-2.0-only */
/* The help texts. */
#include "cmd/core/help.h"

#include <stdlib.h>
#include <string.h>

#include "base/system/shared_object.h"
#include "base/text/wrap.h"

/* Texts begin in the first column; lines end before the second. */
#define HELP_COLUMN 30
#define LAST_COLUMN 96

/* Prints @text, wrapped into lines that begin at @indent. */
static void wrap(struct sink *s, const char *text, size_t indent)
{
	wrap_text(s, text, strlen(text),
		  &(struct wrap){ .columns = LAST_COLUMN, .at = indent, .indent = indent });
	sink_putc(s, '\n');
}

void help_commands(struct sink *s, const struct cmd *const *cmds)
{
	sink_puts(s,
		  "usage: cdict [-V] [-h] COMMAND [OPTIONS]\n\n"
		  "Stores scheduler and KVM events recorded by Linux perf in one small file and\n"
		  "shows them as tables and pictures.\n\n");
	for (; *cmds; cmds++) {
		sink_printf(s, "  %-11s ", (*cmds)->name);
		sink_puts(s, (*cmds)->brief);
		sink_putc(s, '\n');
	}
	sink_puts(s,
		  "\n'cdict help COMMAND' lists its options, 'man cdict-COMMAND' has the rest.\n");
	if (shared_object_without())
		sink_printf(s, "This program is one static file, without %s.\n",
			    shared_object_without());
}

static void option(struct sink *s, const struct cmd_option *o)
{
	size_t at;

	/* "  -o, --output FILE  " */
	if (o->letter)
		sink_printf(s, "  -%c, --%s", o->letter, o->name);
	else
		sink_printf(s, "      --%s", o->name);
	at = 8 + strlen(o->name);
	if (o->arg) {
		sink_printf(s, o->kind == CMD_OPT_MAYBE ? "[=%s]" : " %s", o->arg);
		at += strlen(o->arg) + (o->kind == CMD_OPT_MAYBE ? 3 : 1);
	}
	if (at + 2 > HELP_COLUMN) {
		sink_putc(s, '\n');
		at = 0;
	}
	sink_repeat(s, ' ', HELP_COLUMN - at);
	if (o->preset) {
		struct sink text;
		char *whole;

		sink_to_memory(&text);
		sink_printf(&text, "%s (default: %s)", o->help, o->preset);
		whole = sink_take(&text, NULL);
		if (whole)
			wrap(s, whole, HELP_COLUMN);
		else
			s->buf.failed = true;
		free(whole);
	} else {
		wrap(s, o->help, HELP_COLUMN);
	}
}

void help_command(struct sink *s, const struct cmd *cmd)
{
	static const struct cmd_option help = {
		.kind = CMD_OPT_FLAG, .letter = 'h', .name = "help", .help = "print this help"
	};

	sink_printf(s, "usage: cdict %s [OPTIONS]%s%s\n\n", cmd->name, *cmd->operands ? " " : "",
		    cmd->operands);
	sink_printf(s, "cdict %s - %s\n", cmd->name, cmd->brief);
	if (cmd->about) {
		sink_putc(s, '\n');
		wrap(s, cmd->about, 0);
	}
	sink_puts(s, "\nOptions\n");
	for (const struct cmd_option *o = cmd->options; o && o->kind; o++)
		option(s, o);
	option(s, &help);
	if (cmd->examples)
		sink_puts(s, "\nExamples\n");
	for (const struct cmd_example *e = cmd->examples; e && e->line; e++)
		sink_printf(s, "  %s\n      %s\n", e->line, e->what);
}
