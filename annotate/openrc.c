// SPDX-License-Identifier: GPL-2.0-only
/* openrc files: which commands count, and what they do to the variables. */
#include "annotate/openrc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/openrc_word.h"
#include "base/fail.h"

#define OPENRC_SIZE_MAX ((size_t)1 << 20)

struct script {
	struct openrc_text text;
	struct openstack_vars *vars;
	struct openrc_word word;
	unsigned blocks, parens; /* if, for, {; ( */
	bool conditional;        /* behind && || | */
	char until[128];         /* a here-document's last line */
	bool heredoc, heredoc_tabs;
	/* the command being read */
	enum { FIRST, ASSIGNS, EXPORT, UNSET, READ, OTHER } command;
	bool skip_argument; /* of an option */
	struct openstack_vars assigned;
};

static int no_memory(struct cdict_error *err)
{
	return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
}

/* Does what is read now happen for certain? */
static bool counts(const struct script *s)
{
	return !s->blocks && !s->parens && !s->conditional;
}

/* NAME=value: put into @into, unless it stands where nobody knows whether it is done. */
static int assign(struct script *s, struct openstack_vars *into, struct cdict_error *err)
{
	const struct openrc_word *w = &s->word;
	const char *text = (const char *)w->text.data;
	const char *value = text + w->name_len + 1 + w->append;
	bool unknown = w->unknown || w->append;

	if (!counts(s))
		return 0;
	if (openstack_vars_set(into, text, w->name_len, unknown ? NULL : value,
			       (size_t)(text + w->text.len - value)))
		return no_memory(err);
	return 0;
}

/* The end of a command: assignments with nothing behind them stay. */
static int end_command(struct script *s, struct cdict_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < s->assigned.n && s->command == ASSIGNS; i++) {
		const struct openstack_var *v = &s->assigned.vars[i];

		if (openstack_vars_set(s->vars, v->name, strlen(v->name), v->value,
				       v->value ? strlen(v->value) : 0))
			rc = no_memory(err);
	}
	openstack_vars_fini(&s->assigned);
	s->command = FIRST;
	s->skip_argument = false;
	return rc;
}

static bool is_one_of(const char *word, const char *const *list)
{
	while (*list && strcmp(word, *list))
		list++;
	return *list != NULL;
}

/* Words that open, close and divide compound commands. False: a command's name. */
static bool reserved(struct script *s, const char *word)
{
	static const char *const open[] = { "if",     "for", "while", "until",
					    "select", "{",   "case",  NULL };
	static const char *const close[] = { "fi", "done", "}", "esac", NULL };
	static const char *const divide[] = { "then", "else", "elif", "do", "!", NULL };

	if (s->word.quoted || s->word.unknown)
		return false;
	if (is_one_of(word, open)) {
		s->blocks++;
		/* what stands between `for` or `case` and the next end is no command */
		s->command = strcmp(word, "for") && strcmp(word, "select") && strcmp(word, "case")
				     ? FIRST
				     : OTHER;
		return true;
	}
	if (is_one_of(word, close)) {
		s->blocks -= s->blocks > 0;
		s->command = OTHER; /* at most redirections follow */
		return true;
	}
	return is_one_of(word, divide);
}

static void name_command(struct script *s, const char *word)
{
	static const char *const exports[] = { "export", "declare", "typeset", "readonly", NULL };

	s->command = is_one_of(word, exports) ? EXPORT
		     : !strcmp(word, "unset") ? UNSET
		     : !strcmp(word, "read")  ? READ
					      : OTHER;
}

/* `read`: what it reads is known to nobody. */
static int read_argument(struct script *s, const char *word, struct cdict_error *err)
{
	size_t len = strlen(word);

	if (s->skip_argument) {
		s->skip_argument = false;
		return 0;
	}
	if (*word == '-' && len > 1) {
		s->skip_argument = strchr("adinNptu", word[len - 1]) != NULL;
		return 0;
	}
	if (!len || openrc_name_len(word, len) != len || !counts(s))
		return 0;
	return openstack_vars_set(s->vars, word, len, NULL, 0) ? no_memory(err) : 0;
}

/* One word of a command, read into s->word. */
static int take_word(struct script *s, struct cdict_error *err)
{
	const char *word = (const char *)s->word.text.data;

	switch (s->command) {
	case FIRST:
	case ASSIGNS:
		if (s->word.name_len) {
			s->command = ASSIGNS;
			return assign(s, &s->assigned, err);
		}
		if (s->command != FIRST || !reserved(s, word))
			name_command(s, word);
		return 0;
	case EXPORT:
		return s->word.name_len ? assign(s, s->vars, err) : 0;
	case UNSET:
		if (counts(s) && *word != '-')
			openstack_vars_unset(s->vars, word);
		return 0;
	case READ:
		return read_argument(s, word, err);
	case OTHER:
		break;
	}
	return 0;
}

static char peek(const struct script *s, size_t ahead)
{
	return (size_t)(s->text.end - s->text.at) > ahead ? s->text.at[ahead] : 0;
}

