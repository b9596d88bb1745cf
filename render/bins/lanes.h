/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lanes.h - the task that had each CPU, by column of time: IDLE if the CPU was idle for more than
 * half of the known time, else the other task that had it longest.  So a CPU that many tasks share
 * is not idle just because none of them had as much time as IDLE.
 *
 * Pieces of a CPU come in order of time, so that only the current column is kept task by task.
 * Of equals the lower number wins.
 *
 * With lanes_keep(), lanes_groups() gives the group of tasks that had each CPU, which are not known before
 * the last piece.  For that, columns in which no task had half of the busy time keep the time of each
 * task: 16 bytes each, at most LANES_SHARES_MOST, columns after that have the group of the task.
 *
 * Failure    0 or -ENOMEM
 * Ownership  new gives, free takes (NULL is fine)
 */
#ifndef RENDER_BINS_LANES_H
#define RENDER_BINS_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lanes;

#define LANES_NONE UINT32_MAX /* nothing was added there */
#define LANES_SHARES_MOST (1u << 21)

/* lanes_new - @columns (1 to 65535) over [from_ns, to_ns] for @cpus CPUs; NULL when out of memory. */
struct lanes *lanes_new(uint64_t from_ns, uint64_t to_ns, unsigned columns, uint32_t cpus);
void lanes_free(struct lanes *l);
/* lanes_keep - before the first piece: lanes_groups() will be called. */
void lanes_keep(struct lanes *l);

/* lanes_add - adds that @task (@idle: the CPU's IDLE) had @cpu in [from_ns, to_ns], inside the window.
 * lanes_add_in, lanes_idle_in - the same for @ns of @column; @cpu must be in range. */
int lanes_add(struct lanes *l, uint32_t cpu, uint32_t task, bool idle, uint64_t from_ns,
	      uint64_t to_ns);
int lanes_add_in(struct lanes *l, uint32_t cpu, unsigned column, uint32_t task, uint64_t ns);
void lanes_idle_in(struct lanes *l, uint32_t cpu, unsigned column, uint32_t task, uint64_t ns);

unsigned lanes_columns(const struct lanes *l);
/* lanes_majority - the task (see above) of each column of @cpu, or LANES_NONE. Rows of CPUs are adjacent. */
const uint32_t *lanes_majority(const struct lanes *l, uint32_t cpu);

/* lanes_groups - after the last piece: in each column, the group with the most time, as that of its tasks which
 * had it longest.  @group: sets *key, equal within a group; 0 or -ENOMEM.  @out: [cpu][column]; columns in which
 * lanes_majority() certainly is of that group stay as they are. */
int lanes_groups(struct lanes *l, int (*group)(void *ctx, uint32_t task, uint64_t *key), void *ctx,
		 uint32_t *out);

#endif
