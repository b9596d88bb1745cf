// SPDX-License-Identifier: LGPL-2.1-only
/* scope.c - see scope.h. The options are those of perf 6.1's builtin-record.c, plus those new in 6.12. */
#include "base/text/scope.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/cpulist.h"

/* Meaning of an option. */
enum {
	NOTHING,
	ALL_CPUS,
	CPUS,
	TASKS,
	EVENT,
	FILTER,
	OVERWRITE,
	NO_INHERIT,
	LATE,
};

struct option {
	char letter;
	bool takes; /* a value, in the next word unless in this one */
	unsigned char says;
	const char *name;
};

/* perf accepts unambiguous abbreviations only; here the first match counts. */
static const struct option options[] = {
	{ 'a', false, ALL_CPUS, "all-cpus" },
	{ 'C', true, CPUS, "cpu" },
	{ 'p', true, TASKS, "pid" },
	{ 't', true, TASKS, "tid" },
	{ 'u', true, TASKS, "uid" },
	{ 'G', true, TASKS, "cgroup" },
	{ 0, false, TASKS, "per-thread" },
	{ 'e', true, EVENT, "event" },
	{ 0, true, FILTER, "filter" },
	{ 0, false, OVERWRITE, "overwrite" },
	{ 'i', false, NO_INHERIT, "no-inherit" },
	{ 'D', true, LATE, "delay" },
	{ 'r', true, NOTHING, "realtime" },
	{ 'c', true, NOTHING, "count" },
	{ 'o', true, NOTHING, "output" },
	{ 'F', true, NOTHING, "freq" },
	{ 'm', true, NOTHING, "mmap-pages" },
	{ 'j', true, NOTHING, "branch-filter" },
	{ 'k', true, NOTHING, "clockid" },
	{ 0, true, NOTHING, "mmap-flush" },
	{ 0, true, NOTHING, "call-graph" },
	{ 0, true, NOTHING, "proc-map-timeout" },
	{ 0, true, NOTHING, "switch-output-event" },
	{ 0, true, NOTHING, "switch-max-files" },
	{ 0, true, NOTHING, "clang-path" },
	{ 0, true, NOTHING, "clang-opt" },
	{ 0, true, NOTHING, "vmlinux" },
	{ 0, true, NOTHING, "affinity" },
	{ 0, true, NOTHING, "max-size" },
	{ 0, true, NOTHING, "num-thread-synthesize" },
	{ 0, true, NOTHING, "control" },
	{ 0, true, NOTHING, "synth" },
	{ 0, true, NOTHING, "off-cpu-thresh" },
	{ 0, true, NOTHING, "setup-filter" },
	/* Optional values of these are in the same word. */
	{ 'I', false, NOTHING, "intr-regs" },
	{ 'S', false, NOTHING, "snapshot" },
	{ 'z', false, NOTHING, "compression-level" },
};
enum { OPTIONS = sizeof(options) / sizeof(options[0]) };

struct parse {
	struct scope *s;
	bool all, cpus, tasks, events; /* events: the last -e includes sched_switch */
	unsigned long online;
};

static const struct option *find_long(const char *name, size_t len)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (strlen(options[i].name) == len && !strncmp(options[i].name, name, len))
			return &options[i];
	for (size_t i = 0; i < OPTIONS && len > 1; i++)
		if (!strncmp(options[i].name, name, len))
			return &options[i];
	return NULL;
}

static const struct option *find_letter(char letter)
{
	for (size_t i = 0; i < OPTIONS; i++)
		if (options[i].letter == letter)
			return &options[i];
	return NULL;
}

/* Number of CPUs in "0,2-3"; 0: not a list. */
static unsigned long count_cpus(const char *list)
{
	unsigned long n = 0;
	uint32_t from, to;

	while (cpulist_next(&list, &from, &to))
		n += to - from + 1;
	return *list ? 0 : n;
}

/* Whether an event description in "{kvm:*,sched:sched_switch}" matches sched_switch. */
static bool names_switch(const char *list)
{
	char name[64];

	while (*list) {
		size_t len = strcspn(list, ",{}/"), n = len < sizeof(name) - 1 ? len : 0;

		memcpy(name, list, n);
		name[n] = '\0';
		if (n && !fnmatch(name, "sched:sched_switch", 0))
			return true;
		list += len + (list[len] != '\0');
	}
	return false;
}

static void apply_option(struct parse *p, const struct option *o, const char *value)
{
	switch (o->says) {
	case ALL_CPUS:
		p->all = true;
		break;
	case CPUS:
		p->cpus = !p->online || count_cpus(value) != p->online;
		p->all = true;
		break;
	case TASKS:
		p->tasks = true;
		break;
	case EVENT:
		p->events = names_switch(value);
		break;
	case FILTER:
		p->s->filtered |= p->events;
		break;
	case OVERWRITE:
		p->s->overwritten = true;
		break;
	case NO_INHERIT:
		p->s->no_inherit = true;
		break;
	case LATE:
		p->s->late = strcmp(value, "0") != 0;
		break;
	default:
		break;
	}
}

