/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gunzip.h - a gzip member (RFC 1952) as it comes, in parts; its check sum and length are held against it.
 *
 * ISA-L inflates where it is installed: three times as fast as zlib (0.185 s, zlib 0.52 s for 448 MB of
 * I/O traces, and the check sum with it), which answers where it is not, and in the static program.
 * Of a damaged member the two may differ in the last bytes before the damage.
 *
 * Threads    one at a time for an object
 * Ownership  gunzip_open() fills caller's storage, gunzip_close() empties it
 */
#ifndef EXCHANGE_GUNZIP_H
#define EXCHANGE_GUNZIP_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

struct gunzip {
	const uint8_t *next_in;
	size_t avail_in;
	uint8_t *next_out;
	size_t avail_out;

	/* gunzip.c's own */
	struct gunzip_isal *isal; /* NULL: zlib */
	z_stream z;
};

enum gunzip_state {
	GUNZIP_MORE, /* of input or of room */
	GUNZIP_END,  /* of the member: next_in is behind it; gunzip_next() before another */
	GUNZIP_DAMAGED,
	GUNZIP_NOMEM,
};

/* gunzip_open - 0, or -ENOMEM: nothing to close then. */
int gunzip_open(struct gunzip *g);
/* gunzip_open_zlib - the same without ISA-L. */
int gunzip_open_zlib(struct gunzip *g);
void gunzip_next(struct gunzip *g);
/* gunzip_run - uses input and room as far as it gets; less than 4 GiB of each. */
enum gunzip_state gunzip_run(struct gunzip *g);
void gunzip_close(struct gunzip *g);

#endif
