/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap: the views with a row per vCPU: exits, vcpu. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/heatmap/heatmap.h"
#include "render/draw/text.h"
#include "render/views/exits.h"
#include "render/views/vcpu.h"

/* --- exits --- */

int heatmap_add_exits(struct heatmap *h, struct cdict_error *err)
{
	const struct analyze_exits_options options = { .no_accesses = true };

	return analyze_exits_new(&h->f.walk.exits, h->f.walk.eng, &options, err);
}

/* A row of the analysis and its row in the picture. */
struct placed_exits {
	uint32_t row;
	size_t at;
};

static int by_row(const void *a, const void *b)
{
	const struct placed_exits *x = a, *y = b;

	return x->row != y->row ? (x->row > y->row) - (x->row < y->row)
				: (x->at > y->at) - (x->at < y->at);
}

static int add_exits(const struct heatmap *h, struct exit_mix *mix, const struct placed_exits *from)
{
	const struct analyze_exit_row *row = analyze_exits_at(h->f.walk.exits, from->at);
	bool on_cpu = mix->on_cpu && !row->idle;
	char *name = heatmap_row_name(h, from->row);
	int rc = name ? exit_mix_add(mix, from->row, name, row->name, row->idle, row->events,
				     row->time.count, on_cpu ? row->cpu_ns : row->time.sum)
		      : -ENOMEM;

	mix->off_ns += on_cpu ? row->time.sum - row->cpu_ns : 0;
	free(name);
	return rc;
}

int heatmap_draw_exits(struct heatmap *h)
{
	struct exit_mix mix = { .on_cpu = analyze_engine_summary(h->f.walk.eng)->has_runs,
				.grouped = h->rows != HEATMAP_ROWS_TASK };
	ARRAY(struct placed_exits) all = { 0 };
	int rc = 0;

	for (size_t i = 0; i < analyze_exits_count(h->f.walk.exits) && !rc; i++) {
		const struct analyze_exit_row *row = analyze_exits_at(h->f.walk.exits, i);
		struct placed_exits to = { .row = row->task, .at = i };

		if (!row->events || !heatmap_is_shown(h, row->task))
			continue;
		/* IDLE cannot leave a guest, but a damaged file may contain that */
		if (analyze_engine_task(h->f.walk.eng, row->task)->tid)
			rc = heatmap_row_of(h, row->task, &to.row);
		else if (h->rows != HEATMAP_ROWS_TASK)
			continue;
		if (!rc)
			rc = array_push(&all, to);
	}
	/* make the rows of a group consecutive; those of a task are so already */
	if (all.n && h->rows != HEATMAP_ROWS_TASK)
		qsort(all.at, all.n, sizeof(*all.at), by_row);
	for (size_t i = 0; i < all.n && !rc; i++)
		rc = add_exits(h, &mix, &all.at[i]);
	array_fini(&all);
	if (!rc)
		rc = view_exits(&h->m, &h->c, &h->cap.frame, &mix, h->by == 0);
	exit_mix_fini(&mix);
	return rc;
}

/* --- vcpu --- */

int heatmap_add_vcpu(struct heatmap *h, struct cdict_error *err)
{
	return analyze_vcpus_new(&h->f.walk.vcpus, h->f.walk.eng, err);
}

static int fill_vcpu(struct vcpu_bar *bar, const struct heatmap *h,
		     const struct analyze_vcpu_row *row)
{
	const struct analyze_antagonist *worst = row->antagonists;
	uint64_t waited;

	bar->name = heatmap_task_name(h, row->task);
	bar->vcpus = 1;
	bar->unreported = !analyze_engine_summary(h->f.walk.eng)->has_state;
	memcpy(bar->ns, row->ns, sizeof(bar->ns));
	waited = vcpu_bar_waited(bar);
	if (!bar->name || !row->n_antagonists || !waited)
		return bar->name ? 0 : -ENOMEM;
	bar->antagonist = heatmap_task_name(h, worst->task);
	bar->antagonist_share = (double)(worst->preempted_ns + worst->waiting_ns) / (double)waited;
	return bar->antagonist ? 0 : -ENOMEM;
}

static int draw_vcpus(struct heatmap *h)
{
	const struct analyze_vcpus *vcpus = h->f.walk.vcpus;
	size_t n = 0, rows = analyze_vcpus_row_count(vcpus);
	struct vcpu_bar *bars = calloc(rows + 1, sizeof(*bars));
	int rc = bars ? 0 : -ENOMEM;

	for (size_t i = 0; !rc && i < rows; i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(vcpus, i);

		if (heatmap_is_shown(h, row->task))
			rc = fill_vcpu(&bars[n++], h, row);
	}
	if (!rc)
		rc = view_vcpu(&h->m, &h->c, &h->cap.frame, bars, n);
	for (size_t i = 0; i < n; i++) {
		free(bars[i].name);
		free(bars[i].antagonist);
	}
	free(bars);
	return rc;
}

