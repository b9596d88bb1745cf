/* SPDX-License-Identifier: LGPL-2.1-only */
/* Tables for the page of cdict report: doc/page.md, "Tables". */
#include <inttypes.h>
#include <string.h>

#include "base/text/json.h"
#include "tables/columns/table.h"

/* Columns that the page replaces by the task's number. */
static bool is_identity(const char *key)
{
	static const char *const keys[] = { "name", "tid", "pid", "comm", "vm", "vcpu" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		if (!strcmp(key, keys[i]))
			return true;
	}
	return false;
}

enum fate { PLAIN, TASK, DROPPED };

/* @has_name: it is a table of tasks. */
static enum fate fate_of(const struct table_column *c, bool has_name)
{
	if (c->flags & TABLE_HUMAN)
		return DROPPED;
	if (!strcmp(c->key, "antagonist") || !strcmp(c->key, "worst_task") ||
	    !strcmp(c->key, "worst_antagonist") || !strcmp(c->key, "next"))
		return TASK;
	if (!strncmp(c->key, "antagonist_", 11) || !strncmp(c->key, "next_", 5) ||
	    !strcmp(c->key, "worst_task_tid") || !strcmp(c->key, "worst_antagonist_tid"))
		return DROPPED;
	if (!has_name || !is_identity(c->key))
		return PLAIN;
	return strcmp(c->key, "name") ? DROPPED : TASK;
}

static bool has_name(const struct table *t)
{
	return t->n_columns && !t->grouped && !strcmp(t->columns[0].key, "name");
}

static void head(struct json *j, const struct table *t)
{
	json_open(j, "identity", '[', false);
	for (size_t c = 0; has_name(t) && c < t->n_columns; c++) {
		if (!(t->columns[c].flags & TABLE_HUMAN) && is_identity(t->columns[c].key))
			json_text(j, NULL, t->columns[c].key);
	}
	json_close(j);
	json_open(j, "columns", '[', false);
	for (size_t c = 0; c < t->n_columns; c++) {
		enum fate fate = fate_of(&t->columns[c], has_name(t));

		if (fate == TASK)
			json_text(j, NULL, c ? t->columns[c].key : "task");
		else if (fate == PLAIN)
			json_text(j, NULL, t->columns[c].key);
	}
	json_text(j, NULL, "lossy");
	json_close(j);
}

/* Writes the value of column @c. */
static void value_json(struct json *j, const struct table *t, size_t c, enum fate fate, size_t row,
		       uint64_t t0_ns, const uint32_t *numbers)
{
	const struct table_cell *cell = table_at(t, row, c);
	uint32_t task = cell->task - 1;

	if (fate == PLAIN) {
		table_cell_json(j, NULL, &t->columns[c], cell, t0_ns);
		return;
	}
	if (cell->task && numbers)
		task = numbers[task];
	if (task != UINT32_MAX)
		json_u64(j, NULL, task);
	else
		json_null(j, NULL);
}

/* Column by column: repeated values are adjacent and deflate well. */
static void columns_json(struct json *j, const struct table *t, uint64_t t0_ns,
			 const uint32_t *numbers)
{
	json_open(j, "by_column", '[', true);
	for (size_t c = 0; c < t->n_columns; c++) {
		enum fate fate = fate_of(&t->columns[c], has_name(t));

		if (fate == DROPPED)
			continue;
		json_open(j, NULL, '[', false);
		for (size_t r = 0; r < t->shown; r++)
			value_json(j, t, c, fate, r, t0_ns, numbers);
		json_close(j);
	}
	json_open(j, NULL, '[', false);
	for (size_t r = 0; r < t->shown; r++)
		json_bool(j, NULL, table_row_lossy(t, r));
	json_close(j);
	json_close(j);
}

static void total_json(struct json *j, const struct table *t, uint64_t t0_ns,
		       const uint32_t *numbers)
{
	json_open(j, "total", '[', false);
	for (size_t c = 0; c < t->n_columns; c++) {
		enum fate fate = fate_of(&t->columns[c], has_name(t));

		if (fate != DROPPED)
			value_json(j, t, c, fate, TABLE_TOTAL, t0_ns, numbers);
	}
	json_bool(j, NULL, t->total[0].lossy);
	json_close(j);
}

void table_page_json(struct json *j, const char *key, const struct table *t, uint64_t t0_ns,
		     const uint32_t *numbers)
{
	json_open(j, key, '{', true);
	head(j, t);
	columns_json(j, t, t0_ns, numbers);
	if (t->total)
		total_json(j, t, t0_ns, numbers);
	else
		json_null(j, "total");
	json_close(j);
}
