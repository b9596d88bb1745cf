/* SPDX-License-Identifier: GPL-2.0-only */
/* Parses the arguments of an event: keys, values, and the columns of its kind. */
#include <string.h>

#include "base/text/json_text.h"
#include "convert/pfw/parse_internal.h"

#define DEPTH_MAX 64u
/* Limit of seconds that can also be converted to ns. */
#define SECONDS_MAX 999999999u

char *pfw_skip(struct line *l, char *p)
{
	unsigned depth = 0;

	for (;; p++) {
		switch (*p) {
		case '\n':
			return NULL;
		case '"':
			p = pfw_string_end(p + 1, &l->holds);
			if (!p)
				return NULL;
			break;
		case '{':
		case '[':
			if (++depth > DEPTH_MAX)
				return NULL;
			break;
		case '}':
		case ']':
			if (!depth)
				return p;
			depth--;
			break;
		case ',':
			if (!depth)
				return p;
			continue;
		default:
			l->holds |= *p & 0x80 ? PFW_BEYOND : 0;
			continue;
		}
		if (!depth)
			return p + 1;
	}
}

static uint8_t role_named(const char *key, uint32_t len)
{
	static const struct {
		const char *name;
		uint8_t role;
	} roles[] = {
		{ "fname", PFW_FNAME }, { "fhash", PFW_FHASH },
		{ "hhash", PFW_HHASH }, { "hostname", PFW_HOST },
		{ "host", PFW_HOST },   { "size", PFW_SIZE },
		{ "ret", PFW_RET },     { "size_sum", PFW_SIZE },
		{ "time", PFW_TIME },   { "image_size", PFW_IMAGE_SIZE },
		{ "name", PFW_NAME },   { "value", PFW_VALUE },
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (strlen(roles[i].name) == len && !memcmp(roles[i].name, key, len))
			return roles[i].role;
	return PFW_PLAIN;
}

static uint32_t word(struct line *l, const char *text, uint32_t len)
{
	uint32_t w = pfw_words_add(&l->part->words, text, len);

	l->no_memory |= w == PFW_NO_WORD;
	return w;
}

uint8_t pfw_role_of(struct line *l, uint32_t key)
{
	struct pfw_part *part = l->part;
	const struct pfw_word *w = &part->words.all.at[key];

	if (key >= part->roles.n && array_resize(&part->roles, part->words.all.n + 64)) {
		l->no_memory = true;
		return PFW_PLAIN;
	}
	if (!part->roles.at[key])
		part->roles.at[key] = (uint8_t)(1 + role_named(w->text, w->len));
	return (uint8_t)(part->roles.at[key] - 1);
}

/* Sets an argument from a string. */
static inline void text_value(struct line *l, struct pfw_arg *a, uint8_t role, const char *text,
			      uint32_t len)
{
	char *end;

	if (role == PFW_FHASH || role == PFW_HHASH || role == PFW_VALUE) {
		a->form = PFW_WORD;
		a->word = word(l, text, len);
		a->len = 0;
	} else if (role != PFW_FNAME && role != PFW_HOST && role != PFW_NAME &&
		   pfw_number((char *)(uintptr_t)text, &end, &a->number) && end == text + len) {
		a->form = PFW_NUMBER;
	} else {
		a->form = PFW_TEXT;
		a->text = text;
		a->len = len;
	}
}

static void other_value(struct line *l, struct pfw_arg *a, uint8_t role, char *p, const char *end)
{
	int64_t number;

	while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	a->text = p;
	a->len = (uint32_t)(end - p);
	/* Invalid JSON is stored as a string. */
	a->form = json_text_is_value(p, a->len) ? PFW_RAW : PFW_TEXT;
	if (a->form == PFW_TEXT || (!pfw_digit(*p) && *p != '-'))
		return;
	if (role == PFW_FHASH || role == PFW_HHASH || role == PFW_VALUE) {
		a->form = PFW_WORD;
		a->word = word(l, p, a->len);
		a->len = 1;
	} else if (role == PFW_TIME ? pfw_seconds(p, a->len, &number)
				    : pfw_whole(p, a->len, &number)) {
		a->form = PFW_NUMBER;
		a->number = number;
	}
}

/* Parses the value of the argument @key; returns the position after it, or NULL. */
static char *arg(struct line *l, struct reading *r, uint32_t key, uint8_t role, char *p)
{
	struct pfw_part *part = l->part;
	struct pfw_arg *a; /* filled in place: copying it would stall on the stores before */
	const char *text;
	uint32_t len;
	char *end;

	if (array_reserve(&part->args, part->args.n + 1)) {
		l->no_memory = true;
		return NULL;
	}
	a = &part->args.at[part->args.n];
	if (*p == '"') {
		end = pfw_string(l, p + 1, &text, &len);
		if (!end)
			return NULL;
		text_value(l, a, role, text, len);
	} else if (role != PFW_FHASH && role != PFW_HHASH && role != PFW_VALUE &&
		   pfw_number(p, &end, &a->number) && (*end == ',' || *end == '}') &&
		   (role != PFW_TIME || (uint64_t)a->number <= SECONDS_MAX)) {
		a->form = PFW_NUMBER;
		if (role == PFW_TIME)
			a->number *= 1000000000;
	} else {
		end = pfw_skip(l, p);
		if (!end || end == p)
			return NULL;
		if (end - p >= 4 && !memcmp(p, "null", 4))
			return end;
		other_value(l, a, role, p, end);
	}
	a->key = key & 0xffffff; /* a part has fewer words */
	r->n_args++;
	part->args.n++;
	return end;
}

/* Parses the key's string; sets *key to its word, or to @expected's if equal. Returns the position
 * after it. */
static inline char *key_of(struct line *l, char *p, const struct pfw_key *expected, uint32_t *key)
{
	const char *text;
	uint32_t len;

	if (expected) {
		const struct pfw_word *w = &l->part->words.all.at[expected->word];

		if (w->len < (size_t)(l->end - p) && p[w->len] == '"' &&
		    pfw_same(p, w->text, w->len)) {
			*key = expected->word;
			return p + w->len + 1;
		}
	}
	p = pfw_string(l, p, &text, &len);
	if (p)
		*key = word(l, text, len);
	return p;
}

static uint32_t add_kind(struct line *l, uint32_t category, uint32_t name)
{
	struct pfw_part *part = l->part;
	uint32_t *kind = map_add(&part->kind_of, category, name);

	if (!kind)
		goto fail;
	if (*kind == MAP_NEW) {
		if (part->n_kinds == part->kinds.n && !array_add(&part->kinds))
			goto fail;
		*kind = (uint32_t)part->n_kinds++;
		part->kinds.at[*kind].category = category;
		part->kinds.at[*kind].name = name;
		part->kinds.at[*kind].keys.n = 0;
	}
	if (name >= part->kind_of_name.n &&
	    array_resize(&part->kind_of_name, part->words.all.n + 64))
		goto fail;
	part->kind_of_name.at[name] = *kind + 1;
	return *kind;
fail:
	l->no_memory = true;
	return 0;
}

uint32_t pfw_kind_of(struct line *l, const struct reading *r)
{
	const struct pfw_part *part = l->part;
	uint32_t name = word(l, r->name, r->name_len), category;

	if (l->no_memory)
		return 0;
	if (name < part->kind_of_name.n && part->kind_of_name.at[name]) {
		uint32_t kind = part->kind_of_name.at[name] - 1;
		const struct pfw_word *w = &part->words.all.at[part->kinds.at[kind].category];

		if (w->len == r->category_len && pfw_same(w->text, r->category, w->len))
			return kind;
	}
	category = word(l, r->category, r->category_len);
	return l->no_memory ? 0 : add_kind(l, category, name);
}

char *pfw_args(struct line *l, struct reading *r, char *p)
{
	const struct pfw_kind *kind = NULL;
	const struct pfw_key *expected;
	uint32_t key = 0;
	uint8_t role;

	if (r->name && r->category && r->phase != 'M') {
		r->kind = pfw_kind_of(l, r);
		r->has_kind = !l->no_memory;
		kind = r->has_kind ? &l->part->kinds.at[r->kind] : NULL;
	}
	for (p = pfw_blank(p); p && *p != '}'; p = p ? pfw_next(p) : NULL) {
		if (*p != '"')
			return NULL;
		expected = kind && r->n_args < kind->keys.n ? &kind->keys.at[r->n_args] : NULL;
		p = key_of(l, p + 1, expected, &key);
		p = p && !l->no_memory ? pfw_past(p, ':') : NULL;
		if (!p)
			return NULL;
		role = expected && expected->word == key ? expected->role : pfw_role_of(l, key);
		p = arg(l, r, key, role, p);
	}
	return p ? p + 1 : NULL;
}

char *pfw_other_member(struct line *l, struct reading *r, char *p)
{
	uint32_t key;

	p = *p == '"' ? key_of(l, p + 1, NULL, &key) : NULL;
	p = p && !l->no_memory ? pfw_past(p, ':') : NULL;
	return p ? arg(l, r, key, pfw_role_of(l, key), p) : NULL;
}
