/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lanes.h - who had each CPU, column of time by column of time: IDLE where the CPU was idle for
 * more than half of what is known, else who of the others had it longest.  A CPU that many share
 * is not idle because none of them had as much as IDLE.
 *
 * Pieces of a CPU come in order of time, so that only the column that is being filled is
 * remembered task by task.  Of equals the lower number is the longest.
 *
 * Failure    0 or -ENOMEM
 * Ownership  new gives, free takes (NULL is fine)
 */
#ifndef RENDER_LANES_H
#define RENDER_LANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lanes;

#define LANES_NOBODY UINT32_MAX /* nothing was added there */

/* lanes_new - @columns (1 to 65535) over [from_ns, to_ns] for @cpus CPUs. */
struct lanes *lanes_new(uint64_t from_ns, uint64_t to_ns, unsigned columns, uint32_t cpus);
void lanes_free(struct lanes *l);

/* lanes_add - @who, @idle: the CPU's IDLE, had @cpu in [from_ns, to_ns], which lies in the window.
 * lanes_add_in, lanes_idle_in - for @ns of @column; @cpu is one of them. */
int lanes_add(struct lanes *l, uint32_t cpu, uint32_t who, bool idle, uint64_t from_ns,
	      uint64_t to_ns);
int lanes_add_in(struct lanes *l, uint32_t cpu, unsigned column, uint32_t who, uint64_t ns);
void lanes_idle_in(struct lanes *l, uint32_t cpu, unsigned column, uint32_t who, uint64_t ns);

unsigned lanes_columns(const struct lanes *l);
/* lanes_majority - who had each column of @cpu (above), or LANES_NOBODY. Rows of CPUs follow each other. */
const uint32_t *lanes_majority(const struct lanes *l, uint32_t cpu);

#endif
