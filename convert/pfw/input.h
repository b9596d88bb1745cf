/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * input.h - reads one input of I/O traces, plain or gzip, as pieces of whole lines.
 *
 * A file of many gzip members is split where members begin, and its pieces are independent of each
 * other. A file with one large member, a damaged one, and a pipe are read sequentially: each piece
 * continues where the previous one ended, and waits for its turn. Bytes that look like the start of
 * a member but are not are detected when the pieces are put in order (feed.h): such a piece does
 * not begin where the previous one ended.
 *
 * Threads    any number request pieces; the other functions are for one
 * Units      bytes
 * Failure    0 or a negative code with *err filled. Damage is not a failure: it is reported in the
 *            piece
 * Ownership  pfw_input_open() fills the caller's storage, pfw_input_close() empties it
 */
#ifndef CONVERT_PFW_INPUT_H
#define CONVERT_PFW_INPUT_H

#include <pthread.h>
#include <stdbool.h>

#include "base/memory/buf.h"
#include "cdict/error.h"
#include "convert/pfw/gunzip.h"
#include "convert/pfw/parse.h"

/* Text of a sequential piece; longer lines are broken. */
#define PFW_PIECE_TEXT (512u << 10)
/* A piece that begins with a member: the range of the file in which its members begin, and the
 * limit of their text. */
#define PFW_PIECE_MEMBERS (64u << 10)
#define PFW_PIECE_MEMBERS_TEXT (4u << 20)

struct pfw_input {
	const char *name;
	int fd;
	bool regular, gzip, members;
	uint64_t size; /* if it is a regular file */
	/* State of sequential reading. */
	pthread_mutex_t lock;
	pthread_cond_t turned;
	uint64_t turn;  /* the next piece to continue */
	struct buf raw; /* bytes read; consumed up to @at */
	size_t at;
	uint64_t offset; /* offset of the start of raw in the input */
	struct buf rest; /* of a line whose end was not read yet */
	struct gunzip z;
	bool z_open, in_member, ended;
	bool skipping; /* within a line that is too long */
};

struct pfw_piece {
	struct pfw_input *input;
	uint64_t number; /* number of the piece among those of its kind, from 0 */
	bool member;     /* it begins with a member, at @number times PFW_PIECE_MEMBERS or later */
	/* Results. */
	struct buf text;   /* whole lines, and PFW_PADDING bytes after them */
	struct buf tail;   /* with members: the text after the last newline */
	uint64_t from, to; /* with members: start of the first, end of the last */
	uint64_t read;     /* bytes of the input up to its end */
	bool unfit;        /* with members: damaged, or too large for a piece */
	bool last;         /* sequential: it is the last one */
	uint64_t long_lines;
	struct cdict_error damage, failed; /* code 0: none */
};

/* pfw_input_open - opens @name, a file or "-"; the caller keeps @name. */
int pfw_input_open(struct pfw_input *in, const char *name, struct cdict_error *err);
void pfw_input_close(struct pfw_input *in);

/* pfw_input_piece - fills @piece; a sequential one waits for its turn. */
void pfw_input_piece(struct pfw_piece *piece);
/* pfw_input_go_on - reads sequentially from the byte @offset of the file on, where a member begins;
 * the next piece is number 0. @rest of a line precedes it. No other piece may be in work. */
int pfw_input_go_on(struct pfw_input *in, uint64_t offset, const struct buf *rest,
		    struct cdict_error *err);

#endif
