// SPDX-License-Identifier: GPL-2.0-only
/* Reads mapping files.  libcsv handles quoting; this file handles lines, comments and
 * columns. */
#include <csv.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "annotate/csv.h"
#include "base/fail.h"
#include "base/memory/buf.h"
#include "base/text/escape.h"

const struct csv_column_of csv_columns[CSV_COLUMNS] = {
	[CSV_TID] = { "tid", 0 },
	[CSV_INSTANCE] = { "libvirt-instance", offsetof(struct cdict_label, instance) },
	[CSV_ROLE] = { "role", offsetof(struct cdict_label, role) },
	[CSV_UUID] = { "uuid", offsetof(struct cdict_label, uuid) },
	[CSV_GROUP_TYPE] = { "group-type", offsetof(struct cdict_label, group_type) },
	[CSV_GROUP] = { "group-id", offsetof(struct cdict_label, group) },
	[CSV_NAME] = { "task-name", offsetof(struct cdict_label, name) },
	[CSV_START] = { "start-ns", 0 },
	[CSV_PROJECT] = { "project", offsetof(struct cdict_label, project) },
	[CSV_UNIT] = { "unit", offsetof(struct cdict_label, unit) },
	[CSV_CGROUP] = { "cgroup", offsetof(struct cdict_label, cgroup) },
};

const char **csv_text(struct cdict_label *l, enum csv_column column)
{
	size_t member = csv_columns[column].member;

	return member ? (const char **)((char *)l + member) : NULL;
}

bool csv_looks_calculated(const char *text)
{
	text += strspn(text, "'");
	return *text && strchr("=+-@\t\r\n", *text) && text[1];
}

/* A larger file is not a mapping. */
#define FILE_MAX ((size_t)1 << 30)
#define FIELDS_MAX 64u /* per record; a header may name columns that are left out */
#define LOOK_BACK 64u  /* earlier rows of a tid that a new one is compared with */

/* One record as returned by libcsv. */
struct record {
	struct buf text; /* the fields, each NUL-terminated */
	size_t from[FIELDS_MAX], len[FIELDS_MAX];
	size_t n; /* number of fields, including those beyond FIELDS_MAX */
	bool whole;
};

struct reading {
	struct mapping *into;
	const struct mapping_csv_options *opts;
	struct mapping_csv_result *result;
	struct cdict_error *err;
	struct csv_parser parser;
	struct record rec;
	unsigned column_of[FIELDS_MAX]; /* column at each position; CSV_COLUMNS: left out */
	size_t n_columns;               /* number of positions that may be filled */
	uint64_t line;                  /* first line of the record, from 1 */
	bool first;                     /* this is the first record */
};

static void on_field(void *data, size_t len, void *ctx)
{
	struct record *rec = ctx;

	if (rec->n < FIELDS_MAX) {
		rec->from[rec->n] = rec->text.len;
		rec->len[rec->n] = len;
		buf_add(&rec->text, data, len);
		buf_u8(&rec->text, 0);
	}
	rec->n++;
}

static void on_row(int c, void *ctx)
{
	struct record *rec = ctx;

	(void)c;
	rec->whole = true;
}

static const char *field(const struct record *rec, size_t i)
{
	return (const char *)rec->text.data + rec->from[i];
}

static void clear_record(struct record *rec)
{
	rec->text.len = 0;
	rec->n = 0;
	rec->whole = false;
}

/* "line 3, column 1 (tid): what"; @column from 0, or -1: the line. */
static void fail_at(const struct reading *rd, int column, const char *what, struct cdict_error *err)
{
	char where[80] = "";
	const char *name = "too many";

	if (column >= 0 && (size_t)column < rd->n_columns)
		name = rd->column_of[column] < CSV_COLUMNS ? csv_columns[rd->column_of[column]].name
							   : "skipped";
	if (column >= 0 && rd->first) /* the header itself */
		snprintf(where, sizeof(where), ", column %d", column + 1);
	else if (column >= 0)
		snprintf(where, sizeof(where), ", column %d (%s)", column + 1, name);
	cdict_fail(err, CDICT_EFORMAT, CDICT_NO_OFFSET, "line %" PRIu64 "%s: %s", rd->line, where,
		   what);
}

