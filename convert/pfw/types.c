/* SPDX-License-Identifier: GPL-2.0-only */
/* Makes event types from the contents of events. */
#include "convert/pfw/types_internal.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/cursor.h"
#include "base/event_glob.h"
#include "base/fail.h"
#include "base/text/escape.h"
#include "format/layout.h"

#define NAME_MAX_BYTES 200u
#define FIELD_NAME_MAX 40u

static bool is(const struct pfw_word *w, const char *text)
{
	return w->len == strlen(text) && !memcmp(w->text, text, w->len);
}

/* The number of @w in t->words, which copies its text. */
static uint32_t own(struct pfw_types *t, const struct pfw_word *w)
{
	size_t before = t->words.all.n;
	uint32_t i = pfw_words_add(&t->words, w->text, w->len);
	const char *kept;

	if (i == PFW_NO_WORD || t->words.all.n == before)
		return i;
	kept = stringset_add(&t->texts, w->text, w->len);
	if (!kept)
		return PFW_NO_WORD;
	t->words.all.at[i].text = kept;
	return i;
}

int pfw_types_init(struct pfw_types *t, const char *const *globs, size_t n_globs,
		   struct cdict_error *err)
{
	*t = (struct pfw_types){ .globs = globs, .n_globs = n_globs };
	t->schema = cdict_schema_new(false, 8, 4096);
	return t->schema ? 0 : cdict_fail_nomem(err);
}

static void type_free(struct pfw_type *type)
{
	if (!type)
		return;
	free(type->full_name);
	free(type->blank);
	free(type);
}

void pfw_types_fini(struct pfw_types *t)
{
	for (size_t i = 0; i < t->all.n; i++)
		type_free(t->all.at[i]);
	array_fini(&t->all);
	array_fini(&t->source);
	array_fini(&t->names);
	array_fini(&t->bound);
	array_fini(&t->file_names);
	array_fini(&t->host_names);
	pfw_words_fini(&t->words);
	map_fini(&t->by_name);
	map_fini(&t->files);
	map_fini(&t->hosts);
	stringset_fini(&t->texts);
	buf_fini(&t->rest);
	cdict_schema_free(t->schema);
	*t = (struct pfw_types){ 0 };
}

/* ---- names by hash ---- */

static int define(struct pfw_types *t, const struct pfw_part *part, const struct pfw_definition *d)
{
	struct map *map = d->what == PFW_DEFINES_FILE ? &t->files : &t->hosts;
	const char *kept = stringset_add(&t->texts, d->name, d->len);
	uint32_t hash = own(t, &part->words.all.at[d->hash]), *at;

	if (!kept || hash == PFW_NO_WORD)
		return -ENOMEM;
	at = map_add(map, hash, 0);
	if (!at)
		return -ENOMEM;
	if (*at != MAP_NEW && t->names.at[*at].text == kept)
		return 0;
	*at = (uint32_t)t->names.n;
	return array_push(&t->names,
			  (struct pfw_word){ .text = kept, .len = (uint32_t)strlen(kept) });
}

/* ---- types ---- */

/* Adds a name in a form that fits a format file, which is line-based: without control characters
 * and separators. */
static void add_name(struct buf *b, const struct pfw_word *w, bool category)
{
	size_t n = escape_cut(w->text, w->len, NAME_MAX_BYTES);

	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)w->text[i];

		buf_u8(b, c < ' ' || c == 0x7f || (category && c == ':') ? '_' : c);
	}
	if (!n)
		buf_u8(b, '_');
}

static void add_text(struct buf *text, struct buf *print, const char *name, unsigned at)
{
	buf_printf(text, "\tfield:__data_loc char[] %s;\toffset:%u;\tsize:4;\tsigned:0;\n", name,
		   at);
	buf_printf(print, " %s=%%s", name);
}

