/* SPDX-License-Identifier: GPL-2.0-only */
/* `cdict --completion SHELL`: makes shell completions from the option tables. */
#include <string.h>

#include "cmd/core/help.h"

#define EVENTS_FILE "/sys/kernel/tracing/available_events"
#define JOB_WORDS "create list show start remove"

/* Kinds of option arguments. */
enum argument { ARG_NONE, ARG_ANY, ARG_FILE, ARG_FOLDER, ARG_EVENT, ARG_WORDS, ARG_ASKED };

/*
 * A function of POSIX shells that prints values, a line each: of the capture that is the last among
 * the words of the command line, else of record.cdict; columns are those of a capture with one event.
 * A larger perf.data is not converted for it.
 */
static const char ask[] =
	"_cdict_ask() { # OPTION COMMAND WORDS...\n"
	"\tlocal what=$1 command=$2 file=record.cdict by= word last=\n"
	"\tshift 2\n"
	"\tfor word in \"$@\"; do\n"
	"\t\tcase $last,$word in\n"
	"\t\t*,--by=*) by=$word ;;\n"
	"\t\t--by,?*) by=--by=$word ;;\n"
	"\t\t-o,* | --output,* | --map,*) ;;\n"
	"\t\t*.cdict | *.data | *.dat | *.pfw | *.pfw.gz) [ ! -f \"$word\" ] || file=$word ;;\n"
	"\t\tesac\n"
	"\t\t[ \"$word\" = = ] || last=$word\n"
	"\tdone\n"
	"\tcase $what$command in\n"
	"\tsortcoremap) printf '%s\\n' name tid run_ns switches; return ;;\n"
	"\tsortjob) cdict job list --format csv | head -n 1 | tr , '\\n'; return ;;\n"
	"\tsorttop) set -- tasks ;;\n"
	"\tsort*)\n"
	"\t\tset -- $command ${by:+$by}\n"
	"\t\t[ $command != successors ] || set -- $command --tid 1 ;;\n"
	"\tjob*) cdict job list --format csv | tail -n +2 | cut -d, -f1; return ;;\n"
	"\t*)\n"
	"\t\t[ \"$(head -c 6 -- \"$file\" | tail -c 5)\" = CDICT ] || [ -n \"$(find \"$file\" -prune -size -40000k)\" ] || return\n"
	"\t\tcase $what in\n"
	"\t\tvm) set -- 'SELECT DISTINCT vm FROM thread WHERE vm IS NOT NULL ORDER BY 1' ;;\n"
	"\t\ttask) set -- 'SELECT DISTINCT name FROM thread WHERE name IS NOT NULL ORDER BY 1' ;;\n"
	"\t\tcomms) set -- 'SELECT DISTINCT comm FROM thread WHERE comm IS NOT NULL ORDER BY 1' ;;\n"
	"\t\ttid | pid) set -- \"SELECT DISTINCT $what FROM thread WHERE $what > 0 ORDER BY 1\" ;;\n"
	"\t\t*) cdict count -q --format csv \"$file\" | tail -n +2 | cut -d, -f1\n"
	"\t\t\treturn ;;\n"
	"\t\tesac\n"
	"\t\tcdict query -q --format csv \"$1\" \"$file\" | tr -d '\\r' | tail -n +2 | sed 's/^\"\\(.*\\)\"$/\\1/; s/\"\"/\"/g'\n"
	"\t\treturn ;;\n"
	"\tesac\n"
	"\tprintf '{\"name\":\"a\",\"cat\":\"a\",\"ph\":\"X\",\"ts\":1,\"dur\":1,\"pid\":1,\"tid\":1}\\n' |\n"
	"\t\tcdict \"$@\" -q --format csv - | head -n 1 | tr , '\\n'\n"
	"} 2>/dev/null\n";

/* Options whose values are in the capture, in the tables, or in the store. */
static bool is_asked(const struct cmd_option *o)
{
	static const char *const all[] = { "sort", "vm",  "task",         "comms",     "tid",
					   "pid",  "job", "window-start", "window-end" };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!strcmp(all[i], o->name))
			return true;
	}
	return false;
}

/* Values of options that accept more than their choices. */
static const struct {
	const char *option;
	const char *words;
} values[] = {
	{ "clockid", "mono raw real boot tai" },
	{ "trigger", "latency> delay> exit> steal>" },
	{ "libvirt", "auto off qemu:///system" },
};

