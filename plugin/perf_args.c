/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses perf script's own command line, which perf does not pass to filters: for the input's
 * name, and for options that make perf leave events out. An option not known to be harmless
 * counts as one that leaves events out: that costs only time.
 */
#include "plugin/args.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/system/procfs.h"

#define CMDLINE_MAX (4u << 20)

enum kind { FLAG, VALUE, INPUT, GUEST, SYMBOLS };

static const struct option {
	const char *name;
	char letter;
	enum kind kind;
} harmless[] = {
	{ "input", 'i', INPUT },
	{ "dlfilter", 0, VALUE },
	{ "dlarg", 0, VALUE },
	{ "guest-code", 0, GUEST },
	{ "force", 'f', FLAG },
	{ "verbose", 'v', FLAG },
	{ "quiet", 'q', FLAG },
	{ "fields", 'F', VALUE },
	{ "ns", 0, FLAG },
	{ "Latency", 'L', FLAG },
	{ "header", 0, FLAG },
	{ "show-info", 'I', FLAG },
	{ "hide-call-graph", 'G', FLAG },
	{ "max-stack", 0, VALUE },
	{ "vmlinux", 'k', SYMBOLS },
	{ "kallsyms", 0, SYMBOLS },
	{ "symfs", 0, SYMBOLS },
	{ "demangle", 0, FLAG },
	{ "demangle-kernel", 0, FLAG },
	{ "inline", 0, FLAG },
	{ "full-source-path", 0, FLAG },
	{ "reltime", 0, FLAG },
	{ "deltatime", 0, FLAG },
	{ "show-kernel-path", 0, FLAG },
	{ "show-task-events", 0, FLAG },
	{ "show-mmap-events", 0, FLAG },
	{ "show-switch-events", 0, FLAG },
	{ "show-lost-events", 0, FLAG },
	{ "show-round-events", 0, FLAG },
};

#define N_HARMLESS (sizeof(harmless) / sizeof(harmless[0]))

static const struct option *by_letter(char letter)
{
	for (size_t i = 0; i < N_HARMLESS; i++)
		if (harmless[i].letter && harmless[i].letter == letter)
			return &harmless[i];
	return NULL;
}

static const struct option *by_name(const char *name, size_t len)
{
	for (size_t i = 0; i < N_HARMLESS; i++)
		if (strlen(harmless[i].name) == len && !strncmp(harmless[i].name, name, len))
			return &harmless[i];
	/* perf accepts abbreviations: no other option starts like this. */
	if (len >= 3 && len < 5 && !strncmp("input", name, len))
		return &harmless[0];
	return NULL;
}

struct words {
	const char *const *argv;
	size_t n, i;
};

static bool has_value(const struct option *o)
{
	return o->kind == VALUE || o->kind == INPUT || o->kind == SYMBOLS;
}

static const char *next_word(struct words *w)
{
	return w->i < w->n ? w->argv[w->i++] : NULL;
}

static int apply_option(struct perf_args *p, const struct option *o, const char *value,
			struct cdict_error *err)
{
	if (o->kind == GUEST)
		p->guest_code = true;
	if (o->kind == SYMBOLS)
		p->symbols = true;
	if (o->kind != INPUT || !value)
		return 0;
	free(p->input);
	p->input = strdup(value);
	return p->input ? 0 : cdict_fail_nomem(err);
}

static int long_option(struct perf_args *p, const char *name, struct words *w,
		       struct cdict_error *err)
{
	size_t len = strcspn(name, "=");
	const char *value = name[len] ? name + len + 1 : NULL;
	const struct option *o;

	if (!strncmp(name, "no-", 3)) {
		name += 3;
		len -= 3;
	}
	o = by_name(name, len);
	if (!strncmp(name, "guest", 5))
		p->guest_code = true;
	if (!o) {
		p->filtered = true;
		return 0;
	}
	if (!value && has_value(o))
		value = next_word(w);
	return apply_option(p, o, value, err);
}

/* "-fi FILE", "-iFILE" */
static int letters(struct perf_args *p, const char *at, struct words *w, struct cdict_error *err)
{
	for (; *at; at++) {
		const struct option *o = by_letter(*at);

		if (!o) {
			p->filtered = true;
			return 0;
		}
		if (has_value(o))
			return apply_option(p, o, at[1] ? at + 1 : next_word(w), err);
	}
	return 0;
}

static int parse_words(struct perf_args *p, struct words *w, struct cdict_error *err)
{
	const char *arg;
	int ret = 0;

	while ((arg = next_word(w)) && strcmp(arg, "script"))
		;
	while (!ret && (arg = next_word(w))) {
		if (!strncmp(arg, "--", 2) && arg[2])
			ret = long_option(p, arg + 2, w, err);
		else if (arg[0] == '-' && arg[1] && arg[1] != '-')
			ret = letters(p, arg + 1, w, err);
		else
			p->filtered = true; /* a script's name */
	}
	return ret;
}

int perf_args_parse(struct perf_args *p, const char *cmdline, size_t size, struct cdict_error *err)
{
	const char **argv;
	struct words w = { 0 };
	int ret;

	*p = (struct perf_args){ 0 };
	/* Every word ends in a NUL; drop a truncated one. */
	while (size && cmdline[size - 1])
		size--;
	for (size_t i = 0; i < size; i++)
		w.n += !cmdline[i];
	argv = calloc(w.n + 1, sizeof(*argv));
	if (!argv)
		return cdict_fail_nomem(err);
	for (size_t i = 0, at = 0; i < w.n; i++, at += strlen(cmdline + at) + 1)
		argv[i] = cmdline + at;
	w.argv = argv;
	ret = parse_words(p, &w, err);
	free(argv);
	return ret;
}

int perf_args_read(struct perf_args *p, struct cdict_error *err)
{
	struct buf b = { 0 };
	int ret = procfs_read(AT_FDCWD, "/proc/self/cmdline", &b, CMDLINE_MAX);

	*p = (struct perf_args){ 0 };
	errno = -ret;
	ret = ret ? cdict_fail_errno(err, "/proc/self/cmdline")
		  : perf_args_parse(p, (const char *)b.data, b.len, err);
	buf_fini(&b);
	return ret;
}

void perf_args_fini(struct perf_args *p)
{
	free(p->input);
	*p = (struct perf_args){ 0 };
}
