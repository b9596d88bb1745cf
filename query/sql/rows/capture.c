// SPDX-License-Identifier: GPL-2.0-only
/* capture.c - loss, cpu, metadata, trace_bounds: tables about the file itself. */
#include "query/sql/list.h"

/* ---- loss ---- */

static const struct query_column loss_columns[] = {
	{ "ts", "INTEGER", QUERY_TS, false },
	{ "dur", "INTEGER", QUERY_PLAIN, false },
	{ "cpu", "INTEGER", QUERY_CPU, false },
	{ "what", "TEXT", QUERY_PLAIN, false },
	{ "events", "INTEGER", QUERY_PLAIN, false },
	{ "event", "TEXT", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	QUERY_COLUMNS_END,
};

static void loss_column(struct query_source *src, struct query_value *out, int column)
{
	static const char *const whats[] = { "ring", "samples", "throttle", "disorder", "damage" };
	const struct list_source *l = (const struct list_source *)(const void *)src;
	const struct cdict_loss *loss = cdict_reader_loss_at(l->run->reader, l->at);
	const struct cdict_schema *schema = cdict_reader_schema(l->run->reader);

	switch (column) {
	case 0:
		query_result_time(out, loss->from_ns);
		break;
	case 1:
		query_result_time(out, loss->to_ns - loss->from_ns);
		break;
	case 2:
		query_result_cpu(out, loss->cpu);
		break;
	case 3:
		query_result_text(out, (size_t)loss->what < sizeof(whats) / sizeof(whats[0])
					       ? whats[loss->what]
					       : NULL);
		break;
	case 4:
		query_result_int(out, (int64_t)loss->count);
		break;
	case 5:
		if (loss->type < cdict_schema_count(schema))
			query_result_text(out, cdict_schema_at(schema, loss->type)->name);
		break;
	default:
		break;
	}
}

static int loss_open(struct query_source **out, struct query_run_of *run,
		     const struct query_table *table, const struct query_scan *scan,
		     struct cdict_error *err)
{
	(void)table;
	(void)scan;
	return list_open(out, run, cdict_reader_loss_count(run->reader), LIST_ALL, loss_column,
			 err);
}

const struct query_table query_loss = {
	.name = "loss", .columns = loss_columns, .flags = QUERY_SMALL, .open = loss_open
};

/* ---- cpu ---- */

static const struct query_column cpu_columns[] = {
	{ "cpu", "INTEGER", QUERY_KEY, false },    { "node", "INTEGER", QUERY_PLAIN, false },
	{ "core", "INTEGER", QUERY_PLAIN, false }, QUERY_COLUMN_RUN,
	{ "id", "INTEGER", QUERY_PLAIN, true },    QUERY_COLUMNS_END,
};

static void cpu_column(struct query_source *src, struct query_value *out, int column)
{
	const struct list_source *l = (const struct list_source *)(const void *)src;
	const struct tables_walk *w = &l->run->walk;
	int32_t of = column == 1 ? tables_node(w, (uint32_t)l->at)
		     : w->cores  ? w->cores[l->at]
				 : -1;

	if (column == 0 || column == 4)
		query_result_int(out, (int64_t)l->at);
	else if (of >= 0)
		query_result_int(out, of);
}

static int cpu_open(struct query_source **out, struct query_run_of *run,
		    const struct query_table *table, const struct query_scan *scan,
		    struct cdict_error *err)
{
	size_t n = cdict_reader_cpus(run->reader);
	int rc = query_threads(run, err); /* the walk has nodes and cores */

	(void)table;
	if (rc)
		return rc;
	if (scan->has_key && (scan->key < 0 || (uint64_t)scan->key >= n))
		return list_open(out, run, 0, LIST_ALL, cpu_column, err);
	return list_open(out, run, n, scan->has_key ? (size_t)scan->key : LIST_ALL, cpu_column,
			 err);
}

const struct query_table query_cpu = {
	.name = "cpu", .columns = cpu_columns, .flags = QUERY_SMALL, .open = cpu_open
};

/* ---- metadata ---- */

static const struct query_column metadata_columns[] = {
	{ "name", "TEXT", QUERY_PLAIN, false },
	{ "str_value", "TEXT", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	QUERY_COLUMNS_END,
};

static void metadata_column(struct query_source *src, struct query_value *out, int column)
{
	const struct list_source *l = (const struct list_source *)(const void *)src;
	const char *key, *value;

	cdict_reader_info_at(l->run->reader, l->at, &key, &value);
	query_result_text(out, column ? value : key);
}

static int metadata_open(struct query_source **out, struct query_run_of *run,
			 const struct query_table *table, const struct query_scan *scan,
			 struct cdict_error *err)
{
	(void)table;
	(void)scan;
	return list_open(out, run, cdict_reader_info_count(run->reader), LIST_ALL, metadata_column,
			 err);
}

const struct query_table query_metadata = {
	.name = "metadata", .columns = metadata_columns, .flags = QUERY_SMALL, .open = metadata_open
};

/* ---- trace_bounds ---- */

static const struct query_column bounds_columns[] = {
	{ "start_ts", "INTEGER", QUERY_PLAIN, false },
	{ "end_ts", "INTEGER", QUERY_PLAIN, false },
	{ "events", "INTEGER", QUERY_PLAIN, false },
	QUERY_COLUMN_RUN,
	QUERY_COLUMNS_END,
};

static void bounds_column(struct query_source *src, struct query_value *out, int column)
{
	const struct list_source *l = (const struct list_source *)(const void *)src;

	if (column == 2)
		query_result_int(out, (int64_t)cdict_reader_events(l->run->reader));
	else
		query_result_time(out, column ? l->run->last_ns : l->run->first_ns);
}

static int bounds_open(struct query_source **out, struct query_run_of *run,
		       const struct query_table *table, const struct query_scan *scan,
		       struct cdict_error *err)
{
	(void)table;
	(void)scan;
	return list_open(out, run, 1, LIST_ALL, bounds_column, err);
}

const struct query_table query_trace_bounds = {
	.name = "trace_bounds", .columns = bounds_columns, .flags = QUERY_SMALL, .open = bounds_open
};
