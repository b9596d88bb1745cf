/* SPDX-License-Identifier: GPL-2.0-only */
/* The plugin's options: --dlarg KEY=VALUE. */
#include "plugin/args.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"

static int add_text(struct texts *texts, const char *text, size_t len, struct cdict_error *err)
{
	return texts_take(texts, strndup(text, len)) ? cdict_fail_nomem(err) : 0;
}

/* Comma-separated. */
static int add_events(struct args *a, const char *value, struct cdict_error *err)
{
	int ret = 0;

	while (*value && !ret) {
		size_t len = strcspn(value, ",");

		if (len)
			ret = add_text(&a->events, value, len, err);
		value += len + (value[len] == ',');
	}
	return ret;
}

static int set_flag(bool *flag, const char *arg, const char *value, struct cdict_error *err)
{
	if (!strcmp(value, "1") || !strcmp(value, "yes"))
		*flag = true;
	else if (!strcmp(value, "0") || !strcmp(value, "no"))
		*flag = false;
	else
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "--dlarg %s: expected 0 or 1 after '='", arg);
	return 0;
}

static bool has_key(const char *arg, const char *key, const char **value)
{
	size_t len = strlen(key);

	if (strncmp(arg, key, len) || arg[len] != '=')
		return false;
	*value = arg + len + 1;
	return true;
}

static int parse_one(struct args *a, const char *arg, struct cdict_error *err)
{
	const char *value;

	if (has_key(arg, "out", &value) && *value) {
		free(a->out);
		a->out = strdup(value);
		return a->out ? 0 : cdict_fail_nomem(err);
	}
	if (has_key(arg, "event", &value))
		return add_events(a, value, err);
	if (has_key(arg, "map", &value) && *value)
		return add_text(&a->maps, value, strlen(value), err);
	if (has_key(arg, "print", &value))
		return set_flag(&a->print, arg, value, err);
	if (has_key(arg, "quiet", &value))
		return set_flag(&a->quiet, arg, value, err);
	if (has_key(arg, "stacks", &value))
		return set_flag(&a->stacks, arg, value, err);
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
			  "unknown --dlarg %s; expected out=FILE, event=GLOB, map=CSV, print=1, "
			  "quiet=1 or stacks=0",
			  arg);
}

int args_parse(struct args *a, char *const *argv, int argc, struct cdict_error *err)
{
	int ret = 0;

	*a = (struct args){ .stacks = true };
	for (int i = 0; i < argc && !ret; i++)
		ret = parse_one(a, argv[i], err);
	return ret;
}

void args_fini(struct args *a)
{
	free(a->out);
	texts_fini(&a->events);
	texts_fini(&a->maps);
	*a = (struct args){ 0 };
}
