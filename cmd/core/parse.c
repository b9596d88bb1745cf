/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses argv into a command's options struct, by its option table. */
#include "cmd/core/parse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/memory/array.h"
#include "base/text/cpulist.h"
#include "base/text/suggest.h"
#include "cmd/core/config.h"

static int fail(struct cdict_error *err, const struct cmd_option *o, const char *what,
		const char *arg)
{
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "option --%s %s, not '%s'", o->name,
			  what, arg);
}

/* Parses digits up to @end; false for none or too many. */
static bool digits(const char **p, uint64_t *v)
{
	const char *start = *p;

	for (*v = 0; **p >= '0' && **p <= '9'; (*p)++) {
		if (__builtin_mul_overflow(*v, 10, v) ||
		    __builtin_add_overflow(*v, (uint64_t)(**p - '0'), v))
			return false;
	}
	return *p != start;
}

static int set_number(double *value, const struct cmd_option *o, const char *arg,
		      struct cdict_error *err)
{
	char *end;
	double v;

	if ((*arg < '0' || *arg > '9') && *arg != '.')
		return fail(err, o, "takes a number", arg);
	v = strtod(arg, &end);
	if (*end || !isfinite(v) || arg[strspn(arg, "0123456789.")])
		return fail(err, o, "takes a number", arg);
	*value = v;
	return 0;
}

static int set_choice(int *value, const struct cmd_option *o, const char *arg,
		      struct cdict_error *err)
{
	char known[160] = "";

	for (int i = 0; o->choices[i]; i++) {
		if (!strcmp(o->choices[i], arg)) {
			*value = i;
			return 0;
		}
		if (i)
			strncat(known, o->choices[i + 1] ? ", " : " or ",
				sizeof(known) - strlen(known) - 1);
		strncat(known, o->choices[i], sizeof(known) - strlen(known) - 1);
	}
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "option --%s takes %s, not '%s'",
			  o->name, known, arg);
}

/* Takes @item; NULL: out of memory. */
static int push(struct cmd_list *list, char *item, struct cdict_error *err)
{
	if (item && !array_push(list, item))
		return 0;
	free(item);
	return cdict_fail_nomem(err);
}

static int add_list(struct cmd_list *list, const struct cmd_option *o, const char *arg,
		    struct cdict_error *err)
{
	for (const char *p = arg;;) {
		size_t len = strcspn(p, ",");
		int rc = len ? push(list, strndup(p, len), err)
			     : fail(err, o, "takes a comma-separated list", arg);

		if (rc || !p[len])
			return rc;
		p += len + 1;
	}
}

/* "name=value": options that share a list keep the order in which they were given. */
static int add_ordered(struct cmd_list *list, const struct cmd_option *o, const char *arg,
		       struct cdict_error *err)
{
	char *item;

	if (!*arg)
		return fail(err, o, "takes a non-empty text", arg);
	return push(list, asprintf(&item, "%s=%s", o->name, arg) < 0 ? NULL : item, err);
}

static int add_cpus(struct cmd_cpus *cpus, const struct cmd_option *o, const char *arg,
		    struct cdict_error *err)
{
	const char *p = arg;
	uint32_t from, to;

	while (cpulist_next(&p, &from, &to)) {
		if (to >= cpus->n) {
			size_t n = (size_t)(to / 64 + 1) * 64;
			uint64_t *grown = realloc(cpus->bits, n / 8);

			if (!grown)
				return cdict_fail_nomem(err);
			memset(grown + cpus->n / 64, 0, (n - cpus->n) / 8);
			cpus->bits = grown;
			cpus->n = n;
		}
		for (uint32_t cpu = from; cpu <= to; cpu++)
			cpus->bits[cpu / 64] |= UINT64_C(1) << (cpu % 64);
	}
	return *p || p == arg ? fail(err, o, "takes a list of CPUs as in 0-3,8", arg) : 0;
}

