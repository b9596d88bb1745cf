/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * palette.h - all colours.  Views give a mark an ink; its colour in each theme is defined
 * here, once.
 *
 * States have the Okabe-Ito colours, which colour-blind people can distinguish.  Exit
 * reasons have colours by name: a reason has the same one in every capture, and a cause
 * has the same one on Intel, AMD and arm64.
 */
#ifndef RENDER_DRAW_PALETTE_H
#define RENDER_DRAW_PALETTE_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/kvm/vcpu.h"

enum palette_theme { PALETTE_LIGHT = 0, PALETTE_DARK };

enum ink_kind {
	INK_PAPER = 0, /* background */
	INK_PLOT,      /* background of the drawn area */
	INK_TEXT,
	INK_DIM, /* text of less weight */
	INK_AXIS,
	INK_GRID,
	INK_ACCENT,
	INK_LOSS,       /* hatched */
	INK_RAMP,       /* level 1..PALETTE_LEVELS: how much */
	INK_OVER,       /* text over the ramp's level */
	INK_STATE,      /* level: enum analyze_vcpu_state */
	INK_REASON,     /* level: palette_reason() */
	INK_TASK,       /* level: 0..PALETTE_TASKS-1, PALETTE_TASKS: any other */
	INK_FRAME,      /* level: palette_frame() */
	INK_CHANGE,     /* level: palette_change() */
	INK_NAMED,      /* level: palette_named() */
	INK_OVER_STATE, /* text over the state's colour */
};

struct ink {
	uint8_t kind; /* enum ink_kind */
	uint8_t level;
};

#define PALETTE_LEVELS 32 /* of the ramp */
#define PALETTE_ONE 0.08  /* palette_ramp() of a single event, which must be visible */
#define PALETTE_TASKS 12
#define PALETTE_SHADES 5  /* of each kind of frame */
#define PALETTE_CHANGES 6 /* steps up from no change, and down */

struct palette_rgb {
	uint8_t r, g, b;
};

struct palette_rgb palette_colour(enum palette_theme theme, struct ink ink);
/* palette_hex - the same as text: "#0072b2". */
char *palette_hex(char out[8], enum palette_theme theme, struct ink ink);
/* palette_names - names of the inks with one colour per theme: variables of the pages, members of their palettes. */
#define PALETTE_PLAIN (INK_LOSS + 1)
extern const char *const palette_names[PALETTE_PLAIN];

/* palette_letter - the letter for a filled ink where there are no colours. */
char palette_letter(struct ink ink);

/* palette_ramp - the ink of @level in 0..1 (0: the faintest). */
struct ink palette_ramp(double level);

/* palette_reason - the ink of the exit reason @name ("other": all the rest). */
struct ink palette_reason(const char *name);
/* palette_reason_spare - another ink for a name without a colour of its own, if its
 * colour is already taken in this picture; @n counts the tries. */
struct ink palette_reason_spare(const char *name, unsigned n);

/* palette_named - the ink called @name, as in "red", dark enough for the paper of each theme; false: unknown. */
#define PALETTE_NAMES                                                                              \
	"red, orange, yellow, green, cyan, blue, purple, magenta, brown, grey or black"
bool palette_named(const char *name, struct ink *out);

/* palette_frame - the ink of a frame of a stack: @kind is an enum folded_kind, the name chooses the shade. */
struct ink palette_frame(unsigned kind, const char *name);
/* palette_change - the ink of an increase, up to 1, or a decrease, down to -1. */
struct ink palette_change(double change);

#endif
