/* SPDX-License-Identifier: GPL-2.0-only */
/* Where each vCPU's time went. */
#include "render/views/vcpu.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text/plural.h"
#include "render/draw/names.h"
#include "render/draw/rows.h"
#include "render/draw/text.h"

static const char *const state_names[ANALYZE_VCPU_STATES] = {
	[ANALYZE_VCPU_GUEST] = "in the guest",
	[ANALYZE_VCPU_EXIT] = "handling an exit",
	[ANALYZE_VCPU_QEMU] = "in the VMM",
	[ANALYZE_VCPU_PREEMPTED] = "preempted: ready to run, another task had the CPU",
	[ANALYZE_VCPU_WAITING] = "waiting: woken, not yet on a CPU",
	[ANALYZE_VCPU_HALTED] = "halted: the guest was idle",
	[ANALYZE_VCPU_BLOCKED] = "blocked: asleep for another reason",
	[ANALYZE_VCPU_UNKNOWN] = "unknown: not seen",
};

/* Whether any bar has time in @state. */
static bool any_of(const struct vcpu_bar *bars, size_t n, unsigned state)
{
	for (size_t i = 0; i < n; i++) {
		if (bars[i].ns[state])
			return true;
	}
	return false;
}

/* Whether there is little room for text next to the bars. */
static bool is_narrow(const struct canvas *c)
{
	return c->cells || c->width < 1000;
}

uint64_t vcpu_bar_waited(const struct vcpu_bar *bar)
{
	return bar->ns[ANALYZE_VCPU_PREEMPTED] + bar->ns[ANALYZE_VCPU_WAITING];
}

/* The vCPU delay and the longest antagonist. */
static char *bar_note(const struct vcpu_bar *bar, const char *antagonist, bool brief)
{
	uint64_t waited = vcpu_bar_waited(bar);
	char ms[TEXT_ROOM], share[TEXT_ROOM], *text;
	int rc;

	if (bar->unreported)
		rc = asprintf(&text, "waits unknown");
	else if (!waited)
		rc = asprintf(&text, "never waited");
	else if (antagonist)
		rc = asprintf(&text, brief ? "%s, %s: %s" : "waited %s, %s behind %s",
			      text_duration(ms, (double)waited),
			      text_percent(share, bar->antagonist_share, 1), antagonist);
	else
		rc = asprintf(&text, brief ? "%s" : "waited %s", text_duration(ms, (double)waited));
	return rc < 0 ? NULL : text;
}

static void draw_bar(struct marks *m, const struct canvas *c, const struct frame *f,
		     const struct vcpu_bar *bar, double y)
{
	uint64_t total = 0, sum = 0;
	double from = f->plot.x;

	for (unsigned s = 0; s < ANALYZE_VCPU_STATES; s++)
		total += bar->ns[s];
	for (unsigned s = 0; total && s < ANALYZE_VCPU_STATES; s++) {
		char text[3 * TEXT_ROOM], ms[TEXT_ROOM], share[TEXT_ROOM];
		double to;

		if (!bar->ns[s])
			continue;
		sum += bar->ns[s];
		to = f->plot.x + f->plot.w * (double)sum / (double)total;
		snprintf(text, sizeof(text), "%s: %s, %s", state_names[s],
			 text_duration(ms, (double)bar->ns[s]),
			 text_percent(share, (double)bar->ns[s], (double)total));
		if (s == ANALYZE_VCPU_UNKNOWN)
			marks_hatch(m, from, y - c->bar / 2, to - from, c->bar, text);
		else
			marks_rect(m, (struct ink){ INK_STATE, (uint8_t)s }, from, y - c->bar / 2,
				   to - from, c->bar, text);
		from = to;
	}
}

