/* SPDX-License-Identifier: GPL-2.0-only */
/* Marks, their inks, and the output of the back-ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/draw/backend.h"
#include "render/draw/text.h"
#include "render/views/exits.h"

static const struct ink text_ink = { INK_TEXT, 0 };

static char *drawn(const struct backend *backend, const struct marks *m, bool colour, size_t *len)
{
	struct backend_options how = { .colour = colour };
	struct cdict_error err;
	struct sink s;

	sink_to_memory(&s);
	assert_int_equal(backend->draw(m, &how, &s, &err), 0);
	return sink_take(&s, len);
}

/* A picture with hostile text in every place. */
static void hostile(struct marks *m)
{
	static const char evil[] = "</text><script>alert(1)</script>\"'&]]>\x01\x1b[2J\xff\xc0\x80"
				   "\xe2\x80\xae"
				   "abc\xed\xa0\x80";
	char *clean = text_clean(evil, sizeof(evil) - 1);

	m->width = 320;
	m->height = 200;
	m->title = marks_keep(m, clean);
	marks_rect(m, (struct ink){ INK_ACCENT, 0 }, 10, 10, 30, 20, clean);
	marks_hatch(m, 50, 10, 30, 20, clean);
	marks_text(m, text_ink, MARK_NORMAL, MARK_START, 10, 60, clean);
	free(clean);
}

static void svg_escapes_hostile_text(void **state)
{
	struct marks m = { 0 };
	size_t len;
	char *svg;

	(void)state;
	hostile(&m);
	svg = drawn(&backend_svg, &m, false, &len);
	assert_null(strstr(svg, "<script"));
	assert_non_null(strstr(svg, "&lt;script&gt;"));
	assert_null(memchr(svg, 0x1b, len));
	assert_null(memchr(svg, 0x01, len));
	assert_null(memchr(svg, 0xff, len));
	assert_null(strstr(svg, "\xe2\x80\xae"));
	assert_null(strstr(svg, "\xed\xa0\x80"));
	free(svg);
	marks_fini(&m);
}

static void pdf_and_png_take_any_text(void **state)
{
	struct marks m = { 0 };
	size_t len;
	char *out;

	(void)state;
	hostile(&m);
	out = drawn(&backend_png, &m, false, &len);
	assert_memory_equal(out, "\x89PNG", 4);
	free(out);
	out = drawn(&backend_pdf, &m, false, &len);
	assert_memory_equal(out, "%PDF-", 5);
	free(out);
	marks_fini(&m);
}

static void the_same_marks_give_the_same_bytes(void **state)
{
	static const struct backend *const all[] = { &backend_svg, &backend_png, &backend_pdf,
						     &backend_term };
	struct marks m = { 0 };

	(void)state;
	hostile(&m);
	m.made_at_s = 1700000000;
	for (size_t i = 0; i < 4; i++) {
		size_t a_len, b_len;
		char *a = drawn(all[i], &m, true, &a_len), *b = drawn(all[i], &m, true, &b_len);

		assert_int_equal(a_len, b_len);
		assert_memory_equal(a, b, a_len);
		free(a);
		free(b);
	}
	marks_fini(&m);
}

static void neighbours_of_one_ink_are_one_path(void **state)
{
	struct marks m = { .width = 100, .height = 100 };
	const char *first;
	size_t len;
	char *svg;

	(void)state;
	for (int i = 0; i < 3; i++)
		marks_rect(&m, palette_ramp(1), 10 * i, 1.5, 9, 8, NULL);
	marks_rect(&m, palette_ramp(0), 50, 1.5, 9, 8, NULL);
	svg = drawn(&backend_svg, &m, false, &len);
	first = strstr(svg, "d=\"M0 1.5h9v8h-9zM10 1.5h9v8h-9zM20 1.5h9v8h-9z\"");
	assert_non_null(first);
	assert_non_null(strstr(first, "d=\"M50 1.5h9v8h-9z\""));
	free(svg);
	marks_fini(&m);
}