static void skip_blanks(struct script *s)
{
	while (peek(s, 0) == ' ' || peek(s, 0) == '\t')
		s->text.at++;
}

/* > file, < file, << END: the word behind it is no argument. */
static int redirection(struct script *s, struct cdict_error *err)
{
	bool heredoc = peek(s, 0) == '<' && peek(s, 1) == '<' && peek(s, 2) != '<';
	bool tabs = heredoc && peek(s, 2) == '-';
	int rc;

	while (peek(s, 0) == '<' || peek(s, 0) == '>' || peek(s, 0) == '&' || peek(s, 0) == '|')
		s->text.at++;
	s->text.at += tabs;
	skip_blanks(s);
	if (s->text.at == s->text.end || openrc_ends_word(*s->text.at))
		return 0;
	rc = openrc_word_read(&s->text, &s->word, err);
	if (rc || !heredoc)
		return rc;
	if (s->word.text.len >= sizeof(s->until))
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "line %u: a here-document's end is longer than %zu bytes",
				  s->text.line, sizeof(s->until) - 1);
	memcpy(s->until, s->word.text.data, s->word.text.len + 1);
	s->heredoc = true;
	s->heredoc_tabs = tabs;
	return 0;
}

/* Steps over a here-document, from the start of its first line. */
static void skip_heredoc(struct script *s)
{
	size_t want = strlen(s->until);
	bool found = false;

	while (!found && s->text.at < s->text.end) {
		const char *nl = memchr(s->text.at, '\n', (size_t)(s->text.end - s->text.at));
		const char *line = s->text.at, *end = nl ? nl : s->text.end;

		while (s->heredoc_tabs && line < end && *line == '\t')
			line++;
		found = (size_t)(end - line) == want && !memcmp(line, s->until, want);
		s->text.at = nl ? nl + 1 : end;
		s->text.line++;
	}
	s->heredoc = false;
}

/* An operator that ends a command, at s->text.at. */
static int operator(struct script *s, struct cdict_error *err)
{
	char c = *s->text.at++;
	bool twice = peek(s, 0) == c;
	/* the left side of a pipe is a process of its own */
	bool piped = c == '|' && !twice;
	bool empty = s->command == FIRST;
	int rc;

	if (piped || (c == '&' && !twice))
		s->command = OTHER;
	rc = end_command(s, err);
	if ((c == '&' || c == '|' || c == ';') && twice)
		s->text.at++;
	if (c == '&' || c == '|')
		s->conditional = twice || piped;
	else if (c == ';' || (c == '\n' && !empty)) /* a && <newline> b */
		s->conditional = false;
	else if (c == '(')
		s->parens++;
	else if (c == ')')
		s->parens -= s->parens > 0;
	if (c == '\n') {
		s->text.line++;
		if (s->heredoc)
			skip_heredoc(s);
	}
	return rc;
}

static int step(struct script *s, struct cdict_error *err)
{
	char c;
	int rc;

	skip_blanks(s);
	c = peek(s, 0);
	if (s->text.at == s->text.end)
		return 0;
	if (c == '#') {
		while (s->text.at < s->text.end && *s->text.at != '\n')
			s->text.at++;
		return 0;
	}
	if (c == '\\' && peek(s, 1) == '\n') {
		s->text.at += 2;
		s->text.line++;
		return 0;
	}
	if (c == '<' || c == '>')
		return redirection(s, err);
	if (openrc_ends_word(c))
		return operator(s, err);
	rc = openrc_word_read(&s->text, &s->word, err);
	return rc ? rc : take_word(s, err);
}

/* A copy without the carriage returns and the byte order mark of other systems. */
static char *unix_lines(const char *text, size_t size, size_t *len)
{
	char *copy = malloc(size + 1);
	size_t n = 0, i = size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;

	if (!copy)
		return NULL;
	for (; i < size; i++) {
		if (text[i] == '\r' && (i + 1 == size || text[i + 1] == '\n'))
			continue;
		copy[n++] = text[i];
	}
	*len = n;
	return copy;
}

int openrc_parse(struct openstack_vars *vars, const char *text, size_t size,
		 struct cdict_error *err)
{
	struct script s = { .vars = vars, .text = { .line = 1, .vars = vars } };
	size_t len = 0;
	char *copy;
	int rc = 0;

	if (size > OPENRC_SIZE_MAX)
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "%zu bytes are no openrc file: more than %zu", size,
				  OPENRC_SIZE_MAX);
	if (size && memchr(text, 0, size))
		return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET,
				  "holds NUL bytes: no openrc file");
	copy = unix_lines(text, size, &len);
	if (!copy)
		return no_memory(err);
	s.text.at = copy;
	s.text.end = copy + len;
	while (!rc && s.text.at < s.text.end)
		rc = step(&s, err);
	if (!rc)
		rc = end_command(&s, err);
	openstack_vars_fini(&s.assigned);
	openrc_word_fini(&s.word);
	explicit_bzero(copy, len);
	free(copy);
	return rc;
}
