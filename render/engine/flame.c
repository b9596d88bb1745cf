/* SPDX-License-Identifier: GPL-2.0-only */
/* The stacks of a range as a tree, as in cdict flame. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "render/engine/engine_internal.h"
#include "tables/stacks/flame.h"

/* Frames with a smaller part of the total are narrower than a pixel on any screen. */
enum { NARROWEST_PART = 50000 };

struct flame {
	struct tables_walk walk;
	struct analyze_stacks *stacks;
	struct folded tree;
};

/* A frame in the page. */
struct row {
	uint32_t name, kind, depth;
	uint64_t from,
		total;  /* a frame begins where its caller does, or after the frames before it */
	double percent; /* of all */
};

static int flame_add(struct page_engine *e, struct cdict_error *err)
{
	struct flame *f = e->state;
	unsigned by = 0;
	int rc;

	while (flame_bys[by] && (!e->q.type || strcmp(flame_bys[by], e->q.type)))
		by++;
	if (!flame_bys[by])
		return cdict_fail(err, CDICT_EUSAGE, CDICT_NO_OFFSET, "unknown kind of stacks");
	rc = page_engine_walk(e, &f->walk, err);
	if (!rc)
		rc = analyze_stacks_new(&f->stacks, e->eng, (enum analyze_stacks_by)by, err);
	return rc ? rc : tables_walk_begin(&f->walk, err);
}

static void flame_fini(struct page_engine *e)
{
	struct flame *f = e->state;

	e->eng = NULL;
	folded_fini(&f->tree);
	analyze_stacks_free(f->stacks);
	tables_walk_fini(&f->walk);
}

static int flame_step(struct page_engine *e, uint64_t events, struct cdict_error *err)
{
	struct flame *f = e->state;

	return tables_walk_step(&f->walk, events, err);
}

static int rows_of(struct arrays *a, const struct folded *t, struct cdict_error *err)
{
	uint64_t *next = calloc(t->nodes.n, sizeof(*next));
	uint32_t *names = calloc(t->nodes.n, sizeof(*names));
	uint64_t sum = t->nodes.at[FOLDED_ROOT].total;
	struct map by_name = { 0 };
	ARRAY(struct row) rows = { 0 };
	uint32_t n_names = 0;
	int rc = names && next ? 0 : -ENOMEM;

	for (size_t i = 0; i < t->nodes.n && !rc; i++) {
		uint32_t node = t->by_size[i], *name;
		const struct folded_node *n = &t->nodes.at[node];
		struct row row = { .kind = n->kind, .depth = n->depth, .total = n->total };

		if (node != FOLDED_ROOT) {
			row.from = next[node] = next[n->parent];
			next[n->parent] += n->total;
		}
		if (n->total < sum / NARROWEST_PART && node != FOLDED_ROOT)
			continue;
		name = map_add(&by_name, (uintptr_t)n->name, 0);
		if (!name) {
			rc = -ENOMEM;
			break;
		}
		if (*name == MAP_NEW) {
			names[n_names] = node;
			*name = n_names++;
		}
		row.name = *name;
		row.percent = sum ? 100 * (double)n->total / (double)sum : 0;
		rc = array_push(&rows, row);
	}
	if (!rc) {
		arrays_member(a, "name", rows, name);
		arrays_member(a, "kind", rows, kind);
		arrays_member(a, "depth", rows, depth);
		arrays_member(a, "from", rows, from);
		arrays_member(a, "total", rows, total);
		arrays_double(a, "percent", &rows.at->percent, rows.n, sizeof(*rows.at));
		json_open(a->j, "names", '[', false);
		for (uint32_t i = 0; i < n_names; i++)
			json_text(a->j, NULL, t->nodes.at[names[i]].name);
		json_close(a->j);
	}
	map_fini(&by_name);
	array_fini(&rows);
	free(names);
	free(next);
	return rc ? cdict_fail_nomem(err) : 0;
}

static int flame_write(struct page_engine *e, struct arrays *a, struct cdict_error *err)
{
	struct flame *f = e->state;
	uint64_t lacking = 0;
	int rc = flame_fold(&f->tree, &f->walk, f->stacks, &lacking, err);

	if (rc)
		return rc;
	json_u64(a->j, "lacking", lacking);
	json_open(a->j, "frames", '{', false);
	rc = rows_of(a, &f->tree, err);
	json_close(a->j);
	return rc;
}

const struct page_call page_flame = { .state_size = sizeof(struct flame),
				      .add = flame_add,
				      .write = flame_write,
				      .fini = flame_fini,
				      .step = flame_step };
