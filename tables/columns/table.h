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
 * A cell that was not set is empty (JSON: null). Texts are untrusted: they are copied as they are
 * and escaped by the printer.
 *
 * Failure    out of memory is remembered; table_done() returns NULL
 */
#ifndef TABLES_COLUMNS_TABLE_H
#define TABLES_COLUMNS_TABLE_H

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
	TABLE_MS,      /* a duration in ns, printed in ms with three decimals */
	TABLE_US,      /* the same, printed in µs with two decimals */
	TABLE_TIME,    /* a point in time, ns of the recording's clock, printed in s */
	TABLE_PERCENT, /* two decimals */
	TABLE_BOOL,    /* 0 or 1, for programs only: false, true */
	TABLE_END,     /* ends the list of columns */
};

enum table_column_flags {
	TABLE_MACHINE = 1,                          /* in CSV and JSON only */
	TABLE_HUMAN = 2,                            /* in text and Markdown only */
	TABLE_WIDE = 4,                             /* in text and Markdown only with -v */
	TABLE_DASH = 8,                             /* text and Markdown show an empty cell as - */
	TABLE_HIDDEN = TABLE_MACHINE | TABLE_HUMAN, /* to sort or find a row by */
	TABLE_EACH = 16,                            /* stays empty in the total */
	/* Often part of the name to its left: on a narrow terminal such a column is dropped first
	 * if the names of all rows contain it. */
	TABLE_IN_NAME = 32,
	/* Its source: in a capture without it the cell is empty, not 0 (tables_lacks()). */
	TABLE_OF_SWITCHES = 1 << 8,
	TABLE_OF_TIMES_OFF = 1 << 9, /* off the CPU: not in recordings of some CPUs */
	TABLE_OF_WAKEUPS = 1 << 10,
	TABLE_OF_ENTRIES = 1 << 11,
	TABLE_OF_QEMU = 1 << 12,
	TABLE_OF_IOWAITS = 1 << 13,
	TABLE_OF_HALTS = 1 << 14,
	TABLE_OF_POLLS = 1 << 15,
	TABLE_OF_CALLS = 1 << 19,
	TABLE_OF_RETURNS = 1 << 20,
	TABLE_OF_CORES = 1 << 18, /* which CPUs are threads of one core */
	/* When a terminal is too narrow for all columns: dropped last, dropped first. */
	TABLE_KEEP = 1 << 16,
	TABLE_SPARE = 1 << 17,
	TABLE_OF_RUNS =
		1 << 23, /* run times: not in recordings of some tasks without sched_stat_runtime */
	TABLE_OF_ALL = 1 << 24, /* includes tasks other than the recorded ones */
	/* prev_state: why tasks left their CPU, and thus which could have run on */
	TABLE_OF_STATES = 1 << 25,
	/* Includes or excludes waits after wake-ups if wake-ups were recorded: not compared with a
	 * capture without them. */
	TABLE_AND_WAKEUPS = 1 << 26,
	TABLE_GAUGE = 1 << 21, /* a count or duration that does not add up over time */
	TABLE_RIGHT = 1 << 22, /* a right-aligned text, like figures */
};

/* Fills one cell (cells.h). */
struct cell;
typedef void table_getter(const struct cell *c);

struct table_column {
	const char *key;   /* CSV, JSON and -s: with the unit, "run_ns" */
	const char *title; /* text and Markdown: "run ms" */
	enum table_kind kind;
	unsigned flags;
	table_getter *get; /* NULL: the code that makes the table fills it */
	size_t at;         /* argument of @get, mostly an offset in the row */
};
#define TABLE_COLUMNS_END                                                                          \
	{                                                                                          \
		.kind = TABLE_END                                                                  \
	}

/* A cell. */
struct table_cell {
	bool set;
	bool lossy;    /* missing events may have changed it */
	bool ordered;  /* after the text's NUL follows the text to sort by */
	uint32_t task; /* + 1: the task that a name means, 0: no particular one */
	union {
		char *text;   /* owned */
		uint64_t u64; /* COUNT, MS, US, TIME */
		int64_t i64;  /* INTEGER, BOOL */
		double percent;
	};
};