/* --- vcpu: several vCPUs in one row --- */

/* A task for which the vCPUs of a row waited, and how long, as far as it is known. */
struct behind {
	uint32_t row;
	const char *name;
	uint64_t ns;
};

struct vcpu_rows {
	ARRAY(struct vcpu_bar) bars;
	ARRAY(struct behind) behind;
	struct map numbers; /* (row, name) -> index in behind */
};

static int add_behind(struct vcpu_rows *rows, uint32_t row, const char *name, uint64_t ns)
{
	uint32_t *number = name ? map_add(&rows->numbers, row, (uintptr_t)name) : NULL;

	if (!number)
		return -ENOMEM;
	if (*number == MAP_NEW) {
		*number = (uint32_t)rows->behind.n;
		if (array_push(&rows->behind, ((struct behind){ .row = row, .name = name })))
			return -ENOMEM;
	}
	rows->behind.at[*number].ns += ns;
	return 0;
}

static int add_vcpu(struct heatmap *h, struct vcpu_rows *rows, const struct analyze_vcpu_row *row)
{
	const struct analyze_engine *eng = h->f.walk.eng;
	struct culprits *culprits = &h->groups.fold.culprits;
	const char *vm, *kind;
	struct vcpu_bar *bar;
	uint32_t at;
	int rc = heatmap_row_of(h, row->task, &at);

	if (rc)
		return rc;
	bar = at < rows->bars.n ? &rows->bars.at[at] : array_add(&rows->bars);
	vm = culprits_vm(culprits, analyze_engine_task(eng, row->task));
	if (!bar || !vm)
		return -ENOMEM;
	bar->row = at;
	bar->vcpus++;
	bar->unreported = !analyze_engine_summary(eng)->has_state;
	for (unsigned s = 0; s < ANALYZE_VCPU_STATES; s++)
		bar->ns[s] += row->ns[s];
	for (size_t k = 0; k < row->n_antagonists && !rc; k++) {
		const struct analyze_antagonist *a = &row->antagonists[k];
		const struct analyze_task *other = analyze_engine_task(eng, a->task);

		rc = add_behind(rows, at, culprits_name(culprits, other, vm, &kind),
				a->preempted_ns + a->waiting_ns);
	}
	return rc;
}

static int name_bars(const struct heatmap *h, struct vcpu_rows *rows)
{
	for (size_t i = 0; i < rows->bars.n; i++) {
		struct vcpu_bar *bar = &rows->bars.at[i];
		uint64_t waited = vcpu_bar_waited(bar);
		const struct behind *worst = NULL;

		bar->name = heatmap_row_name(h, bar->row);
		for (size_t k = 0; k < rows->behind.n; k++) {
			const struct behind *b = &rows->behind.at[k];

			if (b->row == bar->row && b->ns > (worst ? worst->ns : 0))
				worst = b;
		}
		if (!bar->name)
			return -ENOMEM;
		if (!worst)
			continue;
		bar->antagonist = text_clean(worst->name, strlen(worst->name));
		bar->antagonist_share = (double)worst->ns / (double)waited;
		if (!bar->antagonist)
			return -ENOMEM;
	}
	return 0;
}

static int worst_first(const void *a, const void *b)
{
	const struct vcpu_bar *x = a, *y = b;
	uint64_t of_x = vcpu_bar_waited(x), of_y = vcpu_bar_waited(y);

	return of_x != of_y ? (of_x < of_y) - (of_x > of_y) : (x->row > y->row) - (x->row < y->row);
}

static int draw_vcpu_groups(struct heatmap *h)
{
	const struct analyze_vcpus *vcpus = h->f.walk.vcpus;
	struct vcpu_rows rows = { 0 };
	int rc = 0;

	for (size_t i = 0; !rc && i < analyze_vcpus_row_count(vcpus); i++) {
		const struct analyze_vcpu_row *row = analyze_vcpus_row_at(vcpus, i);

		/* IDLE cannot leave a guest, but a damaged file may contain that */
		if (heatmap_is_shown(h, row->task) &&
		    analyze_engine_task(h->f.walk.eng, row->task)->tid)
			rc = add_vcpu(h, &rows, row);
	}
	if (!rc)
		rc = name_bars(h, &rows);
	if (!rc && rows.bars.n)
		qsort(rows.bars.at, rows.bars.n, sizeof(*rows.bars.at), worst_first);
	if (!rc)
		rc = view_vcpu(&h->m, &h->c, &h->cap.frame, rows.bars.at, rows.bars.n);
	for (size_t i = 0; i < rows.bars.n; i++) {
		free(rows.bars.at[i].name);
		free(rows.bars.at[i].antagonist);
	}
	array_fini(&rows.bars);
	array_fini(&rows.behind);
	map_fini(&rows.numbers);
	return rc;
}

int heatmap_draw_vcpu(struct heatmap *h)
{
	return h->rows == HEATMAP_ROWS_TASK ? draw_vcpus(h) : draw_vcpu_groups(h);
}
