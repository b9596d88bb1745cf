/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The lines of an I/O trace. Every loop ends at the line's newline, so that nothing looks for the
 * text's end: a line that is broken is left there, and the next one begins.
 */
#include "exchange/pfw_parse.h"

#include <string.h>

#include "base/cursor.h"
#include "exchange/pfw_values.h"

#define DEPTH_MAX 64u

struct line {
	struct pfw_part *part;
	const struct pfw_parse_options *opts;
	const char *end;     /* of the text */
	uint8_t follows[10]; /* by member: which came behind it, the last first */
	bool beyond;         /* a byte beyond ASCII was met */
	bool no_memory;
};

/* One event while its object is read. */
struct reading {
	const char *name, *category;
	uint32_t name_len, category_len;
	int64_t pid, tid;
	uint64_t ts_ns, dur_ns;
	bool has_ts, has_kind;
	char phase;
	uint32_t kind; /* when the names came before the arguments */
	uint32_t first_arg, n_args;
	uint32_t words[PFW_ARGS_MAX]; /* the arguments' keys */
};

#define EVERY(byte) (0x0101010101010101ull * (byte))

/* The high bit of the first byte of @v that is 0; later ones may be wrong. */
static inline uint64_t zero_byte(uint64_t v)
{
	return (v - EVERY(1)) & ~v & EVERY(0x80);
}

/* From within a string to its closing quote; NULL: the line ends first. */
static inline char *string_end(struct line *l, char *p, bool *escaped)
{
	uint64_t wide = 0, v, hit;
	unsigned at;

	for (;;) {
		v = le64(p);
		hit = zero_byte(v ^ EVERY('"')) | zero_byte(v ^ EVERY('\\')) |
		      zero_byte(v ^ EVERY('\n'));
		if (!hit) {
			wide |= v;
			p += 8;
			continue;
		}
		at = (unsigned)__builtin_ctzll(hit) / 8;
		wide |= v & ((1ull << 8 * at) - 1);
		p += at;
		if (*p != '\\')
			break;
		*escaped = true;
		if (p[1] == '\n') {
			p++;
			break;
		}
		p += 2;
	}
	if (wide & EVERY(0x80))
		l->beyond = true;
	return *p == '"' ? p : NULL;
}

static inline char *blank(char *p)
{
	while (*p == ' ' || *p == '\t' || *p == '\r')
		p++;
	return p;
}

/* A string, from behind its opening quote: its content. What follows it, or NULL. */
static inline char *string(struct line *l, char *p, const char **text, uint32_t *len)
{
	bool escaped = false;
	char *end = string_end(l, p, &escaped);

	if (!end)
		return NULL;
	*text = p;
	*len = escaped ? pfw_unescape(p, end) : (uint32_t)(end - p);
	return end + 1;
}

/* ---- numbers ---- */

