/* SPDX-License-Identifier: GPL-2.0-only */
/* The page's colours, the same as in the static pictures. */
#include <errno.h>
#include <string.h>

#include "render/draw/palette.h"
#include "render/engine/capture.h"
#include "tables/stacks/folded.h"

static void colour(struct json *j, const char *key, enum palette_theme theme, uint8_t kind,
		   uint8_t level)
{
	char text[8];

	json_text(j, key, palette_hex(text, theme, (struct ink){ kind, level }));
}

/* Writes each reason of the captures once, by name. */
static void reasons(struct json *j, enum palette_theme theme, struct page_capture *const *captures,
		    size_t n)
{
	const char *seen[256];
	size_t n_seen = 0;

	/* pairs: names are foreign text, safe as values by escape_json(), but keys must be ours */
	json_open(j, "reasons", '[', false);
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < analyze_exits_count(captures[i]->walk->exits); k++) {
			const char *name = analyze_exits_at(captures[i]->walk->exits, k)->name;
			struct ink ink = palette_reason(name);
			size_t s = 0;

			while (s < n_seen && strcmp(seen[s], name))
				s++;
			if (s < n_seen || n_seen == sizeof(seen) / sizeof(seen[0]))
				continue;
			seen[n_seen++] = name;
			json_open(j, NULL, '[', false);
			json_text(j, NULL, name);
			colour(j, NULL, theme, ink.kind, ink.level);
			json_close(j);
		}
	}
	json_open(j, NULL, '[', false);
	json_text(j, NULL, "other");
	colour(j, NULL, theme, INK_REASON, palette_reason("other").level);
	json_close(j);
	json_close(j);
}

static void theme_json(struct json *j, const char *key, enum palette_theme theme,
		       struct page_capture *const *captures, size_t n)
{
	json_open(j, key, '{', true);
	for (uint8_t i = 0; i < PALETTE_PLAIN; i++)
		colour(j, palette_names[i], theme, i, 0);
	json_open(j, "ramp", '[', false);
	for (uint8_t i = 1; i <= PALETTE_LEVELS; i++)
		colour(j, NULL, theme, INK_RAMP, i);
	json_close(j);
	json_number(j, "one", PALETTE_ONE);
	json_open(j, "states", '{', false);
	for (uint8_t i = 0; i < ANALYZE_VCPU_STATES; i++)
		colour(j, analyze_vcpu_state_name(i), theme, INK_STATE, i);
	json_close(j);
	reasons(j, theme, captures, n);
	json_open(j, "spare", '[', false);
	for (unsigned i = 0; i < 4; i++)
		colour(j, NULL, theme, INK_REASON, palette_reason_spare("", i).level);
	json_close(j);
	json_open(j, "tasks", '[', false);
	for (uint8_t i = 0; i < PALETTE_TASKS; i++)
		colour(j, NULL, theme, INK_TASK, i);
	json_close(j);
	json_open(j, "frames", '[', false);
	for (uint8_t i = 0; i < FOLDED_KINDS * PALETTE_SHADES; i++)
		colour(j, NULL, theme, INK_FRAME, i);
	json_close(j);
	colour(j, "other_task", theme, INK_TASK, PALETTE_TASKS);
	json_close(j);
}

void page_palette_json(struct json *j, struct page_capture *const *captures, size_t n)
{
	json_open(j, "palette", '{', true);
	theme_json(j, "light", PALETTE_LIGHT, captures, n);
	theme_json(j, "dark", PALETTE_DARK, captures, n);
	json_close(j);
}