static void rectangles_without_size_are_not_drawn(void **state)
{
	struct marks m = { 0 };

	(void)state;
	marks_rect(&m, text_ink, 1, 1, 0, 5, NULL);
	marks_rect(&m, text_ink, 1, 1, 5, -1, NULL);
	marks_text(&m, text_ink, MARK_NORMAL, MARK_START, 1, 1, "");
	assert_int_equal(m.all.n, 0);
	marks_fini(&m);
}

static void a_terminal_without_colours_gets_plain_ascii(void **state)
{
	struct marks m = { .width = 12, .height = 3 };
	size_t len;
	char *out;

	(void)state;
	marks_text(&m, text_ink, MARK_NORMAL, MARK_START, 0, 0.5, "5 µs · α");
	marks_rect(&m, palette_ramp(1), 2, 1, 3, 1, NULL);
	marks_hatch(&m, 7, 1, 2, 1, NULL);
	marks_text(&m, text_ink, MARK_NORMAL, MARK_END, 12, 2.5, "end");
	out = drawn(&backend_term, &m, false, &len);
	assert_string_equal(out, "5 us - ?\n  @@@  //\n         end\n");
	free(out);
	marks_fini(&m);
}

static void a_terminal_with_colours_has_two_rectangles_a_cell(void **state)
{
	struct marks m = { .width = 2, .height = 1 };
	size_t len;
	char *out;

	(void)state;
	marks_rect(&m, (struct ink){ INK_STATE, ANALYZE_VCPU_GUEST }, 0, 0, 1, 0.5, NULL);
	marks_rect(&m, (struct ink){ INK_STATE, ANALYZE_VCPU_EXIT }, 0, 0.5, 1, 0.5, NULL);
	out = drawn(&backend_term, &m, true, &len);
	assert_string_equal(out, "\033[38;2;0;114;178m\033[48;2;230;159;0m\xe2\x96\x80\033[0m\n");
	free(out);
	marks_fini(&m);
}

static void marks_beyond_the_terminal_are_cut_off(void **state)
{
	struct marks m = { .width = 4, .height = 1 };
	size_t len;
	char *out;

	(void)state;
	marks_rect(&m, palette_ramp(1), -5, -5, 100, 100, NULL);
	marks_text(&m, text_ink, MARK_NORMAL, MARK_MIDDLE, 2, 0, "much too long");
	marks_text(&m, text_ink, MARK_NORMAL, MARK_START, 0, 9, "below");
	out = drawn(&backend_term, &m, false, &len);
	assert_int_equal(len, 5);
	free(out);
	marks_fini(&m);
}

static bool same(struct ink a, struct ink b)
{
	return a.kind == b.kind && a.level == b.level;
}

static void one_cause_has_one_colour_on_every_processor(void **state)
{
	(void)state;
	assert_true(same(palette_reason("HLT"), palette_reason("hlt")));
	assert_true(same(palette_reason("HLT"), palette_reason("WFx")));
	assert_true(same(palette_reason("EXTERNAL_INTERRUPT"), palette_reason("interrupt")));
	assert_true(same(palette_reason("IO_INSTRUCTION"), palette_reason("io")));
	assert_true(same(palette_reason("CPUID"), palette_reason("cpuid")));
	assert_true(same(palette_reason("EPT_VIOLATION"), palette_reason("npf")));
	assert_false(same(palette_reason("MSR_READ"), palette_reason("MSR_WRITE")));
	assert_true(same(palette_reason("0x1234"), palette_reason_spare("0x1234", 0)));
	assert_true(same(palette_reason("0x1234"), palette_reason("0x1234")));
}

