/* SPDX-License-Identifier: GPL-2.0-only */
/* Prints the results as JSON, CSV, Markdown and text. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/escape.h"
#include "cmd/sweep/run/sweep.h"
#include "render/draw/text.h"
#include "tables/columns/table_fit.h"

/* Whole numbers with all their digits. */
static void write_number(struct json *j, const char *key, double v)
{
	if (fabs(v) < 9007199254740992.0 && v == nearbyint(v))
		json_i64(j, key, (int64_t)v);
	else
		json_number(j, key, v);
}

void sweep_head_json(struct json *j, const struct sweep *s)
{
	json_open(j, "schema", '{', false);
	json_text(j, "name", "cdict-sweep");
	json_u64(j, "version", 1);
	json_close(j);
	json_text(j, "title", s->title);
	json_text(j, "host", s->host);
	json_open(j, "command", '[', false);
	for (size_t i = 0; i < s->command.n; i++)
		json_text(j, NULL, s->command.at[i]);
	json_close(j);
	json_bool(j, "lines", s->lines);
	json_text(j, "shell", s->shell);
	json_text(j, "setup", s->setup);
	json_text(j, "prepare", s->prepare);
	json_text(j, "cleanup", s->cleanup);
	json_text(j, "record", s->record);
	json_open(j, "select", '[', false);
	for (size_t i = 0; i < s->select.n; i++)
		json_text(j, NULL, s->select.at[i]);
	json_close(j);
	json_open(j, "params", '[', false);
	for (size_t i = 0; i < s->params.all.n; i++) {
		const struct sweep_param *p = &s->params.all.at[i];

		json_open(j, NULL, '{', false);
		json_text(j, "name", p->name);
		json_bool(j, "binary", p->binary);
		json_open(j, "values", '[', false);
		for (size_t k = 0; k < p->values.n; k++)
			json_text(j, NULL, p->values.at[k].text);
		json_close(j);
		json_open(j, "texts", '[', false);
		for (size_t k = 0; k < p->values.n; k++)
			json_text(j, NULL, p->values.at[k].typed);
		json_close(j);
		json_close(j);
	}
	json_close(j);
	json_open(j, "metrics", '[', false);
	for (size_t i = 0; i < s->metrics.all.n; i++) {
		const struct sweep_metric *m = &s->metrics.all.at[i];

		json_open(j, NULL, '{', false);
		json_text(j, "name", m->name);
		json_text(j, "source", m->source);
		json_text(j, "reduction", sweep_metrics_reduction(m));
		json_text(j, "unit", m->unit);
		json_close(j);
	}
	json_close(j);
	json_u64(j, "runs", s->runs);
	json_u64(j, "warmup", s->warmup);
	json_bool(j, "drop_first", s->drop_first);
}

void sweep_run_json(struct json *j, const struct sweep *s, const struct sweep_done *run)
{
	bool missing = false;

	json_open(j, NULL, '{', false);
	json_u64(j, "point", run->point);
	json_u64(j, "run", run->nth);
	json_bool(j, "dropped", run->dropped);
	json_i64(j, "status", run->status);
	json_text(j, "failed", run->why);
	json_u64(j, "took_ns", run->took_ns);
	if (!run->samples) {
		json_null(j, "samples");
		json_close(j);
		return;
	}
	json_open(j, "samples", '[', false);
	for (size_t m = 0; m < s->metrics.all.n; m++) {
		if (run->samples[m].why) {
			json_null(j, NULL);
			missing = true;
			continue;
		}
		json_open(j, NULL, '[', false);
		for (size_t i = 0; i < run->samples[m].all.n; i++)
			write_number(j, NULL, run->samples[m].all.at[i]);
		json_close(j);
	}
	json_close(j);
	if (missing) {
		json_open(j, "missing", '[', false);
		for (size_t m = 0; m < s->metrics.all.n; m++)
			json_text(j, NULL, run->samples[m].why);
		json_close(j);
	}
	json_close(j);
}

static void figure_json(struct json *j, const struct sweep *s, size_t point, size_t metric,
			const struct sweep_figure *f)
{
	json_open(j, NULL, '{', false);
	json_open(j, "params", '{', false);
	for (size_t i = 0; i < s->params.all.n; i++)
		json_text(j, s->params.all.at[i].name, sweep_params_at(&s->params, i, point)->text);
	json_close(j);
	json_text(j, "metric", s->metrics.all.at[metric].name);
	json_text(j, "unit", s->metrics.all.at[metric].unit);
	json_u64(j, "runs", f->runs);
	json_u64(j, "failed", f->failed);
	json_u64(j, "samples", f->q.n);
	write_number(j, "min", f->q.n ? f->q.min : NAN);
	write_number(j, "q1", f->q.n ? f->q.q1 : NAN);
	write_number(j, "median", f->q.n ? f->q.median : NAN);
	write_number(j, "q3", f->q.n ? f->q.q3 : NAN);
	write_number(j, "max", f->q.n ? f->q.max : NAN);
	json_close(j);
}

