/* SPDX-License-Identifier: GPL-2.0-only */
/* limit.c - see limit.h. */
#include "cmd/tables/limit.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/plural.h"

enum { LEAST = 16000000, RATIO = 16 }; /* estimates: at most 20 MB, or 64 times the files */

/* Bytes that the tables may take; 0: not from captures, any number. */
static uint64_t most_bytes(const struct table_frame *frame)
{
	uint64_t size = frame->reader ? cdict_reader_size(frame->reader) : 0;

	for (size_t i = 0; i < frame->n_others; i++)
		size += frame->others[i].reader ? cdict_reader_size(frame->others[i].reader) : 0;
	if (!size)
		return 0;
	return size > LEAST / RATIO ? RATIO * size : LEAST;
}

/* Bytes that a cell takes about. */
static uint64_t cell_bytes(const struct table *t, size_t r, size_t c, enum table_format format)
{
	enum { NUMBER = 10, SHARE = 17, PADDED = 26, JSON = 6 /* with the key */, METRIC = 128 };
	const struct table_column *column = &t->columns[c];
	bool data = format == TABLE_AS_CSV || format == TABLE_AS_JSON;
	const struct table_cell *cell;
	uint64_t value = column->kind == TABLE_PERCENT ? SHARE : NUMBER;

	if (data ? column->flags & TABLE_HUMAN : column->kind != TABLE_TEXT)
		return data ? 0 : format == TABLE_AS_OPENMETRICS ? METRIC : PADDED;
	cell = table_at(t, r, c);
	if (column->kind == TABLE_TEXT)
		value = cell->set ? strlen(cell->text) : 0;
	if (!data)
		return PADDED + value;
	value = cell->set ? value : 0;
	return format == TABLE_AS_CSV ? value + 1 : strlen(column->key) + JSON + value;
}

/* Bytes that a row takes about: the mean of a few. */
static uint64_t row_bytes(const struct table *t, enum table_format format)
{
	enum { ROWS = 64 };
	uint64_t bytes = 0;
	size_t seen = 0;

	for (size_t r = 0; r < t->shown; r += t->shown / ROWS + 1, seen++) {
		for (size_t c = 0; c < t->n_columns; c++)
			bytes += cell_bytes(t, r, c, format);
	}
	return seen ? bytes / seen + 1 : 1;
}

/* The largest share of @most for each table that is not asked for, where small ones leave theirs to the others. */
static uint64_t share_of(uint64_t most, const uint64_t *needs, size_t n)
{
	uint64_t share = 0, larger;

	do {
		uint64_t small = 0;
		size_t large = 0;

		larger = share;
		for (size_t i = 0; i < n; i++) {
			small += needs[i] <= share ? needs[i] : 0;
			large += needs[i] > share;
		}
		if (!large)
			return UINT64_MAX;
		share = (most - small) / large;
	} while (share > larger);
	return share;
}

static void report(const struct cmd_call *call, const char *file, uint64_t rows, const char *of,
		   size_t others, const char *hint)
{
	if (others)
		cmd_warn(call, file, "... and %s more row%s of %s and %s other table%s%s",
			 GROUPED(rows), plural(rows), of, GROUPED(others), plural(others), hint);
	else
		cmd_warn(call, file, "... and %s more row%s of %s%s", GROUPED(rows), plural(rows),
			 of, hint);
}

void limit_tables(const struct cmd_call *call, const struct table_frame *frame,
		  enum table_format format, struct table *const *tables, size_t n,
		  enum limit_top top)
{
	uint64_t most = most_bytes(frame), share, rows = 0;
	uint64_t *needs = most && n ? calloc(n, sizeof(*needs)) : NULL;
	size_t n_cut = 0, first = 0;

	/* CSV has the first table only */
	n = needs && format == TABLE_AS_CSV ? 1 : n;
	for (size_t i = 0; needs && i < n; i++)
		needs[i] = tables[i]->asked ? 0 : tables[i]->shown * row_bytes(tables[i], format);
	share = needs ? share_of(most, needs, n) : UINT64_MAX;
	for (size_t i = 0; needs && i < n; i++) {
		size_t shown = tables[i]->shown;

		if (needs[i] <= share)
			continue;
		first = n_cut++ ? first : i;
		tables[i]->shown = (size_t)(share / (needs[i] / shown));
		rows += shown - tables[i]->shown;
	}
	free(needs);
	if (n_cut)
		report(call, frame->file, rows, tables[first]->name, n_cut - 1,
		       top == LIMIT_TOP_ALL ? "; -n 0 prints all"
		       : first              ? ""
					    : "; -n prints as many as asked for");
}
