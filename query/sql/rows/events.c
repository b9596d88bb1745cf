// SPDX-License-Identifier: GPL-2.0-only
/*
 * events.c - a table for each tracepoint, with its fields, and ftrace_event with all events.
 *
 * The table is "sched:sched_switch", and also sched_switch if no other has that name. Its columns are the fields in all
 * files; a file whose event lacks one has NULL there.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "query/sql/stream.h"

enum { EVENT_TS, EVENT_CPU, EVENT_UTID, EVENT_TID, EVENT_FIELDS };

static const char *const own_names[] = {
	"ts", "cpu", "utid", "tid", "run", "rowid", "cpumode", NULL
};

/* ---- one tracepoint ---- */

static struct query_event_field *find_field(struct query_event_table *e, const char *name)
{
	for (size_t i = 0; i < e->fields.n; i++)
		if (!strcmp(e->fields.at[i].name, name))
			return &e->fields.at[i];
	return NULL;
}

static bool is_taken(const struct query_event_table *e, const char *name)
{
	for (size_t i = 0; own_names[i]; i++)
		if (!sqlite3_stricmp(own_names[i], name))
			return true;
	for (size_t i = 0; i < e->fields.n; i++)
		if (e->fields.at[i].column && !sqlite3_stricmp(e->fields.at[i].column, name))
			return true;
	return false;
}

/* SQLite's column names are case-insensitive. */
static char *column_name(const struct query_event_table *e, const char *field)
{
	char *name = NULL;

	if (!is_taken(e, field))
		return strdup(field);
	for (unsigned i = 1; i < 1000; i++) {
		free(name);
		if (i == 1 ? asprintf(&name, "field_%s", field) < 0
			   : asprintf(&name, "field_%s_%u", field, i) < 0)
			return NULL;
		if (!is_taken(e, name))
			return name;
	}
	return name;
}

static int add_field(struct query_event_table *e, const struct cdict_field *f)
{
	struct query_event_field *to;
	bool number = f->kind == CDICT_FIELD_UINT || f->kind == CDICT_FIELD_INT;
	char *column = column_name(e, f->name), *name = strdup(f->name);

	to = name && column ? array_add(&e->fields) : NULL;
	if (!to) {
		free(name);
		free(column);
		return -ENOMEM;
	}
	to->name = name;
	to->column = column;
	to->type = number ? "INTEGER" : f->is_text ? "TEXT" : "BLOB";
	to->common = !strncmp(f->name, "common_", 7);
	return 0;
}

/* SQLite's limit of columns is 2000. */
enum { FIELDS_MOST = 1900 };

static struct query_event_table *find_table(const struct query_db *qdb, const char *full_name)
{
	for (size_t i = 0; i < qdb->events.n; i++)
		if (!strcmp(qdb->events.at[i]->full_name, full_name))
			return qdb->events.at[i];
	return NULL;
}

static struct query_event_table *add_table(struct query_db *qdb,
					   const struct cdict_event_type *type)
{
	struct query_event_table *e = calloc(1, sizeof(*e));

	if (e) {
		e->full_name = strdup(type->name);
		e->name = strdup(type->event);
	}
	if (!e || !e->full_name || !e->name || array_push(&qdb->events, e)) {
		if (e) {
			free(e->full_name);
			free(e->name);
		}
		free(e);
		return NULL;
	}
	return e;
}

int query_events_add(struct query_run_of *run, struct cdict_error *err)
{
	const struct cdict_schema *schema = cdict_reader_schema(run->reader);

	for (size_t i = 0; i < cdict_schema_count(schema); i++) {
		const struct cdict_event_type *type = cdict_schema_at(schema, i);
		struct query_event_table *e = find_table(run->db, type->name);

		if (!e)
			e = add_table(run->db, type);
		if (!e)
			return cdict_fail_nomem(err);
		/* a table's columns are fixed once it is registered */
		for (size_t f = 0; f < type->n_fields && !e->columns; f++)
			if (e->fields.n < FIELDS_MOST && !find_field(e, type->fields[f].name) &&
			    add_field(e, &type->fields[f]))
				return cdict_fail_nomem(err);
	}
	return 0;
}