static int draw(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
		const struct vcpu_bar *bars, size_t n, struct row_label *rows)
{
	struct frame_shape shape = { .axis = true };
	struct row_swatch swatches[ANALYZE_VCPU_STATES];
	struct scale_tick ticks[SCALE_TICKS];
	struct scale s = { .lo = 0, .hi = 100 };
	struct frame f;
	size_t n_swatches = 0, n_ticks, vcpus = 0;
	unsigned most;
	char groups[TEXT_ROOM] = "", foot[6 * TEXT_ROOM];

	for (unsigned i = 0; i < ANALYZE_VCPU_STATES; i++) {
		struct ink ink = { i == ANALYZE_VCPU_UNKNOWN ? INK_LOSS : INK_STATE,
				   i == ANALYZE_VCPU_UNKNOWN ? 0 : (uint8_t)i };

		if (any_of(bars, n, i))
			swatches[n_swatches++] = (struct row_swatch){ ink, state_names[i] };
	}
	for (size_t i = 0; i < n; i++)
		vcpus += bars[i].vcpus;
	if (vcpus > n)
		snprintf(groups, sizeof(groups), "%s group%s of ", GROUPED(n), n == 1 ? "" : "s");
	snprintf(foot, sizeof(foot), "%s%zu vCPU%s, each bar is the whole window%s%s", groups,
		 vcpus, vcpus == 1 ? "" : "s", *groups ? " of its vCPUs together" : "",
		 is_narrow(c) ? "; at the right: how long it waited, and its main antagonist" : "");
	shape.foot = foot;
	shape.above = rows_legend(NULL, c, swatches, n_swatches, 0);
	rows_margins(c, rows, n, &shape);
	f = frame_begin(m, c, caption, &shape);
	rows_legend(m, c, swatches, n_swatches, f.above);
	s.from = f.plot.x;
	s.to = f.plot.x + f.plot.w;
	most = (unsigned)(f.plot.w / (c->cells ? 10 : 60));
	n_ticks = scale_ticks_count(ticks, 0, 100, most > 10 ? 10 : most, " %");
	frame_axis_x(m, c, &f, &s, ticks, n_ticks, "share of the window");
	for (size_t i = 0; i < n; i++) {
		draw_bar(m, c, &f, &bars[i], rows_middle(c, &f, i));
		rows[i].end = s.to;
	}
	rows_labels(m, c, &f, rows, n);
	if (!n)
		rows_nothing(m, &f, "no vCPU in this window for these tasks");
	return m->failed ? -ENOMEM : 0;
}

/* The notes, in which different antagonists stay different. */
static int make_notes(const struct canvas *c, const struct vcpu_bar *bars, size_t n,
		      struct row_label *rows)
{
	const char **full = calloc(n + 1, sizeof(*full));
	char **names = NULL;
	double before = 0;
	bool ok = full;

	for (size_t i = 0; ok && i < n; i++) {
		char *rest = bar_note(&bars[i], bars[i].antagonist ? "" : NULL, is_narrow(c));
		double w = rest ? canvas_text(c, rest, MARK_SMALL) : 0;

		before = bars[i].antagonist && w > before ? w : before;
		full[i] = bars[i].antagonist ? bars[i].antagonist : "";
		ok = rest;
		free(rest);
	}
	if (ok)
		names = names_fit(full, n, canvas_font(c, MARK_SMALL),
				  c->width * ROWS_NOTES - before);
	for (size_t i = 0; names && i < n; i++) {
		rows[i].name = bars[i].name;
		rows[i].note =
			bar_note(&bars[i], bars[i].antagonist ? names[i] : NULL, is_narrow(c));
		ok &= rows[i].note != NULL;
	}
	ok &= names != NULL;
	names_free(names, n);
	free(full);
	return ok ? 0 : -ENOMEM;
}

int view_vcpu(struct marks *m, const struct canvas *c, const struct frame_caption *caption,
	      const struct vcpu_bar *bars, size_t n)
{
	struct row_label *rows = calloc(n + 1, sizeof(*rows));
	int rc = rows ? make_notes(c, bars, n, rows) : -ENOMEM;

	if (!rc)
		rc = draw(m, c, caption, bars, n, rows);
	for (size_t i = 0; rows && i < n; i++)
		free(rows[i].note);
	free(rows);
	return rc;
}
