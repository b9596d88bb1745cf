// SPDX-License-Identifier: GPL-2.0-only
/* Writes mapping files. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/csv.h"
#include "base/fail.h"

/* Quotes when necessary: the reader strips blanks around an unquoted field. */
static void put_cell(struct sink *s, const char *text)
{
	size_t len = strlen(text);
	bool calculated = csv_looks_calculated(text);

	if (!calculated && !strpbrk(text, ",\"\r\n#") && (!len || !strchr(" \t", *text)) &&
	    (!len || !strchr(" \t", text[len - 1]))) {
		sink_add(s, text, len);
		return;
	}
	sink_putc(s, '"');
	if (calculated)
		sink_putc(s, '\'');
	for (; *text; text++) {
		if (*text == '"')
			sink_putc(s, '"');
		sink_putc(s, *text);
	}
	sink_putc(s, '"');
}

/* @used: which columns to write. */
static void put_row(struct sink *s, struct cdict_label *l, const bool used[CSV_COLUMNS])
{
	sink_printf(s, "%" PRId32, l->tid);
	for (unsigned c = CSV_TID + 1; c < CSV_COLUMNS; c++) {
		const char **text = csv_text(l, c);

		if (!used[c])
			continue;
		sink_putc(s, ',');
		if (text)
			put_cell(s, *text);
		else if (l->start_ns)
			sink_printf(s, "%" PRIu64, l->start_ns);
	}
	sink_putc(s, '\n');
}

/* By tid; labels with a known start first. */
static int by_task(const void *a, const void *b)
{
	const struct cdict_label *x = a, *y = b;

	if (x->tid != y->tid)
		return x->tid < y->tid ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns - 1 < y->start_ns - 1 ? -1 : 1;
	return 0;
}

int mapping_write_csv(const struct mapping *m, struct sink *s, struct cdict_error *err)
{
	struct cdict_label *tasks = malloc((m->n + 1) * sizeof(*tasks)), one;
	bool used[CSV_COLUMNS];

	if (!tasks)
		return cdict_fail_nomem(err);
	if (m->n)
		memcpy(tasks, m->labels, m->n * sizeof(*tasks));
	qsort(tasks, m->n, sizeof(*tasks), by_task);
	for (unsigned c = 0; c < CSV_COLUMNS; c++) {
		used[c] = c < CSV_PROJECT;
		for (size_t i = 0; i < m->n && !used[c]; i++)
			used[c] = **csv_text(&tasks[i], c) != 0;
		if (used[c])
			sink_printf(s, "%s%s", c ? "," : "", csv_columns[c].name);
	}
	sink_putc(s, '\n');
	for (size_t i = 0; i < m->n; i++) {
		/* A label without a start applies to all tasks with its tid. */
		if (i && tasks[i].tid == tasks[i - 1].tid &&
		    (!tasks[i].start_ns || tasks[i].start_ns == tasks[i - 1].start_ns))
			continue;
		if (mapping_find(m, tasks[i].tid, tasks[i].start_ns, &one)) {
			one.start_ns = tasks[i].start_ns;
			put_row(s, &one, used);
		}
	}
	free(tasks);
	return 0;
}
