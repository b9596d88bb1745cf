/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Foreign input of cdict sweep: a benchmark's JSON by a path, the data of a sweep, a line of its
 * journal; and the parameters and metrics of a command line. Refused with a reason, or taken; of
 * data that was taken the figures are in order, it is drawn and written in every form, and written
 * data is read back unchanged.
 */
#include <stdlib.h>
#include <string.h>

#include "cmd/sweep/sweep.h"
#include "cmd/sweep/run/picture.h"
#include "render/draw/backend.h"
#include "tests/fuzz/lib/limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must(bool so)
{
	if (!so)
		abort();
}

static void refused(int rc, const struct cdict_error *err)
{
	must(err->code == rc && err->text[0]);
}

static char *written(const struct sweep *s, const struct sweep_figure *f, enum table_format format,
		     size_t size)
{
	struct sink out;
	char *text;
	size_t len;

	sink_to_memory(&out);
	sweep_table(&out, format, s, f, 0);
	text = sink_take(&out, &len);
	must(text != NULL);
	limits_output(len, size);
	return text;
}

static void draw(const struct sweep *s, const struct sweep_figure *f, size_t size)
{
	struct sweep_plot_options how = { .x_scale = SWEEP_SCALE_LOG, .y_log = s->runs % 2 };
	struct backend_options paper = { 0 };
	struct canvas c = canvas_pixels(640, 480);
	struct sweep_picture picture = { 0 };
	struct marks m = { 0 };
	struct sink out;

	must(!sweep_plot(&picture, s, f, &how) && !view_sweep_draw(&m, &c, &picture.view));
	for (size_t i = 0; i < m.all.n; i++)
		must(isfinite(m.all.at[i].x) && isfinite(m.all.at[i].y) &&
		     isfinite(m.all.at[i].w) && isfinite(m.all.at[i].h));
	sink_to_memory(&out);
	must(!backend_svg.draw(&m, &paper, &out, NULL));
	limits_output(out.buf.len, size);
	must(!sink_finish(&out));
	marks_fini(&m);
	sweep_picture_fini(&picture);
}

static void read_data(const char *text, size_t size)
{
	struct sweep s = { .metrics.recorder = &sweep_recorder },
		     again = { .metrics.recorder = &sweep_recorder };
	struct cdict_error err = { 0 };
	struct sweep_figure *f, *g;
	char *json, *other;
	int rc = sweep_read(&s, text, size, &err);

	if (rc) {
		refused(rc, &err);
		sweep_fini(&s);
		return;
	}
	f = sweep_figures(&s);
	must(f != NULL);
	for (size_t i = 0; i < sweep_params_points(&s.params) * s.metrics.all.n; i++)
		must(!f[i].q.n || (f[i].q.min <= f[i].q.q1 && f[i].q.q1 <= f[i].q.median &&
				   f[i].q.median <= f[i].q.q3 && f[i].q.q3 <= f[i].q.max));
	for (int format = TABLE_AS_TEXT; format <= TABLE_AS_MD; format++)
		free(written(&s, f, (enum table_format)format, size));
	draw(&s, f, size);
	json = written(&s, f, TABLE_AS_JSON, size);
	must(!sweep_read(&again, json, strlen(json), &err));
	g = sweep_figures(&again);
	must(g != NULL);
	other = written(&again, g, TABLE_AS_CSV, size);
	free(other);
	must(again.done.n == s.done.n && sweep_failed(&again) == sweep_failed(&s));
	free(json);
	free(f);
	free(g);
	sweep_fini(&again);
	sweep_fini(&s);
}

/* "path\0JSON". */
static void read_json(const char *text, size_t size)
{
	size_t len = strlen(text);
	struct sweep_metrics m = { .recorder = &sweep_recorder };
	struct sweep_samples samples = { 0 };
	struct cdict_error err = { 0 };
	int rc = sweep_metrics_add(&m, text, &err);

	if (!rc && m.all.at[0].from == SWEEP_FROM_JSON && len < size) {
		rc = sweep_json_take(&m, 0, text + len + 1, size - len - 1, &samples, &err);
		must(rc || samples.all.n || samples.why);
	}
	if (rc)
		refused(rc, &err);
	sweep_samples_fini(&samples);
	sweep_metrics_fini(&m);
}

/* "b=...\0a text with {b}". */
static void read_params(const char *text, size_t size)
{
	size_t len = strlen(text);
	struct sweep_params p = { 0 };
	struct cdict_error err = { 0 };
	int rc = sweep_params_add(&p, text, &err);

	if (rc) {
		refused(rc, &err);
	} else {
		must(p.all.at[0].values.n && p.all.at[0].values.n <= SWEEP_VALUES_MAX);
		free(sweep_params_replace(&p, 0, len < size ? text + len + 1 : text));
	}
	sweep_params_fini(&p);
}

static void read_line(const char *text, size_t size)
{
	struct sweep s = { .runs = 2, .metrics.recorder = &sweep_recorder };
	struct cdict_error err = { 0 };
	int rc;

	must(!sweep_params_add(&s.params, "b=1,2", &err) &&
	     !sweep_metrics_add(&s.metrics, "wall", &err) &&
	     !sweep_metrics_add(&s.metrics, "v", &err));
	rc = sweep_read_run(&s, text, size, &err);
	if (rc)
		refused(rc, &err);
	else
		must(s.done.n == 1 && s.done.at[0].point < 2);
	sweep_fini(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	must(text != NULL);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	switch (data[0] % 4) {
	case 0:
		read_data(text, size - 1);
		break;
	case 1:
		read_json(text, size - 1);
		break;
	case 2:
		read_params(text, size - 1);
		break;
	default:
		read_line(text, size - 1);
	}
	free(text);
	return 0;
}
