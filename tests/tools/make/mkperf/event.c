// SPDX-License-Identifier: GPL-2.0-only
/* event.c - events: their formats, and the values of their fields. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tools/make/mkperf/mkperf.h"

/* ---- names in a print format ---- */

static bool expression(const char **pp, uint64_t *v);

static bool operand(const char **pp, uint64_t *v)
{
	const char *p = blanks(*pp);
	char *end;

	if (*p == '(' || *p == '-' || *p == '~') {
		char op = *p++;

		if (!(op == '(' ? expression(&p, v) : operand(&p, v)))
			return false;
		if (op == '(') {
			p = blanks(p);
			if (*p++ != ')')
				return false;
		} else {
			*v = op == '-' ? -*v : ~*v;
		}
		*pp = p;
		return true;
	}
	if (!isdigit((unsigned char)*p))
		return false;
	*v = strtoull(p, &end, 0);
	while (*end == 'U' || *end == 'L' || *end == 'u' || *end == 'l')
		end++;
	*pp = end;
	return true;
}

/* Integers with + - | & << >>, left to right: kernel macros bracket whatever else they mean. */
static bool expression(const char **pp, uint64_t *v)
{
	if (!operand(pp, v))
		return false;
	for (;;) {
		const char *p = blanks(*pp);
		uint64_t right;
		char op = *p;

		if (!op || !strchr("+-|&<>", op))
			return true;
		p += op == '<' || op == '>' ? 2 : 1;
		if (!operand(&p, &right))
			return true;
		*v = op == '+'   ? *v + right
		     : op == '-' ? *v - right
		     : op == '|' ? *v | right
		     : op == '&' ? *v & right
		     : op == '<' ? *v << right
				 : *v >> right;
		*pp = p;
	}
}

/* Where the print format uses REC->field as a whole word, from @p on. */
static const char *find_field_use(const char *p, const char *field)
{
	size_t n = strlen(field);

	while ((p = strstr(p, "REC->"))) {
		p += 5;
		if (!strncmp(p, field, n) && !isalnum((unsigned char)p[n]) && p[n] != '_')
			return p;
	}
	return NULL;
}

/* Value of @name among the { value, "name" } pairs of the tables applied to @field. */
static bool symbol(const struct event *e, const char *field, const char *name, size_t len,
		   uint64_t *v)
{
	static const char *const tables[] = { "__print_symbolic(", "__print_flags(" };
	const char *p, *use;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		for (p = e->print; (p = strstr(p, tables[i])); p++) {
			const char *pair = strchr(p, '{'), *q;

			use = find_field_use(p, field);
			if (!pair || !use || use > pair)
				continue;
			while (*pair == '{') {
				q = pair + 1;
				if (!expression(&q, v))
					break;
				q = blanks(q);
				if (*q != ',')
					break;
				q = blanks(q + 1);
				if (*q == '"' && !strncmp(q + 1, name, len) && q[1 + len] == '"')
					return true;
				q = strchr(q + 1, '}');
				if (!q)
					break;
				q = blanks(q + 1);
				if (*q != ',')
					break;
				pair = blanks(q + 1);
			}
		}
	}
	return false;
}

/* The bit that prints "+" after a task state: REC->prev_state & (BIT) ? "+" : "" */
static bool plus_bit(const struct event *e, const char *field, uint64_t *v)
{
	const char *p, *end = strstr(e->print, "\"+\"");

	if (!end)
		return false;
	for (p = e->print; (p = find_field_use(p, field)) && p < end;) {
		const char *q = blanks(p + strlen(field));

		if (*q++ == '&' && expression(&q, v) && blanks(q)[0] == '?' &&
		    blanks(blanks(q) + 1) == end)
			return true;
	}
	return false;
}

/* Number of a word in a field: a number, a name, or names joined by '|' with "+" after them. */
static uint64_t field_number(const struct event *e, const struct field *f, const char *word)
{
	uint64_t v = 0, bit;
	char *text;
	size_t n, from, to;

	if (to_number(word, &v))
		return v;
	text = word_text(word, &n);
	if (symbol(e, f->name, text, n, &v))
		return v;
	v = 0;
	if (n && text[n - 1] == '+') {
		if (!plus_bit(e, f->name, &v))
			die("%s: no '+' in the print format of %s", word, e->name);
		n--;
	}
	for (from = 0; from < n; from = to + 1) {
		for (to = from; to < n && text[to] != '|'; to++)
			;
		if (symbol(e, f->name, text + from, to - from, &bit))
			v |= bit;
		else if (to - from != 1 || text[from] != 'R')
			die("%s: %s.%s has no name '%.*s'", word, e->name, f->name,
			    (int)(to - from), text + from);
	}
	return v;
}

