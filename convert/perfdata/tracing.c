/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tracing data: the files that trace-cmd and perf record copy from tracefs, in the byte order
 * stated in it; and the names that it gives to events.
 */
#include "convert/perfdata/internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* Copies a text of @n bytes from @c, NUL-terminated. */
static const char *keep_bytes(struct perfdata *pd, struct cursor *c, uint64_t n)
{
	const uint8_t *p = n > c->left ? NULL : cursor_take(c, (size_t)n);

	if (!p)
		c->failed = true;
	return p ? perfdata_keep_text(pd, p, (size_t)n) : NULL;
}

static int add_format(struct perfdata *pd, const char *system, struct cursor *c)
{
	uint64_t size = cursor_u64(c);
	const char *text = keep_bytes(pd, c, size);

	if (!cursor_ok(c))
		return CDICT_ECORRUPT;
	if (!text)
		return -ENOMEM;
	if (array_push(&pd->formats, (struct perfdata_format){ system, text, (size_t)size })) {
		pd->no_memory = true;
		return -ENOMEM;
	}
	return 0;
}

/* Skips "header_page" or "header_event", its NUL, a u64 size and the text. */
static void skip_header(struct cursor *c, const char *name)
{
	size_t n = strlen(name) + 1;
	const uint8_t *p = cursor_take(c, n);
	uint64_t size;

	if (!p || memcmp(p, name, n)) {
		c->failed = true;
		return;
	}
	size = cursor_u64(c);
	if (size > c->left || !cursor_skip(c, (size_t)size))
		c->failed = true;
}

static int read_formats(struct perfdata *pd, struct cursor *c)
{
	uint32_t n = cursor_u32(c);
	int r = 0;

	while (n-- && !r)
		r = add_format(pd, "ftrace", c);
	if (r)
		return r;
	n = cursor_u32(c); /* number of systems */
	while (n-- && cursor_ok(c)) {
		size_t len;
		const char *name = cursor_text(c, &len);
		uint32_t count = cursor_u32(c);

		if (!cursor_ok(c))
			break;
		name = perfdata_keep_text(pd, name, len);
		if (!name)
			return -ENOMEM;
		while (count-- && !r)
			r = add_format(pd, name, c);
		if (r)
			return r;
	}
	return cursor_ok(c) ? 0 : CDICT_ECORRUPT;
}

/* Reads all of it into pd->tracing, up to the first error. */
static int read_all(struct perfdata *pd, struct cursor *c)
{
	struct perfdata_tracing *t = &pd->tracing;
	const uint8_t *magic = cursor_take(c, 10);
	uint64_t size;
	int r;

	if (!magic || memcmp(magic, "\x17\x08\x44tracing", 10))
		return CDICT_EFORMAT;
	cursor_text(c, NULL); /* version, "0.5" or "0.6": they differ only at the end */
	t->big_endian = cursor_u8(c) != 0;
	c->big = t->big_endian;
	t->long_size = cursor_u8(c);
	t->page_size = cursor_u32(c);
	if (!cursor_ok(c) || (t->long_size != 4 && t->long_size != 8) || t->page_size > 1u << 30)
		return CDICT_ECORRUPT;
	t->present = true;
	skip_header(c, "header_page");
	if (!cursor_ok(c))
		return CDICT_ECORRUPT;
	skip_header(c, "header_event");
	r = read_formats(pd, c);
	if (r)
		return r;
	size = cursor_u32(c);
	if (size)
		t->kallsyms = keep_bytes(pd, c, size);
	size = cursor_u32(c);
	if (size)
		t->printk = keep_bytes(pd, c, size);
	/* From version 0.6 on saved_cmdlines follow; perf has COMM records instead. */
	return cursor_ok(c) ? 0 : CDICT_ECORRUPT;
}

/* The value after @key at the start of a line; its length in *@len. */
static const char *line_value(const struct perfdata_format *f, const char *key, size_t *len)
{
	size_t key_len = strlen(key);

	for (const char *p = f->text, *nl; *p; p = nl + 1) {
		nl = strchr(p, '\n');
		if (!strncmp(p, key, key_len)) {
			p += key_len;
			p += strspn(p, " \t");
			*len = strcspn(p, " \t\r\n");
			return p;
		}
		if (!nl)
			break;
	}
	return NULL;
}

