/* SPDX-License-Identifier: GPL-2.0-only */
/* csv.h - labels as a CSV file: cdict-annotate(1), "MAPPING FILES". */
#ifndef ANNOTATE_CSV_H
#define ANNOTATE_CSV_H

#include "base/sink.h"
#include "format/mapping.h"

enum csv_column {
	CSV_TID,
	CSV_INSTANCE,
	CSV_ROLE,
	CSV_UUID,
	CSV_GROUP_TYPE,
	CSV_GROUP,
	CSV_NAME,
	/* These may be absent, as all but the first may be empty. */
	CSV_START,
	CSV_PROJECT,
	CSV_COLUMNS,
};

/* A column, and which text of a label it is; 0: a number of its own. */
struct csv_column_of {
	const char *name;
	size_t member;
};

extern const struct csv_column_of csv_columns[CSV_COLUMNS];

/* csv_text - the column's text of @l; NULL for a column of numbers. */
const char **csv_text(struct cdict_label *l, enum csv_column column);

/* csv_looks_calculated - whether a spreadsheet would take @text for a formula (=1+1, also +, -, @
 * and what blanks hide); a ' before it makes it a text, there and here: the writer puts one, the
 * reader takes one away. Those that are there already are looked through. */
bool csv_looks_calculated(const char *text);

struct mapping_csv_options {
	bool skip_bad; /* bad lines are left out instead of refusing the file */
	/* Told of each bad line that is left out: "line 3, column 1 (tid): ..."; may be NULL. */
	void (*bad_line)(void *ctx, const char *text);
	/* Told of each row that says something else of a task than a row before it, in the same
	 * form; may be NULL. The later one counts. */
	void (*contradiction)(void *ctx, const char *text);
	void *ctx;
};

struct mapping_csv_result {
	size_t rows; /* labels read */
	size_t bad;  /* lines, or columns of the header, left out */
};

/* mapping_read_csv - reads @path ("-": standard input) into @m, origin CSV.
 * mapping_parse_csv - the same from memory. @opts and @result may be NULL. On failure
 * *err says "line 3, column 1 (tid): ..." and @m is as it was. */
int mapping_read_csv(struct mapping *m, const char *path, const struct mapping_csv_options *opts,
		     struct mapping_csv_result *result, struct cdict_error *err);
int mapping_parse_csv(struct mapping *m, const void *data, size_t size,
		      const struct mapping_csv_options *opts, struct mapping_csv_result *result,
		      struct cdict_error *err);

/* mapping_write_csv - one row per (tid, start_ns), in ascending order of them, with a
 * header row; origins are brought together as mapping_find() does. Failures of writing
 * stay in the sink; -ENOMEM. */
int mapping_write_csv(const struct mapping *m, struct sink *s, struct cdict_error *err);

#endif
