/* SPDX-License-Identifier: GPL-2.0-only */
/* csv.h - labels as a CSV file: cdict-annotate(1), "MAPPING FILES". */
#ifndef ANNOTATE_CSV_H
#define ANNOTATE_CSV_H

#include "base/text/sink.h"
#include "format/labels/mapping.h"

enum csv_column {
	CSV_TID,
	CSV_INSTANCE,
	CSV_ROLE,
	CSV_UUID,
	CSV_GROUP_TYPE,
	CSV_GROUP,
	CSV_NAME,
	/* Optional columns; in all but the first, values may be empty. */
	CSV_START,
	CSV_PROJECT,
	CSV_UNIT,
	CSV_CGROUP,
	CSV_COLUMNS,
};

/* A column, and its text in a label; 0: a column of numbers. */
struct csv_column_of {
	const char *name;
	size_t member;
};

extern const struct csv_column_of csv_columns[CSV_COLUMNS];

/* csv_text - the column's text in @l; NULL for a column of numbers. */
const char **csv_text(struct cdict_label *l, enum csv_column column);

/* csv_looks_calculated - whether a spreadsheet would evaluate @text as a formula (=1+1, also +, -, @
 * and after blanks); a leading ' makes it text: the writer adds one, the reader removes one. Existing
 * leading ' are skipped by this check. */
bool csv_looks_calculated(const char *text);

struct mapping_csv_options {
	bool skip_bad; /* leave bad lines out instead of rejecting the file */
	/* Called for each bad line that is left out: "line 3, column 1 (tid): ..."; may be NULL. */
	void (*bad_line)(void *ctx, const char *text);
	/* Called for each row that contradicts an earlier row of the same task, in the same
	 * format; may be NULL. The later row counts. */
	void (*contradiction)(void *ctx, const char *text);
	void *ctx;
};

struct mapping_csv_result {
	size_t rows; /* labels read */
	size_t bad;  /* lines, or header columns, left out */
};

/* mapping_read_csv - reads @path ("-": standard input) into @m, origin CSV.
 * mapping_parse_csv - the same from memory. @opts and @result may be NULL. On failure
 * *err is "line 3, column 1 (tid): ..." and @m is unchanged. */
int mapping_read_csv(struct mapping *m, const char *path, const struct mapping_csv_options *opts,
		     struct mapping_csv_result *result, struct cdict_error *err);
int mapping_parse_csv(struct mapping *m, const void *data, size_t size,
		      const struct mapping_csv_options *opts, struct mapping_csv_result *result,
		      struct cdict_error *err);

/* mapping_write_csv - one row per (tid, start_ns), in ascending order, with a
 * header row; merges origins as mapping_find() does. Write failures
 * stay in the sink; -ENOMEM. */
int mapping_write_csv(const struct mapping *m, struct sink *s, struct cdict_error *err);

#endif
