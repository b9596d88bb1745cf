// SPDX-License-Identifier: GPL-2.0-only
/* slice.c - slice: the events of an imported I/O trace (INFO source "pfw"), which have a duration and are stored
 * by their end. */
#include "query/sql/stream.h"

enum {
	SLICE_TS,
	SLICE_DUR,
	SLICE_UTID,
	SLICE_TRACK,
	SLICE_CATEGORY,
	SLICE_NAME,
	SLICE_DEPTH,
	SLICE_FIELDS, /* fname, size, host, args */
	SLICE_RUN = SLICE_FIELDS + 4,
	SLICE_TS_END,
	SLICE_MORE /* fhash, hhash, time_ns, freq */
};

static const struct query_column columns[] = {
	{ "ts", "INTEGER", QUERY_TS, false },        { "dur", "INTEGER", QUERY_PLAIN, false },
	{ "utid", "INTEGER", QUERY_UTID, false },    { "track_id", "INTEGER", QUERY_PLAIN, false },
	{ "category", "TEXT", QUERY_PLAIN, false },  { "name", "TEXT", QUERY_PLAIN, false },
	{ "depth", "INTEGER", QUERY_PLAIN, false },  { "fname", "TEXT", QUERY_PLAIN, false },
	{ "size", "INTEGER", QUERY_PLAIN, false },   { "host", "TEXT", QUERY_PLAIN, false },
	{ "args", "TEXT", QUERY_PLAIN, false },      QUERY_COLUMN_RUN,
	{ "ts_end", "INTEGER", QUERY_TS_END, true }, { "fhash", "TEXT", QUERY_PLAIN, true },
	{ "hhash", "TEXT", QUERY_PLAIN, true },      { "time_ns", "INTEGER", QUERY_PLAIN, true },
	{ "freq", "INTEGER", QUERY_PLAIN, true },    QUERY_COLUMNS_END,
};

static const char *const fields[] = { "dur",   "fname", "size",    "host", "args",
				      "fhash", "hhash", "time_ns", "freq" };
enum { N_FIELDS = sizeof(fields) / sizeof(fields[0]), FIELDS_SHOWN = 5 };

static int field_of(const void *ctx, const struct cdict_event_type *type, size_t i)
{
	const struct query_scan *scan = ctx;

	if (i && !query_uses(scan, i < FIELDS_SHOWN ? SLICE_FIELDS + (int)i - 1
						    : SLICE_MORE + (int)i - FIELDS_SHOWN))
		return -1;
	return cdict_event_type_field(type, fields[i]);
}

static bool lasts(const void *ctx, const struct cdict_event_type *type)
{
	int dur = cdict_event_type_field(type, "dur");

	(void)ctx;
	return dur >= 0 && type->fields[dur].kind == CDICT_FIELD_UINT;
}

static void column_of(struct query_source *src, struct query_value *out, int column)
{
	struct stream_source *s = (struct stream_source *)(void *)src;
	uint64_t dur = s->ev.values[stream_field(s, 0)];

	switch (column) {
	case SLICE_TS:
		query_result_time(out, s->ev.t_ns > dur ? s->ev.t_ns - dur : 0);
		break;
	case SLICE_DUR:
		query_result_int(out, (int64_t)dur);
		break;
	case SLICE_UTID:
	case SLICE_TRACK:
		stream_result_utid(s, out);
		break;
	case SLICE_CATEGORY:
		query_result_fixed(out, s->ev.type->system);
		break;
	case SLICE_NAME:
		query_result_fixed(out, s->ev.type->event);
		break;
	case SLICE_DEPTH:
		query_result_int(out, 0);
		break;
	case SLICE_TS_END:
		query_result_time(out, s->ev.t_ns);
		break;
	default:
		column = column < SLICE_RUN ? column - SLICE_FIELDS + 1
					    : column - SLICE_MORE + FIELDS_SHOWN;
		stream_result_field(s, out, stream_field(s, (size_t)column));
		break;
	}
}

static bool none(const void *ctx, const struct cdict_event_type *type)
{
	(void)ctx;
	(void)type;
	return false;
}

static int open_slices(struct query_source **out, struct query_run_of *run,
		       const struct query_table *table, const struct query_scan *scan,
		       struct cdict_error *err)
{
	const struct stream_options opts = {
		.scan = scan,
		.by_end = true,
		.utid = query_uses(scan, SLICE_UTID) || query_uses(scan, SLICE_TRACK),
		.field = field_of,
		.n_fields = N_FIELDS,
		.wants = run->sparse ? lasts : none,
		.ctx = scan,
	};

	(void)table;
	return stream_open(out, run, &opts, column_of, err);
}

const struct query_table query_slice = {
	.name = "slice", .columns = columns, .flags = QUERY_EVENTS, .open = open_slices
};
