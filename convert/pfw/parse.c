/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses the lines of an I/O trace. Every loop ends at the line's newline, so the end of the text
 * is never checked: a broken line ends there, and parsing continues at the next one.
 */
#include "convert/pfw/parse.h"

#include <string.h>

#include "convert/pfw/parse_internal.h"

/* The key of an argument of @kind: the index of its word @key among the keys, where a new one is added. */
static uint32_t key_at(struct line *l, struct pfw_kind *kind, size_t guess, uint32_t key,
		       const struct pfw_arg *a)
{
	size_t i;

	if (guess < kind->keys.n && kind->keys.at[guess].word == key)
		return (uint32_t)guess;
	for (i = 0; i < kind->keys.n; i++)
		if (kind->keys.at[i].word == key)
			return (uint32_t)i;
	if (i == PFW_KEYS_MAX)
		return PFW_KEYS_MAX + key;
	l->no_memory |=
		array_push(&kind->keys, (struct pfw_key){ key, pfw_role_of(l, key), a->form }) != 0;
	return (uint32_t)i;
}

/* Thread and process ids have 31 bits: larger ones (pthread_self()) are truncated. */
static int32_t task_number(int64_t v)
{
	return (int32_t)(v & INT32_MAX);
}

static void define(struct line *l, const struct reading *r)
{
	struct pfw_part *part = l->part;
	struct pfw_definition d = { .pid = task_number(r->pid), .tid = task_number(r->tid) };
	bool named = false, hashed = false;

	for (uint32_t i = 0; i < r->n_args; i++) {
		const struct pfw_arg *a = &part->args.at[r->first_arg + i];
		uint8_t role = pfw_role_of(l, a->key);

		if (role == PFW_NAME && a->form == PFW_TEXT) {
			d.name = a->text;
			d.len = a->len;
			named = true;
		} else if (role == PFW_VALUE && a->form == PFW_WORD) {
			d.hash = a->word;
			hashed = true;
		}
	}
	if (r->name_len == 2 && !memcmp(r->name, "FH", 2) && hashed)
		d.what = PFW_DEFINES_FILE;
	else if (r->name_len == 2 && !memcmp(r->name, "HH", 2) && hashed)
		d.what = PFW_DEFINES_HOST;
	else if (r->name_len == 11 && !memcmp(r->name, "thread_name", 11))
		d.what = PFW_DEFINES_THREAD;
	else if (r->name_len == 12 && !memcmp(r->name, "process_name", 12))
		d.what = PFW_DEFINES_PROCESS;
	else
		named = false;
	if (named)
		l->no_memory |= array_push(&part->definitions, d) != 0;
	else
		part->unused++;
	part->args.n = r->first_arg;
}

static bool event(struct line *l, const struct reading *r)
{
	struct pfw_part *part = l->part;
	uint64_t end_ns = r->ts_ns + r->dur_ns;
	struct pfw_event *e;
	struct pfw_kind *kind;
	uint32_t number;

	if (!r->name || !r->category)
		return false;
	if (r->phase == 'M') {
		define(l, r);
		return true;
	}
	if (!r->has_ts || end_ns > INT64_MAX)
		return false;
	number = r->has_kind ? r->kind : pfw_kind_of(l, r);
	if (l->no_memory || array_reserve(&part->events, part->events.n + 1)) {
		l->no_memory = true;
		return true;
	}
	e = &part->events.at[part->events.n++];
	e->end_ns = end_ns;
	e->dur_ns = r->dur_ns;
	e->pid = task_number(r->pid);
	e->tid = task_number(r->tid);
	e->kind = number;
	e->first_arg = r->first_arg;
	e->n_args = r->n_args;
	e->phase = r->phase;
	kind = &part->kinds.at[number];
	for (uint32_t i = 0; i < r->n_args; i++) {
		struct pfw_arg *a = &part->args.at[r->first_arg + i];

		a->key = key_at(l, kind, i, a->key, a) & 0xffffff;
	}
	return true;
}

/* A line's own keys. */
enum member { NAME, CATEGORY, TS, DUR, PID, TID, ARGS, PHASE, ID, OTHER };

/* As in the text, with quotes: each fits in eight bytes. */
static const struct {
	char text[9];
	uint8_t len;
} members[OTHER] = {
	[NAME] = { "\"name\"", 6 }, [CATEGORY] = { "\"cat\"", 5 }, [TS] = { "\"ts\"", 4 },
	[DUR] = { "\"dur\"", 5 },   [PID] = { "\"pid\"", 5 },      [TID] = { "\"tid\"", 5 },
	[ARGS] = { "\"args\"", 6 }, [PHASE] = { "\"ph\"", 4 },     [ID] = { "\"id\"", 4 },
};

static inline bool member_is(uint64_t text, unsigned m)
{
	uint64_t all = ~0ull >> (64 - 8 * members[m].len);

	return !((text ^ le64(members[m].text)) & all);
}