/* An unusable line: leaves it out, or stops. */
static int skip_or_fail(struct reading *rd, int column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int skip_or_fail(struct reading *rd, int column, const char *fmt, ...)
{
	struct cdict_error err;
	char what[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	fail_at(rd, column, what, &err);
	if (!rd->opts || !rd->opts->skip_bad) {
		if (rd->err)
			*rd->err = err;
		return err.code;
	}
	rd->result->bad++;
	if (rd->opts->bad_line)
		rd->opts->bad_line(rd->opts->ctx, err.text);
	return 0;
}

/* The start of a foreign text, quoted and escaped for a message. */
static const char *quote_text(char room[96], const char *text, size_t len)
{
	struct sink s;
	char *clean;

	sink_to_memory(&s);
	escape_terminal(&s, text, len < 32 ? len : 32);
	clean = sink_take(&s, NULL);
	snprintf(room, 96, "'%s'%s", clean ? clean : "?", len > 32 ? "..." : "");
	free(clean);
	return room;
}

/* Parses exactly a decimal number up to @max. */
static bool number(const char *text, size_t len, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	if (!len || len > 20)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(v, 10u, &v) ||
		    __builtin_add_overflow(v, (uint64_t)(text[i] - '0'), &v))
			return false;
	}
	*out = v;
	return v <= max;
}

/* The column of this name; CSV_COLUMNS: none.  Also accepts "task_name" and "Task-Name". */
static unsigned column_called(const char *name)
{
	for (unsigned i = 0; i < CSV_COLUMNS; i++) {
		const char *a = csv_columns[i].name, *b = name;

		while (*a && (tolower((unsigned char)*b) == *a || (*a == '-' && *b == '_'))) {
			a++;
			b++;
		}
		if (!*a && !*b)
			return i;
	}
	return CSV_COLUMNS;
}

/* A first record that names a column is a header: it sets the order of columns. */
static bool is_header(const struct record *rec)
{
	bool names = false;

	for (size_t i = 0; i < rec->n && i < FIELDS_MAX; i++)
		names |= column_called(field(rec, i)) < CSV_COLUMNS;
	return names && !isdigit((unsigned char)*field(rec, 0));
}

static int unknown_column(struct reading *rd, int column, const char *name)
{
	char all[200] = "";

	for (unsigned i = 0; i < CSV_COLUMNS; i++) {
		strcat(all, i ? ", " : "");
		strcat(all, csv_columns[i].name);
	}
	return skip_or_fail(rd, column, "unknown column %s in the header; expected %s", name, all);
}

static int parse_header(struct reading *rd)
{
	const struct record *rec = &rd->rec;
	unsigned seen = 0;
	char room[96];
	int rc = 0;

	rd->n_columns = rec->n < FIELDS_MAX ? rec->n : FIELDS_MAX;
	for (size_t i = 0; i < rd->n_columns && !rc; i++) {
		const char *name = quote_text(room, field(rec, i), rec->len[i]);
		unsigned c = column_called(field(rec, i));
		bool twice = c < CSV_COLUMNS && seen & 1u << c;

		rd->column_of[i] = twice ? CSV_COLUMNS : c;
		seen |= c < CSV_COLUMNS ? 1u << c : 0;
		if (twice)
			rc = skip_or_fail(rd, (int)i, "duplicate column %s in the header", name);
		else if (c == CSV_COLUMNS)
			rc = unknown_column(rd, (int)i, name);
	}
	if (!rc && !(seen & 1u << CSV_TID))
		rc = skip_or_fail(rd, -1, "missing column tid in the header");
	return rc;
}

/* The separator in @text, the first field of a record, when that is not a comma: it follows the
 * tid or column name. '\0': none. */
static char other_separator(const char *text)
{
	size_t at = strcspn(text, ";|\t ");
	char first[24] = "";

	if (!text[at] || at >= sizeof(first))
		return '\0';
	memcpy(first, text, at);
	return (at && strspn(first, "0123456789") == at) || column_called(first) < CSV_COLUMNS
		       ? text[at]
		       : '\0';
}

static int no_tid(struct reading *rd, int column, const char *text)
{
	char room[96], separator = other_separator(text);

	if (separator)
		return skip_or_fail(rd, column, "fields are separated by %s; expected commas",
				    separator == '\t'  ? "tabs"
				    : separator == ' ' ? "blanks"
				    : separator == ';' ? "';'"
						       : "'|'");
	return skip_or_fail(rd, column, "%s is not a thread id (a number from 1 to 2147483647)",
			    quote_text(room, text, strlen(text)));
}

