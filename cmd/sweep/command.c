/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The operands of cdict sweep: after "--" the words of one command; else command lines, as in hyperfine. Several of them
 * become the values of a parameter, "command". Operands that may be either are refused instead of joined.
 */
#include <string.h>

#include "base/fail.h"
#include "cmd/sweep/sweep.h"

static bool is_line(const char *text)
{
	return strpbrk(text, " \t\n") != NULL;
}

/* Checks that a command line can be run without a shell. */
static int check_line(const char *line, struct cdict_error *err)
{
	struct texts words = { 0 };
	int rc = sweep_words(&words, line, err);

	texts_fini(&words);
	return rc;
}

static int take_words(struct sweep *s, const struct cmd_call *call, struct cdict_error *err)
{
	for (size_t i = 0; i < call->n_operands; i++) {
		const char *word = call->operands[i];

		if (s->shell && call->n_operands > 1 && is_line(word))
			return cdict_fail(
				err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				"option --shell: joining the words would split '%s': give "
				"the command line as one argument",
				word);
		if (texts_add(&s->command, word))
			return cdict_fail_nomem(err);
	}
	return 0;
}

int sweep_command_take(struct sweep *s, const struct cmd_call *call, struct cdict_error *err)
{
	const char *const *lines = call->operands;
	size_t n = call->n_operands;
	int rc = 0;

	if (!call->n_before || (n == 1 && !is_line(lines[0])))
		return take_words(s, call, err);
	if (!is_line(lines[0]))
		return cdict_fail(
			err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			"is '%s' '%s' one command or two? use -- %s %s for one; several are one "
			"argument each, as in 'sleep 1' 'sleep 2', or -L command ls,pwd -- {command}",
			lines[0], lines[1], lines[0], lines[1]);
	for (size_t i = 0; i < n && !rc; i++) {
		if (lines[i][0] == '-')
			rc = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					"'%s' follows a command: options come first", lines[i]);
		else if (!s->shell)
			rc = check_line(lines[i], err);
	}
	if (rc)
		return rc;
	s->lines = true;
	if (n == 1)
		return texts_add(&s->command, lines[0]) ? cdict_fail_nomem(err) : 0;
	return texts_add(&s->command, "{command}")
		       ? cdict_fail_nomem(err)
		       : sweep_params_texts(&s->params, "command", lines, n, err);
}
