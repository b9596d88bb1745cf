/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * lanes.h - who had each CPU longest, column of time by column of time.
 *
 * Times are added up while walking; memory is one cell a CPU, column and task that ran
 * there.
 *
 * Failure    0 or -ENOMEM
 * Ownership  new gives, free takes (NULL is fine); a lane is the caller's array
 */
#ifndef RENDER_LANES_H
#define RENDER_LANES_H

#include <stddef.h>
#include <stdint.h>

struct lanes;

#define LANES_NOBODY UINT32_MAX /* nothing was added there */

/* lanes_new - @columns (1 to 65535) over [from_ns, to_ns] for @cpus CPUs. */
struct lanes *lanes_new(uint64_t from_ns, uint64_t to_ns, unsigned columns, uint32_t cpus);
void lanes_free(struct lanes *l);

/* lanes_add - @who had @cpu in [from_ns, to_ns], which lies in the window. */
int lanes_add(struct lanes *l, uint32_t cpu, uint32_t who, uint64_t from_ns, uint64_t to_ns);

unsigned lanes_columns(const struct lanes *l);
/* lanes_majority - who had @column of @cpu longest, or LANES_NOBODY. */
uint32_t lanes_majority(const struct lanes *l, uint32_t cpu, unsigned column);
/* lanes_total - how long @cpu was anybody's. */
uint64_t lanes_total(const struct lanes *l, uint32_t cpu);

#endif