/* Reports earlier rows that contradict this one. */
static void report_contradictions(struct reading *rd, struct cdict_label *l)
{
	const struct mapping *m = rd->into;
	uint32_t first = mapping_first(m, l->tid), at = first;

	if (!rd->opts || !rd->opts->contradiction)
		return;
	for (unsigned n = 0; at != MAPPING_NONE && n < LOOK_BACK; n++) {
		struct cdict_label old = m->labels[at];

		at = mapping_next(m, at, first);
		if (old.start_ns && l->start_ns && old.start_ns != l->start_ns)
			continue;
		for (size_t i = 0; i < rd->rec.n; i++) {
			unsigned c = rd->column_of[i];
			const char **was = c < CSV_COLUMNS ? csv_text(&old, c) : NULL;
			const char **is = was ? csv_text(l, c) : NULL;
			char text[240], a[96], b[96];
			struct cdict_error why;

			if (!was || !**was || !*is || !**is || !strcmp(*was, *is))
				continue;
			snprintf(text, sizeof(text),
				 "tid %" PRId32 " has %s in an earlier row; using %s", l->tid,
				 quote_text(a, *was, strlen(*was)),
				 quote_text(b, *is, strlen(*is)));
			fail_at(rd, (int)i, text, &why);
			rd->opts->contradiction(rd->opts->ctx, why.text);
		}
	}
}

static int parse_record(struct reading *rd)
{
	struct record *rec = &rd->rec;
	const char *tid = NULL, *start = NULL;
	struct cdict_label l = { .origin = CDICT_LABEL_CSV };
	int tid_at = 0, start_at = 0;
	uint64_t number_of;
	char room[96];

	if (rec->n > rd->n_columns)
		return skip_or_fail(rd, (int)rd->n_columns, "%zu fields, expected at most %zu",
				    rec->n, rd->n_columns);
	for (size_t i = 0; i < rec->n; i++) {
		const char *text = field(rec, i), **into = NULL;
		unsigned column = rd->column_of[i];
		size_t len = rec->len[i];

		if (memchr(text, 0, len))
			return skip_or_fail(rd, (int)i, "contains a NUL byte");
		if (*text == '\'' && csv_looks_calculated(text)) {
			text++;
			len--;
		}
		if (len > MAPPING_TEXT_MAX)
			return skip_or_fail(rd, (int)i, "is %zu bytes long, the limit is %u", len,
					    MAPPING_TEXT_MAX);
		if (column < CSV_COLUMNS)
			into = csv_text(&l, column);
		if (into) {
			*into = text;
		} else if (column == CSV_TID) {
			tid = text;
			tid_at = (int)i;
		} else if (column == CSV_START) {
			start = text;
			start_at = (int)i;
		}
	}
	if (!tid || !*tid)
		return skip_or_fail(rd, tid_at, "missing thread id");
	if (!number(tid, strlen(tid), INT32_MAX, &number_of) || !number_of)
		return no_tid(rd, tid_at, tid);
	l.tid = (int32_t)number_of;
	if (start && *start && !number(start, strlen(start), UINT64_MAX, &l.start_ns))
		return skip_or_fail(rd, start_at, "%s is not a number of nanoseconds",
				    quote_text(room, start, strlen(start)));
	rd->result->rows++;
	report_contradictions(rd, &l);
	return mapping_add(rd->into, &l, rd->err);
}

/* Takes a complete record. */
static int take_record(struct reading *rd)
{
	int rc;

	if (rd->rec.text.failed)
		return cdict_fail_nomem(rd->err);
	if (rd->first && is_header(&rd->rec)) {
		rc = parse_header(rd);
		rd->first = false;
	} else {
		rd->first = false;
		rc = parse_record(rd);
	}
	clear_record(&rd->rec);
	return rc;
}

static bool restart(struct reading *rd)
{
	csv_free(&rd->parser);
	clear_record(&rd->rec);
	return !csv_init(&rd->parser, CSV_STRICT | CSV_STRICT_FINI);
}