struct table {
	const char *name;
	const char *order;   /* the default order, as for table_sort() */
	const char *heading; /* a line above it in text and Markdown, borrowed, or NULL */
	const struct table_column *columns;
	struct table_column *own_columns; /* @columns if owned; NULL: they are borrowed */
	size_t n_columns;
	ARRAY(uint32_t) ids;      /* of each row: number of its cells, or TABLE_LATER + id */
	struct table_cell *cells; /* of the filled rows, in order of insertion */
	size_t n_filled, room;
	struct table_later *later;
	size_t n_rows;
	size_t shown;             /* rows that are printed, after table_top() */
	bool asked;               /* table_top() was called with a number of rows */
	struct table_cell *total; /* NULL: none */
	struct table_cell *now;   /* the row being filled */
	bool any_lossy;           /* some cell is lossy */
	bool grouped;             /* rows are not of one task, whatever the columns */
	unsigned lacks;           /* TABLE_OF_*: columns with these flags are empty */
	bool certain; /* not from a capture, which could lack events: CSV and JSON have no
		       * "lossy" */
	bool failed;
};

/* The cells of a million rows take a gigabyte: rows of analyses are filled on access, one cell at a
 * time. */
#define TABLE_LATER (UINT32_C(1) << 31)
struct table_later {
	void *ctx;
	/* Fills column @column of the row begun in @t from row @id of @ctx. */
	void (*fill)(void *ctx, struct table *t, size_t column, uint32_t id);
	bool (*lossy)(void *ctx, uint32_t id);
	/* The task that the row's name means, + 1, as in its first cell; NULL: fill that cell. */
	uint32_t (*task)(void *ctx, uint32_t id);
	void (*free)(void *ctx);
	/* Internal: the row accessed last, and the row for which is_lossy is cached. */
	struct table *row;
	uint32_t asked; /* + 1 */
	bool is_lossy;
};

/* table_new - @name is the JSON member; @columns ends with TABLE_COLUMNS_END and
 * is borrowed.  NULL when out of memory. */
struct table *table_new(const char *name, const struct table_column *columns);
void table_free(struct table *t);
/* table_done - returns @t, or frees it and returns NULL when out of memory. */
struct table *table_done(struct table *t);

/* table_later - sets the callbacks that fill rows of table_row_later(); takes @later->ctx, even
 * when out of memory. */
void table_later(struct table *t, const struct table_later *later);
void table_row_later(struct table *t, uint32_t id);
/* table_settle - fills all rows, which then no longer need their source. */
void table_settle(struct table *t);
/* table_column - the index of the column with that key; n_columns: none. */
size_t table_column(const struct table *t, const char *key);
/* table_at - the cell (TABLE_TOTAL: of the total); in a row of table_row_later() it is valid until
 * the column is accessed in another row.
 * table_cells - all cells of a row.  table_row_lossy - whether its figures are marked. */
#define TABLE_TOTAL SIZE_MAX
const struct table_cell *table_at(const struct table *t, size_t row, size_t column);
const struct table_cell *table_cells(const struct table *t, size_t row);
bool table_row_lossy(const struct table *t, size_t row);
/* table_row_task - the task that the first cell of a row means, + 1, without filling the cell if possible. */
uint32_t table_row_task(const struct table *t, size_t row);
/* table_id - the id that table_row_later() got for the row. */
uint32_t table_id(const struct table *t, size_t row);
/* table_failed - whether an access to rows ran out of memory. */
bool table_failed(const struct table *t);

void table_row(struct table *t);   /* begins a row */
void table_total(struct table *t); /* begins the total, printed last, never sorted */

void table_text(struct table *t, size_t column, const char *text); /* NULL: empty */
void table_i64(struct table *t, size_t column, int64_t v);
void table_u64(struct table *t, size_t column, uint64_t v);
void table_clear(struct table *t, size_t column);             /* empties the cell */
void table_percent(struct table *t, size_t column, double v); /* not finite: empty */
/* table_order - sorts the text in @column by @order instead, before all texts without one; NULL: by
 * itself. */
void table_order(struct table *t, size_t column, const char *order);
/* table_task - sets the engine's number of the task that the name in @column means. */
void table_task(struct table *t, size_t column, uint32_t task);
/* table_lossy - marks the row or total being filled when missing events may have changed its
 * figures: ~ after them, "lossy" in CSV and JSON. */
void table_lossy(struct table *t, bool lossy);
/* table_share - @part of @whole in percent; empty when @whole is 0. */
void table_share(struct table *t, size_t column, uint64_t part, uint64_t whole);

/* table_add_sums - adds a row to @to for each distinct combination in the columns @by (keys, NULL
 * at the end), in order of appearance: the sums of counts, times and percentages over the rows of
 * @t that @pick accepts. Both have the same columns; all other cells stay empty. */