/* A time of the text, a number or one in quotes, times @scale (1000: of µs to ns). */
static char *scaled(char *p, unsigned scale, uint64_t *out)
{
	bool quoted = *p == '"';
	uint64_t v = 0;
	char *begin;

	p += quoted;
	for (begin = p; pfw_digit(*p) && p - begin < (int)PFW_DIGITS_MAX; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	if (p == begin || pfw_digit(*p) || v > INT64_MAX / scale)
		return NULL;
	v *= scale;
	if (*p == '.') {
		unsigned part = scale;

		for (p++; pfw_digit(*p); p++) {
			part /= 10;
			v += part * (uint64_t)(*p - '0');
		}
	}
	if (quoted && *p++ != '"')
		return NULL;
	*out = v;
	return p;
}

static char *id(char *p, int64_t *out)
{
	bool quoted = *p == '"', minus;
	uint64_t v = 0;
	char *begin;

	p += quoted;
	minus = *p == '-';
	p += minus;
	for (begin = p; pfw_digit(*p) && p - begin < (int)PFW_DIGITS_MAX; p++)
		v = v * 10 + (uint64_t)(*p - '0');
	if (p == begin || pfw_digit(*p) || (quoted && *p++ != '"'))
		return NULL;
	*out = minus ? -(int64_t)v : (int64_t)v;
	return p;
}

/* The usual number, of a few digits: what follows it, or NULL. */
static inline char *short_number(char *p, int64_t *out)
{
	int64_t v = 0;
	char *begin = p;

	for (; pfw_digit(*p) && p - begin < 9; p++)
		v = v * 10 + (*p - '0');
	if ((*p != ',' && *p != '}') || p == begin || (*begin == '0' && p - begin > 1))
		return NULL;
	*out = v;
	return p;
}

/* ---- values ---- */

/* From a value to what follows it, whatever it is; NULL: the line ends first. */
static char *skip(struct line *l, char *p)
{
	unsigned depth = 0;
	bool escaped;

	for (;; p++) {
		switch (*p) {
		case '\n':
			return NULL;
		case '"':
			p = string_end(l, p + 1, &escaped);
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
			l->beyond |= (*p & 0x80) != 0;
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

static uint8_t role_of(struct line *l, uint32_t key)
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

/* A string as the value of an argument. */
static inline void text_value(struct line *l, struct pfw_arg *a, uint8_t role, const char *text,
			      uint32_t len)
{
	if (role == PFW_FHASH || role == PFW_HHASH || role == PFW_VALUE) {
		a->form = PFW_WORD;
		a->word = word(l, text, len);
	} else if (role != PFW_FNAME && role != PFW_HOST && role != PFW_NAME && len &&
		   (pfw_digit(*text) || *text == '-') && pfw_whole(text, len, &a->number)) {
		a->form = PFW_NUMBER;
	} else {
		a->form = PFW_TEXT;
		a->text = text;
		a->len = len;
	}
}

static void other_value(struct line *l, struct pfw_arg *a, uint8_t role, char *p, const char *end)
{
	while (end > p && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r'))
		end--;
	a->text = p;
	a->len = (uint32_t)(end - p);
	/* What is none becomes a string. */
	a->form = pfw_is_json(p, a->len) ? PFW_RAW : PFW_TEXT;
	if (a->form == PFW_TEXT || (!pfw_digit(*p) && *p != '-'))
		return;
	if (role == PFW_FHASH || role == PFW_HHASH || role == PFW_VALUE) {
		a->form = PFW_WORD;
		a->word = word(l, p, a->len);
	} else if (role == PFW_TIME ? pfw_seconds(p, a->len, &a->number)
				    : pfw_whole(p, a->len, &a->number)) {
		a->form = PFW_NUMBER;
	}
}

/* The value of the argument @key; what follows it, or NULL. */
static char *arg(struct line *l, struct reading *r, uint32_t key, uint8_t role, char *p)
{
	struct pfw_part *part = l->part;
	struct pfw_arg a;
	const char *text;
	uint32_t len;
	char *end;

	if (*p == '"') {
		end = string(l, p + 1, &text, &len);
		if (!end)
			return NULL;
		text_value(l, &a, role, text, len);
	} else if (role != PFW_FHASH && role != PFW_HHASH && role != PFW_VALUE &&
		   (end = short_number(p, &a.number))) {
		a.form = PFW_NUMBER;
		if (role == PFW_TIME)
			a.number *= 1000000000;
	} else {
		end = skip(l, p);
		if (!end || end == p)
			return NULL;
		if (end - p >= 4 && !memcmp(p, "null", 4))
			return end;
		other_value(l, &a, role, p, end);
	}
	if (r->n_args == PFW_ARGS_MAX)
		return end;
	r->words[r->n_args++] = key;
	l->no_memory |= array_push(&part->args, a) != 0;
	return end;
}

/* What follows the key's string; the key's word, or what @expected is when that is it. */
static inline char *key_of(struct line *l, char *p, const struct pfw_key *expected, uint32_t *key)
{
	const char *text;
	uint32_t len;

	if (expected) {
		const struct pfw_word *w = &l->part->words.all.at[expected->word];

		if (w->len < (size_t)(l->end - p) && p[w->len] == '"' &&
		    !memcmp(p, w->text, w->len)) {
			*key = expected->word;
			return p + w->len + 1;
		}
	}
	p = string(l, p, &text, &len);
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

/* The kind of the events so named, which begins with its first one. */
static uint32_t kind_of(struct line *l, const struct reading *r)
{
	const struct pfw_part *part = l->part;
	uint32_t name = word(l, r->name, r->name_len), category;

	if (l->no_memory)
		return 0;
	if (name < part->kind_of_name.n && part->kind_of_name.at[name]) {
		uint32_t kind = part->kind_of_name.at[name] - 1;
		const struct pfw_word *w = &part->words.all.at[part->kinds.at[kind].category];

		if (w->len == r->category_len && !memcmp(w->text, r->category, w->len))
			return kind;
	}
	category = word(l, r->category, r->category_len);
	return l->no_memory ? 0 : add_kind(l, category, name);
}

/* What is inside "args", from behind its bracket. */
static char *args(struct line *l, struct reading *r, char *p)
{
	const struct pfw_kind *kind = NULL;
	const struct pfw_key *expected;
	uint32_t key = 0;
	uint8_t role;

	if (r->name && r->category && r->phase != 'M') {
		r->kind = kind_of(l, r);
		r->has_kind = !l->no_memory;
		kind = r->has_kind ? &l->part->kinds.at[r->kind] : NULL;
	}
	for (p = blank(p); *p != '}'; p = blank(p)) {
		if (*p != '"')
			return NULL;
		expected = kind && r->n_args < kind->keys.n ? &kind->keys.at[r->n_args] : NULL;
		p = key_of(l, p + 1, expected, &key);
		if (!p || l->no_memory)
			return NULL;
		p = blank(p);
		if (*p++ != ':')
			return NULL;
		role = expected && expected->word == key ? expected->role : role_of(l, key);
		p = arg(l, r, key, role, blank(p));
		if (!p)
			return NULL;
		p = blank(p);
		if (*p == ',')
			p++;
		else if (*p != '}')
			return NULL;
	}
	return p + 1;
}

/* ---- events ---- */

/* Which key of @kind an argument has, that one when it is new; PFW_ARGS_MAX: there are too many. */
static uint16_t key_at(struct line *l, struct pfw_kind *kind, size_t guess, uint32_t key,
		       const struct pfw_arg *a)
{
	size_t i;

	if (guess < kind->keys.n && kind->keys.at[guess].word == key)
		return (uint16_t)guess;
	for (i = 0; i < kind->keys.n; i++)
		if (kind->keys.at[i].word == key)
			return (uint16_t)i;
	if (i == PFW_ARGS_MAX)
		return PFW_ARGS_MAX;
	l->no_memory |=
		array_push(&kind->keys, (struct pfw_key){ key, role_of(l, key), a->form }) != 0;
	return (uint16_t)i;
}

/* Of a thread or a process no number is beyond 31 bits: those that are (pthread_self()) are folded. */
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
		uint8_t role = role_of(l, r->words[i]);

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
	struct pfw_event e = {
		.end_ns = r->ts_ns + r->dur_ns,
		.dur_ns = r->dur_ns,
		.pid = task_number(r->pid),
		.tid = task_number(r->tid),
		.first_arg = r->first_arg,
		.n_args = (uint16_t)r->n_args,
		.phase = r->phase,
	};
	struct pfw_kind *kind;

	if (!r->name || !r->category)
		return false;
	if (r->phase == 'M') {
		define(l, r);
		return true;
	}
	if (!r->has_ts || e.end_ns > INT64_MAX)
		return false;
	e.kind = r->has_kind ? r->kind : kind_of(l, r);
	if (l->no_memory)
		return true;
	kind = &part->kinds.at[e.kind];
	for (uint32_t i = 0; i < r->n_args; i++) {
		struct pfw_arg *a = &part->args.at[r->first_arg + i];

		a->key = key_at(l, kind, i, r->words[i], a);
	}
	l->no_memory |= array_push(&part->events, e) != 0;
	return true;
}

/* A line's own keys. */
enum member { NAME, CATEGORY, TS, DUR, PID, TID, ARGS, PHASE, ID, OTHER };

/* As they stand in the text, with their quotes: eight bytes hold each. */
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

/* Which member begins at @p, by what came behind @before in the line before. */
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

/* The value of one of them; what follows it, or NULL. */
static char *member(struct line *l, struct reading *r, unsigned m, char *p)
{
	const char *text;
	uint32_t n;

	switch (m) {
	case NAME:
		r->has_kind = false;
		return *p == '"' ? string(l, p + 1, &r->name, &r->name_len) : NULL;
	case CATEGORY:
		r->has_kind = false;
		return *p == '"' ? string(l, p + 1, &r->category, &r->category_len) : NULL;
	case TS:
		r->has_ts = true;
		return scaled(p, 1000, &r->ts_ns);
	case DUR:
		return scaled(p, l->opts->dur_ns ? 1 : 1000, &r->dur_ns);
	case PID:
		return id(p, &r->pid);
	case TID:
		return id(p, &r->tid);
	case ARGS:
		return *p == '{' ? args(l, r, p + 1) : NULL;
	case PHASE:
		p = *p == '"' ? string(l, p + 1, &text, &n) : NULL;
		r->phase = p && n == 1 ? *text : r->phase;
		return p;
	default: /* the line's number in its process */
		return skip(l, p);
	}
}

/* What follows the string at @p, as a key that is none of those. */
static char *other_member(struct line *l, struct reading *r, char *p)
{
	uint32_t key;

	p = *p == '"' ? key_of(l, p + 1, NULL, &key) : NULL;
	if (!p || l->no_memory)
		return NULL;
	p = blank(p);
	return *p == ':' ? arg(l, r, key, role_of(l, key), blank(p + 1)) : NULL;
}

/* An event's object, from behind its bracket; what follows it, or NULL. */
static char *object(struct line *l, struct reading *r, char *p)
{
	unsigned before = OTHER;

	for (p = blank(p); *p != '}'; p = blank(p)) {
		unsigned m = member_at(l, p, before);

		before = m;
		if (m == OTHER) {
			p = other_member(l, r, p);
		} else {
			p = blank(p + members[m].len);
			p = *p == ':' ? member(l, r, m, blank(p + 1)) : NULL;
		}
		if (!p)
			return NULL;
		p = blank(p);
		if (*p == ',')
			p++;
		else if (*p != '}')
			return NULL;
	}
	return p + 1;
}

/* One line, which is no blank one; true when all of it was understood. */
static bool line(struct line *l, struct reading *r, char *p)
{
	/* As Chrome writes it, the events are a member of an object. */
	static const char chrome[] = "{\"traceEvents\":";

	if (!memcmp(p, chrome, sizeof(chrome) - 1 < PFW_PADDING ? sizeof(chrome) - 1 : 0))
		p = blank(p + sizeof(chrome) - 1);
	if (*p == '[')
		p = blank(p + 1);
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
		p = blank(p);
		if (*p == ',')
			p = blank(p + 1);
	}
	/* What Chrome's object has behind its events is none. */
	return *p == '\n' || *p == ']';
}

int pfw_parse(struct pfw_part *part, char *text, size_t len, const struct pfw_parse_options *opts)
{
	struct line l = { .part = part, .opts = opts, .end = text + len };
	char *end = text + len, *next;
	struct reading r;

	for (char *p = text; p < end; p = next) {
		next = (char *)memchr(p, '\n', (size_t)(end - p)) + 1;
		part->lines++;
		p = blank(p);
		if (*p == '\n')
			continue;
		l.beyond = false;
		if (!line(&l, &r, p)) {
			if (!part->broken++)
				part->first_broken = part->lines;
		}
		part->beyond += l.beyond;
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