/* ---- events and their formats ---- */

char *read_file(const char *path)
{
	FILE *f = fopen(path, "r");
	struct buf b = { 0 };
	char part[4096];
	size_t n;

	if (!f)
		die("%s: %s", path, strerror(errno));
	while ((n = fread(part, 1, sizeof(part), f)) > 0)
		put_mem(&b, part, n);
	fclose(f);
	put_mem(&b, "", 1);
	return (char *)b.p;
}

static unsigned int type_size(const char *type)
{
	if (strstr(type, "char") || strstr(type, "u8") || strstr(type, "s8") ||
	    strstr(type, "bool"))
		return 1;
	if (strstr(type, "short") || strstr(type, "16"))
		return 2;
	if (strstr(type, "64") || strstr(type, "long long"))
		return 8;
	return strstr(type, "long") || strchr(type, '*') ? g.long_size : 4;
}

/* One line: field:TYPE NAME[N];	offset:O;	size:S;	signed:B; */
static void parse_field(struct event *e, const char *line)
{
	struct field *f = &e->fields[e->nfields++];
	char decl[256], *name, *bracket;
	int is_signed = 0;

	if (e->nfields > MAX_FIELDS ||
	    sscanf(line, " field:%255[^;]; offset:%u; size:%u; signed:%d;", decl, &f->off, &f->size,
		   &is_signed) < 3)
		die("%s: bad field: %.60s", e->name, line);
	f->is_signed = is_signed;
	f->is_rel = strstr(decl, "__rel_loc ") != NULL;
	f->is_loc = f->is_rel || strstr(decl, "__data_loc ");
	name = strrchr(decl, ' ');
	bracket = strchr(decl, '[');
	if (!name)
		die("%s: field without a name: %s", e->name, decl);
	f->is_array = bracket != NULL;
	if (bracket > name)
		*bracket = '\0';
	snprintf(f->name, sizeof(f->name), "%s", name + 1);
	*name = '\0';
	if (bracket && bracket < name)
		*bracket = '\0';
	f->elem = f->is_array ? type_size(decl) : f->size;
	f->is_text = f->is_array && f->elem == 1 && strstr(decl, "char");
	if (f->off + f->size > e->size)
		e->size = f->off + f->size;
}

static struct event *load_event(const char *sys, const char *name, const char *file)
{
	struct event *e = grow(NULL, 1, sizeof(*e));
	char path[1024], *line, *id;
	unsigned int i;

	if (g.nevents == MAX_EVENTS)
		die("more than %d events", MAX_EVENTS);
	memset(e, 0, sizeof(*e));
	snprintf(e->sys, sizeof(e->sys), "%s", sys);
	snprintf(e->name, sizeof(e->name), "%s", name);
	if (file)
		snprintf(path, sizeof(path), "%s/%s", g.formats, file);
	else
		snprintf(path, sizeof(path), "%s/%s.%s.format", g.formats, sys, name);
	e->text = read_file(path);
	id = strstr(e->text, "ID:");
	e->print = strstr(e->text, "print fmt:");
	if (!id || !e->print)
		die("%s: no ID or no print fmt", path);
	e->config = strtoull(id + 3, NULL, 10);
	for (line = e->text; line && line < e->print; line = strchr(line, '\n')) {
		line += strspn(line, "\n\t ");
		if (!strncmp(line, "field:", 6))
			parse_field(e, line);
	}
	e->sample_type = BIT(S_IDENTIFIER) | BIT(S_IP) | BIT(S_TID) | BIT(S_TIME) | BIT(S_CPU) |
			 BIT(S_PERIOD) | BIT(S_RAW);
	for (i = 0; i < g.nevents; i++)
		if (g.events[i]->config == e->config)
			die("%s and %s both have ID %llu", g.events[i]->name, name,
			    (unsigned long long)e->config);
	g.events[g.nevents++] = e;
	e->first_id = 100 + (uint64_t)g.nevents * g.ncpus;
	return e;
}

