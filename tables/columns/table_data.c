/* SPDX-License-Identifier: LGPL-2.1-only */
/* Tables for programs: CSV (RFC 4180) and JSON. */
#include <inttypes.h>

#include "base/text/escape.h"
#include "tables/columns/table.h"

static void csv_cell(struct sink *s, const struct table_column *c, const struct table_cell *cell)
{
	if (!cell->set)
		return;
	switch (c->kind) {
	case TABLE_TEXT:
		escape_csv(s, cell->text, strlen(cell->text));
		break;
	case TABLE_INTEGER:
		sink_printf(s, "%" PRId64, cell->i64);
		break;
	case TABLE_PERCENT:
		sink_printf(s, "%.10g", cell->percent);
		break;
	default:
		sink_printf(s, "%" PRIu64, cell->u64);
	}
}

void table_print_csv(struct sink *s, const struct table *t)
{
	bool first = true;

	for (size_t c = 0; c < t->n_columns; c++) {
		if (t->columns[c].flags & TABLE_HUMAN)
			continue;
		sink_printf(s, "%s%s", first ? "" : ",", t->columns[c].key);
		first = false;
	}
	sink_puts(s, t->certain ? "\r\n" : ",lossy\r\n");
	for (size_t r = 0; r < t->shown; r++) {
		first = true;
		for (size_t c = 0; c < t->n_columns; c++) {
			if (t->columns[c].flags & TABLE_HUMAN)
				continue;
			if (!first)
				sink_putc(s, ',');
			first = false;
			csv_cell(s, &t->columns[c], table_at(t, r, c));
		}
		if (t->certain)
			sink_puts(s, "\r\n");
		else
			sink_puts(s, table_row_lossy(t, r) ? ",true\r\n" : ",false\r\n");
	}
}

void table_cell_json(struct json *j, const char *key, const struct table_column *col,
		     const struct table_cell *cell, uint64_t t0_ns)
{
	if (!cell->set) {
		json_null(j, key);
		return;
	}
	switch (col->kind) {
	case TABLE_TEXT:
		json_text(j, key, cell->text);
		break;
	case TABLE_INTEGER:
		json_i64(j, key, cell->i64);
		break;
	case TABLE_BOOL:
		json_bool(j, key, cell->i64);
		break;
	case TABLE_PERCENT:
		json_number(j, key, cell->percent);
		break;
	case TABLE_TIME:
		if (t0_ns)
			json_i64(j, key, (int64_t)(cell->u64 - t0_ns));
		else
			json_u64(j, key, cell->u64);
		break;
	default:
		json_u64(j, key, cell->u64);
	}
}

static void json_row(struct json *j, const char *key, const struct table *t, size_t row)
{
	json_open(j, key, '{', false);
	for (size_t c = 0; c < t->n_columns; c++) {
		if (!(t->columns[c].flags & TABLE_HUMAN))
			table_cell_json(j, t->columns[c].key, &t->columns[c], table_at(t, row, c),
					0);
	}
	if (!t->certain)
		json_bool(j, "lossy", table_row_lossy(t, row));
	json_close(j);
}

static void schema_json(struct json *j, const struct table_frame *frame)
{
	char name[64];

	snprintf(name, sizeof(name), "cdict-%s", frame->command);
	json_open(j, "schema", '{', false);
	json_text(j, "name", name);
	json_u64(j, "version", frame->version ? frame->version : 1);
	json_close(j);
}

static void capture_json(struct json *j, const struct table_frame *frame)
{
	static const char *const keys[][2] = {
		{ "host", "host.name" },
		{ "kernel", "host.kernel" },
		{ "arch", "host.arch" },
		{ "cpu", "host.cpu" },
		{ "perf_version", "perf.version" },
		{ "clock", "clock.id" },
	};
	char text[SCOPE_TEXT_MAX];
	struct scope scope;

	json_open(j, "capture", '{', true);
	json_text(j, "file", frame->file);
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		json_text(j, keys[i][0], cdict_reader_info(frame->reader, keys[i][1]));
	scope_of_reader(&scope, frame->reader);
	json_text(j, "scope", scope_text(text, &scope));
	json_u64(j, "cpus", cdict_reader_cpus(frame->reader));
	json_u64(j, "events", cdict_reader_events(frame->reader));
	json_u64(j, "bytes", cdict_reader_size(frame->reader));
	json_close(j);
	json_open(j, "window_ns", '{', false);
	json_u64(j, "from", frame->from_ns);
	json_u64(j, "to", frame->to_ns);
	json_u64(j, "length", table_length_ns(frame));
	if (frame->n_windows > 1) {
		json_open(j, "windows", '[', false);
		for (size_t i = 0; i < frame->n_windows; i++) {
			json_open(j, NULL, '{', false);
			json_u64(j, "from", frame->windows[i].from_ns);
			json_u64(j, "to", frame->windows[i].to_ns);
			json_close(j);
		}
		json_close(j);
	}
	json_close(j);
}

void table_frame_json(struct json *j, const struct table_frame *frame)
{
	schema_json(j, frame);
	capture_json(j, frame);
}

static void loss_of(struct json *j, const struct table_frame *frame)
{
	struct loss_sum sum;

	loss_sum(&sum, frame->reader, frame->from_ns, frame->to_ns);
	loss_json(j, &sum, frame->reader, frame->from_ns, frame->to_ns, frame->unknown_ns);
}

/* The objects of all captures. */
static void captures_json(struct json *j, const struct table_frame *frame)
{
	json_open(j, "captures", '[', true);
	for (size_t i = 0; i <= frame->n_others; i++) {
		const struct table_frame *of = i ? &frame->others[i - 1] : frame;

		json_open(j, NULL, '{', true);
		capture_json(j, of);
		loss_of(j, of);
		json_close(j);
	}
	json_close(j);
}

static void report_lack(void *ctx, const char *event, const char *what)
{
	(void)what;
	json_text(ctx, NULL, event);
}

void table_head_json(struct json *j, const struct table_frame *frame)
{
	schema_json(j, frame);
	if (frame->n_others) {
		captures_json(j, frame);
	} else if (frame->reader) {
		capture_json(j, frame);
		loss_of(j, frame);
	}
}

void table_print_json(struct sink *s, const struct table_frame *frame, struct table *const *tables,
		      size_t n)
{
	struct json j;

	json_init(&j, s);
	json_open(&j, NULL, '{', true);
	table_head_json(&j, frame);
	json_open(&j, "not_recorded", '[', false);
	table_lacks(tables, n, TABLE_HUMAN, report_lack, &j);
	json_close(&j);
	for (size_t i = 0; i < n; i++) {
		const struct table *t = tables[i];

		json_open(&j, t->name, '[', true);
		for (size_t r = 0; r < t->shown; r++)
			json_row(&j, NULL, t, r);
		json_close(&j);
		if (t->total) {
			char key[64];

			snprintf(key, sizeof(key), "%s%s", i ? t->name : "",
				 i ? "_total" : "total");
			json_row(&j, key, t, TABLE_TOTAL);
		}
	}
	json_close(&j);
}
