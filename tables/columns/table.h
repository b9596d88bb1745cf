/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * table.h - rows of figures, printed as text, CSV, JSON or Markdown.
 *
 *	t = table_new("tasks", columns);
 *	table_row(t);
 *	cells_fill(t, &row);		// cells.h: every column knows its getter
 *	...
 *	table_sort(t, "run_ns:desc", &err);
 *	t = table_done(t);
 *	table_print(&s, TABLE_AS_TEXT, &frame, &t, 1);
 *
 * A cell that was not set is empty (JSON: null).  Texts are foreign: they are
 * copied as they are and escaped by the printer.
 *
 * Failure    out of memory is remembered; table_done() tells
 */
#ifndef TABLES_TABLE_H
#define TABLES_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory/array.h"
#include "base/text/sink.h"
#include "base/text/timespec.h"
#include "cdict/reader.h"
#include "tables/columns/loss.h"

/* How tables are printed. */
enum table_format {
	TABLE_AS_TEXT = 0,
	TABLE_AS_CSV, /* the first table only */
	TABLE_AS_JSON,
	TABLE_AS_MD,
	TABLE_AS_OPENMETRICS, /* for Prometheus */
};

enum table_kind {
	TABLE_TEXT = 0,
	TABLE_INTEGER, /* an identity: tid, cpu; sorts ascending */
	TABLE_CODE,    /* an unsigned identity: an exit's reason; sorts ascending */
	TABLE_COUNT,   /* 12,345 */
	TABLE_MS,      /* a duration in ns, for people in ms with three decimals */
	TABLE_US,      /* the same in µs with two */
	TABLE_TIME,    /* a point in time, ns of the recording's clock, for people in s */
	TABLE_PERCENT, /* two decimals */
	TABLE_BOOL,    /* 0 or 1, for programs only: false, true */
	TABLE_END,     /* of the list of columns */
};

enum table_column_flags {
	TABLE_MACHINE = 1,                          /* in CSV and JSON only */
	TABLE_HUMAN = 2,                            /* in text and Markdown only */
	TABLE_WIDE = 4,                             /* in text and Markdown only with -v */
	TABLE_DASH = 8,                             /* text and Markdown show an empty cell as - */
	TABLE_HIDDEN = TABLE_MACHINE | TABLE_HUMAN, /* to sort or find a row by */
	TABLE_EACH = 16,                            /* stays empty in the total */
	/* Between captures it is compared: counts per second, durations as they are. */
	TABLE_CHANGE = 32,
	TABLE_CHANGE_SHARE = 64 | TABLE_CHANGE, /* ... in percent of the window */
	TABLE_CHANGE_WIDE = 128 | TABLE_CHANGE, /* ... shown with -v only */
	/* What it is made of: empty, not 0, in a capture that lacks it (tables_lacks()). */
	TABLE_OF_SWITCHES = 1 << 8,
	TABLE_OF_TIMES_OFF = 1 << 9, /* off the CPU: a recording of some CPUs lacks them, too */
	TABLE_OF_WAKEUPS = 1 << 10,
	TABLE_OF_ENTRIES = 1 << 11,
	TABLE_OF_QEMU = 1 << 12,
	TABLE_OF_IOWAITS = 1 << 13,
	TABLE_OF_HALTS = 1 << 14,
	TABLE_OF_POLLS = 1 << 15,
	TABLE_OF_CALLS = 1 << 19,
	TABLE_OF_RETURNS = 1 << 20,
	TABLE_OF_CORES = 1 << 18, /* which CPUs are threads of one core */
	/* Where a terminal has no room for all columns: the last to go, the first to go. */
	TABLE_KEEP = 1 << 16,
	TABLE_SPARE = 1 << 17,
	TABLE_OF_RUNS =
		1 << 23, /* how long tasks ran: not of some tasks without sched_stat_runtime */
	TABLE_OF_ALL = 1 << 24, /* what others than the recorded tasks did is a part of it */
	/* prev_state: why tasks left their CPU, so who could have run on */
	TABLE_OF_STATES = 1 << 25,
	TABLE_GAUGE = 1 << 21, /* a count or duration that does not add up over time */
	TABLE_RIGHT = 1 << 22, /* a text that stands to the right, as figures do */
};

/* Fills one cell (cells.h). */
struct cell;
typedef void table_getter(const struct cell *c);

struct table_column {
	const char *key;   /* CSV, JSON and -s: with the unit, "run_ns" */
	const char *title; /* text and Markdown: "run ms" */
	enum table_kind kind;
	unsigned flags;
	table_getter *get; /* NULL: whoever makes the table fills it */
	size_t at;         /* what @get looks at, mostly an offset in the row */
};
#define TABLE_COLUMNS_END                                                                          \
	{                                                                                          \
		.kind = TABLE_END                                                                  \
	}

