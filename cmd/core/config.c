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

static int unknown(const struct cmd *cmd, const char *name, struct cdict_error *err)
{
	struct suggest s;

	suggest_begin(&s, name, strlen(name));
	for (const struct cmd_option *o = cmd->options; o && o->kind; o++)
		suggest_try(&s, o->name);
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "cdict %s has no option '%s'%s",
			  cmd->name, name, suggest_text(&s, ""));
}

static int keep_value(struct cmd_args *args, const struct cmd *cmd, const char *name,
		      const char *value, bool must, struct cdict_error *err)
{
	const struct cmd_option *o = find_option(cmd, name);
	int ret;

	if (!o)
		return must ? unknown(cmd, name, err) : 0;
	if (!has_one_value(o))
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option %s takes several values: give it on the command line",
				  name);
	ret = set(args, o, value, err);
	/* in [cdict], a choice applies only to the commands that have it */
	return ret == CDICT_EUSAGE && !must && o->kind == CMD_OPT_CHOICE ? 0 : ret;
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

static int read_line(struct cmd_args *args, const struct cmd *cmd, char *line, char section[32],
		     struct cdict_error *err)
{
	char *equals, *end;

	line = trim(line);
	if (!*line || *line == '#' || *line == ';')
		return 0;
	if (*line == '[') {
		end = strchr(line, ']');
		if (!end || end - line > 31)
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "expected a section, '[COMMAND]' or '[cdict]'");
		snprintf(section, 32, "%.*s", (int)(end - line - 1), line + 1);
		return 0;
	}
	equals = strchr(line, '=');
	if (!equals || !*section)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  *section ? "'OPTION = VALUE' is missing its '='"
					   : "an option needs a section, such as '[tasks]'");
	*equals = '\0';
	if (strcmp(section, cmd->name) && strcmp(section, "cdict"))
		return 0;
	return keep_value(args, cmd, trim(line), value_of(equals + 1),
			  strcmp(section, "cdict") != 0, err);
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

static int read_file(struct cmd_args *args, const struct cmd *cmd, const char *path,
		     struct cdict_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), ret;
	char section[32] = "", *rest, *line;
	struct buf text = { 0 };
	struct cdict_error why;
	unsigned n = 0;
	struct stat st;

	if (fd < 0)
		return 0;
	/* sudo keeps HOME: a user's file must not affect root */
	if (fstat(fd, &st) || (st.st_uid != geteuid() && st.st_uid != 0)) {
		close(fd);
		return 0;
	}
	ret = buf_read(&text, fd, CONFIG_MAX);
	close(fd);
	buf_u8(&text, 0);
	if (ret == -ENOMEM || text.failed)
		ret = cdict_fail_nomem(err);
	else if (ret) /* for example, it is a folder */
		ret = cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "%s: %s", path,
				 cdict_strerror(ret));
	for (rest = (char *)text.data; !ret && (line = strsep(&rest, "\n"));) {
		n++;
		ret = read_line(args, cmd, line, section, err);
		if (ret == CDICT_EUSAGE) {
			why = *err;
			cdict_fail(err, ret, CDICT_NO_OFFSET, "%s:%u: %s", path, n, why.text);
		}
	}
	buf_fini(&text);
	return ret;
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
	char *path, name[96];
	struct cdict_error why;
	int ret = config_path(&path, err);

	if (!ret && path)
		ret = read_file(args, cmd, path, err);

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
