/* SPDX-License-Identifier: GPL-2.0-only */
/* All colours. */
#include "render/draw/palette.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <strings.h>

#include "tables/stacks/folded.h"

#define RGB(hex)                                                                                   \
	{                                                                                          \
		(hex) >> 16 & 0xff, (hex) >> 8 & 0xff, (hex)&0xff                                  \
	}
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

const char *const palette_names[PALETTE_PLAIN] = {
	[INK_PAPER] = "paper", [INK_PLOT] = "plot", [INK_TEXT] = "text",     [INK_DIM] = "dim",
	[INK_AXIS] = "axis",   [INK_GRID] = "grid", [INK_ACCENT] = "accent", [INK_LOSS] = "loss",
};

static const struct palette_rgb plain[PALETTE_PLAIN][2] = {
	[INK_PAPER] = { RGB(0xffffff), RGB(0x16191d) },
	[INK_PLOT] = { RGB(0xf7f8f9), RGB(0x1e2227) },
	[INK_TEXT] = { RGB(0x1c2126), RGB(0xe6e9ec) },
	[INK_DIM] = { RGB(0x5b6570), RGB(0xa4adb6) },
	[INK_AXIS] = { RGB(0x8a939c), RGB(0x78828c) },
	[INK_GRID] = { RGB(0xe1e5e8), RGB(0x31373d) },
	[INK_ACCENT] = { RGB(0x0072b2), RGB(0x56b4e9) },
	[INK_LOSS] = { RGB(0xc0392b), RGB(0xff7a6b) },
};

/* Okabe and Ito's palette; the last three are greys. Each has its own lightness, for people who see no colours. */
static const struct palette_rgb states[ANALYZE_VCPU_STATES][2] = {
	[ANALYZE_VCPU_GUEST] = { RGB(0x0072b2), RGB(0x0072b2) },
	[ANALYZE_VCPU_EXIT] = { RGB(0xe69f00), RGB(0xe69f00) },
	[ANALYZE_VCPU_QEMU] = { RGB(0xf0e442), RGB(0xf0e442) },
	[ANALYZE_VCPU_PREEMPTED] = { RGB(0xd55e00), RGB(0xd55e00) },
	[ANALYZE_VCPU_WAITING] = { RGB(0xcc79a7), RGB(0xcc79a7) },
	[ANALYZE_VCPU_HALTED] = { RGB(0xc7cbcf), RGB(0x343e47) },
	[ANALYZE_VCPU_BLOCKED] = { RGB(0x464f57), RGB(0x58626b) },
	[ANALYZE_VCPU_UNKNOWN] = { RGB(0xffffff), RGB(0x16191d) },
};

/* From next to the paper to its opposite: one hue, at equal distances of lightness, which is no state's
 * and not the accent's. */
static const struct palette_rgb ramps[2][5] = {
	{ RGB(0xd2eae5), RGB(0x7fc1b4), RGB(0x389585), RGB(0x0f6559), RGB(0x0f3831) },
	{ RGB(0x223633), RGB(0x2a675e), RGB(0x3c9a8c), RGB(0x77ccbe), RGB(0xd4f8f1) },
};

/* Exit reasons: first the eight fixed colours, then tints and rarer reasons. Names as in the kernel's
 * tables: VMX, SVM, arm64. None has the colour of a state, nor HLT that of a halted vCPU. */
static const struct {
	struct palette_rgb colours[2];
	char letter;
	const char *names[6]; /* NULL ends them */
} reasons[] = {
	{ { RGB(0x332288), RGB(0x5f4dc8) }, 'i', { "EXTERNAL_INTERRUPT", "interrupt", "IRQ" } },
	{ { RGB(0x44aa99), RGB(0x5cc4b2) }, 'o', { "IO_INSTRUCTION", "io" } },
	{ { RGB(0x117733), RGB(0x3f9a5a) }, 'M', { "MSR_WRITE", "msr", "SYS64" } },
	{ { RGB(0x882255), RGB(0xb04a80) }, 'c', { "CPUID" } },
	{ { RGB(0xee6677), RGB(0xee7788) }, 'f', { "EPT_VIOLATION", "npf", "DABT_LOW" } },
	{ { RGB(0x88ccee), RGB(0x88ccee) },
	  '|',
	  { "INTERRUPT_WINDOW", "PENDING_INTERRUPT", "vintr" } },
	{ { RGB(0x6e82aa), RGB(0x4a5f8a) }, '.', { "HLT", "WFx" } },
	{ { RGB(0xddcc77), RGB(0xddcc77) }, 'p', { "PAUSE_INSTRUCTION", "pause" } },
	{ { RGB(0x8fc79a), RGB(0x9fd8aa) }, 'm', { "MSR_READ" } },
	{ { RGB(0xf4b0b7), RGB(0xf4b0b7) }, 'x', { "EPT_MISCONFIG", "IABT_LOW" } },
	{ { RGB(0xaa4499), RGB(0xc366b4) }, 't', { "PREEMPTION_TIMER" } },
	{ { RGB(0x9b8fd0), RGB(0xb3a8e4) },
	  'a',
	  { "APIC_WRITE", "APIC_ACCESS", "EOI_INDUCED", "avic_incomplete_ipi",
	    "avic_unaccelerated_access" } },
	{ { RGB(0x999933), RGB(0xb5b54a) }, 'C', { "VMCALL", "hypercall", "HVC64" } },
	{ { RGB(0x6f4e37), RGB(0xa9826b) }, 'e', { "EXCEPTION_NMI", "nmi" } },
	{ { RGB(0x225555), RGB(0x4f8f8f) },
	  'R',
	  { "CR_ACCESS", "write_cr0", "write_cr3", "write_cr4", "DR_ACCESS" } },
#define SPARE 15 /* and three more: for reasons without a colour */
	[SPARE] = { { RGB(0xa6761d), RGB(0xbf8c30) }, 'A', { NULL } },
	{ { RGB(0x7570b3), RGB(0x9490d0) }, 'B', { NULL } },
	{ { RGB(0x66a61e), RGB(0x80c038) }, 'D', { NULL } },
	{ { RGB(0xe7298a), RGB(0xf050a0) }, 'E', { NULL } },
	{ { RGB(0x5b6570), RGB(0x8a939c) }, 'z', { "other" } },
};