/* A cell. */
struct table_cell {
	bool set;
	bool lossy;    /* events are missing that can have changed it */
	bool ordered;  /* behind the text's NUL stands another by which it is sorted */
	uint32_t task; /* + 1: whom a name means, 0: nobody in particular */
	union {
		char *text;   /* owned */
		uint64_t u64; /* COUNT, MS, US, TIME */
		int64_t i64;  /* INTEGER, BOOL */
		double percent;
	};
};

struct table {
	const char *name;
	const char *order;   /* as table_sort() takes it: how it comes unless asked otherwise */
	const char *heading; /* a line above it in text and Markdown, borrowed, or NULL */
	const struct table_column *columns;
	struct table_column *own_columns; /* the same, freed with it; NULL: they are borrowed */
	size_t n_columns;
	ARRAY(uint32_t) ids;      /* of each row: of its cells, or + TABLE_LATER of table_later() */
	struct table_cell *cells; /* of the rows that are filled, in the order in which they came */
	size_t n_filled, room;
	struct table_later *later;
	size_t n_rows;
	size_t shown;             /* rows that are printed, after table_top() */
	struct table_cell *total; /* NULL: none */
	struct table_cell *now;   /* the row being filled */
	bool any_lossy;           /* some cell is */
	bool grouped;             /* rows are of no task, whatever its columns could name */
	unsigned lacks;           /* TABLE_OF_*: columns with them are empty */
	bool certain; /* of no capture, that could lack events: CSV and JSON have no "lossy" */
	bool failed;
};

/* The cells of a million rows are a gigabyte: rows of analyses are filled when somebody looks at them, a cell
 * at a time. */
#define TABLE_LATER (UINT32_C(1) << 31)
struct table_later {
	void *ctx;
	/* Fills column @column of the row begun in @t as row @id of @ctx. */
	void (*fill)(void *ctx, struct table *t, size_t column, uint32_t id);
	bool (*lossy)(void *ctx, uint32_t id);
	void (*free)(void *ctx);
	/* A table's own: the row looked at, and of which it was told whether it is lossy. */
	struct table *row;
	uint32_t asked; /* + 1 */
	bool is_lossy;
};

/* table_new - @name is the JSON member; @columns ends with TABLE_COLUMNS_END and
 * is borrowed.  NULL when out of memory. */
struct table *table_new(const char *name, const struct table_column *columns);
void table_free(struct table *t);
/* table_done - the table, or, when memory was short, NULL: then it is freed. */
struct table *table_done(struct table *t);

/* table_later - what rows of table_row_later() are filled by; with its ctx it is taken, also when memory was
 * short. */
void table_later(struct table *t, const struct table_later *later);
void table_row_later(struct table *t, uint32_t id);
/* table_settle - fills all rows, which then need nothing of what they were made of. */
void table_settle(struct table *t);
/* table_column - the place of the column of that key; n_columns: it has none. */
size_t table_column(const struct table *t, const char *key);
/* table_at - the cell (TABLE_TOTAL: of the total); of a row that is filled later it lives until the column is looked
 * at in another one.
 * table_cells - all of a row.  table_row_lossy - whether its figures are marked. */
#define TABLE_TOTAL SIZE_MAX
const struct table_cell *table_at(const struct table *t, size_t row, size_t column);
const struct table_cell *table_cells(const struct table *t, size_t row);
bool table_row_lossy(const struct table *t, size_t row);
/* table_id - of a row that is filled later, what table_row_later() was told. */
uint32_t table_id(const struct table *t, size_t row);
/* table_failed - memory was short while rows were looked at. */
bool table_failed(const struct table *t);

void table_row(struct table *t);   /* begins a row */
void table_total(struct table *t); /* begins the total, printed last, never sorted */

void table_text(struct table *t, size_t column, const char *text); /* NULL: empty */
void table_i64(struct table *t, size_t column, int64_t v);
void table_u64(struct table *t, size_t column, uint64_t v);
void table_clear(struct table *t, size_t column);             /* the cell is empty again */
void table_percent(struct table *t, size_t column, double v); /* not finite: empty */
/* table_order - of the text in @column: by what it is sorted instead, before all that have
 * none; NULL: by itself. */
void table_order(struct table *t, size_t column, const char *order);
/* table_task - of the name in @column: the engine's number of the task that it means. */
void table_task(struct table *t, size_t column, uint32_t task);
/* table_lossy - marks the row or total being filled when missing events can have changed its
 * figures: ~ behind them, "lossy" in CSV and JSON. */
void table_lossy(struct table *t, bool lossy);
/* @part of @whole in percent; empty when @whole is 0. */
void table_share(struct table *t, size_t column, uint64_t part, uint64_t whole);

