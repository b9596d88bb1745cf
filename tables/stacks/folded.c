/* SPDX-License-Identifier: LGPL-2.1-only */
/* Stacks with figures as a tree. */
#include "tables/stacks/folded.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/fail.h"
#include "base/text/plural.h"
#include "base/text/escape.h"

int folded_init(struct folded *f)
{
	*f = (struct folded){ .parts = 1 };
	if (array_push(&f->nodes, (struct folded_node){ .name = "", .parent = FOLDED_NONE }))
		return -ENOMEM;
	return 0;
}

void folded_fini(struct folded *f)
{
	array_fini(&f->nodes);
	map_fini(&f->children);
	stringset_fini(&f->texts);
	free(f->order);
	free(f->by_size);
	*f = (struct folded){ 0 };
}

uint32_t folded_child(struct folded *f, uint32_t parent, const char *name, size_t len,
		      enum folded_kind kind)
{
	const char *text;
	uint32_t *at;

	/* a NUL ends a name; trailing blanks would belong to the line */
	len = strnlen(name, len);
	while (len && (name[len - 1] == ' ' || name[len - 1] == '\t'))
		len--;
	if (!len) {
		name = FOLDED_UNKNOWN;
		len = strlen(FOLDED_UNKNOWN);
		kind = FOLDED_NOTE;
	}
	text = stringset_add(&f->texts, name, len);

	/* reserve first: the node that map_add() refers to must exist */
	if (!text || f->nodes.n >= FOLDED_NONE - 1 || array_reserve(&f->nodes, f->nodes.n + 1))
		return FOLDED_NONE;
	at = map_add(&f->children, parent, (uintptr_t)text);
	if (!at)
		return FOLDED_NONE;
	if (*at == MAP_NEW) {
		*at = (uint32_t)f->nodes.n;
		f->nodes.at[f->nodes.n++] = (struct folded_node){
			.name = text,
			.parent = parent,
			.depth = (uint16_t)(f->nodes.at[parent].depth + 1),
			.kind = (uint8_t)kind,
		};
	}
	return *at;
}

int folded_add(struct folded *f, uint32_t node, uint64_t value, uint64_t count,
	       struct cdict_error *err)
{
	struct folded_node *n = &f->nodes.at[node];

	if (__builtin_add_overflow(f->sum, value, &f->sum) ||
	    __builtin_add_overflow(n->count, count, &n->count))
		return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				  "the stacks' figures add up to more than can be counted");
	n->value += value;
	n->stack = true;
	return 0;
}

/* ---- in order ---- */

