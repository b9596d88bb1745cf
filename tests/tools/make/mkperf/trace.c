// SPDX-License-Identifier: GPL-2.0-only
/* trace.c - the text of a trace: words, directives, one record a line. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/make/mkperf/mkperf.h"

/* In the order of perf_event_attr.sample_type's bits. */
static const char *const sample_words[] = {
	"ip",        "tid",        "time",   "addr",     "read",       "callchain",
	"id",        "cpu",        "period", "stream",   "raw",        "branch",
	"regs_user", "stack_user", "weight", "data_src", "identifier", "transaction",
	"regs_intr", "phys_addr",  "aux",    "cgroup",   "data_page",  "code_page",
};

const char *blanks(const char *p)
{
	while (*p == ' ' || *p == '\t')
		p++;
	return p;
}

char *take_word(const char **pp)
{
	const char *p = blanks(*pp), *start = p;
	bool quoted = false;
	int depth = 0;

	if (!*p || *p == '#')
		return NULL;
	for (; *p && (quoted || depth || (*p != ' ' && *p != '\t')); p++) {
		if (*p == '"')
			quoted = !quoted;
		else if (quoted && *p == '\\' && p[1])
			p++;
		else if (!quoted && (*p == '{' || *p == '}'))
			depth += *p == '{' ? 1 : -1;
	}
	if (quoted || depth)
		die("unclosed quote or brace");
	*pp = p;
	return copy_text(start, (size_t)(p - start));
}

char *need_word(const char **pp, const char *what)
{
	char *w = take_word(pp);

	if (!w)
		die("%s is missing", what);
	return w;
}

char *word_text(const char *w, size_t *n)
{
	char *out = copy_text(w, strlen(w)), *o = out;

	if (*w != '"') {
		*n = strlen(w);
		return out;
	}
	for (w++; *w && *w != '"'; w++) {
		if (*w != '\\') {
			*o++ = *w;
			continue;
		}
		w++;
		if (*w == 'n') {
			*o++ = '\n';
		} else if (*w == 't') {
			*o++ = '\t';
		} else if (*w == 'x' && isxdigit((unsigned char)w[1]) &&
			   isxdigit((unsigned char)w[2])) {
			char hex[3] = { w[1], w[2], '\0' };

			*o++ = (char)strtoul(hex, NULL, 16);
			w += 2;
		} else {
			*o++ = *w;
		}
	}
	if (*w != '"' || w[1])
		die("text after the closing quote");
	*o = '\0';
	*n = (size_t)(o - out);
	return out;
}

bool to_number(const char *s, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)*s) && !(*s == '-' && isdigit((unsigned char)s[1])))
		return false;
	errno = 0;
	*v = *s == '-' ? (uint64_t)strtoll(s, &end, 0) : strtoull(s, &end, 0);
	return !errno && !*end;
}

uint64_t need_number(const char *s, const char *what)
{
	uint64_t v;

	if (!to_number(s, &v))
		die("%s: '%s' is not a number", what, s);
	return v;
}

static uint64_t need_time(const char *s)
{
	uint64_t ns = 0, scale = 100000000;
	char *end;

	ns = strtoull(s, &end, 10) * 1000000000ull;
	if (end == s)
		die("'%s' is not a time", s);
	if (*end == '.')
		for (end++; isdigit((unsigned char)*end); end++, scale /= 10)
			ns += (uint64_t)(*end - '0') * scale;
	if (strcmp(end, ":"))
		die("'%s' is not a time with a ':' after it", s);
	return ns;
}

/* The slot of the tid, or the free one for it. At most half of them are used. */
static size_t *task_slot(uint32_t tid)
{
	size_t i = tid * 2654435761u & (g.nslots - 1);

	while (g.slots[i] && g.tasks[g.slots[i] - 1].tid != tid)
		i = (i + 1) & (g.nslots - 1);
	return &g.slots[i];
}

struct task *find_task(uint32_t tid)
{
	size_t at = g.nslots ? *task_slot(tid) : 0;

	return at ? &g.tasks[at - 1] : NULL;
}

static struct task *add_task(uint32_t tid)
{
	size_t i;

	g.tasks = grow(g.tasks, g.ntasks + 1, sizeof(*g.tasks));
	g.tasks[g.ntasks++].tid = tid;
	if (2 * g.ntasks > g.nslots) {
		g.nslots = g.nslots ? 2 * g.nslots : 64;
		g.slots = grow(g.slots, g.nslots, sizeof(*g.slots));
		memset(g.slots, 0, g.nslots * sizeof(*g.slots));
		for (i = 0; i + 1 < g.ntasks; i++)
			*task_slot(g.tasks[i].tid) = i + 1;
	}
	*task_slot(tid) = g.ntasks;
	return &g.tasks[g.ntasks - 1];
}

void set_task(uint32_t pid, uint32_t tid, const char *comm)
{
	struct task *t = find_task(tid);

	if (!t)
		t = add_task(tid);
	t->pid = pid;
	snprintf(t->comm, sizeof(t->comm), "%.15s", comm);
}

void parse_ids(const char *s, uint32_t *pid, uint32_t *tid)
{
	char *end;

	*pid = *tid = (uint32_t)strtol(s, &end, 0);
	if (*end == '/') {
		s = end + 1;
		*tid = (uint32_t)strtol(s, &end, 0);
	} else if (find_task(*tid)) {
		*pid = find_task(*tid)->pid;
	}
	if (end == s || *end)
		die("'%s' is not PID/TID", s);
}

/* ---- lines ---- */

void parse_list(struct list *l, const char *p)
{
	for (l->n = 0; l->n < MAX_LIST && (l->s[l->n] = take_word(&p)); l->n++)
		;
}