static int by_id(const void *a, const void *b)
{
	const struct format_id *x = a, *y = b;

	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	return x->format < y->format ? -1 : x->format > y->format;
}

static int index_formats(struct perfdata *pd)
{
	struct perfdata_tracing *t = &pd->tracing;
	size_t n = 0;

	pd->format_ids = perfdata_keep(pd, t->n_formats * sizeof(*pd->format_ids));
	if (!pd->format_ids)
		return -ENOMEM;
	for (size_t i = 0; i < t->n_formats; i++) {
		size_t len;
		const char *id = line_value(&t->formats[i], "ID:", &len);

		if (id && len && *id >= '0' && *id <= '9')
			pd->format_ids[n++] =
				(struct format_id){ .id = strtoull(id, NULL, 10), .format = i };
	}
	pd->n_format_ids = n;
	if (n)
		qsort(pd->format_ids, n, sizeof(*pd->format_ids), by_id);
	return 0;
}

int perfdata_read_tracing(struct perfdata *pd, const uint8_t *data, size_t size, uint64_t offset)
{
	struct cursor c = cursor_init(data, size, pd->big);
	int r, indexed;

	if (pd->tracing.present) /* only the first one is used */
		return 0;
	r = read_all(pd, &c);
	if (r == CDICT_EFORMAT)
		perfdata_note(pd, offset, "the tracing data do not start with their magic");
	else if (r < 0 && !pd->no_memory)
		perfdata_note(pd, offset,
			      "the tracing data (%zu bytes) are truncated or damaged at byte %zu",
			      size, cursor_pos(&c));
	pd->tracing.formats = pd->formats.at;
	pd->tracing.n_formats = pd->formats.n;
	indexed = index_formats(pd);
	perfdata_name_events(pd, 0);
	return pd->no_memory ? -ENOMEM : r ? r : indexed;
}

static const struct perfdata_format *find_format(const struct perfdata *pd, uint64_t id)
{
	size_t lo = 0, hi = pd->n_format_ids;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (pd->format_ids[mid].id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == pd->n_format_ids || pd->format_ids[lo].id != id)
		return NULL;
	return &pd->tracing.formats[pd->format_ids[lo].format];
}

const struct perfdata_format *perfdata_format(const struct perfdata *pd,
					      const struct perfdata_event *ev)
{
	return ev->attr_type == TYPE_TRACEPOINT ? find_format(pd, ev->config) : NULL;
}

int perfdata_lend(struct perfdata *pd, const struct perfdata_tracing *lent)
{
	struct perfdata_tracing *t = &pd->tracing;
	int r;

	for (size_t i = 0; i < lent->n_formats; i++) {
		size_t len;
		const char *id = line_value(&lent->formats[i], "ID:", &len);

		if (!id || !len || find_format(pd, strtoull(id, NULL, 10)))
			continue;
		if (array_push(&pd->formats, lent->formats[i])) {
			pd->no_memory = true;
			return -ENOMEM;
		}
		t->formats = pd->formats.at;
	}
	if (!t->present) {
		*t = *lent;
		t->present = true;
	}
	t->formats = pd->formats.at;
	t->n_formats = pd->formats.n;
	r = index_formats(pd);
	perfdata_name_events(pd, 0);
	return pd->no_memory ? -ENOMEM : r;
}

void perfdata_name_events(struct perfdata *pd, size_t first)
{
	for (size_t i = first; i < pd->events.n; i++) {
		struct event *ev = pd->events.at[i];
		const struct perfdata_format *f;
		const char *name;
		char both[128]; /* length limit of perf */
		size_t len;

		if (ev->named || ev->pub.attr_type != TYPE_TRACEPOINT)
			continue;
		f = find_format(pd, ev->pub.config);
		name = f ? line_value(f, "name:", &len) : NULL;
		if (!name)
			continue;
		snprintf(both, sizeof(both), "%s:%.*s", f->system, (int)(len < 128 ? len : 128),
			 name);
		name = perfdata_keep_text(pd, both, strlen(both));
		if (name)
			ev->pub.name = name;
	}
}
