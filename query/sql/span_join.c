// SPDX-License-Identifier: GPL-2.0-only
/*
 * span_join.c - Perfetto's operator tables SPAN_JOIN and SPAN_LEFT_JOIN: the times at which rows of two tables with ts
 * and dur overlap.
 *
 *	CREATE VIRTUAL TABLE both USING SPAN_JOIN(a PARTITIONED cpu, b PARTITIONED cpu);
 *
 * Either table, or a view, may be PARTITIONED by an integer column, both by the same one; rows of a table and partition
 * must not overlap. A row of the result is a piece of time: ts, dur, the partition, then the other columns of both.
 * In a left join, pieces of the first table alone have NULL for the second. Both are read once, in order of time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "query/sql/tables.h"

enum { LEFT = 0, RIGHT = 1, SIDES = 2, NAME_MOST = 200 };

struct side {
	char table[NAME_MOST], partition[NAME_MOST]; /* partition "": none */
	int n, ts, dur, at; /* columns of SELECT *, and their indexes, or -1 */
	char *sql;
};

struct span_table {
	sqlite3_vtab base;
	sqlite3 *db;
	struct side sides[SIDES];
	bool is_left;
	bool busy; /* one of its sides is being read, and must not read this table */
};

struct row {
	sqlite3_stmt *stmt;
	bool there;
	int64_t part, from, to;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct row rows[SIDES];
	int64_t from, to, done; /* the piece; end of the left row's pieces so far */
	bool alone;             /* no right row in the piece */
	bool eof;
	sqlite3_int64 rowid;
};

/* ---- creating ---- */

/* "name" or "name PARTITIONED column". */
static bool parse(struct side *s, const char *text)
{
	char word[NAME_MOST];
	int end = 0;

	if (sscanf(text, " %199s %n", s->table, &end) != 1)
		return false;
	if (!text[end])
		return true;
	text += end;
	end = 0;
	return sscanf(text, "%199s %199s %n", word, s->partition, &end) == 2 && !text[end] &&
	       !sqlite3_stricmp(word, "PARTITIONED");
}

/* Looks up the columns and appends those other than ts, dur and the partition to @text. */
static int describe(struct span_table *t, struct side *s, sqlite3_str *text, char **why)
{
	char *sql = sqlite3_mprintf("SELECT * FROM \"%w\"", s->table);
	sqlite3_stmt *stmt = NULL;
	int rc = sql ? sqlite3_prepare_v2(t->db, sql, -1, &stmt, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	if (rc != SQLITE_OK) {
		*why = sqlite3_mprintf("%s", sqlite3_errmsg(t->db));
		return rc;
	}
	s->n = sqlite3_column_count(stmt);
	s->ts = s->dur = s->at = -1;
	for (int i = 0; i < s->n; i++) {
		const char *name = sqlite3_column_name(stmt, i);

		if (!name)
			rc = SQLITE_NOMEM;
		else if (!sqlite3_stricmp(name, "ts"))
			s->ts = i;
		else if (!sqlite3_stricmp(name, "dur"))
			s->dur = i;
		else if (*s->partition && !sqlite3_stricmp(name, s->partition))
			s->at = i;
		else
			sqlite3_str_appendf(text, ", \"%w\"", name);
	}
	sqlite3_finalize(stmt);
	if (rc == SQLITE_OK && (s->ts < 0 || s->dur < 0 || (*s->partition && s->at < 0))) {
		*why = sqlite3_mprintf("span join: %s has no column %s", s->table,
				       s->ts < 0    ? "ts"
				       : s->dur < 0 ? "dur"
						    : s->partition);
		return SQLITE_ERROR;
	}
	s->sql =
		*s->partition
			? sqlite3_mprintf(
				  "SELECT * FROM \"%w\" WHERE dur > 0 AND \"%w\" IS NOT NULL ORDER BY \"%w\", ts",
				  s->table, s->partition, s->partition)
			: sqlite3_mprintf("SELECT * FROM \"%w\" WHERE dur > 0 ORDER BY ts",
					  s->table);
	return s->sql ? rc : SQLITE_NOMEM;
}

static const char *partition_of(const struct span_table *t)
{
	return *t->sides[LEFT].partition ? t->sides[LEFT].partition : t->sides[RIGHT].partition;
}

static int declare(struct span_table *t, char **why)
{
	sqlite3_str *text = sqlite3_str_new(t->db);
	int rc = SQLITE_OK;
	char *sql;

	sqlite3_str_appendf(text, "CREATE TABLE x(ts INTEGER, dur INTEGER");
	if (*partition_of(t))
		sqlite3_str_appendf(text, ", \"%w\" INTEGER", partition_of(t));
	for (int i = 0; i < SIDES && rc == SQLITE_OK; i++)
		rc = describe(t, &t->sides[i], text, why);
	sqlite3_str_appendf(text, ")");
	sql = sqlite3_str_finish(text);
	if (rc == SQLITE_OK) {
		rc = sql ? sqlite3_declare_vtab(t->db, sql) : SQLITE_NOMEM;
		if (rc == SQLITE_ERROR)
			*why = sqlite3_mprintf("span join: %s", sqlite3_errmsg(t->db));
	}
	sqlite3_free(sql);
	return rc;
}

static int on_disconnect(sqlite3_vtab *base)
{
	struct span_table *t = (struct span_table *)(void *)base;

	for (int i = 0; i < SIDES; i++)
		sqlite3_free(t->sides[i].sql);
	free(t);
	return SQLITE_OK;
}

static int connect(sqlite3 *db, bool is_left, int argc, const char *const *argv, sqlite3_vtab **out,
		   char **why)
{
	struct span_table *t = calloc(1, sizeof(*t));
	int rc = t ? SQLITE_OK : SQLITE_NOMEM;

	if (!t)
		return rc;
	t->db = db;
	t->is_left = is_left;
	if (argc != 5 || !parse(&t->sides[LEFT], argv[3]) || !parse(&t->sides[RIGHT], argv[4])) {
		*why = sqlite3_mprintf(
			"span join takes two tables: a PARTITIONED x, b PARTITIONED x");
		rc = SQLITE_ERROR;
	} else if (*t->sides[LEFT].partition && *t->sides[RIGHT].partition &&
		   sqlite3_stricmp(t->sides[LEFT].partition, t->sides[RIGHT].partition)) {
		*why = sqlite3_mprintf(
			"span join: both tables must be partitioned by the same column");
		rc = SQLITE_ERROR;
	}
	if (rc == SQLITE_OK)
		rc = declare(t, why);
	if (rc != SQLITE_OK) {
		on_disconnect(&t->base);
		return rc;
	}
	*out = &t->base;
	return SQLITE_OK;
}

/* Must differ from on_connect(): else the table would exist without CREATE. */
static int on_create(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		     char **why)
{
	return connect(db, aux != NULL, argc, argv, out, why);
}

static int on_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		      char **why)
{
	return connect(db, aux != NULL, argc, argv, out, why);
}