/* Twelve colours, then a grey for the rest. As far apart as possible in deuteranopia (Machado's model): any two differ by
 * at least 18 in CIELAB, and by 24 in normal vision. The first four differ in lightness, and each has much the same hue
 * in both themes. None is like a state's. */
static const struct palette_rgb tasks[PALETTE_TASKS + 1][2] = {
	{ RGB(0x486090), RGB(0x3c90c0) }, { RGB(0xf2c160), RGB(0xf0e49c) },
	{ RGB(0x7f165c), RGB(0xa54252) }, { RGB(0x009e73), RGB(0x13b287) },
	{ RGB(0x900c00), RGB(0xe47848) }, { RGB(0x60daf2), RGB(0x9df2c7) },
	{ RGB(0x2b4cf2), RGB(0x1f3cff) }, { RGB(0xa56ba5), RGB(0xf29de4) },
	{ RGB(0x7f7f33), RGB(0x4b7f16) }, { RGB(0x6079f2), RGB(0x6079f2) },
	{ RGB(0x593e23), RGB(0x00ccfc) }, { RGB(0xcca884), RGB(0x79f260) },
	{ RGB(0xb4bbc2), RGB(0x59626b) },
};

/* Colours that the user names; black is the colour of text. */
static const struct {
	const char *name, *other;
	struct palette_rgb colours[2];
} named[] = {
	{ "red", NULL, { RGB(0xd62728), RGB(0xff5c5c) } },
	{ "orange", NULL, { RGB(0xe07b00), RGB(0xff9f33) } },
	{ "yellow", NULL, { RGB(0xd4b000), RGB(0xf0d43a) } },
	{ "green", NULL, { RGB(0x2a8f2a), RGB(0x4cc24c) } },
	{ "cyan", NULL, { RGB(0x0a9bb5), RGB(0x3fd0ea) } },
	{ "blue", NULL, { RGB(0x1f5fd6), RGB(0x6f9bff) } },
	{ "purple", NULL, { RGB(0x7b3fb5), RGB(0xb98af0) } },
	{ "magenta", "pink", { RGB(0xc0228f), RGB(0xf062c0) } },
	{ "brown", NULL, { RGB(0x7a4a1e), RGB(0xc08a52) } },
	{ "grey", "gray", { RGB(0x7a828a), RGB(0xa0a8b0) } },
	{ "black", NULL, { RGB(0x1c2126), RGB(0xe6e9ec) } },
};

/* Frames, by enum folded_kind, light enough for dark text, or dark enough for light text. */
static const struct palette_rgb frames[FOLDED_KINDS][2] = {
	[FOLDED_PLAIN] = { RGB(0xf0a35e), RGB(0x925320) },
	[FOLDED_TASK] = { RGB(0xabbccb), RGB(0x4d6175) },
	[FOLDED_KERNEL] = { RGB(0xf0a35e), RGB(0x925320) },
	[FOLDED_USER] = { RGB(0x8ccb9b), RGB(0x2f6f45) },
	[FOLDED_NOTE] = { RGB(0xcdb9e2), RGB(0x66508a) },
};
/* Less, unchanged, more. */
static const struct palette_rgb changes[][2] = {
	{ RGB(0x56a9de), RGB(0x1d6fa8) },
	{ RGB(0xe4e7ea), RGB(0x41484f) },
	{ RGB(0xf2884b), RGB(0xb4521b) },
};

static struct palette_rgb mix(struct palette_rgb a, struct palette_rgb b, double part)
{
	return (struct palette_rgb){
		(uint8_t)(a.r + (b.r - a.r) * part + 0.5),
		(uint8_t)(a.g + (b.g - a.g) * part + 0.5),
		(uint8_t)(a.b + (b.b - a.b) * part + 0.5),
	};
}

