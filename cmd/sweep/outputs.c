/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict sweep: writes its files, a picture or data by their endings, and the table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "base/memory/texts.h"
#include "cmd/core/pager.h"
#include "cmd/sweep/run/picture.h"
#include "cmd/sweep/sweep.h"
#include "render/draw/backend.h"
#include "render/draw/text.h"
#include "render/page/sweep_page.h"

#define WIDTH 1280
#define HEIGHT 720
#define PIXELS_MIN 320
#define PIXELS_MAX 16384

enum kind { PICTURE, PAGE, DATA, UNKNOWN };

static bool ends(const char *path, const char *ending)
{
	size_t a = strlen(path), b = strlen(ending);

	return a > b && !strcasecmp(path + a - b, ending);
}

static enum kind kind_of(const char *path, enum table_format *format)
{
	static const struct {
		const char *ending;
		enum table_format format;
	} data[] = { { ".json", TABLE_AS_JSON },
		     { ".csv", TABLE_AS_CSV },
		     { ".md", TABLE_AS_MD },
		     { ".txt", TABLE_AS_TEXT } };

	for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++) {
		*format = data[i].format;
		if (ends(path, data[i].ending))
			return DATA;
	}
	if (ends(path, ".html"))
		return PAGE;
	return backend_for(path) ? PICTURE : UNKNOWN;
}

static const char *output_at(const struct sweep_opts *o, size_t i)
{
	return strchr(o->outputs.at[i], '=') + 1;
}

char *sweep_outputs_beside(const struct sweep_opts *o, const char *ending)
{
	const char *first = o->outputs.n ? output_at(o, 0) : "sweep.html";
	const char *name = strrchr(first, '/'), *dot = strrchr(first, '.');
	char *path;

	if (!dot || (name && dot < name))
		dot = first + strlen(first);
	return asprintf(&path, "%.*s%s", (int)(dot - first), first, ending) < 0 ? NULL : path;
}

static int add_path(struct texts *f, char *path)
{
	for (size_t i = 0; path && i < f->n; i++) {
		if (!strcmp(f->at[i], path)) {
			free(path);
			return 0;
		}
	}
	return texts_take(f, path);
}

/* Lists the outputs: those of -o, by default a page; and, except with --plot, the data next to it. */
static int list(struct texts *f, const struct sweep_opts *o)
{
	int rc = 0;

	for (size_t i = 0; i < o->outputs.n && !rc; i++)
		rc = add_path(f, strdup(output_at(o, i)));
	if (!rc && !o->outputs.n && !o->plot)
		rc = add_path(f, sweep_outputs_beside(o, ".html"));
	if (!rc && !o->plot)
		rc = add_path(f, sweep_outputs_beside(o, ".json"));
	return rc || o->plot ? rc : add_path(f, sweep_outputs_beside(o, ".csv"));
}

/* --- marks: "64K", "64K=L2 cache", "64K=L2 cache:red" --- */

static void marks_free(struct sweep_mark *marks, size_t n)
{
	for (size_t i = 0; marks && i < n; i++)
		free(marks[i].label);
	free(marks);
}

/* Cuts a colour off @label; what looks like one must be one, but "ratio 1:2" is a label. */
static bool take_colour(char *label, struct ink *out)
{
	char *colon = strrchr(label, ':');
	size_t len = colon ? strlen(colon + 1) : 0;

	if (!len || strspn(colon + 1, "abcdefghijklmnopqrstuvwxyz") != len)
		return true;
	*colon = '\0';
	return palette_named(colon + 1, out);
}

static int read_mark(const struct cmd_call *call, const char *spec, struct sweep_mark *out)
{
	size_t len = strcspn(spec, "=:");
	char *value = strndup(spec, len), *label = strdup(spec[len] == '=' ? spec + len + 1 : spec);
	bool number = value && sweep_number(value, &out->number, NULL);
	bool colour = label && take_colour(label, &out->ink);

	if (label && !*label && value) { /* "4K=:red" */
		free(label);
		label = strdup(value);
	}
	free(value);
	out->label = label;
	if (!label)
		return cmd_errorf(call, NULL, "out of memory");
	if (!number || (spec[len] == ':' && !out->ink.kind && colour))
		return cmd_usage(
			call,
			"option --mark takes a number as in 64K, 64K=LABEL or 64K=LABEL:red, not '%s'",
			spec);
	return colour ? CMD_DONE
		      : cmd_usage(call, "option --mark: '%s' has an unknown colour; expected %s",
				  spec, PALETTE_NAMES);
}

static int read_marks(const struct cmd_call *call, const struct sweep *s,
		      struct sweep_plot_options *how)
{
	const struct sweep_opts *o = call->opts;
	int axis = sweep_plot_axis(s, o->x), status = CMD_DONE;
	struct sweep_mark *marks = calloc(o->marks.n + 1, sizeof(*marks));

	how->x = o->x;
	how->x_scale = o->x_scale;
	how->y_log = o->y_scale == 1;
	how->marks = marks;
	how->n_marks = o->marks.n;
	if (!marks)
		return cmd_errorf(call, NULL, "out of memory");
	if (o->x && axis < 0)
		return cmd_usage(call, "option --x: unknown parameter '%s'", o->x);
	for (size_t i = 0; i < o->marks.n && !status; i++)
		status = read_mark(call, o->marks.at[i], &marks[i]);
	if (!status && o->marks.n && !sweep_plot_numbers(s, axis))
		status = cmd_usage(call, "option --mark: the x axis has no numbers");
	if (!status && o->x_scale == SWEEP_SCALE_LOG && !sweep_plot_positive(s, axis))
		status = cmd_usage(call, "option --x-scale: log needs values above 0");
	for (size_t i = 0; i < o->marks.n && !status; i++) {
		if (sweep_plot_log(s, axis, o->x_scale) && marks[i].number <= 0)
			status = cmd_usage(
				call,
				"option --mark: a logarithmic axis needs values above 0, not %s",
				marks[i].label);
	}
	return status;
}

