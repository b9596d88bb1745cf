/* SPDX-License-Identifier: GPL-2.0-only */
/* bins_internal.h - shared by bins.c, which counts, and bins_write.c. */
#ifndef RENDER_ENGINE_BINS_INTERNAL_H
#define RENDER_ENGINE_BINS_INTERNAL_H

#include "analyze/sched/slices.h"
#include "analyze/walk/index.h"
#include "analyze/walk/ops.h"
#include "base/memory/array.h"
#include "render/bins/bins.h"
#include "render/bins/columns.h"
#include "render/bins/lanes.h"
#include "render/engine/bins.h"

#define SPARK_COLUMNS 64u
#define SECOND_NS UINT64_C(1000000000)
#define SECOND_COLUMNS 128u
#define SPARK_TASKS 512u

enum { HEAT_KINDS = ANALYZE_SLICE_EXIT + 1 }; /* RUN, SLEEP, WAKEUP, GUEST, EXIT */

/* A grid of all tasks but IDLE, column by column, so that a walk stays within one column. A window of some ms has fewer
 * events than the grid has cache lines: clearing and reading the grid would take longer than sorting the few. */
enum { HEAT_FEW = 1 << 12 };
struct heat {
	ARRAY(uint32_t) few; /* row * columns + column of each, up to HEAT_FEW */
	uint32_t *cells;     /* [column][row], NULL: not yet */
	uint64_t events, shorter, longer, outside, unplaced;
	struct bins *owned; /* by task instead */
	uint32_t *offsets;  /* [second][SECOND_COLUMNS], NULL: nothing yet */
};

struct page_bins {
	struct analyze_engine *eng;
	struct page_bins_options opts;
	uint32_t cpus; /* with rows: 0 when only heat maps are wanted */
	struct analyze_slices *slices;
	struct analyze_ops ops;
	struct columns columns;
	unsigned spark_shift, vcpu_shift; /* column >> shift: the coarser column */

	/* By CPU a row of columns, in ns or a count; NULL: empty. */
	uint64_t **busy, **unknown, **switches;
	struct lanes *lanes;

	ARRAY(uint64_t *) sparks;  /* by task, NULL: never ran, or too many tasks */
	ARRAY(uint64_t *) states;  /* by task: [state][column >> vcpu_shift] */
	size_t n_sparks, n_states; /* number of rows */

	struct heat heat[HEAT_KINDS];
	uint64_t first_second, seconds; /* 0: no offsets within seconds */
	struct bins_rows rows;
};

/* Columns of vCPU states are halved down to this number. */
#define VCPU_COLUMNS_MIN 16u

/* bins_halve_states - sums pairs of neighbours in every state's row of @columns. */
void bins_halve_states(uint64_t *row, unsigned columns);

#endif
