/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes events in the layout of their type. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text/escape.h"
#include "convert/pfw/types_internal.h"
#include "convert/pfw/values.h"

#define NOT_NAMED UINT32_MAX

/* The name for which @word of the part is a hash, or NULL. */
static const struct pfw_word *named(const struct pfw_types *t, const struct pfw_part *part,
				    const struct map *map, uint32_t *cache, uint32_t word)
{
	if (!cache[word]) {
		const struct pfw_word *w = &part->words.all.at[word];
		uint32_t hash = pfw_words_find(&t->words, w->text, w->len), *at;

		at = hash == PFW_NO_WORD ? NULL : map_find(map, hash, 0);
		cache[word] = at ? *at + 1 : NOT_NAMED;
	}
	return cache[word] == NOT_NAMED ? NULL : &t->names.at[cache[word] - 1];
}

/* A payload while it is filled. */
struct filling {
	uint8_t *payload;
	uint32_t size;
	bool too_long;
	bool fname, host, sized;
	bool no_fname, no_host; /* a hash has no name */
	struct buf *rest; /* JSON of the arguments without a field, without its last bracket */
};

static void put_text(struct filling *f, uint32_t at, const char *text, uint32_t len)
{
	if (len >= PFW_RECORD_MAX - sizeof(struct source_record) - f->size) {
		f->too_long = true;
		return;
	}
	put_le32(f->payload + at, f->size | (len + 1) << 16);
	memcpy(f->payload + f->size, text, len);
	f->payload[f->size + len] = 0;
	f->size += len + 1;
}

static void rest_text(struct buf *rest, const char *text, uint32_t len)
{
	struct sink s;
	char *json;
	size_t n;

	sink_to_memory(&s);
	sink_putc(&s, '"');
	escape_json_exact(&s, text, len);
	sink_putc(&s, '"');
	json = sink_take(&s, &n);
	if (json)
		buf_add(rest, json, n);
	else
		rest->failed = true;
	free(json);
}

/* Adds an argument that has no field. */
static void put_rest(struct filling *f, const struct pfw_part *part, const struct pfw_word *key,
		     const struct pfw_arg *a)
{
	buf_u8(f->rest, f->rest->len ? ',' : '{');
	rest_text(f->rest, key->text, key->len);
	buf_u8(f->rest, ':');
	switch (a->form) {
	case PFW_NUMBER:
		buf_printf(f->rest, "%" PRId64, a->number);
		break;
	case PFW_RAW:
		buf_add(f->rest, a->text, a->len);
		break;
	case PFW_WORD:
		rest_text(f->rest, part->words.all.at[a->word].text,
			  part->words.all.at[a->word].len);
		break;
	default:
		rest_text(f->rest, a->text, a->len);
	}
}

static void put_size(struct filling *f, const struct pfw_type *type, const struct pfw_arg *a,
		     bool sure)
{
	if (a->form != PFW_NUMBER || !type->size_at || (!sure && (f->sized || a->number <= 0)))
		return;
	put_le64(f->payload + type->size_at, (uint64_t)a->number);
	f->sized = true;
}

/* Stores an argument in its field; false: it has none. */
static bool put_field(struct filling *f, const struct pfw_part *part, const struct pfw_type *type,
		      uint8_t slot, const struct pfw_arg *a)
{
	const struct pfw_field *field;

	if (!slot)
		return false;
	field = &type->fields[slot - 1];
	if (field->text != (a->form != PFW_NUMBER) || a->form == PFW_RAW)
		return false;
	if (a->form == PFW_NUMBER)
		put_le64(f->payload + field->at, (uint64_t)a->number);
	else if (a->form == PFW_WORD)
		put_text(f, field->at, part->words.all.at[a->word].text,
			 part->words.all.at[a->word].len);
	else
		put_text(f, field->at, a->text, a->len);
	return true;
}

/* Whether a hash is written as a decimal number of 64 or 128 bits: as a JSON number, or as more digits than it has in
 * hexadecimal. */
static bool is_decimal(const struct pfw_word *w, bool number)
{
	if (!number && !(w->len > 16 && w->len <= 20) && !(w->len > 32 && w->len <= 39))
		return false;
	for (uint32_t i = 0; i < w->len; i++)
		if (!pfw_digit(w->text[i]))
			return false;
	return w->len > 0;
}

/* Multiplies the 128 bits in @v, high and low, by ten and adds @digit; false: more than 128 bits. Not every compiler has
 * integers of 128 bits. */
static bool add_digit(uint64_t v[2], unsigned digit)
{
	uint64_t low = (v[1] & UINT32_MAX) * 10 + digit;
	uint64_t high = (v[1] >> 32) * 10 + (low >> 32);

	v[1] = high << 32 | (low & UINT32_MAX);
	return !__builtin_mul_overflow(v[0], 10, &v[0]) &&
	       !__builtin_add_overflow(v[0], high >> 32, &v[0]);
}

/* Stores a hash: a decimal number in hexadecimal, others as the trace has them. */
static bool put_hash(struct filling *f, const struct pfw_part *part, const struct pfw_type *type,
		     uint8_t slot, const struct pfw_arg *a)
{
	const struct pfw_word *w = &part->words.all.at[a->word];
	uint64_t v[2] = { 0 };
	char hex[33];

	if (!slot || !type->fields[slot - 1].text || !is_decimal(w, a->len))
		return put_field(f, part, type, slot, a);
	for (uint32_t i = 0; i < w->len; i++)
		if (!add_digit(v, (unsigned)(w->text[i] - '0')))
			return put_field(f, part, type, slot, a);
	snprintf(hex, sizeof(hex), "%016" PRIx64 "%016" PRIx64, v[0], v[1]);
	if (v[0])
		put_text(f, type->fields[slot - 1].at, hex, 32);
	else
		put_text(f, type->fields[slot - 1].at, hex + 16, 16);
	return true;
}

