/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * columns.h - a time range in equally wide columns.
 *
 * Column i holds the t with floor((t - from) * n / (to - from)) = i; the last one also
 * t = to.  Events come mostly in order of time: the column of the latest look-up is kept.
 *
 * Failure    0 or -ENOMEM
 * Ownership  caller's storage; columns_fini() empties
 */
#ifndef RENDER_BINS_COLUMNS_H
#define RENDER_BINS_COLUMNS_H

#include <stdint.h>

struct columns {
	uint64_t from_ns, to_ns;
	unsigned n;
	unsigned now;    /* the latest */
	uint64_t *edges; /* n + 1: column i is [edges[i], edges[i + 1]) */
};

/* columns_init - @n from 1 to 65535 over [from_ns, to_ns]. */
int columns_init(struct columns *c, uint64_t from_ns, uint64_t to_ns, unsigned n);
void columns_fini(struct columns *c);

unsigned columns_seek(struct columns *c, uint64_t t_ns);

/* columns_of - the column of @t_ns, which is in [from, to]. */
static inline unsigned columns_of(struct columns *c, uint64_t t_ns)
{
	if (t_ns >= c->edges[c->now] && t_ns < c->edges[c->now + 1])
		return c->now;
	return columns_seek(c, t_ns);
}

/* columns_spread - adds the time of [from_ns, to_ns], which is inside the columns' range, to
 * sums[i >> shift] of each column i that it touches. */
void columns_spread(struct columns *c, uint64_t *sums, unsigned shift, uint64_t from_ns,
		    uint64_t to_ns);

#endif