static int on_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	(void)base;
	info->estimatedCost = 1e9;
	info->estimatedRows = 1000000;
	return SQLITE_OK;
}

/* ---- reading ---- */

static int on_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct cursor *c = calloc(1, sizeof(*c));

	(void)base;
	if (!c)
		return SQLITE_NOMEM;
	*out = &c->base;
	return SQLITE_OK;
}

static int on_close(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)(void *)base;

	for (int i = 0; i < SIDES; i++)
		sqlite3_finalize(c->rows[i].stmt);
	free(c);
	return SQLITE_OK;
}

static int failed(struct cursor *c, int rc)
{
	struct span_table *t = (struct span_table *)(void *)c->base.pVtab;

	sqlite3_free(t->base.zErrMsg);
	t->base.zErrMsg = sqlite3_mprintf("%s", sqlite3_errmsg(t->db));
	return rc;
}

/* Reads the side's next row. */
static int step(struct cursor *c, int which)
{
	struct span_table *t = (struct span_table *)(void *)c->base.pVtab;
	const struct side *s = &t->sides[which];
	struct row *r = &c->rows[which];
	int rc;

	t->busy = true;
	rc = sqlite3_step(r->stmt);
	t->busy = false;
	r->there = rc == SQLITE_ROW;
	if (rc != SQLITE_ROW)
		return rc == SQLITE_DONE ? SQLITE_OK : failed(c, rc);
	r->part = s->at >= 0 ? sqlite3_column_int64(r->stmt, s->at) : 0;
	r->from = sqlite3_column_int64(r->stmt, s->ts);
	if (__builtin_add_overflow(r->from, sqlite3_column_int64(r->stmt, s->dur), &r->to))
		r->to = INT64_MAX;
	return SQLITE_OK;
}

/* Reads the left side's next row; if it overlaps the previous row, its pieces begin at the end of that. A right side
 * without partitions is read again from the start for each partition of the left side. */
static int step_left(struct cursor *c)
{
	const struct span_table *t = (const struct span_table *)(const void *)c->base.pVtab;
	struct row *l = &c->rows[LEFT];
	int64_t part = l->part;
	int rc = step(c, LEFT);

	if (rc != SQLITE_OK || !l->there)
		return rc;
	if (l->part != part || l->from > c->done)
		c->done = l->from;
	if (l->part == part || *t->sides[RIGHT].partition)
		return SQLITE_OK;
	sqlite3_reset(c->rows[RIGHT].stmt);
	return step(c, RIGHT);
}

