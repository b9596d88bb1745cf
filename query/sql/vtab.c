// SPDX-License-Identifier: GPL-2.0-only
/* vtab.c - SQLite's interface of all tables: columns, cursors, rows of one file after the other. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/sink.h"
#include "query/sql/plan.h"

/* A module's client data. */
struct module_of {
	struct query_db *db;
	const struct query_table *table;
};

struct vtab {
	sqlite3_vtab base;
	struct query_db *db;
	const struct query_table *table;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct query_scan scan;
	struct plan_run run; /* which files */
	size_t at;           /* the file */
	struct query_source *src;
	sqlite3_int64 rowid;
	bool eof;
};

static void free_module(void *aux)
{
	struct module_of *m = aux;

	query_db_unref(m->db);
	free(m);
}

void query_add_name(struct sink *s, const char *name)
{
	sink_putc(s, '"');
	for (; *name; name++) {
		if (*name == '"')
			sink_putc(s, '"');
		sink_putc(s, *name);
	}
	sink_putc(s, '"');
}

static char *declaration(const struct query_table *t)
{
	struct sink s;
	size_t len;

	sink_to_memory(&s);
	sink_puts(&s, "CREATE TABLE x(");
	for (const struct query_column *c = t->columns; c->name; c++) {
		if (c != t->columns)
			sink_puts(&s, ", ");
		query_add_name(&s, c->name);
		sink_printf(&s, " %s%s", c->type, c->hidden ? " HIDDEN" : "");
	}
	sink_puts(&s, ")");
	return sink_take(&s, &len);
}

static int on_connect(sqlite3 *db, void *aux, int argc, const char *const *argv, sqlite3_vtab **out,
		      char **why)
{
	const struct module_of *m = aux;
	struct vtab *v = calloc(1, sizeof(*v));
	char *text = declaration(m->table);
	int rc = v && text ? sqlite3_declare_vtab(db, text) : SQLITE_NOMEM;

	(void)argc;
	(void)argv;
	(void)why;
	free(text);
	if (rc != SQLITE_OK) {
		free(v);
		return rc;
	}
	v->db = m->db;
	v->table = m->table;
	*out = &v->base;
	return SQLITE_OK;
}

static int on_disconnect(sqlite3_vtab *base)
{
	free(base);
	return SQLITE_OK;
}

static int on_open(sqlite3_vtab *base, sqlite3_vtab_cursor **out)
{
	struct cursor *c = calloc(1, sizeof(*c));

	(void)base;
	if (!c)
		return SQLITE_NOMEM;
	*out = &c->base;
	return SQLITE_OK;
}

static void close_source(struct cursor *c)
{
	if (c->src)
		c->src->close(c->src);
	c->src = NULL;
}

static int on_close(sqlite3_vtab_cursor *base)
{
	struct cursor *c = (struct cursor *)(void *)base;

	close_source(c);
	plan_run_fini(&c->run);
	plan_scan_fini(&c->scan);
	free(c);
	return SQLITE_OK;
}

static int failed(struct cursor *c, const struct cdict_error *err)
{
	if (err->code == -ENOMEM)
		return SQLITE_NOMEM;
	sqlite3_free(c->base.pVtab->zErrMsg);
	c->base.pVtab->zErrMsg = sqlite3_mprintf("%s", err->text);
	return SQLITE_ERROR;
}

/* Moves to the next row, in the next file when this one has no more. */
static int advance(struct cursor *c)
{
	const struct vtab *v = (const struct vtab *)(const void *)c->base.pVtab;
	bool once = v->table->flags & QUERY_ONCE;
	size_t n = once ? 1 : v->db->runs.n;
	struct cdict_error err = { 0 };

	for (;;) {
		int rc;

		if (!c->src) {
			while (c->at < n && !once &&
			       !plan_run_wants(&c->run, v->db->runs.at[c->at]))
				c->at++;
			if (c->at >= n || c->scan.nothing) {
				c->eof = true;
				return SQLITE_OK;
			}
			if (v->table->open(&c->src, once ? NULL : v->db->runs.at[c->at], v->table,
					   &c->scan, &err))
				return failed(c, &err);
		}
		rc = c->src->next(c->src, &err);
		if (rc < 0)
			return failed(c, &err);
		if (rc > 0)
			break;
		close_source(c);
		c->at++;
	}
	c->rowid++;
	return SQLITE_OK;
}