static const char *words_of(const struct cmd_option *o)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (!strcmp(values[i].option, o->name))
			return values[i].words;
	}
	return NULL;
}

static enum argument argument_of(const struct cmd_option *o)
{
	if (!o->arg)
		return ARG_NONE;
	if (o->choices || words_of(o))
		return ARG_WORDS;
	if (!strcmp(o->name, "event"))
		return ARG_EVENT;
	if (is_asked(o))
		return ARG_ASKED;
	if (!strcmp(o->arg, "DIR") || !strcmp(o->arg, "FOLDER"))
		return ARG_FOLDER;
	return !strcmp(o->arg, "FILE") || !strcmp(o->arg, "CSV") ? ARG_FILE : ARG_ANY;
}

static void put_words(struct sink *s, const struct cmd_option *o)
{
	if (!o->choices)
		sink_puts(s, words_of(o));
	for (size_t i = 0; o->choices && o->choices[i]; i++)
		sink_printf(s, "%s%s", i ? " " : "", o->choices[i]);
}

/* Puts @text in single quotes, with a backslash before characters of @escape. */
static void quoted(struct sink *s, const char *text, const char *escape)
{
	for (; *text; text++) {
		if (*text == '\'')
			sink_puts(s, "'\\''");
		else if (strchr(escape, *text))
			sink_printf(s, "\\%c", *text);
		else
			sink_putc(s, *text);
	}
}

/* --- bash --- */

static void bash_options(struct sink *s, const struct cmd *cmd)
{
	for (const struct cmd_option *o = cmd->options; o && o->kind; o++) {
		if (o->letter)
			sink_printf(s, "-%c ", o->letter);
		sink_printf(s, "--%s ", o->name);
	}
	sink_puts(s, "--help");
}

/* Prints one arm of the case over "command,option". */
static void bash_argument(struct sink *s, const struct cmd *cmd, const struct cmd_option *o)
{
	if (!o->arg)
		return;
	sink_puts(s, "\t");
	if (o->letter)
		sink_printf(s, "%s,-%c|", cmd->name, o->letter);
	sink_printf(s, "%s,--%s) ", cmd->name, o->name);
	switch (argument_of(o)) {
	case ARG_WORDS:
		sink_puts(s, "words='");
		put_words(s, o);
		sink_puts(s, "' ;;\n");
		break;
	case ARG_EVENT:
		sink_puts(s, "words=$(cat " EVENTS_FILE " 2>/dev/null) ;;\n");
		break;
	case ARG_ASKED:
		sink_printf(s, "asked=%s ;;\n", o->name);
		break;
	case ARG_FILE:
	case ARG_FOLDER:
		sink_puts(s, "files=1 ;;\n");
		break;
	default:
		sink_puts(s, "return ;;\n"); /* unknown values */
	}
}

static void bash(struct sink *s, const struct cmd *const *cmds)
{
	sink_puts(s, "# bash completion for cdict, written by 'cdict --completion bash'\n");
	sink_puts(s, ask);
	sink_puts(
		s,
		"_cdict()\n"
		"{\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		"\tlocal cmd=${COMP_WORDS[1]} words= files= asked= line\n\n"
		"\tCOMPREPLY=()\n"
		"\t# --option=value arrives as three words, sched:sched_switch too\n"
		"\tif [[ $cur$prev == *:* && $COMP_WORDBREAKS == *:* ]] && declare -F _get_comp_words_by_ref >/dev/null; then\n"
		"\t\t_get_comp_words_by_ref -n : cur prev\n"
		"\tfi\n"
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
			bash_argument(s, cmds[i], o);
	}
	sink_puts(s, "\t*)\n"
		     "\t\tcase $cur in\n"
		     "\t\t-*)\n"
		     "\t\t\tcase $cmd in\n");
	for (size_t i = 0; cmds[i]; i++) {
		sink_printf(s, "\t\t\t%s) words='", cmds[i]->name);
		bash_options(s, cmds[i]);
		sink_puts(s, "' ;;\n");
	}
	sink_puts(
		s,
		"\t\t\tesac ;;\n"
		"\t\t*)\n"
		"\t\t\tcase $cmd,$COMP_CWORD in\n"
		"\t\t\tjob,2) words='" JOB_WORDS "' ;;\n"
		"\t\t\tjob,*) asked=job ;;\n"
		"\t\t\tvm,2) asked=vm files=1 ;;\n"
		"\t\t\t*) files=1 ;;\n"
		"\t\t\tesac ;;\n"
		"\t\tesac ;;\n"
		"\tesac\n"
		"\tif [ -n \"$asked\" ]; then\n"
		"\t\twhile IFS= read -r line; do\n"
		"\t\t\t[[ $line != \"$cur\"* ]] || COMPREPLY+=(\"$(printf %q \"$line\")\")\n"
		"\t\tdone < <(_cdict_ask \"$asked\" \"$cmd\" \"${COMP_WORDS[@]:2}\")\n"
		"\t\t[ -z \"$files\" ] || mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- \"$cur\")\n"
		"\t\t! declare -F __ltrim_colon_completions >/dev/null || __ltrim_colon_completions \"$cur\"\n"
		"\telif [ -n \"$files\" ]; then\n"
		"\t\tcompopt -o filenames 2>/dev/null\n"
		"\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
		"\telse\n"
		"\t\tCOMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
		"\t\t! declare -F __ltrim_colon_completions >/dev/null || __ltrim_colon_completions \"$cur\"\n"
		"\tfi\n"
		"}\n"
		"complete -F _cdict cdict cdict-host\n");
}