static void every_step_of_the_ramp_is_a_colour_of_its_own(void **state)
{
	(void)state;
	for (unsigned theme = 0; theme < 2; theme++) {
		for (uint8_t i = 1; i < PALETTE_LEVELS; i++) {
			struct palette_rgb a = palette_colour(theme, (struct ink){ INK_RAMP, i });
			struct palette_rgb b =
				palette_colour(theme, (struct ink){ INK_RAMP, (uint8_t)(i + 1) });

			assert_true(a.r != b.r || a.g != b.g || a.b != b.b);
		}
	}
	assert_int_equal(palette_ramp(0).level, 1);
	assert_int_equal(palette_ramp(1).level, PALETTE_LEVELS);
	assert_int_equal(palette_ramp(7).level, PALETTE_LEVELS);
}

static void reasons_beyond_eight_are_one_and_idling_is_not_work(void **state)
{
	struct canvas c = canvas_cells(200, 24, false);
	struct frame_caption cap = { .title = "t", .to_ns = 1000000000, .loss = "no events lost" };
	struct exit_mix mix = { 0 };
	struct marks m = { 0 };
	char name[16];
	size_t len;
	char *out;

	(void)state;
	for (unsigned i = 0; i < 12; i++) {
		snprintf(name, sizeof(name), "reason-%u", i);
		assert_int_equal(exit_mix_add(&mix, 1, "a", name, false, 100 - i, 90,
					      1000000 * (100 - i)),
				 0);
	}
	assert_int_equal(exit_mix_add(&mix, 2, "b", "HLT", true, 7, 7, 5000000), 0);
	assert_int_equal(view_exits(&m, &c, &cap, &mix, true), 0);
	out = drawn(&backend_term, &m, false, &len);
	assert_non_null(strstr(out, "reason-7  93 ms"));
	assert_null(strstr(out, "reason-8"));
	assert_non_null(strstr(out, "other  362 ms")); /* 92 + 91 + 90 + 89 */
	assert_non_null(strstr(out, "5 ms in 7 exits of idle guests, not in the bars"));
	assert_non_null(strstr(out, "halted 5 ms"));
	free(out);
	marks_fini(&m);
	exit_mix_fini(&mix);
}

static void a_reason_whose_exits_never_ended_takes_no_part_of_a_bar(void **state)
{
	struct canvas c = canvas_cells(200, 24, false);
	struct frame_caption cap = { .title = "t", .to_ns = 1000000000, .loss = "no events lost" };
	struct exit_mix mix = { 0 };
	struct marks m = { 0 };
	size_t len;
	char *out;

	(void)state;
	assert_int_equal(exit_mix_add(&mix, 1, "a", "io", false, 3, 2, 4000000), 0);
	assert_int_equal(exit_mix_add(&mix, 1, "a", "cpuid", false, 1, 0, 0), 0);
	assert_int_equal(view_exits(&m, &c, &cap, &mix, true), 0);
	out = drawn(&backend_term, &m, false, &len);
	assert_non_null(strstr(out, "io  4 ms, 100 %"));
	assert_null(strstr(out, "cpuid"));
	assert_non_null(strstr(out, "4 exits of 1 vCPU (the end of 2 not seen)"));
	free(out);
	marks_fini(&m);
	exit_mix_fini(&mix);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(svg_escapes_hostile_text),
		cmocka_unit_test(pdf_and_png_take_any_text),
		cmocka_unit_test(the_same_marks_give_the_same_bytes),
		cmocka_unit_test(neighbours_of_one_ink_are_one_path),
		cmocka_unit_test(rectangles_without_size_are_not_drawn),
		cmocka_unit_test(a_terminal_without_colours_gets_plain_ascii),
		cmocka_unit_test(a_terminal_with_colours_has_two_rectangles_a_cell),
		cmocka_unit_test(marks_beyond_the_terminal_are_cut_off),
		cmocka_unit_test(one_cause_has_one_colour_on_every_processor),
		cmocka_unit_test(every_step_of_the_ramp_is_a_colour_of_its_own),
		cmocka_unit_test(reasons_beyond_eight_are_one_and_idling_is_not_work),
		cmocka_unit_test(a_reason_whose_exits_never_ended_takes_no_part_of_a_bar),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
