// SPDX-License-Identifier: GPL-2.0-only
/* Words of a shell script: quotes, and the few expansions that need no shell. */
#include "annotate/openrc_word.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"

bool openrc_ends_word(char c)
{
	return strchr(" \t\n;&|()<>", c) && c;
}

static bool begins_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

size_t openrc_name_len(const char *text, size_t len)
{
	size_t n = 0;

	while (n < len && (begins_name(text[n]) || (n && text[n] >= '0' && text[n] <= '9')))
		n++;
	return n;
}

static int unended(unsigned line, const char *what, struct cdict_error *err)
{
	return cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET, "line %u: %s without its end", line,
			  what);
}

static void add(struct openrc_word *w, char c)
{
	buf_u8(&w->text, (uint8_t)c);
}

static int single_quoted(struct openrc_text *t, struct openrc_word *w, struct cdict_error *err)
{
	unsigned line = t->line;

	for (t->at++; t->at < t->end; t->at++) {
		if (*t->at == '\'') {
			t->at++;
			return 0;
		}
		t->line += *t->at == '\n';
		add(w, *t->at);
	}
	return unended(line, "a '", err);
}

/* Steps over `...`, $(...) and ${...}, from behind the opening one to behind the closing one. */
static int skip_to(struct openrc_text *t, char open, char close, struct cdict_error *err)
{
	unsigned line = t->line, depth = 1;
	char quote = 0;

	for (; t->at < t->end; t->at++) {
		char c = *t->at;

		t->line += c == '\n';
		if (c == '\\' && quote != '\'' && t->at + 1 < t->end) {
			t->at++;
			t->line += *t->at == '\n';
		} else if (quote) {
			quote = c == quote ? 0 : quote;
		} else if (close != '`' && (c == '"' || c == '\'')) {
			quote = c;
		} else if (c == close) {
			if (!--depth) {
				t->at++;
				return 0;
			}
		} else if (c == open) {
			depth++;
		}
	}
	return unended(line, close == '`' ? "a `" : close == ')' ? "a $(" : "a ${", err);
}

static void put_value(struct openrc_text *t, struct openrc_word *w, const char *name, size_t len,
		      const char *otherwise, size_t otherwise_len)
{
	char key[128] = "";
	const char *value;

	if (len < sizeof(key))
		memcpy(key, name, len);
	value = openstack_vars_get(t->vars, key);
	if (value && (*value || !otherwise))
		buf_add(&w->text, value, strlen(value));
	else if (otherwise && !openstack_vars_unknown(t->vars, key))
		buf_add(&w->text, otherwise, otherwise_len);
	else
		w->unknown = true;
}

/* ${NAME}, ${NAME:-plain text}; of any other ${ nothing is known. */
static int braces(struct openrc_text *t, struct openrc_word *w, struct cdict_error *err)
{
	const char *name = t->at, *rest, *end;
	size_t len;
	int rc;

	len = openrc_name_len(name, (size_t)(t->end - name));
	rc = skip_to(t, '{', '}', err);
	if (rc)
		return rc;
	end = t->at - 1;
	rest = name + len;
	if (len && rest == end) {
		put_value(t, w, name, len, NULL, 0);
		return 0;
	}
	if (!len || end - rest < 2 || rest[0] != ':' || rest[1] != '-') {
		w->unknown = true;
		return 0;
	}
	rest += 2;
	if (end - rest >= 2 && (*rest == '"' || *rest == '\'') && end[-1] == *rest) {
		rest++;
		end--;
	}
	for (const char *p = rest; p < end; p++) {
		if (strchr("$`\\\"'", *p)) {
			w->unknown = true;
			return 0;
		}
	}
	put_value(t, w, name, len, rest, (size_t)(end - rest));
	return 0;
}

/* At a '$'. */
static int dollar(struct openrc_text *t, struct openrc_word *w, bool in_quotes,
		  struct cdict_error *err)
{
	size_t left = (size_t)(t->end - ++t->at), len = openrc_name_len(t->at, left);
	char c = left ? *t->at : 0;

