/* SPDX-License-Identifier: LGPL-2.1-only */
/* Stacks as a table of functions, as perf report shows them. */
#include "tables/stacks/functions.h"

#include <stdlib.h>

#include "base/memory/array.h"
#include "base/memory/map.h"

struct function {
	const char *name;
	uint8_t kind;  /* enum folded_kind */
	uint32_t open; /* frames of it on the path to the current node */
	uint64_t self, total, count;
};

struct functions {
	ARRAY(struct function) all;
	ARRAY(uint32_t) path; /* of the current node: a function for each depth, or UINT32_MAX */
	struct map index;     /* by name, which the tree holds once, and kind */
};

static struct function *function_of(struct functions *fs, const struct folded_node *n, uint32_t *at)
{
	uint32_t *slot = map_find(&fs->index, (uint64_t)(uintptr_t)n->name, n->kind);
	struct function *f;

	if (!slot) {
		slot = map_add(&fs->index, (uint64_t)(uintptr_t)n->name, n->kind);
		f = slot ? array_add(&fs->all) : NULL;
		if (!f)
			return NULL;
		*f = (struct function){ .name = n->name, .kind = n->kind };
		*slot = (uint32_t)fs->all.n - 1;
	}
	*at = *slot;
	return &fs->all.at[*slot];
}

/* Leaves the nodes of the path that are not callers of a node at @depth. */
static void leave(struct functions *fs, size_t depth)
{
	while (fs->path.n > depth) {
		uint32_t at = fs->path.at[--fs->path.n];

		if (at != UINT32_MAX)
			fs->all.at[at].open--;
	}
}

/* Adds up all nodes, depth first: a function below itself is in its total once. */
static bool add_all(struct functions *fs, const struct folded *f)
{
	for (size_t i = 0; i < f->nodes.n; i++) {
		const struct folded_node *n = &f->nodes.at[f->order[i]];
		uint32_t at = UINT32_MAX;
		struct function *fn;

		leave(fs, n->depth);
		if (n->depth && n->kind != FOLDED_TASK) {
			fn = function_of(fs, n, &at);
			if (!fn)
				return false;
			fn->self += n->value;
			fn->count += n->count;
			if (!fn->open++)
				fn->total += n->total;
		}
		if (array_push(&fs->path, at))
			return false;
	}
	return true;
}

#define COLUMNS(KIND, NAME)                                                                        \
	{                                                                                          \
		{ .key = "function", .title = "function", .kind = TABLE_TEXT },                    \
			{ .key = "in", .title = "in", .kind = TABLE_TEXT },                        \
			{ .key = "count", .title = "count", .kind = TABLE_COUNT },                 \
			{ .key = "self" NAME,                                                      \
			  .title = "self",                                                         \
			  .kind = (KIND),                                                          \
			  .flags = TABLE_KEEP },                                                   \
			{ .key = "self_percent", .title = "self %", .kind = TABLE_PERCENT },       \
			{ .key = "total" NAME,                                                     \
			  .title = "total",                                                        \
			  .kind = (KIND),                                                          \
			  .flags = TABLE_KEEP },                                                   \
			{ .key = "total_percent", .title = "total %", .kind = TABLE_PERCENT },     \
			TABLE_COLUMNS_END,                                                         \
	}
enum { COLUMN_SELF = 3, COLUMN_TOTAL = 5 };

static const struct table_column times[] = COLUMNS(TABLE_MS, "_ns");
static const struct table_column counts[] = COLUMNS(TABLE_COUNT, "");
static const struct table_column shares[] = COLUMNS(TABLE_PERCENT, "");

static void add_row(struct table *t, const struct folded *f, const struct function *fn, bool share)
{
	static const char *const in[FOLDED_KINDS] = {
		[FOLDED_KERNEL] = "kernel", [FOLDED_USER] = "user"
	};
	const uint64_t values[] = { fn->self, fn->total };

	table_row(t);
	table_text(t, 0, fn->name);
	table_text(t, 1, in[fn->kind] ? in[fn->kind] : "");
	table_u64(t, 2, fn->count);
	for (size_t i = 0; i < 2; i++) {
		size_t column = i ? COLUMN_TOTAL : COLUMN_SELF;

		if (share)
			table_percent(t, column, (double)values[i] / f->parts);
		else
			table_u64(t, column, values[i]);
		if (f->sum)
			table_percent(t, column + 1, 100.0 * (double)values[i] / (double)f->sum);
	}
}

struct table *functions_table(const struct folded *f, int by)
{
	const struct table_column *columns = by < 0                                      ? shares
					     : flame_is_time((enum analyze_stacks_by)by) ? times
											 : counts;
	struct table *t = table_new("functions", columns);
	struct functions fs = { 0 };
	bool ok = t && add_all(&fs, f);

	for (size_t i = 0; ok && i < fs.all.n; i++)
		add_row(t, f, &fs.all.at[i], by < 0);
	if (t) {
		t->certain = true;
		t->order = columns[COLUMN_TOTAL].key;
		t->failed |= !ok;
	}
	array_fini(&fs.all);
	array_fini(&fs.path);
	map_fini(&fs.index);
	return t ? table_done(t) : NULL;
}
