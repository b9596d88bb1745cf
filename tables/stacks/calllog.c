/* SPDX-License-Identifier: LGPL-2.1-only */
/* Call-depth logs. */
#include "tables/stacks/calllog.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
	double of[CALLLOG_FIGURES]; /* NAN: missing */
};

/* Limits of a figure: their hundredths fit 64 bits. */
enum { NUMBER_MAX = 63 };
#define FIGURE_MAX 1e17

static void trim(const char **text, size_t *len)
{
	while (*len && (**text == ' ' || **text == '\t')) {
		(*text)++;
		(*len)--;
	}
	while (*len && ((*text)[*len - 1] == ' ' || (*text)[*len - 1] == '\t'))
		(*len)--;
}

/* "12", "12.5", "1e3"; "" and "NaN" are missing. */
static bool read_figure(const char *text, size_t len, double *out)
{
	char number[NUMBER_MAX + 1], *end;

	*out = NAN;
	if (!len || (len == 3 && !strncasecmp(text, "nan", 3)))
		return true;
	if (len > NUMBER_MAX || !strchr("0123456789.", *text))
		return false;
	memcpy(number, text, len);
	number[len] = '\0';
	if (strspn(number, "0123456789.eE+-") != len)
		return false;
	*out = strtod(number, &end);
	return !*end && *out < FIGURE_MAX;
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
		if (!read_figure(figure, figure_len, &l->of[i]))
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
	ARRAY(uint32_t) at;   /* nodes */
	ARRAY(char) unquoted; /* the line's function */
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

/* Removes the quotes of a CSV field, in which quotes are doubled. */
static int unquote(struct threads *t, struct line *l)
{
	size_t n = 0, end = l->function_len - 1;

	if (l->function_len < 3 || l->function[0] != '"' || l->function[end] != '"')
		return 0;
	if (array_reserve(&t->unquoted, l->function_len))
		return -ENOMEM;
	for (size_t i = 1; i < end; i++) {
		t->unquoted.at[n++] = l->function[i];
		i += l->function[i] == '"' && l->function[i + 1] == '"';
	}
	l->function = t->unquoted.at;
	l->function_len = n;
	return 0;
}

static void add_figure(struct calllog_mean *mean, double v)
{
	double less = v - mean->excess, sum = mean->sum + less;

	if (isnan(v))
		return;
	mean->excess = sum - mean->sum - less;
	mean->sum = sum;
	mean->n++;
}

static int add_line(struct calllog *log, struct threads *threads, struct line *l,
		    struct cdict_error *err)
{
	uint32_t *place = place_of(threads, l), node;
	struct calllog_sum *sum;

	if (!place || unquote(threads, l))
		return cdict_fail_nomem(err);
	/* If a line is deeper by more than one, the line before is its caller. */
	for (node = *place; log->tree.nodes.at[node].depth >= l->depth;)
		node = log->tree.nodes.at[node].parent;
	node = folded_child(&log->tree, node, l->function, l->function_len, FOLDED_USER);
	if (node == FOLDED_NONE || (node >= log->sums.n && array_resize(&log->sums, node + 1)))
		return cdict_fail_nomem(err);
	*place = node;
	sum = &log->sums.at[node];
	sum->lines++;
	for (unsigned i = 0; i < CALLLOG_FIGURES; i++)
		add_figure(&sum->of[i], l->of[i]);
	return 0;
}

int calllog_read(struct calllog *log, const char *text, size_t size, struct cdict_error *err)
{
	struct threads threads = { 0 };
	/* a byte-order mark */
	size_t at = size >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0;
	struct line l;
	int rc = 0;

	while (at < size && !rc) {
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
	array_fini(&threads.unquoted);
	return rc;
}

/* ---- all of them ---- */

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
			if (sum->of[k].n)
				sum->of[k].hundredths =
					(uint64_t)rint(sum->of[k].sum / (double)sum->of[k].n * 100);
		rc = folded_add(&log->tree, i, sum->of[of].hundredths, sum->lines, err);
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

/* The rows' order where their figures are equal is that of the texts, as a script sorts them. */
struct row {
	char *path;
	const struct calllog_sum *sum;
};

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct row *)a)->path, ((const struct row *)b)->path);
}

static void fill_row(struct table *t, const struct row *row)
{
	table_row(t);
	table_text(t, STACK, row->path);
	for (unsigned k = 0; k < CALLLOG_FIGURES; k++)
		if (row->sum->of[k].n)
			table_percent(t, CALLS + k, (double)row->sum->of[k].hundredths / 100);
}

struct table *calllog_table(const struct calllog *log)
{
	struct table *t = table_new("stacks", columns);
	struct row *rows = calloc(log->tree.nodes.n, sizeof(*rows));
	size_t n = 0;

	if (t) {
		t->order = "calls,cycles,ns,percent";
		t->certain = true;
		t->failed |= !rows;
	}
	for (size_t i = 0; t && !t->failed && i < log->tree.nodes.n; i++) {
		struct sink s;

		if (!log->tree.nodes.at[i].stack)
			continue;
		sink_to_memory(&s);
		folded_path(&log->tree, (uint32_t)i, &s);
		rows[n] = (struct row){ sink_take(&s, NULL), &log->sums.at[i] };
		t->failed |= !rows[n++].path;
	}
	if (t && !t->failed && n)
		qsort(rows, n, sizeof(*rows), by_path);
	for (size_t i = 0; i < n; i++) {
		if (!t->failed)
			fill_row(t, &rows[i]);
		free(rows[i].path);
	}
	free(rows);
	return table_done(t);
}
