/* SPDX-License-Identifier: GPL-2.0-only */
/* A time range in equally wide columns. */
#include "render/bins/columns.h"

#include <errno.h>
#include <stdlib.h>

int columns_init(struct columns *c, uint64_t from_ns, uint64_t to_ns, unsigned n)
{
	uint64_t span = to_ns - from_ns;

	*c = (struct columns){ .from_ns = from_ns, .to_ns = to_ns, .n = n };
	c->edges = calloc(n + 1, sizeof(*c->edges));
	if (!c->edges)
		return -ENOMEM;
	/* the least t of column i: (t - from) * n >= i * span, without the products (they may not fit 64 bits) */
	for (unsigned i = 0; i < n; i++)
		c->edges[i] = span || !i ? from_ns + span / n * i + (span % n * i + n - 1) / n
					 : UINT64_MAX;
	c->edges[n] = UINT64_MAX;
	return 0;
}

void columns_fini(struct columns *c)
{
	free(c->edges);
	*c = (struct columns){ 0 };
}

unsigned columns_seek(struct columns *c, uint64_t t_ns)
{
	unsigned lo = 0, hi = c->n;

	/* most often the next one */
	if (c->now + 1 < c->n && t_ns >= c->edges[c->now + 1] && t_ns < c->edges[c->now + 2])
		return ++c->now;
	while (hi - lo > 1) {
		unsigned mid = (lo + hi) / 2;

		if (c->edges[mid] <= t_ns)
			lo = mid;
		else
			hi = mid;
	}
	return c->now = lo;
}

void columns_spread(struct columns *c, uint64_t *sums, unsigned shift, uint64_t from_ns,
		    uint64_t to_ns)
{
	unsigned i = columns_of(c, from_ns);

	while (to_ns > c->edges[i + 1]) {
		sums[i >> shift] += c->edges[i + 1] - from_ns;
		from_ns = c->edges[++i];
	}
	sums[i >> shift] += to_ns - from_ns;
}
