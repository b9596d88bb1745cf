/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap: the caption of a picture, and the selection of tasks. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text/escape.h"
#include "base/text/plural.h"
#include "cmd/heatmap/heatmap.h"
#include "tables/info/info.h"
#include "tables/columns/loss.h"
#include "render/draw/text.h"

/* Sets *out to NULL for an empty text; -ENOMEM. */
static int clean(char **out, const char *text)
{
	*out = text && *text ? text_clean(text, strlen(text)) : NULL;
	return *out || !text || !*text ? 0 : -ENOMEM;
}

static void cpu_list(struct sink *s, const struct cmd_cpus *cpus)
{
	const char *comma = "";

	for (size_t a = 0, b; a < cpus->n; a = b) {
		b = a + 1;
		if (!(cpus->bits[a / 64] >> (a % 64) & 1))
			continue;
		while (b < cpus->n && (cpus->bits[b / 64] >> (b % 64) & 1))
			b++;
		sink_printf(s, "%s%zu", comma, a);
		if (b - a > 1)
			sink_printf(s, "-%zu", b - 1);
		comma = ",";
	}
}

/* "tasks matching qemu, tids 17,23, CPUs 0-3"; @all: the text for all tasks. */
static char *selection(const struct options_shared *o, const char *all)
{
	const char *comma = "";
	char *raw, *text;
	struct sink s;
	size_t len;

	sink_to_memory(&s);
	if (o->task) {
		sink_printf(&s, "tasks matching %s", o->task);
		comma = ", ";
	}
	if (o->tids.n) {
		sink_printf(&s, "%stid%s", comma, o->tids.n > 1 ? "s" : "");
		for (size_t i = 0; i < o->tids.n && i < 8; i++)
			sink_printf(&s, "%s%" PRId32, i ? "," : " ", o->tids.at[i]);
		if (o->tids.n > 8)
			sink_printf(&s, " and %s more", GROUPED(o->tids.n - 8));
		comma = ", ";
	}
	if (o->vm) {
		sink_printf(&s, "%sVM %s", comma, o->vm);
		comma = ", ";
	}
	if (!*comma)
		sink_puts(&s, all);
	if (o->cpus.n) {
		sink_puts(&s, ", CPUs ");
		cpu_list(&s, &o->cpus);
	}
	if (o->no_guest_mode)
		sink_puts(&s, ", without guest-mode events");
	raw = sink_take(&s, &len);
	text = raw ? text_clean(raw, len) : NULL;
	free(raw);
	return text;
}

/* Collects the losses that overlap the window and affect a selected CPU. */
static int collect_losses(struct heatmap_caption *cap, const struct figures *f)
{
	size_t n = cdict_reader_loss_count(f->reader);

	cap->losses = calloc(n + 1, sizeof(*cap->losses));
	if (!cap->losses)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct cdict_loss *l = cdict_reader_loss_at(f->reader, i);

		if (l->what == CDICT_LOSS_DISORDER || l->to_ns < cap->frame.from_ns ||
		    l->from_ns > cap->frame.to_ns ||
		    (l->cpu != CDICT_CPU_UNKNOWN && !tables_cpu(&f->walk, l->cpu)))
			continue;
		cap->losses[cap->frame.n_losses++] = *l;
	}
	cap->frame.losses = cap->losses;
	return 0;
}

static char *loss_sentence(const struct figures *f, const struct heatmap_caption *cap)
{
	struct loss_sum sum;
	char *text;

	loss_sum(&sum, f->reader, cap->frame.from_ns, cap->frame.to_ns);
	text = loss_text(&sum, 0);
	if (text && !strcmp(text, "loss: none")) {
		free(text);
		return strdup("no events lost");
	}
	return text;
}

int heatmap_caption_init(struct heatmap *h, const char *title, const char *all)
{
	const struct figures *f = &h->f;
	const struct analyze_summary *sum = analyze_engine_summary(f->walk.eng);
	const char *at = cdict_reader_info(f->reader, "captured.at_s");
	struct heatmap_caption *cap = &h->cap;
	uint64_t wall_ns;

	cap->frame = (struct frame_caption){ .title = title,
					     .from_ns = sum->from_ns,
					     .to_ns = sum->to_ns,
					     .begins_ns = sum->scope.begins_ns };
	if (at)
		cap->frame.made_at_s = strtoull(at, NULL, 10);
	else if (info_wall(f->reader, sum->to_ns, &wall_ns))
		cap->frame.made_at_s = wall_ns / 1000000000;
	if (clean(&cap->label, h->opts->label) ||
	    clean(&cap->host, cdict_reader_info(f->reader, "host.name")))
		return -ENOMEM;
	cap->frame.label = cap->label;
	cap->frame.host = cap->host;
	cap->frame.selection = cap->selection = selection(f->opts, all);
	cap->frame.loss = cap->loss = loss_sentence(f, cap);
	return cap->selection && cap->loss ? collect_losses(cap, f) : -ENOMEM;
}

void heatmap_caption_fini(struct heatmap_caption *cap)
{
	free(cap->label);
	free(cap->host);
	free(cap->selection);
	free(cap->loss);
	free(cap->losses);
}

/* --- selected tasks --- */

int heatmap_find_wanted(struct heatmap *h)
{
	const struct tables_walk *w = &h->f.walk;
	bool asked = h->opts->shared.task || h->opts->shared.tids.n || h->opts->shared.vm;
	size_t n = analyze_engine_task_count(w->eng);

	h->wanted = calloc(n + 1, sizeof(*h->wanted));
	if (!h->wanted)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct analyze_task *task = analyze_engine_task(w->eng, (uint32_t)i);

		h->wanted[i] = (task->tid || asked) && names_wanted(&w->names, task);
	}
	return 0;
}

bool heatmap_is_shown(const struct heatmap *h, uint32_t task)
{
	return names_wanted(&h->f.walk.names, analyze_engine_task(h->f.walk.eng, task));
}

bool heatmap_is_wanted(void *ctx, uint32_t task)
{
	const struct heatmap *h = ctx;

	return task < analyze_engine_task_count(h->f.walk.eng) && h->wanted[task];
}

char *heatmap_task_name(const struct heatmap *h, uint32_t index)
{
	const struct analyze_task *task = analyze_engine_task(h->f.walk.eng, index);
	char *name = names_display(&h->f.walk.names, task), *text = NULL;
	struct sink s;

	if (!name)
		return NULL;
	sink_to_memory(&s);
	escape_terminal(&s, name, strlen(name));
	if (!h->opts->shared.append_tid && task->tid)
		sink_printf(&s, "  %" PRId32, task->tid);
	text = sink_take(&s, NULL);
	free(name);
	return text;
}
