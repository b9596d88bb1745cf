/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict sweep: values of parameters, quartiles, paths in JSON, and positions in the picture. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/sweep/sweep.h"
#include "cmd/sweep/run/picture.h"
#include "render/draw/text.h"

/* --- parameters --- */

/* The values of a parameter, separated by blanks; "!" and the reason: refused. */
static char *values(const char *spec)
{
	struct sweep_params p = { 0 };
	struct cdict_error err = { 0 };
	char *whole, *out;
	struct sink s;

	assert_true(asprintf(&whole, "b=%s", spec) > 0);
	sink_to_memory(&s);
	if (sweep_params_add(&p, whole, &err))
		sink_printf(&s, "!%s", err.text);
	else
		for (size_t i = 0; i < p.all.at[0].values.n; i++)
			sink_printf(&s, "%s%s", i ? " " : "", p.all.at[0].values.at[i].text);
	sweep_params_fini(&p);
	free(whole);
	out = sink_take(&s, NULL);
	assert_non_null(out);
	return out;
}

static void lists_and_ranges_expand_to_their_values(void **state)
{
	static const char *const cases[][2] = {
		{ "1,2,4..16", "1 2 4 8 16" },
		{ "1..4", "1 2 3 4" },
		{ "4..1", "4 3 2 1" },
		{ "10..1:4", "10 6 2" },
		{ "1..10:3", "1 4 7 10" },
		{ "0,5..20", "0 5 10 15 20" },
		{ "1,3,5..11", "1 3 5 7 9 11" },
		{ "8,4,2..0.5", "8 4 2 1 0.5" },
		{ "1K..64K*4", "1024 4096 16384 65536" },
		{ "4K,1MiB,2kB,x,007,1e3", "4096 1048576 2000 x 007 1e3" },
		{ "2^0..2^6", "1 2 4 8 16 32 64" },
		{ "1,2^4..2^3,10^2..10^6:2", "1 16 8 100 10000 1000000" },
		{ "2^10", "1024" },
		{ "2^0..16", "1 2 4 8 16" },
		{ "1..2^2", "1 2 3 4" },
		{ "0.1..0.5:0.1", "0.1 0.2 0.3 0.4 0.5" },
		{ "-2..2:2", "-2 0 2" },
		{ "1e3..3e3:1e3", "1000 2000 3000" },
		{ "../a,b..c", "../a b..c" },
		{ "1,2,4..16M",
		  "1 2 4 8 16 32 64 128 256 512 1024 2048 4096 8192 16384 32768 65536 131072 262144 524288 "
		  "1048576 2097152 4194304 8388608 16777216" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = values(cases[i][0]);

		assert_string_equal(got, cases[i][1]);
		free(got);
	}
}

static void a_range_without_an_end_is_refused(void **state)
{
	static const char *const cases[] = { "1..9:0",   "1..9:-1",  "1..9*1", "1..9*0.5", "0..9*2",
					     "1,2,4..1", "9,1,3..7", "a,1..3", "1..x",     "..5",
					     "1..99999", "",         ",",      "1,,2" };

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *got = values(cases[i]);

		assert_int_equal(got[0], '!');
		free(got);
	}
}