static int by_tid(const void *a, const void *b)
{
	const int32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static int add_tids(struct cmd_tids *tids, const struct cmd_option *o, const char *arg,
		    struct cdict_error *err)
{
	for (const char *p = arg;; p++) {
		uint64_t tid;

		if (!digits(&p, &tid) || tid > INT32_MAX || (*p && *p != ','))
			return fail(err, o, "takes a list of ids as in 17,23", arg);
		if (array_push(tids, (int32_t)tid))
			return cdict_fail_nomem(err);
		if (!*p)
			break;
	}
	qsort(tids->at, tids->n, sizeof(*tids->at), by_tid);
	return 0;
}

/* Stores @arg (NULL for flags) in the option's member. */
int cmd_option_set(void *opts, const struct cmd_option *o, const char *arg, struct cdict_error *err)
{
	void *value = (char *)opts + o->offset;

	switch (o->kind) {
	case CMD_OPT_FLAG:
		*(bool *)value = true;
		return 0;
	case CMD_OPT_COUNT:
		++*(int *)value;
		return 0;
	case CMD_OPT_STRING:
		if (!*arg)
			return fail(err, o, "takes a non-empty text", arg);
		*(const char **)value = arg;
		return 0;
	case CMD_OPT_MAYBE:
		*(const char **)value = arg ? arg : "";
		return 0;
	case CMD_OPT_UINT: {
		const char *p = arg;
		uint64_t v;

		if (!digits(&p, &v) || *p)
			return fail(err, o, "takes a whole number", arg);
		*(uint64_t *)value = v;
		return 0;
	}
	case CMD_OPT_NUMBER:
		return set_number(value, o, arg, err);
	case CMD_OPT_CHOICE:
		return set_choice(value, o, arg, err);
	case CMD_OPT_CHOOSE:
		return set_choice(value, o, o->name, err);
	case CMD_OPT_LIST:
		return add_list(value, o, arg, err);
	case CMD_OPT_ORDERED:
	case CMD_OPT_PAIR:
	case CMD_OPT_SCAN:
		return add_ordered(value, o, arg, err);
	case CMD_OPT_CPUS:
		return add_cpus(value, o, arg, err);
	case CMD_OPT_TIDS:
		return add_tids(value, o, arg, err);
	case CMD_OPT_END:
		break;
	}
	return 0;
}

static bool takes_argument(const struct cmd_option *o)
{
	return o->kind != CMD_OPT_FLAG && o->kind != CMD_OPT_COUNT && o->kind != CMD_OPT_MAYBE &&
	       o->kind != CMD_OPT_CHOOSE;
}

/* Like cmd_option_set(), for an argument and the next ones: -L b 1,2 is -L b=1,2, and -P b 1 9 is -L b=1..9. */
static int set_argument(void *opts, const struct cmd_option *o, const char *arg,
			const char *const *rest, size_t *used, struct cdict_error *err)
{
	bool scan = o->kind == CMD_OPT_SCAN;
	char *both;
	int rc;

	if ((!scan && o->kind != CMD_OPT_PAIR) || strchr(arg, '='))
		return cmd_option_set(opts, o, arg, err);
	if (scan && (!rest[0] || !rest[1] || !strcmp(rest[0], "--") || !strcmp(rest[1], "--")))
		return fail(err, o, "needs three arguments, as in b 1 9", arg);
	if (!*rest || !strcmp(*rest, "--"))
		return fail(err, o, "needs two arguments, or one as in b=1,2", arg);
	*used += scan ? 2 : 1;
	if (asprintf(&both, "%s=%s%s%s", arg, *rest, scan ? ".." : "", scan ? rest[1] : "") < 0)
		return cdict_fail_nomem(err);
	rc = cmd_option_set(opts, o, both, err);
	free(both);
	return rc;
}

/* Finds perf's option --@name of @len bytes, or -@letter. */
static const struct cmd_foreign *find_foreign(const struct cmd *cmd, const char *name, size_t len,
					      char letter)
{
	for (const struct cmd_foreign *f = cmd->foreign; f && (f->name || f->letter); f++) {
		if (letter ? f->letter == letter
			   : f->name && !strncmp(f->name, name, len) && !f->name[len])
			return f;
	}
	return NULL;
}

static int refuse(const struct cmd_foreign *f, struct cdict_error *err)
{
	char letter[2] = { f->letter, 0 };

	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "option -%s%s: %s",
			  f->name ? "-" : "", f->name ? f->name : letter, f->why);
}

