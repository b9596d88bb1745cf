// SPDX-License-Identifier: GPL-2.0-only
/* Reading mapping files.  libcsv does the quoting; lines, comments and what the columns
 * mean are found here. */
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
#include "base/buf.h"
#include "base/escape.h"
#include "base/fail.h"

const char *const csv_columns[CSV_COLUMNS] = {
	[CSV_TID] = "tid",
	[CSV_INSTANCE] = "libvirt-instance",
	[CSV_ROLE] = "role",
	[CSV_UUID] = "uuid",
	[CSV_GROUP_TYPE] = "group-type",
	[CSV_GROUP] = "group-id",
	[CSV_NAME] = "task-name",
	[CSV_START] = "start-ns",
	[CSV_PROJECT] = "project",
};

/* A file larger than this is no mapping. */
#define FILE_MAX ((size_t)1 << 30)

/* One record as libcsv hands it out. */
struct record {
	struct buf text; /* the fields, each with a NUL behind it */
	size_t from[CSV_COLUMNS + 1], len[CSV_COLUMNS + 1];
	size_t n; /* fields, also those beyond the columns */
	bool whole;
};

struct reading {
	struct mapping *into;
	const struct mapping_csv_options *opts;
	struct mapping_csv_result *result;
	struct cdict_error *err;
	struct csv_parser parser;
	struct record rec;
	unsigned column_of[CSV_COLUMNS + 1]; /* what stands at a position: enum csv_column */
	size_t n_columns;                    /* positions that may be filled */
	uint64_t line;                       /* where the record began, from 1 */
	bool first;                          /* no record was seen yet */
};

