// SPDX-License-Identifier: GPL-2.0-only
/* export_rows.c - see export_rows.h. */
#include "query/sql/export_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text/utf8.h"
#include "query/sql/walk.h"

/* Where the values of a field come from. */
enum cell_kind {
	CELL_ASK = 0, /* the source's column() */
	CELL_CONSTANT,
	CELL_TS,
	CELL_DUR,
	CELL_CPU,
	CELL_UTID,
	CELL_TID,
	CELL_EVENT, /* names of the event */
	CELL_SYSTEM,
	CELL_NULL,
	CELL_INT, /* field @field of the event */
	CELL_TEXT,
};

struct export_cell {
	enum cell_kind kind;
	int column; /* of the table */
	int field;  /* of the event type */
};

/* ---- fields ---- */

static char *utf8_name(const char *name)
{
	struct sink s;
	const char *piece;
	size_t len = strlen(name), n;

	sink_to_memory(&s);
	for (size_t at = 0; at < len;) {
		at += utf8_piece(name + at, len - at, &piece, &n);
		sink_add(&s, piece, n);
	}
	return sink_take(&s, &len);
}

static enum parquet_type type_of(const struct query_column *c)
{
	return !strcmp(c->type, "INTEGER") ? PARQUET_INT64
	       : !strcmp(c->type, "REAL")  ? PARQUET_DOUBLE
	       : !strcmp(c->type, "TEXT")  ? PARQUET_TEXT
					   : PARQUET_BYTES;
}

/* The columns of these sources with such a role are the same in all tables. */
static enum cell_kind kind_of(const struct query_table *table, const struct query_column *c)
{
	bool walk = table->flags & QUERY_WALK, event = table->flags & QUERY_EVENTS;

	if (c->role == QUERY_RUN)
		return CELL_CONSTANT;
	if ((!walk && !event) || table == &query_slice)
		return CELL_ASK; /* of the slice's own times */
	switch (c->role) {
	case QUERY_TS:
		return CELL_TS;
	case QUERY_CPU:
		return CELL_CPU;
	case QUERY_UTID:
		return CELL_UTID;
	case QUERY_DUR:
		return walk ? CELL_DUR : CELL_ASK;
	case QUERY_TID:
		return event ? CELL_TID : CELL_ASK;
	case QUERY_EVENT:
		return CELL_EVENT;
	case QUERY_SYSTEM:
		return CELL_SYSTEM;
	default:
		return CELL_ASK;
	}
}

int export_rows_init(struct export_rows *r, const struct query_table *table,
		     const struct query_run_of *run)
{
	size_t n = 0;

	*r = (struct export_rows){ .table = table, .ts = -1, .sparse = run->sparse };
	while (table->columns[n].name)
		n++;
	r->fields = calloc(n + 1, sizeof(*r->fields));
	r->cells = calloc(n + 1, sizeof(*r->cells));
	for (size_t i = 0; r->fields && r->cells && i < n; i++) {
		const struct query_column *c = &table->columns[i];
		struct parquet_field *f = &r->fields[r->n];

		if (c->hidden)
			continue;
		if (c->role == QUERY_TS)
			r->ts = (int)i;
		*f = (struct parquet_field){ .name = utf8_name(c->name), .type = type_of(c) };
		if (!f->name)
			return -ENOMEM;
		f->constant = c->role == QUERY_RUN ? run->name : NULL;
		r->cells[r->n++] = (struct export_cell){ kind_of(table, c), (int)i, -1 };
	}
	return r->fields && r->cells ? 0 : -ENOMEM;
}

void export_rows_fini(struct export_rows *r)
{
	for (size_t i = 0; r->fields && i < r->n; i++)
		free((char *)(uintptr_t)r->fields[i].name);
	free(r->fields);
	free(r->cells);
	*r = (struct export_rows){ 0 };
}

uint64_t export_rows_use(const struct export_rows *r)
{
	uint64_t used = 0;

	for (size_t i = 0; i < r->n; i++)
		used |= UINT64_C(1) << (r->cells[i].column < 63 ? r->cells[i].column : 63);
	return used;
}

/* ---- values that the source gives ---- */

static int mismatch(const struct export_rows *r, size_t i, struct cdict_error *err)
{
	return cdict_fail(err, CDICT_EUNSUPPORTED, CDICT_NO_OFFSET,
			  "column %s of table %s has values of several types", r->fields[i].name,
			  r->table->name);
}