/* Makes an identifier from the key @w; false: empty, or already used. */
static bool field_name(const struct pfw_types *t, const struct pfw_type *type,
		       const struct pfw_word *w, uint8_t role, char *out)
{
	static const char *const taken[] = { "dur", "ph", "args", "fname", "host", "size" };
	uint32_t n = w->len < FIELD_NAME_MAX ? w->len : FIELD_NAME_MAX;

	if (role == PFW_TIME) {
		strcpy(out, "time_ns");
		return true;
	}
	if (!n || isdigit((unsigned char)w->text[0]) || w->len > FIELD_NAME_MAX)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)w->text[i];

		out[i] = (char)(c < 0x80 && isalnum(c) ? c : '_');
	}
	out[n] = 0;
	for (size_t i = 0; i < sizeof(taken) / sizeof(taken[0]); i++)
		if (!strcmp(out, taken[i]))
			return false;
	if (!strncmp(out, "common_", 7) || !strcmp(out, "time_ns"))
		return false;
	for (unsigned i = 0; i < type->n_fields; i++) {
		const struct pfw_word *other = &t->words.all.at[type->fields[i].key];

		/* Two keys may become the same name. */
		if (other->len != n)
			continue;
		for (uint32_t k = 0; k <= n; k++) {
			unsigned char c = k < n ? (unsigned char)other->text[k] : 0;

			if (k == n)
				return false;
			if ((char)(c < 0x80 && isalnum(c) ? c : '_') != out[k])
				break;
		}
	}
	return true;
}

/* A type in the making: its format file, and its print format's text and values. */
struct making {
	struct buf text, print, values;
	unsigned at; /* offset of the next field */
};

static uint16_t make_text(struct making *m, const char *name)
{
	uint16_t at = (uint16_t)m->at;

	add_text(&m->text, &m->print, name, at);
	buf_printf(&m->values, ", __get_str(%s)", name);
	m->at += 4;
	return at;
}

static uint16_t make_number(struct making *m, const char *name)
{
	uint16_t at;

	m->at = (m->at + 7) & ~7u;
	at = (uint16_t)m->at;
	buf_printf(&m->text, "\tfield:s64 %s;\toffset:%u;\tsize:8;\tsigned:1;\n", name, at);
	buf_printf(&m->print, " %s=%%lld", name);
	buf_printf(&m->values, ", REC->%s", name);
	m->at += 8;
	return at;
}

/* Whether every type has a field for such an argument. */
static bool has_own_field(uint8_t role)
{
	return role == PFW_FNAME || role == PFW_HOST || role == PFW_SIZE;
}

/* Makes fields for the arguments that have no column of their own. */
static int make_fields(struct pfw_types *t, struct pfw_type *type, const struct pfw_part *part,
		       const struct pfw_kind *kind, struct making *m)
{
	char name[FIELD_NAME_MAX + 1];

	for (size_t i = 0; i < kind->keys.n && type->n_fields < FIELDS_MAX; i++) {
		const struct pfw_key *key = &kind->keys.at[i];
		const struct pfw_word *w = &part->words.all.at[key->word];
		struct pfw_field f = { .text = key->form == PFW_TEXT || key->form == PFW_WORD };

		if (key->form == PFW_RAW || has_own_field(key->role) ||
		    !field_name(t, type, w, key->role, name))
			continue;
		f.key = own(t, w);
		if (f.key == PFW_NO_WORD)
			return -ENOMEM;
		f.at = f.text ? make_text(m, name) : make_number(m, name);
		type->fields[type->n_fields++] = f;
	}
	return 0;
}

static void blank_text(struct pfw_type *type, unsigned at)
{
	if (at)
		put_le32(type->blank + at, (type->payload_size - 1u) | 1u << 16);
}

/* Makes fields, format file and blank payload. @kind: of its first events; NULL: the type for all
 * others. */