/* -1, 0, 1: the right row's partition is less than, equal to or greater than the left one's. */
static int compare_parts(const struct cursor *c)
{
	const struct span_table *t = (const struct span_table *)(const void *)c->base.pVtab;

	if (!*t->sides[LEFT].partition || !*t->sides[RIGHT].partition)
		return 0;
	return c->rows[RIGHT].part < c->rows[LEFT].part ? -1
							: c->rows[RIGHT].part > c->rows[LEFT].part;
}

/* Moves to the next piece, in [c->done, left row's end). */
static int advance(struct cursor *c)
{
	const struct span_table *t = (const struct span_table *)(const void *)c->base.pVtab;
	struct row *l = &c->rows[LEFT], *r = &c->rows[RIGHT];
	int rc = SQLITE_OK;

	while (rc == SQLITE_OK) {
		int parts;

		if (!l->there) {
			c->eof = true;
			return SQLITE_OK;
		}
		if (c->done >= l->to) {
			rc = step_left(c);
			continue;
		}
		parts = r->there ? compare_parts(c) : 1;
		if (r->there && (parts < 0 || (!parts && r->to <= c->done))) {
			rc = step(c, RIGHT);
			continue;
		}
		c->from = c->done;
		c->alone = parts > 0 || r->from > c->done;
		c->to = l->to;
		if (c->alone && !parts && r->from < c->to)
			c->to = r->from;
		if (!c->alone && r->to < c->to)
			c->to = r->to;
		c->done = c->to;
		if (!c->alone || t->is_left) {
			c->rowid++;
			return SQLITE_OK;
		}
	}
	return rc;
}

static int on_filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
		     sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)(void *)base;
	const struct span_table *t = (const struct span_table *)(const void *)base->pVtab;
	int rc = SQLITE_OK;

	(void)number;
	(void)text;
	(void)argc;
	(void)argv;
	c->eof = false;
	c->rowid = 0;
	if (t->busy) {
		sqlite3_free(base->pVtab->zErrMsg);
		base->pVtab->zErrMsg = sqlite3_mprintf("span join: the table contains itself");
		return SQLITE_ERROR;
	}
	for (int i = SIDES - 1; i >= 0 && rc == SQLITE_OK; i--) {
		sqlite3_finalize(c->rows[i].stmt);
		c->rows[i] = (struct row){ 0 };
		rc = sqlite3_prepare_v2(t->db, t->sides[i].sql, -1, &c->rows[i].stmt, NULL);
		rc = rc == SQLITE_OK ? step(c, i) : failed(c, rc);
	}
	c->done = c->rows[LEFT].from;
	return rc == SQLITE_OK ? advance(c) : rc;
}

static int on_next(sqlite3_vtab_cursor *base)
{
	return advance((struct cursor *)(void *)base);
}

static int on_eof(sqlite3_vtab_cursor *base)
{
	return ((struct cursor *)(void *)base)->eof;
}

static int on_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	const struct cursor *c = (const struct cursor *)(const void *)base;
	const struct span_table *t = (const struct span_table *)(const void *)base->pVtab;

	if (column < 2) {
		sqlite3_result_int64(ctx, column ? c->to - c->from : c->from);
		return SQLITE_OK;
	}
	column -= 2;
	if (*partition_of(t) && !column--) {
		if (*t->sides[LEFT].partition)
			sqlite3_result_int64(ctx, c->rows[LEFT].part);
		else if (!c->alone)
			sqlite3_result_int64(ctx, c->rows[RIGHT].part);
		return SQLITE_OK;
	}
	for (int i = 0; i < SIDES; i++) {
		const struct side *s = &t->sides[i];

		for (int k = 0; k < s->n; k++) {
			if (k == s->ts || k == s->dur || k == s->at || column--)
				continue;
			if (i == LEFT || !c->alone)
				sqlite3_result_value(ctx, sqlite3_column_value(c->rows[i].stmt, k));
			return SQLITE_OK;
		}
	}
	return SQLITE_OK;
}

static int on_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct cursor *)(void *)base)->rowid;
	return SQLITE_OK;
}

static const sqlite3_module module = {
	.xCreate = on_create,
	.xConnect = on_connect,
	.xBestIndex = on_best_index,
	.xDisconnect = on_disconnect,
	.xDestroy = on_disconnect,
	.xOpen = on_open,
	.xClose = on_close,
	.xFilter = on_filter,
	.xNext = on_next,
	.xEof = on_eof,
	.xColumn = on_column,
	.xRowid = on_rowid,
};

int query_span_join_register(sqlite3 *db)
{
	static const char left[] = "left";
	int rc = sqlite3_create_module_v2(db, "span_join", &module, NULL, NULL);

	return rc == SQLITE_OK ? sqlite3_create_module_v2(db, "span_left_join", &module,
							  (void *)(uintptr_t)left, NULL)
			       : rc;
}