/* Reports an unknown --@name, with suggestions. */
static int unknown_name(const struct cmd *cmd, const char *name, size_t len,
			struct cdict_error *err)
{
	struct suggest s;

	suggest_begin(&s, name, len);
	for (const struct cmd_option *o = cmd->options; o && o->kind; o++)
		suggest_try(&s, o->name);
	suggest_try(&s, "help");
	return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "unknown option '--%.*s'%s", (int)len,
			  name, suggest_text(&s, "--"));
}

static const struct cmd_option *find_letter(const struct cmd *cmd, char letter)
{
	for (const struct cmd_option *o = cmd->options; o && o->kind; o++) {
		if (o->letter && o->letter == letter)
			return o;
	}
	return NULL;
}

/* Finds @name of @len bytes, or an unambiguous prefix of a name. */
static int find_name(const struct cmd *cmd, const char *name, size_t len,
		     const struct cmd_option **out, bool *help, struct cdict_error *err)
{
	static const struct cmd_option help_option = { .kind = CMD_OPT_FLAG, .name = "help" };
	const struct cmd_option *found = NULL, *other = NULL;

	*help = false;
	for (const struct cmd_option *o = cmd->options; o && o->kind; o++) {
		if (strncmp(o->name, name, len))
			continue;
		if (!o->name[len]) {
			*out = o;
			return 0;
		}
		other = found;
		found = o;
		if (other)
			break;
	}
	if (len && !strncmp("help", name, len)) {
		*help = !found || len == 4;
		if (*help) {
			*out = &help_option;
			return 0;
		}
		other = &help_option;
	}
	if (!found)
		return unknown_name(cmd, name, len, err);
	if (other)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option '--%.*s' could be --%s or --%s", (int)len, name,
				  other->name, found->name);
	*out = found;
	return 0;
}

/* Parses "--name", "--name=value"; @rest are the following arguments, of which *@used are
 * consumed. */
static int parse_long(struct cmd_args *args, const struct cmd *cmd, const char *arg,
		      const char *const *rest, size_t *used, struct cdict_error *err)
{
	size_t len = strcspn(arg, "=");
	const char *value = arg[len] ? arg + len + 1 : NULL;
	const struct cmd_foreign *foreign = find_foreign(cmd, arg, len, 0);
	const struct cmd_option *o = NULL;
	int rc;

	if (!foreign && !strncmp(arg, "no-", 3) && find_foreign(cmd, arg + 3, len - 3, 0))
		return 0; /* negation of an option that has no effect */
	if (foreign && foreign->refused)
		return refuse(foreign, err);
	if (foreign) {
		*used = foreign->argument == CMD_FOREIGN_ONE && !value && *rest;
		return 0;
	}
	rc = find_name(cmd, arg, len, &o, &args->help, err);
	if (rc)
		return rc;
	if (args->help)
		return 0;
	if (!takes_argument(o) && value && o->kind != CMD_OPT_MAYBE)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
				  "option --%s takes no argument", o->name);
	if (takes_argument(o) && !value) {
		if (!*rest)
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "option --%s needs an argument (%s)", o->name, o->arg);
		value = *rest++;
		*used = 1;
	}
	return set_argument(args->opts, o, value, rest, used, err);
}

