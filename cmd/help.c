/* SPDX-License-Identifier: GPL-2.0-only */
/* The help texts and the shell completion. */
#include "cmd/help.h"

#include <stdlib.h>

#include "base/shared_object.h"

/* Text begins in this column; lines end before the other. */
#define HELP_COLUMN 30
#define LAST_COLUMN 96

/* Words of @text, broken into lines that begin at @indent. */
static void wrap(struct sink *s, const char *text, size_t at, size_t indent)
{
	bool first = true;

	while (*text) {
		size_t len = strcspn(text, " \n");

		if (!first && at + 1 + len > LAST_COLUMN) {
			sink_putc(s, '\n');
			sink_repeat(s, ' ', indent);
			at = indent;
		} else if (!first) {
			sink_putc(s, ' ');
			at++;
		}
		sink_add(s, text, len);
		at += len;
		text += len;
		first = false;
		if (!strncmp(text, "\n\n", 2)) {
			sink_puts(s, "\n\n");
			sink_repeat(s, ' ', indent);
			at = indent;
			first = true;
		}
		text += strspn(text, " \n");
	}
	sink_putc(s, '\n');
}

void help_commands(struct sink *s, const struct cmd *const *cmds)
{
	sink_puts(s,
		  "usage: cdict [-V] [-h] COMMAND [OPTIONS]\n\n"
		  "What Linux perf recorded of the scheduler and of KVM, kept in one small file,\n"
		  "in numbers and in pictures.\n\n");
	for (; *cmds; cmds++) {
		sink_printf(s, "  %-11s ", (*cmds)->name);
		sink_puts(s, (*cmds)->brief);
		sink_putc(s, '\n');
	}
	sink_puts(s, "\n'cdict help COMMAND' tells its options, 'man cdict-COMMAND' the rest.\n");
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
		wrap(s, whole ? whole : o->help, HELP_COLUMN, HELP_COLUMN);
		free(whole);
	} else {
		wrap(s, o->help, HELP_COLUMN, HELP_COLUMN);
	}
}

void help_command(struct sink *s, const struct cmd *cmd)
{
	static const struct cmd_option help = {
		.kind = CMD_OPT_FLAG, .letter = 'h', .name = "help", .help = "print this"
	};

	sink_printf(s, "usage: cdict %s [OPTIONS]%s%s\n\n", cmd->name, *cmd->operands ? " " : "",
		    cmd->operands);
	sink_printf(s, "cdict %s - %s\n", cmd->name, cmd->brief);
	if (cmd->about) {
		sink_putc(s, '\n');
		wrap(s, cmd->about, 0, 0);
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

/* --- `cdict --completion bash`: the option tables as a bash completion --- */

static void option_words(struct sink *s, const struct cmd *cmd)
{
	for (const struct cmd_option *o = cmd->options; o && o->kind; o++) {
		if (o->letter)
			sink_printf(s, "-%c ", o->letter);
		sink_printf(s, "--%s ", o->name);
	}
	sink_puts(s, "--help");
}

/* One arm of the case over "command,option" for what an argument can be. */
static void argument_arm(struct sink *s, const struct cmd *cmd, const struct cmd_option *o)
{
	if (!o->arg)
		return;
	sink_puts(s, "\t");
	if (o->letter)
		sink_printf(s, "%s,-%c|", cmd->name, o->letter);
	sink_printf(s, "%s,--%s) ", cmd->name, o->name);
	if (o->choices) {
		sink_puts(s, "words='");
		for (size_t i = 0; o->choices[i]; i++)
			sink_printf(s, "%s%s", i ? " " : "", o->choices[i]);
		sink_puts(s, "' ;;\n");
	} else if (!strcmp(o->arg, "FILE")) {
		sink_puts(s, "files=1 ;;\n");
	} else {
		sink_puts(s, "return ;;\n"); /* nothing we could know */
	}
}

void help_completion_bash(struct sink *s, const struct cmd *const *cmds)
{
	sink_puts(s, "# bash completion for cdict, written by 'cdict --completion bash'\n"
		     "_cdict()\n"
		     "{\n"
		     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		     "\tlocal cmd=${COMP_WORDS[1]} words= files=\n\n"
		     "\tCOMPREPLY=()\n"
		     "\t# --option=value arrives as three words\n"
		     "\tif [ \"$cur\" = = ]; then\n"
		     "\t\tcur=\n"
		     "\telif [ \"$prev\" = = ]; then\n"
		     "\t\tprev=${COMP_WORDS[COMP_CWORD-2]}\n"
		     "\tfi\n"
		     "\tif [ \"$COMP_CWORD\" = 1 ] || [ \"$COMP_CWORD,$cmd\" = 2,help ]; then\n"
		     "\t\tCOMPREPLY=($(compgen -W '");
	for (size_t i = 0; cmds[i]; i++)
		sink_printf(s, "%s ", cmds[i]->name);
	sink_puts(s, "help --version --help' -- \"$cur\"))\n"
		     "\t\treturn\n"
		     "\tfi\n"
		     "\tcase $cmd,$prev in\n");
	for (size_t i = 0; cmds[i]; i++) {
		for (const struct cmd_option *o = cmds[i]->options; o && o->kind; o++)
			argument_arm(s, cmds[i], o);
	}
	sink_puts(s, "\t*)\n"
		     "\t\tcase $cur in\n"
		     "\t\t-*)\n"
		     "\t\t\tcase $cmd in\n");
	for (size_t i = 0; cmds[i]; i++) {
		sink_printf(s, "\t\t\t%s) words='", cmds[i]->name);
		option_words(s, cmds[i]);
		sink_puts(s, "' ;;\n");
	}
	sink_puts(s, "\t\t\tesac ;;\n"
		     "\t\t*) files=1 ;;\n"
		     "\t\tesac ;;\n"
		     "\tesac\n"
		     "\tif [ -n \"$files\" ]; then\n"
		     "\t\tcompopt -o filenames 2>/dev/null\n"
		     "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
		     "\telse\n"
		     "\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
		     "\tfi\n"
		     "}\n"
		     "complete -F _cdict cdict\n");
}
