/* SPDX-License-Identifier: GPL-2.0-only */
/* cdict heatmap: the views of intervals over time: switches, kvm. */
#include <errno.h>

#include "base/fail.h"
#include "cmd/heatmap/heatmap.h"
#include "render/views/switches.h"

static int bin(void *ctx, const struct analyze_slice *s)
{
	struct bins *bins = ctx;

	if (s->start_ns == ANALYZE_NO_TIME)
		return bins_unplaced(bins, s->task);
	return bins_add(bins, s->task, s->end_ns, s->end_ns - s->start_ns);
}

/* Sets up a heat map of one kind of slice. */
int heatmap_add_slices(struct heatmap *h, struct cdict_error *err)
{
	struct analyze_slices_options how = { .kinds = 1u << h->kind, .on_slice = bin };

	h->bins = bins_new(h->f.filter.from_ns, h->f.filter.to_ns, view_switches_columns(&h->c));
	if (!h->bins)
		return cdict_fail_nomem(err);
	how.ctx = h->bins;
	return analyze_slices_new(&h->slices, h->f.walk.eng, &how, err);
}

int heatmap_draw_slices(struct heatmap *h)
{
	if (heatmap_find_wanted(h))
		return -ENOMEM;
	return view_switches(&h->m, &h->c, &h->cap.frame, h->kind, h->bins, heatmap_is_wanted, h);
}