/* Parses the option(s) of one word; returns whether the next word is the value of the last. */
static bool parse_word(struct parse *p, const char *word, const char *next)
{
	const struct option *o;

	if (word[1] == '-') {
		size_t len = strcspn(word + 2, "=");

		o = find_long(word + 2, len);
		if (!o)
			return false;
		if (word[2 + len])
			apply_option(p, o, word + 2 + len + 1);
		else
			apply_option(p, o, o->takes ? next : "");
		return o->takes && !word[2 + len];
	}
	for (const char *c = word + 1; *c; c++) {
		o = find_letter(*c);
		if (o && o->takes) {
			apply_option(p, o, c[1] ? c + 1 : next);
			return !c[1];
		}
		if (o)
			apply_option(p, o, "");
		if (o && (*c == 'I' || *c == 'S' || *c == 'z'))
			break;
	}
	return false;
}

/* Returns false when it is not a command line of perf record. */
static bool parse_words(struct parse *p, const char *const *words, size_t n, bool joined)
{
	size_t i = 0;
	bool command = false;

	while (i < n && strcmp(words[i], "record"))
		i++;
	if (i == n)
		return false;
	/* perf sched record and perf kwork record prepend -a. */
	p->all = i && (!strcmp(words[i - 1], "sched") || !strcmp(words[i - 1], "kwork"));
	for (i++; i < n && !command; i++) {
		const char *word = words[i];
		bool filter = joined && !strncmp(word, "--filter", 8);

		if (!strcmp(word, "--")) {
			command = i + 1 < n;
			break;
		}
		if (word[0] != '-' || !word[1])
			command = true;
		else
			i += parse_word(p, word, i + 1 < n ? words[i + 1] : "");
		/* The joined command line does not show where a filter's blanks were: skip its words. */
		while (filter && i + 1 < n && words[i + 1][0] != '-')
			i++;
	}
	/* Without a target perf records the system; with tasks it ignores CPUs. */
	if (p->tasks || (!p->all && command))
		p->s->kind = SCOPE_TASKS;
	else if (p->cpus)
		p->s->kind = SCOPE_CPUS;
	return true;
}

void scope_of_words(struct scope *s, const char *const *words, size_t n, unsigned long online)
{
	struct parse p = { .s = s, .online = online };

	*s = (struct scope){ 0 };
	parse_words(&p, words, n, false);
}

/* Longer command lines have a list of events or a command at the end. */
enum { WORDS_MAX = 512, LINE_MAX_BYTES = 16384 };

static void parse_line(struct scope *s, const char *line, bool by_cpus)
{
	struct parse p = { .s = s };
	char text[LINE_MAX_BYTES];
	const char *words[WORDS_MAX];
	size_t n = 0, len = strlen(line);

	if (len >= sizeof(text))
		len = sizeof(text) - 1;
	memcpy(text, line, len);
	text[len] = '\0';
	for (char *at = text; n < WORDS_MAX; at++) {
		at += strspn(at, " ");
		if (!*at)
			break;
		words[n++] = at;
		at += strcspn(at, " ");
		if (!*at)
			break;
		*at = '\0';
	}
	parse_words(&p, words, n, true);
	/* cdict record has -C too; its command, -t and -s mean something else. */
	if (by_cpus)
		*s = (struct scope){ .kind = p.cpus ? SCOPE_CPUS : SCOPE_SYSTEM };
}

static const struct {
	const char *word;
	size_t at;
} flags[] = {
	{ "overwrite", offsetof(struct scope, overwritten) },
	{ "switch-filter", offsetof(struct scope, filtered) },
	{ "no-inherit", offsetof(struct scope, no_inherit) },
	{ "late", offsetof(struct scope, late) },
	{ "foreign-pids", offsetof(struct scope, foreign) },
};
enum { FLAGS = sizeof(flags) / sizeof(flags[0]) };
static const char begins[] = "begins=";

static bool *flag_of(const struct scope *s, size_t i)
{
	return (bool *)((char *)s + flags[i].at);
}

const char *scope_kind_name(enum scope_kind kind)
{
	static const char *const names[] = { "system", "cpus", "tasks" };

	return names[kind];
}

const char *scope_text(char room[SCOPE_TEXT_MAX], const struct scope *s)
{
	int n = snprintf(room, SCOPE_TEXT_MAX, "%s", scope_kind_name(s->kind));

	for (size_t i = 0; i < FLAGS; i++)
		if (*flag_of(s, i))
			n += snprintf(room + n, SCOPE_TEXT_MAX - (size_t)n, " %s", flags[i].word);
	if (s->begins_ns)
		snprintf(room + n, SCOPE_TEXT_MAX - (size_t)n, " %s%" PRIu64, begins, s->begins_ns);
	return room;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && !strncmp(text, word, len);
}

void scope_read(struct scope *s, const char *text, const char *cmdline, bool by_cpus)
{
	*s = (struct scope){ 0 };
	if (!text && cmdline)
		parse_line(s, cmdline, by_cpus);
	while (text && *text) {
		size_t len = strcspn(text, " ");

		for (unsigned w = SCOPE_SYSTEM; w <= SCOPE_TASKS; w++)
			if (is_word(text, len, scope_kind_name((enum scope_kind)w)))
				s->kind = (enum scope_kind)w;
		for (size_t i = 0; i < FLAGS; i++)
			if (is_word(text, len, flags[i].word))
				*flag_of(s, i) = true;
		if (!strncmp(text, begins, sizeof(begins) - 1))
			s->begins_ns = strtoull(text + sizeof(begins) - 1, NULL, 10);
		text += len + (text[len] == ' ');
	}
}