static int on_filter(sqlite3_vtab_cursor *base, int number, const char *text, int argc,
		     sqlite3_value **argv)
{
	struct cursor *c = (struct cursor *)(void *)base;
	int rc;

	(void)number;
	close_source(c);
	plan_run_fini(&c->run);
	plan_scan_fini(&c->scan);
	c->at = 0;
	c->rowid = 0;
	c->eof = false;
	rc = plan_scan(&c->scan, &c->run, text, argc, argv);
	return rc ? rc : advance(c);
}

static int on_next(sqlite3_vtab_cursor *base)
{
	return advance((struct cursor *)(void *)base);
}

static int on_eof(sqlite3_vtab_cursor *base)
{
	return ((struct cursor *)(void *)base)->eof;
}

static void set_result(sqlite3_context *ctx, const struct query_value *v)
{
	switch (v->kind) {
	case QUERY_NULL:
		break;
	case QUERY_INTEGER:
		sqlite3_result_int64(ctx, v->integer);
		break;
	case QUERY_REAL:
		sqlite3_result_double(ctx, v->real);
		break;
	case QUERY_TEXT:
		sqlite3_result_text64(ctx, v->data, v->len, SQLITE_TRANSIENT, SQLITE_UTF8);
		break;
	case QUERY_BLOB:
		sqlite3_result_blob64(ctx, v->data, v->len, SQLITE_TRANSIENT);
		break;
	case QUERY_FAILED:
		if (v->integer == -EFBIG)
			sqlite3_result_error_toobig(ctx);
		else
			sqlite3_result_error_nomem(ctx);
		break;
	}
}

static int on_column(sqlite3_vtab_cursor *base, sqlite3_context *ctx, int column)
{
	struct cursor *c = (struct cursor *)(void *)base;
	const struct vtab *v = (const struct vtab *)(const void *)base->pVtab;
	enum query_role role = v->table->columns[column].role;

	if (role == QUERY_RUN) {
		sqlite3_result_text(ctx, v->db->runs.at[c->at]->name, -1, SQLITE_TRANSIENT);
	} else if (role < QUERY_ARG) {
		struct query_value value;

		value.kind = QUERY_NULL;
		value.given = NULL;
		c->src->column(c->src, &value, column);
		set_result(ctx, &value);
		if (value.given)
			free(value.given);
	} else if (c->scan.args[role - QUERY_ARG]) {
		sqlite3_result_value(ctx, c->scan.args[role - QUERY_ARG]);
	}
	return SQLITE_OK;
}

static int on_rowid(sqlite3_vtab_cursor *base, sqlite3_int64 *out)
{
	*out = ((struct cursor *)(void *)base)->rowid;
	return SQLITE_OK;
}

static bool has_argument(const sqlite3_index_info *info, const struct query_table *table)
{
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *c = &info->aConstraint[i];

		if (c->op == SQLITE_INDEX_CONSTRAINT_EQ && c->iColumn >= 0 &&
		    table->columns[c->iColumn].role == QUERY_ARG)
			return true;
	}
	return false;
}

static int on_best_index(sqlite3_vtab *base, sqlite3_index_info *info)
{
	const struct vtab *v = (const struct vtab *)(const void *)base;

	if (!v->table->without || has_argument(info, v->table))
		return plan_best(info, v->db, v->table);
	sqlite3_free(base->zErrMsg);
	base->zErrMsg = sqlite3_mprintf("%s", v->table->without);
	return SQLITE_ERROR;
}

/* No xCreate: the tables exist without CREATE VIRTUAL TABLE, which cannot create others; no xUpdate: they are
 * read-only. */
static const sqlite3_module module = {
	.iVersion = 0,
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

int query_vtab_register(struct query_db *qdb, const struct query_table *table)
{
	struct module_of *m = calloc(1, sizeof(*m));

	if (!m)
		return SQLITE_NOMEM;
	*m = (struct module_of){ .db = qdb, .table = table };
	qdb->refs++;
	/* takes @m, also on failure */
	return sqlite3_create_module_v2(qdb->db, table->name, &module, m, free_module);
}
