/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Colours with different meanings are distinguishable, also for people that see no green (Machado,
 * Oliveira and Fernandes 2009: deuteranopia in full; distances in CIELAB, D65); text has the
 * contrast to its background that WCAG 2.1 AA requires.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "render/draw/palette.h"
#include "tables/stacks/folded.h"

#define AA 4.5
/* Below about 2.3 no difference is visible side by side; these are bars of a few pixels, with
 * legends elsewhere. */
#define STATES_APART 15
#define REASONS_APART 12
#define TASKS_APART 18
#define GUEST_APART 10

#define GREYS_APART 4.9
#define SEEN_ALONE 1.4   /* one event is seen on the plot */
#define BEGINS_WITHIN 20 /* ... of the plot's lightness: few events are near it */

enum { SEES_ALL, SEES_NO_GREEN, SIGHTS };

static double linear(uint8_t v)
{
	double c = v / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static void seen(struct palette_rgb c, int sight, double out[3])
{
	static const double machado[3][3] = { { 0.367322, 0.860646, -0.227968 },
					      { 0.280085, 0.672501, 0.047413 },
					      { -0.011820, 0.042940, 0.968881 } };
	double rgb[3] = { linear(c.r), linear(c.g), linear(c.b) };

	for (int i = 0; i < 3; i++) {
		double v = 0;

		for (int k = 0; k < 3; k++)
			v += machado[i][k] * rgb[k];
		out[i] = sight == SEES_ALL ? rgb[i] : v < 0 ? 0 : v > 1 ? 1 : v;
	}
}

static double bent(double t)
{
	return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

static void lab(struct palette_rgb c, int sight, double out[3])
{
	double v[3], x, y, z;

	seen(c, sight, v);
	x = bent((0.4124564 * v[0] + 0.3575761 * v[1] + 0.1804375 * v[2]) / 0.95047);
	y = bent(0.2126729 * v[0] + 0.7151522 * v[1] + 0.0721750 * v[2]);
	z = bent((0.0193339 * v[0] + 0.1191920 * v[1] + 0.9503041 * v[2]) / 1.08883);
	out[0] = 116 * y - 16;
	out[1] = 500 * (x - y);
	out[2] = 200 * (y - z);
}

static double apart(struct palette_rgb a, struct palette_rgb b, int sight)
{
	double p[3], q[3];

	lab(a, sight, p);
	lab(b, sight, q);
	return sqrt((p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) +
		    (p[2] - q[2]) * (p[2] - q[2]));
}

static double luminance(struct palette_rgb c)
{
	return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);
}

static double contrast(struct palette_rgb a, struct palette_rgb b)
{
	double p = luminance(a), q = luminance(b);

	return p > q ? (p + 0.05) / (q + 0.05) : (q + 0.05) / (p + 0.05);
}

static struct palette_rgb colour(int theme, unsigned kind, unsigned level)
{
	return palette_colour((enum palette_theme)theme,
			      (struct ink){ (uint8_t)kind, (uint8_t)level });
}

/* All pairs of the @n inks of @kind. */
static void all_apart(const char *what, unsigned kind, unsigned n, double least)
{
	for (int theme = 0; theme < 2; theme++)
		for (int sight = 0; sight < SIGHTS; sight++)
			for (unsigned a = 0; a < n; a++)
				for (unsigned b = a + 1; b < n; b++) {
					double is = apart(colour(theme, kind, a),
							  colour(theme, kind, b), sight);

					if (is < least)
						fail_msg("%s %u and %u, theme %d, sight %d: %.1f",
							 what, a, b, theme, sight, is);
				}
}

/* Two pairs that CIELAB's papers give: white and black are 100 apart, a colour has the distance 0
 * from itself. */
static void distances_are_those_of_cielab(void **state)
{
	struct palette_rgb white = { 255, 255, 255 }, black = { 0 }, red = { 255, 0, 0 };
	double p[3];

	(void)state;
	assert_true(fabs(apart(white, black, SEES_ALL) - 100) < 0.01);
	assert_true(fabs(contrast(white, black) - 21) < 0.001);
	lab(red, SEES_ALL, p); /* sRGB's red: L 53.24, a 80.09, b 67.20 */
	assert_true(fabs(p[0] - 53.24) < 0.01 && fabs(p[1] - 80.09) < 0.02 &&
		    fabs(p[2] - 67.20) < 0.02);
}

static void states_are_distinguishable(void **state)
{
	(void)state;
	/* unknown, the last one, is hatched */
	all_apart("states", INK_STATE, ANALYZE_VCPU_UNKNOWN, STATES_APART);
}

/* For people that see no colours, and on paper. */
static void states_have_each_its_lightness(void **state)
{
	(void)state;
	for (int theme = 0; theme < 2; theme++)
		for (unsigned a = 0; a < ANALYZE_VCPU_UNKNOWN; a++)
			for (unsigned b = a + 1; b < ANALYZE_VCPU_UNKNOWN; b++) {
				double p[3], q[3];

				lab(colour(theme, INK_STATE, a), SEES_ALL, p);
				lab(colour(theme, INK_STATE, b), SEES_ALL, q);
				if (fabs(p[0] - q[0]) < GREYS_APART)
					fail_msg("states %u and %u, theme %d: %.1f", a, b, theme,
						 fabs(p[0] - q[0]));
			}
}

static void rare_states_are_visible(void **state)
{
	(void)state;
	for (int theme = 0; theme < 2; theme++) {
		double is = contrast(colour(theme, INK_RAMP, palette_ramp(PALETTE_ONE).level),
				     colour(theme, INK_PLOT, 0));

		double plot[3], one[3];

		if (is < SEEN_ALONE)
			fail_msg("a single event, theme %d: %.2f", theme, is);
		lab(colour(theme, INK_PLOT, 0), SEES_ALL, plot);
		lab(colour(theme, INK_RAMP, palette_ramp(PALETTE_ONE).level), SEES_ALL, one);
		if (fabs(one[0] - plot[0]) > BEGINS_WITHIN)
			fail_msg("a single event, theme %d: %.1f from the plot", theme,
				 one[0] - plot[0]);
	}
}

/* A larger share is always further from the colour of the paper; small shares differ visibly. */
static void the_ramp_goes_from_the_paper_in_one_direction(void **state)
{
	(void)state;
	for (int theme = 0; theme < 2; theme++) {
		double paper[3], last[3], now[3];

		lab(colour(theme, INK_PAPER, 0), SEES_ALL, paper);
		lab(colour(theme, INK_RAMP, 1), SEES_ALL, last);
		if (fabs(last[0] - paper[0]) > 15)
			fail_msg("theme %d begins %.1f from the paper", theme, last[0] - paper[0]);
		for (unsigned level = 2; level <= PALETTE_LEVELS; level++) {
			lab(colour(theme, INK_RAMP, level), SEES_ALL, now);
			if (fabs(now[0] - paper[0]) < fabs(last[0] - paper[0]) + 0.5)
				fail_msg("theme %d, level %u: %.1f after %.1f", theme, level,
					 now[0], last[0]);
			memcpy(last, now, sizeof(last));
		}
		for (int sight = 0; sight < SIGHTS; sight++) {
			double is = apart(colour(theme, INK_RAMP, palette_ramp(0.004).level),
					  colour(theme, INK_RAMP, palette_ramp(0.11).level), sight);

			if (is < 10)
				fail_msg("0.4 %% and 11 %%, theme %d, sight %d: %.1f", theme, sight,
					 is);
		}
	}
}

static void tasks_are_distinguishable(void **state)
{
	(void)state;
	all_apart("tasks", INK_TASK, PALETTE_TASKS + 1, TASKS_APART);
}

/* On one screen a colour means one thing: a VM is not drawn like a state. */
static void no_task_has_the_colour_of_a_state(void **state)
{
	(void)state;
	for (int theme = 0; theme < 2; theme++)
		for (int sight = 0; sight < SIGHTS; sight++)
			for (unsigned t = 0; t < PALETTE_TASKS; t++)
				for (unsigned s = 0; s <= ANALYZE_VCPU_WAITING; s++) {
					double is = apart(colour(theme, INK_TASK, t),
							  colour(theme, INK_STATE, s), sight);

					if (is < GUEST_APART)
						fail_msg(
							"task %u, state %u, theme %d, sight %d: %.1f",
							t, s, theme, sight, is);
				}
}

/* The states of guests' tasks that no vCPU has: running, stolen, away, busy in trackColour() of
 * render/web/ui/marks/tracks.js. */
static void states_of_guests_tasks_are_distinguishable(void **state)
{
	static const unsigned tasks[] = { 6, 4, 1, 5 };

	(void)state;
	for (int theme = 0; theme < 2; theme++)
		for (int sight = 0; sight < SIGHTS; sight++)
			for (unsigned t = 0; t < 4; t++)
				for (unsigned s = 0; s < ANALYZE_VCPU_UNKNOWN; s++) {
					double is = apart(colour(theme, INK_TASK, tasks[t]),
							  colour(theme, INK_STATE, s), sight);

					if (is < STATES_APART)
						fail_msg(
							"task %u, state %u, theme %d, sight %d: %.1f",
							tasks[t], s, theme, sight, is);
				}
}

static void reasons_of_fixed_colours_are_distinguishable(void **state)
{
	(void)state;
	all_apart("reasons", INK_REASON, 8, REASONS_APART);
}

/* An exit's bar is not time in the guest. */
static void no_reason_has_the_guests_blue(void **state)
{
	(void)state;
	for (int theme = 0; theme < 2; theme++)
		for (int sight = 0; sight < SIGHTS; sight++)
			for (unsigned r = 0; r <= palette_reason("other").level; r++) {
				double is = apart(colour(theme, INK_REASON, r),
						  colour(theme, INK_STATE, ANALYZE_VCPU_GUEST),
						  sight);

				if (is < GUEST_APART)
					fail_msg("reason %u, theme %d, sight %d: %.1f", r, theme,
						 sight, is);
			}
}

static void text_can_be_read(void **state)
{
	static const unsigned inks[] = { INK_TEXT, INK_DIM, INK_ACCENT },
			      grounds[] = { INK_PAPER, INK_PLOT };

	(void)state;
	for (int theme = 0; theme < 2; theme++) {
		for (unsigned i = 0; i < 3; i++)
			for (unsigned k = 0; k < 2; k++)
				if (contrast(colour(theme, inks[i], 0),
					     colour(theme, grounds[k], 0)) < AA)
					fail_msg("ink %u on %u, theme %d", inks[i], grounds[k],
						 theme);
		for (unsigned level = 1; level <= PALETTE_LEVELS; level++) {
			double is = contrast(colour(theme, INK_OVER, level),
					     colour(theme, INK_RAMP, level));

			if (is < AA)
				fail_msg("over the ramp's level %u, theme %d: %.2f", level, theme,
					 is);
		}
		for (unsigned frame = 0; frame < FOLDED_KINDS * PALETTE_SHADES; frame++)
			if (contrast(colour(theme, INK_TEXT, 0), colour(theme, INK_FRAME, frame)) <
			    AA)
				fail_msg("in frames %u, theme %d: %.2f", frame, theme,
					 contrast(colour(theme, INK_TEXT, 0),
						  colour(theme, INK_FRAME, frame)));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(distances_are_those_of_cielab),
		cmocka_unit_test(states_are_distinguishable),
		cmocka_unit_test(states_have_each_its_lightness),
		cmocka_unit_test(rare_states_are_visible),
		cmocka_unit_test(the_ramp_goes_from_the_paper_in_one_direction),
		cmocka_unit_test(tasks_are_distinguishable),
		cmocka_unit_test(no_task_has_the_colour_of_a_state),
		cmocka_unit_test(states_of_guests_tasks_are_distinguishable),
		cmocka_unit_test(reasons_of_fixed_colours_are_distinguishable),
		cmocka_unit_test(no_reason_has_the_guests_blue),
		cmocka_unit_test(text_can_be_read),
	};

	return cmocka_run_group_tests_name("palette", tests, NULL, NULL);
}
