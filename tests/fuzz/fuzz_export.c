/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A cdict, made as of fuzz_blocks, through every writer of `cdict export`, the whole of it and a
 * part.  The output is read again: JSON is JSON, Perfetto's trace keeps its rules, rows of CSV have
 * the header's cells, nothing in them that a spreadsheet would run, and the slices of a CPU touch;
 * folded stacks add up; a member of gzip holds what went in; perfwhiz's file is one to us; SQLite
 * finds its database whole.  Formats agree on how much there is.
 */
#include <fcntl.h>
#include <unistd.h>

#include "convert/perfwhiz/import.h"
#include "query/export/export.h"
#include "query/export/gzip.h"
#include "query/export/io_export.h"
#include "query/sql/database.h"
#include "query/sql/query.h"
#include "tables/stacks/flame.h"
#include "tests/fuzz/lib/blocksfile.h"
#include "tests/fuzz/lib/limits.h"
#include "tests/fuzz/lib/protocheck.h"
#include "tests/fuzz/lib/walk.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libtraceevent leaks the parsed part of a format that it then refuses. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent.so\n";
}

enum { CSV_CELLS = 64 };

/* A text that a writer made. */
struct made {
	struct buf text;
};

/* This memory stands for the user's file, it is not the writer's. */
static int to_made(void *ctx, const void *data, size_t size)
{
	struct made *m = ctx;
	long most = limits_most;

	limits_end();
	buf_add(&m->text, data, size);
	must(!m->text.failed);
	limits_most = most == INT64_MAX ? most : most + 3 * (long)size;
	return 0;
}

static int to_buf(void *ctx, const void *data, size_t size)
{
	buf_add(ctx, data, size);
	return 0;
}

/* ---- checks of each ---- */

static void json_lines(const char *text, size_t len)
{
	const char *end = text + len;

	must(len >= 2 && !memcmp(text, "[\n", 2));
	for (text += 2; text < end;) {
		const char *nl = memchr(text, '\n', (size_t)(end - text));

		must(nl != NULL);
		if (nl - text > 1 || *text != ']')
			must_be_json_text(text, (size_t)(nl - text), 0);
		text = nl + 1;
	}
}

/* One cell at @p, as RFC 4180 has it, into @cell; where it ends. */
static const char *csv_cell(const char *p, const char *end, struct buf *cell)
{
	cell->len = 0;
	if (p < end && *p == '"') {
		for (p++;; p++) {
			must(p < end);
			if (*p == '"' && (++p == end || *p != '"'))
				break;
			buf_add(cell, p, 1);
		}
	} else {
		for (; p < end && *p != ',' && *p != '\r'; p++) {
			must(*p != '"' && *p != '\n');
			buf_add(cell, p, 1);
		}
	}
	buf_u8(cell, 0);
	must(!cell->failed && p < end &&
	     (*p == ',' || (*p == '\r' && p + 1 < end && p[1] == '\n')));
	return p;
}

static void harmless(const char *cell)
{
	const char *p = cell;
	uint32_t cp;

	if (strchr("=+@-", *p) && *p) {
		p += strspn(p, "-+0123456789.");
		must(!*p && strspn(cell, "-+") <= 1);
	}
	for (p = cell; *p; p += escape_decode(p, strlen(p), &cp)) {
		must(escape_decode(p, strlen(p), &cp) > 0);
		must(cp >= ' ' && (cp < 0x7f || cp > 0x9f));
		must((cp < 0x202a || cp > 0x202e) && (cp < 0x2066 || cp > 0x2069));
	}
}

/* Rows of CPU's slices touch: the end of each is the next one's beginning. */
struct touching {
	ARRAY(uint64_t) ends; /* by CPU, + 1; 0: none yet */
};

static void slice_row(struct touching *t, const struct buf *cells)
{
	uint64_t from = strtoull((const char *)cells[1].data, NULL, 10);
	uint64_t to = from + strtoull((const char *)cells[2].data, NULL, 10);
	size_t cpu = strtoul((const char *)cells[3].data, NULL, 10);

	must(cpu < 65536 && to >= from);
	while (t->ends.n <= cpu) {
		uint64_t *end = array_add(&t->ends);

		must(end != NULL);
		*end = 0;
	}
	must(!t->ends.at[cpu] || t->ends.at[cpu] == from + 1);
	t->ends.at[cpu] = to + 1;
}

