/* SPDX-License-Identifier: LGPL-2.1-only */
/* Exits: time in the guest, and accesses by port, address, MSR and vector. */
#include <inttypes.h>
#include <stdio.h>

#include "tables/columns/decl.h"
#include "tables/columns/tables.h"

#define GUEST(member) offsetof(struct analyze_guest_row, member)

#define CELLS_OF_VCPU                                                                              \
	{ "name", "task", TABLE_TEXT, 0, cell_name, 0 },                                           \
		{ "tid", "tid", TABLE_INTEGER, 0, cell_tid, 0 },                                   \
		{ "vm", "vm", TABLE_TEXT, TABLE_IN_NAME, cell_vm, 0 },                             \
	{                                                                                          \
		"vcpu", "vcpu", TABLE_INTEGER, TABLE_IN_NAME, cell_vcpu, 0                         \
	}

/* In percent of its life. */
static void cell_guest_share(const struct cell *c)
{
	const struct analyze_guest_row *row = c->row;

	table_share(c->t, c->column, row->guest_ns,
		    c->r->window_ns -
			    (c->r->task ? analyze_engine_absent_ns(c->r->w->eng, row->task) : 0));
}

static const struct table_column guest_columns[] = {
	CELLS_OF_VCPU,
	{ "entries", "entries", TABLE_COUNT, 0, cell_u64, GUEST(entries) },
	{ "guest_ns", "guest ms", TABLE_MS, TABLE_KEEP | TABLE_OF_ENTRIES, cell_u64,
	  GUEST(guest_ns) },
	{ "guest_percent", "guest %", TABLE_PERCENT, TABLE_OF_ENTRIES, cell_guest_share, 0 },
	{ "avg_ns", "avg us", TABLE_US, 0, cell_avg, GUEST(time) },
	{ "p50_ns", "p50 us", TABLE_US, TABLE_WIDE, cell_p50, GUEST(time) },
	{ "p99_ns", "p99 us", TABLE_US, 0, cell_p99, GUEST(time) },
	{ "p999_ns", "p99.9 us", TABLE_US, TABLE_WIDE, cell_p999, GUEST(time) },
	{ "max_ns", "max us", TABLE_US, TABLE_KEEP, cell_max, GUEST(time) },
	{ "max_at_ns", "max at s", TABLE_TIME, TABLE_WIDE, cell_max_at, GUEST(time) },
	{ "unpaired", "unpaired", TABLE_COUNT, TABLE_WIDE, cell_u64, GUEST(broken) },
	TABLE_COLUMNS_END,
};

TABLES_ROWS(guest, exits, analyze_exits_guest_count, analyze_exits_guest_at)

const struct tables_decl tables_decl_guest = {
	.name = "guest",
	.columns = guest_columns,
	.order = "guest_ns",
	.count = guest_count,
	.at = guest_at,
};

struct table *tables_guest(const struct tables_walk *w)
{
	return tables_make(w, &tables_decl_guest, false);
}

/* ---- accesses ---- */

#define ACCESS(member) offsetof(struct analyze_access_row, member)

static const struct analyze_access_row *access_of(const struct tables_row *r)
{
	return r->row;
}

static void cell_where(const struct cell *c)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%" PRIx64, access_of(c->r)->where);
	table_text(c->t, c->column, text);
}

static void cell_direction(const struct cell *c)
{
	static const char *const texts[ANALYZE_ACCESS_N][2] = {
		[ANALYZE_ACCESS_PIO] = { "in", "out" },
		[ANALYZE_ACCESS_MMIO] = { "read", "write" },
		[ANALYZE_ACCESS_MSR] = { "read", "write" },
	};

	table_text(c->t, c->column, texts[access_of(c->r)->kind][access_of(c->r)->write]);
}

/* Empty when no access has a time. */
static void cell_time(const struct cell *c)
{
	if (access_of(c->r)->time.count)
		cell_sum(c);
}

#define ACCESS_COLUMNS(key, title)                                                                     \
	{                                                                                              \
		CELLS_OF_VCPU, { key, title, TABLE_TEXT, 0, cell_where, 0 },                           \
			{ "direction", "direction", TABLE_TEXT, 0, cell_direction, 0 },                \
			{ "count", "count", TABLE_COUNT, 0, cell_u64, ACCESS(events) },                \
			{ "timed", "timed", TABLE_COUNT, TABLE_WIDE, cell_count, ACCESS(time) },       \
			{ "time_ns", "time ms", TABLE_MS, 0, cell_time, ACCESS(time) },                \
			{ "min_ns", "min us", TABLE_US, 0, cell_min, ACCESS(time) },                   \
			{ "avg_ns", "avg us", TABLE_US, 0, cell_avg, ACCESS(time) },                   \
			{ "p50_ns", "p50 us", TABLE_US, TABLE_WIDE, cell_p50, ACCESS(time) },          \
			{ "p99_ns", "p99 us", TABLE_US, 0, cell_p99, ACCESS(time) },                   \
			{ "p999_ns", "p99.9 us", TABLE_US, TABLE_WIDE, cell_p999, ACCESS(time) },      \
			{ "max_ns", "max us", TABLE_US, 0, cell_max, ACCESS(time) }, { "max_at_ns",    \
										       "max at s",     \
										       TABLE_TIME,     \
										       TABLE_WIDE,     \
										       cell_max_at,    \
										       ACCESS(time) }, \
			TABLE_COLUMNS_END,                                                             \
	}

static const struct table_column access_columns[ANALYZE_ACCESS_N][17] = {
	[ANALYZE_ACCESS_PIO] = ACCESS_COLUMNS("port", "port"),
	[ANALYZE_ACCESS_MMIO] = ACCESS_COLUMNS("address", "address"),
	[ANALYZE_ACCESS_MSR] = ACCESS_COLUMNS("msr", "MSR"),
	[ANALYZE_ACCESS_VIRQ] = ACCESS_COLUMNS("vector", "vector"),
};

struct table *tables_accesses(const struct tables_walk *w, enum analyze_access_kind kind)
{
	struct table *t = table_new("exits", access_columns[kind]);
	struct tables_row r = { .w = w };

	if (t)
		t->order = "time_ns,count";
	for (size_t i = 0; t && i < analyze_exits_access_count(w->exits); i++) {
		const struct analyze_access_row *row = analyze_exits_access_at(w->exits, i);

		r.task = analyze_engine_task(w->eng, row->task);
		if (row->kind != kind || !names_wanted(&w->names, r.task))
			continue;
		r.row = row;
		table_row(t);
		cells_fill(t, &r);
		table_lossy(t, tables_lossy(w, r.task));
	}
	return table_done(t);
}
