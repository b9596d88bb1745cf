/* SPDX-License-Identifier: GPL-2.0-only */
/* `cdict --completion bash`: the option tables as a bash completion. */
#include "cmd/help.h"

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