void query_events_free(struct query_db *qdb)
{
	for (size_t i = 0; i < qdb->events.n; i++) {
		struct query_event_table *e = qdb->events.at[i];

		for (size_t f = 0; f < e->fields.n; f++) {
			free(e->fields.at[f].name);
			free(e->fields.at[f].column);
		}
		array_fini(&e->fields);
		free(e->columns);
		free(e->field_of);
		free(e->full_name);
		free(e->name);
		free(e);
	}
	array_fini(&qdb->events);
}

/* ---- its rows ---- */

/* The table and columns that a statement reads. */
struct asked {
	const struct query_event_table *table;
	const struct query_scan *scan;
};

static bool is_of_table(const void *ctx, const struct cdict_event_type *type)
{
	return !strcmp(((const struct asked *)ctx)->table->full_name, type->name);
}

/* The field of column EVENT_FIELDS + @i, or -1 when the statement does not read it. */
static int field_of_column(const void *ctx, const struct cdict_event_type *type, size_t i)
{
	const struct asked *a = ctx;
	const struct query_event_field *f = &a->table->fields.at[i];

	return query_uses(a->scan, f->at) ? cdict_event_type_field(type, f->name) : -1;
}

static void event_column(struct query_source *src, struct query_value *out, int column)
{
	struct stream_source *s = (struct stream_source *)(void *)src;
	const struct query_event_table *e = s->ctx;

	switch (column) {
	case EVENT_TS:
		query_result_time(out, s->ev.t_ns);
		return;
	case EVENT_CPU:
		query_result_cpu(out, s->ev.cpu);
		return;
	case EVENT_UTID:
		stream_result_utid(s, out);
		return;
	case EVENT_TID:
		if (s->ev.tid >= 0)
			query_result_int(out, s->ev.tid);
		return;
	default:
		break;
	}
	if (e->field_of[column] >= 0)
		stream_result_field(s, out, stream_field(s, (size_t)e->field_of[column]));
	else
		query_result_int(out, s->ev.mode);
}

static int event_open(struct query_source **out, struct query_run_of *run,
		      const struct query_table *table, const struct query_scan *scan,
		      struct cdict_error *err)
{
	const struct asked asked = { table->ctx, scan };
	const struct stream_options opts = { .scan = scan,
					     .utid = query_uses(scan, EVENT_UTID),
					     .field = field_of_column,
					     .n_fields = asked.table->fields.n,
					     .wants = is_of_table,
					     .ctx = &asked };
	int rc = stream_open(out, run, &opts, event_column, err);

	if (!rc) {
		((struct stream_source *)(void *)*out)->ctx = asked.table;
		((struct stream_source *)(void *)*out)->field_of = asked.table->field_of;
	}
	return rc;
}

static int settle_columns(struct query_event_table *e)
{
	struct query_column *c = calloc(e->fields.n + 8, sizeof(*c));
	int *field_of = calloc(e->fields.n + 8, sizeof(*field_of));
	size_t n = 0;

	if (!c || !field_of) {
		free(c);
		free(field_of);
		return -ENOMEM;
	}
	for (size_t i = 0; i < e->fields.n + 8; i++)
		field_of[i] = -1;
	c[n++] = (struct query_column){ "ts", "INTEGER", QUERY_TS, false };
	c[n++] = (struct query_column){ "cpu", "INTEGER", QUERY_CPU, false };
	c[n++] = (struct query_column){ "utid", "INTEGER", QUERY_UTID, false };
	c[n++] = (struct query_column){ "tid", "INTEGER", QUERY_TID, false };
	for (int common = 0; common < 2; common++) {
		for (size_t i = 0; i < e->fields.n; i++) {
			struct query_event_field *f = &e->fields.at[i];

			if (f->common != common)
				continue;
			field_of[n] = (int)i;
			f->at = (int)n;
			c[n++] = (struct query_column){ f->column, f->type, QUERY_PLAIN, common };
		}
		if (!common)
			c[n++] = (struct query_column)QUERY_COLUMN_RUN;
	}
	c[n++] = (struct query_column){ "cpumode", "INTEGER", QUERY_PLAIN, true };
	e->columns = c;
	e->field_of = field_of;
	return 0;
}