static int by_parent_and_name(const void *a, const void *b)
{
	const struct folded_node *x = *(const struct folded_node *const *)a;
	const struct folded_node *y = *(const struct folded_node *const *)b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int by_parent_and_size(const void *a, const void *b)
{
	const struct folded_node *x = *(const struct folded_node *const *)a;
	const struct folded_node *y = *(const struct folded_node *const *)b;

	if (x->parent == y->parent && x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return by_parent_and_name(a, b);
}

/* Fills @order. The callees of a node are adjacent in @sorted, from index @first on (n - 1: none);
 * @waiting has room for all nodes. */
static void put_in_order(const struct folded *f, const struct folded_node *const *sorted,
			 const uint32_t *first, uint32_t *waiting, uint32_t *order)
{
	size_t n = f->nodes.n, done = 0, left = 1;

	waiting[0] = FOLDED_ROOT;
	while (left) {
		uint32_t node = waiting[--left];
		size_t end = first[node];

		order[done++] = node;
		while (end < n - 1 && sorted[end]->parent == node)
			end++;
		while (end > first[node])
			waiting[left++] = (uint32_t)(sorted[--end] - f->nodes.at);
	}
}

int folded_done(struct folded *f)
{
	size_t n = f->nodes.n;
	const struct folded_node **sorted = calloc(n, sizeof(*sorted));
	uint32_t *first = calloc(n, 2 * sizeof(*first));

	free(f->order);
	free(f->by_size);
	f->order = calloc(n, sizeof(*f->order));
	f->by_size = calloc(n, sizeof(*f->by_size));
	if (!sorted || !first || !f->order || !f->by_size) {
		free(sorted);
		free(first);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++) {
		first[i] = (uint32_t)n - 1;
		f->nodes.at[i].total = f->nodes.at[i].value;
	}
	/* a caller is always before what it calls */
	for (size_t i = n; --i;)
		f->nodes.at[f->nodes.at[i].parent].total += f->nodes.at[i].total;
	for (size_t i = 1; i < n; i++)
		sorted[i - 1] = &f->nodes.at[i];
	qsort(sorted, n - 1, sizeof(const struct folded_node *), by_parent_and_name);
	for (size_t i = n; --i;)
		first[sorted[i - 1]->parent] = (uint32_t)i - 1;
	put_in_order(f, sorted, first, first + n, f->order);
	/* the callees of a node have the same places */
	qsort(sorted, n - 1, sizeof(const struct folded_node *), by_parent_and_size);
	put_in_order(f, sorted, first, first + n, f->by_size);
	free(sorted);
	free(first);
	return 0;
}

/* ---- as lines ---- */

char *folded_number(char out[FOLDED_ROOM], unsigned parts, uint64_t value)
{
	if (parts == 1 || value % parts == 0)
		snprintf(out, FOLDED_ROOM, "%" PRIu64, value / parts);
	else
		snprintf(out, FOLDED_ROOM, "%" PRIu64 ".%02u", value / parts,
			 (unsigned)(value % parts));
	return out;
}

bool folded_read_number(const char *text, size_t len, uint64_t *hundredths)
{
	uint64_t v = 0, part = 0;
	size_t i = 0, digits = 0;

	for (; i < len && text[i] >= '0' && text[i] <= '9'; i++, digits++)
		if (__builtin_mul_overflow(v, 10, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(text[i] - '0'), &v))
			return false;
	if (i < len && text[i] == '.') {
		size_t point = i++;

		for (; i < len && text[i] >= '0' && text[i] <= '9'; i++, digits++)
			if (i - point <= 2)
				part += (uint64_t)(text[i] - '0') * (i - point == 1 ? 10 : 1);
		part += len - point > 3 && text[point + 3] >= '5';
	}
	return digits && i == len && !__builtin_mul_overflow(v, 100, &v) &&
	       !__builtin_add_overflow(v, part, hundredths);
}

/* If the last word of @line, of *@len bytes, is a number, returns its offset and cuts *@len before
 * it; else 0. */
static size_t take_number(const char *line, size_t *len, uint64_t *value)
{
	size_t end = *len, at;

	while (end && (line[end - 1] == ' ' || line[end - 1] == '\t' || line[end - 1] == '\r'))
		end--;
	for (at = end; at && line[at - 1] != ' ' && line[at - 1] != '\t';)
		at--;
	if (!at || !folded_read_number(line + at, end - at, value))
		return 0;
	for (*len = at; *len && (line[*len - 1] == ' ' || line[*len - 1] == '\t');)
		--*len;
	return *len ? at : 0;
}

/* "# duration: 23873", as written by profilers above the stacks. */
static bool is_comment(const char *line, size_t len)
{
	return len && *line == '#' &&
	       (len == 1 || line[1] == ' ' || line[1] == '\t' || line[1] == '\r' || line[1] == '!');
}

static int add_stack(struct folded *f, const char *line, size_t len, uint64_t value,
		     struct cdict_error *err)
{
	uint32_t node = FOLDED_ROOT;

	for (size_t at = 0; at <= len;) {
		const char *semi = memchr(line + at, ';', len - at);
		size_t to = semi ? (size_t)(semi - line) : len;

		if (f->nodes.at[node].depth >= FOLDED_DEPTH)
			return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
					  "a stack has more than %s frames", GROUPED(FOLDED_DEPTH));
		node = folded_child(f, node, line + at, to - at, FOLDED_PLAIN);
		if (node == FOLDED_NONE)
			return cdict_fail_nomem(err);
		at = to + 1;
	}
	return folded_add(f, node, value, 1, err);
}

/* Adds one line without its newline; returns whether it is a stack; *rc: failure. */
static bool parse_line(struct folded *f, struct folded *before, const char *line, size_t len,
		       int *rc, struct cdict_error *err)
{
	uint64_t value, was = 0;

	if (!take_number(line, &len, &value) || (before && !take_number(line, &len, &was)))
		return false;
	if (before)
		*rc = add_stack(before, line, len, was, err);
	if (!*rc)
		*rc = add_stack(f, line, len, value, err);
	return true;
}

/* The line at *@at without its newline, NULL at the end. */
static const char *next_line(const char *text, size_t size, size_t *at, size_t *len)
{
	const char *line = text + *at, *nl;

	if (*at >= size)
		return NULL;
	nl = memchr(line, '\n', size - *at);
	*len = nl ? (size_t)(nl - line) : size - *at;
	*at += *len + 1;
	return line;
}

bool folded_is_comparison(const char *text, size_t size)
{
	const char *line;
	size_t at = 0, len, stacks = 0;
	uint64_t value;

	while ((line = next_line(text, size, &at, &len)) != NULL) {
		if (is_comment(line, len) || !take_number(line, &len, &value))
			continue;
		if (!take_number(line, &len, &value))
			return false;
		stacks++;
	}
	return stacks;
}

static int parse(struct folded *f, struct folded *before, const char *text, size_t size,
		 size_t *ignored, struct cdict_error *err)
{
	const char *line;
	size_t at = 0, len;
	int rc = 0;

	while (!rc && (line = next_line(text, size, &at, &len)) != NULL)
		/* empty lines are not counted as ignored */
		if (!is_comment(line, len) && !parse_line(f, before, line, len, &rc, err))
			*ignored += len > 0;
	return rc;
}

int folded_parse(struct folded *f, const char *text, size_t size, size_t *ignored,
		 struct cdict_error *err)
{
	return parse(f, NULL, text, size, ignored, err);
}

int folded_parse_comparison(struct folded *before, struct folded *after, const char *text,
			    size_t size, size_t *ignored, struct cdict_error *err)
{
	return parse(after, before, text, size, ignored, err);
}

/* Writes ';' as a colon, like perf's scripts, and line ends like escape_terminal(). */
static void frame_text(const char *name, struct sink *s)
{
	for (;;) {
		size_t n = strcspn(name, ";");

		escape_terminal(s, name, n);
		if (!name[n])
			return;
		sink_putc(s, ':');
		name += n + 1;
	}
}

void folded_path(const struct folded *f, uint32_t node, struct sink *s)
{
	uint32_t path[FOLDED_DEPTH + 1];
	size_t n = 0;

	for (; node != FOLDED_ROOT; node = f->nodes.at[node].parent)
		path[n++] = node;
	/* would read as a comment */
	if (n && is_comment(f->nodes.at[path[n - 1]].name, strlen(f->nodes.at[path[n - 1]].name)))
		sink_puts(s, "\\x23");
	for (size_t skip = n; n;) {
		const char *name = f->nodes.at[path[--n]].name;

		frame_text(name + (n + 1 == skip && is_comment(name, strlen(name))), s);
		if (n)
			sink_putc(s, ';');
	}
}

void folded_write(const struct folded *f, const struct folded *before, struct sink *s)
{
	char number[FOLDED_ROOM];

	for (size_t i = 0; i < f->nodes.n; i++) {
		const struct folded_node *n = &f->nodes.at[f->order[i]];

		if (!n->stack)
			continue;
		folded_path(f, f->order[i], s);
		if (before)
			sink_printf(s, " %s",
				    folded_number(number, before->parts,
						  before->nodes.at[f->order[i]].value));
		sink_printf(s, " %s\n", folded_number(number, f->parts, n->value));
	}
}
