// SPDX-License-Identifier: GPL-2.0-only
/*
 * active_table.c - active_sums(FILE [, NAME]): of what overlaps the events on files whose names hold FILE (events called
 * NAME alone), count and sum by name and category. The same can be asked with interval_union() over slice; this
 * walks columns with threads.
 */
#include <errno.h>
#include <stdlib.h>

#include "query/active.h"
#include "query/tables.h"

enum {
	ACTIVE_NAME,
	ACTIVE_CATEGORY,
	ACTIVE_COUNT,
	ACTIVE_SUM,
	ACTIVE_DUR,
	ACTIVE_RUN,
	ACTIVE_FILE, /* the arguments */
	ACTIVE_ONLY,
};

struct vtab {
	sqlite3_vtab base;
	struct query_db *db;
};

struct cursor {
	sqlite3_vtab_cursor base;
	sqlite3_value *file, *only;
	struct active found; /* of the file @run */
	size_t run, at;
};

static int on_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		      char **why)
{
	int rc = sqlite3_declare_vtab(db, "CREATE TABLE x(name TEXT, category TEXT, count INTEGER, "
					  "sum REAL, dur INTEGER, run TEXT, file TEXT HIDDEN, "
					  "only TEXT HIDDEN)");
	struct vtab *v;

	(void)argc;
	(void)argv;
	(void)why;
	if (rc != SQLITE_OK)
		return rc;
	v = calloc(1, sizeof(*v));
	if (!v)
		return SQLITE_NOMEM;
	v->db = aux;
	v->db->refs++;
	*out = &v->base;
	return SQLITE_OK;
}

static int on_disconnect(sqlite3_vtab *vtab)
{
	struct vtab *v = (struct vtab *)(void *)vtab;

	query_db_unref(v->db);
	free(v);
	return SQLITE_OK;
}

/* The arguments that are given, a bit each; FILE must be. */
static int on_best_index(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	int at[2] = { -1, -1 }, n = 0;

	for (int i = 0; i < info->nConstraint; i++) {
		int column = info->aConstraint[i].iColumn;

		if ((column != ACTIVE_FILE && column != ACTIVE_ONLY) ||
		    info->aConstraint[i].op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		if (!info->aConstraint[i].usable)
			return SQLITE_CONSTRAINT;
		at[column - ACTIVE_FILE] = i;
	}
	if (at[0] < 0) {
		sqlite3_free(vtab->zErrMsg);
		vtab->zErrMsg = sqlite3_mprintf("active_sums() takes what names of files hold");
		return SQLITE_ERROR;
	}
	for (int k = 0; k < 2; k++) {
		if (at[k] < 0)
			continue;
		info->aConstraintUsage[at[k]].argvIndex = ++n;
		info->aConstraintUsage[at[k]].omit = 1;
	}
	info->estimatedCost = 1000000;
	info->estimatedRows = 100;
	return SQLITE_OK;
}

static int on_open(sqlite3_vtab *vtab, sqlite3_vtab_cursor **out)
{
	struct cursor *c = calloc(1, sizeof(*c));

	(void)vtab;
	if (!c)
		return SQLITE_NOMEM;
	*out = &c->base;
	return SQLITE_OK;
}

static void clear(struct cursor *c)
{
	active_fini(&c->found);
	sqlite3_value_free(c->file);
	sqlite3_value_free(c->only);
	c->file = c->only = NULL;
}

static int on_close(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)(void *)base;

	clear(c);
	free(c);
	return SQLITE_OK;
}

/* From the file c->run on to the next that has rows. */
static int find_rows(struct cursor *c)
{
	const struct query_db *qdb = ((struct vtab *)(void *)c->base.pVtab)->db;

	for (; c->run < qdb->runs.n; c->run++) {
		const struct query_run_of *run = qdb->runs.at[c->run];
		struct active_options opts = {
			.file = (const char *)sqlite3_value_text(c->file),
			.name = c->only ? (const char *)sqlite3_value_text(c->only) : NULL,
			.from_ns = run->from_ns,
			.to_ns = run->to_ns,
			.jobs = qdb->opts.jobs,
		};
		struct cdict_error err = { 0 };
		int ret;

		if (!opts.file || (c->only && !opts.name)) /* NULL: none is called so */
			return SQLITE_OK;
		active_fini(&c->found);
		ret = active_sums(&c->found, run->reader, &opts, &err);
		c->at = 0;
		if (ret)
			return SQLITE_NOMEM;
		if (c->found.rows.n)
			return SQLITE_OK;
	}
	return SQLITE_OK;
}

static int on_filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
		     sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)(void *)base;

	(void)number;
	(void)text;
	clear(c);
	c->run = 0;
	c->file = sqlite3_value_dup(argv[0]);
	c->only = argc > 1 ? sqlite3_value_dup(argv[1]) : NULL;
	return !c->file || (argc > 1 && !c->only) ? SQLITE_NOMEM : find_rows(c);
}

static int on_next(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)(void *)base;

	if (++c->at < c->found.rows.n)
		return SQLITE_OK;
	c->run++;
	return find_rows(c);
}

static int on_eof(sqlite3_vtab_cursor *base)
{
	const struct cursor *c = (const struct cursor *)(const void *)base;

	return c->at >= c->found.rows.n;
}

static int on_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	const struct cursor *c = (const struct cursor *)(const void *)base;
	const struct active_row *row = &c->found.rows.at[c->at];
	const struct query_db *qdb = ((struct vtab *)(void *)base->pVtab)->db;

	switch (column) {
	case ACTIVE_NAME:
		sqlite3_result_text(ctx, row->type->event, -1, SQLITE_TRANSIENT);
		break;
	case ACTIVE_CATEGORY:
		sqlite3_result_text(ctx, row->type->system, -1, SQLITE_TRANSIENT);
		break;
	case ACTIVE_COUNT:
		sqlite3_result_int64(ctx, (sqlite3_int64)row->count);
		break;
	case ACTIVE_SUM:
		sqlite3_result_double(ctx, (double)row->dur_ns / 1e9);
		break;
	case ACTIVE_DUR:
		sqlite3_result_int64(ctx, (sqlite3_int64)row->dur_ns);
		break;
	case ACTIVE_RUN:
		sqlite3_result_text(ctx, qdb->runs.at[c->run]->name, -1, SQLITE_TRANSIENT);
		break;
	default:
		sqlite3_result_value(ctx, column == ACTIVE_FILE ? c->file : c->only);
	}
	return SQLITE_OK;
}

static int on_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	const struct cursor *c = (const struct cursor *)(const void *)base;

	*out = (sqlite3_int64)(c->run << 32 | c->at);
	return SQLITE_OK;
}

static const sqlite3_module module = {
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

static void unref(void *qdb)
{
	query_db_unref(qdb);
}

int query_active_register(sqlite3 *db, struct query_db *qdb)
{
	qdb->refs++;
	return sqlite3_create_module_v2(db, "active_sums", &module, qdb, unref);
}