static void csv(const char *p, size_t len, bool slices)
{
	struct buf cells[CSV_CELLS] = { { 0 } };
	struct touching touching = { 0 };
	const char *end = p + len;
	size_t want = 0, n = 0;

	must(len > 0);
	while (p < end) {
		must(n < CSV_CELLS);
		p = csv_cell(p, end, &cells[n]);
		harmless((const char *)cells[n++].data);
		if (*p++ == ',')
			continue;
		p++;
		must(!want || n == want);
		if (want && slices &&
		    (!strcmp((const char *)cells[0].data, "run") ||
		     !strcmp((const char *)cells[0].data, "unknown")))
			slice_row(&touching, cells);
		want = n;
		n = 0;
	}
	must(!n);
	for (size_t i = 0; i < CSV_CELLS; i++)
		buf_fini(&cells[i]);
	array_fini(&touching.ends);
}

/* What perfwhiz would read we do read: a row an event. */
static void perfwhiz(const char *text, size_t len)
{
	static const char *const everything[] = { "*" };
	struct convert_options opts = { .events = everything, .n_events = 1, .jobs = 1 };
	struct convert_report report = { 0 };
	struct cdict_error err = { 0 };
	struct perfwhiz_file *pw;
	struct buf out = { 0 };

	must(!perfwhiz_parse(&pw, text, len, &err));
	if (perfwhiz_convert(pw, &opts, to_buf, &out, &report, &err))
		must(err.text[0]);
	else
		must(!report.damaged);
	convert_report_fini(&report);
	perfwhiz_close(pw);
	buf_fini(&out);
}

/* ---- the formats ---- */

enum { PERFETTO, CHROME, PFW, CSV, PERFWHIZ, FORMATS };

static const struct export_format *const formats[] = { &export_perfetto, &export_chrome,
						       &export_pfw, &export_csv, &export_perfwhiz };
static const enum io_to io[] = { IO_PERFETTO, IO_CHROME, IO_PFW, IO_CSV };

static void ask(int format, const struct made *m, bool is_io)
{
	const char *text = (const char *)m->text.data;
	size_t len = m->text.len;

	switch (format) {
	case PERFETTO:
		return protocheck(text, len);
	case CHROME:
		return must_be_json_text(text, len, 0);
	case PFW:
		return json_lines(text, len);
	case CSV:
		return csv(text, len, !is_io);
	default:
		return perfwhiz(text, len);
	}
}

static void unpacked(const struct made *packed, const struct made *plain)
{
	z_stream z = { .next_in = packed->text.data, .avail_in = (uInt)packed->text.len };
	size_t n = plain->text.len;
	uint8_t *room = malloc(n + 1);
	int rc = Z_OK;

	must(room && inflateInit2(&z, 31) == Z_OK);
	z.next_out = room;
	z.avail_out = (uInt)n + 1;
	while ((rc = inflate(&z, Z_NO_FLUSH)) == Z_STREAM_END && z.avail_in)
		must(inflateReset(&z) == Z_OK);
	must(rc == Z_STREAM_END && z.next_out - room == (ptrdiff_t)n &&
	     !memcmp(room, plain->text.data, n));
	inflateEnd(&z);
	free(room);
}

static bool written(struct tables_walk *w, int format, bool gzip, struct made *m,
		    struct export_report *report)
{
	bool is_io = io_export_is(w->reader);
	struct cdict_error err = { 0 };
	struct gzip gz;
	struct sink s;
	int rc;

	sink_to(&s, to_made, m);
	must(!gzip || !gzip_open(&gz, &s, GZIP_MEMBERS, &err));
	if (is_io)
		rc = io_export_write(w, io[format], gzip ? &gz.sink : &s, report, &err);
	else
		rc = export_write(w, formats[format], gzip ? &gz.sink : &s, report, &err);
	must(!gzip || !gzip_close(&gz));
	must(!sink_finish(&s));
	limits_end();
	must(!rc || err.text[0]);
	return !rc;
}

static void each_format(struct tables_walk *w, size_t size)
{
	struct export_report first = { 0 };
	bool is_io = io_export_is(w->reader), any = false;

	for (int f = 0; f < FORMATS - is_io; f++) {
		struct export_report report = { 0 };
		struct made m = { 0 }, packed = { 0 };

		limits_begin(size);
		if (written(w, f, false, &m, &report)) {
			limits_output(m.text.len, size);
			ask(f, &m, is_io);
			/* each gets the same, as far as it asks */
			must(!any || (report.slices == first.slices &&
				      (!report.exits || report.exits == first.exits)));
			if (f == PERFETTO) {
				first = report;
				any = true;
			}
			if (f == CSV && written(w, f, true, &packed, &report))
				unpacked(&packed, &m);
		}
		buf_fini(&m.text);
		buf_fini(&packed.text);
	}
}