/* --- zsh --- */

static void zsh_option(struct sink *s, const struct cmd_option *o)
{
	if (o->letter)
		sink_printf(s, "\t\t'*'{-%c%s,--%s%s}'[", o->letter, o->arg ? "+" : "", o->name,
			    o->arg ? "=" : "");
	else
		sink_printf(s, "\t\t'*--%s%s[", o->name, o->arg ? "=" : "");
	quoted(s, o->help, "[]:\\");
	sink_putc(s, ']');
	if (o->arg) {
		sink_putc(s, ':');
		quoted(s, o->arg, ":\\");
		sink_putc(s, ':');
	}
	switch (argument_of(o)) {
	case ARG_WORDS:
		sink_putc(s, '(');
		put_words(s, o);
		sink_putc(s, ')');
		break;
	case ARG_EVENT:
		sink_puts(s, "_cdict_events");
		break;
	case ARG_ASKED:
		sink_printf(s, " _cdict_asked %s", o->name); /* the space: no other arguments */
		break;
	case ARG_FILE:
		sink_puts(s, "_files");
		break;
	case ARG_FOLDER:
		sink_puts(s, "_files -/");
		break;
	default:
		break;
	}
	sink_puts(s, "' \\\n");
}

static void zsh(struct sink *s, const struct cmd *const *cmds)
{
	sink_puts(s, "#compdef cdict cdict-host\n"
		     "# zsh completion for cdict, written by 'cdict --completion zsh'\n");
	sink_puts(s, ask);
	sink_puts(s,
		  "_cdict_asked() {\n"
		  "\tlocal -a values\n"
		  "\tvalues=(${(f)\"$(_cdict_ask $1 $command \"${(Q)words[@]}\")\"})\n"
		  "\tcompadd -a values\n"
		  "}\n"
		  "_cdict_job() {\n"
		  "\tif (( CURRENT == 2 )); then compadd " JOB_WORDS "; else _cdict_asked job; fi\n"
		  "}\n"
		  "_cdict_vm() {\n"
		  "\t(( CURRENT != 2 )) || _cdict_asked vm\n"
		  "\t_files\n"
		  "}\n"
		  "_cdict_events() {\n"
		  "\tlocal -a events\n"
		  "\tevents=(${(f)\"$(cat " EVENTS_FILE " 2>/dev/null)\"})\n"
		  "\tcompadd -a events\n"
		  "}\n"
		  "_cdict() {\n"
		  "\tlocal -a commands\n"
		  "\tcommands=(\n");
	for (size_t i = 0; cmds[i]; i++) {
		sink_printf(s, "\t\t'%s:", cmds[i]->name);
		quoted(s, cmds[i]->brief, "\\");
		sink_puts(s, "'\n");
	}
	sink_puts(s, "\t)\n"
		     "\tif (( CURRENT == 2 )) || [[ $CURRENT = 3 && $words[2] = help ]]; then\n"
		     "\t\t_describe command commands\n"
		     "\t\t(( CURRENT == 3 )) || compadd help --version --help\n"
		     "\t\treturn\n"
		     "\tfi\n"
		     "\tlocal command=$words[2]\n"
		     "\tshift words\n"
		     "\t(( CURRENT-- ))\n"
		     "\tcase $command in\n");
	for (size_t i = 0; cmds[i]; i++) {
		sink_printf(s, "\t%s)\n\t\t_arguments -s -S \\\n", cmds[i]->name);
		for (const struct cmd_option *o = cmds[i]->options; o && o->kind; o++)
			zsh_option(s, o);
		sink_printf(s, "\t\t'--help[print the options]' '*:file:_%s' ;;\n",
			    !strcmp(cmds[i]->name, "job")  ? "cdict_job"
			    : !strcmp(cmds[i]->name, "vm") ? "cdict_vm"
							   : "files");
	}
	sink_puts(
		s,
		"\tesac\n"
		"}\n"
		"if [[ $funcstack[1] = _cdict ]]; then _cdict \"$@\"; else compdef _cdict cdict cdict-host; fi\n");
}

