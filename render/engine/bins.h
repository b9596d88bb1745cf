/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * bins.h - counts by columns of time, which the page draws first, from the same walk as
 * the figures.  doc/page.md, "Bins".
 *
 *	page_bins_new(&bins, eng, &opts, err);	// before the run
 *	... analyze_vcpus_on_piece(vcpus, page_bins_state, bins) ...
 *	analyze_engine_run_reader(eng, reader, err);
 *	page_bins_write(bins, &select, &json, &arrays);
 *
 * Memory     a few numbers per column and CPU, task, vCPU or reason; fewer columns when
 *            there are many of those
 * Failure    0 or a negative code
 * Ownership  new gives, free takes (NULL is fine)
 */
#ifndef RENDER_ENGINE_BINS_H
#define RENDER_ENGINE_BINS_H

#include "analyze/kvm/vcpu.h"
#include "analyze/sched/slices.h"
#include "analyze/walk/engine.h"
#include "base/text/json.h"
#include "base/text/sink.h"

struct page_bins;

struct page_bins_options {
	uint64_t from_ns, to_ns; /* the window */
	uint32_t cpus;
	bool by_task; /* heat maps are of selected tasks, known after the walk */
	bool seconds; /* heat maps also have the offsets within the second, counted from @t0_ns */
	uint64_t t0_ns;
	unsigned columns; /* at most; 0: 1024 */
	unsigned kinds; /* only these heat maps: bits 1u << ANALYZE_SLICE_RUN, ...; 0: everything */
	/* Selects exits by reason; NULL: all. */
	bool (*exit_wanted)(void *ctx, const struct analyze_slice *slice);
	void *ctx;
};

int page_bins_new(struct page_bins **out, struct analyze_engine *eng,
		  const struct page_bins_options *opts, struct cdict_error *err);
void page_bins_free(struct page_bins *b);

/* page_bins_state - an analyze_vcpu_piece_fn function: @bins is a struct page_bins. */
void page_bins_state(void *bins, const struct analyze_vcpu_piece *piece);

struct page_bins_select {
	const uint32_t *vcpus;  /* tasks, in the page's order */
	const char *const *vms; /* of each, NULL: unknown; the same text for all of a VM */
	size_t n_vcpus;
	uint64_t t0_ns;          /* origin of the page's times */
	const uint32_t *numbers; /* the page's, by task; UINT32_MAX: none; NULL: the same */
	bool (*wanted)(void *ctx, uint32_t task); /* by_task: selects the tasks of heat maps */
	/* The group of a task in few rows: see lanes_groups(). */
	int (*group)(void *ctx, uint32_t task, uint64_t *key);
	void *groups;
	void *ctx;
};

/* page_bins_write - writes the object "bins" to @j, the content of its arrays to @arrays, a
 * memory sink.  0 or -ENOMEM. */
int page_bins_write(struct page_bins *b, const struct page_bins_select *select, struct json *j,
		    struct sink *arrays);

#endif