/* "sys:name" (a ':' after it is ignored), loaded when new. */
struct event *need_event(char *word, const char *file)
{
	char *name = strchr(word, ':');
	unsigned int i;

	if (!name)
		die("'%s' is not SYS:NAME", word);
	*name++ = '\0';
	name[strcspn(name, ":")] = '\0';
	for (i = 0; i < g.nevents; i++)
		if (!strcmp(g.events[i]->sys, word) && !strcmp(g.events[i]->name, name))
			return g.events[i];
	return load_event(word, name, file);
}

struct field *find_field(struct event *e, const char *name, size_t n)
{
	unsigned int i;

	for (i = 0; i < e->nfields; i++)
		if (strlen(e->fields[i].name) == n && !strncmp(e->fields[i].name, name, n))
			return &e->fields[i];
	die("%s has no field '%.*s'", e->name, (int)n, name);
}
struct event *event_at(unsigned int i)
{
	return i < g.nevents ? g.events[i] : &g.dummy;
}

uint64_t event_id(const struct event *e, int cpu)
{
	return e->first_id + (uint64_t)cpu;
}

/* ---- the values of a payload ---- */

static void set_value(const struct event *e, const struct field *f, unsigned char *to,
		      unsigned int size, const char *word)
{
	uint64_t v = field_number(e, f, word);
	unsigned int bits = size * 8;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		die("%s: a number in %u bytes", f->name, size);
	if (bits < 64 && v >> bits && (~v >> (bits - 1)))
		die("%s=%s does not fit into %u bytes", f->name, word, size);
	set_num(to, v, size);
}

/* The bytes of a text or {list} value. */
static void value_bytes(const struct event *e, const struct field *f, const char *word,
			struct buf *out)
{
	unsigned char num[8];
	const char *p;
	size_t n;

	if (*word != '{') {
		char *text = word_text(word, &n);

		put_mem(out, text, n);
		return;
	}
	for (p = word + 1; *p && *p != '}'; p += *p == ',') {
		char *one;

		p = blanks(p);
		n = strcspn(p, ",}");
		one = copy_text(p, n);
		one[strcspn(one, " ")] = '\0';
		if (*one) {
			set_value(e, f, num, f->elem, one);
			put_mem(out, num, f->elem);
		}
		p += n;
	}
}

void set_field(const struct event *e, const struct field *f, struct buf *raw, const char *word)
{
	struct buf bytes = { 0 };

	if (!f->is_array) {
		set_value(e, f, raw->p + f->off, f->size, word);
		return;
	}
	if (f->elem != 1 && *word != '{')
		die("%s=%s: an array wants {1,2,3}", f->name, word);
	value_bytes(e, f, word, &bytes);
	if (f->is_loc) {
		size_t base = f->is_rel ? f->off + 4u : 0;

		if (f->is_text && *word != '{')
			put_zero(&bytes, 1);
		set_num(raw->p + f->off, (bytes.n << 16) | (raw->n - base), 4);
		put_mem(raw, bytes.p, bytes.n);
	} else {
		if (bytes.n > f->size)
			die("%s=%s: %zu bytes, the field has %u", f->name, word, bytes.n, f->size);
		if (bytes.n)
			memcpy(raw->p + f->off, bytes.p, bytes.n);
	}
	free(bytes.p);
}

void fill_comms(struct event *e, struct buf *raw, const bool *given, char *const *words, int cpu)
{
	unsigned int i;

	for (i = 0; i < e->nfields; i++) {
		const struct field *f = &e->fields[i];
		size_t n = strlen(f->name);
		char pid_name[64], comm[32];
		struct task *t;
		unsigned int k;
		uint64_t pid;

		if (given[i] || f->preset || !f->is_text || n < 4 ||
		    strcmp(f->name + n - 4, "comm"))
			continue;
		snprintf(pid_name, sizeof(pid_name), "%.*spid", (int)(n - 4), f->name);
		for (k = 0; k < e->nfields && strcmp(e->fields[k].name, pid_name); k++)
			;
		if (k == e->nfields || !words[k] || !to_number(words[k], &pid))
			continue;
		t = find_task((uint32_t)pid);
		snprintf(comm, sizeof(comm), "\"%s\"", t ? t->comm : "");
		if (!pid)
			snprintf(comm, sizeof(comm), "\"swapper/%d\"", cpu);
		set_field(e, f, raw, comm);
	}
}