	if (len) {
		put_value(t, w, t->at, len, NULL, 0);
		t->at += len;
		return 0;
	}
	if (c == '{' || c == '(') {
		t->at++;
		if (c == '{')
			return braces(t, w, err);
		w->unknown = true;
		return skip_to(t, '(', ')', err);
	}
	if (!in_quotes && (c == '\'' || c == '"')) {
		/* $'...' and $"...": escapes and translations we leave to shells */
		t->at++;
		w->unknown = true;
		for (; t->at < t->end && *t->at != c; t->at++) {
			t->line += *t->at == '\n';
			if (*t->at == '\\' && t->at + 1 < t->end)
				t->at++;
		}
		if (t->at == t->end)
			return unended(t->line, "a $'", err);
		t->at++;
		return 0;
	}
	if (c && strchr("?$!#@*-0123456789", c)) {
		t->at++;
		w->unknown = true;
		return 0;
	}
	add(w, '$');
	return 0;
}

static int backtick(struct openrc_text *t, struct openrc_word *w, struct cdict_error *err)
{
	t->at++;
	w->unknown = true;
	return skip_to(t, 0, '`', err);
}

static int double_quoted(struct openrc_text *t, struct openrc_word *w, struct cdict_error *err)
{
	unsigned line = t->line;
	int rc = 0;

	t->at++;
	while (!rc && t->at < t->end) {
		char c = *t->at;

		if (c == '"') {
			t->at++;
			return 0;
		}
		if (c == '$') {
			rc = dollar(t, w, true, err);
			continue;
		}
		if (c == '`') {
			rc = backtick(t, w, err);
			continue;
		}
		if (c == '\\' && t->at + 1 < t->end && strchr("$`\"\\\n", t->at[1]) && t->at[1]) {
			t->at++;
			if (*t->at != '\n') /* else the line goes on */
				add(w, *t->at);
		} else {
			add(w, c);
		}
		t->line += *t->at++ == '\n';
	}
	return rc ? rc : unended(line, "a \"", err);
}

/* The plain character at @t->at; knows an assignment by its first '='. */
static void plain(struct openrc_text *t, struct openrc_word *w)
{
	const char *text = (const char *)w->text.data;
	size_t len = w->text.len, name;

	if (*t->at == '=' && !w->name_len && len && !w->quoted && !w->unknown) {
		name = openrc_name_len(text, len);
		w->append = name + 1 == len && text[name] == '+';
		if (name == len || w->append)
			w->name_len = name;
	}
	if (*t->at == '~' && len && w->name_len && (text[len - 1] == '=' || text[len - 1] == ':'))
		w->unknown = true; /* somebody's home */
	add(w, *t->at++);
}

int openrc_word_read(struct openrc_text *t, struct openrc_word *w, struct cdict_error *err)
{
	int rc = 0;

	w->text.len = 0;
	w->unknown = w->quoted = w->append = false;
	w->name_len = 0;
	while (!rc && t->at < t->end && !openrc_ends_word(*t->at)) {
		switch (*t->at) {
		case '\'':
			rc = single_quoted(t, w, err);
			w->quoted = true;
			break;
		case '"':
			rc = double_quoted(t, w, err);
			w->quoted = true;
			break;
		case '\\':
			t->at++;
			if (t->at < t->end && *t->at != '\n')
				add(w, *t->at);
			if (t->at < t->end)
				t->line += *t->at++ == '\n';
			w->quoted = true;
			break;
		case '$':
			rc = dollar(t, w, false, err);
			break;
		case '`':
			rc = backtick(t, w, err);
			break;
		default:
			plain(t, w);
		}
	}
	add(w, 0);
	if (!rc && w->text.failed)
		return cdict_fail(err, -ENOMEM, CDICT_NO_OFFSET, "out of memory");
	w->text.len--;
	return rc;
}

void openrc_word_fini(struct openrc_word *w)
{
	if (w->text.data)
		explicit_bzero(w->text.data, w->text.cap);
	buf_fini(&w->text);
	*w = (struct openrc_word){ 0 };
}
