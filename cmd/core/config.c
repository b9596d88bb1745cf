/* SPDX-License-Identifier: GPL-2.0-only */
/* Defaults of options, from the configuration file and the environment. */
#include "cmd/core/config.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "base/memory/buf.h"
#include "base/text/suggest.h"

#define CONFIG_MAX (64u << 10)

static bool has_one_value(const struct cmd_option *o)
{
	return o->kind == CMD_OPT_FLAG || o->kind == CMD_OPT_STRING || o->kind == CMD_OPT_MAYBE ||
	       o->kind == CMD_OPT_UINT || o->kind == CMD_OPT_NUMBER || o->kind == CMD_OPT_CHOICE;
}

static const struct cmd_option *find_option(const struct cmd *cmd, const char *name)
{
	for (const struct cmd_option *o = cmd->options; o && o->kind; o++) {
		if (!strcmp(o->name, name))
			return o;
	}
	return NULL;
}

static int set(struct cmd_args *args, const struct cmd_option *o, const char *value,
	       struct cdict_error *err)
{
	if (o->kind == CMD_OPT_FLAG) {
		bool yes = !strcmp(value, "true") || !strcmp(value, "yes") ||
			   !strcmp(value, "on") || !strcmp(value, "1") || !*value;

		if (!yes && strcmp(value, "false") && strcmp(value, "no") && strcmp(value, "off") &&
		    strcmp(value, "0"))
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "option %s takes true or false, not '%s'", o->name,
					  value);
		*(bool *)((char *)args->opts + o->offset) = yes;
		return 0;
	}
	if (texts_add(&args->texts, value))
		return cdict_fail_nomem(err);
	return cmd_option_set(args->opts, o, args->texts.at[args->texts.n - 1], err);
}

/* A file being read. */
struct file {
	const char *path;
	const struct config_section *sections;
	size_t n;
	/* Everything in it must be valid: not the user's, which serves all commands. */
	bool strict;
	const struct config_section *now; /* NULL: none, or one of another command */
	bool begun;                       /* a section was */
	unsigned line;
	struct config_lines *lines;
};

static int unknown(const struct file *f, const char *name, struct cdict_error *err)
{
	const struct cmd *cmd = f->now->cmd;
	struct suggest s;

	suggest_begin(&s, name, strlen(name));
	for (const struct cmd_option *o = cmd->options; o && o->kind; o++)
		suggest_try(&s, o->name);
	if (f->strict)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "[%s] has no key '%s'%s",
				  f->now->name, name, suggest_text(&s, ""));
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "cdict %s has no option '%s'%s",
			  cmd->name, name, suggest_text(&s, ""));
}

static bool is_refused(const struct config_section *s, const char *name)
{
	for (size_t i = 0; s->refused && s->refused[i]; i++) {
		if (!strcmp(s->refused[i], name))
			return true;
	}
	return false;
}

/* Whether a line can have all of the option: in a file of its own, a list may have several. */
static bool fits_a_line(const struct file *f, const struct cmd_option *o)
{
	return has_one_value(o) ||
	       (f->strict && (o->kind == CMD_OPT_LIST || o->kind == CMD_OPT_ORDERED ||
			      o->kind == CMD_OPT_CPUS || o->kind == CMD_OPT_TIDS));
}

/* "a, b" as "a,b", as on a command line. */
static void join_list(char *value)
{
	char *to = value;

	for (const char *p = value; *p; p++) {
		*to++ = *p;
		if (*p == ',')
			p += strspn(p + 1, " \t");
	}
	*to = '\0';
}