static int make(struct pfw_types *t, struct pfw_type *type, const struct pfw_part *part,
		const struct pfw_kind *kind, struct making *m)
{
	int ret = 0;

	buf_printf(&m->text,
		   "name: %s\nID: %zu\nformat:\n"
		   "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		   "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		   "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		   "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n",
		   type->name, t->all.n + 1);
	buf_printf(&m->text, "\tfield:u64 dur;\toffset:%u;\tsize:8;\tsigned:0;\n",
		   (unsigned)AT_DUR);
	buf_printf(&m->print, "print fmt: \"dur=%%llu");
	buf_printf(&m->values, "\", REC->dur");
	m->at = AT_OTHERS;
	/* Columns of common interest exist even when the first events lack them. */
	type->fname_at = make_text(m, "fname");
	type->host_at = make_text(m, "host");
	type->size_at = make_number(m, "size");
	if (kind)
		ret = make_fields(t, type, part, kind, m);
	buf_printf(&m->text, "\tfield:u8 ph;\toffset:%u;\tsize:1;\tsigned:0;\n", (unsigned)AT_PH);
	add_text(&m->text, &m->print, "args", AT_ARGS);
	buf_printf(&m->values, ", __get_str(args)\n");
	buf_printf(&m->text, "\n");
	buf_add(&m->text, m->print.data, m->print.len);
	buf_add(&m->text, m->values.data, m->values.len);
	/* Missing texts refer to one NUL after the fields. */
	type->payload_size = (uint16_t)(m->at + 1);
	type->blank = calloc(1, type->payload_size);
	if (ret || !type->blank || m->text.failed || m->print.failed || m->values.failed)
		return -ENOMEM;
	blank_text(type, AT_ARGS);
	blank_text(type, type->fname_at);
	blank_text(type, type->host_at);
	if (type->size_at)
		put_le64(type->blank + type->size_at, (uint64_t)PFW_ABSENT);
	for (unsigned i = 0; i < type->n_fields; i++) {
		if (type->fields[i].text)
			blank_text(type, type->fields[i].at);
		else
			put_le64(type->blank + type->fields[i].at, (uint64_t)PFW_ABSENT);
	}
	return 0;
}

static bool wanted(const struct pfw_types *t, const char *name)
{
	for (size_t i = 0; i < t->n_globs; i++)
		if (event_glob(t->globs[i], name))
			return true;
	return !t->n_globs;
}

static bool holds(const struct pfw_word *w, const char *text)
{
	return memmem(w->text, w->len, text, strlen(text)) != NULL;
}

/* Whether the call's return value is a number of bytes. */
static bool moves_bytes(const struct pfw_word *category, const struct pfw_word *name)
{
	return (is(category, "POSIX") || is(category, "STDIO")) &&
	       (holds(name, "write") || holds(name, "read")) && !holds(name, "readdir") &&
	       !holds(name, "readlink");
}

/* Adds a type for the events of @kind; NULL: for all those that get no type of their own. */
static int add_type(struct pfw_types *t, const struct pfw_part *part, const struct pfw_kind *kind,
		    const struct pfw_word *category, const struct pfw_word *name,
		    struct pfw_type **out, struct cdict_error *err)
{
	struct pfw_type *type = calloc(1, sizeof(*type));
	struct making m = { 0 };
	struct buf names = { 0 };
	size_t name_at;
	int ret = -ENOMEM;

	*out = NULL;
	add_name(&names, category, true);
	buf_u8(&names, 0);
	name_at = names.len;
	add_name(&names, name, false);
	buf_u8(&names, 0);
	if (!type || names.failed)
		goto out;
	type->category = stringset_add(&t->texts, (char *)names.data, name_at - 1);
	type->name =
		stringset_add(&t->texts, (char *)names.data + name_at, names.len - name_at - 1);
	names.data[name_at - 1] = ':';
	type->full_name = strdup((char *)names.data);
	if (!type->category || !type->name || !type->full_name)
		goto out;
	type->index = SOURCE_UNSTORED;
	type->sized = moves_bytes(category, name);
	ret = 0;
	if (wanted(t, type->full_name)) {
		const struct cdict_event_type *there =
			cdict_schema_find(t->schema, type->full_name);

		ret = make(t, type, part, kind, &m);
		if (!ret && there) /* they differ only in characters that a format cannot contain */
			ret = CDICT_ELIMIT;
		if (!ret)
			ret = cdict_schema_add(t->schema, type->category, (char *)m.text.data,
					       m.text.len, err);
		if (ret >= 0) {
			type->index = ret;
			t->n_fields += type->n_fields + 12;
			ret = array_push(&t->source,
					 (struct source_event){ ret,
								offsetof(struct source_record, pid),
								sizeof(struct source_record) });
		}
	}
	if (!ret)
		ret = array_push(&t->all, type);
	if (!ret)
		*out = type;
out:
	if (ret)
		type_free(type);
	buf_fini(&names);
	buf_fini(&m.text);
	buf_fini(&m.print);
	buf_fini(&m.values);
	return ret == -ENOMEM ? cdict_fail_nomem(err) : ret;
}

/* ---- a part's kinds ---- */