/* A comment starts with a #, after any blanks. */
static bool comment(const char *line, size_t len)
{
	size_t i = 0;

	while (i < len && (line[i] == ' ' || line[i] == '\t'))
		i++;
	return i < len && line[i] == '#';
}

/* Length of the line at @at including its end: LF, CR LF or CR. */
static size_t line_len(const char *at, size_t left)
{
	size_t i = 0;

	while (i < left && at[i] != '\n' && at[i] != '\r')
		i++;
	if (i + 1 < left && at[i] == '\r' && at[i + 1] == '\n')
		i++;
	return i < left ? i + 1 : i;
}

/* After an unreadable record: the lines that its quote swallowed are read again, from the
 * line after the record's first one. */
static int retry_after_quote(struct reading *rd, const char *why)
{
	int rc;

	if (csv_error(&rd->parser) != CSV_EPARSE)
		return cdict_fail_nomem(rd->err);
	rd->first = false;
	rc = skip_or_fail(rd, (int)rd->rec.n, "%s", why);
	return !rc && !restart(rd) ? -ENOMEM : rc;
}

static int parse_csv(struct reading *rd, const char *data, size_t size)
{
	size_t at = 0, resume = 0;
	uint64_t line = 0;
	int rc = 0;

	if (size >= 3 && !memcmp(data, "\xef\xbb\xbf", 3))
		at = 3;
	while (!rc && at < size) {
		size_t len = line_len(data + at, size - at), done;
		bool failed;

		line++;
		if (!rd->parser.pstate) { /* between records */
			rd->line = line;
			resume = at + len;
			if (comment(data + at, len)) {
				at += len;
				continue;
			}
		}
		done = csv_parse(&rd->parser, data + at, len, on_field, on_row, &rd->rec);
		failed = done < len;
		at += len;
		if (failed)
			rc = retry_after_quote(
				rd,
				"quote inside an unquoted field, or text after a closing quote");
		if (!failed && at == size && csv_fini(&rd->parser, on_field, on_row, &rd->rec)) {
			failed = true;
			rc = retry_after_quote(rd, "unclosed quote");
		}
		if (failed) {
			line = rd->line;
			at = resume;
		} else if (rd->rec.whole) {
			rc = take_record(rd);
		}
	}
	return rc;
}

int mapping_parse_csv(struct mapping *m, const void *data, size_t size,
		      const struct mapping_csv_options *opts, struct mapping_csv_result *result,
		      struct cdict_error *err)
{
	struct mapping_csv_result sum = { 0 };
	struct mapping read = { 0 };
	struct reading rd = { .into = &read, .opts = opts, .result = &sum, .err = err };
	int rc;

	rd.first = true;
	rd.n_columns = CSV_COLUMNS;
	for (unsigned i = 0; i < CSV_COLUMNS; i++)
		rd.column_of[i] = i;
	if (csv_init(&rd.parser, CSV_STRICT | CSV_STRICT_FINI))
		return cdict_fail_nomem(err);
	rc = parse_csv(&rd, data, size);
	csv_free(&rd.parser);
	buf_fini(&rd.rec.text);
	if (!rc && !m->n) {
		mapping_fini(m);
		*m = read;
		read = (struct mapping){ 0 };
	} else if (!rc) {
		rc = mapping_add_all(m, &read, err);
	}
	mapping_fini(&read);
	if (result)
		*result = sum;
	return rc;
}

int mapping_read_csv(struct mapping *m, const char *path, const struct mapping_csv_options *opts,
		     struct mapping_csv_result *result, struct cdict_error *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), rc;
	struct buf b = { 0 };

	if (fd < 0)
		return cdict_fail_errno(err, "cannot be opened");
	rc = buf_read(&b, fd, FILE_MAX + 1);
	if (rc == -ENOMEM)
		cdict_fail_nomem(err);
	else if (rc)
		cdict_fail_errno(err, "cannot be read");
	else if (!b.len)
		rc = cdict_fail_empty(err, path);
	else if (b.len > FILE_MAX)
		rc = cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
				"is larger than 1 GiB: not a mapping file");
	if (!is_stdin)
		close(fd);
	if (!rc)
		rc = mapping_parse_csv(m, b.data ? (const void *)b.data : "", b.len, opts, result,
				       err);
	buf_fini(&b);
	return rc;
}