static void parse_sample_type(const char *p)
{
	char *which = need_word(&p, "the event"), *w;
	struct event *e = NULL;
	unsigned int i, bit;

	if (strcmp(which, "*") && strcmp(which, "dummy"))
		e = need_event(which, NULL);
	while ((w = take_word(&p))) {
		const char *name = *w == '+' || *w == '-' ? w + 1 : w;

		for (bit = 0; bit < S_COUNT && strcmp(name, sample_words[bit]); bit++)
			;
		if (bit == S_COUNT)
			die("'%s' is not a part of a sample", w);
		for (i = 0; i <= g.nevents; i++) {
			struct event *one = i < g.nevents ? g.events[i] : &g.dummy;

			if (e ? one != e : *which == 'd' && one != &g.dummy)
				continue;
			one->sample_type |= BIT(bit);
			if (*w == '-')
				one->sample_type &= ~BIT(bit);
		}
	}
}

static bool parse_directive(const char *word, const char *p)
{
	const struct {
		const char *name;
		char *to;
		size_t size;
	} texts[] = {
		{ "host", g.host, sizeof(g.host) },
		{ "arch", g.arch, sizeof(g.arch) },
		{ "osrelease", g.osrelease, sizeof(g.osrelease) },
		{ "version", g.version, sizeof(g.version) },
		{ "cpudesc", g.cpudesc, sizeof(g.cpudesc) },
		{ "cpuid", g.cpuid, sizeof(g.cpuid) },
	};
	struct event *e;
	unsigned int i;
	char *w;

	if (g.nitems && islower((unsigned char)*word) && strcmp(word, "proc"))
		die("directive '%s' after the first record", word);
	for (i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (strcmp(word, texts[i].name))
			continue;
		snprintf(texts[i].to, texts[i].size, "%s", blanks(p));
		return true;
	}
	if (!strcmp(word, "cpus")) {
		g.ncpus = (unsigned int)need_number(need_word(&p, "N"), word);
		if (g.nevents || !g.ncpus || g.ncpus > MAX_CPUS)
			die("cpus: before any event, 1 to %d", MAX_CPUS);
	} else if (!strcmp(word, "cmdline")) {
		parse_list(&g.cmdline, p);
	} else if (!strcmp(word, "numa")) {
		parse_list(&g.numa, p);
	} else if (!strcmp(word, "sockets")) {
		parse_list(&g.sockets, p);
	} else if (!strcmp(word, "siblings")) {
		parse_list(&g.siblings, p);
	} else if (!strcmp(word, "clock")) {
		g.clockid = need_number(need_word(&p, "CLOCKID"), word);
		g.wall_ns = need_number(need_word(&p, "WALL_NS"), word);
		g.clock_ns = need_number(need_word(&p, "CLOCK_NS"), word);
		g.have_clock = true;
	} else if (!strcmp(word, "event")) {
		need_event(need_word(&p, "SYS:NAME"), NULL);
	} else if (!strcmp(word, "format")) {
		w = need_word(&p, "SYS:NAME");
		need_event(w, need_word(&p, "FILE"));
	} else if (!strcmp(word, "sample")) {
		parse_sample_type(p);
	} else if (!strcmp(word, "default")) {
		e = need_event(need_word(&p, "SYS:NAME"), NULL);
		while ((w = take_word(&p))) {
			char *value = strchr(w, '=');

			if (!value)
				die("'%s' is not FIELD=VALUE", w);
			find_field(e, w, (size_t)(value - w))->preset = value + 1;
		}
	} else if (!strcmp(word, "long-size")) {
		g.long_size = (unsigned int)need_number(need_word(&p, "4 or 8"), word);
	} else if (!strcmp(word, "order")) {
		w = need_word(&p, "cpu or text");
		g.by_text = !strcmp(w, "text");
		if (!g.by_text && strcmp(w, "cpu"))
			die("order '%s'", w);
	} else if (!strcmp(word, "proc")) {
		parse_proc(p);
	} else if (!strcmp(word, "ROUND")) {
		g.round++;
	} else {
		return false;
	}
	return true;
}

static void parse_line(const char *p)
{
	struct at at = { .cpu = -1 };
	struct item item = { .round = g.round };
	char *w = take_word(&p);
	uint64_t cpu;

	if (!w || parse_directive(w, p))
		return;
	if (*w != '[') {
		parse_ids(w, &at.pid, &at.tid);
		w = need_word(&p, "[CPU]");
	}
	if (*w != '[' || w[strlen(w) - 1] != ']')
		die("'%s' is not [CPU]", w);
	w[strlen(w) - 1] = '\0';
	cpu = strtoull(w + 1, NULL, 10); /* [002] is two, never octal */
	if (cpu >= g.ncpus)
		die("[%s]: there are %u CPUs", w + 1, g.ncpus);
	at.cpu = (int)cpu;
	at.t_ns = need_time(need_word(&p, "the time"));
	w = need_word(&p, "an event or a record");
	if (strchr(w, ':'))
		parse_sample(need_event(w, NULL), &at, p, &item.bytes);
	else
		parse_record(w, &at, p, &item.bytes);
	item.cpu = at.cpu;
	item.seq = (unsigned int)g.nitems;
	if (!(g.nitems & (g.nitems + 1)))
		g.items = grow(g.items, (g.nitems + 1) * 2, sizeof(item));
	g.items[g.nitems++] = item;
}

void parse_trace(const char *path)
{
	char *text = read_file(path), *line = text, *end;

	g.file = path;
	g.dummy.first_id = 100; /* the others follow */
	while (*line) {
		end = strchr(line, '\n');
		if (end)
			*end = '\0';
		g.line++;
		parse_line(line);
		if (!end)
			break;
		line = end + 1;
	}
	g.line = 0;
	free(text);
}
