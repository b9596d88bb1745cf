/* SPDX-License-Identifier: LGPL-2.1-only */
/* The functions of a recording's kernel, as libtraceevent finds them. */
#include "base/text/kernel_functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool hex(const char **at, uint64_t *out)
{
	const char *p = *at;
	unsigned digits = 0;

	for (*out = 0; digits < 16; p++, digits++) {
		char c = *p >= 'A' && *p <= 'F' ? (char)(*p | 32) : *p;

		if (c >= '0' && c <= '9')
			*out = *out << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			*out = *out << 4 | (uint64_t)(c - 'a' + 10);
		else
			break;
	}
	*at = p;
	return digits;
}

/* The one that libtraceevent meets first, which puts what it reads before what it has. */
static int by_address(const void *a, const void *b)
{
	const struct kernel_address *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->at < y->at ? 1 : -(x->at > y->at);
}

static size_t name_len(const char *name)
{
	return strcspn(name, " \t\r\n");
}

/* Parse one line; false: not a symbol line. */
static bool line(uint64_t *address, char *type, const char **name, const char *at)
{
	if (!hex(&at, address) || *at++ != ' ' || !*at || *at == '\n')
		return false;
	*type = *at++;
	*name = at + strspn(at, " ");
	return name_len(*name);
}

/* Lines of @text, @max at most: a table that grows takes twice as much. */
static size_t lines_of(const char *text, size_t max)
{
	size_t n = 1;

	for (; n < max && (text = strchr(text, '\n')) != NULL; text++)
		n++;
	return n;
}

int kernel_functions_parse(struct kernel_functions *k, const char *text)
{
	struct kernel_address s = { 0 };
	const char *name;
	char type;

	k->text = text;
	if (array_reserve(&k->listed, lines_of(text, SIZE_MAX)))
		return -ENOMEM;
	for (const char *at = text; *at && line(&s.address, &type, &name, at); at += *at == '\n') {
		at += strcspn(at, "\n");
		/* marks of arm's code, and offsets of variables of each CPU, are no addresses of functions */
		if (*name == '$' || type == 'A' || type == 'a')
			continue;
		s.at = (uint32_t)(name - text);
		if (array_push(&k->listed, s))
			return -ENOMEM;
	}
	if (k->listed.n)
		qsort(k->listed.at, k->listed.n, sizeof(*k->listed.at), by_address);
	return 0;
}

/* Up to the next one; the last one is known by its own address alone. */
static uint64_t size_of(const struct kernel_functions *k, size_t i)
{
	const struct kernel_address *s = &k->listed.at[i];

	return i + 1 < k->listed.n ? s[1].address - s->address : 1;
}

/* Of those with the address any may be hit: which one is a matter of where the search passes. */
void kernel_functions_occurs(struct kernel_functions *k, uint64_t address)
{
	size_t lo = 0, hi = k->listed.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;
		struct kernel_address *s = &k->listed.at[mid];

		if (address < s->address) {
			hi = mid;
		} else if (address == s->address || address - s->address < size_of(k, mid)) {
			s->occurs = true;
			return;
		} else {
			lo = mid + 1;
		}
	}
}

void kernel_functions_write(const struct kernel_functions *k, struct buf *out)
{
	size_t n = 0;

	for (size_t i = 0; i < k->listed.n && n < KERNEL_FUNCTIONS_MAX; i++) {
		const struct kernel_address *s = &k->listed.at[i];
		const char *name = k->text + s->at;

		n += s->occurs;
		if (s->occurs)
			buf_printf(out, "%" PRIx64 " %" PRIx64 " %.*s\n", s->address, size_of(k, i),
				   (int)name_len(name), name);
	}
}

int kernel_functions_read(struct kernel_functions *k, const char *text)
{
	struct kernel_function s = { 0 };

	if (array_reserve(&k->all, lines_of(text, KERNEL_FUNCTIONS_MAX)))
		return -ENOMEM;
	while (k->all.n < KERNEL_FUNCTIONS_MAX && hex(&text, &s.address) && *text++ == ' ' &&
	       hex(&text, &s.size) && *text++ == ' ') {
		s.name = text;
		s.len = (uint32_t)strcspn(text, "\n");
		text += s.len;
		text += *text == '\n';
		if (k->all.n && s.address < k->all.at[k->all.n - 1].address)
			break;
		if (array_push(&k->all, s))
			return -ENOMEM;
	}
	return 0;
}

const struct kernel_function *kernel_functions_find(const struct kernel_functions *k,
						    uint64_t address)
{
	size_t lo = 0, hi = k->all.n;

	/* the first one of those that begin at the address, else the last that begins before it */
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (k->all.at[mid].address < address)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < k->all.n && k->all.at[lo].address == address)
		return &k->all.at[lo];
	if (lo && address - k->all.at[lo - 1].address < k->all.at[lo - 1].size)
		return &k->all.at[lo - 1];
	return NULL;
}

void kernel_functions_fini(struct kernel_functions *k)
{
	array_fini(&k->all);
	array_fini(&k->listed);
	buf_fini(&k->name);
}