/* table_add_sums - a row in @to for each of what differs in the columns @by (keys, NULL behind the last),
 * in the order in which they come: the counts, times and percentages of the rows of @t that @pick takes,
 * added up. The columns of both are the same; all else stays empty. */
void table_add_sums(struct table *to, const struct table *t, const char *const *by,
		    bool (*pick)(void *ctx, const struct table_cell *row), void *ctx);

/* table_join - one table of the rows of @parts, which have the same columns, with a column before them that tells
 * the file of each. It takes the rows, and has no total: NULL when out of memory. */
struct table *table_join(struct table *const *parts, const char *const *files, size_t n);

/* table_sort - "key", "key:asc" or "key:desc", several with commas.  Alone, texts and
 * identities ascend, figures descend; empty cells come last; equal rows keep
 * their order.  NULL: by t->order, if it has one.  CDICT_EUSAGE for an unknown key, with the
 * known ones. */
int table_sort(struct table *t, const char *spec, struct cdict_error *err);
/* table_top - only the first @n rows are printed; 0: all. */
void table_top(struct table *t, uint64_t n);

/* What stands around the tables. */
struct table_frame {
	const char *command; /* "tasks": the schema's name is cdict-tasks */
	unsigned version;    /* of the schema; 0 means 1 */
	const char *file;
	const struct cdict_reader
		*reader; /* NULL: the tables are of no capture, and nothing is said of one */
	uint64_t from_ns, to_ns; /* the window of the figures */
	/* Of several in it: these, and how long they are together. */
	const struct timespec_window *windows;
	size_t n_windows;
	uint64_t length_ns;
	const uint64_t *unknown_ns; /* CPU time of which nobody knows the runner; NULL: not asked */
	const char *note;  /* a line between title and table in text and Markdown, or NULL */
	const char *chart; /* lines between the tables and the loss line, text only, or NULL */
	bool wide;         /* -v: TABLE_WIDE columns too */
	/* Of the terminal that the text is for: columns that have no room are left out, the least important
	 * first, unless @wide; durations have units of their own.  0: it is for none. */
	unsigned columns;
	/* Further captures whose rows are in the tables as well: what is said of a capture is said of
	 * each. Of theirs only file, reader, window and unknown_ns are looked at. */
	const struct table_frame *others;
	size_t n_others;
};

/* table_print - 0 or a negative errno. */
int table_print(struct sink *s, enum table_format format, const struct table_frame *frame,
		struct table *const *tables, size_t n);

/* table_lacks - what of the capture @tables would need: for each a call of @tell with the event and what
 * is unknown without it. @hidden: flags of columns that are not looked at. */
void table_lacks(struct table *const *tables, size_t n, unsigned hidden,
		 void (*tell)(void *ctx, const char *event, const char *what), void *ctx);

/* The printers behind it. */
void table_print_text(struct sink *s, const struct table_frame *frame, struct table *const *tables,
		      size_t n);
void table_print_md(struct sink *s, const struct table_frame *frame, struct table *const *tables,
		    size_t n);
/* ... of one table, for who writes the rest himself, and what stands below all: why figures are missing, and the loss. */
void table_print_md_table(struct sink *s, const struct table_frame *frame, const struct table *t);
void table_print_below(struct sink *s, const struct table_frame *frame, struct table *const *tables,
		       size_t n);
void table_print_csv(struct sink *s, const struct table *t);
void table_print_json(struct sink *s, const struct table_frame *frame, struct table *const *tables,
		      size_t n);
void table_print_openmetrics(struct sink *s, const struct table_frame *frame,
			     struct table *const *tables, size_t n);
/* The objects "schema", "capture" and "window_ns" of every JSON document. */
void table_frame_json(struct json *j, const struct table_frame *frame);
/* table_head_json - and what is lost, of all captures: what stands before the rows. */
void table_head_json(struct json *j, const struct table_frame *frame);

/* table_cell_json - the value of a cell; times count from @t0_ns and may lie before it. */
void table_cell_json(struct json *j, const char *key, const struct table_column *col,
		     const struct table_cell *cell, uint64_t t0_ns);
/* table_page_json - the member @key as the page of cdict report has it (doc/page.md,
 * "Tables"): rows of numbers; names are numbers of tasks, times count from @t0_ns.  @numbers: what
 * the page calls each task of the engine, UINT32_MAX: it has none; NULL: as the engine does. */
void table_page_json(struct json *j, const char *key, const struct table *t, uint64_t t0_ns,
		     const uint32_t *numbers);

/* table_cell_human - the cell as people read it, escaped by the caller when it is a
 * text; "" when empty.  @room holds numbers. */
const char *table_cell_human(const struct table_column *c, const struct table_cell *cell,
			     char *room);

#endif
