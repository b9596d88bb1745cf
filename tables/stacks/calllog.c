/* SPDX-License-Identifier: LGPL-2.1-only */
/* Call-depth logs. */
#include "tables/stacks/calllog.h"

#include "base/fail.h"

const char *const calllog_figures[] = { "calls", "percent", "cycles", "ns", NULL };

int calllog_init(struct calllog *log)
{
	*log = (struct calllog){ 0 };
	return folded_init(&log->tree);
}

void calllog_fini(struct calllog *log)
{
	folded_fini(&log->tree);
	array_fini(&log->sums);
	*log = (struct calllog){ 0 };
}

/* ---- a line ---- */

struct line {
	size_t depth;
	const char *thread, *function;
	size_t thread_len, function_len;
	uint64_t of[CALLLOG_FIGURES];
};

static void trim(const char **text, size_t *len)
{
	while (*len && (**text == ' ' || **text == '\t')) {
		(*text)++;
		(*len)--;
	}
	while (*len && ((*text)[*len - 1] == ' ' || (*text)[*len - 1] == '\t'))
		(*len)--;
}

/* The thread is the first field, the figures are the last four; the function is between them. */
static bool parse(struct line *l, const char *text, size_t len)
{
	const char *comma;

	*l = (struct line){ 0 };
	while (len && text[len - 1] == '\r')
		len--;
	while (l->depth < len && text[l->depth] == '+')
		l->depth++;
	if (!l->depth || l->depth > FOLDED_DEPTH || l->depth == len || text[l->depth] != ',')
		return false;
	text += l->depth + 1;
	len -= l->depth + 1;
	comma = memchr(text, ',', len);
	if (!comma)
		return false;
	l->thread = text;
	l->thread_len = (size_t)(comma - text);
	trim(&l->thread, &l->thread_len);
	l->function = comma + 1;
	l->function_len = len - (size_t)(comma + 1 - text);
	for (unsigned i = CALLLOG_FIGURES; i--;) {
		const char *figure;
		size_t figure_len;

		comma = memrchr(l->function, ',', l->function_len);
		if (!comma)
			return false;
		figure = comma + 1;
		figure_len = l->function_len - (size_t)(figure - l->function);
		l->function_len = (size_t)(comma - l->function);
		trim(&figure, &figure_len);
		if (!folded_read_number(figure, figure_len, &l->of[i]))
			return false;
	}
	trim(&l->function, &l->function_len);
	return l->function_len;
}

/* ---- a file ---- */

/* The present node of each thread of the file. */
struct threads {
	struct stringset names;
	struct map map;
	ARRAY(uint32_t) at; /* nodes */
};

static uint32_t *place_of(struct threads *t, const struct line *l)
{
	const char *name = stringset_add(&t->names, l->thread, l->thread_len);
	uint32_t *number;

	if (!name || array_reserve(&t->at, t->at.n + 1))
		return NULL;
	number = map_add(&t->map, (uintptr_t)name, 0);
	if (!number)
		return NULL;
	if (*number == MAP_NEW) {
		*number = (uint32_t)t->at.n;
		t->at.at[t->at.n++] = FOLDED_ROOT;
	}
	return &t->at.at[*number];
}

static int add_line(struct calllog *log, struct threads *threads, const struct line *l,
		    struct cdict_error *err)
{
	uint32_t *place = place_of(threads, l), node;
	struct calllog_sum *sum;

	if (!place)
		return cdict_fail_nomem(err);
	/* If a line is deeper by more than one, the line before is its caller. */
	for (node = *place; log->tree.nodes.at[node].depth >= l->depth;)
		node = log->tree.nodes.at[node].parent;
	node = folded_child(&log->tree, node, l->function, l->function_len, FOLDED_PLAIN);
	if (node == FOLDED_NONE || (node >= log->sums.n && array_resize(&log->sums, node + 1)))
		return cdict_fail_nomem(err);
	*place = node;
	sum = &log->sums.at[node];
	sum->lines++;
	for (unsigned i = 0; i < CALLLOG_FIGURES; i++)
		if (__builtin_add_overflow(sum->of[i], l->of[i], &sum->of[i]))
			return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
					  "the stacks' figures add up to more than can be counted");
	return 0;
}

int calllog_read(struct calllog *log, const char *text, size_t size, struct cdict_error *err)
{
	struct threads threads = { 0 };
	struct line l;
	int rc = 0;

	for (size_t at = 0; at < size && !rc;) {
		const char *nl = memchr(text + at, '\n', size - at);
		size_t end = nl ? (size_t)(nl - text) : size;

		if (parse(&l, text + at, end - at)) {
			log->lines++;
			rc = add_line(log, &threads, &l, err);
		} else {
			log->ignored += text[at] == '+';
		}
		at = end + 1;
	}
	stringset_fini(&threads.names);
	map_fini(&threads.map);
	array_fini(&threads.at);
	return rc;
}

/* ---- all of them ---- */

/* Rounds half to even, like printf(). */
static uint64_t mean(uint64_t sum, uint64_t n)
{
	uint64_t whole = sum / n, rest = sum % n;

	return whole + (rest > n - rest || (rest == n - rest && whole % 2));
}

int calllog_done(struct calllog *log, enum calllog_figure of, struct cdict_error *err)
{
	int rc = 0;

	log->tree.parts = 100;
	if (array_resize(&log->sums, log->tree.nodes.n))
		return cdict_fail_nomem(err);
	for (uint32_t i = 1; i < log->sums.n && !rc; i++) {
		struct calllog_sum *sum = &log->sums.at[i];

		if (!sum->lines)
			continue;
		for (unsigned k = 0; k < CALLLOG_FIGURES; k++)
			sum->of[k] = mean(sum->of[k], sum->lines);
		rc = folded_add(&log->tree, i, sum->of[of], sum->lines, err);
	}
	if (!rc && folded_done(&log->tree))
		rc = cdict_fail_nomem(err);
	return rc;
}

enum { STACK, CALLS, PERCENT, CYCLES, NS };

static const struct table_column columns[] = {
	[STACK] = { .key = "stack", .title = "stack", .kind = TABLE_TEXT },
	[CALLS] = { .key = "calls", .title = "calls", .kind = TABLE_PERCENT },
	[PERCENT] = { .key = "percent", .title = "percent", .kind = TABLE_PERCENT },
	[CYCLES] = { .key = "cycles", .title = "cycles", .kind = TABLE_PERCENT },
	[NS] = { .key = "ns", .title = "ns", .kind = TABLE_PERCENT },
	TABLE_COLUMNS_END,
};

struct table *calllog_table(const struct calllog *log)
{
	struct table *t = table_new("stacks", columns);

	if (!t)
		return NULL;
	t->order = "calls,cycles,ns,percent";
	t->certain = true;
	for (size_t i = 0; i < log->tree.nodes.n; i++) {
		uint32_t node = log->tree.order[i];
		const struct calllog_sum *sum = &log->sums.at[node];
		struct sink s;
		char *path;

		if (!log->tree.nodes.at[node].stack)
			continue;
		sink_to_memory(&s);
		folded_path(&log->tree, node, &s);
		path = sink_take(&s, NULL);
		table_row(t);
		t->failed |= !path;
		table_text(t, STACK, path);
		free(path);
		for (unsigned k = 0; k < CALLLOG_FIGURES; k++)
			table_percent(t, CALLS + k, (double)sum->of[k] / 100);
	}
	return table_done(t);
}