/* Stores a name, directly or by hash; false: it has no field. */
static bool put_name(struct filling *f, uint16_t at, bool *there, const struct pfw_arg *a,
		     const struct pfw_word *name)
{
	if (!at || *there || (!name && a->form != PFW_TEXT))
		return false;
	put_text(f, at, name ? name->text : a->text, name ? name->len : a->len);
	*there = true;
	return true;
}

static void put_arg(struct pfw_types *t, const struct pfw_part *part, const struct pfw_kind *kind,
		    const struct pfw_bound *b, const struct pfw_arg *a, struct filling *f)
{
	const struct pfw_key *key = &kind->keys.at[a->key];
	const struct pfw_type *type = b->type;
	const struct pfw_word *name;
	bool done;

	switch (key->role) {
	case PFW_FNAME:
		done = put_name(f, type->fname_at, &f->fname, a, NULL);
		break;
	case PFW_HOST:
		done = put_name(f, type->host_at, &f->host, a, NULL);
		break;
	case PFW_FHASH:
	case PFW_HHASH:
		if (a->form != PFW_WORD) {
			done = put_field(f, part, type, b->slots[a->key], a);
			break;
		}
		done = put_hash(f, part, type, b->slots[a->key], a);
		name = key->role == PFW_FHASH
			       ? named(t, part, &t->files, t->file_names.at, a->word)
			       : named(t, part, &t->hosts, t->host_names.at, a->word);
		f->no_fname |= !name && key->role == PFW_FHASH;
		f->no_host |= !name && key->role == PFW_HHASH;
		if (name && key->role == PFW_FHASH)
			put_name(f, type->fname_at, &f->fname, a, name);
		else if (name)
			put_name(f, type->host_at, &f->host, a, name);
		break;
	case PFW_SIZE:
		done = a->form == PFW_NUMBER && type->size_at;
		put_size(f, type, a, true);
		break;
	default:
		if (key->role == PFW_IMAGE_SIZE || (key->role == PFW_RET && type->sized))
			put_size(f, type, a, false);
		done = put_field(f, part, type, b->slots[a->key], a);
	}
	if (!done)
		put_rest(f, part, &part->words.all.at[key->word], a);
}

static void put_names(struct filling *f, const struct pfw_part *part, const struct pfw_kind *kind)
{
	static const struct pfw_word cat = { "cat", 3, 0 }, name = { "name", 4, 0 };
	struct pfw_arg a = { .form = PFW_WORD, .word = kind->category };

	put_rest(f, part, &cat, &a);
	a.word = kind->name;
	put_rest(f, part, &name, &a);
}

int pfw_types_record(struct pfw_types *t, const struct pfw_part *part, const struct pfw_event *e,
		     uint8_t *out, uint32_t *index)
{
	const struct pfw_kind *kind = &part->kinds.at[e->kind];
	const struct pfw_bound *b = &t->bound.at[e->kind];
	struct pfw_type *type = b->type;
	struct filling f = { .payload = out + sizeof(struct source_record),
			     .size = type->payload_size,
			     .rest = &t->rest };
	uint32_t size;

	t->rest.len = 0;
	if (type->index < 0) {
		type->unstored++;
		return 0;
	}
	memcpy(f.payload, type->blank, f.size);
	f.payload[AT_TYPE] = (uint8_t)(type->index + 1);
	f.payload[AT_TYPE + 1] = (uint8_t)((type->index + 1) >> 8);
	put_le32(f.payload + AT_PID, (uint32_t)e->tid);
	put_le64(f.payload + AT_DUR, e->dur_ns);
	f.payload[AT_PH] = (uint8_t)e->phase;
	if (type == t->other)
		put_names(&f, part, kind);
	for (uint32_t i = 0; i < e->n_args; i++) {
		const struct pfw_arg *a = &part->args.at[e->first_arg + i];

		if (a->key < PFW_KEYS_MAX)
			put_arg(t, part, kind, b, a, &f);
		else
			put_rest(&f, part, &part->words.all.at[a->key - PFW_KEYS_MAX], a);
	}
	if (t->rest.len) {
		buf_u8(&t->rest, '}');
		put_text(&f, AT_ARGS, (char *)t->rest.data, (uint32_t)t->rest.len);
	}
	t->unnamed += (f.no_fname && !f.fname) || (f.no_host && !f.host);
	t->too_long += f.too_long;
	if (t->rest.failed || f.too_long)
		return t->rest.failed ? -ENOMEM : 0;
	size = (uint32_t)sizeof(struct source_record) + f.size;
	memset(out, 0, 8);
	out[6] = (uint8_t)size;
	out[7] = (uint8_t)(size >> 8);
	put_le32(out + offsetof(struct source_record, pid), (uint32_t)e->pid);
	put_le32(out + offsetof(struct source_record, tid), (uint32_t)e->tid);
	put_le32(out + offsetof(struct source_record, raw_size), f.size);
	*index = (uint32_t)type->index;
	return (int)size;
}