/* Which member begins at @p; first tries the one that followed @before in the previous line. */
static inline unsigned member_at(struct line *l, const char *p, unsigned before)
{
	uint64_t text = le64(p);
	unsigned m = l->follows[before];

	if (member_is(text, m))
		return m;
	for (m = 0; m < OTHER && !member_is(text, m); m++)
		;
	if (m < OTHER)
		l->follows[before] = (uint8_t)m;
	return m;
}

/* Parses the value of a member; returns the position after it, or NULL. */
static char *member(struct line *l, struct reading *r, unsigned m, char *p)
{
	const char *text;
	uint32_t n;

	switch (m) {
	case NAME:
		r->has_kind = false;
		return *p == '"' ? pfw_string(l, p + 1, &r->name, &r->name_len) : NULL;
	case CATEGORY:
		r->has_kind = false;
		return *p == '"' ? pfw_string(l, p + 1, &r->category, &r->category_len) : NULL;
	case TS:
		r->has_ts = true;
		return pfw_time(p, &r->ts_ns);
	case DUR:
		return pfw_time(p, &r->dur_ns);
	case PID:
		return pfw_id(p, &r->pid);
	case TID:
		return pfw_id(p, &r->tid);
	case ARGS:
		return *p == '{' ? pfw_args(l, r, p + 1) : NULL;
	case PHASE:
		p = *p == '"' ? pfw_string(l, p + 1, &text, &n) : NULL;
		r->phase = p && n == 1 ? *text : r->phase;
		return p;
	default: /* index of the line in its process */
		return pfw_skip(l, p);
	}
}

/* Parses an event's object, from after its bracket; returns the position after it, or NULL. */
static char *object(struct line *l, struct reading *r, char *p)
{
	unsigned before = OTHER;

	for (p = pfw_blank(p); p && *p != '}'; p = p ? pfw_next(p) : NULL) {
		unsigned m = member_at(l, p, before);

		before = m;
		if (m == OTHER) {
			p = pfw_other_member(l, r, p);
		} else {
			p = pfw_past(p + members[m].len, ':');
			p = p ? member(l, r, m, p) : NULL;
		}
	}
	return p ? p + 1 : NULL;
}

/* Parses a non-blank line; true when all of it was understood. */
static bool line(struct line *l, struct reading *r, char *p)
{
	/* In Chrome's form, the events are a member of an object. */
	static const char chrome[] = "{\"traceEvents\":";

	if (!memcmp(p, chrome, sizeof(chrome) - 1 < PFW_PADDING ? sizeof(chrome) - 1 : 0))
		p = pfw_blank(p + sizeof(chrome) - 1);
	if (*p == '[')
		p = pfw_blank(p + 1);
	while (*p == '{') {
		size_t args_before = l->part->args.n;

		r->name = r->category = NULL;
		r->pid = r->tid = 0;
		r->ts_ns = r->dur_ns = 0;
		r->has_ts = r->has_kind = false;
		r->phase = 'X';
		r->first_arg = (uint32_t)args_before;
		r->n_args = 0;
		p = object(l, r, p + 1);
		if (!p || !event(l, r)) {
			l->part->args.n = args_before;
			return false;
		}
		p = pfw_blank(p);
		if (*p == ',')
			p = pfw_blank(p + 1);
	}
	/* The members after the events in Chrome's object are not events. */
	return *p == '\n' || *p == ']';
}

int pfw_parse(struct pfw_part *part, char *text, size_t len)
{
	struct line l = { .part = part, .end = text + len };
	char *end = text + len, *next;
	struct reading r;

	for (char *p = text; p < end; p = next) {
		next = (char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		part->lines++;
		p = pfw_blank(p);
		if (*p == '\n')
			continue;
		l.holds = 0;
		if (!line(&l, &r, p)) {
			if (!part->broken++)
				part->first_broken = part->lines;
		}
		part->beyond += (l.holds & PFW_BEYOND) != 0;
		if (l.no_memory)
			return -ENOMEM;
	}
	return 0;
}

void pfw_part_clear(struct pfw_part *part)
{
	part->events.n = part->args.n = part->definitions.n = part->n_kinds = part->roles.n =
		part->kind_of_name.n = 0;
	part->lines = part->broken = part->first_broken = part->beyond = part->unused = 0;
	pfw_words_clear(&part->words);
	map_clear(&part->kind_of);
}

void pfw_part_fini(struct pfw_part *part)
{
	for (size_t i = 0; i < part->kinds.n; i++)
		array_fini(&part->kinds.at[i].keys);
	array_fini(&part->kinds);
	array_fini(&part->events);
	array_fini(&part->args);
	array_fini(&part->definitions);
	array_fini(&part->roles);
	array_fini(&part->kind_of_name);
	pfw_words_fini(&part->words);
	map_fini(&part->kind_of);
}