static int add_value(struct export_rows *r, struct parquet_row *row, size_t i,
		     const struct query_value *v, struct cdict_error *err)
{
	enum parquet_type type = r->fields[i].type;

	if (v->kind == QUERY_NULL)
		parquet_null(row, i);
	else if (v->kind == QUERY_TEXT && type == PARQUET_TEXT && v->fixed)
		parquet_add_fixed(row, i, v->data);
	else if (v->kind == QUERY_INTEGER && type == PARQUET_INT64)
		parquet_int(row, i, v->integer);
	else if (v->kind == QUERY_REAL && type == PARQUET_DOUBLE)
		parquet_real(row, i, v->real);
	else if (v->kind == QUERY_TEXT && type == PARQUET_TEXT)
		parquet_text(row, i, v->data, v->len);
	else if ((v->kind == QUERY_BLOB || v->kind == QUERY_TEXT) && type == PARQUET_BYTES)
		parquet_text(row, i, v->data, v->len);
	else if (v->kind == QUERY_FAILED)
		return v->integer == -ENOMEM ? cdict_fail_nomem(err)
					     : cdict_fail(err, (int)v->integer, CDICT_NO_OFFSET,
							  "%s", cdict_strerror((int)v->integer));
	else
		return mismatch(r, i, err);
	return 0;
}

static inline void value_of(struct query_value *v, const struct export_rows *r, int column)
{
	v->kind = QUERY_NULL;
	v->fixed = false;
	v->given = NULL;
	r->src->column(r->src, v, column);
}

static int ask(struct export_rows *r, struct parquet_row *row, size_t i, struct cdict_error *err)
{
	struct query_value v;
	int rc;

	value_of(&v, r, r->cells[i].column);
	rc = add_value(r, row, i, &v, err);
	if (v.given)
		free(v.given);
	return rc;
}

static inline void add_time(struct parquet_row *row, size_t i, uint64_t t_ns)
{
	if (t_ns == ANALYZE_NO_TIME)
		parquet_null(row, i);
	else
		parquet_int(row, i, (int64_t)t_ns);
}

static inline void add_cpu(struct parquet_row *row, size_t i, uint32_t cpu)
{
	if (cpu == CDICT_CPU_UNKNOWN)
		parquet_null(row, i);
	else
		parquet_int(row, i, cpu);
}

/* ---- rows of any source ---- */

static int add_asked(struct export_rows *r, struct cdict_error *err)
{
	struct parquet_row *row;
	struct query_value ts = { .kind = QUERY_NULL };
	int rc = 0;

	if (r->ts >= 0)
		value_of(&ts, r, r->ts);
	row = parquet_row(r->file, ts.kind == QUERY_INTEGER ? ts.integer : PARQUET_NO_TIME);
	for (size_t i = 0; i < r->n && !rc; i++)
		if (r->cells[i].kind != CELL_CONSTANT)
			rc = ask(r, row, i, err);
	return rc ? rc : parquet_row_end(r->file, row, err);
}

/* ---- rows of an analysis ---- */

static int add_walked(struct export_rows *r, struct cdict_error *err)
{
	const struct walk_source *w = (const struct walk_source *)(void *)r->src;
	const struct walk_row *from = walk_row_now(w);
	struct parquet_row *row = parquet_row(
		r->file, from->ts == ANALYZE_NO_TIME ? PARQUET_NO_TIME : (int64_t)from->ts);
	int64_t utid = walk_known_utid(w, from->task);
	int rc = 0;

	for (size_t i = 0; i < r->n && !rc; i++) {
		switch (r->cells[i].kind) {
		case CELL_CONSTANT:
			break;
		case CELL_TS:
			add_time(row, i, from->ts);
			break;
		case CELL_DUR:
			add_time(row, i, walk_row_dur(from));
			break;
		case CELL_CPU:
			add_cpu(row, i, from->cpu);
			break;
		case CELL_UTID:
			if (utid >= 0)
				parquet_int(row, i, utid);
			else
				rc = ask(r, row, i, err);
			break;
		default:
			rc = ask(r, row, i, err);
			break;
		}
	}
	return rc ? rc : parquet_row_end(r->file, row, err);
}