int sweep_outputs_check(const struct cmd_call *call, const struct sweep *s)
{
	const struct sweep_opts *o = call->opts;
	struct sweep_plot_options how = { 0 };
	struct texts f = { 0 };
	enum table_format format;
	int status = read_marks(call, s, &how);

	marks_free((struct sweep_mark *)how.marks, how.n_marks);
	if (!status && o->width && (o->width < PIXELS_MIN || o->width > PIXELS_MAX))
		status = cmd_usage(call, "option --width: from %d to %d", PIXELS_MIN, PIXELS_MAX);
	if (!status && o->height > PIXELS_MAX)
		status = cmd_usage(call, "option --height: at most %d", PIXELS_MAX);
	if (!status && list(&f, o))
		status = cmd_errorf(call, NULL, "out of memory");
	for (size_t i = 0; i < f.n && !status; i++) {
		if (o->export_json && !strcmp(f.at[i], o->export_json))
			status = cmd_usage(call, "option --export-json: '%s' is an output already",
					   f.at[i]);
		else if (kind_of(f.at[i], &format) == UNKNOWN)
			status = cmd_usage(
				call,
				"cannot tell the format of '%s' by its ending; expected .html, .svg, .png, .pdf, .json, .csv, .md or .txt",
				f.at[i]);
		else
			status = cmd_output_check(call, NULL, f.at[i]);
	}
	texts_fini(&f);
	if (!status && o->export_json)
		status = cmd_output_check(call, NULL, o->export_json);
	return status;
}

/* --- writing --- */

struct work {
	const struct sweep *s;
	const struct sweep_figure *figures;
	const struct marks *marks;
	const char *path;
	enum table_format format;
	struct backend_options how;
	const char *title;
};

static int write_data(void *ctx, struct sink *out, struct cdict_error *err)
{
	struct work *w = ctx;

	(void)err;
	sweep_table(out, w->format, w->s, w->figures, 0);
	return 0;
}

static int write_picture(void *ctx, struct sink *out, struct cdict_error *err)
{
	struct work *w = ctx;

	return backend_for(w->path)->draw(w->marks, &w->how, out, err);
}

static int write_page(void *ctx, struct sink *out, struct cdict_error *err)
{
	struct work *w = ctx;
	struct sweep_page page = { .marks = w->marks, .title = w->title };
	struct sweep_cells cells = { 0 };
	int rc = sweep_cells(&cells, w->s, w->figures) ? cdict_fail_nomem(err) : 0;

	page.cells = (const char *const *)cells.all.at;
	page.columns = cells.columns;
	page.rows = cells.columns ? cells.all.n / cells.columns : 0;
	page.names = cells.names;
	page.lines = (const char *const *)cells.lines.at;
	page.n_lines = cells.lines.n;
	if (!rc)
		rc = sweep_page_write(&page, out, err);
	sweep_cells_fini(&cells);
	return rc;
}

static int write_export(void *ctx, struct sink *out, struct cdict_error *err)
{
	struct work *w = ctx;

	return sweep_export(out, w->s, err);
}

static int write_files(const struct cmd_call *call, struct work *w, const struct texts *f)
{
	const char *export = ((const struct sweep_opts *)call->opts)->export_json;
	int status = CMD_DONE;

	for (size_t i = 0; i < f->n && !status; i++) {
		enum kind kind;

		w->path = f->at[i];
		kind = kind_of(w->path, &w->format);
		status = cmd_output_write(call, w->path, 0,
					  kind == PAGE      ? write_page
					  : kind == PICTURE ? write_picture
							    : write_data,
					  w);
	}
	return status || !export ? status : cmd_output_write(call, export, 0, write_export, w);
}

static int print(const struct cmd_call *call, struct work *w)
{
	struct sink s;
	int rc;

	sink_to_file(&s, stdout);
	w->format = (enum table_format)((const struct sweep_opts *)call->opts)->shared.format;
	sweep_table(&s, w->format, w->s, w->figures, call->verbose ? 0 : pager_columns());
	rc = sink_finish(&s);
	return rc == -ENOMEM ? cmd_errorf(call, NULL, "out of memory") : rc ? CMD_FAILED : CMD_DONE;
}

int sweep_outputs_write(const struct cmd_call *call, const struct sweep *s)
{
	const struct sweep_opts *o = call->opts;
	struct canvas c = canvas_pixels(o->width ? (double)o->width : WIDTH,
					o->height ? (double)o->height : HEIGHT);
	struct sweep_figure *figures = sweep_figures(s);
	struct work w = { .s = s, .figures = figures };
	struct sweep_plot_options how = { 0 };
	struct sweep_picture picture = { 0 };
	struct marks marks = { 0 };
	struct texts f = { 0 };
	int status = read_marks(call, s, &how);

	w.marks = &marks;
	w.how.theme = o->theme ? PALETTE_DARK : PALETTE_LIGHT;
	if (!status && (!figures || list(&f, o) || sweep_plot(&picture, s, figures, &how) ||
			view_sweep_draw(&marks, &c, &picture.view)))
		status = cmd_errorf(call, NULL, "out of memory");
	w.title = picture.view.title;
	if (!status)
		status = write_files(call, &w, &f);
	if (!status)
		status = print(call, &w);
	marks_free((struct sweep_mark *)how.marks, how.n_marks);
	texts_fini(&f);
	marks_fini(&marks);
	sweep_picture_fini(&picture);
	free(figures);
	return status;
}
