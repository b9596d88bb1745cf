/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * functions.h - stacks as a table of functions: the value of stacks that end in a function (self),
 * and of those that contain it (total), as perf report's Self and Children.
 */
#ifndef TABLES_STACKS_FUNCTIONS_H
#define TABLES_STACKS_FUNCTIONS_H

#include "tables/stacks/flame.h"

/* functions_table - a row per function, over all tasks, the largest total first; @by as in
 * flame_table(). NULL: out of memory. */
struct table *functions_table(const struct folded *f, int by);

#endif