int export_rows_add(struct export_rows *r, struct cdict_error *err)
{
	bool walk = r->table->flags & QUERY_WALK;
	int rc;

	while ((rc = r->src->next(r->src, err)) > 0) {
		rc = walk ? add_walked(r, err) : add_asked(r, err);
		if (rc)
			return rc;
	}
	return rc;
}

/* ---- events ---- */

/* Where the values of cell @i, a field of the event, come from in events of @type. */
static enum cell_kind field_kind(const struct export_rows *r, const struct cdict_event_type *type,
				 size_t i)
{
	int field = r->cells[i].field;
	const struct cdict_field *f = field >= 0 ? &type->fields[field] : NULL;
	bool number = f && (f->kind == CDICT_FIELD_UINT || f->kind == CDICT_FIELD_INT);

	return !f                                                           ? CELL_NULL
	       : r->sparse                                                  ? CELL_ASK
	       : number && r->fields[i].type == PARQUET_INT64               ? CELL_INT
	       : !number && f->is_text && r->fields[i].type == PARQUET_TEXT ? CELL_TEXT
									    : CELL_ASK;
}

static void set_type(struct export_rows *r, const struct cdict_event_type *type)
{
	const struct stream_source *s = (const struct stream_source *)(void *)r->src;

	r->type = type;
	r->asks = false;
	/* without fields of the event, cells are the same for all types */
	r->mixed = !s->field_of;
	for (size_t i = 0; i < r->n; i++) {
		struct export_cell *c = &r->cells[i];
		int field = s->field_of ? s->field_of[c->column] : -1;

		if (field >= 0) {
			c->field = s->fields[type->index * s->n_fields + (size_t)field];
			c->kind = field_kind(r, type, i);
		}
		r->asks |= c->kind == CELL_ASK;
	}
}

static int add_text(struct export_rows *r, struct parquet_row *row, size_t i,
		    const struct cdict_event *ev, struct cdict_error *err)
{
	struct cdict_bytes b = cdict_event_bytes(ev, (size_t)r->cells[i].field);

	if (b.len > INT32_MAX)
		return cdict_fail(err, -EFBIG, CDICT_NO_OFFSET, "%s", cdict_strerror(-EFBIG));
	parquet_text(row, i, b.len ? (const char *)b.data : "",
		     b.len ? strnlen((const char *)b.data, b.len) : 0);
	return 0;
}

static int add_event(struct export_rows *r, struct parquet_row *row, const struct cdict_event *ev,
		     int64_t utid, struct cdict_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < r->n && !rc; i++) {
		switch (r->cells[i].kind) {
		case CELL_CONSTANT:
			break;
		case CELL_INT:
			parquet_int(row, i, (int64_t)ev->values[r->cells[i].field]);
			break;
		case CELL_TEXT:
			rc = add_text(r, row, i, ev, err);
			break;
		case CELL_EVENT:
			parquet_add_fixed(row, i, ev->type->event);
			break;
		case CELL_SYSTEM:
			parquet_add_fixed(row, i, ev->type->system);
			break;
		case CELL_TS:
			add_time(row, i, ev->t_ns);
			break;
		case CELL_CPU:
			add_cpu(row, i, ev->cpu);
			break;
		case CELL_UTID:
		case CELL_TID: {
			int64_t v = r->cells[i].kind == CELL_TID ? ev->tid : utid;

			if (v >= 0)
				parquet_int(row, i, v);
			else
				parquet_null(row, i);
			break;
		}
		case CELL_DUR:
		case CELL_NULL:
			parquet_null(row, i);
			break;
		case CELL_ASK:
			rc = ask(r, row, i, err);
			break;
		}
	}
	return rc;
}

int export_rows_event(struct export_rows *r, const struct cdict_event *ev, int64_t utid,
		      struct cdict_error *err)
{
	struct stream_source *s = (struct stream_source *)(void *)r->src;
	struct parquet_row *row;
	int rc;

	if (ev->type != r->type && !r->mixed)
		set_type(r, ev->type);
	if (r->asks)
		s->ev = *ev;
	if (r->table == &query_slice)
		return add_asked(r, err);
	row = parquet_row(r->file,
			  ev->t_ns == ANALYZE_NO_TIME ? PARQUET_NO_TIME : (int64_t)ev->t_ns);
	rc = add_event(r, row, ev, utid, err);
	return rc ? rc : parquet_row_end(r->file, row, err);
}