static void sizes_are_passed_plain_or_as_typed(void **state)
{
	static const char *const cases[][3] = {
		{ "b=4K", "4096", "4K" },
		{ "b=1kB", "1000", "1kB" },
		{ "b=4G", "4294967296", "4G" },
		{ "b=8K..8K", "8192", "8K" },
		{ "b=8192..8192", "8192", "8192" },
		{ "b=4096T", "4503599627370496", "4096T" },
		{ "b=x", "x", "x" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sweep_params p = { 0 };
		struct cdict_error err;
		char *plain, *typed;

		assert_int_equal(sweep_params_add(&p, cases[i][0], &err), 0);
		plain = sweep_params_replace(&p, 0, "{b}");
		typed = sweep_params_replace(&p, 0, "{b:text}");
		assert_string_equal(plain, cases[i][1]);
		assert_string_equal(typed, cases[i][2]);
		free(plain);
		free(typed);
		sweep_params_fini(&p);
	}
}

static void several_parameters_make_all_combinations(void **state)
{
	struct sweep_params p = { 0 };
	struct cdict_error err;
	char *text;

	(void)state;
	assert_int_equal(sweep_params_add(&p, "a=1,2,3", &err), 0);
	assert_int_equal(sweep_params_add(&p, "b=x,y", &err), 0);
	assert_int_equal(sweep_params_points(&p), 6);
	assert_string_equal(sweep_params_at(&p, 0, 3)->text, "2");
	assert_string_equal(sweep_params_at(&p, 1, 3)->text, "y");
	text = sweep_params_replace(&p, 5, "{a}{b}{c}{{a}} {a:text}{a:b} {a");
	assert_string_equal(text, "3y{c}{3} 3{a:b} {a");
	free(text);
	assert_true(sweep_params_add(&p, "a=1", &err) != 0);
	sweep_params_fini(&p);
}

/* --- quartiles --- */

static void quartiles_are_those_worked_out_by_hand(void **state)
{
	/* h = (n - 1) p: of 5 samples 1, 2, 3; of 4 samples 0.75, 1.5, 2.25; of 2 0.25, 0.5, 0.75 */
	static const struct {
		double samples[8];
		size_t n;
		double min, q1, median, q3, max;
	} cases[] = {
		{ { 7 }, 1, 7, 7, 7, 7, 7 },
		{ { 9, 7 }, 2, 7, 7.5, 8, 8.5, 9 },
		{ { 10, 1, 2 }, 3, 1, 1.5, 2, 6, 10 },
		{ { 40, 10, 30, 20 }, 4, 10, 17.5, 25, 32.5, 40 },
		{ { 5, 4, 3, 2, 1 }, 5, 1, 2, 3, 4, 5 },
		{ { -1, 0, 0, 0, 0, 100 }, 6, -1, 0, 0, 0, 100 },
		{ { 1, 2, 3, 4, 5, 6, 7, 8 }, 8, 1, 2.75, 4.5, 6.25, 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double v[8];
		struct quartiles q;

		memcpy(v, cases[i].samples, sizeof(v));
		q = quartiles_of(v, cases[i].n);
		assert_int_equal(q.n, cases[i].n);
		assert_true(q.min == cases[i].min && q.max == cases[i].max);
		assert_true(q.q1 == cases[i].q1 && q.median == cases[i].median &&
			    q.q3 == cases[i].q3);
	}
	assert_int_equal(quartiles_of(NULL, 0).n, 0);
}

/* --- JSON --- */

/* The sum of the numbers that @spec finds in @json, or -1: none, with the reason in *@err. */
static double found(const char *spec, const char *json, struct cdict_error *err)
{
	struct sweep_metrics m = { .recorder = &sweep_recorder };
	struct sweep_samples samples = { 0 };
	double sum = 0;

	*err = (struct cdict_error){ 0 };
	assert_int_equal(sweep_metrics_add(&m, spec, err), 0);
	assert_int_equal(sweep_json_take(&m, 0, json, strlen(json), &samples, err), 0);
	if (samples.why)
		sum = -1;
	for (size_t i = 0; sum >= 0 && i < samples.all.n; i++)
		sum += samples.all.at[i];
	sweep_samples_fini(&samples);
	sweep_metrics_fini(&m);
	return sum;
}

static void paths_lead_to_numbers(void **state)
{
	static const char json[] =
		"hello\n{\"a\": {\"b c\": [1, 2, 4]}, \"l\": [[1, 2], [4]], \"e\": [],"
		" \"t\": \"x\", \"n\": null, \"a.b\": 64}\ntrailing";
	struct cdict_error err;

	(void)state;
	assert_true(found("a[\"b c\"][]", json, &err) == 7);
	assert_true(found("$.a[\"b c\"][2]", json, &err) == 4);
	assert_true(found(".l[][]", json, &err) == 7);
	assert_true(found("[\"a.b\"]", json, &err) == 64);
	assert_true(found("l[1][0]:B/s", json, &err) == 4);
	assert_true(found("[]", "[1,2,3]", &err) == 6);
	assert_true(found("x", json, &err) == -1);
	assert_string_equal(err.text, "x: no 'x' in the JSON");
	assert_true(found("l[7]", json, &err) == -1);
	assert_true(found("e[]", json, &err) == -1);
	assert_true(found("t", json, &err) == -1);
	assert_true(found("n", json, &err) == -1);
	assert_true(found("a", json, &err) == -1);
	assert_true(found("a", "", &err) == -1);
	assert_true(found("a", "a", &err) == -1);
	assert_true(found("a", "{\"a\": 1e999}", &err) == -1);
	assert_true(found("a", "{\"a\": 1", &err) == -1);
	assert_true(found("a", "{\"a\": 1e101}", &err) == -1);
}

static void slices_are_those_of_python(void **state)
{
	/* the sum of 1, 2, 4, 8, 16 that the slice selects, worked out by Python */
	static const struct {
		const char *path;
		double sum;
	} cases[] = {
		{ "[1:]", 30 },      { "[:1]", 1 },       { "[-1]", 16 },
		{ "[-5]", 1 },       { "[-2:]", 24 },     { "[:-2]", 7 },
		{ "[1:3]", 6 },      { "[::2]", 21 },     { "[1::2]", 10 },
		{ "[::-1]", 31 },    { "[3:1:-1]", 12 },  { "[-99:99]", 31 },
		{ "[:]", 31 },       { "[::]", 31 },      { "[9::-2]", 21 },
		{ "[1:]|count", 4 }, { "[9:]|count", 0 }, { "[::-1]|first", 16 },
		{ "[9:]", -1 },      { "[5]", -1 },       { "[-6]", -1 },
		{ "[3:1]", -1 },
	};
	struct cdict_error err;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(found(cases[i].path, "[1, 2, \"4\", 8, \" 16 \"]", &err) ==
			    cases[i].sum);
	assert_true(found("a[1:].b[-1]:KB/s", "{\"a\": [{\"b\": [1]}, {\"b\": [2, 4]}]}", &err) ==
		    4);
	/* a text is no number */
	for (size_t i = 0; i < 5; i++) {
		static const char *const texts[] = { "[\"4K\"]", "[\"\"]", "[\"nan\"]", "[\"1 2\"]",
						     "[\"1\\u00002\"]" };

		assert_true(found("[]", texts[i], &err) == -1);
	}
}

static void numbers_are_shown_with_their_units(void **state)
{
	static const struct {
		double v;
		const char *unit, *text;
	} cases[] = {
		{ 0, "", "0" },
		{ 1234, "", "1.23 k" },
		{ 1.5e9, "B/s", "1.50 GB/s" },
		{ 1.5e6, "ns", "1.50 ms" },
		{ 0.0123, "s", "12.3 ms" },
		{ 250, "us", "250 µs" },
		{ 0.000123, "", "0.000123" },
		{ -5, "C", "-5 C" },
		{ 2e20, "B", "2e+20 B" },
		{ 0, "s", "0 s" },
		{ 0.5, "x", "0.50 x" },
		{ 1440000, "KB/s", "1.44 GB/s" },
		{ 1440000, "kB/s", "1.44 GB/s" },
		{ 1.5, "MiB", "1.57 MB" },
		{ 2400, "MHz", "2.40 GHz" },
		{ 250, "Kbit/s", "250 kbit/s" },
		{ 1500, "ns/op", "1.50 µs/op" },
		{ 3, "Threads", "3 Threads" },
		{ 2000, "K", "2 M" },
		{ 1234, "%", "1234 %" },
	};
	char room[NUMBER_ROOM];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(sweep_human(room, cases[i].v, cases[i].unit), cases[i].text);
}

/* --- the picture --- */

static const struct mark *text_mark(const struct marks *m, const char *text)
{
	for (size_t i = 0; i < m->all.n; i++) {
		if (m->all.at[i].kind == MARK_TEXT && !strcmp(m->all.at[i].text, text))
			return &m->all.at[i];
	}
	return NULL;
}

static const struct mark *noted(const struct marks *m, const char *note)
{
	for (size_t i = 0; i < m->all.n; i++) {
		if (m->all.at[i].kind != MARK_TEXT && m->all.at[i].text &&
		    !strcmp(m->all.at[i].text, note))
			return &m->all.at[i];
	}
	return NULL;
}

static double middle_x(const struct mark *m)
{
	return m->x + m->w / 2;
}

static double middle_y(const struct mark *m)
{
	return m->y + m->h / 2;
}

/* The bar through the median's square: two wide, from its third quartile down to its first. */
static const struct mark *bar_of(const struct marks *m, const struct mark *dot)
{
	for (size_t i = 0; i < m->all.n; i++) {
		const struct mark *r = &m->all.at[i];

		if (r->kind == MARK_RECT && r->w == 2 && middle_x(r) == middle_x(dot))
			return r;
	}
	return NULL;
}

/* How many different x within a pixel of @x have dashes of this ink. */
static unsigned lines_at(const struct marks *m, unsigned ink, double x)
{
	unsigned n = 0;
	double last = -1;

	for (size_t i = 0; i < m->all.n; i++) {
		const struct mark *l = &m->all.at[i];

		if (l->kind != MARK_LINE || l->ink.kind != ink || l->w || fabs(l->x - x) > 1.6 ||
		    l->x == last || l->h > 5)
			continue;
		n++;
		last = l->x;
	}
	return n;
}

static void draw(struct marks *m, bool x_log, bool y_log)
{
	static const struct view_sweep_point points[] = {
		{ .x = 1, .q = { 3, 5, 8, 10, 20, 30 }, .note = "one" },
		{ .x = 10, .q = { 3, 5, 80, 100, 100, 100 }, .note = "two" },
		{ .x = 100, .q = { 0 }, .failed = true, .why = "all failed" },
		{ .x = 1000,
		  .q = { 1, 40, 40, 40, 40, 40 },
		  .failed = true,
		  .note = "four",
		  .why = "some" },
	};
	static const struct view_sweep_series series = { .points = points, .n = 4 };
	static const struct view_sweep_tick ticks[] = { { 1, "1", 3, 0 },
							{ 10, "ten", 3, 0 },
							{ 100, "hundred", 0, 3 },
							{ 1000, "1K", 1, 2 } };
	static const struct view_sweep_mark lines[] = { { 10, "here", { INK_NAMED, 0 } },
							{ 100, "there", { 0, 0 } } };
	struct view_sweep_panel panel = {
		.title = "speed", .unit = "B", .log = y_log, .series = &series, .n = 1
	};
	struct view_sweep v = { .title = "title",
				.subtitle = "sub",
				.foot = "foot",
				.x_title = "b",
				.x_log = x_log,
				.ticks = ticks,
				.n_ticks = 4,
				.marks = lines,
				.n_marks = 2,
				.panels = &panel,
				.n_panels = 1 };
	struct canvas c = canvas_pixels(1000, 600);

	assert_int_equal(view_sweep_draw(m, &c, &v), 0);
}

static void squares_and_bars_match_the_axes(void **state)
{
	struct marks m = { 0 };
	const struct mark *one, *two, *four, *bar;
	double per_unit;

	(void)state;
	draw(&m, true, false);
	one = noted(&m, "one");
	two = noted(&m, "two");
	four = noted(&m, "four");
	assert_true(one && two && four);
	/* above their values on the axis, whose decades have equal distances */
	assert_true(fabs(middle_x(two) - text_mark(&m, "ten")->x) <= 1);
	assert_true(fabs(middle_x(four) - text_mark(&m, "1K")->x) <= 1);
	assert_true(fabs((middle_x(four) - middle_x(one)) - 3 * (middle_x(two) - middle_x(one))) <=
		    3);
	/* next to their values */
	assert_true(fabs(middle_y(two) - text_mark(&m, "100")->y) <= 1);
	assert_true(fabs(middle_y(four) - text_mark(&m, "40")->y) <= 1);
	per_unit = (middle_y(four) - middle_y(two)) / 60;
	assert_true(fabs(middle_y(one) - (middle_y(two) + 90 * per_unit)) <= 0.1);
	/* from quartile to quartile */
	bar = bar_of(&m, one);
	assert_non_null(bar);
	assert_true(fabs(bar->y - (middle_y(one) - 10 * per_unit)) <= 0.1);
	assert_true(fabs(bar->y + bar->h - (middle_y(one) + 2 * per_unit)) <= 0.1);
	/* the marker line is dashed, in its colour, also in the legend */
	assert_int_equal(lines_at(&m, INK_NAMED, middle_x(two)), 2);
	assert_int_equal(lines_at(&m, INK_DIM, text_mark(&m, "hundred")->x), 1);
	assert_int_equal(lines_at(&m, INK_NAMED, text_mark(&m, "here")->x - 8.5), 2);
	assert_int_equal(lines_at(&m, INK_DIM, text_mark(&m, "there")->x - 8.5), 1);
	/* a failed run is drawn at its value, also where there is no median */
	assert_true(fabs(middle_x(noted(&m, "all failed")) - text_mark(&m, "hundred")->x) <= 1);
	assert_int_equal(noted(&m, "all failed")->kind, MARK_HATCH);
	assert_non_null(text_mark(&m, "3/3"));
	assert_non_null(text_mark(&m, "2/3"));
	marks_fini(&m);
}

static void logarithmic_and_linear_axes_put_them_elsewhere(void **state)
{
	struct marks m = { 0 };
	const struct mark *one, *two, *four;

	(void)state;
	draw(&m, false, true);
	one = noted(&m, "one");
	two = noted(&m, "two");
	four = noted(&m, "four");
	/* 1, 10, 1000 on a line */
	assert_true(fabs((middle_x(four) - middle_x(one)) * 9 / 999 -
			 (middle_x(two) - middle_x(one))) <= 2);
	/* a decade each from 1 to 100: the axis ends at the third quartile's decade */
	assert_true(fabs(middle_y(one) - text_mark(&m, "10")->y) <= 1);
	assert_true(fabs(middle_y(two) - text_mark(&m, "100")->y) <= 1);
	marks_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lists_and_ranges_expand_to_their_values),
		cmocka_unit_test(a_range_without_an_end_is_refused),
		cmocka_unit_test(sizes_are_passed_plain_or_as_typed),
		cmocka_unit_test(several_parameters_make_all_combinations),
		cmocka_unit_test(quartiles_are_those_worked_out_by_hand),
		cmocka_unit_test(paths_lead_to_numbers),
		cmocka_unit_test(slices_are_those_of_python),
		cmocka_unit_test(numbers_are_shown_with_their_units),
		cmocka_unit_test(squares_and_bars_match_the_axes),
		cmocka_unit_test(logarithmic_and_linear_axes_put_them_elsewhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