static void folded(struct cdict_reader *r, size_t size, const struct tables_options *opts,
		   enum analyze_stacks_by by)
{
	struct folded f = { 0 }, again = { 0 };
	struct analyze_stacks *stacks = NULL;
	struct cdict_error err = { 0 };
	struct tables_walk w;
	size_t len, ignored = 0;
	struct sink s;
	char *text;

	if (tables_walk_init(&w, r, opts, &err) || analyze_stacks_new(&stacks, w.eng, by, &err) ||
	    tables_walk_run(&w, &err) || flame_fold(&f, &w, stacks, NULL, &err)) {
		must(err.text[0]);
	} else {
		sink_to_memory(&s);
		folded_write(&f, NULL, &s);
		text = sink_take(&s, &len);
		limits_output(len, size);
		must(text && !folded_init(&again));
		again.parts = 100;
		/* a number larger than the hundredths of a parsed one is refused */
		if (!folded_parse(&again, text, len, &ignored, &err))
			must(!ignored && !folded_done(&again) &&
			     again.sum == f.sum * (100 / f.parts));
		else
			must(err.text[0]);
		folded_fini(&again);
		free(text);
	}
	folded_fini(&f);
	analyze_stacks_free(stacks);
	tables_walk_fini(&w);
}

/* ---- SQLite ---- */

static int whole(sqlite3 *db, const char *path)
{
	sqlite3_stmt *st = NULL;
	char sql[512];
	int ok;

	snprintf(sql, sizeof(sql), "ATTACH '%s' AS x", path);
	must(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
	must(sqlite3_prepare_v2(db, "PRAGMA x.integrity_check", -1, &st, NULL) == SQLITE_OK);
	ok = sqlite3_step(st) == SQLITE_ROW &&
	     !strcmp((const char *)sqlite3_column_text(st, 0), "ok");
	sqlite3_finalize(st);
	return ok;
}

static void sqlite(struct cdict_reader *r)
{
	const struct query_options opts = { .memory_bytes = 32 << 20 };
	struct query_file file = { .name = "x.cdict", .reader = r };
	const char *dir = getenv("TMPDIR");
	struct cdict_error err = { 0 };
	char path[256];
	sqlite3 *db;
	int fd;

	snprintf(path, sizeof(path), "%s/fuzz_export-XXXXXX", dir ? dir : "/tmp");
	fd = mkstemp(path);
	must(fd >= 0);
	close(fd);
	if (query_export_sqlite(&file, 1, &opts, path, &err)) {
		must(err.text[0]);
	} else {
		must(!query_connect(&db, &err) && whole(db, path));
		sqlite3_close(db);
	}
	unlink(path);
}

/* ---- the target ---- */

static void everything(struct cdict_reader *r, size_t size, const struct tables_options *opts)
{
	struct cdict_error err = { 0 };
	struct tables_walk w;

	limits_begin(size);
	if (tables_walk_init(&w, r, opts, &err) || (!io_export_is(r) && export_prepare(&w, &err)) ||
	    tables_walk_run(&w, &err)) {
		limits_end();
		must(err.text[0]);
	} else {
		each_format(&w, size);
	}
	tables_walk_fini(&w);
	if (cdict_reader_stack_count(r) && !io_export_is(r))
		for (enum analyze_stacks_by by = 0; by < ANALYZE_STACKS_N; by++)
			folded(r, size, opts, by);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct tables_options opts = { 0 };
	uint64_t first_ns, last_ns;
	struct cdict_reader *r;
	struct cdict_error err;
	struct buf file = { 0 };

	blocksfile_make(&file, data, size);
	must(!cdict_reader_parse(&r, file.data, file.len, &err));
	everything(r, file.len, &opts);
	if (cdict_reader_window(r, &first_ns, &last_ns)) {
		opts.from_ns = first_ns + (last_ns - first_ns) / 3;
		opts.to_ns = last_ns - (last_ns - first_ns) / 3;
		opts.names.append_tid = true;
		everything(r, file.len, &opts);
	}
	/* a file on a disk is slow: of one input in eight */
	if (size && !(data[size / 2] & 7))
		sqlite(r);
	cdict_reader_close(r);
	buf_fini(&file);
	return 0;
}
