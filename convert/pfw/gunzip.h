/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * gunzip.h - inflates a gzip member (RFC 1952) incrementally, and verifies its check sum and
 * length.
 *
 * It uses ISA-L if installed: three times as fast as zlib (0.185 s, zlib 0.52 s for 448 MB of I/O
 * traces, including the check sum); otherwise, and in the static program, zlib. For a damaged
 * member, the two may differ in the last bytes before the damage.
 *
 * Threads    one at a time per object
 * Ownership  gunzip_open() fills the caller's storage, gunzip_close() empties it
 */
#ifndef CONVERT_PFW_GUNZIP_H
#define CONVERT_PFW_GUNZIP_H

#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

struct gunzip {
	const uint8_t *next_in;
	size_t avail_in;
	uint8_t *next_out;
	size_t avail_out;

	/* private to gunzip.c */
	struct gunzip_isal *isal; /* NULL: zlib */
	z_stream z;
};

enum gunzip_state {
	GUNZIP_MORE, /* needs more input or room */
	GUNZIP_END,  /* end of the member; gunzip_next() before the next one */
	GUNZIP_DAMAGED,
	GUNZIP_NOMEM,
};

/* gunzip_open - returns 0, or -ENOMEM: then there is nothing to close. */
int gunzip_open(struct gunzip *g);
/* gunzip_open_zlib - like gunzip_open(), but without ISA-L. */
int gunzip_open_zlib(struct gunzip *g);
void gunzip_next(struct gunzip *g);
/* gunzip_run - consumes input and fills room as far as possible; less than 4 GiB of each. */
enum gunzip_state gunzip_run(struct gunzip *g);
void gunzip_close(struct gunzip *g);

#endif