/* --- fish --- */

/* Within quotes, fish accepts \' but not '\''. */
static void fish_quoted(struct sink *s, const char *text)
{
	for (; *text; text++)
		sink_printf(s, "%s%c", strchr("'\\", *text) ? "\\" : "", *text);
}

static void fish_option(struct sink *s, const struct cmd *cmd, const struct cmd_option *o)
{
	sink_printf(s, "complete -c cdict -n '__fish_seen_subcommand_from %s'", cmd->name);
	if (o->letter)
		sink_printf(s, " -s %c", o->letter);
	sink_printf(s, " -l %s", o->name);
	switch (argument_of(o)) {
	case ARG_NONE:
		break;
	case ARG_WORDS:
		sink_puts(s, " -x -a '");
		put_words(s, o);
		sink_putc(s, '\'');
		break;
	case ARG_EVENT:
		sink_puts(s, " -x -a '(cat " EVENTS_FILE " 2>/dev/null)'");
		break;
	case ARG_ASKED:
		sink_printf(s, " -x -a '(_cdict_asked %s)'", o->name);
		break;
	case ARG_FILE:
		sink_puts(s, " -r -F");
		break;
	case ARG_FOLDER:
		sink_puts(s, " -x -a '(__fish_complete_directories)'");
		break;
	case ARG_ANY:
		sink_puts(s, " -x");
		break;
	}
	sink_puts(s, " -d '");
	fish_quoted(s, o->help);
	sink_puts(s, "'\n");
}

static void fish(struct sink *s, const struct cmd *const *cmds)
{
	sink_puts(s, "# fish completion for cdict, written by 'cdict --completion fish'\n"
		     "set -g _cdict_ask '");
	fish_quoted(s, ask);
	sink_puts(
		s,
		"'\n"
		"function _cdict_asked\n"
		"\tset -l words (commandline -opc)\n"
		"\tsh -c \"$_cdict_ask\"'_cdict_ask \"$@\"' _ $argv[1] $words[2..-1] (commandline -opt)\n"
		"end\n"
		"complete -c cdict -n '__fish_seen_subcommand_from job' -f -a '" JOB_WORDS "'\n"
		"complete -c cdict -n '__fish_seen_subcommand_from show start remove' -f -a '(_cdict_asked job)'\n"
		"complete -c cdict -n '__fish_seen_subcommand_from vm' -a '(_cdict_asked vm)'\n"
		"complete -c cdict -n '__fish_use_subcommand' -f -a help\n"
		"complete -c cdict -n '__fish_use_subcommand' -f -l version\n"
		"complete -c cdict -f -l help\n");
	for (size_t i = 0; cmds[i]; i++) {
		sink_printf(s, "complete -c cdict -n '__fish_use_subcommand' -f -a %s -d '",
			    cmds[i]->name);
		fish_quoted(s, cmds[i]->brief);
		sink_puts(s, "'\n");
		sink_printf(s, "complete -c cdict -n '__fish_seen_subcommand_from help' -f -a %s\n",
			    cmds[i]->name);
		for (const struct cmd_option *o = cmds[i]->options; o && o->kind; o++)
			fish_option(s, cmds[i], o);
	}
	sink_puts(s, "complete -c cdict-host -w cdict\n");
}

bool help_completion(struct sink *s, const char *shell, const struct cmd *const *cmds)
{
	static const struct {
		const char *shell;
		void (*write)(struct sink *s, const struct cmd *const *cmds);
	} all[] = { { "bash", bash }, { "zsh", zsh }, { "fish", fish } };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		if (!strcmp(all[i].shell, shell)) {
			all[i].write(s, cmds);
			return true;
		}
	}
	return false;
}