static void data_json(struct sink *out, const struct sweep *s, const struct sweep_figure *f)
{
	size_t n = sweep_params_points(&s->params) * s->metrics.all.n;
	struct json j;

	json_init(&j, out);
	json_open(&j, NULL, '{', true);
	sweep_head_json(&j, s);
	json_open(&j, "sweep", '[', true);
	for (size_t i = 0; i < n; i++)
		figure_json(&j, s, i / s->metrics.all.n, i % s->metrics.all.n, &f[i]);
	json_close(&j);
	json_open(&j, "done", '[', true);
	for (size_t i = 0; i < s->done.n; i++)
		sweep_run_json(&j, s, &s->done.at[i]);
	json_close(&j);
	json_close(&j);
}

/* --- rows, as columns of text --- */

enum { METRIC, UNIT, RUNS, FAILED, SAMPLES, MIN, Q1, MEDIAN, Q3, MAX, COLUMNS };
static const char *const titles[COLUMNS] = { "metric", "unit", "runs",   "failed", "samples",
					     "min",    "q1",   "median", "q3",     "max" };

static const char *cell(const struct sweep *s, const struct sweep_figure *f, size_t row, size_t c,
			bool human, char room[NUMBER_ROOM])
{
	size_t params = s->params.all.n, metric = row % s->metrics.all.n;
	const struct sweep_metric *m = &s->metrics.all.at[metric];
	const double five[] = { f[row].q.min, f[row].q.q1, f[row].q.median, f[row].q.q3,
				f[row].q.max };

	if (c < params)
		return sweep_params_at(&s->params, c, row / s->metrics.all.n)->text;
	c -= params;
	if (c == METRIC)
		return m->name;
	if (c == UNIT)
		return m->unit;
	if (c >= MIN && !f[row].q.n)
		return human ? "-" : "";
	if (c >= MIN && human)
		return sweep_human(room, five[c - MIN], m->unit);
	if (c >= MIN)
		snprintf(room, NUMBER_ROOM, "%.*g",
			 fabs(five[c - MIN]) < 1e15 && five[c - MIN] == nearbyint(five[c - MIN])
				 ? 15
				 : 10,
			 five[c - MIN]);
	else
		snprintf(room, NUMBER_ROOM, "%zu",
			 c == RUNS     ? (size_t)f[row].runs
			 : c == FAILED ? (size_t)f[row].failed
				       : f[row].q.n);
	return room;
}

static const char *title(const struct sweep *s, size_t c)
{
	return c < s->params.all.n ? s->params.all.at[c].name : titles[c - s->params.all.n];
}

static bool shown(const struct sweep *s, size_t c, enum table_format format)
{
	return format == TABLE_AS_CSV || c != s->params.all.n + UNIT;
}

static int add_value(struct sweep_cells *to, const struct sweep_params *p, size_t i, size_t point)
{
	struct sink text;

	sink_to_memory(&text);
	sweep_params_show(&text, &p->all.at[i], sweep_params_index(p, i, point));
	return texts_take(&to->all, sink_take(&text, NULL));
}

static int add_failure(struct sweep_cells *to, const struct sweep *s, const struct sweep_done *run,
		       const char *failed, const char *why)
{
	struct sink line;

	sink_to_memory(&line);
	for (size_t p = 0; p < s->params.all.n; p++) {
		sink_printf(&line, "%s%s=", p ? ", " : "", s->params.all.at[p].name);
		sweep_params_show(&line, &s->params.all.at[p],
				  sweep_params_index(&s->params, p, run->point));
	}
	sink_printf(&line, "%srun %u%s: %s", s->params.all.n ? ": " : "", run->nth + 1, failed,
		    why ? why : "");
	return texts_take(&to->lines, sink_take(&line, NULL));
}

/* Failed runs and missing metrics, one per line. */
static int add_failures(struct sweep_cells *to, const struct sweep *s)
{
	int rc = 0;

	for (size_t i = 0; i < s->done.n && !rc; i++) {
		const struct sweep_done *run = &s->done.at[i];

		if (run->dropped)
			continue;
		if (!run->samples)
			rc = add_failure(to, s, run, " failed", run->why);
		for (size_t m = 0; run->samples && m < s->metrics.all.n && !rc; m++) {
			if (run->samples[m].why)
				rc = add_failure(to, s, run, "", run->samples[m].why);
		}
	}
	return rc;
}

