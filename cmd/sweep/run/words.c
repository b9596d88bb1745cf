/* SPDX-License-Identifier: GPL-2.0-only */
/* Splits command lines into words without a shell. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cmd/sweep/run/sweep.h"

#define BLANKS " \t\n"

char *sweep_next_word(char **text)
{
	char *p = *text + strspn(*text, BLANKS), *word = p, *to = p, quote = 0;

	if (!*p)
		return NULL;
	for (; *p && (quote || !strchr(BLANKS, *p)); p++) {
		if (quote ? *p == quote : *p == '\'' || *p == '"')
			quote = quote ? 0 : *p;
		else
			*to++ = *p;
	}
	*text = *p ? p + 1 : p;
	*to = '\0';
	return quote ? NULL : word;
}

/* What only a shell can do; '\'' and '"': a quote that is not closed; 0: nothing. */
static char needs_shell(const char *line)
{
	char quote = 0;

	for (; *line; line++) {
		if (quote ? *line == quote : *line == '\'' || *line == '"')
			quote = quote ? 0 : *line;
		else if (!quote && strchr("|&;<>()$`*?\\~", *line))
			return *line;
	}
	return quote;
}

int sweep_words(struct texts *to, const char *line, struct cdict_error *err)
{
	char sign = needs_shell(line), *copy, *rest, *word;
	int rc = 0;

	if (sign)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "'%s' has %s%c: use --shell sh, or the words after --", line,
				  sign == '\'' || sign == '"' ? "an unclosed " : "", sign);
	copy = rest = strdup(line);
	while (copy && !rc && (word = sweep_next_word(&rest)))
		rc = texts_add(to, word);
	rc = copy ? rc : -1;
	free(copy);
	if (rc)
		return cdict_fail_nomem(err);
	return to->n ? 0
		     : cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "a command line is empty");
}