static bool is_free(const struct query_db *qdb, const char *name)
{
	size_t same = 0;

	for (size_t i = 0; query_tables()[i]; i++)
		if (!sqlite3_stricmp(query_tables()[i]->name, name))
			return false;
	for (size_t i = 0; i < qdb->events.n; i++)
		same += !sqlite3_stricmp(qdb->events.at[i]->name, name);
	return same == 1;
}

int query_events_register(struct query_db *qdb)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < qdb->events.n && rc == SQLITE_OK; i++) {
		struct query_event_table *e = qdb->events.at[i];

		if (e->columns)
			continue;
		if (settle_columns(e))
			return SQLITE_NOMEM;
		e->full = (struct query_table){ .name = e->full_name,
						.columns = e->columns,
						.flags = QUERY_ORDERED | QUERY_EVENTS,
						.open = event_open,
						.ctx = e };
		e->bare = e->full;
		e->bare.name = e->name;
		rc = query_vtab_register(qdb, &e->full);
		e->has_bare = is_free(qdb, e->name);
		if (rc == SQLITE_OK && e->has_bare)
			rc = query_vtab_register(qdb, &e->bare);
	}
	return rc;
}

/* ---- ftrace_event: all events ---- */

enum { FTRACE_TS, FTRACE_NAME, FTRACE_CPU, FTRACE_UTID, FTRACE_TID };

static const struct query_column ftrace_columns[] = {
	{ "ts", "INTEGER", QUERY_TS, false },
	{ "name", "TEXT", QUERY_EVENT, false },
	{ "cpu", "INTEGER", QUERY_CPU, false },
	{ "utid", "INTEGER", QUERY_UTID, false },
	{ "tid", "INTEGER", QUERY_TID, false },
	{ "system", "TEXT", QUERY_SYSTEM, false },
	QUERY_COLUMN_RUN,
	QUERY_COLUMNS_END,
};

static bool all(const void *ctx, const struct cdict_event_type *type)
{
	(void)ctx;
	(void)type;
	return true;
}

static void ftrace_column(struct query_source *src, struct query_value *out, int column)
{
	struct stream_source *s = (struct stream_source *)(void *)src;

	switch (column) {
	case FTRACE_TS:
		query_result_time(out, s->ev.t_ns);
		break;
	case FTRACE_NAME:
		query_result_text(out, s->ev.type->event);
		break;
	case FTRACE_CPU:
		query_result_cpu(out, s->ev.cpu);
		break;
	case FTRACE_UTID:
		stream_result_utid(s, out);
		break;
	case FTRACE_TID:
		if (s->ev.tid >= 0)
			query_result_int(out, s->ev.tid);
		break;
	default:
		query_result_text(out, s->ev.type->system);
		break;
	}
}

static int ftrace_open(struct query_source **out, struct query_run_of *run,
		       const struct query_table *table, const struct query_scan *scan,
		       struct cdict_error *err)
{
	const struct stream_options opts = { .scan = scan,
					     .utid = query_uses(scan, FTRACE_UTID),
					     .wants = all };

	(void)table;
	return stream_open(out, run, &opts, ftrace_column, err);
}

const struct query_table query_ftrace_event = { .name = "ftrace_event",
						.columns = ftrace_columns,
						.flags = QUERY_ORDERED | QUERY_EVENTS,
						.open = ftrace_open };