int sweep_cells(struct sweep_cells *to, const struct sweep *s, const struct sweep_figure *f)
{
	size_t rows = sweep_params_points(&s->params) * s->metrics.all.n;
	char room[NUMBER_ROOM];
	int rc = 0;

	for (size_t row = 0; row <= rows && !rc; row++) {
		for (size_t c = 0; c < s->params.all.n + COLUMNS && !rc; c++) {
			if (!shown(s, c, TABLE_AS_TEXT))
				continue;
			rc = row && c < s->params.all.n
				     ? add_value(to, &s->params, c, (row - 1) / s->metrics.all.n)
				     : texts_add(&to->all, row ? cell(s, f, row - 1, c, true, room)
							       : title(s, c));
			to->columns += !row;
		}
	}
	to->names = s->params.all.n + 1;
	return rc ? rc : add_failures(to, s);
}

void sweep_cells_fini(struct sweep_cells *c)
{
	texts_fini(&c->all);
	texts_fini(&c->lines);
}

/* Parameter values are shortened to this width before columns are dropped. */
enum { READABLE = 16 };

static void put_padded(struct sink *out, const char *full, const struct table_room *room,
		       struct table_names *names, struct shorten *heads)
{
	const char *text = heads ? table_fit_title(heads, room, full)
				 : table_fit_name(names, room, full);
	size_t w = escape_width(text, strlen(text));
	size_t blanks = w < room->width ? room->width - w : 0;

	if (!room->text)
		sink_repeat(out, ' ', blanks);
	table_fit_text(out, text, room->width);
	if (room->text)
		sink_repeat(out, ' ', blanks);
}

static int put_text(struct sink *out, const struct sweep_cells *cells, size_t columns)
{
	size_t n = cells->columns, gone = 0;
	struct table_room *rooms = calloc(n, sizeof(*rooms));
	struct table_names names = { 0 };
	struct shorten heads = { 0 };
	bool failed = false;

	if (!rooms)
		return -ENOMEM;
	for (size_t i = 0; i < cells->all.n; i++) {
		struct table_room *room = &rooms[i % n];
		size_t w = escape_width(cells->all.at[i], strlen(cells->all.at[i]));

		room->width = w > room->width ? w : room->width;
		room->text = i % n < cells->names;
		if (i < n)
			room->least = w < READABLE ? w : READABLE;
		/* parameters, metric and medians always stay */
		room->rank = !room->text && strcmp(cells->all.at[i % n], "median") != 0;
	}
	if (columns)
		gone = table_fit(rooms, n, columns, READABLE);
	for (size_t i = n; i < cells->all.n; i++)
		failed |= table_fit_add(&names, &rooms[i % n], cells->all.at[i]) != 0;
	for (size_t i = 0; i < cells->all.n; i++) {
		struct table_room *room = &rooms[i % n];

		if (!room->hidden) {
			sink_puts(out, i % n ? "  " : "");
			put_padded(out, cells->all.at[i], room, &names, i < n ? &heads : NULL);
		}
		sink_puts(out, (i + 1) % n ? "" : "\n");
	}
	table_fit_note(out, gone);
	for (size_t i = 0; i < cells->lines.n; i++) {
		escape_terminal(out, cells->lines.at[i], strlen(cells->lines.at[i]));
		sink_putc(out, '\n');
	}
	table_names_fini(&names);
	shorten_fini(&heads);
	free(rooms);
	return failed ? -ENOMEM : 0;
}

void sweep_table(struct sink *out, enum table_format format, const struct sweep *s,
		 const struct sweep_figure *f, size_t columns)
{
	size_t rows = sweep_params_points(&s->params) * s->metrics.all.n;
	size_t n = s->params.all.n + COLUMNS;
	char room[NUMBER_ROOM];
	bool md = format == TABLE_AS_MD;

	if (format == TABLE_AS_JSON) {
		data_json(out, s, f);
		return;
	}
	if (format == TABLE_AS_TEXT) {
		struct sweep_cells cells = { 0 };

		if ((sweep_cells(&cells, s, f) || put_text(out, &cells, columns)) && !out->error)
			out->error = -ENOMEM;
		sweep_cells_fini(&cells);
		return;
	}
	for (size_t row = 0; row <= rows; row++) {
		for (size_t c = 0, any = 0; c < n; c++) {
			const char *text;

			if (!shown(s, c, format))
				continue;
			text = row ? cell(s, f, row - 1, c, md, room) : title(s, c);
			sink_puts(out, md ? "| " : any++ ? "," : "");
			if (md)
				escape_md(out, text, strlen(text));
			else
				escape_csv(out, text, strlen(text));
			sink_puts(out, md ? " " : "");
		}
		sink_puts(out, md ? "|\n" : "\r\n");
		for (size_t c = 0; md && !row && c < n; c++)
			sink_puts(out, !shown(s, c, format)   ? ""
				       : c <= s->params.all.n ? "|---"
							      : "|---:");
		sink_puts(out, md && !row ? "|\n" : "");
	}
}
