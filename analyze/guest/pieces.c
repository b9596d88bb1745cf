// SPDX-License-Identifier: LGPL-2.1-only
/* pieces.c - see pieces.h. */
#include "analyze/guest/pieces.h"

/* Pieces to look at after the last lookup's before searching. */
#define NEAR 8

int guest_pieces_add(struct guest_pieces *p, struct guest_piece piece, uint64_t to_ns)
{
	const struct guest_piece *last = p->all.n ? &p->all.at[p->all.n - 1] : NULL;
	bool gap;

	if (last && piece.from_ns < p->end_ns)
		piece.from_ns = p->end_ns;
	if (to_ns <= piece.from_ns)
		return 0;
	gap = last && piece.from_ns > p->end_ns;
	if (gap &&
	    array_push(&p->all, (struct guest_piece){ p->end_ns, UINT32_MAX, GUEST_PIECE_NONE }))
		return -ENOMEM;
	if ((gap || !last || last->state != piece.state || last->who != piece.who) &&
	    array_push(&p->all, piece))
		return -ENOMEM;
	p->end_ns = to_ns;
	return 0;
}

struct guest_piece guest_pieces_at(const struct guest_pieces *p, size_t *at, uint64_t ns,
				   uint64_t *to_ns)
{
	struct guest_piece none = { ns, UINT32_MAX, GUEST_PIECE_NONE };
	const struct guest_piece *all = p->all.at;
	size_t lo = 0, hi = p->all.n;
	uint64_t end_ns;

	if (*at < hi && all[*at].from_ns <= ns) {
		lo = *at + 1;
		for (int i = 0; i < NEAR && lo < hi && all[lo].from_ns <= ns; i++)
			lo++;
		if (lo < hi && all[lo].from_ns > ns)
			hi = lo;
	}
	while (lo < hi) { /* the first that begins later */
		size_t mid = lo + (hi - lo) / 2;

		if (all[mid].from_ns <= ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	end_ns = lo < p->all.n ? all[lo].from_ns : lo ? p->end_ns : UINT64_MAX;
	if (lo)
		*at = lo - 1;
	if (ns >= end_ns) /* after the last one */
		return none;
	if (end_ns < *to_ns)
		*to_ns = end_ns;
	return lo ? all[lo - 1] : none;
}

void guest_pieces_fini(struct guest_pieces *p)
{
	array_fini(&p->all);
}