/* More differs more from the paper: the same in both themes. Small shares are spread, as they are the
 * most frequent ones: 0.4 % and 11 % of the ramp must be told apart. */
static struct palette_rgb ramp(enum palette_theme theme, unsigned level)
{
	const struct palette_rgb *stops = ramps[theme];
	double part = (double)(level ? level - 1 : 0) / (PALETTE_LEVELS - 1), at;
	size_t i, last = COUNT(ramps[0]) - 1;

	at = pow(part > 1 ? 1 : part, 0.75) * (double)last;
	i = (size_t)at;
	return i >= last ? stops[last] : mix(stops[i], stops[i + 1], at - (double)i);
}

static double linear(uint8_t v)
{
	double c = v / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* The colour of text on @c: black or white, whichever has more contrast (WCAG 2.1), at least 4.5. */
static struct palette_rgb over(struct palette_rgb c)
{
	double light = 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b);

	return light > 0.179 ? (struct palette_rgb){ 0, 0, 0 }
			     : (struct palette_rgb){ 255, 255, 255 };
}

static struct palette_rgb frame(enum palette_theme theme, unsigned level)
{
	struct palette_rgb c = frames[level / PALETTE_SHADES][theme];

	return mix(c, plain[INK_PAPER][theme], 0.09 * (level % PALETTE_SHADES));
}

static struct palette_rgb changed(enum palette_theme theme, unsigned level)
{
	double by = (double)level / PALETTE_CHANGES - 1;

	return mix(changes[1][theme], changes[by < 0 ? 0 : 2][theme], by < 0 ? -by : by);
}

struct palette_rgb palette_colour(enum palette_theme theme, struct ink ink)
{
	switch ((enum ink_kind)ink.kind) {
	case INK_RAMP:
		return ramp(theme, ink.level);
	case INK_OVER:
		return over(ramp(theme, ink.level));
	case INK_OVER_STATE:
		return over(palette_colour(theme, (struct ink){ INK_STATE, ink.level }));
	case INK_STATE:
		return states[ink.level][theme];
	case INK_REASON:
		return reasons[ink.level].colours[theme];
	case INK_TASK:
		return tasks[ink.level][theme];
	case INK_FRAME:
		return frame(theme, ink.level);
	case INK_CHANGE:
		return changed(theme, ink.level);
	case INK_NAMED:
		return named[ink.level].colours[theme];
	default:
		return plain[ink.kind][theme];
	}
}

char *palette_hex(char out[8], enum palette_theme theme, struct ink ink)
{
	struct palette_rgb c = palette_colour(theme, ink);

	snprintf(out, 8, "#%02x%02x%02x", c.r, c.g, c.b);
	return out;
}

bool palette_named(const char *name, struct ink *out)
{
	for (size_t i = 0; i < COUNT(named); i++) {
		if (!strcasecmp(named[i].name, name) ||
		    (named[i].other && !strcasecmp(named[i].other, name))) {
			*out = (struct ink){ INK_NAMED, (uint8_t)i };
			return true;
		}
	}
	return false;
}

char palette_letter(struct ink ink)
{
	static const char density[] = ".:-=+*#%@", state_letters[] = "geQPw.b?";

	switch ((enum ink_kind)ink.kind) {
	case INK_RAMP:
		return density[(ink.level - 1u) * (sizeof(density) - 1) / PALETTE_LEVELS];
	case INK_STATE:
		return state_letters[ink.level];
	case INK_REASON:
		return reasons[ink.level].letter;
	case INK_TASK:
		return ink.level < PALETTE_TASKS ? (char)('a' + ink.level) : '-';
	case INK_ACCENT:
		return '#';
	default:
		return ' ';
	}
}

struct ink palette_ramp(double level)
{
	double i = level * (PALETTE_LEVELS - 1) + 0.5;

	i = i < 0 ? 0 : i > PALETTE_LEVELS - 1 ? PALETTE_LEVELS - 1 : i;
	return (struct ink){ INK_RAMP, (uint8_t)(1 + (unsigned)i) };
}

static uint32_t hash(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (uint8_t)*name) * 16777619u;
	return h;
}

struct ink palette_frame(unsigned kind, const char *name)
{
	return (struct ink){ INK_FRAME, (uint8_t)(kind * PALETTE_SHADES +
						  (hash(name) >> 8) % PALETTE_SHADES) };
}

struct ink palette_change(double change)
{
	change = change < -1 ? -1 : change > 1 ? 1 : change;
	return (struct ink){ INK_CHANGE, (uint8_t)((change + 1) * PALETTE_CHANGES + 0.5) };
}

struct ink palette_reason_spare(const char *name, unsigned n)
{
	return (struct ink){ INK_REASON, (uint8_t)(SPARE + (hash(name) + n) % 4) };
}

struct ink palette_reason(const char *name)
{
	for (size_t i = 0; i < COUNT(reasons); i++) {
		for (const char *const *known = reasons[i].names; *known; known++) {
			if (!strcasecmp(*known, name))
				return (struct ink){ INK_REASON, (uint8_t)i };
		}
	}
	return palette_reason_spare(name, 0);
}
