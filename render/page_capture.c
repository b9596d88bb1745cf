/* SPDX-License-Identifier: GPL-2.0-only */
/* All that the page shows of a capture, from one walk. */
#include "render/page_capture.h"

#include <errno.h>

#include "base/fail.h"

int page_capture_add(struct page_capture *c, struct cdict_error *err)
{
	struct tables_walk *w = c->walk;
	const struct tables_options *opts = &w->opts;
	const struct names_filter *filter = &opts->names.filter;
	struct page_bins_options how = { .cpus = cdict_reader_cpus(w->reader),
					 .by_task = filter->matches || filter->n_tids ||
						    filter->vm || filter->wanted };
	int rc;

	if (!cdict_reader_window(w->reader, &c->t0_ns, &c->last_ns))
		return cdict_fail(err, CDICT_ENOEVENTS, CDICT_NO_OFFSET,
				  "holds no event: there is nothing to show");
	if (c->only_exits)
		return analyze_exits_new(&w->exits, w->eng,
					 &(struct analyze_exits_options){ .no_accesses = true },
					 err);
	how.from_ns = opts->to_ns ? opts->from_ns : c->t0_ns;
	how.to_ns = opts->to_ns ? opts->to_ns : c->last_ns;
	rc = tables_walk_add(w, err);
	if (!rc)
		rc = page_bins_new(&c->bins, w->eng, &how, err);
	if (!rc)
		analyze_vcpus_tell(w->vcpus, page_bins_state, c->bins);
	return rc;
}

static int sort_tables(struct page_capture *c, size_t first, size_t last)
{
	struct cdict_error err = { 0 };

	for (size_t i = first; i <= last; i++) {
		if (!c->tables[i] || table_sort(c->tables[i], NULL, &err))
			return -ENOMEM;
	}
	return 0;
}

int page_capture_fill(struct page_capture *c)
{
	const struct tables_walk *w = c->walk;
	struct table **t = c->tables;

	t[PAGE_EXITS] = tables_exits(w, TABLES_EXITS_BY_TASK, NULL);
	t[PAGE_EXIT_REASONS] = tables_exits(w, TABLES_EXITS_BY_REASON, NULL);
	if (c->only_exits)
		return sort_tables(c, PAGE_EXITS, PAGE_EXIT_REASONS);
	t[PAGE_TASKS] = tables_tasks(w, false);
	t[PAGE_GUEST] = tables_guest(w);
	t[PAGE_VCPU] = tables_vcpu(w);
	t[PAGE_VCPU_REASONS] = tables_vcpu_reasons(w);
	if (t[PAGE_VCPU])
		t[PAGE_ANTAGONISTS] = tables_antagonists(w, t[PAGE_VCPU], 0);
	t[PAGE_LATENCY] = tables_latency(w);
	t[PAGE_COREMAP] = tables_coremap(w);
	t[PAGE_CPUS] = tables_coremap_cpus(w);
	return sort_tables(c, 0, PAGE_TABLES - 1);
}

void page_capture_fini(struct page_capture *c)
{
	for (size_t i = 0; i < PAGE_TABLES; i++)
		table_free(c->tables[i]);
	page_bins_free(c->bins);
	*c = (struct page_capture){ 0 };
}