static int keep_value(const struct file *f, const char *name, char *value, struct cdict_error *err)
{
	const struct config_section *s = f->now;
	const struct cmd_option *o = find_option(s->cmd, name);
	int ret;

	if (!o)
		return s->any ? 0 : unknown(f, name, err);
	if (is_refused(s, name))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "[%s] does not take '%s', an option of the command line only",
				  s->name, name);
	if (!fits_a_line(f, o))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option %s takes several values: give it on the command line",
				  name);
	if (o->kind == CMD_OPT_LIST)
		join_list(value);
	ret = set(s->args, o, value, err);
	if (!ret && f->lines && array_push(f->lines, ((struct config_line){ o->name, f->line })))
		return cdict_fail_nomem(err);
	/* in [cdict], a choice applies only to the commands that have it */
	return ret == CDICT_EUSAGE && s->any && o->kind == CMD_OPT_CHOICE ? 0 : ret;
}

/* ---- the file ---- */

static char *trim(char *text)
{
	char *end;

	while (isspace((unsigned char)*text))
		text++;
	end = text + strlen(text);
	while (end > text && isspace((unsigned char)end[-1]))
		end--;
	*end = '\0';
	return text;
}

/* The value up to a comment; quoted text is taken verbatim. */
static char *value_of(char *text)
{
	char *value = trim(text), *end;

	if (*value == '"' && (end = strchr(value + 1, '"'))) {
		*end = '\0';
		return value + 1;
	}
	value[strcspn(value, "#;")] = '\0';
	return trim(value);
}

static int begin_section(struct file *f, const char *line, struct cdict_error *err)
{
	const char *end = strchr(line, ']');
	size_t len = end ? (size_t)(end - line - 1) : 0;
	struct suggest s;

	if (!end || len > 30)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "expected a section, '[%s]'%s",
				  f->strict ? f->sections->name : "COMMAND",
				  f->strict ? "" : " or '[cdict]'");
	suggest_begin(&s, line + 1, len);
	f->now = NULL;
	f->begun = true;
	for (size_t i = 0; i < f->n; i++) {
		suggest_try(&s, f->sections[i].name);
		if (!strncmp(f->sections[i].name, line + 1, len) && !f->sections[i].name[len])
			f->now = &f->sections[i];
	}
	if (!f->now && f->strict)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "unknown section [%.*s]%s",
				  (int)len, line + 1, suggest_text(&s, ""));
	return 0;
}

static int read_line(struct file *f, char *line, struct cdict_error *err)
{
	char *equals;

	line = trim(line);
	if (!*line || *line == '#' || *line == ';')
		return 0;
	if (*line == '[')
		return begin_section(f, line, err);
	equals = strchr(line, '=');
	if (!equals || !f->begun)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  f->begun ? "'OPTION = VALUE' is missing its '='"
					   : "an option needs a section, such as '[%s]'",
				  f->strict ? f->sections->name : "tasks");
	*equals = '\0';
	return f->now ? keep_value(f, trim(line), value_of(equals + 1), err) : 0;
}

/* *path is given; NULL: no configuration file. */
static int config_path(char **path, struct cdict_error *err)
{
	const char *named = getenv("CDICT_CONFIG"), *xdg = getenv("XDG_CONFIG_HOME");
	const char *home = getenv("HOME");
	bool failed = false;

	*path = NULL;
	if (named && *named)
		failed = !(*path = strdup(named));
	else if (!named && xdg && *xdg)
		failed = asprintf(path, "%s/cdict/config", xdg) < 0;
	else if (!named && home && *home)
		failed = asprintf(path, "%s/.config/cdict/config", home) < 0;
	if (!failed)
		return 0;
	*path = NULL;
	return cdict_fail_nomem(err);
}

/* "option --keep" as "option keep": here it has no dashes. */
static void drop_dashes(char *text)
{
	for (char *p = text; (p = strstr(p, " --"));)
		memmove(p + 1, p + 3, strlen(p + 3) + 1);
}

int config_fail(struct cdict_error *err, const char *path, unsigned line)
{
	struct cdict_error why = *err;
	char where[16] = "";

	drop_dashes(why.text);
	if (line)
		snprintf(where, sizeof(where), ":%u", line);
	return cdict_fail(err, why.code, CDICT_NO_OFFSET, "%s%s: %s", path, where, why.text);
}

