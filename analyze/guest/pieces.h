/* SPDX-License-Identifier: LGPL-2.1-only */
/*
 * pieces.h - what a CPU or vCPU did over time: pieces in order of time, for lookups.
 *
 * Units      *_ns: times of the host's recording
 * Ownership  caller's storage, zeroed; guest_pieces_fini() empties
 */
#ifndef ANALYZE_GUEST_PIECES_H
#define ANALYZE_GUEST_PIECES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/memory/array.h"

/* A piece lasts until the next one begins. There are millions: 16 bytes each. */
struct guest_piece {
	uint64_t from_ns;
	uint32_t who;
	uint32_t state; /* as the user of the pieces defines it, or GUEST_PIECE_NONE: unknown */
};
#define GUEST_PIECE_NONE UINT32_MAX

struct guest_pieces {
	ARRAY(struct guest_piece) all;
	uint64_t end_ns; /* of the last one */
};

/* guest_pieces_add - @piece lasts until @to_ns; the time since the one before it is unknown; 0 or
 * -ENOMEM. A piece that ends before it begins, or begins before the end of the one before, is cut. */
int guest_pieces_add(struct guest_pieces *p, struct guest_piece piece, uint64_t to_ns);
/* guest_pieces_at - the piece at @ns; *to_ns becomes its end, if that is earlier. *at, 0 at first,
 * makes a later lookup fast. */
struct guest_piece guest_pieces_at(const struct guest_pieces *p, size_t *at, uint64_t ns,
				   uint64_t *to_ns);
void guest_pieces_fini(struct guest_pieces *p);

#endif