static void bind(const struct pfw_types *t, const struct pfw_part *part,
		 const struct pfw_kind *kind, struct pfw_bound *b, struct pfw_type *type)
{
	b->type = type;
	for (size_t i = 0; i < kind->keys.n; i++) {
		const struct pfw_word *w = &part->words.all.at[kind->keys.at[i].word];
		uint32_t key = pfw_words_find(&t->words, w->text, w->len);

		b->slots[i] = 0;
		for (unsigned f = 0; f < type->n_fields && key != PFW_NO_WORD; f++)
			if (type->fields[f].key == key)
				b->slots[i] = (uint8_t)(f + 1);
	}
}

/* The entry of a kind in by_name; NULL: not found, or out of memory when adding. */
static uint32_t *place_of(struct pfw_types *t, const struct pfw_part *part,
			  const struct pfw_kind *kind, bool add)
{
	const struct pfw_word *c = &part->words.all.at[kind->category];
	const struct pfw_word *n = &part->words.all.at[kind->name];
	uint32_t category = add ? own(t, c) : pfw_words_find(&t->words, c->text, c->len);
	uint32_t name = add ? own(t, n) : pfw_words_find(&t->words, n->text, n->len);

	if (category == PFW_NO_WORD || name == PFW_NO_WORD)
		return NULL;
	return add ? map_add(&t->by_name, category, name) : map_find(&t->by_name, category, name);
}

int pfw_types_bind(struct pfw_types *t, const struct pfw_part *part, bool *grows,
		   struct cdict_error *err)
{
	size_t words = part->words.all.n;
	int ret = 0;

	*grows = false;
	t->bound.n = t->file_names.n = t->host_names.n = 0;
	if (array_resize(&t->bound, part->n_kinds) || array_resize(&t->file_names, words) ||
	    array_resize(&t->host_names, words))
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < part->definitions.n && !ret; i++)
		if (part->definitions.at[i].what <= PFW_DEFINES_HOST)
			ret = define(t, part, &part->definitions.at[i]);
	if (ret)
		return cdict_fail_nomem(err);
	for (size_t i = 0; i < part->n_kinds; i++) {
		uint32_t *at = place_of(t, part, &part->kinds.at[i], false);

		if (at)
			bind(t, part, &part->kinds.at[i], &t->bound.at[i], t->all.at[*at]);
		else
			*grows = true;
	}
	return 0;
}

/* The type for events that do not fit into the schema: their names go into args. */
static int other_type(struct pfw_types *t, const struct pfw_part *part, struct pfw_type **type,
		      struct cdict_error *err)
{
	static const struct pfw_word category = { "pfw", 3, 0 }, name = { "other", 5, 0 };
	int ret = 0;

	if (!t->other)
		ret = add_type(t, part, NULL, &category, &name, &t->other, err);
	*type = t->other;
	return ret;
}

int pfw_types_grow(struct pfw_types *t, const struct pfw_part *part, struct cdict_error *err)
{
	for (size_t i = 0; i < part->n_kinds; i++) {
		const struct pfw_kind *kind = &part->kinds.at[i];
		struct pfw_type *type = NULL;
		uint32_t *at;
		int ret = CDICT_ELIMIT;

		if (t->bound.at[i].type)
			continue;
		/* Reserve one for the events without a type. */
		if (t->source.n < FORMAT_MAX_TYPES - 2 &&
		    t->n_fields < FORMAT_MAX_ALL_FIELDS - 4 * FORMAT_MAX_FIELDS)
			ret = add_type(t, part, kind, &part->words.all.at[kind->category],
				       &part->words.all.at[kind->name], &type, err);
		if (ret && ret != -ENOMEM)
			ret = other_type(t, part, &type, err);
		if (ret)
			return ret;
		at = place_of(t, part, kind, true);
		if (!at)
			return cdict_fail_nomem(err);
		for (*at = 0; t->all.at[*at] != type;)
			++*at;
		bind(t, part, kind, &t->bound.at[i], type);
	}
	return 0;
}

const char *pfw_types_unstored(const struct pfw_types *t, size_t i, uint64_t *count)
{
	for (size_t k = 0; k < t->all.n; k++) {
		if (!t->all.at[k]->unstored || i--)
			continue;
		*count = t->all.at[k]->unstored;
		return t->all.at[k]->full_name;
	}
	return NULL;
}