static int read_text(struct file *f, char *rest, struct cdict_error *err)
{
	struct cdict_error why;
	char *line;
	int ret = 0;

	while (!ret && (line = strsep(&rest, "\n"))) {
		f->line++;
		ret = read_line(f, line, err);
		why = *err;
		if (ret == CDICT_EUSAGE && f->strict)
			config_fail(err, f->path, f->line);
		else if (ret == CDICT_EUSAGE)
			cdict_fail(err, ret, CDICT_NO_OFFSET, "%s:%u: %s", f->path, f->line,
				   why.text);
	}
	return ret;
}

static int read_file(struct file *f, struct cdict_error *err)
{
	int fd = open(f->path, O_RDONLY | O_CLOEXEC), ret;
	struct buf text = { 0 };
	struct stat st;

	if (fd < 0)
		return f->strict ? cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "%s: %s", f->path,
					      cdict_strerror(-errno))
				 : 0;
	/* sudo keeps HOME: a user's file must not affect root */
	if (!f->strict && (fstat(fd, &st) || (st.st_uid != geteuid() && st.st_uid != 0))) {
		close(fd);
		return 0;
	}
	ret = buf_read(&text, fd, CONFIG_MAX);
	close(fd);
	buf_u8(&text, 0);
	if (ret == -ENOMEM || text.failed)
		ret = cdict_fail_nomem(err);
	else if (ret) /* for example, it is a folder */
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "%s: %s", f->path,
				 cdict_strerror(ret));
	else if (f->strict && (strlen((char *)text.data) + 1 < text.len || text.len > CONFIG_MAX))
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "%s: is not a text of 64 KiB",
				 f->path);
	else
		ret = read_text(f, (char *)text.data, err);
	buf_fini(&text);
	return ret;
}

int config_file(const char *path, const struct config_section *sections, size_t n,
		struct config_lines *lines, struct cdict_error *err)
{
	struct file f = {
		.path = path, .sections = sections, .n = n, .strict = true, .lines = lines
	};

	return read_file(&f, err);
}

unsigned config_line_of(const struct config_lines *lines, const char *text)
{
	/* the last line with the option that comes first in @text */
	for (const char *p = text; (p = strstr(p, "--")); p += 2) {
		size_t len = strspn(p + 2, "abcdefghijklmnopqrstuvwxyz-");

		for (size_t i = lines->n; i-- > 0;) {
			const char *name = lines->at[i].name;

			if (!strncmp(name, p + 2, len) && !name[len])
				return lines->at[i].line;
		}
	}
	return 0;
}

/* ---- the environment ---- */

/* The variable's value: "CDICT_TASKS_MAX_LOSS". */
static const char *variable(const struct cmd *cmd, const struct cmd_option *o, char *name,
			    size_t size)
{
	snprintf(name, size, "CDICT_%s_%s", cmd->name, o->name);
	for (char *p = name; *p; p++)
		*p = *p == '-' ? '_' : (char)toupper((unsigned char)*p);
	return getenv(name);
}

int config_defaults(struct cmd_args *args, const struct cmd *cmd, struct cdict_error *err)
{
	const struct config_section sections[] = {
		{ .name = cmd->name, .cmd = cmd, .args = args },
		{ .name = "cdict", .cmd = cmd, .args = args, .any = true },
	};
	char *path, name[96];
	struct cdict_error why;
	int ret = config_path(&path, err);

	if (!ret && path)
		ret = read_file(&(struct file){ .path = path, .sections = sections, .n = 2 }, err);
	free(path);
	for (const struct cmd_option *o = cmd->options; o && o->kind && !ret; o++) {
		const char *value = has_one_value(o) ? variable(cmd, o, name, sizeof(name)) : NULL;

		if (!value)
			continue;
		ret = set(args, o, value, err);
		if (ret == CDICT_EUSAGE) {
			why = *err;
			cdict_fail(err, ret, CDICT_NO_OFFSET, "%s: %s", name, why.text);
		}
	}
	return ret;
}