static void on_field(void *data, size_t len, void *ctx)
{
	struct record *rec = ctx;

	if (rec->n <= CSV_COLUMNS) {
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

static void forget(struct record *rec)
{
	rec->text.len = 0;
	rec->n = 0;
	rec->whole = false;
}

/* A line that cannot be used: left out, or the end.  @column from 0, or -1: the line. */
static int bad(struct reading *rd, int column, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static int bad(struct reading *rd, int column, const char *fmt, ...)
{
	char what[240], where[80] = "";
	struct cdict_error err;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (column >= 0)
		snprintf(where, sizeof(where), ", column %d (%s)", column + 1,
			 column < (int)rd->n_columns ? csv_columns[rd->column_of[column]]
						     : "too many");
	cdict_fail(&err, CDICT_EFORMAT, CDICT_NO_OFFSET, "line %" PRIu64 "%s: %s", rd->line, where,
		   what);
	forget(&rd->rec);
	rd->first = false;
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

/* The start of a foreign text as a message may show it. */
static const char *shown(char room[96], const char *text, size_t len)
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

/* A decimal number up to @max and nothing else. */
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

/* Which column is called so; CSV_COLUMNS: none.  "task_name" and "Task-Name" are as good. */
static unsigned column_called(const char *name)
{
	for (unsigned i = 0; i < CSV_COLUMNS; i++) {
		const char *a = csv_columns[i], *b = name;

		while (*a && (tolower((unsigned char)*b) == *a || (*a == '-' && *b == '_'))) {
			a++;
			b++;
		}
		if (!*a && !*b)
			return i;
	}
	return CSV_COLUMNS;
}

/* A first record that begins with no number is a header if it is one: then it says where
 * the columns stand. */
static bool header(struct reading *rd)
{
	const struct record *rec = &rd->rec;
	unsigned column[CSV_COLUMNS], seen = 0;

	if (rec->n > CSV_COLUMNS)
		return false;
	for (size_t i = 0; i < rec->n; i++) {
		column[i] = column_called(field(rec, i));
		if (column[i] == CSV_COLUMNS || seen & 1u << column[i])
			return false;
		seen |= 1u << column[i];
	}
	if (!(seen & 1u << CSV_TID))
		return false;
	memcpy(rd->column_of, column, rec->n * sizeof(*column));
	rd->n_columns = rec->n;
	return true;
}

static int record(struct reading *rd)
{
	struct record *rec = &rd->rec;
	const char *text[CSV_COLUMNS] = { NULL };
	struct cdict_label l = { .origin = CDICT_LABEL_CSV };
	uint64_t tid = 0, start = 0;
	char room[96];
	int tid_at = 0;

	if (rec->text.failed)
		return cdict_fail_nomem(rd->err);
	if (rd->first && header(rd)) {
		rd->first = false;
		forget(rec);
		return 0;
	}
	rd->first = false;
	if (rec->n > rd->n_columns)
		return bad(rd, (int)rd->n_columns, "%zu fields, at most %zu are expected", rec->n,
			   rd->n_columns);
	for (size_t i = 0; i < rec->n; i++) {
		if (memchr(field(rec, i), 0, rec->len[i]))
			return bad(rd, (int)i, "holds a NUL byte");
		if (rec->len[i] > MAPPING_TEXT_MAX)
			return bad(rd, (int)i, "is %zu bytes long, at most %u are expected",
				   rec->len[i], MAPPING_TEXT_MAX);
		text[rd->column_of[i]] = field(rec, i);
		if (rd->column_of[i] == CSV_TID)
			tid_at = (int)i;
	}
	if (!text[CSV_TID] || !*text[CSV_TID])
		return bad(rd, tid_at, "the thread id is missing");
	if (!number(text[CSV_TID], strlen(text[CSV_TID]), INT32_MAX, &tid) || !tid)
		return bad(rd, tid_at, "%s is no thread id (a number from 1 to 2147483647)",
			   shown(room, text[CSV_TID], strlen(text[CSV_TID])));
	if (text[CSV_START] && *text[CSV_START] &&
	    !number(text[CSV_START], strlen(text[CSV_START]), UINT64_MAX, &start)) {
		size_t at = 0;

		while (rd->column_of[at] != CSV_START)
			at++;
		return bad(rd, (int)at, "%s is no number of nanoseconds",
			   shown(room, text[CSV_START], strlen(text[CSV_START])));
	}
	l.tid = (int32_t)tid;
	l.start_ns = start;
	l.instance = text[CSV_INSTANCE];
	l.role = text[CSV_ROLE];
	l.uuid = text[CSV_UUID];
	l.group_type = text[CSV_GROUP_TYPE];
	l.group = text[CSV_GROUP];
	l.name = text[CSV_NAME];
	l.project = text[CSV_PROJECT];
	rd->result->rows++;
	forget(rec);
	return mapping_add(rd->into, &l, rd->err);
}

static bool restart(struct reading *rd)
{
	csv_free(&rd->parser);
	forget(&rd->rec);
	return !csv_init(&rd->parser, CSV_STRICT | CSV_STRICT_FINI);
}

/* A comment has a # as its first character that is no blank. */
static bool comment(const char *line, size_t len)
{
	size_t i = 0;

	while (i < len && (line[i] == ' ' || line[i] == '\t'))
		i++;
	return i < len && line[i] == '#';
}

/* Length of the line at @at with its end: LF, CR LF or CR. */
static size_t line_len(const char *at, size_t left)
{
	size_t i = 0;

	while (i < left && at[i] != '\n' && at[i] != '\r')
		i++;
	if (i + 1 < left && at[i] == '\r' && at[i + 1] == '\n')
		i++;
	return i < left ? i + 1 : i;
}

/* After a record that cannot be read: what its quote swallowed is read again, from the
 * line after the one where it began. */
static int fault(struct reading *rd, const char *why)
{
	int rc;

	if (csv_error(&rd->parser) != CSV_EPARSE)
		return cdict_fail_nomem(rd->err);
	rc = bad(rd, (int)rd->rec.n, "%s", why);
	return !rc && !restart(rd) ? -ENOMEM : rc;
}

static int parse(struct reading *rd, const char *data, size_t size)
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
		if (!rd->parser.pstate) { /* no record has begun */
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
			rc = fault(rd, "a quote inside a field that is not quoted, or text after "
				       "the quote that ends one");
		if (!failed && at == size && csv_fini(&rd->parser, on_field, on_row, &rd->rec)) {
			failed = true;
			rc = fault(rd, "the quote that begins it is never closed");
		}
		if (failed) {
			line = rd->line;
			at = resume;
		} else if (rd->rec.whole) {
			rc = record(rd);
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
	rc = parse(&rd, data, size);
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

static int read_all(struct buf *b, int fd, struct cdict_error *err)
{
	ssize_t n = 0;

	do {
		uint8_t *room = buf_room(b, 1 << 16);

		if (!room)
			return cdict_fail_nomem(err);
		n = read(fd, room, 1 << 16);
		if (n > 0)
			b->len += (size_t)n;
		if (b->len > FILE_MAX)
			return cdict_fail(err, CDICT_ELIMIT, CDICT_NO_OFFSET,
					  "is larger than 1 GiB: that is no mapping file");
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? cdict_fail_errno(err, "cannot be read") : 0;
}

int mapping_read_csv(struct mapping *m, const char *path, const struct mapping_csv_options *opts,
		     struct mapping_csv_result *result, struct cdict_error *err)
{
	bool is_stdin = !strcmp(path, "-");
	int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC), rc;
	struct buf b = { 0 };

	if (fd < 0)
		return cdict_fail_errno(err, "cannot be opened");
	rc = read_all(&b, fd, err);
	if (!is_stdin)
		close(fd);
	if (!rc)
		rc = mapping_parse_csv(m, b.data ? (const void *)b.data : "", b.len, opts, result,
				       err);
	buf_fini(&b);
	return rc;
}