void table_add_sums(struct table *to, const struct table *t, const char *const *by,
		    bool (*pick)(void *ctx, const struct table *t, size_t row), void *ctx);

/* table_join - one table with the rows of @parts, which have the same columns, and a first column
 * with each row's file. It takes the rows, and has no total; NULL when out of memory. */
struct table *table_join(struct table *const *parts, const char *const *files, size_t n);

/* table_sort - by "key", "key:asc" or "key:desc", several separated by commas. By default texts and
 * identities ascend, figures descend; empty cells come last; equal rows keep their order. NULL: by
 * t->order, if set. CDICT_EUSAGE for an unknown key; the message lists the known ones. */
int table_sort(struct table *t, const char *spec, struct cdict_error *err);
/* table_keep - drops rows: those that @keep refuses, and those after the first @most. */
void table_keep(struct table *t, size_t most,
		bool (*keep)(void *ctx, const struct table *t, size_t row), void *ctx);
/* table_top - prints only the first @n rows; 0: all. */
void table_top(struct table *t, uint64_t n);

/* The context of tables when printed. */
struct table_frame {
	const char *command; /* "tasks": the schema's name is cdict-tasks */
	unsigned version;    /* of the schema; 0 means 1 */
	const char *file;
	const struct cdict_reader
		*reader; /* NULL: the tables are not from a capture, and no line is about one */
	uint64_t from_ns, to_ns; /* the window of the figures */
	/* The windows in it, and their total length; none: all of it. */
	const struct timespec_window *windows;
	size_t n_windows;
	uint64_t length_ns;
	const uint64_t *unknown_ns; /* CPU time without a known task; NULL: not wanted */
	const char *note;  /* a line between title and table in text and Markdown, or NULL */
	const char *chart; /* lines between the tables and the loss line, text only, or NULL */
	bool wide;         /* -v: TABLE_WIDE columns too */
	bool live;         /* drawn again and again: no line on dropped columns */
	/* Width of the terminal: columns that do not fit are left out, the least important first,
	 * unless @wide; durations have their own units. 0: no terminal. */
	unsigned columns;
	/* Not on a terminal: the same, but with the titles' units. 0: all columns. */
	unsigned most_columns;
	/* Further captures with rows in the tables: lines about a capture are printed for each.
	 * Only their file, reader, window and unknown_ns are used. */
	const struct table_frame *others;
	size_t n_others;
};

/* table_length_ns - of the window, or of all windows in it. */
static inline uint64_t table_length_ns(const struct table_frame *frame)
{
	return frame->n_windows ? frame->length_ns : frame->to_ns - frame->from_ns;
}

/* table_print - 0 or a negative errno. */
int table_print(struct sink *s, enum table_format format, const struct table_frame *frame,
		struct table *const *tables, size_t n);

/* table_lacks - calls @report for each event that @tables need and the capture lacks, with the
 * figures that are unknown without it. @hidden: flags of columns to ignore. */
void table_lacks(struct table *const *tables, size_t n, unsigned hidden,
		 void (*report)(void *ctx, const char *event, const char *what), void *ctx);

/* The printers of table_print(). */
void table_print_text(struct sink *s, const struct table_frame *frame, struct table *const *tables,
		      size_t n);
void table_print_md(struct sink *s, const struct table_frame *frame, struct table *const *tables,
		    size_t n);
/* ... one table only, for callers that write the rest; and the lines below all tables: why figures
 * are missing, and the loss. */
void table_print_text_table(struct sink *s, const struct table_frame *frame, const struct table *t);
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
/* table_head_json - these and the losses of all captures: everything before the rows. */
void table_head_json(struct json *j, const struct table_frame *frame);

/* table_cell_json - the value of a cell; times are relative to @t0_ns and may be negative. */
void table_cell_json(struct json *j, const char *key, const struct table_column *col,
		     const struct table_cell *cell, uint64_t t0_ns);
/* table_page_json - the member @key in the format of the page of cdict report (doc/page.md,
 * "Tables"): rows of numbers; names are task numbers, times are relative to @t0_ns. @numbers: the
 * page's number of each task of the engine, UINT32_MAX: none; NULL: the engine's numbers. */
void table_page_json(struct json *j, const char *key, const struct table *t, uint64_t t0_ns,
		     const uint32_t *numbers);

/* table_cell_human - the cell as readable text; the caller escapes it if the column is a text; ""
 * when empty. @room holds numbers. */
const char *table_cell_human(const struct table_column *c, const struct table_cell *cell,
			     char *room);

#endif