/* Parses "-abc", "-oFILE", "-o" followed by FILE. */
static int parse_letters(struct cmd_args *args, const struct cmd *cmd, const char *arg,
			 const char *const *rest, size_t *used, struct cdict_error *err)
{
	for (const char *p = arg; *p; p++) {
		const struct cmd_option *o = find_letter(cmd, *p);
		const struct cmd_foreign *foreign;
		const char *value = NULL;
		int rc;

		if (!o && *p == 'h') {
			args->help = true;
			return 0;
		}
		if (!o && (foreign = find_foreign(cmd, NULL, 0, *p))) {
			if (foreign->refused)
				return refuse(foreign, err);
			/* "-z3": digits after the letter are its value */
			if (foreign->argument == CMD_FOREIGN_MAYBE)
				p += strspn(p + 1, "0123456789");
			if (foreign->argument != CMD_FOREIGN_ONE)
				continue;
			*used = !p[1] && *rest;
			return 0;
		}
		if (!o)
			return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
					  "unknown option '-%c'", *p);
		if (takes_argument(o)) {
			value = p[1] ? p + 1 : *rest;
			*used = !p[1];
			if (!value)
				return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET,
						  "option -%c needs an argument (%s)", *p, o->arg);
		}
		rc = set_argument(args->opts, o, value, rest + *used, used, err);
		if (rc || value)
			return rc;
	}
	return 0;
}

static int count_operands(const struct cmd_args *args, const struct cmd *cmd,
			  struct cdict_error *err)
{
	if (args->n_operands < cmd->min_operands)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "needs %s", cmd->operands);
	if (args->n_operands > cmd->max_operands)
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "unexpected operand '%s'",
				  args->operands[cmd->max_operands]);
	return 0;
}

int cmd_parse(struct cmd_args *args, const struct cmd *cmd, const char *const *argv,
	      struct cdict_error *err)
{
	bool only_operands = false, dashes = false;
	size_t n = 0;

	while (argv[n])
		n++;
	*args = (struct cmd_args){ 0 };
	args->opts = calloc(1, cmd->opts_size ? cmd->opts_size : 1);
	args->operands = calloc(n + 1, sizeof(*args->operands));
	if (!args->opts || !args->operands)
		return cdict_fail_nomem(err);
	for (const struct cmd_option *o = cmd->options; o && o->kind; o++) {
		int rc = o->preset ? cmd_option_set(args->opts, o, o->preset, err) : 0;

		if (rc)
			return rc;
	}
	if (config_defaults(args, cmd, err))
		return err->code;
	for (size_t i = 0; i < n; i++) {
		const char *arg = argv[i], *const *rest = &argv[i + 1];
		size_t used = 0;
		int rc;

		if (only_operands || arg[0] != '-' || !arg[1]) {
			args->operands[args->n_operands++] = arg;
			only_operands |= cmd->operands_end_options;
			continue;
		}
		if (!strcmp(arg, "--")) {
			only_operands = dashes || !cmd->dashes_part_operands || !args->n_operands;
			if (!dashes)
				args->n_before = args->n_operands;
			dashes = true;
			continue;
		}
		if (arg[1] == '-')
			rc = parse_long(args, cmd, arg + 2, rest, &used, err);
		else
			rc = parse_letters(args, cmd, arg + 1, rest, &used, err);
		if (rc || args->help)
			return rc;
		i += used;
	}
	if (!dashes)
		args->n_before = args->n_operands;
	return count_operands(args, cmd, err);
}

void cmd_args_fini(struct cmd_args *args, const struct cmd *cmd)
{
	for (const struct cmd_option *o = cmd->options; args->opts && o && o->kind; o++) {
		void *value = (char *)args->opts + o->offset;

		if (o->kind == CMD_OPT_LIST || o->kind == CMD_OPT_ORDERED ||
		    o->kind == CMD_OPT_PAIR || o->kind == CMD_OPT_SCAN) {
			struct cmd_list *list = value;

			for (size_t i = 0; i < list->n; i++)
				free((void *)list->at[i]);
			array_fini(list); /* several options may share it */
		} else if (o->kind == CMD_OPT_CPUS) {
			free(((struct cmd_cpus *)value)->bits);
		} else if (o->kind == CMD_OPT_TIDS) {
			free(((struct cmd_tids *)value)->at);
		}
	}
	texts_fini(&args->texts);
	free(args->opts);
	free(args->operands);
	*args = (struct cmd_args){ 0 };
}
